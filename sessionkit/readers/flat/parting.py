"""Where a large flat log can be cut into parts of whole sessions, found while its bands are made.

The sessions of a band mostly come after those of the band before: their names begin with the user's. Then a log need not
be looked through again to find parts of it, nor sorted into them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import polars as pl

SESSION = "session_id"
RECORDS = 2**17
"""Records of a part, of all tables together; a session with more stays whole."""


def by_session(frame: pl.DataFrame) -> pl.DataFrame:
    """Return rows in the order of their sessions; those without one come last."""
    if frame[SESSION].is_sorted(nulls_last=True):
        return frame
    return frame.sort(SESSION, nulls_last=True, maintain_order=True)


@dataclass
class Parting:
    """The parts found so far.

    Parameters
    ----------
    sizes
        For each table how many rows each part has, one part after the other.
    last
        The last session so far.
    in_order
        Whether the sessions of every band came after those of the bands before.
    """

    sizes: dict[str, list[int]] = field(default_factory=dict)
    last: str | None = None
    in_order: bool = True

    def add(self, band: Mapping[str, pl.DataFrame]) -> None:
        """Cut the tables of a band, which are in the order of sessions, into parts."""
        named = {name: frame[SESSION].drop_nulls() for name, frame in band.items()}
        firsts = [sessions[0] for sessions in named.values() if len(sessions)]
        if self.last is not None and firsts:
            self.in_order &= self.last < min(firsts)
        self.last = max([sessions[-1] for sessions in named.values() if len(sessions)], default=self.last)
        longest = max(named.values(), key=len)
        parts = max(1, -(-sum(map(len, band.values())) // RECORDS))
        bounds = [longest[len(longest) * number // parts] for number in range(1, parts)] if len(longest) else []
        for name, sessions in named.items():
            places = [int(sessions.search_sorted(bound, side="left")) for bound in bounds]
            ends = pairwise([0, *places, len(band[name])])
            self.sizes.setdefault(name, []).extend(end - start for start, end in ends)

    def of(self, name: str) -> tuple[int, ...]:
        """Return how many rows of a table each part has; none where sessions were out of order."""
        return tuple(self.sizes.get(name, ())) if self.in_order else ()
