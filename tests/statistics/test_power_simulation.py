"""Power of simulated studies: analytic where there is a formula, else the test of `compare` on simulated sessions.

What varies, estimated from studies: identities in balanced designs, recovery of what was put in, and large studies.

Plans of studies to come: who searches what with which group.
"""

import numpy as np
import pytest
from scipy import stats

from sessionkit.errors import DataError
from sessionkit.statistics.crossover import least_squares
from sessionkit.statistics.design import read_design
from sessionkit.statistics.power_simulation import (
    WITH_TOPIC,
    WITH_USER,
    Habits,
    Noise,
    chance,
    fewest_users,
    habits,
    noise,
    plan,
)
from sessionkit.statistics.session_values import sessions_of
from sessionkit.statistics.units import Crossed
from tests.statistics.layouts import SYSTEM, TOPIC, USER, crossing, scores, simulated
from tests.statistics.plain_power import CLINIC, known, planned


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


def estimated(table, draws=50):
    """The design's name and the components."""
    sessions = sessions_of(table, None, "system_id")
    design = read_design(sessions.frame, sessions.by, len(sessions.groups))
    return design.name, noise(sessions, 0, design, draws, np.random.default_rng(1))


def both(cube):
    """Users x topics x systems, each once."""
    rows = [(f"s{u}-{t}-{s}", f"u{u:03}", f"t{t:02}", f"S{s}", value) for (u, t, s), value in np.ndenumerate(cube)]
    return scores(rows)


@pytest.mark.parametrize("groups", [2, 3])
def test_noise_paired_by_user_and_topic(groups):
    rng = np.random.default_rng(7)
    users, topics = 60, 12
    cube = rng.normal(0, 0.2, (users, topics, groups))
    cube += (
        rng.normal(0, 0.5, (users, 1, 1)) + rng.normal(0, 0.5, (1, topics, 1)) + rng.normal(0, 0.5, (users, topics, 1))
    )
    cube += rng.normal(0, 0.3, (users, 1, groups)) + rng.normal(0, 0.25, (1, topics, groups))
    name, found = estimated(both(cube))
    assert (name, set(found.names)) == ("both", {WITH_USER, WITH_TOPIC, "residual"})
    assert found.of(WITH_USER)[0] ** 0.5 == pytest.approx(0.3, rel=0.2)
    assert found.of(WITH_TOPIC)[0] ** 0.5 == pytest.approx(0.25, rel=0.4)
    assert found.of("residual")[0] ** 0.5 == pytest.approx(0.2, rel=0.05)
    # the variance of a user's difference, as the paired t takes it, is made of these; of the pairs of groups their mean
    of_user = cube.mean(axis=1)
    pairs = [(of_user[:, j] - of_user[:, i]).var(ddof=1) for i in range(groups) for j in range(i + 1, groups)]
    parts = found.of(WITH_USER)[0] + found.of("residual")[0] / topics
    assert 2 * parts == pytest.approx(np.mean(pairs))


def test_paired_by_user():
    rng = np.random.default_rng(8)
    values = rng.normal(0, 0.2, (20, 2, 3)) + rng.normal(0, 0.3, (20, 1, 1)) + rng.normal(0, 0.3, (20, 2, 1))
    rows = [(f"s{u}{s}{i}", f"u{u:02}", None, f"S{s}", value) for (u, s, i), value in np.ndenumerate(values)]
    name, found = estimated(scores(rows))
    assert (name, found.names) == ("users", ("user", WITH_USER, "residual"))
    d = np.diff(values.mean(axis=2), axis=1).ravel()
    assert 2 * (found.of(WITH_USER)[0] + found.of("residual")[0] / 3) == pytest.approx(d.var(ddof=1))


def test_groups_that_no_drawn_user_met_are_left_out():
    values = np.random.default_rng(9).normal(0, 0.2, (120, 4))
    # 20 systems: users meet S0 to S9, but each of the last ten users meets a system that nobody else meets
    systems = [[(user + i) % 10 if user < 110 or i else user - 100 for i in range(4)] for user in range(120)]
    rows = [
        (f"s{u}-{i}", f"u{u:03}", f"t{i}", f"S{systems[u][i]:02}", value) for (u, i), value in np.ndenumerate(values)
    ]
    _, found = estimated(scores(rows))
    assert 50 <= found.sampled < 120
    assert found.of("residual")[0] ** 0.5 == pytest.approx(0.2, rel=0.15)


