"""Format ``yandex_relevance``: the log of Yandex' Relevance Prediction Challenge (2011), tab-separated, without header.

``SessionID TimePassed Q QueryID RegionID URL1 URL2 ...`` is a query with its list, ``SessionID TimePassed C URLID`` a click,
which belongs to the most recent query of the session whose list holds the document; those that no list holds are counted
by why. What the ticks of TimePassed are was never told: ``seconds_per_tick`` makes seconds of them, else they stay in
``time_passed`` and ``click_time_passed``. Queries have numbers and no texts.

A file of lines ``QueryID RegionID URLID label`` beside the log holds judgments: their key is the query or, with
``labels_by = "query_and_region"``, query and region as ``77/213``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import polars as pl

from sessionkit.contract import CELL, CELLS, RECORD, RULE, VALUE
from sessionkit.errors import DataError, UsageError
from sessionkit.readers.entries import Glimpse, Option
from sessionkit.readers.events.clicks import with_clicks
from sessionkit.readers.events.sessionize import with_positions
from sessionkit.readers.flat.flat_log import TEXT, FlatRows, Key, lines_of, rows_of, take_flat
from sessionkit.readers.flat.lines import fields_of, fits_text, sound, those_that_fit, unsound
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.raw import Raw, gathered, without
from sessionkit.readers.records import Log, Taken, raw_of

TRIED = "never on a real file; built from the code of PyClick, and of PyClick and CLAX for the file of labels"
SECONDS_PER_TICK = Option(
    "How many seconds a tick of the log's clock is; without it, times stay ticks, in columns of their own.",
    kind=("number", "integer"),
)
OPTIONS: dict[str, Option] = {
    "seconds_per_tick": SECONDS_PER_TICK,
    "labels_by": Option(
        "What labels are of: a query, or a query and a region.", default="query", allowed=("query", "query_and_region")
    ),
}
LINE = re.compile(r"\d+\t\d+\t(Q\t\d+\t\d+(\t\d+)*|C\t\d+)\r?(\n|$)")
LABEL = re.compile(r"\d+\t\d+\t\d+\t[01]\r?(\n|$)")
KEY = Key("session_id", re.compile(rb"([^\t\n]*)\t"))
NAMES = ("session_id", "time_passed", "kind", "first", "second", "rest")
ROUND = ("session_id", "doc_id")


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with a query or a click, and a domain follows no URL."""
    return fits_text(glimpse, _looks)


def beside(glimpse: Glimpse) -> bool:
    """Return whether a text begins with a label."""
    return LABEL.match(glimpse.head) is not None


def take(log: Log) -> Taken:
    """Take the files apart."""
    labels = [file for file in log.files if LABEL.match(_text(file))]
    files, others = those_that_fit(log, lambda text: _looks(text) or LABEL.match(text) is not None)
    files = [file for file in files if file not in labels]
    if not files:
        raise DataError(f"{labels[0].name} contains only labels; give the file of queries and clicks too")
    by_region = log.option("labels_by") == "query_and_region"
    make = partial(_made, tick=tick_of(log), by_region=by_region)
    taken = take_flat(log, _records, KEY, make, files=files)
    judgments = [_labels(file, by_region=by_region) for file in labels]
    return replace(taken, raws={**taken.raws, "judgments": judgments}, idle={**taken.idle, **others})


def tick_of(log: Log) -> float | None:
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


def with_time(queries: pl.LazyFrame, tick: float | None) -> pl.LazyFrame:
    """Return queries with their ticks as seconds where it is known how long one is."""
    if tick is None:
        return queries
    return queries.with_columns(elapsed_seconds=pl.col("time_passed").cast(pl.Float64) * tick).drop("time_passed")


def with_click_time(results: pl.LazyFrame, tick: float | None) -> pl.LazyFrame:
    """Return results with the ticks of their clicks as seconds, or as ticks under a name of their own."""
    name = "click_elapsed_seconds"
    if tick is None:
        return results.rename({name: "click_time_passed"})
    return results.with_columns(pl.col(name).cast(pl.Float64) * tick)


def as_listed(asked: pl.LazyFrame, *keep: str) -> pl.LazyFrame:
    """Return a row for each document of the lists, which are text between tabs in the column ``rest``."""
    lists = asked.filter(pl.col("rest").is_not_null()).select(
        RECORD, "session_id", "query_position", *keep, doc_id=pl.col("rest").str.split("\t")
    )
    return lists.with_columns(rank=pl.int_ranges(1, pl.col("doc_id").list.len() + 1)).explode("doc_id", "rank")


