"""Power of simulated studies: analytic where there is a formula, else the test of `compare` on simulated sessions."""

import numpy as np
import pytest
from scipy import stats

from sessionkit.statistics.crossover import least_squares
from sessionkit.statistics.power_simulation import Habits, Noise, chance
from sessionkit.statistics.units import Crossed
from tests.analysis.compare.layouts import SYSTEM, TOPIC, USER, simulated

from .plain import CLINIC, known, planned


def t_power(df, shift, alpha=0.05):
    """Chance that t with this noncentrality is significant and above 0."""
    return stats.nct.sf(stats.t.isf(alpha / 2, df), df, shift)


@pytest.mark.parametrize("n", [5, 34, 90])
def test_paired_t_against_the_noncentral_t(n):
    plan = planned("users", "users", "blocked", Habits(2, 1, n, 0, 2 * n))
    # differences of sd 1; CLASSIC section 6: d = .5 has power .8 from n = 34 on
    found = chance(plan.at(n, None), known(residual=0.5**0.5), 0.5)
    assert found.power == pytest.approx(t_power(n - 1, 0.5 * n**0.5), abs=4 * found.error + 1e-4)
    assert 0 <= found.error < 0.01
    assert found.low == found.high == found.power == found.at_estimate


def test_users_who_differ_in_what_systems_do():
    # 3 sessions with each system: a user's difference has variance 2 (.04 + .09 / 3)
    plan = planned("users", "users", "blocked", Habits(6, 3, 20, 0, 120))
    found = chance(plan.at(20, None), known(group_user=0.2, residual=0.3), 0.2)
    assert found.power == pytest.approx(t_power(19, 0.2 / (2 * (0.04 + 0.03) / 20) ** 0.5), abs=4 * found.error)


def test_welch_against_the_noncentral_t():
    # of equal sizes and variances, with 2 sessions per user: variance of a user's mean .1^2 + .2^2 / 2
    plan = planned("independent", "users", "separate", Habits(2, 2, 60, 0, 120))
    found = chance(plan.at(60, None), known(user=0.1, residual=0.2), 0.1)
    assert found.power == pytest.approx(t_power(58, 0.1 / (0.03 * 2 / 30) ** 0.5), abs=0.005 + 4 * found.error)


def test_least_squares_against_the_noncentral_t():
    # 120 sessions, half with each system, balanced: variance of the difference 4 x .22^2 / 120, 86 df
    plan = planned("crossover", "users", "crossed", CLINIC)
    found = chance(plan.at(30, 4), known(user=0.1, topic=0.15, residual=0.22), 0.1)
    assert found.power == pytest.approx(t_power(86, 0.1 / (4 * 0.22**2 / 120) ** 0.5), abs=4 * found.error)


@pytest.mark.slow
@pytest.mark.parametrize("interaction", [0.0, 0.1])
def test_the_clinics_design_against_simulated_sessions(interaction):
    studies = 1_000  # a chance of .7 with an sd of .0145
    noise = known(user=0.1, topic=0.15, group_topic=interaction, residual=0.22)
    values = simulated(studies, effect=0.1, seed=8)
    draws = np.random.default_rng(3).normal(0, interaction, (2, 4, studies))
    over_these = values + (draws - draws.mean(axis=1, keepdims=True))[SYSTEM, TOPIC]
    pairs = [least_squares(Crossed(each, SYSTEM, USER, TOPIC, 2)).pairs[0, 1] for each in over_these.T]
    direct = np.mean([pair.p <= 0.05 and pair.estimate > 0 for pair in pairs])
    found = chance(planned("crossover", "users", "crossed", CLINIC).at(30, 4), noise, 0.1)
    assert found.power == pytest.approx(direct, abs=0.05)
    beyond = values + draws[SYSTEM, TOPIC]
    d = np.array(
        [
            beyond[(t == TOPIC) & (SYSTEM == 1)].mean(axis=0) - beyond[(t == TOPIC) & (SYSTEM == 0)].mean(axis=0)
            for t in range(4)
        ]
    )
    direct = ((stats.ttest_1samp(d, 0).pvalue <= 0.05) & (d.mean(axis=0) > 0)).mean()
    found = chance(planned("crossover", "topics", "blocked", CLINIC).at(30, 4), noise, 0.1)
    assert found.power == pytest.approx(direct, abs=0.05)


