"""Blocked ANOVA, Tukey, Friedman, Nemenyi, Conover: CLASSIC section 6's example S, scipy, and statsmodels' numbers.

Groups of different units: against scipy, and intervals that agree with p.

t, Wilcoxon, sign on paired differences: against scipy, and intervals that invert the test.

Randomization within units: against all arrangements in plain Python and scipy; max-T over pairs.
"""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from sessionkit.statistics.significance import (
    blocked_anova,
    conover,
    friedman,
    kruskal,
    mann_whitney,
    nemenyi,
    one_way,
    paired_t,
    randomized,
    residual_variance,
    sign,
    tukey,
    tukey_kramer,
    welch,
    wilcoxon,
)
from sessionkit.statistics.units import Blocked, Separate
from tests.statistics import all_arrangements
from tests.statistics.layouts import EXAMPLE_S

PAIRS = [(0, 1), (0, 2), (1, 2)]
S = Blocked(EXAMPLE_S)


def p_values(outcome):
    return [outcome.pairs[pair].p for pair in PAIRS]


def test_friedman_and_iman_davenport():
    chi2, f = friedman(S)
    assert (chi2.statistic, chi2.p) == (pytest.approx(7.0), pytest.approx(0.0302, abs=5e-5))
    assert (f.statistic, f.p) == (pytest.approx(7.0), pytest.approx(0.01256, abs=5e-6))
    tied = EXAMPLE_S.round(1)
    assert friedman(Blocked(tied))[0].statistic == pytest.approx(stats.friedmanchisquare(*tied.T).statistic)


def test_conover():
    found = conover(S, 0.05)
    assert [found.pairs[pair].statistic for pair in PAIRS] == pytest.approx([1.2247, 3.6742, 2.4495], abs=5e-5)
    assert p_values(found) == pytest.approx([0.2487, 0.0043, 0.0343], abs=5e-5)
    low, high = found.pairs[0, 2].interval(found.pairs[0, 2].p)
    assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-12)


def test_conover_is_not_made_without_a_significant_friedman():
    found = conover(S, 0.01)  # Iman-Davenport p .01256
    assert p_values(found) == [None] * 3
    assert found.remarks[0].values["reason"] == "no overall difference"


def test_nemenyi():
    found = nemenyi(S)
    assert p_values(found) == pytest.approx([0.6618, 0.0254, 0.1932], abs=5e-5)
    low, high = found.pairs[0, 2].interval(0.05)
    assert (high - low) / 2 == pytest.approx(1.3531, abs=5e-5)


def test_tukey_on_the_blocked_residual():
    variance, df = residual_variance(EXAMPLE_S)
    assert (variance, df) == (pytest.approx(0.0034756, abs=5e-8), 10)
    found = tukey(S)
    assert p_values(found) == pytest.approx([0.3033, 0.00054, 0.0054], abs=5e-5)
    assert found.pairs[0, 2].interval(0.05) == pytest.approx((0.1000, 0.2866), abs=5e-5)
    assert found.pairs[0, 2].effect == pytest.approx(found.pairs[0, 2].estimate / np.sqrt(variance))
    independent = stats.tukey_hsd(*EXAMPLE_S.T).pvalue
    assert independent[0, 2] == pytest.approx(0.0811, abs=5e-5)  # what must not come out


def test_anova():
    plain, corrected = blocked_anova(S)
    assert (plain.statistic, plain.p) == (pytest.approx(17.212, abs=5e-4), pytest.approx(0.00058, abs=5e-6))
    assert corrected.p > plain.p
    # two groups: F is the square of the paired t
    (two,) = blocked_anova(Blocked(EXAMPLE_S[:, :2]))
    assert two.statistic == pytest.approx(stats.ttest_rel(*EXAMPLE_S[:, :2].T).statistic ** 2)


def test_greenhouse_and_geisser_from_the_eigenvalues_of_contrasts():
    contrasts = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    roots = np.linalg.eigvalsh(contrasts @ np.cov(EXAMPLE_S, rowvar=False) @ contrasts.T)
    assert blocked_anova(S)[1].df == pytest.approx(2 * roots.sum() ** 2 / (2 * (roots**2).sum()))


def test_tukey_of_two_groups_is_the_paired_t():
    pair = tukey(Blocked(EXAMPLE_S[:, :2])).pairs[0, 1]
    assert pair.p == pytest.approx(stats.ttest_rel(*EXAMPLE_S[:, :2].T).pvalue, rel=1e-5)


def groups(*sizes, shift=0.4, seed=1, decimals=None):
    rng = np.random.default_rng(seed)
    made = [rng.normal(shift * j, 1 + j / 2, size) for j, size in enumerate(sizes)]
    return tuple(values if decimals is None else values.round(decimals) for values in made)


