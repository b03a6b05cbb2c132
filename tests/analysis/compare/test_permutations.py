"""Randomization within units: against all arrangements in plain Python and scipy; max-T over pairs."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from sessionkit.statistics.significance import randomized
from sessionkit.statistics.units import Blocked


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
