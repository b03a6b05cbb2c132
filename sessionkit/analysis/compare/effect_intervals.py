"""Intervals of effects that are shares: Cliff's delta, and the matched-pairs rank-biserial correlation.

Both invert the normal test of the statistic with the variance that it has at each value of the effect, so that at 0 they
are the rank test itself. An interval with the variance of no difference at every value, as by Fisher's z, misses 20 to
30% of the time once a difference is large.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from sessionkit.analysis.compare.pair_findings import Interval

NODES = 80
"""Points at which a normal distribution is looked at."""
FAR = 6.0
"""Mean, in standard deviations, beyond which every difference has one sign."""


def cliffs_delta_interval(delta: float, sizes: tuple[int, int], alpha: float, ties: float = 1.0) -> Interval:
    """Interval of Cliff's delta, by method 5 of Newcombe (2006).

    Parameters
    ----------
    delta
        Share of pairs of values where the second group's is larger, less the share where it is smaller.
    sizes
        Values of both groups.
    alpha
        Error rate.
    ties
        Variance of U where there is no difference, as a share of what it is without ties.

    Examples
    --------
    >>> low, high = cliffs_delta_interval(0.0, (4, 4), 0.05)
    >>> round(low, 3), round(high, 3)
    (-0.635, 0.635)
    """
    many = sum(sizes) / 2 - 1

    def moments(delta: float) -> tuple[float, float]:
        more = (1 + delta) / 2
        spread = 1 + many * (1 - more) / (2 - more) + many * more / (1 + more)
        return delta, 4 * ties * more * (1 - more) * spread / math.prod(sizes)

    return _inverted(delta, moments, (-1 + 1e-12, 1 - 1e-12), alpha)


def rank_biserial_interval(effect: float, units: int, alpha: float, ties: float = 1.0) -> Interval:
    """Interval of the matched-pairs rank-biserial correlation, for differences that are normal.

    The variance of the rank sum is Lehmann's (1975): it depends on the chances that a difference, and the sum of two,
    is above 0. Of t with 3 degrees of freedom, logistic and Laplace differences it covers nearly as often.

    Parameters
    ----------
    effect
        Rank sum for less rank sum against, over both.
    units
        Differences that are not 0.
    alpha
        Error rate.
    ties
        Variance of the rank sum where there is no difference, as a share of what it is without ties.

    Examples
    --------
    >>> low, high = rank_biserial_interval(0.6, 20, 0.05)
    >>> round(low, 3), round(high, 3)
    (0.103, 0.833)
    """
    from scipy import special

    at, weight = _normal()
    total, pairs, triples = units * (units + 1) / 2, units * (units - 1) / 2, units * (units - 1) * (units - 2)

    def moments(mean: float) -> tuple[float, float]:
        one, two = float(special.ndtr(mean)), float(special.ndtr(math.sqrt(2) * mean))
        three = float(weight @ special.ndtr(at + 2 * mean) ** 2)
        spread = units * one * (1 - one) + pairs * (2 * (one - two) ** 2 + 3 * two * (1 - two))
        spread += triples * (three - two**2)
        return 2 * (units * one + pairs * two) / total - 1, 4 * ties * max(spread, 0.0) / total**2

    return _inverted(effect, moments, (-FAR, FAR), alpha)


@cache
def _normal() -> tuple[np.ndarray, np.ndarray]:
    """Places of a normal distribution, and their weights."""
    at, weight = np.polynomial.hermite_e.hermegauss(NODES)
    return at, weight / weight.sum()


def _inverted(
    effect: float, moments: Callable[[float], tuple[float, float]], bracket: tuple[float, float], alpha: float
) -> Interval:
    """Effects that lie no further from the one found than chance asks; `moments` gives an effect and its variance."""
    from scipy import optimize, stats

    z = float(stats.norm.isf(alpha / 2))

    def end(side: float, outermost: float) -> float:
        def excess(at: float) -> float:
            expected, variance = moments(at)
            return effect - expected - side * z * math.sqrt(variance)

        if effect * side <= -1:
            return outermost
        return moments(float(optimize.brentq(excess, *bracket, xtol=1e-12)))[0]

    return end(1.0, -1.0), end(-1.0, 1.0)
