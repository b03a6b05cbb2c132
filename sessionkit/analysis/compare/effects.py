"""Effect sizes and their intervals: a difference in standard deviations."""

from __future__ import annotations

import math
from functools import cache, lru_cache

import numpy as np

from sessionkit.analysis.compare.pair_findings import STEPS, Interval
from sessionkit.analysis.distribution_tails import t_beyond

CONSTANT = 1e-13
"""Spread, as a share of the values' size, below which it is but rounding, which makes some 1e-15; values of 1e12 may vary by 1."""
ROUNDING = 1e-14
"""Share of the values' size up to which a spread is surely rounding, and is not mentioned."""
POWER = 0.8
"""Chance with which a difference is to be found for it to count as detectable."""
NODES = 400
"""Points at which the distribution of a sample sd is looked at."""


def real_spread(sd: float, values: np.ndarray) -> float:
    """Return a standard deviation, 0 where it is but rounding of these values."""
    return sd if sd > CONSTANT * float(np.abs(values).max()) else 0.0


def within_text(share: float, distance: float, values: np.ndarray) -> str:
    """Say to within what values that differ by a distance count as the same; nothing where doubles tell no more apart.

    >>> values = np.array([1e12, 1e12 + 0.05])
    >>> within_text(CONSTANT, 0.05, values), within_text(CONSTANT, 1e-4, values)
    (' (to within 1e-13 of the values)', '')
    """
    return f" (to within {share:g} of the values)" if distance > ROUNDING * float(np.abs(values).max()) else ""


def noncentrality(t: float, df: float, alpha: float) -> Interval:
    """Noncentralities of t that a t statistic does not reject at alpha, both tails alike; excludes 0 where t does.

    >>> [round(end, 4) for end in noncentrality(2.0, 29, 0.05)]
    [-0.0419, 4.0097]
    """
    from scipy import special

    sd, weight = _sample_sd(df)
    reach = abs(t) * float(sd.max()) + float(special.ndtri(1 - alpha / 4)) + 5
    low, high = np.full(2, -reach), np.full(2, reach)
    for _ in range(STEPS):
        middle = (low + high) / 2
        beyond = weight @ special.ndtr((t * sd)[:, None] - middle) / 2 > np.array([1 - alpha / 2, alpha / 2])
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return float(low[0]), float(low[1])


def detectable(half: float, se: float, df: float) -> float:
    """True difference that t finds, in its direction, with the chance `POWER`.

    The standard error is estimated, so that t is noncentral: with few units (t + t) standard errors are found less often
    than the two quantiles say, of 4 units at .005 with a chance of .71.

    Parameters
    ----------
    half
        Half of the interval: the difference from which on t rejects, at this standard error.
    se, df
        Standard error of the difference, and its degrees of freedom.

    Examples
    --------
    3 degrees of freedom, critical 7.4533: P(t > 7.4533) is .8 at a noncentrality of 9.4102.

    >>> round(detectable(7.4533, 1.0, 3), 4)
    9.4101
    """
    return se * noncentrality(half / se, df, 2 * (1 - POWER))[1]


@lru_cache(maxsize=64)
def _sample_sd(df: float) -> tuple[np.ndarray, np.ndarray]:
    """The sample sd over the true one, at places spread over the shares of its distribution, and their weights."""
    from scipy import special

    at, weight = _places()
    return np.sqrt(special.chdtri(df, 1 - (at + 1) / 2) / df), weight


@cache
def _places() -> tuple[np.ndarray, np.ndarray]:
    """Places from -1 to 1 of Gauss and Legendre, and their weights: Newton's steps to the roots from where they nearly are."""
    at = -np.cos(np.pi * (np.arange(NODES) + 0.75) / (NODES + 0.5))
    for _ in range(4):
        before, here = np.ones(NODES), at
        for degree in range(2, NODES + 1):
            before, here = here, ((2 * degree - 1) * at * here - (degree - 1) * before) / degree
        slope = NODES * (before - at * here) / (1 - at**2)
        at = at - here / slope
    return at, 2 / ((1 - at**2) * slope**2)


def single_rate(critical: float, df: float) -> float:
    """Error rate of a single two-sided t test with this critical value, such as that of a test of all pairs at once.

    >>> round(single_rate(2.0452, 29), 4)
    0.05
    """
    return 2 * t_beyond(critical, df)


@lru_cache(maxsize=256)
def studentized(alpha: float, groups: int, df: float) -> float:
    """Critical value of the studentized range."""
    from scipy import stats

    return float(stats.studentized_range.isf(alpha, groups, df))


def small_sample(df: float) -> float:
    """Hedges' factor J, which takes the bias out of a standardized difference (Hedges 1981).

    >>> round(small_sample(10), 4)
    0.9227
    """
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2) if df > 1 else 1.0
