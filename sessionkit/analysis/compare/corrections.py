"""Corrections for many comparisons, and the intervals that match them.

An interval of `Corrected` holds 0 exactly where the adjusted p-value is above alpha. Bonferroni's intervals hold all at
once; so do Holm's, at a price: what its steps find, while another comparison is undecided, is known to lie on one side
of 0 and no more (Strassburger and Bretz 2008, Guilbaud 2008: no more can be said at the same error rate). Bonferroni's
intervals beside Holm's findings would look better and miss too often: of two comparisons, one of a large difference and
one of none, 7.3% of studies would have an interval that misses, instead of 5%. Benjamini and Hochberg's keep the
expected share of misses among what is found below alpha (Benjamini and Yekutieli 2005).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from sessionkit.analysis.compare.pair_findings import Interval, agreed
from sessionkit.choices import Correction

NAMES = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg"}
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


@dataclass(frozen=True)
class Family:
    """The p-values that were corrected together.

    Parameters
    ----------
    number
        How many: comparisons or, of a test that holds for all pairs of a measure at once, measures; 0 where nothing was
        tested.
    correction
        As `adjusted` has it.
    at_once
        Whether each is of a test that holds for all pairs of a measure at once.
    """

    number: int
    correction: str
    at_once: bool = False

    @property
    def simultaneous(self) -> str:
        """What an interval is called that holds together with those of the others; nothing where one stands alone.

        >>> Family(2, "holm").simultaneous, Family(1, "holm").simultaneous, Family(2, "bh").simultaneous
        ('simultaneous ', '', '')
        """
        together = self.at_once or (self.number > 1 and self.correction in ("holm", "bonferroni"))
        return "simultaneous " if together else ""

    @property
    def told(self) -> str:
        """How p-values were corrected, as it follows them; nothing where one stands alone.

        >>> Family(3, "holm").told, Family(3, "none").told, Family(1, "holm").told, Family(2, "holm", at_once=True).told
        (' after Holm over 3 comparisons', ', not corrected', '', ' for all pairs at once, after Bonferroni over 2 tests')
        """
        all_pairs = " for all pairs at once" if self.at_once else ""
        if self.number < 2:
            return all_pairs
        if self.correction == "none":
            return f"{all_pairs}, not corrected{' over measures' if self.at_once else ''}"
        if self.at_once:
            return f"{all_pairs}, after Bonferroni over {self.number:,} tests"
        return f" after {NAMES[self.correction]} over {self.number:,} comparisons"


@dataclass(frozen=True)
class Corrected:
    """P-values corrected together.

    Parameters
    ----------
    p
        The adjusted p-values.
    rate
        Error rate of each interval that has two ends.
    one_ended
        Whether the interval of what is found ends at 0 and goes on without end on the other side.
    alpha
        Error rate of all of them.
    """

    p: tuple[float, ...]
    rate: float
    one_ended: bool
    alpha: float

    def interval(self, place: int, of_rate: Callable[[float], Interval], direction: float) -> Interval:
        """Return the interval of one comparison: `of_rate` gives its interval at an error rate, `direction` its sign."""
        found = self.p[place] <= self.alpha
        if found and self.one_ended:
            return (0.0, math.inf) if direction > 0 else (-math.inf, 0.0)
        return agreed(of_rate(self.rate), direction, found)


def corrected(p: Sequence[float], correction: str, alpha: float) -> Corrected:
    """Adjust p-values for their number, and settle the intervals that match.

    Parameters
    ----------
    p
        P-values, each 0 to 1.
    correction
        As `adjusted` has it.
    alpha
        Error rate.

    Examples
    --------
    Holm finds the first of .01, .3, .4 (3 x .01 is below .05), and two are undecided:

    >>> found = corrected([0.01, 0.3, 0.4], "holm", 0.05)
    >>> found.rate, found.one_ended
    (0.025, True)
    """
    changed = adjusted(p, correction)
    undecided = sum(value > alpha for value in changed)
    if correction == "holm" and 0 < undecided < len(p):
        return Corrected(tuple(changed), alpha / undecided, True, alpha)
    return Corrected(tuple(changed), interval_rate(p, correction, alpha), False, alpha)


def adjusted(p: Sequence[float], correction: str = "holm") -> list[float]:
    """Adjust p-values for their number.

    Parameters
    ----------
    p
        P-values, each 0 to 1.
    correction
        ``"holm"`` (Holm 1979, steps down, controls the chance of any false finding), ``"bonferroni"``, ``"bh"``
        (Benjamini and Hochberg 1995, controls the expected share of false findings) or ``"none"``.

    Examples
    --------
    Sorted .01, .02, .03: Holm 3 x .01, 2 x .02, then no less than the one before; BH 3/1 x .01, 3/2 x .02, .03.

    >>> adjusted([0.02, 0.01, 0.03])
    [0.04, 0.03, 0.04]
    >>> adjusted([0.02, 0.01, 0.03], "bh")
    [0.03, 0.03, 0.03]
    """
    values = np.asarray(p, dtype=float)
    m = len(values)
    if correction == "none" or not m:
        return [float(value) for value in values]
    if correction == "bonferroni":
        return [float(value) for value in np.minimum(1, m * values)]
    order = np.argsort(values, kind="stable")
    place = np.arange(m)
    if correction == "holm":
        stepped = np.maximum.accumulate((m - place) * values[order])
    else:
        stepped = np.minimum.accumulate((m / (place + 1) * values[order])[::-1])[::-1]
    found = np.empty(m)
    found[order] = np.minimum(1, stepped)
    return [float(value) for value in found]


def interval_rate(p: Sequence[float], correction: str, alpha: float) -> float:
    """Error rate of intervals with two ends: alpha for each itself, alpha / m for all m at once, or as many as are found.

    With Benjamini and Hochberg's correction it is alpha R / m with R findings (at least 1).

    >>> interval_rate([0.001, 0.02, 0.03, 0.8], "bh", 0.05)  # three findings of four
    0.037500000000000006
    """
    m = max(1, len(p))
    if correction == "none":
        return alpha
    if correction == "bh":
        return alpha * max(1, sum(value <= alpha for value in adjusted(p, "bh"))) / m
    return alpha / m
