"""Queries merged (``requeries.py``) in logs whose queries have numbers and lists already: positions move up, lists become one.

A list is that of the query that is left; a query sent again gives it the clicks on its documents, and its rows at ranks that
it has not. Every query and every row that goes is returned, to be counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from sessionkit.contract import RECORD, RULE
from sessionkit.readers.events.requeries import RULES, SAID, merge_queries

KEY, KEPT, NEW = "__key", "__kept", "__position"
SESSION, POSITION = "session_id", "query_position"
SLOT = [SESSION, POSITION, "doc_id"]
WITHOUT_ROWS = ("empty", "not_logged")
ADDED = ("clicks", "author_clicks", "dwell_seconds")
FIRST = ("clicked_at", "click_elapsed_seconds")
EITHER = ("clicked", "saved")
ROWS_GONE = "results of queries merged into others"
"""What the rows of lists are called in accounts that are in no list after merging."""


@dataclass(frozen=True)
class MergedTables:
    """Tables after merging.

    Parameters
    ----------
    queries, results
        What is left.
    gone
        By what they are called in accounts: the queries that went into others, by the rule, and rows of their lists; each
        with ``session_id`` and RECORD.
    """

    queries: pl.DataFrame
    results: pl.DataFrame
    gone: dict[str, pl.DataFrame] = field(default_factory=dict)


def merged_tables(
    queries: pl.DataFrame, results: pl.DataFrame, rules: Sequence[str], time: pl.Expr | None = None
) -> MergedTables:
    """Merge queries of one session that follow one another.

    Parameters
    ----------
    queries
        RECORD, ``session_id``, ``query_position`` (whole numbers) and ``query_text``; RULE where a query broke one: it stays.
    results
        RECORD, ``session_id``, ``query_position``, ``rank``, ``doc_id``; clicks on them.
    rules
        Those to merge by.
    time
        When queries were asked, a datetime or seconds, for the rule ``typing``.

    Examples
    --------
    >>> asked = pl.DataFrame({RECORD: [1, 2, 3], "session_id": "s", "query_position": [1, 2, 3], "query_text": ["a", "a", "b"]})
    >>> shown = asked.select(RECORD, "session_id", "query_position", rank=1, doc_id=pl.lit("x"))
    >>> merged = merged_tables(asked, shown, ["same"])
    >>> merged.queries.select("query_position", "query_text").rows(), merged.results.select("query_position", "doc_id").rows()
    ([(1, 'a'), (2, 'b')], [(1, 'x'), (2, 'x')])
    >>> {words: rows.height for words, rows in merged.gone.items()}
    {'queries sent again': 1, 'results of queries merged into others': 1}
    """
    ordered = queries.sort(SESSION, POSITION, nulls_last=True, maintain_order=True).with_row_index(KEY)
    whole = pl.col(POSITION).is_not_null() & (pl.col(RULE).is_null() if RULE in ordered.columns else pl.lit(value=True))
    asked = ordered.select(KEY, SESSION, POSITION, query_text=pl.when(whole).then("query_text"))
    if time is not None:
        clicks = pl.col("clicks").fill_null(0).sum() if "clicks" in results.columns else pl.lit(0)
        made = results.group_by(SESSION, POSITION).agg(clicks=clicks)
        asked = asked.join(made, on=[SESSION, POSITION], how="left", maintain_order="left")
        asked = asked.with_columns(pl.col("clicks").fill_null(0), issued_at=ordered.select(time).to_series())
    gone: dict[str, pl.DataFrame] = {}
    for rule in (one for one in RULES if one in rules):  # one by one, for each to be counted
        merging = merge_queries(asked.lazy(), KEY, [rule])
        if not merging.counts:
            continue
        heads = merging.heads.collect().rename({"kept": KEPT})
        placed = ordered.join(heads, on=KEY, how="left", maintain_order="left")
        left = pl.col(KEY) == pl.col(KEPT)
        placed = placed.with_columns((pl.col(POSITION) - (~left).cum_sum().over(SESSION)).alias(NEW))
        gone[SAID[rule]] = placed.filter(~left).select(SESSION, RECORD)
        results, rows = _lists(results, placed)
        gone[ROWS_GONE] = pl.concat([gone[ROWS_GONE], rows]) if ROWS_GONE in gone else rows
        ordered = _with_status(placed).filter(left).with_columns(pl.col(NEW).alias(POSITION)).drop(KEPT, NEW)
        asked = asked.join(ordered.select(KEY, NEW=POSITION), on=KEY, maintain_order="left")
        asked = asked.with_columns(pl.col("NEW").alias(POSITION)).drop("NEW")
    return MergedTables(ordered.drop(KEY), results, {words: rows for words, rows in gone.items() if rows.height})


def _lists(results: pl.DataFrame, placed: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the lists of the queries that are left, at their new positions, and the rows that are in none."""
    kept = placed.select(pl.col(KEY).alias(KEPT), pl.col(NEW).alias("__onto"))
    places = placed.join(kept, on=KEPT, how="left").select(SESSION, POSITION, KEY, KEPT, "__onto").drop_nulls()
    rows = results.join(places, on=[SESSION, POSITION], how="left", maintain_order="left")
    own = pl.col(KEPT).is_null() | (pl.col(KEY) == pl.col(KEPT))
    rows = rows.with_columns(pl.coalesce("__onto", POSITION).cast(results.schema[POSITION]).alias(POSITION))
    mine = rows.filter(own)
    again = rows.filter(~own, pl.col(KEPT) < pl.col(KEY))  # not of a text on its way to the next
    free = again.join(mine, on=SLOT, how="anti").join(mine, on=[SESSION, POSITION, "rank"], how="anti")
    free = free.unique(SLOT, keep="first", maintain_order=True)
    free = free.unique([SESSION, POSITION, "rank"], keep="first", maintain_order=True)
    lists = pl.concat([mine, free])
    onto = again.join(free, on=[SESSION, RECORD, "rank", "doc_id"], how="anti")
    made = _with_clicks(lists, onto).sort(SESSION, POSITION, "rank", maintain_order=True)
    rest = rows.join(lists, on=[KEY, SESSION, RECORD, "rank", "doc_id"], how="anti", nulls_equal=True)
    return made.select(results.columns), rest.select(SESSION, RECORD)


