"""Intervals and tests of correlations against published values, and by simulation."""

import numpy as np
import pytest
from scipy import stats

from sessionkit.analysis.correlate.formulas import interval, p_of_r, steiger, williams
from sessionkit.errors import UsageError


def test_worked_values():
    # n = 103: r .4, .5, .1; n = 80: .401, .350, .9 (Steiger 1980's formulas)
    found = williams(0.4, 0.5, 0.1, 103)
    assert (round(found.statistic, 4), found.df, round(found.p, 4)) == (-0.8913, 100, 0.3749)
    assert round(steiger(0.4, 0.5, 0.1, 103).statistic, 4) == -0.8887
    assert round(williams(0.401, 0.350, 0.9, 80).statistic, 4) == 1.0925
    assert round(steiger(0.401, 0.350, 0.9, 80).statistic, 4) == 1.0846


def test_spearmans_interval_is_that_of_statpsych():
    # the example of ci.spear in R's statpsych, by D. G. Bonett: .8699639 of 15 pairs, .5840951 to .9638297
    assert interval("spearman", 0.8699639, 15) == pytest.approx((0.5840951, 0.9638297), abs=1e-7)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_pearsons_interval_and_p_are_scipys(confidence):
    x, y = np.random.default_rng(2).normal(size=(2, 30))
    theirs = stats.pearsonr(x, x + y)
    low, high = theirs.confidence_interval(confidence)
    assert interval("pearson", theirs.statistic, 30, confidence) == pytest.approx((low, high), rel=1e-12)
    assert p_of_r(theirs.statistic, 30) == pytest.approx(theirs.pvalue, rel=1e-10)


def test_kendalls_interval():
    # .437 / (n - 4) with n = 41: standard error .10867, 1.96 of it .21299 around artanh(.3) = .30952
    low, high = interval("kendall", 0.3, 41)
    assert (np.arctanh(low), np.arctanh(high)) == pytest.approx((0.30952 - 0.21299, 0.30952 + 0.21299), abs=1e-4)


def test_too_few_and_too_much_alike():
    assert interval("pearson", 0.5, 3) is None
    assert interval("kendall", 0.5, 4) is None
    assert interval("pearson", 1.0, 10) == (1.0, 1.0)
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


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize("agree", [0.0, 0.6])
def test_intervals_cover_as_often_as_they_say(coefficient, agree):
    # of normal numbers with correlation r: Spearman's is 6 / pi asin(r / 2), Kendall's 2 / pi asin(r)
    truth = {"pearson": agree, "spearman": 6 / np.pi * np.arcsin(agree / 2), "kendall": 2 / np.pi * np.arcsin(agree)}
    root = np.linalg.cholesky([[1, agree], [agree, 1]])
    x, y = np.moveaxis(np.random.default_rng(12).normal(size=(1500, 40, 2)) @ root.T, 2, 0)
    if coefficient == "spearman":
        x, y = stats.rankdata(x, axis=1), stats.rankdata(y, axis=1)
    if coefficient == "kendall":
        found = [stats.kendalltau(one, other).statistic for one, other in zip(x, y, strict=True)]
    else:
        found = [np.corrcoef(one, other)[0, 1] for one, other in zip(x, y, strict=True)]
    ends = np.array([interval(coefficient, value, 40) for value in found])
    assert 0.93 <= ((ends[:, 0] <= truth[coefficient]) & (truth[coefficient] <= ends[:, 1])).mean() <= 0.97
