"""Randomisation within units: against all arrangements in plain Python and scipy; max-T over pairs."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from sessionkit.analysis.comparing.swaps import randomised
from sessionkit.analysis.comparing.units import Blocked


def test_all_sign_flips_are_made_where_they_are_few():
    values = np.random.default_rng(1).normal([0, 0.8], size=(9, 2))
    d = values[:, 1] - values[:, 0]
    means = [abs(np.dot(s, d)) / 9 for s in product((1, -1), repeat=9)]
    pair = randomised(Blocked(values), 999, 0).pairs[0, 1]
    assert pair.p == np.mean(np.array(means) >= abs(d.mean()) - 1e-12)
    theirs = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert pair.p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_holds_the_shifts_that_are_not_rejected(seed):
    values = np.random.default_rng(seed).normal([0, 0.7], size=(10, 2))
    pair = randomised(Blocked(values), 1_999, 0).pairs[0, 1]
    low, high = pair.interval(0.05)
    for shift, inside in ((low - 1e-6, False), (low + 1e-6, True), (high - 1e-6, True), (high + 1e-6, False)):
        moved = values - [0, shift]
        assert (randomised(Blocked(moved), 1_999, 0).pairs[0, 1].p > 0.05) == inside


def test_the_largest_difference_of_all_pairs_in_each_arrangement():
    values = np.array([[1.0, 2.0, 4.0], [2.0, 2.5, 3.0], [0.5, 3.0, 3.5], [1.0, 1.5, 4.5]])
    spans = [np.ptp(np.mean(rows, axis=0)) for rows in product(*(list(permutations(row)) for row in values))]
    found = randomised(Blocked(values), 9_999, 0)
    for (i, j), pair in found.pairs.items():
        exact = np.mean(np.array(spans) >= abs(values.mean(axis=0)[j] - values.mean(axis=0)[i]) - 1e-12)
        assert pair.p == pytest.approx(exact, abs=0.02)  # 4 sd of 9,999 draws at .5
        low, high = pair.interval(0.05)
        assert (low > 0 or high < 0) == (pair.p <= 0.05)


def test_draws_come_from_the_seed():
    values = np.random.default_rng(4).normal(size=(40, 2))
    one, same, other = (randomised(Blocked(values), 500, seed).pairs[0, 1].p for seed in (1, 1, 2))
    assert one == same != other
