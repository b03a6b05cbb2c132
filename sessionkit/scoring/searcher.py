"""A measure's discounts read as a searcher who may stop: the chance to look at a rank, and to go on to the next query."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sessionkit.arguments import Truncation
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


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NEGLIGIBLE = 2.0**-100
"""Places that are reached with a lesser chance are taken for the end: less than any value's last digit."""


@dataclass(frozen=True)
class Walk:
    """A searcher's persistence.

    Parameters
    ----------
    pdown
        Chance to go on from a document to the next of the list, 0 to 1.
    pref
        Chance to go on from a list to the next query, 0 to 1.
    truncate
        ``"absorb"`` or ``"renormalise"``.
    """

    pdown: float
    pref: float
    truncate: Truncation = "absorb"

    def stops(self, after: int, lengths: Integers) -> Floats:
        """Chance to have read so many documents of a list when leaving it, for lists of these lengths."""
        return _chances(self.pdown, self.truncate, after, lengths)

    def reads(self, rank: int | Integers, lengths: Integers) -> Floats:
        """Chance to read the document at a rank of a list that the searcher has come to; 0 beyond its end."""
        return _tails(self.pdown, self.truncate, rank, lengths)

    def comes(self, to: int, queries: Integers) -> Floats:
        """Chance to come to the query at a place (from 1), in sessions of so many queries."""
        return _tails(self.pref, self.truncate, to, queries)

    def ends(self, at: int, queries: Integers) -> Floats:
        """Chance that the query at a place (from 1) is the last that the searcher asks, in sessions of so many queries."""
        return _chances(self.pref, self.truncate, at, queries)

    @property
    def deepest(self) -> int | None:
        """The last rank that is reached with more than a negligible chance; None where there is none."""
        return _reach(self.pdown)

    @property
    def longest(self) -> int | None:
        """The last query that is reached with more than a negligible chance; None where there is none."""
        return _reach(self.pref)


def powers(share: float, many: int) -> Floats:
    """The powers 0, 1, 2... of a share, each worked out alone, so that their bits depend on nothing else.

    >>> powers(0.5, 3).tolist()
    [1.0, 0.5, 0.25]
    """
    return np.array([share**exponent for exponent in range(many)], dtype=np.float64)


def _sums(share: float, many: int) -> Floats:
    """Sum of the first 0, 1, 2... powers of a share; at least two of them."""
    return np.concatenate([[0.0], np.add.accumulate(powers(share, max(many, 1)))])


def _chances(share: float, truncate: str, place: int, ends: Integers) -> Floats:
    """Chance to stop at a place of some that end there; where there is no place at all, 1 at place 0."""
    if place == 0:
        return (ends == 0).astype(np.float64)
    here = share ** (place - 1)
    if truncate == "absorb":
        if len(ends) == 1:  # the lists of many sessions are as long: a number, at a fraction of the time
            return np.array([here * (1 - share) if ends[0] > place else here if ends[0] == place else 0.0])
        return np.where(ends > place, here * (1 - share), np.where(ends == place, here, 0.0))
    total = _sums(share, int(ends.max(initial=0)))[np.maximum(ends, 1)]
    return np.where(ends >= place, here / total, 0.0)


def _tails(share: float, truncate: str, place: int | Integers, ends: Integers) -> Floats:
    """Chance to come to a place (from 1) of some that end there; 0 beyond the end."""
    last = int(ends.max(initial=0))
    before = np.minimum(place, last + 1) - 1
    if truncate == "absorb":
        found = powers(share, last + 1)[before]
    else:
        sums = _sums(share, last)
        found = (sums[ends] - sums[before]) / sums[np.maximum(ends, 1)]
    return np.where(place <= ends, found, 0.0)


def _reach(share: float) -> int | None:
    """How many places are reached with more than a negligible chance; None where all are."""
    if share >= 1:
        return None
    return 1 + (math.floor(math.log(NEGLIGIBLE) / math.log(share)) if share > 0 else 0)
