"""Two groups that every unit met: paired t, Wilcoxon's signed ranks, the sign test; on the units' differences."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sessionkit.analysis.comparing.effects import noncentrality
from sessionkit.analysis.comparing.findings import Interval, Pair, inverted
from sessionkit.analysis.comparing.shares import rank_biserial_interval
from sessionkit.analysis.comparing.units import Blocked
from sessionkit.analysis.tails import t_at, t_beyond

EXACT_TO = 50
"""Differences up to which Wilcoxon's distribution is exact, where there are neither ties nor zeros."""


def paired_t(units: Blocked, first: int, second: int) -> Pair:
    """Student's t on the differences; the interval is t's, the effect d_z = mean / sd with its noncentral t interval."""
    d = units.values[:, second] - units.values[:, first]
    n, mean, sd = len(d), float(d.mean()), float(d.std(ddof=1))
    se, df = sd / math.sqrt(n), n - 1
    t = mean / se

    def interval(alpha: float) -> Interval:
        half = t_at(alpha / 2, df) * se
        return mean - half, mean + half

    def effect_interval(alpha: float) -> Interval:
        low, high = noncentrality(t, df, alpha)
        return low / math.sqrt(n), high / math.sqrt(n)

    return Pair(mean, 2 * t_beyond(abs(t), df), interval, t, df, mean / sd, effect_interval, se)


def wilcoxon(units: Blocked, first: int, second: int) -> Pair:
    """Wilcoxon's signed-rank test, zeros left out (zero_method "wilcox").

    The estimate is the pseudo-median (Hodges and Lehmann: the median of the means of all pairs of differences), the
    statistic the smaller of the two sums of ranks, the effect the matched-pairs rank-biserial correlation (rank sum
    for less rank sum against, over all ranks), which ignores zeros too.
    """
    from scipy import stats

    d = units.values[:, second] - units.values[:, first]
    size = np.abs(d[d != 0])
    exact = len(size) == len(d) <= EXACT_TO and len(np.unique(size)) == len(size)

    def ranked(shift: float) -> tuple[float, float, int]:
        """Rank sum for, its variance where there is no difference, and how many differences are not 0."""
        e = d - shift
        e = e[e != 0]
        ranks = stats.rankdata(np.abs(e))
        return float(ranks[e > 0].sum()), float((ranks**2).sum() / 4), len(e)

    def test(shift: float) -> tuple[float, float]:
        plus, variance, n = ranked(shift)
        excess = plus - n * (n + 1) / 4
        if not n:
            return 0.0, 1.0
        if exact:
            return excess, _signed_rank_p(min(plus, n * (n + 1) / 2 - plus), n)
        return excess, float(2 * stats.norm.sf(abs(excess) / math.sqrt(variance)))

    plus, variance, n = ranked(0.0)
    total = n * (n + 1) / 2
    share = 2 * plus / total - 1
    ties = variance / (total * (2 * n + 1) / 12)
    return Pair(
        estimate=_pseudo_median(d, test),
        p=test(0.0)[1],
        interval=lambda alpha: inverted(test, float(d.min()), float(d.max()), alpha),
        statistic=min(plus, total - plus),
        effect=share,
        effect_interval=lambda alpha: rank_biserial_interval(share, n, alpha, ties),
    )


def sign(units: Blocked, first: int, second: int) -> Pair:
    """The sign test, exact, zeros left out.

    The estimate is the median difference; the effect is the share of units for the second group less the share
    against it, its interval Clopper and Pearson's.
    """
    from scipy import stats

    d = units.values[:, second] - units.values[:, first]

    def test(shift: float) -> tuple[float, float]:
        more, less = int((d > shift).sum()), int((d < shift).sum())
        n = more + less
        return more - less, min(1.0, 2 * float(stats.binom.cdf(min(more, less), n, 0.5)))

    more, less = int((d > 0).sum()), int((d < 0).sum())
    n = more + less

    def effect_interval(alpha: float) -> Interval:
        low = float(stats.beta.ppf(alpha / 2, more, less + 1)) if more else 0.0
        high = float(stats.beta.isf(alpha / 2, more + 1, less)) if less else 1.0
        return 2 * low - 1, 2 * high - 1

    return Pair(
        estimate=float(np.median(d)),
        p=test(0.0)[1],
        interval=lambda alpha: inverted(test, float(d.min()), float(d.max()), alpha),
        statistic=float(more),
        effect=(more - less) / n,
        effect_interval=effect_interval,
    )


def _signed_rank_p(smaller: float, n: int) -> float:
    """Exact two-sided p-value of the smaller rank sum: of all 2^n signs, the share with one as small."""
    ways = _ways(n)
    return min(1.0, 2 * float(ways[: int(smaller) + 1].sum()) / 2.0**n)


def _ways(n: int) -> np.ndarray:
    """In how many ways signs give each rank sum from 0 to n(n + 1) / 2."""
    ways = np.zeros(n * (n + 1) // 2 + 1)
    ways[0] = 1
    for rank in range(1, n + 1):
        ways[rank:] += ways[:-rank].copy()
    return ways


def _pseudo_median(d: np.ndarray, test: Callable[[float], tuple[float, float]]) -> float:
    """Median of the means of all pairs of differences; where these are too many, the shift at which the test balances."""
    if len(d) <= 2_000:
        row, column = np.triu_indices(len(d))
        return float(np.median((d[row] + d[column]) / 2))
    return inverted(lambda shift: (test(shift)[0], 0.0), float(d.min()), float(d.max()), 1.0)[0]
