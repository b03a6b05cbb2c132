"""Blocked ANOVA, Tukey, Friedman, Nemenyi, Conover: CLASSIC section 6's example S, scipy, and statsmodels' numbers."""

import numpy as np
import pytest
from scipy import stats

from sessionkit.statistics.significance import blocked_anova, conover, friedman, nemenyi, residual_variance, tukey
from sessionkit.statistics.units import Blocked
from tests.analysis.compare.layouts import EXAMPLE_S

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
    assert "was not made" in found.notes[0]


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
