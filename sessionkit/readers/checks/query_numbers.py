"""Numbers for queries that have none: by their times, else as they come, whatever the order of the rows within a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from sessionkit.contract import RECORD, RULE, table
from sessionkit.contract.casts import as_text, cast
from sessionkit.display.words import counted
from sessionkit.errors import DataError
from sessionkit.readers.raw import EMPTY, MARK, Raw

SESSION = "session_id"
LABELS = ("query_id", "query_text")
"""Columns that say which query a result is of."""
TIMES = ("issued_at", "elapsed_seconds")
"""Columns that order queries; of several the first is taken."""
NEWEST_FIRST = "newest first"
"""The value of number_queries for files whose last query is the first of its session, where nothing else says it."""
PLACE, FIRST, LABEL, TIME = "__place", "__first", "__label", "__time"
RANK, LAST_RANK, IS_EMPTY, IS_SAME = "__rank", "__last_rank", "__is_empty", "__is_same"


def number_queries(raw: Raw, *, newest_first: bool = False) -> Raw:
    """Return a source of queries or results with the queries of each session numbered.

    Queries are in the order of their times; without times they are as they come or, `newest_first`, the other way round.

    Of queries each record is one. Of results a new query begins with another query_id or text, where ranks start again, and at
    a list without ranks and after it; a rank that cannot be read begins none. Ranks may fall from row to row. Where the rows of
    lists are mixed, those of one id are one query if no rank comes twice, and so are those of one text and time if their ranks
    are 1, 2, 3 and so on. All records are in memory for it.

    Raises
    ------
    DataError
        There is a query_position, or nothing to tell queries apart.
    """
    columns = raw.frame.collect_schema().names()
    if "query_position" in columns:
        raise DataError(
            f"{raw.source} ({raw.table}) has a query_position, so number_queries cannot make one; leave one of them out"
        )
    if raw.table == "results" and not {"rank", *LABELS} & set(columns):
        raise DataError(
            f"{raw.source} ({raw.table}): number_queries needs rank, query_id or query_text to tell queries apart"
        )
    records = raw.frame.collect()
    whole = records.filter(pl.col(RULE).is_null()) if RULE in columns else records
    rows = _in_order_of_times(raw, whole, newest_first=newest_first)
    first = _first_rows(rows, has_ids=LABELS[0] in columns) if raw.table == "results" else rows[PLACE].alias(FIRST)
    rows = rows.with_columns(first)
    position = pl.col(FIRST).rank("dense").over(SESSION).cast(pl.Int32).cast(pl.String)
    numbers = rows.select(RECORD, query_position=position)
    return replace(raw, frame=records.join(numbers, on=RECORD, how="left", maintain_order="left").lazy())


def time_of_queries(columns: Sequence[str]) -> str | None:
    """Return the column by which queries are ordered; None where none is."""
    return next((name for name in TIMES if name in columns), None)


def describe_order(raw: Raw) -> list[str]:
    """Return what is to be said of the order that `number_queries` gives a source: where times are missing, and where a clock goes back.

    Rows may stand in any order, or the other way round. Where seconds of a session both rise and fall from row to row, they may have
    started again, and then they do not order its queries.
    """
    columns = raw.frame.collect_schema().names()
    name = time_of_queries(columns)
    if name is None:
        return []
    whole = raw.frame.filter(pl.col(RULE).is_null()) if RULE in columns else raw.frame
    times = whole.select(SESSION, _time(raw, name).alias(TIME)).drop_nulls(SESSION).collect()
    step = pl.col(TIME).drop_nulls().diff().cast(pl.Float64)
    sessions = times.group_by(SESSION, maintain_order=True).agg(
        n_times=pl.col(TIME).count(), n_missing=pl.col(TIME).null_count(), turns=(step < 0).any() & (step > 0).any()
    )
    sentences = []
    partly_timed = sessions.filter(pl.col("n_times") > 0, pl.col("n_missing") > 0)
    if partly_timed.height:
        sentences.append(
            f"{raw.source} ({raw.table}): {counted(int(partly_timed['n_missing'].sum()), 'record')} without {name} in sessions where "
            f"others have it (first: session {partly_timed[SESSION][0]!r}); number_queries puts each after the record before it"
        )
    turning = sessions.filter("turns")
    if name == "elapsed_seconds" and turning.height:
        sentences.append(
            f"{raw.source} ({raw.table}): elapsed_seconds goes back from one record to the next in {counted(turning.height, 'session')} "
            f"(first: session {turning[SESSION][0]!r}); number_queries orders queries by it. If it starts again within a session, "
            "leave it out of columns, and the order of the file counts"
        )
    return sentences


def _time(raw: Raw, name: str) -> pl.Expr:
    """Return the times by which queries are ordered, of the declared type."""
    fields = {**table("queries").by_name, **table("results").by_name}
    return cast(fields[name], raw.frame.collect_schema()[name], raw.timezone)


def _in_order_of_times(raw: Raw, records: pl.DataFrame, *, newest_first: bool) -> pl.DataFrame:
    """Return what is looked at of the records, with their place in the order of the queries.

    A record without a time keeps its place after the one before it.
    """
    types = records.schema
    name = time_of_queries(records.columns)
    time = pl.lit(None, pl.Int64) if name is None else _time(raw, name)
    given = as_text("rank", types["rank"]).str.strip_chars() if "rank" in types else pl.lit(None, pl.String)
    empty = given.is_null() | (given == "") if "rank" in types else pl.lit(value=False)
    if MARK in types:
        empty |= pl.col(MARK).eq_missing(EMPTY)
    labels = [as_text(one, types[one]).str.strip_chars().fill_null("") for one in LABELS if one in types]
    rows = records.select(
        RECORD,
        SESSION,
        time.alias(TIME),
        given.cast(pl.Float64, strict=False).alias(RANK),
        empty.alias(IS_EMPTY),
        pl.concat_str([*labels, pl.lit("")], separator="\0").alias(LABEL),
    )
    rows = rows.with_columns(pl.col(TIME).forward_fill().backward_fill().over(SESSION))
    return rows.sort(TIME, RECORD, descending=[False, newest_first]).with_row_index(PLACE)


def _first_rows(rows: pl.DataFrame, *, has_ids: bool) -> pl.Series:
    """Return, for each row of results, the place of the first row of its list."""
    rows = rows.with_columns(
        pl.col(RANK).forward_fill().over(SESSION).shift().over(SESSION).alias(LAST_RANK),
        (pl.col(LABEL) == pl.col(LABEL).shift().over(SESSION)).fill_null(value=False).alias(IS_SAME),
    )
    step = pl.when(IS_SAME).then(pl.col(RANK) - pl.col(LAST_RANK))
    # lists may stand with their last result first: 3, 2, 1, 3, 2, 1
    falls = rows.select((step == -1).sum() > (step == 1).sum()).item()
    is_past_end = pl.col(RANK) > pl.col(LAST_RANK) if falls else pl.col(RANK) < pl.col(LAST_RANK)
    starts_again = is_past_end | ((pl.col(RANK) == pl.col(LAST_RANK)) & (pl.col(RANK) <= 1))
    after_empty = pl.col(IS_EMPTY).shift().over(SESSION)
    begins = pl.any_horizontal(
        one.fill_null(value=False) for one in (~pl.col(IS_SAME), starts_again, pl.col(IS_EMPTY), after_empty)
    )
    run = pl.when(begins).then(PLACE).forward_fill().over(SESSION)
    query = [SESSION, LABEL] if has_ids else [SESSION, LABEL, TIME]
    is_unique = (pl.col(RANK).n_unique() == pl.len()) & (pl.col(RANK).count() == pl.len())
    runs_from_top = (pl.col(RANK).min() <= 1) & (pl.col(RANK).max() - pl.col(RANK).min() + 1 == pl.len())
    is_list = is_unique if has_ids else is_unique & runs_from_top
    return rows.select(
        pl.when(is_list.over(query)).then(pl.col(PLACE).min().over(query)).otherwise(run).alias(FIRST)
    ).to_series()
