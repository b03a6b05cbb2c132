"""Logs of a line per click and no lists: queries, and of their lists the clicked documents alone, at their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.contract.keys import changes
from sessionkit.readers.events.requeries import MERGE_QUERIES, merge_queries
from sessionkit.readers.events.sessionising import with_positions
from sessionkit.readers.flat.taking import Kinds, Made

RANKS = 2**20
"""Ranks below are sorted here, which is cheap; others where rows are checked."""
ASK, QUERY = "__ask", "__query"
"""Of each line the row of the first line of its query, from 0; the row of its query among those that are left."""
KINDS = Kinds("queries", "clicked results")
MERGE = replace(
    MERGE_QUERIES,
    meaning="Whether a query sent again (also for the next page of its list) goes into the one before it: same, or an empty "
    "list.",
    default=["same"],
    allowed=("same",),
)
"""The option of these formats; that a query was sent for a further page cannot be told where lists are not logged."""
AGAIN = "queries sent again, or for the next page"


def first_of_query(lines: pl.DataFrame, moment: Sequence[str]) -> pl.Series:
    """Return of each line the row of the first one with its text at its moment, as ASK has it.

    Parameters
    ----------
    lines
        In their order, ``query_text`` among their columns.
    moment
        The columns of which all lines of one moment, which stand together, have the same values.

    Examples
    --------
    >>> lines = pl.DataFrame({"time": [1, 1, 1, 1, 2], "query_text": ["cat", "cat", "dog", "cat", "cat"]})
    >>> first_of_query(lines, ["time"]).to_list()
    [0, 0, 2, 0, 4]
    """
    other, new = changes(moment), changes([*moment, "query_text"])
    told = lines.select("query_text", pl.int_range(pl.len()).alias(ASK), moment=other.cum_sum(), new=new)
    first = told.filter("new")
    again = first["moment"][1:] == first["moment"][:-1]
    mixed = pl.concat([again, pl.Series([False])]) | pl.concat([pl.Series([False]), again])
    if mixed.any():  # several texts at one moment: one may come back
        back = first.filter(mixed).with_columns(pl.col(ASK).first().over("moment", "query_text"))
        first = pl.concat([first.filter(~mixed), back]).sort("moment", maintain_order=True)
    return first[ASK].gather(told["new"].cum_sum() - 1)


def queries_and_clicks(
    lines: pl.LazyFrame,
    broken: pl.LazyFrame,
    rules: Sequence[str],
    *,
    of_query: Sequence[str] = (),
    of_click: Sequence[str] = (),
    again_within: str = "session_id",
) -> Made:
    """Return the queries of these lines, and the results that were clicked.

    Parameters
    ----------
    lines
        In the order in which they were asked: RECORD, ``session_id``, ``query_text``, ASK, and ``rank`` and ``doc_id``,
        null where nothing was clicked.
    broken
        RECORD, RULE and VALUE of lines that cannot be read.
    rules
        As :func:`~sessionkit.readers.events.requeries.merge_queries` takes them.
    of_query
        Further columns of queries, taken from the first line of each.
    of_click
        Further columns of results; of several clicks on one the first counts.
    again_within
        The column within which a query sent again goes into the one before it.
    """
    given = lines.collect()
    is_first = given.select(pl.col(ASK) == pl.int_range(pl.len())).to_series()
    asked = given.select(RECORD, "session_id", "query_text", *of_query).filter(is_first)
    within = given[again_within].filter(is_first).alias("session_id")
    heads = merge_queries(asked.select(RECORD, within, "query_text").lazy(), RECORD, rules).heads.collect()
    stays = heads["kept"] == heads[RECORD]
    placed = with_positions(asked.filter(stays).lazy()).collect()
    query = (stays.cum_sum() - 1).gather((is_first.cum_sum() - 1).gather(given[ASK]))  # the row of each line in placed
    is_click = given.select(pl.col("doc_id").is_not_null() | pl.col("rank").is_not_null()).to_series()
    clicks = given.select(RECORD, "rank", "doc_id", *of_click, query.alias(QUERY)).filter(is_click)
    several = clicks[QUERY].is_duplicated()
    repeated = clicks.filter(several)
    once = repeated.group_by(QUERY, "rank", "doc_id", maintain_order=True).agg(
        pl.col(RECORD, *of_click).first(), clicks=pl.len().cast(pl.Int32)
    )
    alone = clicks.filter(~several).with_columns(clicks=pl.lit(1, dtype=pl.Int32))
    rank = pl.col("rank").cast(pl.Int64, strict=False).fill_null(0).clip(0, RANKS - 1)
    placing = pl.col(QUERY).cast(pl.Int64) * RANKS + rank
    made = pl.concat([alone, once], how="diagonal").sort(placing, maintain_order=True)
    results = made.with_columns(placed[name].gather(made[QUERY]) for name in ("session_id", "query_position"))
    known = placed.with_columns(results_status=pl.lit("partly_observed"))
    further = given.select(RECORD, click=is_click).filter(~is_first).lazy()
    return Made(
        pl.concat([known.lazy(), broken], how="diagonal_relaxed"),
        results.lazy().drop(QUERY).with_columns(clicked=pl.lit(value=True)),
        merged={
            "further clicks of a query": further.filter("click"),
            "lines that say a query again": further.filter(~pl.col("click")),
            AGAIN: heads.lazy().filter(~stays),
            "clicks on a result clicked before": repeated.lazy().join(once.lazy(), on=RECORD, how="anti"),
        },
        seen={"without a text": placed.lazy().filter(pl.col("query_text").is_null())},
    )
