"""Counts of a study that decide how it is scored; computed once and kept in the package."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sessionkit.contract.keys import any_twice, begins
from sessionkit.showing.words import counted

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

    def __add__(self, other: Facts) -> Facts:
        """Return the counts of two studies that have no session in common."""
        return Facts(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    @property
    def in_words(self) -> str:
        """How many rows there are.

        >>> Facts(1, 2, 2000, 0, 0, 0, 0, 0, 0).in_words
        '1 session, 2 queries, 2,000 results, 0 judgments'
        """
        rows = {"session": self.sessions, "query": self.queries, "result": self.results, "judgment": self.judgments}
        return ", ".join(counted(many, one) for one, many in rows.items())


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


NO_FACTS = Facts(*(0 for _ in fields(Facts)))
"""The facts of nothing, to which others are added."""
STATUSES = ("not_logged", "partly_observed", "empty")
LIST = ("session_id", "query_position")
SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number by which the numbers of lists are spread over 64 bits."""


def facts_in_order(sessions: int, queries: pl.DataFrame, results: pl.DataFrame, judgments: int) -> Facts:
    """Count what :func:`facts_of` does, in tables that are in memory and in the order of their keys."""
    first = begins(results, LIST)
    length = np.diff(np.append(np.flatnonzero(first), len(first)))
    last = results["rank"].to_numpy()[np.append(first[1:], first[:1])]
    # rows of one list with one document have one value here; the few others with one value are told apart exactly
    shown = results["doc_id"].hash().to_numpy() ^ (np.cumsum(first, dtype=np.uint64) * SPREAD)
    alike = results.filter(pl.Series(shown).is_duplicated()) if any_twice(shown) else results.clear()
    return Facts(
        sessions=sessions,
        queries=queries.height,
        results=results.height,
        judgments=judgments,
        repeats_in_lists=alike.height - alike.select(*LIST, "doc_id").n_unique(),
        lists_with_gaps=int(np.count_nonzero(last != length)),
        **{status: int((queries["results_status"] == status).sum()) for status in STATUSES},
    )
