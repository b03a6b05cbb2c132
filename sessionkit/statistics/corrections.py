"""Corrections for several comparisons with matching intervals, and the options that comparisons share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from sessionkit.arguments import FEWEST_RANDOMIZATIONS, Correction, error_rate, require_draws, require_seed
from sessionkit.errors import UsageError, suggestion
from sessionkit.statistics.effects import Interval, agreed

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
    def interval_kind(self) -> str:
        """The word before "95% interval": whether intervals hold together or allow for no other; nothing for a single one.

        >>> Family(2, "bonferroni").interval_kind, Family(2, "holm").interval_kind, Family(1, "holm").interval_kind
        ('simultaneous ', 'unadjusted ', '')
        """
        if self.has_unadjusted_intervals:
            return "unadjusted "
        return "simultaneous " if self.at_once or (self.number > 1 and self.correction == "bonferroni") else ""

    @property
    def has_unadjusted_intervals(self) -> bool:
        """Whether p-values are corrected and intervals are not, as with Holm's procedure."""
        return self.correction == "holm" and self.number > 1 and not self.at_once

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
    """P-values corrected together, and the error rates of their intervals.

    Parameters
    ----------
    p
        The adjusted p-values.
    interval_p
        The p-values that intervals match: the adjusted ones or, with Holm's procedure, those before correction.
    interval_rate
        Error rate of each interval.
    test_rate
        Error rate at which a comparison that is undecided was tested, for the difference that it would detect.
    alpha
        Error rate of the whole family.
    """

    p: tuple[float, ...]
    interval_p: tuple[float, ...]
    interval_rate: float
    test_rate: float
    alpha: float

    def interval(self, place: int, interval_at: Callable[[float], Interval], direction: float) -> Interval:
        """Return the interval of one comparison.

        Parameters
        ----------
        interval_at
            Gives the interval at an error rate.
        direction
            The sign of the difference that was tested.
        """
        return agreed(interval_at(self.interval_rate), direction, self.interval_p[place] <= self.alpha)


def corrected(p: Sequence[float], correction: str, alpha: float) -> Corrected:
    """Adjust p-values for their number, and settle the error rates of intervals.

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
    Holm shows the first of .01, .3, .4 (3 x .01 is below .05). Two are undecided, and the smaller was tested at .025:

    >>> settled = corrected([0.01, 0.3, 0.4], "holm", 0.05)
    >>> settled.interval_rate, settled.test_rate
    (0.05, 0.025)
    """
    changed = tuple(adjusted(p, correction))
    if correction == "holm":
        undecided = sum(value > alpha for value in changed)
        return Corrected(changed, tuple(map(float, p)), alpha, alpha / (undecided or max(1, len(p))), alpha)
    rate = interval_rate(p, correction, alpha)
    return Corrected(changed, changed, rate, rate, alpha)


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
    """Error rate of intervals that match: alpha for each itself, alpha / m for all m at once, or as many as are found.

    With Holm's procedure intervals are unadjusted. With Benjamini and Hochberg's correction it is alpha R / m with R findings (at least 1).

    >>> interval_rate([0.001, 0.02, 0.03, 0.8], "bh", 0.05)  # three findings of four
    0.037500000000000006
    """
    m = max(1, len(p))
    if correction in ("none", "holm"):
        return alpha
    if correction == "bh":
        return alpha * max(1, sum(value <= alpha for value in adjusted(p, "bh"))) / m
    return alpha / m


@dataclass(frozen=True)
class Options:
    """What a test may need beside its units.

    Parameters
    ----------
    alpha
        The error rate, 1 - confidence.
    draws, seed, correction
        As `sessionkit.compare` has them.
    pairs
        Pairs of groups to test, by their numbers; None, all of them.
    """

    alpha: float = 0.05
    draws: int = 9_999
    seed: int = 0
    correction: str = "none"
    pairs: tuple[tuple[int, int], ...] | None = None


def options_of(correction: str, confidence: float, draws: int, seed: int) -> Options:
    """Check the options of a comparison."""
    if correction not in CORRECTIONS:
        msg = f"correction must be one of {', '.join(CORRECTIONS)}, not {correction!r}{suggestion(str(correction), CORRECTIONS)}"
        raise UsageError(msg)
    alpha = error_rate(confidence)
    require_draws(draws, FEWEST_RANDOMIZATIONS)
    require_seed(seed)
    return Options(alpha, draws, seed, correction)
