"""A stream of events, one row each, a query, an impression, a click or a leave: its columns, broken records and order.

Events are taken in the order of their times, those of one time or without times in the order of the log. An event belongs
to the query before it in its session or, where it names a query_id, to the last query of that id.
"""

from __future__ import annotations

import polars as pl

from sessionkit.contract import CELL, CELLS, RECORD, RULE, VALUE
from sessionkit.readers.events.result_lists import AT, FILE, KEY, PLACE
from sessionkit.readers.raw import without

ACTIONS = ("query", "impression", "click", "leave")
ACTION, LABEL, LIST, COUNT = "__action", "__label", "__list", "__count"
"""One of :data:`ACTIONS` or null; what the log calls the event; of a query the documents shown, and how many there were."""
TEXTS = ("session_id", "user_id", "topic_id", "system_id", "judgment_key", "query_id", "query_text", "doc_id")
STREAM: dict[str, pl.DataType] = {
    **dict.fromkeys((*TEXTS, "issued_at", "rank", ACTION, LABEL, RULE, VALUE), pl.String()),
    CELLS: pl.List(CELL),
    "dwell_seconds": pl.Float64(),
    LIST: pl.List(pl.String()),
    COUNT: pl.Int64(),
}
"""Columns of a stream beside FILE, RECORD and AT; those that are missing are null. A rank is text, RULE and VALUE mark
records that could not be taken apart."""
WHOLE = r"^\s*-?\d+(?:\.0+)?\s*$"


def checked(stream: pl.LazyFrame) -> pl.LazyFrame:
    """Return a stream with events marked as broken that have no session or name, or a rank that is none.

    A time that is none is set aside; that of a query is looked at with its row.
    """
    on_result = pl.col(ACTION).is_in(["impression", "click"])
    no_rank = on_result & pl.col("rank").is_not_null() & ~pl.col("rank").str.contains(WHOLE)
    beside = on_result | (pl.col(ACTION) == "leave")
    no_time = beside & pl.col("issued_at").is_not_null() & pl.col(AT).is_null()
    broken = pl.col(RULE).is_not_null()
    lost = pl.col("session_id").is_null()
    nameless = pl.col(LABEL).is_null()
    rule = (
        pl.when(broken)
        .then(RULE)
        .when(lost)
        .then(pl.lit("session_id_is_given"))
        .when(nameless)
        .then(pl.lit("event_is_given"))
        .when(no_rank)
        .then(pl.lit("rank_is_an_integer"))
    )
    value = pl.when(broken | lost | nameless).then(VALUE).when(no_rank).then("rank")
    rank = pl.col("rank").str.strip_chars().str.replace(r"\.0+$", "").cast(pl.Int64, strict=False)
    marked = stream.with_columns(rule.alias(RULE), value.alias(VALUE), rank)
    return without(marked, "issued_at", "time_is_a_datetime", no_time, name="time")


def in_order(events: pl.LazyFrame) -> pl.LazyFrame:
    """Return events in the order of sessions and times, with the KEY of the query that each belongs to."""
    since = pl.col(AT).forward_fill().over("session_id").alias("__since")
    ordered = events.sort(*PLACE).with_columns(since).sort("session_id", "__since", *PLACE).drop("__since")
    place = pl.col(FILE).cast(pl.Int64) * 2**40 + pl.col(RECORD)
    is_query = pl.col(ACTION) == "query"
    before = pl.when(is_query).then(place).forward_fill().over("session_id").alias(KEY)
    its = pl.when(is_query).then("query_id").forward_fill().over("session_id").alias("__its")
    placed = ordered.with_columns(before, its)
    named = placed.filter(is_query, pl.col("query_id").is_not_null())
    named = named.group_by("session_id", "query_id").agg(pl.col(KEY).last().alias("__named"))
    joined = placed.join(named, on=["session_id", "query_id"], how="left", maintain_order="left")
    other = ~is_query & pl.col("query_id").is_not_null() & pl.col("query_id").ne_missing(pl.col("__its"))
    key = pl.when(other.fill_null(value=False)).then(pl.coalesce("__named", KEY)).otherwise(KEY)
    return joined.with_columns(key.alias(KEY)).drop("__its", "__named")
