"""Logs of a line per click and no lists: queries, and of their lists the clicked documents alone, at their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.readers.events.requeries import MERGE_QUERIES, merge_queries
from sessionkit.readers.events.sessionising import with_positions
from sessionkit.readers.flat.taking import Kinds, Made

ASK = "__ask"
"""Of each line the number of the first line of its query."""
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


def queries_and_clicks(
    lines: pl.LazyFrame,
    broken: pl.LazyFrame,
    rules: Sequence[str],
    *,
    of_query: Sequence[str] = (),
    of_click: Sequence[str] = (),
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
    """
    given = lines.collect()
    is_click = pl.col("doc_id").is_not_null() | pl.col("rank").is_not_null()
    asked = given.filter(pl.col(RECORD) == pl.col(ASK))
    merged = merge_queries(asked.lazy().select(RECORD, "session_id", "query_text"), RECORD, rules)
    heads = merged.heads.collect()
    left = asked.filter(heads["kept"] == heads[RECORD])
    placed = with_positions(left.lazy().select(RECORD, "session_id", "query_text", *of_query)).collect()
    places = placed.select("session_id", "query_position", kept=RECORD)
    of = heads.select(pl.col(RECORD).alias(ASK), "kept")
    clicks = (
        given.lazy()
        .filter(is_click)
        .select(RECORD, ASK, "rank", "doc_id", *of_click)
        .join(of.lazy(), on=ASK, how="left", maintain_order="left")
        .collect()
    )
    made = clicks.group_by("kept", "rank", "doc_id", maintain_order=True).agg(
        pl.col(RECORD, *of_click).first(), clicks=pl.len().cast(pl.Int32)
    )
    results = made.join(places, on="kept", how="left", maintain_order="left").drop("kept")
    known = placed.with_columns(results_status=pl.lit("partly_observed"))
    further = given.lazy().filter(pl.col(RECORD) != pl.col(ASK)).select(RECORD, click=is_click).collect().lazy()
    again = made.filter(pl.col("clicks") > 1)
    return Made(
        pl.concat([known.lazy(), broken], how="diagonal_relaxed"),
        results.lazy().with_columns(clicked=pl.lit(value=True)),
        merged={
            "further clicks of a query": further.filter("click"),
            "lines that say a query again": further.filter(~pl.col("click")),
            AGAIN: heads.lazy().filter(pl.col(RECORD) != pl.col("kept")),
            "clicks on a result clicked before": clicks.lazy()
            .join(again.lazy().select("kept", "rank", "doc_id"), on=["kept", "rank", "doc_id"], nulls_equal=True)
            .join(again.lazy().select(RECORD), on=RECORD, how="anti"),
        },
        seen={"without a text": placed.lazy().filter(pl.col("query_text").is_null())},
    )
