"""t, Wilcoxon, sign on paired differences: against scipy, and intervals that invert the test."""

import numpy as np
import pytest
from scipy import stats

from sessionkit.statistics.significance import paired_t, sign, wilcoxon
from sessionkit.statistics.units import Blocked
from tests.analysis.compare import all_arrangements


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
