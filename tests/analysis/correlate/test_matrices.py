"""Correlations of draws against scipy on the drawn sessions laid out; partial ones against residuals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sessionkit.statistics import correlation_matrices
from sessionkit.statistics.correlation_matrices import COEFFICIENTS, Matrices, partial
from tests.support.examples import examples

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_a_draw_is_scipy_on_the_drawn_sessions(coefficient, data):
    from_seed = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    sessions, units = data.draw(st.integers(6, 40)), data.draw(st.integers(1, 8))
    codes = np.unique(from_seed.integers(units, size=sessions), return_inverse=True)[1]
    columns = from_seed.integers(data.draw(st.integers(2, 50)), size=(sessions, 3)).astype(float)
    columns[:, 2] += 100 * from_seed.normal(size=sessions)
    weights = from_seed.integers(4, size=(5, codes.max() + 1)).astype(float)
    weights[0] = 1
    found = Matrices(columns, codes, coefficient).of(weights)
    for number, often in enumerate(weights):
        drawn = np.repeat(columns, often[codes].astype(int), axis=0)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            if len(drawn) < 2 or np.ptp(drawn[:, i]) == 0 or np.ptp(drawn[:, j]) == 0:
                assert np.isnan(found[number, i, j])
            else:
                theirs = SCIPY[coefficient](drawn[:, i], drawn[:, j]).statistic
                assert found[number, i, j] == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_leaving_out_and_doing_it_in_parts(coefficient, monkeypatch):
    columns = np.random.default_rng(1).integers(9, size=(30, 2)).astype(float)
    codes = np.repeat(np.arange(10), 3)
    whole = Matrices(columns, codes, coefficient).left_out()
    without = columns[codes != 4]
    assert whole[4, 0, 1] == pytest.approx(SCIPY[coefficient](without[:, 0], without[:, 1]).statistic)
    monkeypatch.setattr(correlation_matrices, "AT_ONCE", 70)
    assert Matrices(columns, codes, coefficient).left_out() == pytest.approx(whole, abs=1e-12)


def test_partial_correlations_are_those_of_residuals():
    columns = np.random.default_rng(7).normal(size=(50, 4)) @ np.random.default_rng(8).normal(size=(4, 4))
    raw = np.corrcoef(columns.T)
    held = np.column_stack([np.ones(50), columns[:, 2:]])
    left = columns[:, :2] - held @ np.linalg.lstsq(held, columns[:, :2], rcond=None)[0]
    assert partial(raw, [2, 3])[0, 1] == pytest.approx(np.corrcoef(left.T)[0, 1], abs=1e-10)
    assert partial(raw, []) is raw


def test_what_is_held_constant_has_nothing_left():
    columns = np.random.default_rng(7).normal(size=(50, 2))
    raw = np.corrcoef(np.column_stack([columns, columns[:, 1] * 3 + 1]).T)
    found = partial(raw, [2])
    assert np.isnan(found[0, 1])  # the second is a multiple of the third
    assert np.isnan(found[2]).all()
    assert found[0, 0] == 1