def _with_clicks(lists: pl.DataFrame, again: pl.DataFrame) -> pl.DataFrame:
    """Return lists with what was done with the same documents in lists that are gone."""
    own = pl.lit(value=True).alias("__own")
    every = pl.concat([lists.with_columns(own), again.with_columns(~own)])
    first = pl.col("__own") & pl.struct(SLOT).is_first_distinct()
    made = []
    for name in (one for one in (*ADDED, *FIRST, *EITHER) if one in lists.columns):
        counts = pl.when(first | ~pl.col("__own")).then(name)  # a document that stands twice in a list has clicks once
        whole = counts.sum() if name in ADDED else counts.min() if name in FIRST else counts.max()
        value = pl.when(counts.count().over(SLOT) > 0).then(whole.over(SLOT))
        made.append(pl.when(first).then(value).otherwise(name).cast(lists.schema[name]).alias(name))
    return every.with_columns(made).filter("__own").drop("__own")


def _with_status(placed: pl.DataFrame) -> pl.DataFrame:
    """Return queries; one without rows has the status of the first with rows that went into it."""
    if "results_status" not in placed.columns:
        return placed
    status = pl.col("results_status")
    other = status.filter(~status.is_in(WITHOUT_ROWS)).first().over(KEPT)
    return placed.with_columns(pl.when(status.is_in(WITHOUT_ROWS)).then(pl.coalesce(other, status)).otherwise(status))
