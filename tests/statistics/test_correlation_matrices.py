"""Kendall's pairs counted by merging, against looking at each; draws that are linear in them, against those that are not.

Correlations of draws against scipy on the drawn sessions laid out; partial ones against residuals.
"""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sessionkit.statistics import correlation_matrices
from sessionkit.statistics.correlation_matrices import (
    COEFFICIENTS,
    KendallTest,
    Matrices,
    concordance_of_each,
    others,
    partial,
    tau_b,
)
from sessionkit.statistics.distributions import Resampling
from tests.support.examples import examples

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40)


@settings(deadline=None)
@given(PAIRS)
def test_every_pair_is_counted_once_from_either_side(pairs):
    x, y = np.array(pairs, dtype=float).T
    signs_x, signs_y = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    assert concordance_of_each(x, y).tolist() == (signs_x * signs_y).sum(axis=1).tolist()
    assert others(x).tolist() == (signs_x**2).sum(axis=1).tolist()


@pytest.mark.parametrize("decimals", [1, 6])
def test_draws_of_many_are_nearly_those_of_all_pairs(decimals, monkeypatch):
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(60), 4)
    columns = (rng.normal(size=(60, 1, 2)) + rng.normal(size=(60, 4, 2))).reshape(-1, 2)
    columns[:, 1] += columns[:, 0] / 2
    columns = columns.round(decimals)
    how = Resampling(1_000, 2)
    every = Matrices(columns, codes, "kendall")
    monkeypatch.setattr(correlation_matrices, "MOST_PAIRED", 100)
    linear = Matrices(columns, codes, "kendall")
    assert (every.linear, linear.linear) == (False, True)
    once = np.ones((1, 60))
    assert linear.of(once) == pytest.approx(every.of(once), abs=1e-12)
    one, other = (found.replicates(how)[:, 0, 1] for found in (every, linear))
    assert np.corrcoef(one, other)[0, 1] > 0.98
    assert other.std() == pytest.approx(one.std(), rel=0.05)
    assert linear.left_out()[:, 0, 1] == pytest.approx(every.left_out()[:, 0, 1], abs=0.003)


@settings(deadline=None)
@given(PAIRS, st.booleans())
def test_tau_and_its_p_are_those_of_scipy(pairs, untied):
    x, y = np.array(pairs, dtype=float).T
    if untied:
        x, y = (values + np.linspace(0, 0.9, len(values)) * (1, -1)[at] for at, values in enumerate((x, y)))
    if np.ptp(x) == 0 or np.ptp(y) == 0 or len(x) < 3:
        return
    theirs = stats.kendalltau(x, y)
    test = KendallTest(x, y)
    assert tau_b(x, y) == test.tau == pytest.approx(theirs.statistic, rel=1e-13)
    assert test.p == pytest.approx(theirs.pvalue, rel=1e-13)


@pytest.mark.few(6)
@pytest.mark.parametrize("n", [4, 5, 6])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1, 0.4])
def test_the_critical_tau_without_ties_is_the_largest_of_all_orders_that_scipy_does_not_reject(n, alpha):
    orders = [stats.kendalltau(range(n), order) for order in permutations(range(n))]
    rejected = [abs(order.statistic) for order in orders if order.pvalue <= alpha]
    accepted = [abs(order.statistic) for order in orders if order.pvalue > alpha]
    critical = KendallTest(np.arange(n), np.arange(n)[::-1]).critical_tau(alpha)
    assert critical == (pytest.approx(max(accepted)) if rejected else None)


@settings(deadline=None)
@given(PAIRS, st.sampled_from([0.01, 0.05, 0.2]))
def test_the_critical_tau_with_ties_parts_the_orders_that_scipy_rejects(pairs, alpha):
    x, y = np.array(pairs, dtype=float).T
    if np.ptp(x) == 0 or np.ptp(y) == 0 or len({*x}) == len(x) == len({*y}):
        return
    critical = KendallTest(x, y).critical_tau(alpha)
    rng = np.random.default_rng(len(x))
    extremes = [np.sort(y)[np.argsort(np.argsort(sign * x, kind="stable"))] for sign in (1, -1)]
    for order in [*extremes, *(rng.permutation(y) for _ in range(20))]:
        theirs = stats.kendalltau(x, order)
        assert (theirs.pvalue <= alpha) == (critical is not None and abs(theirs.statistic) > critical)


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
