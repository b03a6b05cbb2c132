"""Which sessions the explorer holds: all of them, or as many drawn at random as the page has room for."""

from __future__ import annotations

import polars as pl

from sessionkit.report.figures import only
from sessionkit.report.sampling import drawn
from sessionkit.study import Study

MOST = 20_000
"""Sessions held at most."""
SMALL = 2_000
"""Sessions up to which a study counts as small, and its page too."""
ROOM = {True: 600_000, False: 2_800_000}
"""Bytes that the explorer may take, in the page of a small study and of others."""
SESSION, QUERY, RESULT = 45, 55, 13
"""Bytes that one of each takes, as a first guess."""


def room_of(study: Study) -> int:
    """Bytes that the explorer may take."""
    return ROOM[study.facts.sessions <= SMALL]


def fitting(study: Study, cutoff: int) -> pl.DataFrame:
    """Draw sessions that should fit into a page: ``session_id``, in the order drawn, the first ones until they fill it."""
    ids = drawn(study, MOST).with_row_index("nth")
    some = only(study, ids)
    results = some.results.filter(pl.col("rank") <= cutoff).group_by("session_id").agg(results=pl.len()).collect()
    queries = some.queries.group_by("session_id").agg(queries=pl.len()).collect()
    sized = ids.join(results, on="session_id", how="left").join(queries, on="session_id", how="left").sort("nth")
    size = SESSION + QUERY * pl.col("queries").fill_null(0) + RESULT * pl.col("results").fill_null(0)
    return sized.filter(size.cum_sum() <= room_of(study)).select("session_id")
