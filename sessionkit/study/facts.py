"""Counts of a study that decide how it is scored; computed once and kept in the package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from sessionkit.study.study import Study


@dataclass(frozen=True)
class Facts:
    """Counts of rows and of the unusual.

    Parameters
    ----------
    sessions, queries, results, judgments
        Rows of these tables.
    repeats_in_lists
        Result rows whose document appeared earlier in the same list.
    lists_with_gaps
        Lists whose ranks are not 1, 2, 3... to their length.
    not_logged, partly_observed, empty
        Queries with this ``results_status``.
    """

    sessions: int
    queries: int
    results: int
    judgments: int
    repeats_in_lists: int
    lists_with_gaps: int
    not_logged: int
    partly_observed: int
    empty: int


def facts_of(study: Study) -> Facts:
    """Count, in one pass over each table."""
    length = pl.len().cast(pl.Int64)
    lists = study.results.group_by("session_id", "query_position").agg(
        repeats=length - pl.col("doc_id").n_unique().cast(pl.Int64),
        gaps=pl.col("rank").max().cast(pl.Int64) != length,
    )
    status = {
        name: (pl.col("results_status") == name).sum().cast(pl.Int64)
        for name in ("not_logged", "partly_observed", "empty")
    }
    sessions, queries, results, judgments, unusual = pl.collect_all(
        [
            study.sessions.select(length),
            study.queries.select(queries=length, **status),
            study.results.select(length),
            study.judgments.select(length),
            lists.select(pl.col("repeats").sum(), pl.col("gaps").sum().cast(pl.Int64)),
        ]
    )
    return Facts(
        sessions=sessions.item(),
        results=results.item(),
        judgments=judgments.item(),
        repeats_in_lists=unusual.item(0, "repeats"),
        lists_with_gaps=unusual.item(0, "gaps"),
        **queries.row(0, named=True),
    )