def test_welch_is_scipys():
    a, b = groups(12, 17)
    pair, theirs = welch(Separate((a, b)), 0, 1), stats.ttest_ind(b, a, equal_var=False)
    assert (pair.statistic, pair.p, pair.df) == pytest.approx((theirs.statistic, theirs.pvalue, theirs.df))
    assert pair.interval(0.1) == pytest.approx(tuple(theirs.confidence_interval(0.9)))
    pooled = np.sqrt((11 * a.var(ddof=1) + 16 * b.var(ddof=1)) / 27)
    assert pair.effect == pytest.approx((b.mean() - a.mean()) / pooled * (1 - 3 / (4 * 27 - 1)), rel=1e-3)


@pytest.mark.parametrize(("sizes", "decimals"), [((7, 9), None), ((20, 30), None), ((20, 30), 0)])
def test_mann_whitney_is_scipys(sizes, decimals):
    a, b = groups(*sizes, decimals=decimals)
    pair, theirs = mann_whitney(Separate((a, b)), 0, 1), stats.mannwhitneyu(b, a)
    assert (pair.statistic, pair.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    differences = b[:, None] - a[None, :]
    assert pair.estimate == pytest.approx(np.median(differences))
    assert pair.effect == pytest.approx((differences > 0).mean() - (differences < 0).mean())
    low, high = pair.interval(0.05)
    if decimals is None:
        every = np.sort(differences.ravel())
        assert np.abs(every - low).min() == pytest.approx(0, abs=1e-9)
        assert np.abs(every - high).min() == pytest.approx(0, abs=1e-9)
        for shift, inside in ((low - 1e-6, False), (low + 1e-6, True), (high + 1e-6, False)):
            assert (stats.mannwhitneyu(b - shift, a).pvalue > 0.05) == inside


@pytest.mark.parametrize("seed", range(6))
def test_mann_whitney_is_exact_with_ties(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 4, 5).astype(float), rng.integers(1, 6, 8).astype(float)
    for one, other in ((a, b), (b, a)):
        pair = mann_whitney(Separate((one, other)), 0, 1)
        theirs = stats.mannwhitneyu(other, one, method=stats.PermutationMethod(n_resamples=np.inf))
        assert (pair.statistic, pair.p) == pytest.approx((theirs.statistic, theirs.pvalue))
        assert pair.p == pytest.approx(all_arrangements.rank_sums(one, other))
    low, high = pair.interval(0.05)
    for shift, inside in ((low - 1e-6, False), (low + 1e-6, True), (high - 1e-6, True), (high + 1e-6, False)):
        assert (all_arrangements.rank_sums(b, a - shift) > 0.05) == inside


def test_mann_whitney_of_eight_and_very_many_with_ties_is_normal():
    a, b = (np.random.default_rng(3).integers(0, 9, size).astype(float) for size in (8, 93))
    pair = mann_whitney(Separate((a, b)), 0, 1)
    assert pair.p == pytest.approx(stats.mannwhitneyu(b, a, method="asymptotic").pvalue)


def test_all_groups_at_once_are_scipys():
    many = groups(8, 9, 10)
    (f,), (h,) = one_way(Separate(many)), kruskal(Separate(many))
    assert f.p == pytest.approx(stats.f_oneway(*many).pvalue)
    assert (f.df, f.df_error) == (2, 24)
    assert h.p == pytest.approx(stats.kruskal(*many).pvalue)


@pytest.mark.slow
def test_tukey_and_kramer_is_scipys():
    many = groups(8, 9, 10)
    found, theirs = tukey_kramer(Separate(many)), stats.tukey_hsd(*many)
    ends = theirs.confidence_interval(0.95)
    for (i, j), pair in found.pairs.items():
        assert pair.p == pytest.approx(theirs.pvalue[i, j], abs=1e-6)
        assert pair.interval(0.05) == pytest.approx((ends.low[j, i], ends.high[j, i]), abs=1e-5)


def study(n=24, shift=0.2, seed=1, decimals=None):
    rng = np.random.default_rng(seed)
    values = rng.normal([0, shift], size=(n, 2))
    return values if decimals is None else values.round(decimals)


def test_t_is_scipys_and_its_effect_excludes_0_where_it_does():
    for shift in (0.0, 0.3, 0.6, 2.0):
        values = study(shift=shift)
        pair, theirs = paired_t(Blocked(values), 0, 1), stats.ttest_rel(values[:, 1], values[:, 0])
        assert (pair.statistic, pair.p, pair.df) == pytest.approx((theirs.statistic, theirs.pvalue, theirs.df))
        assert pair.interval(0.05) == pytest.approx(tuple(theirs.confidence_interval(0.95)))
        d = values[:, 1] - values[:, 0]
        assert pair.effect == pytest.approx(d.mean() / d.std(ddof=1))
        ends = pair.effect_interval(0.05)
        assert (ends[0] > 0 or ends[1] < 0) == (pair.p < 0.05)
        # the ends are the noncentralities that put t at 97.5 and 2.5%
        for end, below in zip(ends, (0.975, 0.025), strict=True):
            assert stats.nct.cdf(pair.statistic, 23, end * np.sqrt(24)) == pytest.approx(below, abs=1e-6)


@pytest.mark.parametrize("decimals", [None, 0])
@pytest.mark.parametrize("n", [9, 24, 70])
def test_wilcoxon_is_scipys(n, decimals):
    values = study(n, decimals=decimals, seed=n)
    d = values[:, 1] - values[:, 0]
    theirs = stats.wilcoxon(d, zero_method="wilcox", method="exact" if decimals is None and n <= 50 else "asymptotic")
    pair = wilcoxon(Blocked(values), 0, 1)
    p = all_arrangements.signed_ranks(d) if n <= 50 else theirs.pvalue
    assert (pair.statistic, pair.p) == pytest.approx((theirs.statistic, p))
    if decimals is None:
        assert pair.p == pytest.approx(theirs.pvalue)
    walsh = [(a + b) / 2 for i, a in enumerate(d) for b in d[i:]]
    assert pair.estimate == pytest.approx(np.median(walsh))
    e = d[d != 0]
    ranks = stats.rankdata(abs(e))
    assert pair.effect == pytest.approx((ranks * np.sign(e)).sum() / ranks.sum())


def test_wilcoxon_is_exact_with_zeros_and_ties():
    # five of six differences are not 0, and all are above it: 2 of the 32 ways to give signs are as far out
    d = np.array([0.1, 0.2, 0.3, 0.41, 0.53, 0.0])
    assert wilcoxon(Blocked(np.column_stack([0 * d, d])), 0, 1).p == 2 / 32
    # ranks 1.5, 1.5, 3, 4 of -1, 1, 2, 3: sums of 1.5 or less against 8.5 by {}, and either 1.5: 3 of 16 on each side
    d = np.array([-1.0, 1.0, 2.0, 3.0, 0.0, 0.0])
    assert wilcoxon(Blocked(np.column_stack([0 * d, d])), 0, 1).p == 2 * 3 / 16


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(8))
def test_with_zeros_and_ties_it_is_scipys_permutation_of_signs(seed):
    d = np.random.default_rng(seed).integers(-3, 5, 12).astype(float)
    every = stats.PermutationMethod(n_resamples=2**12)
    theirs = stats.wilcoxon(d[d != 0], method=every)
    pair = wilcoxon(Blocked(np.column_stack([0 * d, d])), 0, 1)
    assert pair.p == pytest.approx(theirs.pvalue, rel=1e-12)
    assert pair.p == pytest.approx(all_arrangements.signed_ranks(d), rel=1e-12)


