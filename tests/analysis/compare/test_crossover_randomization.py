"""Randomization of whole assignments: against swapping and refitting one by one; size in the clinic's design."""

from itertools import product

import numpy as np
import pytest

from sessionkit.statistics.crossover import least_squares, swapped
from sessionkit.statistics.units import Crossed
from tests.analysis.compare.layouts import SYSTEM, TOPIC, USER, simulated


def test_it_is_refitting_with_every_users_assignment_kept_or_swapped():
    few = USER % 5 == 0  # six users: 64 assignments, all made
    users = np.unique(USER[few], return_inverse=True)[1]
    y, group, topic = simulated(1, effect=0.3, seed=5)[few, 0], SYSTEM[few], TOPIC[few]
    pair = swapped(Crossed(y, group, users, topic, 2), 9_999, 0).pairs[0, 1]
    sizes = []
    for swap in product((0, 1), repeat=6):
        moved = np.where(np.array(swap)[users] == 1, 1 - group, group)
        try:
            sizes.append(abs(least_squares(Crossed(y, moved, users, topic, 2)).pairs[0, 1].statistic))
        except ValueError:
            sizes.append(0.0)
    observed = abs(least_squares(Crossed(y, group, users, topic, 2)).pairs[0, 1].statistic)
    assert pair.p == pytest.approx(np.mean(np.array(sizes) >= observed * (1 - 1e-9)))


def test_a_shifted_study_shifts_the_interval():
    y = simulated(1, seed=6)[:, 0]
    one = swapped(Crossed(y, SYSTEM, USER, TOPIC, 2), 999, 3).pairs[0, 1].interval(0.05)
    two = swapped(Crossed(y + 0.25 * SYSTEM, SYSTEM, USER, TOPIC, 2), 999, 3).pairs[0, 1].interval(0.05)
    assert two == pytest.approx((one[0] + 0.25, one[1] + 0.25), abs=1e-9)


@pytest.mark.slow
def test_size_and_agreement_of_interval_and_p():
    values = simulated(400, seed=7)
    rejected = 0
    for number, y in enumerate(values.T):
        pair = swapped(Crossed(y, SYSTEM, USER, TOPIC, 2), 299, number).pairs[0, 1]
        rejected += pair.p <= 0.05
        if number < 40:
            low, high = pair.interval(0.05)
            assert (low > 0 or high < 0) == (pair.p <= 0.05)
    assert 0.02 <= rejected / 400 <= 0.085  # 5%, sd of 400: .011


def test_the_same_seed_gives_the_same():
    y = simulated(1, seed=8)[:, 0]
    units = Crossed(y, SYSTEM, USER, TOPIC, 2)
    assert swapped(units, 499, 1).pairs[0, 1].p == swapped(units, 499, 1).pairs[0, 1].p
    assert swapped(units, 499, 1).pairs[0, 1].p != swapped(units, 499, 2).pairs[0, 1].p


@pytest.mark.slow
def test_it_holds_its_level_where_the_difference_varies_with_the_user():
    # by an sd of .20 of the difference, as large as the residual: least squares takes that for what users share
    studies = 500
    of_users = np.random.default_rng(10).normal(0, 0.20 / np.sqrt(2), (30, 2, studies))
    values, rejected, fitted = simulated(studies, seed=9) + of_users[USER, SYSTEM], 0, 0
    for number, y in enumerate(values.T):
        units = Crossed(y, SYSTEM, USER, TOPIC, 2)
        rejected += swapped(units, 199, number).pairs[0, 1].p <= 0.05
        fitted += least_squares(units).pairs[0, 1].p <= 0.05
    assert 0.03 <= rejected / studies <= 0.07
    assert fitted / studies > 0.075
