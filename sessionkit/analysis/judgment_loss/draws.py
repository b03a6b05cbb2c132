"""Scorings with a share of the judgments, and those that go together; which keys bpref can be trusted with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sessionkit.analysis.judgment_loss.subsets import LEAST_OTHERS, LEAST_RELEVANT, Order
from sessionkit.analysis.rescore.groups import Groups
from sessionkit.analysis.rescore.log import RescoredLog, Scoring
from sessionkit.study.progress import expect


@dataclass(frozen=True)
class Draw:
    """A share of some random order of the judgments.

    Parameters
    ----------
    order
        Numbers that name the order.
    share
        What is kept.
    groups
        Numbers of the groups whose sessions are scored; None, all.
    """

    order: tuple[int, ...]
    share: Fraction
    groups: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Draws:
    """Makes draws of a log's judgments and scores them.

    Parameters
    ----------
    log, groups
        What is scored.
    min_grade
        Lowest relevant grade.
    pool
        Which judged pairs there are for a draw, by its groups; None, all.
    """

    log: RescoredLog
    groups: Groups
    min_grade: float
    pool: Callable[[tuple[int, ...] | None], np.ndarray | None] = field(default=lambda _: None)

    def order(self, draw: Draw) -> Order:
        """The random order that a draw takes a share of."""
        rejudging = self.log.rejudging
        order = Order.of(rejudging.grades, rejudging.key, self.min_grade, draw.order)
        pool = self.pool(draw.groups)
        return order if pool is None else order.within(pool)

    def values(self, draws: Sequence[Draw]) -> Iterator[np.ndarray]:
        """For each draw a row per session of its groups and a column per measure."""
        measures = self.log.measures
        strict = tuple(n for n, measure in enumerate(measures) if measure.inner.needs_nonrelevant)
        plain = tuple(n for n in range(len(measures)) if n not in strict)
        order = lru_cache(maxsize=2)(self.order)

        def kept(draw: Draw, whole_keys: bool) -> np.ndarray:
            found = order(Draw(draw.order, Fraction(1), draw.groups))
            keep = found.kept(draw.share)
            if whole_keys:
                keep &= trusted(found)[self.log.rejudging.key]
            grades: np.ndarray = np.where(keep, self.log.rejudging.grades, np.nan)
            return grades

        sets = [(of, whole) for of, whole in ((plain, False), (strict, True)) if of]
        scorings = [
            Scoring(lambda draw=draw, whole=whole: kept(draw, whole), of, draw.groups)  # type: ignore[misc]
            for draw in draws
            for of, whole in sets
        ]
        expect("scorings", len(scorings))
        back = np.argsort([number for of, _ in sets for number in of])
        for parts in _several(self.log.values(scorings, self.groups.number), len(sets)):
            yield np.hstack(parts)[:, back]


def trusted(order: Order) -> np.ndarray:
    """Whether every key has a relevant document and ten others that are judged."""
    return (order.counted(relevant=True) >= LEAST_RELEVANT) & (order.counted(relevant=False) >= LEAST_OTHERS)


def _several(values: Iterable[np.ndarray], many: int) -> Iterator[list[np.ndarray]]:
    """Values in groups of so many."""
    held: list[np.ndarray] = []
    for part in values:
        held.append(part)
        if len(held) == many:
            yield held
            held = []
