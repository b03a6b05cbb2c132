"""Intervals and tests of correlations against published values, and by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sessionkit.errors import UsageError
from sessionkit.statistics.correlation_matrices import KendallTest
from sessionkit.statistics.correlations import (
    CorrelationRows,
    agreeing_reach,
    critical_z,
    fisher_z,
    interval,
    p_of_r,
    steiger,
    williams,
)
from sessionkit.statistics.distributions import Resampling


def test_worked_values():
    # n = 103: r .4, .5, .1; n = 80: .401, .350, .9 (Steiger 1980's formulas)
    found = williams(0.4, 0.5, 0.1, 103)
    assert (round(found.statistic, 4), found.df, round(found.p, 4)) == (-0.8913, 100, 0.3749)
    assert round(steiger(0.4, 0.5, 0.1, 103).statistic, 4) == -0.8887
    assert round(williams(0.401, 0.350, 0.9, 80).statistic, 4) == 1.0925
    assert round(steiger(0.401, 0.350, 0.9, 80).statistic, 4) == 1.0846


def test_the_critical_value_is_that_of_the_tables():
    # critical values of r, two-sided .05 and .01, df = 8 and 20 (Fisher and Yates)
    assert [round(np.tanh(critical_z(n, a)), 3) for n in (10, 22) for a in (0.05, 0.01)] == [0.632, 0.765, 0.423, 0.537]


def test_spearmans_rho_of_636_in_10_sessions():
    # t = .636 * sqrt(8 / (1 - .636^2)) = 2.331, p = .048: the interval excludes 0
    assert p_of_r(0.636, 10) == pytest.approx(2 * stats.t.sf(0.636 * np.sqrt(8 / (1 - 0.636**2)), 8))
    assert interval("spearman", 0.636, critical_z(10, 0.05)) == pytest.approx((0.007, 0.928), abs=5e-4)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
@pytest.mark.parametrize(("n", "confidence"), [(3, 0.8), (4, 0.95), (10, 0.95), (25, 0.99), (200, 0.9)])
@pytest.mark.parametrize("value", [-0.97, -0.4, 0.0, 0.15, 0.636, 0.999])
def test_an_interval_has_all_correlations_that_are_not_rejected(coefficient, n, confidence, value):
    # under 0 (r + 1) / 2 has a beta distribution with both parameters n / 2 - 1, which is not how critical_z has it
    critical = 2 * stats.beta.isf((1 - confidence) / 2, n / 2 - 1, n / 2 - 1) - 1
    grid = np.linspace(-1, 1, 200_001)[1:-1]
    factor = np.sqrt(1 + grid**2 / 2) if coefficient == "spearman" else 1
    accepted = grid[np.abs(np.arctanh(value) - np.arctanh(grid)) <= np.arctanh(critical) * factor]
    assert np.allclose(np.diff(accepted), 1e-5)  # one stretch without a gap
    found = interval(coefficient, value, critical_z(n, 1 - confidence))
    assert found == pytest.approx((accepted[0], accepted[-1]), abs=2e-5)


@pytest.mark.parametrize("n", [10, 30])
def test_p_is_scipys(n):
    x, y = np.random.default_rng(2).normal(size=(2, n))
    theirs = stats.pearsonr(x, x + y)
    assert p_of_r(theirs.statistic, n) == pytest.approx(theirs.pvalue, rel=1e-10)


@settings(deadline=None)
@given(
    pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30),
    untied=st.booleans(),
    coefficient=st.sampled_from(["pearson", "spearman", "kendall"]),
    alpha=st.sampled_from([0.01, 0.05, 0.1, 0.2, 0.4]),
)
def test_an_interval_excludes_0_exactly_where_scipys_p_rejects(*, pairs, untied, coefficient, alpha):
    x, y = np.array(pairs, dtype=float).T
    if untied:
        x, y = x + np.linspace(0, 0.9, len(x)), y - np.linspace(0, 0.9, len(y))
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return
    theirs = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[coefficient](x, y)
    value = float(theirs.statistic)
    if coefficient == "kendall":
        critical = KendallTest(x, y).critical_tau(alpha)
        p, reach = KendallTest(x, y).p, math.inf if critical is None else fisher_z(critical)
    else:
        p, reach = p_of_r(value, len(x)), critical_z(len(x), alpha)
    assert p == pytest.approx(theirs.pvalue, abs=1e-7)  # scipy's Pearson p of a perfect correlation is 1e-8 or so
    low, high = interval(coefficient, value, agreeing_reach(value, reach, is_rejected=p <= alpha))
    assert (low > 0 or high < 0) == (p <= alpha)
    assert low <= value <= high or value == pytest.approx(1) or value == pytest.approx(-1)


def test_where_p_equals_the_error_rate_the_interval_excludes_0():
    # of 4 sessions r is uniform, so p = 1 - r: rho = .8 has p = .2
    p = p_of_r(0.8, 4)
    assert p == pytest.approx(0.2, abs=1e-15)
    for alpha in (p, np.nextafter(p, 0)):
        reach = agreeing_reach(0.8, critical_z(4, alpha), is_rejected=p <= alpha)
        assert (interval("spearman", 0.8, reach)[0] > 0) == (p <= alpha)


def test_too_few_and_too_much_alike():
    assert interval("kendall", 0.5, math.inf) == (-1.0, 1.0)  # the test can reject nothing
    assert interval("pearson", 1.0, 2.0) == interval("spearman", 1.0, 2.0) == (1.0, 1.0)
    assert p_of_r(1.0, 10) == 0
    for test in (williams, steiger):
        with pytest.raises(UsageError, match="at least 4"):
            test(0.1, 0.2, 0.3, 3)
        with pytest.raises(UsageError, match="no variance is left"):
            test(1.0, 1.0, 1.0, 20)


@pytest.mark.parametrize("test", [williams, steiger])
@pytest.mark.parametrize("correlations", [(0.4, 0.4, 0.8), (0.5, 0.3, 0.6)])
def test_level_and_coverage(test, correlations):
    r12, r13, r23 = correlations
    from_seed = np.random.default_rng(11)
    root = np.linalg.cholesky([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
    covered = rejected = 0
    for numbers in from_seed.normal(size=(1500, 80, 3)) @ root.T:
        found = np.corrcoef(numbers.T)
        tested = test(found[0, 1], found[0, 2], found[1, 2], 80)
        covered += tested.low <= r12 - r13 <= tested.high
        rejected += tested.p < 0.05
        assert (tested.low <= 0 <= tested.high) == (tested.p >= 0.05)
    assert 0.93 <= covered / 1500 <= 0.97
    if r12 == r13:
        assert 0.03 <= rejected / 1500 <= 0.07


@pytest.mark.few(4)
@pytest.mark.slow
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize("agree", [0.0, 0.6])
@pytest.mark.parametrize("n", [10, 40])
def test_intervals_cover_as_often_as_they_say(coefficient, agree, n):
    # of normal numbers with correlation r: Spearman's is 6 / pi asin(r / 2), Kendall's 2 / pi asin(r)
    truth = {"pearson": agree, "spearman": 6 / np.pi * np.arcsin(agree / 2), "kendall": 2 / np.pi * np.arcsin(agree)}
    root = np.linalg.cholesky([[1, agree], [agree, 1]])
    pairs = np.random.default_rng(12).normal(size=(1500, n, 2)) @ root.T
    covered = rejected = 0
    for number, (x, y) in enumerate(np.moveaxis(pairs, 2, 1)):
        rows = CorrelationRows({"x": x, "y": y}, np.arange(n), "sessions", (), Resampling(seed=number), analytic=True)
        row = rows.correlation("x", "y", coefficient)
        covered += row["low"] <= truth[coefficient] <= row["high"]
        rejected += row["p"] <= 0.05
    print(f"{coefficient}, r {agree}, n {n}: covered {covered / 15:.1f}%, p <= .05 in {rejected / 15:.1f}%")
    assert 0.93 <= covered / 1500 <= 0.98
    if not agree:
        assert 0.035 <= rejected / 1500 <= 0.065