@pytest.mark.slow
def test_tukey_against_simulated_blocks():
    values = np.random.default_rng(0).normal(size=(2_000, 20, 3))
    values[:, :, 1] += 1
    left = (
        values
        - values.mean(axis=1, keepdims=True)
        - values.mean(axis=2, keepdims=True)
        + values.mean(axis=(1, 2), keepdims=True)
    )
    variance = (left**2).sum(axis=(1, 2)) / 38
    d = values[:, :, 1].mean(axis=1) - values[:, :, 0].mean(axis=1)
    direct = (d / np.sqrt(variance / 20) > stats.studentized_range.isf(0.05, 3, 38)).mean()
    plan = planned("topics", "topics", "blocked", Habits(1, 1, 0, 20, 60), groups=3)
    assert chance(plan.at(20, None), known(residual=1), 1).power == pytest.approx(direct, abs=0.04)


def test_a_nominal_5_percent_test_finds_nothing_2_5_percent_of_the_time_on_this_side():
    for design, population, layout in (("crossover", "users", "crossed"), ("crossover", "topics", "blocked")):
        found = chance(
            planned(design, population, layout, CLINIC).at(30, 4), known(user=0.1, group_topic=0.1, residual=0.2), 1e-9
        )
        assert 0.015 <= found.power <= 0.035


@pytest.mark.slow
def test_users_without_end_leave_what_topics_do():
    # the difference of 4 topics, each with variance 2 x .1^2
    found = chance(
        planned("crossover", "topics", "blocked", CLINIC).at(None, 4), known(group_topic=0.1, residual=0.2), 0.1
    )
    assert found.power == pytest.approx(t_power(3, 0.1 / (0.02 / 4) ** 0.5), abs=4 * found.error)
    # which many users come near
    near = chance(
        planned("crossover", "topics", "blocked", CLINIC).at(4_000, 4), known(group_topic=0.1, residual=0.2), 0.1
    )
    assert near.power == pytest.approx(found.power, abs=0.03)


def test_uncertain_components_give_a_range():
    noise = Noise(("residual",), np.array([0.5]), np.array([[0.3, 0.5, 0.9]]))
    found = chance(planned("users", "users", "blocked", Habits(2, 1, 20, 0, 40)).at(20, None), noise, 0.5)
    each = [t_power(19, 0.5 / (2 * variance / 20) ** 0.5) for variance in (0.3, 0.5, 0.9)]
    assert found.power == pytest.approx(np.mean(each), abs=0.02)
    assert found.at_estimate == pytest.approx(each[1], abs=0.03)
    assert each[2] < found.low < each[1] < found.high < each[0]


@pytest.mark.parametrize(
    ("population", "shift"), [("users", 0.1 / (2 * (0.04 + 0.0625 / 4) / 20) ** 0.5), ("topics", None)]
)
def test_paired_by_user_and_topic(population, shift):
    # 20 users, each with 4 topics and both systems: a user's difference has variance 2 (.2^2 + .25^2 / 4); a topic's
    # 2 (.1^2 + .25^2 / 20). What these topics do sums to 0 over them for a claim about users, and the other way round
    plan = planned("both", population, "blocked", Habits(4, 2, 20, 4, 160))
    studies = plan.at(20, 4)
    found = chance(studies, known(group_user=0.2, group_topic=0.1, residual=0.25), 0.1)
    expected = t_power(19, shift) if shift else t_power(3, 0.1 / (2 * (0.01 + 0.0625 / 20) / 4) ** 0.5)
    assert found.power == pytest.approx(expected, abs=4 * found.error)
    other = {"users": "group:topic", "topics": "group:user"}[population]
    assert np.abs(studies.estimates[studies.sources.index(other)]).max() < 1e-12
