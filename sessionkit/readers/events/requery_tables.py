"""Queries merged (``requeries.py``) in logs whose queries have numbers and lists already: positions move up, lists become one.

A list is that of the query that is left; a query sent again gives it the clicks on its documents, and its rows at ranks that
it has not. Every query and every row that goes is returned, to be counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from sessionkit.contract import RECORD, RULE
from sessionkit.readers.events.requeries import SAID, merge_queries

KEY, KEPT, NEW, BY = "__key", "__kept", "__position", "__by"
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
        RECORD, ``session_id``, ``query_position`` (whole numbers) and ``query_text``; RULE where a query broke one: it stays,
        as does one at a position that is taken.
    results
        RECORD, ``session_id``, ``query_position``, ``rank``, ``doc_id``; clicks on them.
    rules
        Those to merge by, ``same`` and ``typing``.
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
    whole = pl.col(POSITION).is_not_null() & pl.struct(SESSION, POSITION).is_first_distinct()
    if RULE in ordered.columns:
        whole &= pl.col(RULE).is_null()
    asked = ordered.select(KEY, SESSION, POSITION, query_text=pl.when(whole).then("query_text"))
    if time is not None:
        clicks = pl.col("clicks").fill_null(0).sum() if "clicks" in results.columns else pl.lit(0)
        made = results.group_by(SESSION, POSITION).agg(clicks=clicks)
        asked = asked.join(made, on=[SESSION, POSITION], how="left", maintain_order="left")
        asked = asked.with_columns(pl.col("clicks").fill_null(0), issued_at=ordered.select(time).to_series())
    placed = ordered.join(_heads(asked, rules), on=KEY, how="left", maintain_order="left")
    left = pl.col(KEY) == pl.col(KEPT)
    placed = placed.with_columns((pl.col(POSITION) - (~left).cum_sum().over(SESSION)).alias(NEW))
    lists, rows = _lists(results, placed)
    gone = {SAID[rule]: placed.filter(pl.col(BY) == rule).select(SESSION, RECORD) for rule in rules} | {ROWS_GONE: rows}
    stays = _with_status(placed).filter(left).with_columns(pl.col(NEW).alias(POSITION)).drop(KEY, KEPT, NEW, BY)
    return MergedTables(stays, lists, {words: those for words, those in gone.items() if those.height})


def _heads(asked: pl.DataFrame, rules: Sequence[str]) -> pl.DataFrame:
    """Return of each query the one it went into (its own where it stayed), and by which rule."""
    again, every = (
        merge_queries(asked.lazy(), KEY, some).heads.select(KEY, pl.col("kept").alias(KEPT)).collect()
        for some in ([rule for rule in rules if rule != "typing"], rules)
    )
    sent_again = again[KEPT] != again[KEY]
    by = pl.when(sent_again).then(pl.lit("same")).when(pl.col(KEPT) != pl.col(KEY)).then(pl.lit("typing"))
    return every.with_columns(by.alias(BY))


def _lists(results: pl.DataFrame, placed: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the lists of the queries that are left, at their new positions, and the rows that are in none."""
    kept = placed.select(pl.col(KEY).alias(KEPT), pl.col(NEW).alias("__onto"))
    places = placed.join(kept, on=KEPT, how="left").select(SESSION, POSITION, KEY, KEPT, "__onto").drop_nulls()
    # a second query at a position will be rejected
    places = places.unique([SESSION, POSITION], keep="first", maintain_order=True)
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
    """Return queries; one without rows has the status of the first with rows that was sent again for it."""
    if "results_status" not in placed.columns:
        return placed
    status = pl.col("results_status")
    other = status.filter(~status.is_in(WITHOUT_ROWS), pl.col(KEY) >= pl.col(KEPT)).first().over(KEPT)
    return placed.with_columns(pl.when(status.is_in(WITHOUT_ROWS)).then(pl.coalesce(other, status)).otherwise(status))
