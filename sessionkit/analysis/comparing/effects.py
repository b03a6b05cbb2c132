"""Effect sizes and their intervals: a difference in standard deviations, or as a share of pairs of values."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sessionkit.analysis.comparing.findings import Interval

NODES = 400
"""Points at which the distribution of a sample sd is looked at."""


def noncentrality(t: float, df: float, alpha: float) -> Interval:
    """Noncentralities of t that a t statistic does not reject at alpha, both tails alike; excludes 0 where t does.

    >>> [round(end, 4) for end in noncentrality(2.0, 29, 0.05)]
    [-0.0419, 4.0097]
    """
    from scipy import optimize, special

    at, weight = np.polynomial.legendre.leggauss(NODES)
    # the sample sd over the true one, at evenly placed shares of its distribution
    sd = np.sqrt(special.chdtri(df, 1 - (at + 1) / 2) / df)
    reach = abs(t) * float(sd.max()) + float(special.ndtri(1 - alpha / 4)) + 5

    def end(tail: float) -> float:
        def excess(shift: float) -> float:
            return float(weight @ special.ndtr(t * sd - shift)) / 2 - tail

        return float(optimize.brentq(excess, -reach, reach))

    return end(1 - alpha / 2), end(alpha / 2)


@lru_cache(maxsize=256)
def studentized(alpha: float, groups: int, df: float) -> float:
    """Critical value of the studentized range."""
    from scipy import stats

    return float(stats.studentized_range.isf(alpha, groups, df))


def small_sample(df: float) -> float:
    """Hedges' factor J, which takes the bias out of a standardised difference (Hedges 1981).

    >>> round(small_sample(10), 4)
    0.9227
    """
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2) if df > 1 else 1.0


def share_interval(share: float, se: float, alpha: float) -> Interval:
    """Interval of a rank-biserial correlation by Fisher's z, `se` the standard error where there is no difference."""
    from scipy import stats

    if abs(share) >= 1:
        share = math.copysign(1 - 1e-12, share)
    middle, half = math.atanh(share), stats.norm.isf(alpha / 2) * se
    return math.tanh(middle - half), math.tanh(middle + half)
