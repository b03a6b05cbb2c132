"""A measure's discounts read as a searcher who may stop: the chance to look at a rank is the discount that it has.

That needs a discount which is 1 at rank 1 and never rises. Such a searcher looks at d(1) + d(2) + ... results of a list
on average, and of a session at the same sum over query positions of lists. A discount that does not begin with 1 (base b
of ``burges`` other than 2) is divided by its first value, which changes no comparison of scores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sessionkit.scoring.discounts import RANK_DISCOUNTS, discount_values
from sessionkit.scoring.gains import weights

RISES = 1e-12
"""What rounding may add to a discount that stays level."""


@dataclass(frozen=True)
class Chances:
    """How a searcher goes on, in one direction: down a list, or from query to query.

    Parameters
    ----------
    name
        Discount, as measures name it: a form, or factors.
    base, p
        Its parameters.
    scale
        What it is divided by, so that it begins with 1.
    """

    name: str
    base: float | None = None
    p: float | None = None
    scale: float = 1.0

    def seen(self, many: int) -> np.ndarray:
        """Chance to look at place 1, 2, 3...

        >>> Chances("log", base=2).seen(4).round(4).tolist()
        [1.0, 0.5, 0.3869, 0.3333]
        """
        places = np.arange(1, many + 1)
        return np.asarray(discount_values(places, self.name, self.base, self.p) / self.scale)

    @property
    def endless(self) -> float:
        """Places looked at on average where there is no end; inf where the sum of the discount has none.

        >>> Chances("geometric", p=0.8).endless, Chances("log", base=2).endless
        (5.000000000000001, inf)
        """
        if self.name not in RANK_DISCOUNTS:
            return sum(weights(self.name)) / self.scale
        return (
            1.0 / (1.0 - float(self.p)) if self.name == "geometric" and self.p is not None and self.p < 1 else math.inf
        )


@dataclass(frozen=True)
class Searcher:
    """A searcher with the chances that a measure gives.

    Parameters
    ----------
    ranks
        Down a list.
    queries
        From query to query; None of a measure of queries.
    onward
        Whether ranks run on along the session's concatenated lists, each of as many places as the cutoff.
    """

    ranks: Chances
    queries: Chances | None = None
    onward: bool = False

    @property
    def endless(self) -> float:
        """Results looked at on average in endless lists, and of a measure of sessions after endless queries."""
        return self.ranks.endless * (1.0 if self.queries is None else self.queries.endless)

    def seen(self, positions: int, depth: int) -> np.ndarray:
        """Chance to look at each rank (columns) of each query (rows)."""
        of_queries = np.ones(positions) if self.queries is None else self.queries.seen(positions)
        if self.onward:
            return of_queries[:, None] * self.ranks.seen(positions * depth).reshape(positions, depth)
        return of_queries[:, None] * self.ranks.seen(depth)[None, :]


def falling(name: str, base: float | None, p: float | None) -> Chances | None:
    """A discount as chances; None if it rises somewhere."""
    until = max(3, math.ceil(base or 0) + 2) if name in ("rn2002", "jk2002") else 3
    if name not in RANK_DISCOUNTS:
        until = len(weights(name))
    values = discount_values(np.arange(1, min(until, 10_000) + 1), name, base, p)
    if (np.diff(values) > RISES).any():
        return None
    scale = float(values[0])
    return Chances(name, base, p, 1.0 if abs(scale - 1) < RISES else scale)
