"""Format ``webis_smc``: Webis-SMC-12, queries of the AOL log that people sorted into search missions.

Tab-separated lines ``UserID, Query, TimeStamp, ClickRank, ClickDomain, MissionID, Comment``, with a header or without, one
line per click as in format ``aol``. Lines of hyphens, which stand between users, are no records. A mission is a session
(``session_is = "mission"``), also where it was left and taken up again later (a query sent again after a pause of
``session_gap`` is then another query); ``session_is = "gap"`` cuts by pauses instead. The mission stays in the column
``mission_id``, the comment in ``comment``.
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
from sessionkit.readers.formats.aol import EMPTY, KEY, timed
from sessionkit.readers.io.files import LogFile
from sessionkit.readers.records import Log, Taken
from sessionkit.study.checks import RECORD

TRIED = "part of a corpus of missions that was made from it and keeps its layout; Webis-SMC-12 itself never"
OPTIONS: dict[str, Option] = {
    "session_is": Option(
        "What a session is: mission, as people sorted them, or gap, cut by pauses.",
        default="mission",
        allowed=("mission", "gap"),
    ),
    "session_gap": SESSION_GAP,
    "merge_queries": MERGE,
}
HEADER = "UserID\tQuery\tTimeStamp"
BETWEEN = r"^-{3,}$"
"""A line between users."""
STRETCH = "__stretch"
"""A part of a mission without a pause: a query sent again after a pause asks for no further page."""
NAMES = ("user_id", "query_text", "issued_at", "rank", "doc_id", "mission_id", "comment")
LINE = re.compile(r"\d+\t[^\t\n]*\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\t\d*\t[^\t\n]*\t\d+(\t[^\t\n]*)?\r?(\n|$)")


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with the header, or with a line of seven fields or six."""
    return fits_text(glimpse, _looks)


def take(log: Log) -> Taken:
    """Take the files apart."""
    files, others = those_that_fit(log, _looks)
    make = partial(
        _made,
        missions=log.option("session_is") == "mission",
        gap=seconds(log.option("session_gap")),
        rules=log.option("merge_queries"),
    )
    taken = take_flat(log, _records, KEY, make, files=files, kinds=KINDS)
    return replace(taken, idle={**taken.idle, **others})


def _looks(text: str) -> bool:
    """Return whether a text begins like such a log."""
    first = next((line for line in text.splitlines() if line.strip() and not re.match(BETWEEN, line.strip())), "")
    return first.startswith(HEADER) or LINE.match(first) is not None


def _records(file: LogFile) -> pl.LazyFrame:
    """Return the lines of a file as records."""
    lines = fields_of(file, NAMES, (6, 7), "line_has_six_or_seven_fields", header=HEADER)
    alone = pl.all_horizontal(pl.col(NAMES[1:]).is_null())
    lines = lines.filter(~(alone & pl.col("user_id").fill_null("").str.contains(BETWEEN)))
    lines = breaking(lines, "user_id_is_given", pl.col("user_id").is_null(), pl.col("user_id"))
    lines = timed(lines)
    return breaking(lines, "mission_id_is_given", pl.col("mission_id").is_null(), pl.col("mission_id"))


def _made(lines: pl.LazyFrame, *, missions: bool, gap: float, rules: list[str]) -> FlatRows:
    """Return queries and clicks of some whole users."""
    given = sound(lines)
    if missions:
        session = pl.format("{}-{}", "user_id", "mission_id").alias("session_id")
        ordered = given.sort("user_id", "mission_id", "issued_at", RECORD).with_columns(session)
        ordered = with_sessions(ordered, user="session_id", gap=gap, name=STRETCH)
    else:
        ordered = with_sessions(given, gap=gap).with_columns(pl.col("session_id").alias(STRETCH))
    every = ordered.collect()
    asked = every.lazy().with_columns(
        first_of_query(every, ("session_id", "issued_at")).alias(ASK),
        query_text=pl.when(pl.col("query_text") != EMPTY).then("query_text"),
    )
    return queries_and_clicks(
        asked,
        unsound(lines),
        rules,
        of_query=("user_id", "issued_at", "mission_id", "comment"),
        again_within=STRETCH,
    )
