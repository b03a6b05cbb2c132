"""Least squares on user + topic + group: against plain matrix algebra; size, power and coverage in the clinic's design."""

import numpy as np
import pytest
from scipy import sparse, stats

from sessionkit.statistics.crossover import least_squares
from sessionkit.statistics.units import Blocked, Crossed, Effects, LeastSquares, indicators, mean_cells
from tests.analysis.compare.layouts import SYSTEM, TOPIC, USER, simulated

STUDIES = 4_000


def dense(y, user, topic, group):
    """Estimate, se and df from the full matrix of ones and zeros."""
    x = np.column_stack(
        [*(user == u for u in range(user.max() + 1)), *(topic == t for t in range(1, topic.max() + 1)), group == 1]
    ).astype(float)
    coefficients, _, rank, _ = np.linalg.lstsq(x, y, rcond=None)
    df = len(y) - rank
    variance = ((y - x @ coefficients) ** 2).sum() / df
    return coefficients[-1], np.sqrt(variance * np.linalg.pinv(x.T @ x)[-1, -1]), df


@pytest.mark.parametrize("keep", [120, 97])
def test_it_is_least_squares_on_the_whole_matrix(keep):
    y = simulated(1, effect=0.1)[:keep, 0]
    # uneven too: the first 97 sessions are those of 24 users and one session of another
    pair = least_squares(Crossed(y, SYSTEM[:keep], USER[:keep], TOPIC[:keep], 2)).pairs[0, 1]
    estimate, se, df = dense(y, USER[:keep], TOPIC[:keep], SYSTEM[:keep])
    assert (pair.estimate, pair.se, pair.df) == (pytest.approx(estimate), pytest.approx(se), df)
    assert pair.p == pytest.approx(2 * stats.t.sf(abs(estimate / se), df))
    low, high = pair.interval(0.05)
    assert ((low + high) / 2, high - low) == (pytest.approx(estimate), pytest.approx(2 * stats.t.isf(0.025, df) * se))
    assert keep < 120 or df == 86  # 120 - 30 users - 3 topics - 1


def test_more_groups_than_two():
    rng = np.random.default_rng(1)
    group = (USER + TOPIC) % 3
    y = rng.normal(size=120) + 0.5 * group
    found = least_squares(Crossed(y, group, USER, TOPIC, 3))
    dummies = [*(np.eye(30)[USER].T), *(np.eye(4)[TOPIC].T[1:])]
    small, large = np.column_stack(dummies), np.column_stack([*dummies, group == 1, group == 2]).astype(float)
    left = [((y - x @ np.linalg.lstsq(x, y, rcond=None)[0]) ** 2).sum() for x in (small, large)]
    (overall,) = found.overall
    assert overall.statistic == pytest.approx((left[0] - left[1]) / 2 / (left[1] / 85))
    coefficients = np.linalg.lstsq(large, y, rcond=None)[0]
    assert found.pairs[1, 2].estimate == pytest.approx(coefficients[-1] - coefficients[-2])


def by_least_squares(values, truth=0.0):
    """Rejections of no difference, and intervals that hold the truth, over the columns."""
    fit = LeastSquares(Effects(USER, TOPIC), indicators(SYSTEM, 2)).fit(values)
    se = np.sqrt(fit.variance * fit.inverse[0, 0])
    half = stats.t.isf(0.025, fit.df) * se
    estimate = fit.coefficients[0]
    return (np.abs(estimate) > half).mean(), (np.abs(estimate - truth) <= half).mean()


def by_topics(values, truth=0.0):
    """The same of the paired t over topic means."""
    cell = TOPIC * 2 + SYSTEM
    means = np.vstack([values[cell == c].mean(axis=0) for c in range(8)]).reshape(4, 2, -1)
    d = means[:, 1] - means[:, 0]
    half = stats.t.isf(0.025, 3) * d.std(axis=0, ddof=1) / 2
    return (np.abs(d.mean(axis=0)) > half).mean(), (np.abs(d.mean(axis=0) - truth) <= half).mean()


