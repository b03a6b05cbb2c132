"""Which sessions the explorer holds: all of them, or as many drawn at random as the page has room for."""

from __future__ import annotations

import polars as pl

from sessionkit.reports.sample import only
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


def fitting(drawn_from: Study, ids: pl.DataFrame, cutoff: int, room: int) -> pl.DataFrame:
    """Find which of some sessions should fit into a page: ``session_id``, the first ones until they fill it.

    Parameters
    ----------
    drawn_from
        A study that has the sessions.
    ids
        Their ``session_id``, in the order drawn.
    cutoff
        Ranks that are shown of every list.
    room
        Bytes that they may take, see `room_of`.
    """
    ids = ids.with_row_index("nth")
    some = only(drawn_from, ids)
    results = some.results.filter(pl.col("rank") <= cutoff).group_by("session_id").agg(results=pl.len()).collect()
    queries = some.queries.group_by("session_id").agg(queries=pl.len()).collect()
    sized = ids.join(results, on="session_id", how="left").join(queries, on="session_id", how="left").sort("nth")
    size = SESSION + QUERY * pl.col("queries").fill_null(0) + RESULT * pl.col("results").fill_null(0)
    return sized.filter(size.cum_sum() <= room).select("session_id")
