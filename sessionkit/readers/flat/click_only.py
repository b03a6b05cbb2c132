"""Logs of a line per click and no lists: queries, and of their lists the clicked documents alone, at their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.contract import RECORD
from sessionkit.contract.checks import NO_RULE
from sessionkit.contract.key_rules import begins
from sessionkit.readers.events.requeries import MERGE_QUERIES, merge_queries
from sessionkit.readers.events.sessionize import with_positions
from sessionkit.readers.flat.flat_log import FlatRows, Kinds

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
    other = begins(lines, moment)
    new = other | begins(lines, ["query_text"])
    first = np.flatnonzero(new)
    number = other.cumsum()[first]
    again = number[1:] == number[:-1]
    if again.any():  # several texts at one moment: one may come back
        mixed = np.append(again, False) | np.append(False, again)
        texts = lines["query_text"].gather(first[mixed])
        told = pl.DataFrame({"moment": number[mixed], "query_text": texts, ASK: first[mixed]})
        first[mixed] = told.select(pl.col(ASK).first().over("moment", "query_text")).to_series().to_numpy()
    return pl.Series(ASK, first[new.cumsum() - 1])


def queries_and_clicks(
    lines: pl.LazyFrame,
    broken: pl.LazyFrame,
    rules: Sequence[str],
    *,
    of_query: Sequence[str] = (),
    of_click: Sequence[str] = (),
    again_within: str = "session_id",
) -> FlatRows:
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
    ask = given[ASK].to_numpy()
    is_first = ask == np.arange(given.height)
    asked = given.select(RECORD, "session_id", "query_text", *of_query).filter(is_first)
    within = given[again_within].filter(is_first).alias("session_id")
    heads = merge_queries(asked.select(RECORD, within, "query_text").lazy(), RECORD, rules).heads.collect()
    stays = (heads["kept"] == heads[RECORD]).to_numpy()
    placed = with_positions(asked.filter(stays).lazy()).collect()
    query = (stays.cumsum() - 1)[is_first.cumsum() - 1][ask]  # the row of each line in placed
    is_click = given.select(pl.col("doc_id").is_not_null() | pl.col("rank").is_not_null()).to_series().to_numpy()
    clicks = given.select(RECORD, "rank", "doc_id", *of_click, "session_id").filter(is_click)
    rows, counts = _once(clicks, query[is_click])
    at = query[is_click][rows]
    results = clicks[rows].with_columns(
        placed["query_position"].gather(at), clicks=pl.Series(counts, dtype=pl.Int32), clicked=pl.lit(value=True)
    )
    again = np.ones(clicks.height, dtype=np.bool_)
    again[rows] = False
    known, lost = placed.lazy().with_columns(NO_RULE, results_status=pl.lit("partly_observed")), broken.collect()
    return FlatRows(
        pl.concat([known, lost.lazy()], how="diagonal_relaxed") if lost.height else known,
        results.lazy(),
        merged={
            "further clicks of a query": _records(given, ~is_first & is_click),
            "lines that say a query again": _records(given, ~is_first & ~is_click),
            AGAIN: _records(heads, ~stays),
            "clicks on a result clicked before": _records(clicks, again),
        },
        seen={"without a text": placed.lazy().filter(pl.col("query_text").is_null())},
    )


def _once(clicks: pl.DataFrame, query: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of the first clicks on each result of a query, in the order of queries and ranks, and how many each had."""
    several = np.bincount(query)[query] > 1
    repeated = clicks.select("rank", "doc_id").with_columns(pl.Series(QUERY, query)).with_row_index(ASK).filter(several)
    once = repeated.group_by(QUERY, "rank", "doc_id", maintain_order=True).agg(pl.col(ASK).first(), many=pl.len())
    rows = np.concatenate([np.flatnonzero(~several), once[ASK].to_numpy()])
    counts = np.ones(len(rows), dtype=np.int64)
    counts[len(rows) - once.height :] = once["many"].to_numpy()
    rank = clicks["rank"].cast(pl.Int64, strict=False).fill_null(0).clip(0, RANKS - 1).to_numpy()
    order = np.argsort((query * RANKS + rank)[rows], kind="stable")
    return rows[order], counts[order]


def _records(frame: pl.DataFrame, these: NDArray[np.bool_]) -> pl.LazyFrame:
    """Return the numbers of these records."""
    return frame.lazy().select(RECORD).filter(pl.Series(these))