@pytest.mark.slow
def test_the_clinics_design():
    many = [estimated(crossing(values))[1] for values in simulated(60, interaction=0.1, seed=5).T]
    assert many[0].names == ("user", "topic", WITH_TOPIC, "residual")
    means = {name: np.mean([each.of(name)[0] for each in many]) for name in many[0].names}
    # CLASSIC section 6; what is 0 or above is a little more on average than it should be
    for name, sd, rel in (("user", 0.10, 0.2), ("topic", 0.15, 0.4), (WITH_TOPIC, 0.1, 0.4), ("residual", 0.22, 0.03)):
        assert means[name] ** 0.5 == pytest.approx(sd, rel=rel)
    # 90% of the draws of the residual hold the truth 90% of the time, with an sd of 4%
    held = [np.quantile(each.of("residual")[1], [0.05, 0.95]) for each in many]
    assert np.mean([low <= 0.22**2 <= high for low, high in held]) > 0.75
    assert many[0].of("nothing") == (0.0, pytest.approx(np.zeros(50)))


def test_of_many_users_some_are_taken():
    rng = np.random.default_rng(9)
    user = np.repeat(np.arange(2_500), 2)
    values = rng.normal(0, 0.2, 5_000) + rng.normal(0, 0.1, 2_500)[user]
    rows = [(f"s{i:05}", f"u{user[i]:05}", None, f"S{i % 2}", value) for i, value in enumerate(values)]
    _, found = estimated(scores(rows))
    assert 200 < found.sampled < 1_000
    assert found.of("residual")[0] ** 0.5 == pytest.approx(0.2, rel=0.1)


def test_a_factor_that_leaves_no_degrees_of_freedom_is_not_named():
    # 3 users with 2 of 3 topics each, alternated: users and topics leave one degree of freedom, topics with systems take it
    rows = [(f"s{u}{t}", f"u{u}", f"t{t}", f"S{(u + t) % 2}", u * t + u - t % 2) for u in range(3) for t in range(3)]
    _, found = estimated(scores(rows))
    assert len(found.names) == len(found.estimates) == len(found.draws)
    assert found.of("residual")[0] >= 0


def test_systems_alike_and_values_that_are_explained_give_nothing_to_plan_by():
    cube = np.random.default_rng(1).normal(size=(5, 4, 1))
    with pytest.raises(DataError, match="explain all variation"):
        estimated(both(np.concatenate([cube, cube], axis=2)))
    with pytest.raises(DataError, match="explain all variation"):
        estimated(crossing([0.1 * (ord(topic) - 65) for topic in crossing(range(120))["topic_id"]]))


def test_a_group_without_values_is_named():
    cube = np.random.default_rng(1).normal(size=(5, 4, 2))
    cube[:, :, 1] = np.nan
    with pytest.raises(DataError, match="S1 has no session with a value"):
        estimated(both(cube))


def test_nothing_to_estimate_from():
    with pytest.raises(DataError, match="explain all variation"):
        estimated(both(np.ones((5, 4, 2))))


@pytest.mark.parametrize(
    ("users", "topics", "groups", "per_user"),
    [(30, 4, 2, 4), (16, 8, 2, 4), (12, 6, 3, 6), (48, 12, 2, 4), (9, 3, 3, 2)],
)
def test_a_crossover_is_balanced(users, topics, groups, per_user):
    found = plan(
        "crossover", users=users, topics=topics, groups=groups, per_user=per_user, rng=np.random.default_rng(1)
    )
    assert len(found.user) == users * per_user
    assert (np.bincount(found.user) == per_user).all()
    pairs = np.bincount(found.user * topics + found.topic, minlength=users * topics)
    assert pairs.max() == 1  # each user once per topic
    cells = np.bincount(found.topic * groups + found.group, minlength=topics * groups).reshape(topics, groups)
    assert (cells == cells[:, :1]).all()  # every topic with every group alike
    assert np.ptp(cells) == 0
    of_user = np.bincount(found.user * groups + found.group, minlength=users * groups).reshape(users, groups)
    assert np.ptp(of_user) <= (1 if per_user % groups else 0)


def test_users_of_one_group_each():
    found = plan("topics", users=8, topics=4, groups=2, per_user=4, rng=np.random.default_rng(1))
    assert (found.group == found.user % 2).all()
    assert np.ptp(np.bincount(found.topic * 2 + found.group)) == 0


def test_users_who_meet_all_groups_with_every_topic():
    found = plan("both", users=6, topics=12, groups=2, per_user=4, rng=np.random.default_rng(1))
    assert len(found.user) == 6 * 4 * 2
    assert (np.bincount((found.user * 12 + found.topic) * 2 + found.group) <= 1).all()
    assert np.ptp(np.bincount(found.topic * 2 + found.group)) == 0


def test_the_fewest_users():
    assert fewest_users(8, 2, 4, "crossover") == 4
    assert fewest_users(9, 2, 4, "crossover") == 6
    assert fewest_users(8, 2, 4, "both") == 2


def test_habits_of_the_clinic():
    found = habits(sessions_of(crossing(range(120)), None, "system_id"), "crossover")
    assert (found.per_user, found.users, found.topics, found.sessions) == (4, 30, 4, 120)
