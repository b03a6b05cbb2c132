"""Groups of different units: Welch's t, Mann and Whitney's U, one-way ANOVA, Kruskal-Wallis, Tukey and Kramer's HSD."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sessionkit.analysis.compare.effect_intervals import cliffs_delta_interval
from sessionkit.analysis.compare.effects import noncentrality, single_rate, small_sample, studentized
from sessionkit.analysis.compare.pair_findings import Interval, Outcome, Overall, Pair, inverted
from sessionkit.analysis.compare.units import Separate
from sessionkit.analysis.distribution_tails import t_at, t_beyond
from sessionkit.analysis.numeric_ties import settled

EXACT_TO = 8
"""Values of the smaller group up to which the distribution of U is exact."""
TIED_TO = 100
"""Values of both groups up to which it is so where some are tied, which takes every value's own rank."""


def welch(units: Separate, first: int, second: int) -> Pair:
    """Welch's t, which lets the groups differ in variance; the effect is Hedges' g, by the pooled sd."""
    a, b = units.values[first], units.values[second]
    parts = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    se = math.sqrt(sum(parts))
    df = sum(parts) ** 2 / (parts[0] ** 2 / (len(a) - 1) + parts[1] ** 2 / (len(b) - 1))
    mean = float(b.mean() - a.mean())
    within = len(a) + len(b) - 2
    pooled = math.sqrt((a.var(ddof=1) * (len(a) - 1) + b.var(ddof=1) * (len(b) - 1)) / within)
    scale = se / pooled * small_sample(within)
    t = mean / se

    def interval(alpha: float) -> Interval:
        half = t_at(alpha / 2, df) * se
        return mean - half, mean + half

    def effect_interval(alpha: float) -> Interval:
        low, high = noncentrality(t, df, alpha)
        return low * scale, high * scale

    return Pair(mean, 2 * t_beyond(abs(t), df), interval, t, df, t * scale, effect_interval, se)


def mann_whitney(units: Separate, first: int, second: int) -> Pair:
    """Mann and Whitney's U test, exact where the smaller group has up to 8 values, else by the normal distribution with
    continuity correction.

    Exact with ties means: of all ways to give the ranks that were found, ties sharing their mean rank, to the two groups,
    twice the share with a U as far out on its side; of more than 100 values with ties it is the normal distribution.

    The estimate is Hodges and Lehmann's shift (the median of all differences between a value of each group), the
    effect Cliff's delta: the share of such differences above 0 less the share below.
    """
    from scipy import stats

    a, b = _together(units.values[first], units.values[second])  # at every shift ties within a group stay
    many = len(a) + len(b)
    times = np.unique(np.concatenate([a, b]), return_counts=True)[1].astype(float)
    tied = len(times) < many
    ties = 1 - float((times**3 - times).sum()) / (float(many) ** 3 - many)
    few = min(len(a), len(b)) <= EXACT_TO
    method = "exact" if few and not tied else "asymptotic"
    half = len(a) * len(b) / 2

    def test(shift: float) -> tuple[float, float]:
        if few and tied and many <= TIED_TO:
            return _exact(a, b - shift)
        found = stats.mannwhitneyu(b - shift, a, method=method)
        p = float(found.pvalue)
        return float(found.statistic) - half, 1.0 if math.isnan(p) else p

    excess, p = test(0.0)
    delta = excess / half
    low, high = float(b.min() - a.max()), float(b.max() - a.min())
    shift = (
        float(np.median(b[:, None] - a[None, :]))
        if len(a) * len(b) <= 4_000_000
        else inverted(lambda by: (test(by)[0], 0.0), low, high, 1.0)[0]
    )
    return Pair(
        estimate=shift,
        p=p,
        interval=lambda alpha: inverted(test, low, high, alpha),
        statistic=excess + half,
        effect=delta,
        effect_interval=lambda alpha: cliffs_delta_interval(delta, (len(a), len(b)), alpha, ties),
    )


def one_way(units: Separate) -> tuple[Overall, ...]:
    """One-way analysis of variance."""
    from scipy import stats

    found = stats.f_oneway(*units.values)
    df, error = len(units.values) - 1, sum(units.counts) - len(units.values)
    return (Overall("one-way ANOVA", float(found.statistic), df, error, float(found.pvalue)),)


def kruskal(units: Separate) -> tuple[Overall, ...]:
    """Kruskal and Wallis's test of ranks."""
    from scipy import stats

    found = stats.kruskal(*_together(*units.values))
    return (Overall("Kruskal-Wallis", float(found.statistic), len(units.values) - 1, None, float(found.pvalue)),)


def tukey_kramer(units: Separate) -> Outcome:
    """Tukey and Kramer's HSD for groups of different units; p-values and intervals hold for all pairs at once."""
    from scipy import stats

    k, counts = len(units.values), units.counts
    df = sum(counts) - k
    variance = sum(float(((v - v.mean()) ** 2).sum()) for v in units.values) / df
    sd = math.sqrt(variance)

    def pair(first: int, second: int) -> Pair:
        d = float(units.values[second].mean() - units.values[first].mean())
        se = math.sqrt(variance / 2 * (1 / counts[first] + 1 / counts[second]))

        def interval(alpha: float) -> Interval:
            half = studentized(alpha, k, df) * se
            return d - half, d + half

        t, scale = d / se / math.sqrt(2), small_sample(df) * se * math.sqrt(2) / sd

        def effect_interval(alpha: float) -> Interval:
            rate = single_rate(studentized(alpha, k, df) / math.sqrt(2), df)
            return scaled(noncentrality(t, df, rate), scale)

        p = float(stats.studentized_range.sf(abs(d) / se, k, df))
        return Pair(d, p, interval, abs(d) / se, df, t * scale, effect_interval, se * math.sqrt(2))

    return Outcome({(i, j): pair(i, j) for i in range(k) for j in range(i + 1, k)}, one_way(units))


def _together(*groups: np.ndarray) -> list[np.ndarray]:
    """The values of all groups, ties made the same."""
    ends = np.cumsum([len(values) for values in groups])[:-1]
    return np.split(settled(np.concatenate(groups)), ends)


def _exact(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """U of b less its middle, and the exact two-sided p-value with the ranks that the values have."""
    from scipy import stats

    ranks = np.rint(2 * stats.rankdata(np.concatenate([a, b]))).astype(np.int64)
    smaller = ranks[: len(a)] if len(a) < len(b) else ranks[len(a) :]
    ways, at = _rank_sums(np.sort(ranks).tobytes(), len(smaller)), int(smaller.sum())
    p = min(1.0, 2 * float(min(ways[: at + 1].sum(), ways[at:].sum()) / ways.sum()))
    return float(ranks[len(a) :].sum()) / 2 - len(b) * (len(a) + len(b) + 1) / 2, p


@lru_cache(maxsize=256)
def _rank_sums(doubled: bytes, many: int) -> np.ndarray:
    """In how many ways so many of these doubled ranks, in order, add up to 0, 1, and so on."""
    ranks = np.frombuffer(doubled, dtype=np.int64).tolist()
    ways = np.zeros((many + 1, sum(ranks[-many:]) + 1))
    ways[0, 0] = 1
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    found: np.ndarray = ways[many]
    return found


def scaled(interval: Interval, scale: float) -> Interval:
    """Return an interval in other units."""
    return interval[0] * scale, interval[1] * scale
