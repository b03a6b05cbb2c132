"""Format ``yandex_personalized``: the log of Yandex' Personalized Web Search Challenge (2014), tab-separated, no header.

``SessionID M Day USERID`` begins a session; ``SessionID TimePassed Q SERPID QueryID term,term URL,domain ...`` is a query with
its list, with T in place of Q a test query, of which clicks were withheld; ``SessionID TimePassed C SERPID URLID`` is a click
on the list of that number. Terms are numbers, so queries have no texts: they stay in ``terms``, the day in ``day``, the number
of the list in ``serp_id``, whether it is a test query in ``test``. What the
ticks of TimePassed are was never told: ``seconds_per_tick`` makes seconds of them, else they stay in ``time_passed`` and
``click_time_passed``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import polars as pl

from sessionkit.errors import UsageError
from sessionkit.readers.events.flat_logs import (
    TEXT,
    FlatRows,
    Key,
    fits_text,
    lines_of,
    sound,
    take_flat,
    those_that_fit,
    unsound,
)
from sessionkit.readers.events.lists import with_clicks
from sessionkit.readers.events.sessions import with_positions
from sessionkit.readers.format import Glimpse, Option
from sessionkit.readers.io.files import LogFile
from sessionkit.readers.raw import gathered, without
from sessionkit.readers.records import Log, Taken
from sessionkit.study.checks import CELL, CELLS, RECORD, RULE, VALUE

TRIED = "the one session that the challenge's description of its lines shows; never on a whole file"
OPTIONS: dict[str, Option] = {
    "seconds_per_tick": Option(
        "How many seconds a tick of the log's clock is; without it, times stay ticks, in columns of their own.",
        kind=("number", "integer"),
    )
}
LINE = re.compile(r"\d+\t(M\t\d+\t\d+|\d+\t[QT]\t\d+\t\d+\t[\d,]*(\t\d+,\d+)+|\d+\tC\t\d+\t\d+)\r?(\n|$)")
KEY = Key("session_id", re.compile(rb"([^\t\n]*)\t"))
NAMES = ("session_id", "time_passed", "kind", "first", "second", "third", "rest")
LIST = ["session_id", "serp_id"]
TICKS = r"^(?:\d+|M)$"
"""What stands for a time: a count of ticks, or M in a line that begins a session."""


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with a session, a query or a click."""
    return fits_text(glimpse, _looks)


def take(log: Log) -> Taken:
    """Take the files apart."""
    files, others = those_that_fit(log, _looks)
    taken = take_flat(log, _records, KEY, partial(_made, tick=_tick_of(log)), files=files)
    return replace(taken, idle={**taken.idle, **others})


def _tick_of(log: Log) -> float | None:
    """Return the seconds of a tick, None where nobody knows.

    Raises
    ------
    UsageError
        They are not above 0.
    """
    tick = log.option("seconds_per_tick")
    if tick is not None and not tick > 0:
        raise UsageError(f"seconds_per_tick is {tick!r}; give a number above 0, or leave it out")
    return None if tick is None else float(tick)


def _with_time(queries: pl.LazyFrame, tick: float | None) -> pl.LazyFrame:
    """Return queries with their ticks as seconds where it is known how long one is."""
    if tick is None:
        return queries
    return queries.with_columns(elapsed_seconds=pl.col("time_passed").cast(pl.Float64) * tick).drop("time_passed")


def _with_click_time(results: pl.LazyFrame, tick: float | None) -> pl.LazyFrame:
    """Return results with the ticks of their clicks as seconds, or as ticks under a name of their own."""
    name = "click_elapsed_seconds"
    if tick is None:
        return results.rename({name: "click_time_passed"})
    return results.with_columns(pl.col(name).cast(pl.Float64) * tick)


def _as_listed(asked: pl.LazyFrame) -> pl.LazyFrame:
    """Return a row for each document of the lists, which are text between tabs in the column ``rest``."""
    lists = asked.filter(pl.col("rest").is_not_null()).select(
        RECORD, "session_id", "query_position", "serp_id", "kind", doc_id=pl.col("rest").str.split("\t")
    )
    return lists.with_columns(rank=pl.int_ranges(1, pl.col("doc_id").list.len() + 1)).explode("doc_id", "rank")


def _status_of_list() -> pl.Expr:
    """Return shown for a query with documents, empty for one without."""
    status = pl.when(pl.col("rest").is_not_null()).then(pl.lit("shown")).otherwise(pl.lit("empty"))
    return status.alias("results_status")


def _split_lines(file: LogFile) -> pl.LazyFrame:
    """Return the fields between tabs of each line, the last of them with all that follows; ends of tabs are cut off."""
    text = pl.col(TEXT).str.strip_chars_end("\t")
    fields = text.str.splitn("\t", len(NAMES)).struct.rename_fields(list(NAMES)).struct.unnest()
    return lines_of(file).select(RECORD, fields)


def _marked(lines: pl.LazyFrame, fit: pl.Expr, *, value: pl.Expr) -> pl.LazyFrame:
    """Return lines, those that do not fit _marked as no session, query or click."""
    unfit = ~fit.fill_null(value=False)
    return lines.with_columns(
        pl.when(unfit).then(pl.lit("line_is_a_session_a_query_or_a_click")).alias(RULE),
        pl.when(unfit).then(value).alias(VALUE),
    )


def _in_ticks(lines: pl.LazyFrame) -> pl.LazyFrame:
    """Return lines whose times are counts of ticks; others are set aside: the order of the lines is that of the session."""
    lines = lines.with_columns(pl.lit(None, dtype=pl.List(CELL)).alias(CELLS))
    return without(lines, "time_passed", "time_passed_is_an_integer", ~pl.col("time_passed").str.contains(TICKS))


def _looks(text: str) -> bool:
    """Return whether a text begins like such a log."""
    return LINE.match(text) is not None


def _records(file: LogFile) -> pl.LazyFrame:
    """Return the lines of a file as records; of the lines that begin a session the kind is M."""
    lines = _split_lines(file)
    begins = (pl.col("time_passed") == "M") & pl.col("first").is_not_null() & pl.col("second").is_null()
    asks = pl.col("kind").is_in(["Q", "T"]) & pl.col("third").is_not_null()
    click = (pl.col("kind") == "C") & pl.col("second").is_not_null() & pl.col("third").is_null()
    fit = (pl.col("session_id") != "") & (begins | asks | click)
    shown = pl.when(pl.col("time_passed") == "M").then(pl.lit("M")).otherwise("kind")
    lines = _marked(lines, fit, value=shown)
    return _in_ticks(lines).with_columns(
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
        _status_of_list(),
        query_id="second",
        serp_id="first",
        terms="third",
    )
    results = _as_listed(asked.rename({"first": "serp_id"}))
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
        pl.concat([gathered(_with_time(queries, tick), given), unsound(lines)], how="diagonal_relaxed"),
        _with_click_time(made, tick),
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
