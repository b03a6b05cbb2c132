"""Format of judgments ``tiangong_labels``: the human labels of TianGong-ST.

Lines are ``id session query document grade`` between blanks, of the last query of 2,000 sessions, so a judgment is of a
query in its session: ``judgment_key`` is ``session:query_id``, and other queries have no judgments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from sessionkit.readers.config import Config
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.io.blanks import NUMBER, fields_of, first_fields
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.record_store import in_memory
from sessionkit.readers.raw import Raw
from sessionkit.readers.records import raw_of

TRIED = "never on a real file; built from the code of public programs that read it"
LABELS = ("label_id", "session", "query", "doc_id", "grade")


def fits(glimpse: Glimpse) -> bool:
    """Return whether the first lines are a number, a session, a query, a document and a grade."""
    lines = first_fields(glimpse.head)
    return bool(lines) and all(
        len(fields) == len(LABELS)
        and fields[0].isdecimal()
        and re.fullmatch(r"q\d+", fields[2]) is not None
        and re.fullmatch(r"d\d+", fields[3]) is not None
        and NUMBER.fullmatch(fields[4]) is not None
        for fields in lines
    )


def read(file: LogFile, config: Config) -> Sequence[Raw]:  # noqa: ARG001 - as all are called
    """Return the human labels."""
    frame = fields_of(file, LABELS, least=len(LABELS), most=len(LABELS), keep=in_memory)
    key = pl.format("{}:{}", "session", "query").alias("judgment_key")
    return [raw_of(file, "judgments", frame.with_columns(key).drop("session", "query"))]
