"""How deep lists are known: from their first rank on without a gap, which is what measures that look so deep stand on."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sessionkit.study.batches import slices
from sessionkit.study.facts import LIST
from sessionkit.study.row_index import LENGTH, counts, repeated
from sessionkit.study.storage import StudyBatch
from sessionkit.study.study import Study

COLUMNS = {"sessions": (), "queries": ("results_status",), "results": ()}
ROWS = 2**19
"""Results and queries of a slice."""
KINDS = ["query_position", "results_status", "known", "gaps"]


def depths_of(study: Study) -> pl.DataFrame:
    """Count the queries by their position, their status and how deep their list is known.

    Returns
    -------
    polars.DataFrame
        ``query_position``, ``results_status``, ``known``: ranks from 1 on that are there without a gap, ``gaps``: whether the
        list goes on after a gap, and ``n``, the number of such queries; sorted. A list of which clicks at the ranks 1, 2
        and 9 are known is known to 2, one of which a click at 3 is known to 0.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 3, "query_position": [1] * 3, "rank": [1, 2, 9], "doc_id": ["a", "b", "c"]},
    ...     queries={"session_id": ["s"], "query_position": [1], "results_status": ["partly_observed"]},
    ... )
    >>> depths_of(study).rows()
    [(1, 'partly_observed', 2, True, 1)]
    """
    counted = [depths_in(part) for part in slices(study, COLUMNS, ROWS, per_query=1)]
    none = study.queries.select("query_position", "results_status").head(0).collect()
    empty = none.with_columns(known=pl.lit(0, dtype=pl.Int64), gaps=pl.lit(value=False), n=pl.lit(0, dtype=pl.Int64))
    return summed([empty, *counted])


def summed(counted: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the counts of several parts of a study, one at least, as those of all."""
    return pl.concat(counted).group_by(KINDS).agg(pl.col("n").sum()).sort(KINDS)


def cut_short() -> pl.Expr:
    """Return of which of these queries the list goes on beyond what is known of it.

    Those are lists observed in part, and those said to be shown that have gaps: what stood there is not known. A list shown
    without gaps is known to its end, however short.
    """
    return (pl.col("results_status") == "partly_observed") | ((pl.col("results_status") == "shown") & pl.col("gaps"))


def depths_in(part: StudyBatch) -> pl.DataFrame:
    """Count the queries of some whole sessions, whose tables are sorted."""
    queries = part.queries
    if part.numbered:
        rank, row = part.results["rank"], repeated(pl.int_range(len(queries), eager=True), queries[LENGTH])
    else:
        places = queries.select(LIST).with_row_index("row")
        rank, row = part.results.join(places, on=LIST, maintain_order="left").select("rank", "row")
    length = counts(row, len(queries))
    nth = pl.int_range(1, len(row) + 1, eager=True) - (length.cum_sum() - length).gather(row)
    known = counts(row.filter(rank == nth), len(queries)).cast(pl.Int64)
    return queries.with_columns(known=known, gaps=length > known).group_by(KINDS).agg(n=pl.len().cast(pl.Int64))
