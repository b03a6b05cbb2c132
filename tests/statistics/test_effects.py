"""Intervals of Cliff's delta and of the rank-biserial correlation: the rank tests at 0, coverage far from it."""

import numpy as np
import pytest
from scipy import stats

from sessionkit.statistics.effects import cliffs_delta_interval, rank_biserial_interval
from sessionkit.statistics.significance import mann_whitney, wilcoxon
from sessionkit.statistics.units import Blocked, Separate

STUDIES = 1_000  # 95% with an sd of .69%


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_an_interval_that_ends_at_0_is_the_test_at_the_edge(alpha):
    z = stats.norm.isf(alpha / 2)
    # no difference: U has the variance mn(m + n + 1) / 12 and delta is 2 U / mn - 1; W+ has n(n + 1)(2n + 1) / 24
    delta = z * 2 / (9 * 14) * np.sqrt(9 * 14 * 24 / 12)
    assert cliffs_delta_interval(delta, (9, 14), alpha)[0] == pytest.approx(0, abs=1e-9)
    assert cliffs_delta_interval(-delta, (9, 14), alpha)[1] == pytest.approx(0, abs=1e-9)
    effect = z * 2 / (20 * 21 / 2) * np.sqrt(20 * 21 * 41 / 24)
    assert rank_biserial_interval(effect, 20, alpha)[0] == pytest.approx(0, abs=1e-9)
    assert rank_biserial_interval(-effect, 20, alpha)[1] == pytest.approx(0, abs=1e-9)


def test_ties_are_in_the_variance_as_they_are_in_the_tests():
    rng = np.random.default_rng(2)
    for _ in range(20):
        a, b = rng.integers(0, 4, 20).astype(float), rng.integers(0, 5, 25).astype(float)
        p = stats.mannwhitneyu(b, a, method="asymptotic", use_continuity=False).pvalue
        low, high = mann_whitney(Separate((a, b)), 0, 1).effect_interval(p)
        assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-6)
        values = rng.integers(0, 6, (30, 2)).astype(float)
        d = values[:, 1] - values[:, 0]
        p = stats.wilcoxon(d, zero_method="wilcox", method="asymptotic", correction=False).pvalue
        low, high = wilcoxon(Blocked(values), 0, 1).effect_interval(p)
        assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-6)


def test_the_ends_of_a_share():
    assert cliffs_delta_interval(1.0, (4, 4), 0.05)[1] == 1
    assert 0 < cliffs_delta_interval(1.0, (4, 4), 0.05)[0] < 0.5
    assert rank_biserial_interval(-1.0, 9, 0.05)[0] == -1


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 0.5, 1.1])
@pytest.mark.parametrize("drawn", ["normal", "laplace"])
def test_they_cover_as_often_as_they_say(shift, drawn):
    rng = np.random.default_rng(9)
    d = getattr(rng, drawn)(size=(STUDIES + 20_000, 14)) + shift
    effects = ((stats.rankdata(abs(d), axis=1) * (d > 0)).sum(axis=1) / 105) * 2 - 1
    truth, ends = effects[STUDIES:].mean(), np.array([rank_biserial_interval(e, 14, 0.05) for e in effects[:STUDIES]])
    assert 0.93 <= ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean() <= 0.97
    a, b = getattr(rng, drawn)(size=(STUDIES, 14)), getattr(rng, drawn)(size=(STUDIES, 18)) + shift
    deltas = np.sign(b[:, :, None] - a[:, None, :]).mean(axis=(1, 2))
    truth, ends = deltas.mean(), np.array([cliffs_delta_interval(delta, (14, 18), 0.05) for delta in deltas])
    assert 0.93 <= ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean() <= 0.97
