"""How a searcher walks through a session: the chance to stop at a rank of a list, and after a list of the session.

In every list the searcher reads the first document, goes down after each with probability ``pdown`` and leaves otherwise;
after a list goes on to the next query with probability ``pref``. Lists and sessions end, so both are geometric
distributions that are cut off: ``absorb`` gives the chance of all places beyond the end to the last place (the searcher
who would have gone on must stop there), ``renormalise`` spreads it over all places in proportion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sessionkit.choices import Truncation

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
