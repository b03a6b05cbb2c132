"""Significance tests: paired and independent t, rank and sign tests, analysis of variance, and randomization within blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import permutations, product

import numpy as np

from sessionkit.display.numbers import p_text
from sessionkit.statistics.distributions import TIE, f_beyond, settled, t_at, t_beyond
from sessionkit.statistics.distributions import ranks as ranked
from sessionkit.statistics.effects import (
    Interval,
    Outcome,
    Overall,
    Pair,
    cliffs_delta_interval,
    inverted,
    noncentrality,
    rank_biserial_interval,
    real_spread,
    single_rate,
    small_sample,
    studentized,
)
from sessionkit.statistics.remarks import not_tested
from sessionkit.statistics.units import Blocked, Separate

WILCOXON_EXACT_TO = 50
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
        if n <= WILCOXON_EXACT_TO:
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


MANN_WHITNEY_EXACT_TO = 8
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
    few = min(len(a), len(b)) <= MANN_WHITNEY_EXACT_TO
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


def residual_variance(values: np.ndarray) -> tuple[float, int]:
    """Return the residual mean square of the two-way analysis without replication, V_E2, and its degrees of freedom.

    It is 0 where nothing but rounding is left.
    """
    n, k = values.shape
    left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    df = (n - 1) * (k - 1)
    variance = float((left**2).sum() / df)
    return variance if real_spread(math.sqrt(variance), values) else 0.0, df


def blocked_anova(units: Blocked) -> tuple[Overall, ...]:
    """Return F of the groups, plain and with Greenhouse and Geisser's correction where differences vary unequally.

    There is none where every unit has the same differences between groups.
    """
    values = units.values
    n, k = values.shape
    variance, df = residual_variance(values)
    if not variance:
        return ()
    f = float(n * ((values.mean(axis=0) - values.mean()) ** 2).sum() / (k - 1)) / variance
    found = [Overall("blocked ANOVA", f, k - 1, df, f_beyond(f, k - 1, df))]
    if k > 2:
        e = _sphericity(values)
        corrected = f_beyond(f, e * (k - 1), e * df)
        found.append(Overall("blocked ANOVA, Greenhouse-Geisser", f, e * (k - 1), e * df, corrected))
    return tuple(found)


def tukey(units: Blocked) -> Outcome:
    """Tukey's HSD on V_E2; p-values and intervals hold for all pairs at once, the effect is d / sqrt(V_E2).

    This is not the HSD for independent groups (scipy's ``tukey_hsd``), which leaves the blocks in the error.
    """
    from scipy import stats

    n, k = units.values.shape
    variance, df = residual_variance(units.values)
    se, sd = math.sqrt(variance / n), math.sqrt(variance)
    means = units.means
    if not variance:
        differences = {(i, j): float(means[j] - means[i]) for i in range(k) for j in range(i + 1, k)}
        return Outcome({key: Pair(d, None) for key, d in differences.items()})

    def pair(first: int, second: int) -> Pair:
        d = float(means[second] - means[first])

        def interval(alpha: float) -> Interval:
            half = studentized(alpha, k, df) * se
            return d - half, d + half

        def effect_interval(alpha: float) -> Interval:
            rate = single_rate(studentized(alpha, k, df) / math.sqrt(2), df)
            low, high = noncentrality(d / se / math.sqrt(2), df, rate)
            return low * math.sqrt(2 / n), high * math.sqrt(2 / n)

        p = float(stats.studentized_range.sf(abs(d) / se, k, df))
        return Pair(d, p, interval, abs(d) / se, df, d / sd, effect_interval, se * math.sqrt(2))

    return Outcome({(i, j): pair(i, j) for i in range(k) for j in range(i + 1, k)}, blocked_anova(units))


def _sphericity(values: np.ndarray) -> float:
    """Greenhouse and Geisser's epsilon: 1 where all differences of groups vary alike, at least 1 / (k - 1)."""
    k = values.shape[1]
    centered = np.eye(k) - 1 / k
    covariance = centered @ np.cov(values, rowvar=False) @ centered
    return float(np.clip(np.trace(covariance) ** 2 / ((k - 1) * (covariance**2).sum()), 1 / (k - 1), 1))


def friedman(units: Blocked) -> tuple[Overall, ...]:
    """Friedman's chi-squared, corrected for ties, and Iman and Davenport's F = (n-1) chi2 / (n(k-1) - chi2)."""
    from scipy import stats

    ranks = ranked(units.values, axis=1)
    n, k = ranks.shape
    sums, squares = ranks.sum(axis=0), float((ranks**2).sum())
    middle = n * k * (k + 1) ** 2 / 4
    spread = squares - middle  # 0 where every unit has the groups alike
    chi2 = float((k - 1) * ((sums**2).sum() - n * middle) / spread) if spread else 0.0
    found = [Overall("Friedman", chi2, k - 1, None, float(stats.chi2.sf(chi2, k - 1)))]
    left = n * (k - 1) - chi2
    if left > 1e-9 * n:
        f, df = (n - 1) * chi2 / left, (n - 1) * (k - 1)
        found.append(Overall("Iman-Davenport", f, k - 1, df, float(stats.f.sf(f, k - 1, df))))
    return tuple(found)


def nemenyi(units: Blocked) -> Outcome:
    """Nemenyi's comparison of mean ranks; a pair's verdict depends on the other groups.

    Estimate and interval are of the difference of mean ranks (a higher value has a higher rank), the interval +- the
    critical difference; the effect is the difference over its largest possible size, k - 1.
    """
    from scipy import stats

    ranks = ranked(units.values, axis=1)
    n, k = ranks.shape
    means, se = ranks.mean(axis=0), math.sqrt(k * (k + 1) / (6 * n))

    def pair(first: int, second: int) -> Pair:
        d = float(means[second] - means[first])
        q = abs(d) / se * math.sqrt(2)
        p = float(stats.studentized_range.sf(q, k, np.inf))

        def half(alpha: float) -> float:
            return studentized(alpha, k, math.inf) / math.sqrt(2) * se

        return _pair(d, half, k, (p, q, None))

    return Outcome({(i, j): pair(i, j) for i in range(k) for j in range(i + 1, k)}, friedman(units))


def conover(units: Blocked, alpha: float) -> Outcome:
    """Conover's comparison of rank sums (Conover 1980), made only after a significant Friedman test.

    t = abs(R_a - R_b) / sqrt(2 (nA - sum R_j^2) / ((n-1)(k-1))), A the sum of the squared ranks; p-values are of single
    pairs and must be corrected.
    """
    from scipy import stats

    ranks = ranked(units.values, axis=1)
    n, k = ranks.shape
    sums, df = ranks.sum(axis=0), (n - 1) * (k - 1)
    overall = friedman(units)
    spread = 2 * (n * float((ranks**2).sum()) - float((sums**2).sum())) / df
    pairs = {(i, j): float(sums[j] - sums[i]) for i in range(k) for j in range(i + 1, k)}
    if overall[-1].p > alpha or spread <= 0:
        test, p = overall[-1].test, overall[-1].p
        if p > alpha:
            why, reason = f"{test} finds no difference between the groups ({p_text(p)})", "no overall difference"
        else:
            why, reason = "every unit ranks the groups the same, so Conover's test has no variance", "no variance"
        remark = not_tested(reason, f"{why}, so Conover's comparison of pairs was not made", value=p, detail=test)
        none = {key: Pair(d / n, None, effect=d / n / (k - 1)) for key, d in pairs.items()}
        return Outcome(none, overall, (remark,))

    def pair(d: float) -> Pair:
        t = abs(d) / math.sqrt(spread)

        def half(rate: float) -> float:
            return float(stats.t.isf(rate / 2, df)) * math.sqrt(spread) / n

        return _pair(d / n, half, k, (float(2 * stats.t.sf(t, df)), t, df))

    return Outcome({key: pair(d) for key, d in pairs.items()}, overall)


def _pair(d: float, half: Callable[[float], float], k: int, tested: tuple[float, float, float | None]) -> Pair:
    """Make the finding of a difference of mean ranks with an interval of this half width, and its p, statistic and df."""
    p, statistic, df = tested

    def interval(alpha: float) -> Interval:
        return d - half(alpha), d + half(alpha)

    def effect_interval(alpha: float) -> Interval:
        return max(-1.0, (d - half(alpha)) / (k - 1)), min(1.0, (d + half(alpha)) / (k - 1))

    return Pair(d, p, interval, statistic, df, d / (k - 1), effect_interval)


CELLS = 4_000_000
"""Random numbers drawn at once."""


def signs(units: int, draws: int, seed: int) -> tuple[Iterator[np.ndarray], bool]:
    """Signs for every unit, a row per draw, in batches; all 2^n of them, and True, where these are no more than asked for."""
    if 2**units <= draws if units < 60 else False:
        return iter([np.array(list(product((1.0, -1.0), repeat=units)))]), True

    def drawn() -> Iterator[np.ndarray]:
        rng = np.random.Generator(np.random.PCG64(seed))
        batch = max(1, CELLS // units)
        for first in range(0, draws, batch):
            yield rng.integers(0, 2, (min(batch, draws - first), units), dtype=np.int8) * 2.0 - 1.0

    return drawn(), False


def arrangements(units: int, groups: int, draws: int, seed: int) -> tuple[Iterator[np.ndarray], bool]:
    """Which value of every unit meets each group, in batches of arrangements; all (groups!)^units of them, and True, where
    these are no more than asked for.
    """
    batch = max(1, CELLS // (units * groups))
    ways = math.factorial(groups)
    if units * math.log(ways) <= math.log(draws) + 1 and ways**units <= draws:
        every = np.array(list(permutations(range(groups))))

        def listed() -> Iterator[np.ndarray]:
            for first in range(0, ways**units, batch):
                number = np.arange(first, min(first + batch, ways**units))
                yield every[number[:, None] // ways ** np.arange(units) % ways]

        return listed(), True

    def drawn() -> Iterator[np.ndarray]:
        rng = np.random.Generator(np.random.PCG64(seed))
        for first in range(0, draws, batch):
            yield rng.random((min(batch, draws - first), units, groups)).argsort(axis=2)

    return drawn(), False


def share_as_large(found: np.ndarray, observed: float, exact: bool, size: float = 0.0) -> float:
    """P-value: the share of draws as large as what was observed, which itself is one of them.

    Sums of the same numbers in another order are tied, also where nothing but rounding is left of them: `size` says how
    large the numbers are that the statistic is the sum of.
    """
    many = int((found >= observed - TIE * max(observed, size)).sum())
    return many / len(found) if exact else (many + 1) / (len(found) + 1)


def randomized(units: Blocked, draws: int, seed: int) -> Outcome:
    """Randomization within units; of more than two groups max-T over all pairs (randomized Tukey), else sign flips."""
    if units.values.shape[1] > 2:
        return _largest_range(units, draws, seed)
    return Outcome({(0, 1): _flipped(units, draws, seed)})


def _flipped(units: Blocked, draws: int, seed: int) -> Pair:
    """Mean difference of two groups; the interval holds the shifts that flips of the shifted differences allow."""
    d = units.differences(0, 1)
    arrangements, exact = signs(len(d), draws, seed)
    sums = np.vstack([np.column_stack([s @ d, s.sum(axis=1)]) for s in arrangements]) / len(d)
    mean, sd = float(d.mean()), real_spread(float(d.std(ddof=1)), units.values)
    size = float(np.abs(d).mean())

    def test(shift: float) -> tuple[float, float]:
        found = np.abs(sums[:, 0] - shift * sums[:, 1])
        return mean - shift, share_as_large(found, abs(mean - shift), exact, size + abs(shift))

    def interval(alpha: float) -> Interval:
        return inverted(test, float(d.min()), float(d.max()), alpha)

    root = math.sqrt(len(d))

    def effect_interval(alpha: float) -> Interval:
        return scaled(noncentrality(root * mean / sd, len(d) - 1, alpha), 1 / root)

    return Pair(
        estimate=mean,
        p=test(0.0)[1],
        interval=interval,
        statistic=mean,
        effect=mean / sd if sd else None,
        effect_interval=effect_interval if sd else None,
        se=sd / root if sd else None,
    )


def _largest_range(units: Blocked, draws: int, seed: int) -> Outcome:
    """Each pair's mean difference beside the largest of all pairs in each draw; intervals hold for all pairs at once.

    Draws are of the values as they are, so what the groups truly differ by is in them: p and intervals, the effect's too
    (of the residual sd, as Tukey's is), are the more cautious the more some groups differ.
    """
    values = units.values
    n, k = values.shape
    orders, exact = arrangements(n, k, draws, seed)
    ranges = []
    for order in orders:
        means = np.take_along_axis(np.broadcast_to(values, order.shape), order, axis=2).mean(axis=1)
        ranges.append(np.ptp(means, axis=1))
    largest = np.sort(np.concatenate(ranges))[::-1]
    means, (variance, df) = units.means, residual_variance(values)
    sd, se = math.sqrt(variance), math.sqrt(2 * variance / n)
    size = float(np.abs(values).mean())

    def critical(alpha: float) -> float:
        # 1 - 0.9 is a little less than 0.1: without the tie, a tenth of 10,000 draws would be 999 of them
        share = alpha * (1 + TIE)
        place = math.floor(share * len(largest)) if exact else math.floor(share * (len(largest) + 1)) - 1
        least = math.factorial(k) if exact else 0  # groups renamed in every unit at once make the same range
        return float(largest[place]) if place >= least else math.inf

    def pair(first: int, second: int) -> Pair:
        d = float(means[second] - means[first])

        def interval(alpha: float) -> Interval:
            half = critical(alpha)
            return d - half, d + half

        def effect_interval(alpha: float) -> Interval:
            rate = single_rate(critical(alpha) / se, df)
            return scaled(noncentrality(d / se, df, rate), se / sd) if rate > 0 else (-math.inf, math.inf)

        spread = real_spread(float(np.std(values[:, second] - values[:, first], ddof=1)), values)
        return Pair(
            estimate=d,
            p=share_as_large(largest, abs(d), exact, size),
            interval=interval,
            statistic=abs(d),
            effect=d / sd if sd else None,
            effect_interval=effect_interval if sd else None,
            se=spread / math.sqrt(n) if spread else None,
        )

    pairs = {(i, j): pair(i, j) for i in range(k) for j in range(i + 1, k)}
    return Outcome(pairs, blocked_anova(units))
