"""When a session began, which is second 0 of all its times: one rule for scoring, and for studies without times of day.

A session begins at ``started_at``; where that is not logged, at the earliest time of day of its queries and clicks. All of
them are looked at, also queries whose list was not logged: a measure that counts only some of them, by a cutoff or otherwise,
finds the others at the same second. An event before the beginning is an error of the log, and not timed.
"""

from __future__ import annotations

import polars as pl

from sessionkit.choices import StudyTable
from sessionkit.study.row_index import placed

AT = pl.Datetime("us", "UTC")
TELLING: dict[StudyTable, tuple[str, ...]] = {
    "sessions": ("started_at",),
    "queries": ("issued_at",),
    "results": ("clicked_at",),
}
"""Columns that say when a session began, by table."""


def session_starts(
    sessions: pl.DataFrame, queries: pl.DataFrame, results: pl.DataFrame, of: tuple[pl.Series, pl.Series]
) -> pl.Series:
    """When each of some whole sessions began; null where no time of day is known.

    Parameters
    ----------
    of
        Row number of the session of every query, and of every result.

    The query was issued ten seconds before the click:

    >>> from datetime import datetime
    >>> one, zero = pl.DataFrame({"session_id": ["s"]}), pl.Series([0], dtype=pl.UInt32)
    >>> queries = pl.DataFrame({"issued_at": [datetime(2026, 1, 1, 9, 0, 0)]})
    >>> results = pl.DataFrame({"clicked_at": [datetime(2026, 1, 1, 9, 0, 10)]})
    >>> session_starts(one, queries, results, (zero, zero)).dt.hour().to_list()
    [9]
    """
    events = [pl.DataFrame(schema={"session": pl.UInt32, "at": AT})]
    if "issued_at" in queries.columns:
        events.append(pl.DataFrame({"session": of[0], "at": queries["issued_at"].cast(AT)}))
    if "clicked_at" in results.columns:
        events.append(pl.DataFrame({"session": of[1], "at": results["clicked_at"].cast(AT)}))
    first = pl.concat(events).drop_nulls().group_by("session").agg(pl.col("at").min())
    earliest = placed(first["at"], first["session"], len(sessions))
    told = [sessions["started_at"].cast(AT)] if "started_at" in sessions.columns else []
    return pl.select(pl.coalesce(*told, earliest)).to_series()


def since(times: pl.Series, began: pl.Series) -> pl.Series:
    """Seconds from a beginning to times of day; null where a time comes before it.

    >>> from datetime import datetime
    >>> since(pl.Series([datetime(2026, 1, 1, 0, 0, 2)]), pl.Series([datetime(2026, 1, 1)])).to_list()
    [2.0]
    """
    passed = (times - began).dt.total_microseconds()
    return pl.select(pl.when(passed >= 0).then(passed / 1_000_000)).to_series()
