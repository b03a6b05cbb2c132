"""The least and the greatest that a sum can be as a share of its ideal, whatever unjudged documents turn out to gain.

The value is N(x) / I(x), x the gains of the unjudged documents, each between 0 and the best gain G. N adds each own
document's gain times the weight with which it was shown; I adds the gains of the recall base, sorted, times falling
weights. N is linear, and I is convex, being the greatest over all orders of the base. Hence:

- Where N / I is least: N - tI is concave for every t >= 0, so that it is least at a corner of the box: every gain 0 or G.
  Documents shown elsewhere take G. Of own ones, for each number s of those with G, the ones of least weight.
- Where it is greatest: documents shown elsewhere take 0. N - tI is linear wherever no two gains change their order, so
  that it is greatest where each gain is 0, G or one that a judged document has. Cut into levels between these gains, a
  level's part hangs only on s, how many own documents reach it, the ones of greatest weight: each level is settled
  alone. The number that is best falls from level to level as the weights of the ideal do, so that the levels fit together.

Both are found by Dinkelbach's method: take t, find what is least (greatest) for it, let t be its share, until t stands.
The bounds are attained where the gains of judged documents, 0 and G are gains of grades of the scale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

ROUNDS = 60
"""Steps of Dinkelbach's method at most; it needs about five."""
CELLS = 2**22
"""Numbers of one array that are worked on at a time."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Units (lists or sessions), each with a part for every key that it has.

    Parameters
    ----------
    unit
        Number of the unit of every part, in order and without holes.
    known
        N of what is judged.
    own
        How many own unjudged documents each part has.
    weights
        Their weights, part by part.
    others
        How many unjudged documents of its key are shown elsewhere, or pooled.
    shape
        Row of `ideal` of every part.
    ideal
        Weights of the 0, 1, 2... best places of an ideal, added up; what lies beyond its last column adds nothing.
    base
        A row per part: judged documents that gain at least as much as each level.
    heights
        By how much the gain of each level is above that of the one below; they add up to G.
    """

    unit: np.ndarray
    known: np.ndarray
    own: np.ndarray
    weights: np.ndarray
    others: np.ndarray
    shape: np.ndarray
    ideal: np.ndarray
    base: np.ndarray
    heights: np.ndarray

    @property
    def units(self) -> int:
        """How many units there are."""
        return int(self.unit[-1]) + 1 if len(self.unit) else 0

    def of_units(self, units: np.ndarray) -> Parts:
        """The parts of some units, in their order, numbered from 0 again, the weights of each falling."""
        many = np.bincount(self.unit, minlength=self.units)
        part = _ranges((many.cumsum() - many)[units], many[units])
        begins = self.own.cumsum() - self.own
        weights = self.weights[_ranges(begins[part], self.own[part])]
        order = np.lexsort((-weights, np.repeat(np.arange(len(part)), self.own[part])))
        return Parts(
            np.repeat(np.arange(len(units)), many[units]),
            self.known[part],
            self.own[part],
            weights[order],
            self.others[part],
            self.shape[part],
            self.ideal,
            self.base[part],
            self.heights,
        )

    def upto(self, *, best_first: bool) -> np.ndarray:
        """A row per part: weight of 0, 1, 2... own unjudged documents, those of most weight or of least, added up."""
        nth = np.arange(len(self.weights)) - np.repeat(self.own.cumsum() - self.own, self.own)
        column = nth + 1 if best_first else np.repeat(self.own, self.own) - nth
        table = np.zeros((len(self.own), int(self.own.max(initial=0)) + 1))
        table[np.repeat(np.arange(len(self.own)), self.own), column] = self.weights
        found: np.ndarray = table.cumsum(axis=1)
        return found

    def worth(self, count: np.ndarray) -> np.ndarray:
        """What so many documents weigh in the ideal, of every part (the first axis)."""
        shape = self.shape.reshape(-1, *[1] * (count.ndim - 1))
        found: np.ndarray = self.ideal[shape, np.minimum(count, self.ideal.shape[1] - 1)]
        return found

    def ideals(self) -> tuple[np.ndarray, np.ndarray]:
        """The ideal of what is judged, and what one more document of the best gain adds to it, of every part."""
        judged, more = (np.zeros(len(self.unit)) for _ in range(2))
        for level, height in enumerate(self.heights):
            here = self.worth(self.base[:, level])
            judged += height * here
            more += height * (self.worth(self.base[:, level] + 1) - here)
        return judged, more

    def added(self, values: np.ndarray) -> np.ndarray:
        """Sum over the parts of every unit."""
        return np.bincount(self.unit, weights=values, minlength=self.units)

    def best_sum(self, more: np.ndarray) -> np.ndarray:
        """The ideal of what is judged and so many more documents of the best gain, of every part."""
        found = np.zeros(len(self.unit))
        for level, height in enumerate(self.heights):
            found += height * self.worth(self.base[:, level] + more)
        return found

    def steady(self, some: np.ndarray, more: np.ndarray) -> np.ndarray:
        """Whether it makes no difference to the ideal of any level of a unit how many documents from `some` to `more` gain."""
        moves = np.zeros(len(self.unit))
        for base in self.base.T:
            moves += self.worth(base + some) != self.worth(base + more)
        found: np.ndarray = self.added(moves) == 0
        return found