def test_the_interval_of_wilcoxon_ends_at_the_walsh_averages_of_its_table():
    # n = 9, alpha .05: 5 is the largest rank sum with two-sided p at most .05, so the ends are the 6th smallest and largest
    values = study(9, seed=2)
    d = values[:, 1] - values[:, 0]
    walsh = np.sort([(a + b) / 2 for i, a in enumerate(d) for b in d[i:]])
    assert 2 * stats.wilcoxon(np.arange(1, 10) * np.where(np.arange(1, 10) == 5, -1.0, 1.0)).pvalue / 2 <= 0.05
    assert wilcoxon(Blocked(values), 0, 1).interval(0.05) == pytest.approx((walsh[5], walsh[-6]))


def test_sign_is_the_binomial_test_and_its_interval_lies_between_order_statistics():
    values = study(21, seed=3)
    values[:2, 1] = values[:2, 0]
    d = np.sort(values[:, 1] - values[:, 0])
    pair = sign(Blocked(values), 0, 1)
    more = int((d > 0).sum())
    assert pair.p == pytest.approx(stats.binomtest(more, 19).pvalue)
    assert (pair.estimate, pair.effect) == pytest.approx((np.median(d), (2 * more - 19) / 19))
    low, high = pair.effect_interval(0.05)
    exact = stats.binomtest(more, 19).proportion_ci(method="exact")
    assert (low, high) == pytest.approx((2 * exact.low - 1, 2 * exact.high - 1))
    # of 21, 5 or fewer on one side have p at most .05 (.0266), 6 do not (.0784)
    assert pair.interval(0.05) == pytest.approx((d[5], d[-6]))


