"""Counts of a study that decide how it is scored; computed once and kept in the package."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.display.numbers import counted
from sessionkit.study.checks import any_twice, begins


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


def facts_of(sessions: pl.LazyFrame, queries: pl.LazyFrame, results: pl.LazyFrame, judgments: pl.LazyFrame) -> Facts:
    """Count, in one pass over each table."""
    length = pl.len().cast(pl.Int64)
    lists = results.group_by("session_id", "query_position").agg(
        repeats=length - pl.col("doc_id").n_unique().cast(pl.Int64),
        gaps=pl.col("rank").max().cast(pl.Int64) != length,
    )
    status = {
        name: (pl.col("results_status") == name).sum().cast(pl.Int64)
        for name in ("not_logged", "partly_observed", "empty")
    }
    of_sessions, of_queries, of_results, of_judgments, unusual = pl.collect_all(
        [
            sessions.select(length),
            queries.select(queries=length, **status),
            results.select(length),
            judgments.select(length),
            lists.select(pl.col("repeats").sum(), pl.col("gaps").sum().cast(pl.Int64)),
        ]
    )
    return Facts(
        sessions=of_sessions.item(),
        results=of_results.item(),
        judgments=of_judgments.item(),
        repeats_in_lists=unusual.item(0, "repeats"),
        lists_with_gaps=unusual.item(0, "gaps"),
        **of_queries.row(0, named=True),
    )


NO_FACTS = Facts(*(0 for _ in fields(Facts)))
"""The facts of nothing, to which others are added."""
STATUSES = ("not_logged", "partly_observed", "empty")
UNUSUAL = ("repeats_in_lists", "lists_with_gaps", *STATUSES)
"""Counts of what is not as usual; where a study has none of it, neither has a part of it."""
LIST = ["session_id", "query_position"]
ODD = 0x9E3779B97F4A7C15
"""A number whose multiples look like chance, in their lower 32 bits too: by it the numbers of lists are spread."""
SHORT = 24
"""Rows of a list up to which each is held against each of the others; in longer lists values are sorted instead."""


def facts_in_order(
    sessions: int, queries: pl.DataFrame, results: pl.DataFrame, judgments: int, starts: NDArray[np.intp] | None = None
) -> Facts:
    """Count what :func:`facts_of` does, in tables that are in memory and in the order of their keys.

    `starts` are the first rows of the lists among the results, where they are known.
    """
    first = np.flatnonzero(begins(results, LIST)) if starts is None else starts
    length = np.diff(first, append=results.height)
    last = results["rank"].to_numpy()[first + length - 1]
    alike = _alike(results, length)
    return Facts(
        sessions=sessions,
        queries=queries.height,
        results=results.height,
        judgments=judgments,
        repeats_in_lists=alike.height - alike.n_unique(),
        lists_with_gaps=int(np.count_nonzero(last != length)),
        **{status: int((queries["results_status"] == status).sum()) for status in STATUSES},
    )


def _alike(results: pl.DataFrame, length: NDArray[np.int64]) -> pl.DataFrame:
    """Return list and document of the results among which all are that have one list and document, and few others."""
    rows, hashes = results.select(*LIST, "doc_id"), results["doc_id"].hash().to_numpy()
    longest = int(length.max(initial=0))
    if longest <= SHORT:
        # 32 bits are enough to tell a row from the few near it, and half the work; a list is numbered by all its rows
        near = hashes.astype(np.uint32) ^ np.repeat(
            np.arange(len(length), dtype=np.uint32) * np.uint32(ODD % 2**32), length
        )
        if not any((near[step:] == near[:-step]).any() for step in range(1, longest)):
            return rows.clear()
    shown = hashes ^ (np.repeat(np.arange(len(length), dtype=np.uint64), length) * np.uint64(ODD))
    return rows.filter(pl.Series(shown).is_duplicated()) if any_twice(shown) else rows.clear()
