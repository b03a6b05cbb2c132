"""Format ``yandex_personalized``: the log of Yandex' Personalized Web Search Challenge (2014), tab-separated, no header.

``SessionID M Day USERID`` begins a session; ``SessionID TimePassed Q SERPID QueryID term,term URL,domain ...`` is a query with
its list, with T in place of Q a test query, of which clicks were withheld; ``SessionID TimePassed C SERPID URLID`` is a click
on the list of that number. Terms are numbers, so queries have no texts: they stay in ``terms``, the day in ``day``, the number
of the list in ``serp_id``, whether it is a test query in ``test``. Ticks are as in format ``yandex_relevance``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.readers.entries import Glimpse, Option
from sessionkit.readers.events.clicks import with_clicks
from sessionkit.readers.events.sessionize import with_positions
from sessionkit.readers.flat.flat_log import FlatRows, Key, take_flat
from sessionkit.readers.flat.lines import fits_text, sound, those_that_fit, unsound
from sessionkit.readers.formats.yandex_relevance import (
    SECONDS_PER_TICK,
    as_listed,
    in_ticks,
    marked,
    split_lines,
    status_of_list,
    tick_of,
    with_click_time,
    with_time,
)
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.raw import gathered
from sessionkit.readers.records import Log, Taken

TRIED = "the one session that the challenge's description of its lines shows; never on a whole file"
OPTIONS: dict[str, Option] = {"seconds_per_tick": SECONDS_PER_TICK}
LINE = re.compile(r"\d+\t(M\t\d+\t\d+|\d+\t[QT]\t\d+\t\d+\t[\d,]*(\t\d+,\d+)+|\d+\tC\t\d+\t\d+)\r?(\n|$)")
KEY = Key("session_id", re.compile(rb"([^\t\n]*)\t"))
NAMES = ("session_id", "time_passed", "kind", "first", "second", "third", "rest")
LIST = ["session_id", "serp_id"]


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with a session, a query or a click."""
    return fits_text(glimpse, _looks)


def take(log: Log) -> Taken:
    """Take the files apart."""
    files, others = those_that_fit(log, _looks)
    taken = take_flat(log, _records, KEY, partial(_made, tick=tick_of(log)), files=files)
    return replace(taken, idle={**taken.idle, **others})


def _looks(text: str) -> bool:
    """Return whether a text begins like such a log."""
    return LINE.match(text) is not None


def _records(file: LogFile) -> pl.LazyFrame:
    """Return the lines of a file as records; of the lines that begin a session the kind is M."""
    lines = split_lines(file, NAMES)
    begins = (pl.col("time_passed") == "M") & pl.col("first").is_not_null() & pl.col("second").is_null()
    asks = pl.col("kind").is_in(["Q", "T"]) & pl.col("third").is_not_null()
    click = (pl.col("kind") == "C") & pl.col("second").is_not_null() & pl.col("third").is_null()
    fit = (pl.col("session_id") != "") & (begins | asks | click)
    shown = pl.when(pl.col("time_passed") == "M").then(pl.lit("M")).otherwise("kind")
    lines = marked(lines, fit, "line_is_a_session_a_query_or_a_click", value=shown)
    return in_ticks(lines, r"^(?:\d+|M)$").with_columns(
        kind=shown,
        day=pl.when(begins).then("kind"),
        user_id=pl.when(begins).then("first"),
        time_passed=pl.col("time_passed").cast(pl.Int64, strict=False),
    )


def _made(lines: pl.LazyFrame, tick: float | None) -> FlatRows:
    """Return queries, results and clicks of some whole sessions."""
    given = sound(lines).sort("session_id", RECORD)
    begun = given.filter(pl.col("kind") == "M").select(RECORD, "session_id", "day", "user_id")
    first = begun.unique("session_id", keep="first", maintain_order=True)
    asked = with_positions(given.filter(pl.col("kind").is_in(["Q", "T"])).drop("day", "user_id"))
    asked = asked.join(first.drop(RECORD), on="session_id", how="left", maintain_order="left").collect().lazy()
    is_test = (pl.col("kind") == "T").alias("test")
    queries = asked.select(
        RECORD,
        "session_id",
        "query_position",
        "user_id",
        "time_passed",
        "day",
        is_test,
        status_of_list(),
        query_id="second",
        serp_id="first",
        terms="third",
    )
    results = as_listed(asked.rename({"first": "serp_id"}), "serp_id", "kind")
    parts = pl.col("doc_id").str.splitn(",", 2).struct
    results = results.with_columns(doc_id=parts.field("field_0"), domain_id=parts.field("field_1")).collect().lazy()
    clicks = given.filter(pl.col("kind") == "C").select(
        RECORD, "session_id", serp_id="first", doc_id="second", click_elapsed_seconds="time_passed"
    )
    made, outside = with_clicks(results, clicks, [*LIST, "doc_id"])
    withheld = (pl.col("kind") == "T") & (pl.col("clicks") == 0)
    made = made.with_columns(pl.when(~withheld).then(pl.col("clicked", "clicks"))).drop("kind", "serp_id")
    lists = asked.select("session_id", serp_id="first").unique()
    outside = outside.collect().lazy()
    used = first.join(asked.select("session_id").unique(), on="session_id", how="semi")
    return FlatRows(
        pl.concat([gathered(with_time(queries, tick), given), unsound(lines)], how="diagonal_relaxed"),
        with_click_time(made, tick),
        merged={
            "session lines": used,
            "clicks": clicks.join(outside.select(RECORD), on=RECORD, how="anti"),
        },
        idle={
            "session lines again, or of sessions without queries": begun.join(used, on=RECORD, how="anti"),
            "clicks on a document that its list does not hold": outside.join(lists, on=LIST, how="semi"),
            "clicks on a list that the session does not hold": outside.join(lists, on=LIST, how="anti"),
        },
        seen={"of the test, whose clicks were withheld": queries.filter("test")},
    )
