"""Readers: from logs and judgments as they are found to a checked Study.

In come files of a log; out goes a `Study` with what was rejected, and why. Open `read.py` first.

A new log format is a file in ``formats/``, a new format of judgments one in ``judgments/``; the docstrings of these two say how.

::

    formats/           Formats of logs, one file each: what is in the files of each format, and how it was tried
    judgments/         Formats of judgments, one file each, and the reading of their files
    io/                One kind of file taken apart, whatever log it holds: text into lines, fields, objects or
                       elements, as unchecked records
    events/            Logs that tell what happened, event by event: how these become sessions, queries, lists and
                       clicks
    checks/            Unchecked records become checked tables: names, types, every rule in its order, missing tables,
                       what was unusual
    propose/           A study.toml proposed for files as they lie there, by what is in them; questions stand where that
                       does not say it
    read.py            ``sk.read`` and ``sk.from_tables``: from a study.toml, a log, a saved study or tables in memory
                       to a checked study
    runs.py            Runs in memory, or in files: frames of PyTerrier and ir_datasets, named tuples, pytrec_eval's
                       dictionaries, objects of ranx
    run_sessions.py    Sessions of runs: the session and position of each query id, by a pattern or a map, and topics
                       that a run lacks
    config.py          study.toml: read, held against ``schemas/study.schema.json``, and turned into values
    format.py          What a format of logs or judgments is, and how the format of a file is recognized by what it
                       holds
    records.py         From the records that a format takes out of its files to a checked study; and the files that a
                       format reads
    ingest.py          The one pipeline from unchecked records to a study: batches of whole sessions within the memory,
                       and every record accounted for
    questionnaires.py  Questionnaires: answers of users, sessions or tasks, in a wide or a long table, which join the
                       log by their ids
    exclusions.py      Documents that a study leaves out: those that a file or table lists for a judgment_key, and those
                       whose id is the judgment_key
    raw.py             Records of one source before they are checked, with a way back to their raw text, and the folder
                       in which they are kept meanwhile
    column_names.py    What columns are called in the field: for each of our columns its usual names, the likeliest
                       first

Names are imported when they are first used: what opens a saved study, or scores tables, needs no format.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sessionkit.readers.format import Format, Glimpse, Judgments, Option
    from sessionkit.readers.formats.registry import FORMATS
    from sessionkit.readers.judgments.registry import JUDGMENTS
    from sessionkit.readers.read import from_tables

__all__ = ["FORMATS", "JUDGMENTS", "Format", "Glimpse", "Judgments", "Option", "from_tables"]
_HOME = {
    **dict.fromkeys(("Format", "Glimpse", "Judgments", "Option"), "format"),
    "FORMATS": "formats.registry",
    "JUDGMENTS": "judgments.registry",
    "from_tables": "read",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Import a name when it is first used."""
    if name not in _HOME:
        msg = f"module 'sessionkit.readers' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(importlib.import_module(f"sessionkit.readers.{_HOME[name]}"), name)
    globals()[name] = value
    return value
