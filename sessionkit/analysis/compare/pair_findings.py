"""What a procedure finds for a pair of groups, and intervals by inverting its test."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Interval = tuple[float, float]
STEPS = 60
"""Halvings of a bracket when a test is inverted: to the last digits of a double."""


@dataclass(frozen=True)
class Pair:
    """The difference of two groups, the second less the first.

    Parameters
    ----------
    estimate
        The difference as the test's estimand has it.
    p
        Two-sided p-value; None where there can be none.
    interval
        For an error rate alpha, the values that the test does not reject at alpha.
    statistic, df
        The test statistic and its degrees of freedom; None where there are none.
    effect
        The standardized effect; None where it does not exist.
    effect_interval
        As ``interval``, for the effect.
    se
        Standard error of the estimate, where it has one.
    """

    estimate: float
    p: float | None
    interval: Callable[[float], Interval] | None = None
    statistic: float | None = None
    df: float | None = None
    effect: float | None = None
    effect_interval: Callable[[float], Interval] | None = None
    se: float | None = None

    @property
    def side(self) -> float:
        """What was tested, for its sign: the effect; without one the estimate.

        A sign test of 8 units for, none against and 12 ties finds a side, while its estimate, the median difference, is 0.
        """
        return self.effect or self.estimate


@dataclass(frozen=True)
class Overall:
    """A test of all groups at once."""

    test: str
    statistic: float
    df: float | None
    df_error: float | None
    p: float


@dataclass(frozen=True)
class Outcome:
    """What a procedure finds.

    Parameters
    ----------
    pairs
        By the numbers of the two groups.
    overall
        Tests of all groups at once.
    notes
        What a reader of these numbers should know, one sentence each.
    """

    pairs: Mapping[tuple[int, int], Pair]
    overall: tuple[Overall, ...] = ()
    notes: tuple[str, ...] = field(default=())


def inverted(test: Callable[[float], tuple[float, float]], low: float, high: float, alpha: float) -> Interval:
    """Return the shifts that a test does not reject, by halving.

    Parameters
    ----------
    test
        For a shift, the direction (above 0 where the data lie above the shift) and the two-sided p-value.
    low, high
        A bracket beyond whose ends the shifts are not of interest; an end that is not rejected stands for infinity.
    alpha
        Error rate.
    """
    width = (high - low) or 1.0
    outer = (low - width, high + width)

    def above(shift: float) -> bool:
        direction, p = test(shift)
        return direction > 0 and p <= alpha

    def below(shift: float) -> bool:
        direction, p = test(shift)
        return direction < 0 and p <= alpha

    lowest = _edge(above, outer) if above(outer[0]) else -math.inf
    highest = _edge(lambda shift: not below(shift), outer) if below(outer[1]) else math.inf
    return lowest, highest


def agreed(interval: Interval, direction: float, rejected: bool) -> Interval:
    """Return an interval that says of 0 what the verdict says.

    Ties and zeros make rank tests jump at 0 itself; an interval then ends at 0, and where the verdict is against 0 that
    end is not in it. Elsewhere nothing is changed.
    """
    low, high = interval
    if not rejected:
        return min(low, 0.0), max(high, 0.0)
    return (max(low, 0.0), high) if direction > 0 else (low, min(high, 0.0))


def _edge(holds: Callable[[float], bool], bracket: Interval) -> float:
    """Return where a condition that holds at the lower end of a bracket ends to hold."""
    low, high = bracket
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return (low + high) / 2
