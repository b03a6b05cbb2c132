"""Readers: from logs and judgments as they are found to a checked Study.

In come files of a log; out goes a `Study` with what was rejected, and why. Open `read.py` first.

A new log format is a file in ``formats/``, a new format of judgments one in ``judgments/``; the docstrings of these two say how.

::

    formats/        formats of logs, one file each, and FORMATS, their registry
    judgments/      formats of judgments, one file each, and JUDGMENTS, their registry
    io/             one kind of file taken apart: delimited text, NDJSON, JSON, XML, Parquet, fields between blanks
    events/         logs of events: how these become sessions, queries, lists and clicks
    flat/           logs of flat lines: whole users or sessions at a time
    checks/         unchecked records become checked tables, of a batch of whole sessions
    propose/        sk.propose: a study.toml for files as they lie there
    read.py         sk.read: what kind of source is this? frames.py: sk.from_tables, tables already in memory
    runs.py         sk.from_run, runs in memory or in files; run_sessions.py: of which session each query of a run is
    run_files.py    files of runs, in every form in which they are read
    missing_topics.py  what runs lack: judged topics, or queries of a map, without a line
    description.py  which format, files and options: by config.py (study.toml) or sniffer.py (a look at the content)
    entries.py      what the registries hold
    records.py      what a format takes from its files (input_files.py), and with the judgments to ingest.py
    questionnaires.py  answers of users, sessions or tasks, which join the log by their ids
    exclusions.py   the documents that a study leaves out, of its lists and judgments
    raw.py          the records of one source, not yet checked, with a way back to their raw text
    ingest.py       the one pipeline: sources, in batches of whole sessions, become a checked study
    batches.py      the batches of a large log, repartitioned to disk where it is out of order
    batch_sizes.py  how many records a batch has; totals.py: what is counted in each adds up
    tabular.py      anything tabular as a polars frame

Names are imported when they are first used: what opens a saved study, or scores tables, needs no format.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sessionkit.readers.entries import Format, Glimpse, Judgments, Option
    from sessionkit.readers.formats.registry import FORMATS
    from sessionkit.readers.frames import from_tables
    from sessionkit.readers.judgments.registry import JUDGMENTS

__all__ = ["FORMATS", "JUDGMENTS", "Format", "Glimpse", "Judgments", "Option", "from_tables"]
_HOME = {
    **dict.fromkeys(("Format", "Glimpse", "Judgments", "Option"), "entries"),
    "FORMATS": "formats.registry",
    "JUDGMENTS": "judgments.registry",
    "from_tables": "frames",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Import a name when it is first used."""
    if name not in _HOME:
        msg = f"module 'sessionkit.readers' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(importlib.import_module(f"sessionkit.readers.{_HOME[name]}"), name)
    globals()[name] = value
    return value
