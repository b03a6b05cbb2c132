"""Two groups that every unit met: paired t, Wilcoxon's signed ranks, the sign test; on the units' differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from sessionkit.analysis.compare.effect_intervals import rank_biserial_interval
from sessionkit.analysis.compare.effects import noncentrality
from sessionkit.analysis.compare.pair_findings import Interval, Pair, inverted
from sessionkit.analysis.compare.units import Blocked
from sessionkit.analysis.distribution_tails import t_at, t_beyond

EXACT_TO = 50
"""Differences other than 0 up to which Wilcoxon's distribution is exact, whether or not they are tied."""


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
    """Wilcoxon's signed-rank test, zeros left out (Wilcoxon's own rule; scipy's zero_method "wilcox").

    Of up to 50 differences other than 0 the p-value is exact, ties or not: of all ways to give signs to the ranks that were
    found, ties sharing their mean rank, the share with a sum as far out. Of more it is by the normal distribution, with the
    variance that ties leave and without a correction for continuity.

    The estimate is the pseudo-median (Hodges and Lehmann: the median of the means of all pairs of differences), the
    statistic the smaller of the two sums of ranks, the effect the matched-pairs rank-biserial correlation (rank sum
    for less rank sum against, over all ranks), which ignores zeros too.
    """
    from scipy import stats

    d = units.differences(first, second)

    def ranked(shift: float) -> tuple[float, np.ndarray]:
        """Rank sum for, and the ranks of all differences that are not 0."""
        e = d - shift
        e = e[e != 0]
        ranks = stats.rankdata(np.abs(e))
        return float(ranks[e > 0].sum()), ranks

    def test(shift: float) -> tuple[float, float]:
        plus, ranks = ranked(shift)
        n = len(ranks)
        excess = plus - n * (n + 1) / 4
        if not n:
            return 0.0, 1.0
        if n <= EXACT_TO:
            return excess, signed_rank_p(plus, ranks)
        return excess, float(2 * stats.norm.sf(abs(excess) / math.sqrt(_variance(ranks))))

    plus, ranks = ranked(0.0)
    n, variance = len(ranks), _variance(ranks)
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

    d = units.differences(first, second)

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


def signed_rank_p(plus: float, ranks: np.ndarray) -> float:
    """Exact two-sided p-value of a sum of positive ranks: of all signs of these ranks, the share with one as far out.

    Differences 1, 2, 2, -3 have ranks 1, 2.5, 2.5, 4, and 4 for the negative: of the 16 sums 0 to 4 are reached by {},
    {1}, twice {2.5}, twice {1, 2.5} and {4}, 7 of 16.

    >>> signed_rank_p(6.0, np.array([1.0, 2.5, 2.5, 4.0])), 2 * 7 / 16
    (0.875, 0.875)
    """
    doubled = np.rint(2 * np.sort(ranks)).astype(np.int64)
    twice, total = round(2 * plus), int(doubled.sum())
    return min(1.0, 2 * float(_tail(doubled.tobytes())[min(twice, total - twice)]))


@lru_cache(maxsize=256)
def _tail(doubled: bytes) -> np.ndarray:
    """Chance that the sum of the positive ones of doubled ranks, in order, is at most 0, 1, and so on."""
    ranks = np.frombuffer(doubled, dtype=np.int64).tolist()
    ways = np.zeros(sum(ranks) + 1)
    ways[0], most = 1, 0
    for rank in ranks:
        ways[rank : rank + most + 1] += ways[: most + 1].copy()
        most += rank
    found: np.ndarray = np.cumsum(ways) / 2.0 ** len(ranks)
    return found


def _variance(ranks: np.ndarray) -> float:
    """Variance of the sum of the positive ranks where there is no difference."""
    return float((ranks**2).sum() / 4)


def _pseudo_median(d: np.ndarray, test: Callable[[float], tuple[float, float]]) -> float:
    """Median of the means of all pairs of differences; where these are too many, the shift at which the test balances."""
    if len(d) <= 2_000:
        row, column = np.triu_indices(len(d))
        return float(np.median((d[row] + d[column]) / 2))
    return inverted(lambda shift: (test(shift)[0], 0.0), float(d.min()), float(d.max()), 1.0)[0]