def status_of_list() -> pl.Expr:
    """Return shown for a query with documents, empty for one without."""
    status = pl.when(pl.col("rest").is_not_null()).then(pl.lit("shown")).otherwise(pl.lit("empty"))
    return status.alias("results_status")


def split_lines(file: LogFile, names: tuple[str, ...]) -> pl.LazyFrame:
    """Return the fields between tabs of each line, the last of them with all that follows; ends of tabs are cut off."""
    text = pl.col(TEXT).str.strip_chars_end("\t")
    fields = text.str.splitn("\t", len(names)).struct.rename_fields(list(names)).struct.unnest()
    return lines_of(file).select(RECORD, fields)


def marked(lines: pl.LazyFrame, fit: pl.Expr, rule: str, *, value: pl.Expr) -> pl.LazyFrame:
    """Return lines, those that do not fit marked as breaking a rule."""
    unfit = ~fit.fill_null(value=False)
    return lines.with_columns(pl.when(unfit).then(pl.lit(rule)).alias(RULE), pl.when(unfit).then(value).alias(VALUE))


def in_ticks(lines: pl.LazyFrame, ticks: str = r"^\d+$") -> pl.LazyFrame:
    """Return lines whose times are such counts of ticks; others are set aside: the order of the lines is that of the session."""
    lines = lines.with_columns(pl.lit(None, dtype=pl.List(CELL)).alias(CELLS))
    return without(lines, "time_passed", "time_passed_is_an_integer", ~pl.col("time_passed").str.contains(ticks))


def _text(file: LogFile) -> str:
    """Return the beginning of a file."""
    return file.head.decode("utf-8", errors="replace")


def _looks(text: str) -> bool:
    """Return whether a text begins like such a log."""
    return LINE.match(text) is not None


def _records(file: LogFile) -> pl.LazyFrame:
    """Return the lines of a file as records."""
    named = pl.col("session_id") != ""
    query = (pl.col("kind") == "Q") & pl.col("second").is_not_null()
    click = (pl.col("kind") == "C") & pl.col("first").is_not_null() & pl.col("second").is_null()
    lines = marked(
        split_lines(file, NAMES), named & (query | click), "line_is_a_query_or_a_click", value=pl.col("kind")
    )
    return in_ticks(lines).with_columns(time_passed=pl.col("time_passed").cast(pl.Int64, strict=False))


def _made(lines: pl.LazyFrame, tick: float | None, *, by_region: bool) -> FlatRows:
    """Return queries, results and clicks of some whole sessions."""
    given = sound(lines).sort("session_id", RECORD)
    asked = with_positions(given.filter(pl.col("kind") == "Q")).collect().lazy()
    key = pl.format("{}/{}", "first", "second") if by_region else pl.col("first")
    queries = asked.select(
        RECORD,
        "session_id",
        "query_position",
        "time_passed",
        status_of_list(),
        query_id="first",
        judgment_key=key,
        region_id="second",
    )
    results = as_listed(asked).collect().lazy()
    clicks = given.filter(pl.col("kind") == "C").select(
        RECORD, "session_id", doc_id="first", click_elapsed_seconds="time_passed"
    )
    shown = results.select(*ROUND, "query_position", shown=RECORD).unique([*ROUND, "shown"]).sort("shown")
    placed = clicks.sort(RECORD).join_asof(
        shown, left_on=RECORD, right_on="shown", by=list(ROUND), strategy="backward", check_sortedness=False
    )
    placed = placed.collect().lazy()
    made, _ = with_clicks(results, placed.filter(pl.col("shown").is_not_null()), [*ROUND, "query_position"])
    astray = placed.filter(pl.col("shown").is_null())
    later = astray.join(shown, on=list(ROUND), how="semi")
    return FlatRows(
        pl.concat([gathered(with_time(queries, tick), given), unsound(lines)], how="diagonal_relaxed"),
        with_click_time(made, tick),
        merged={"clicks": placed.filter(pl.col("shown").is_not_null())},
        idle={
            "clicks before the list that holds the document": later,
            "clicks on a document that no list of the session holds": astray.join(shown, on=list(ROUND), how="anti"),
        },
    )


def _labels(file: LogFile, *, by_region: bool) -> Raw:
    """Return the judgments of a file."""
    lines = rows_of(
        file, lambda one: fields_of(one, ("query", "region_id", "doc_id", "grade"), (4,), "line_has_four_fields")
    )
    key = pl.format("{}/{}", "query", "region_id") if by_region else pl.col("query")
    frame = lines.select(RECORD, RULE, VALUE, "doc_id", "grade", "region_id", judgment_key=key)
    return raw_of(file, "judgments", frame, kind="labels")