def extremes(parts: Parts) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest share of every unit; nan where nothing can be relevant for any of its keys.

    One list shows an unjudged document at rank 1 (weight 1) and the only relevant one at rank 2 (weight .5); gains are 0
    or 1. Now .5; if the other is relevant too, (1 + .5) / (1 + .5):

    >>> parts = Parts(
    ...     unit=np.array([0]), known=np.array([0.5]), own=np.array([1]), weights=np.array([1.0]), others=np.array([0]),
    ...     shape=np.array([0]), ideal=np.array([[0.0, 1.0, 1.5]]), base=np.array([[1]]), heights=np.array([1.0]),
    ... )
    >>> [bound.tolist() for bound in extremes(parts)]
    [[0.5], [1.0]]
    """
    nothing = np.zeros_like(parts.own)
    every = np.bincount(np.repeat(np.arange(len(parts.own)), parts.own), parts.weights, minlength=len(parts.own))
    # an ideal that is full anyway stays as it is: least with nothing more shown, greatest with everything
    lower = _share(parts, parts.known, parts.best_sum(parts.others))
    upper = _share(parts, parts.known + parts.heights.sum() * every, parts.best_sum(parts.own))
    for found, settle, steady in (
        (lower, _least, parts.steady(parts.others, parts.others + parts.own)),
        (upper, _greatest, parts.steady(nothing, parts.own)),
    ):
        for units in _alike(parts, np.flatnonzero(~steady)):
            found[units] = settle(parts.of_units(units))
    elsewhere = parts.added(((parts.others > 0) & (parts.ideal[parts.shape, -1] > 0)).astype(float)) > 0
    return lower, np.where(np.isnan(upper) & elsewhere & bool(parts.heights.sum() > 0), 0.0, upper)


def _alike(parts: Parts, units: np.ndarray) -> Iterator[np.ndarray]:
    """Some units in portions that take little room, each of about as many own documents."""
    widest = np.zeros(parts.units, dtype=np.int64)
    np.maximum.at(widest, parts.unit, parts.own)
    size = np.frexp(widest[units].astype(float))[1]  # own documents below 2 to this power
    for power in np.unique(size):
        some = units[size == power]
        step = max(1, CELLS // ((1 << int(power)) * max(1, len(parts.heights))))
        for first in range(0, len(some), step):
            yield some[first : first + step]


def _ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The numbers from each start, so many, one after the other."""
    before = lengths.cumsum() - lengths
    found: np.ndarray = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return found


def _share(parts: Parts, gained: np.ndarray, ideal: np.ndarray) -> np.ndarray:
    """What the parts of every unit gain, as a share of their ideals; nan where these are 0."""
    gained, ideal = parts.added(gained), parts.added(ideal)
    found: np.ndarray = np.divide(gained, ideal, out=np.full(len(ideal), np.nan), where=ideal > 0)
    return found


def _least(parts: Parts) -> np.ndarray:
    """Least share of every unit."""
    shown = parts.upto(best_first=False)
    count = np.arange(shown.shape[1])[None, :]
    numerator = parts.known[:, None] + parts.heights.sum() * shown
    ideal = np.zeros_like(numerator)
    for level, height in enumerate(parts.heights):
        ideal += height * parts.worth(parts.base[:, [level]] + count + parts.others[:, None])
    numerator[count > parts.own[:, None]] = np.inf

    def chosen(share: np.ndarray) -> np.ndarray:
        found: np.ndarray = (numerator - share[parts.unit, None] * ideal).argmin(axis=1)
        return found

    rows = np.arange(len(parts.unit))
    return _settled(parts, parts.own, chosen, lambda taken: (numerator[rows, taken], ideal[rows, taken]), -1)


def _greatest(parts: Parts) -> np.ndarray:
    """Greatest share of every unit."""
    shown = parts.upto(best_first=True)
    count = np.arange(shown.shape[1])[None, None, :]
    numerator = parts.heights[None, :, None] * shown[:, None, :]
    ideal = parts.heights[None, :, None] * parts.worth(parts.base[:, :, None] + count)
    numerator[np.broadcast_to(count > parts.own[:, None, None], numerator.shape)] = -np.inf

    def chosen(share: np.ndarray) -> np.ndarray:
        found: np.ndarray = (numerator - share[parts.unit, None, None] * ideal).argmax(axis=2)
        return found

    def sums(taken: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        gained, best = (
            np.take_along_axis(each, taken[..., None], axis=2).sum(axis=(1, 2)) for each in (numerator, ideal)
        )
        return parts.known + gained, best

    every = np.repeat(parts.own[:, None], len(parts.heights), axis=1)
    return _settled(parts, every, chosen, sums, 1)


def _settled(
    parts: Parts,
    every: np.ndarray,
    chosen: Callable[[np.ndarray], np.ndarray],
    sums: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    sign: int,
) -> np.ndarray:
    """Dinkelbach's method from where every own document gains the most; nan where the ideal is 0 there too."""

    def share_of(taken: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        gained, ideal = (parts.added(values) for values in sums(taken))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(ideal > 0, gained / np.where(ideal > 0, ideal, 1.0), np.nan), ideal

    share, _ = share_of(every)
    for _ in range(ROUNDS):
        found, ideal = share_of(chosen(np.nan_to_num(share)))
        better = (ideal > 0) & ((found - share) * sign > 0)
        if not better.any():
            break
        share = np.where(better, found, share)
    return share