@pytest.mark.parametrize("test", [wilcoxon, sign])
@pytest.mark.parametrize("seed", range(12))
def test_the_interval_holds_what_the_test_does_not_reject(test, seed):
    values = study(14, shift=0.7, seed=seed, decimals=1 if seed % 2 else None)
    pair = test(Blocked(values), 0, 1)
    low, high = pair.interval(0.05)
    for shift, inside in ((low - 1e-4, False), (low + 1e-4, True), (high - 1e-4, True), (high + 1e-4, False)):
        moved = np.column_stack([values[:, 0] + shift, values[:, 1]])
        assert (test(Blocked(moved), 0, 1).p > 0.05) == inside or seed % 2


def test_all_sign_flips_are_made_where_they_are_few():
    values = np.random.default_rng(1).normal([0, 0.8], size=(9, 2))
    d = values[:, 1] - values[:, 0]
    means = [abs(np.dot(s, d)) / 9 for s in product((1, -1), repeat=9)]
    pair = randomized(Blocked(values), 999, 0).pairs[0, 1]
    assert pair.p == np.mean(np.array(means) >= abs(d.mean()) - 1e-12)
    theirs = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert pair.p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_holds_the_shifts_that_are_not_rejected(seed):
    values = np.random.default_rng(seed).normal([0, 0.7], size=(10, 2))
    pair = randomized(Blocked(values), 1_999, 0).pairs[0, 1]
    low, high = pair.interval(0.05)
    for shift, inside in ((low - 1e-6, False), (low + 1e-6, True), (high - 1e-6, True), (high + 1e-6, False)):
        moved = values - [0, shift]
        assert (randomized(Blocked(moved), 1_999, 0).pairs[0, 1].p > 0.05) == inside


VALUES = np.array([[1.0, 2.0, 4.0], [2.0, 2.5, 3.0], [0.5, 3.0, 3.5], [1.0, 1.5, 4.5]])


def spans(values):
    """Range of the groups' means in every arrangement."""
    return np.array([np.ptp(np.mean(rows, axis=0)) for rows in product(*(list(permutations(row)) for row in values))])


def test_the_largest_difference_of_all_pairs_in_every_arrangement_where_they_are_few():
    every, means = spans(VALUES), VALUES.mean(axis=0)
    assert len(every) == 6**4 == 1_296
    for draws in (1_296, 9_999):
        found = randomized(Blocked(VALUES), draws, 0)
        for (i, j), pair in found.pairs.items():
            assert pair.p == np.mean(every >= abs(means[j] - means[i]) - 1e-12)
            low, high = pair.interval(0.05)
            assert (low > 0 or high < 0) == (pair.p <= 0.05)
            assert high - pair.estimate == pytest.approx(np.sort(every)[::-1][64])  # 64 of 1,296 are at most 5%


def test_the_largest_difference_of_all_pairs_is_drawn_where_they_are_many():
    every, means = spans(VALUES), VALUES.mean(axis=0)
    found = randomized(Blocked(VALUES), 1_295, 0)
    for (i, j), pair in found.pairs.items():
        assert pair.p == pytest.approx(np.mean(every >= abs(means[j] - means[i]) - 1e-12), abs=0.06)  # 4 sd at .5
        assert pair.p * 1_296 == pytest.approx(round(pair.p * 1_296))


def test_the_interval_at_90_percent_takes_a_tenth_of_the_draws():
    """1 - 0.9 is less than 0.1 in doubles, and a tenth of 10,000 draws is 1,000 all the same."""
    values = np.random.default_rng(2).normal(size=(12, 3))
    pair = randomized(Blocked(values), 9_999, 0).pairs[0, 1]
    assert 1 - 0.9 < 0.1
    assert pair.interval(1 - 0.9) == pair.interval(0.1) != pair.interval(0.0999)


def test_too_few_units_for_any_finding_leave_the_interval_without_ends():
    # 2 units, 3 groups: 36 arrangements in sets of 6 that only rename groups, so that p is 1/6 at least
    for pair in randomized(Blocked(np.array([[0.0, 1.0, 5.0], [0.0, 2.0, 6.0]])), 9_999, 0).pairs.values():
        assert pair.p >= 1 / 6
        assert pair.interval(0.05) == (-np.inf, np.inf)


@pytest.mark.parametrize("values", [[0.1, 0.2, -0.3], [0.7, -0.1, -0.2, -0.4]])
def test_rounding_does_not_make_a_difference_of_nothing(values):
    # they add up to 0, though not as doubles, so that every arrangement is as large
    assert sum(values) != 0
    pair = randomized(Blocked(np.column_stack([np.zeros(len(values)), values])), 999, 0).pairs[0, 1]
    assert pair.p == 1


def test_draws_come_from_the_seed():
    values = np.random.default_rng(4).normal(size=(40, 2))
    one, same, other = (randomized(Blocked(values), 500, seed).pairs[0, 1].p for seed in (1, 1, 2))
    assert one == same != other
