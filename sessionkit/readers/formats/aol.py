"""Format ``aol``: the AOL query log of 2006, one file or all ten, plain or packed.

Tab-separated lines ``AnonID, Query, QueryTime, ItemRank, ClickURL`` after a header in each file, quotes being data. There
is a line per click, so lines of one user, query and time are one query; a line without click has the last two fields
empty or not at all. Only clicked documents (their hosts) are known, at their ranks, so lists are partly observed. Times
carry no zone. Sessions end after a pause (``session_gap``). A query sent again in the same session, which is also how the
log tells of a next page, goes into the one before it (``merge_queries``). ``-`` stands for an empty query.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import polars as pl

from sessionkit.readers.events.flat_logs import (
    ASK,
    KINDS,
    MERGE,
    FlatRows,
    Key,
    breaking,
    fields_of,
    first_of_query,
    fits_text,
    queries_and_clicks,
    sound,
    take_flat,
    those_that_fit,
    unsound,
)
from sessionkit.readers.events.sessions import seconds, with_sessions
from sessionkit.readers.format import SESSION_GAP, Glimpse, Option
from sessionkit.readers.io.files import LogFile
from sessionkit.readers.records import Log, Taken

TRIED = "some lines of the log, quoted where it is described; never on a whole file"
OPTIONS: dict[str, Option] = {"session_gap": SESSION_GAP, "merge_queries": MERGE}
HEADER = "AnonID\tQuery\tQueryTime"
NAMES = ("user_id", "query_text", "issued_at", "rank", "doc_id")
TIME = "%Y-%m-%d %H:%M:%S"
LINE = re.compile(r"\d+\t[^\t\n]*\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\t\d*\t[^\t\n]*)?\r?(\n|$)")
KEY = Key("user_id", re.compile(rb"([^\t\n]*)\t"))
EMPTY = "-"


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with the header, or with a line of five fields or three."""
    return fits_text(glimpse, _looks)


def take(log: Log) -> Taken:
    """Take the files apart."""
    files, others = those_that_fit(log, _looks)
    gap = seconds(log.option("session_gap"))
    make = partial(_made, gap=gap, rules=log.option("merge_queries"))
    taken = take_flat(log, _records, KEY, make, files=files, kinds=KINDS)
    return replace(taken, idle={**taken.idle, **others})


def _looks(text: str) -> bool:
    """Return whether a text begins like such a log."""
    return text.startswith(HEADER) or LINE.match(text) is not None


def _records(file: LogFile) -> pl.LazyFrame:
    """Return the lines of a file as records."""
    lines = fields_of(file, NAMES, (3, 5), "line_has_three_or_five_fields", header=HEADER)
    lines = breaking(lines, "user_id_is_given", pl.col("user_id").is_null(), pl.col("user_id"))
    return timed(lines)


def timed(lines: pl.LazyFrame) -> pl.LazyFrame:
    """Return the lines with their times as such; one without a time breaks a rule."""
    lines = lines.with_columns(__time=pl.col("issued_at").str.to_datetime(TIME, strict=False, cache=False))
    lines = breaking(lines, "issued_at_is_a_datetime", pl.col("__time").is_null(), pl.col("issued_at"))
    return lines.with_columns(issued_at="__time").drop("__time")


def _made(lines: pl.LazyFrame, gap: float, rules: list[str]) -> FlatRows:
    """Return queries and clicks of some whole users."""
    ordered = with_sessions(sound(lines), gap=gap).collect()
    asked = ordered.lazy().with_columns(
        first_of_query(ordered, ("user_id", "issued_at")).alias(ASK),
        query_text=pl.when(pl.col("query_text") != EMPTY).then("query_text"),
    )
    return queries_and_clicks(asked, unsound(lines), rules, of_query=("user_id", "issued_at"))