def test_size_power_and_coverage_of_least_squares():
    size, coverage = by_least_squares(simulated(STUDIES, seed=1))
    assert size == pytest.approx(0.05, abs=0.012)  # CLASSIC: .055 in 1,500; sd of 4,000: .0034
    assert coverage == 1 - size
    power, coverage = by_least_squares(simulated(STUDIES, effect=0.1, seed=2), truth=0.1)
    assert power == pytest.approx(0.713, abs=0.035)
    assert 0.93 <= coverage <= 0.97


def test_topics_are_the_units_of_a_claim_beyond_them():
    # the systems' difference varies with the topic by an sd of .10, which each system's share by .10 / sqrt(2)
    share = 0.10 / np.sqrt(2)
    null, shifted = simulated(STUDIES, interaction=share, seed=3), simulated(STUDIES, 0.1, share, seed=4)
    assert by_least_squares(null)[0] == pytest.approx(0.214, abs=0.03)
    size, coverage = by_topics(null)
    assert size == pytest.approx(0.047, abs=0.012)
    assert 0.93 <= coverage <= 0.97
    power, coverage = by_topics(shifted, truth=0.1)
    assert 0.93 <= coverage <= 0.97
    assert power > 2 * size
    # without it the topic-level t holds too, and finds half as much (.349 and .713)
    assert 0.03 <= by_topics(simulated(STUDIES, seed=1))[0] <= 0.07
    assert by_topics(simulated(STUDIES, effect=0.1, seed=2))[0] == pytest.approx(0.349, abs=0.03)


def test_the_simulated_fit_is_that_of_one_study():
    values = simulated(5, effect=0.1)
    fit = LeastSquares(Effects(USER, TOPIC), indicators(SYSTEM, 2)).fit(values)
    for column in range(5):
        pair = least_squares(Crossed(values[:, column], SYSTEM, USER, TOPIC, 2)).pairs[0, 1]
        assert pair.estimate == pytest.approx(fit.coefficients[0, column])
        assert pair.statistic == pytest.approx(pair.estimate / np.sqrt(fit.variance[column] * fit.inverse[0, 0]))
    cells = mean_cells(values[:, 0], TOPIC, SYSTEM, 2)
    assert Blocked(cells).counts == [4, 4]


def test_users_and_topics_in_parts_lose_a_number_for_each():
    # users 0, 1 share topics 0, 1; users 2, 3 share topics 2, 3: 4 + 4 - 2
    user, topic = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([0, 1, 0, 1, 2, 3, 2, 3])
    assert Effects(user, topic).rank == 6


def test_parts_are_those_of_the_graph():
    rng = np.random.default_rng(5)
    for many in (1, 5, 30, 60, 120):
        user, topic = rng.integers(40, size=many), rng.integers(30, size=many)
        graph = sparse.csr_matrix((np.ones(many), (user, 40 + topic)), shape=(70, 70))
        parts = sparse.csgraph.connected_components(graph, directed=False)[0]
        assert Effects(user, topic).rank == 70 - parts
    chain = np.arange(2_000)  # each user shares a topic with the next
    shuffled = rng.permutation(2_001)
    users, topics = np.repeat(chain, 2), shuffled[np.repeat(chain, 2) + np.tile([0, 1], 2_000)]
    assert Effects(users, topics).rank == 2_000 + 2_001 - 1


def test_a_model_kept_for_other_values_gives_the_same_fit():
    values = simulated(3, seed=4)
    model = LeastSquares(Effects(USER, TOPIC), indicators(SYSTEM, 2))
    for column in range(3):
        kept = least_squares(Crossed(values[:, column], SYSTEM, USER, TOPIC, 2, model)).pairs[0, 1]
        own = least_squares(Crossed(values[:, column], SYSTEM, USER, TOPIC, 2)).pairs[0, 1]
        assert (kept.estimate, kept.p, kept.interval(0.05)) == (own.estimate, own.p, own.interval(0.05))
