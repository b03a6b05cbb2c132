"""Which judgments are kept: f-qrels, random, nested, and the same from one seed on every machine.

For every key the relevant documents and the others are each put in a random order once; a share f of the judgments is
the first max(1, ceil(f R)) of the R relevant ones and the first max(10, ceil(f N)) of the N others, as far as there are so
many. (SIGIR 2007 prints min for max, by which no key would ever keep more than one relevant document.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

LEAST_RELEVANT, LEAST_OTHERS = 1, 10
"""Documents that every key keeps at least, where it has them."""


@dataclass(frozen=True, eq=False)
class Order:
    """The judged documents of every key in a random order, relevant ones and others apart.

    Parameters
    ----------
    kind
        Of every judged pair twice the number of its key, and one more where it is relevant; -1 where it has no grade.
    place
        Place of every pair in the order of its kind, from 0.
    size
        How many pairs are of each kind.
    """

    kind: np.ndarray
    place: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, grades: np.ndarray, key: np.ndarray, min_grade: float, seed: Sequence[int]) -> Order:
        """Put pairs in a random order.

        Parameters
        ----------
        grades
            Grade of every pair; NaN where it has none.
        key
            Number of its key.
        min_grade
            Lowest relevant grade.
        seed
            Numbers that name the order: the same numbers, the same order.
        """
        chance = np.random.Generator(np.random.PCG64(list(seed))).random(len(grades))
        judged = np.isfinite(grades)
        kind = np.where(judged, key.astype(np.int64) * 2 + (np.where(judged, grades, 0.0) >= min_grade), -1)
        return cls._placed(kind, chance, 2 * (int(key.max(initial=0)) + 1))

    @classmethod
    def _placed(cls, kind: np.ndarray, chance: np.ndarray, kinds: int) -> Order:
        """The order that random numbers give."""
        order = np.lexsort((chance, kind))
        size = np.bincount(kind[kind >= 0], minlength=kinds)
        first = np.concatenate([[0], np.cumsum(size)])[:-1] + int((kind < 0).sum())
        place = np.empty(len(kind), dtype=np.int64)
        place[order] = np.arange(len(kind))
        return cls(kind, place - np.where(kind >= 0, first[kind], 0), size)

    def within(self, pool: np.ndarray) -> Order:
        """The same order of the pairs that a pool has; the others are as if they were never judged."""
        return self._placed(np.where(pool, self.kind, -1), self.place, len(self.size))

    def kept(self, share: Fraction) -> np.ndarray:
        """Whether each pair is among this share of the judgments.

        A smaller share is part of a larger one; the share 1 is all that is judged.
        """
        quota = np.minimum(self.size, np.maximum(self._least, _ceiling(self.size, share)))
        found: np.ndarray = (self.kind >= 0) & (self.place < np.where(self.kind >= 0, quota[self.kind], 0))
        return found

    def counted(self, relevant: bool) -> np.ndarray:
        """How many relevant documents, or others, every key has."""
        found: np.ndarray = self.size[int(relevant) :: 2]
        return found

    @property
    def _least(self) -> np.ndarray:
        """Documents of each kind that are kept at least."""
        found: np.ndarray = np.where(np.arange(len(self.size)) % 2 == 1, LEAST_RELEVANT, LEAST_OTHERS)
        return found


def _ceiling(size: np.ndarray, share: Fraction) -> np.ndarray:
    """Share times size, rounded up, in whole numbers."""
    per, of = share.numerator, share.denominator
    found: np.ndarray = np.array([-(-per * int(many) // of) for many in np.unique(size)])
    return found[np.searchsorted(np.unique(size), size)]
