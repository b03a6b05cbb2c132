"""The bands of a large flat log in the order of their sessions, and cut into parts of whole ones."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

SESSION = "session_id"


def by_session(frame: pl.DataFrame) -> pl.DataFrame:
    """Return rows in the order of their sessions; those without one come last."""
    if frame[SESSION].is_sorted(nulls_last=True):
        return frame
    return frame.sort(SESSION, nulls_last=True, maintain_order=True)


def cuts(band: Mapping[str, pl.DataFrame], records: int) -> dict[str, list[int]]:
    """Return for each table of a band, which is in the order of sessions, where its parts end, of about so many records all together.

    >>> rows = pl.DataFrame({"session_id": ["a", "a", "b", "c", None]})
    >>> cuts({"queries": rows, "results": rows.head(2)}, 4)
    {'queries': [2, 5], 'results': [2, 2]}
    """
    named = {name: frame[SESSION].drop_nulls() for name, frame in band.items()}
    longest = max(named.values(), key=len)
    parts = max(1, -(-sum(map(len, band.values())) // records))
    bounds = [longest[len(longest) * number // parts] for number in range(1, parts)] if len(longest) else []
    return {
        name: [*(int(sessions.search_sorted(bound, side="left")) for bound in bounds), len(band[name])]
        for name, sessions in named.items()
    }
