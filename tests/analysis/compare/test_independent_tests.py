"""Groups of different units: against scipy, and intervals that agree with p."""

import numpy as np
import pytest
from scipy import stats

from sessionkit.statistics.significance import kruskal, mann_whitney, one_way, tukey_kramer, welch
from sessionkit.statistics.units import Separate
from tests.analysis.compare import all_arrangements


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
