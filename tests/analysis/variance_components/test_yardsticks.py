"""What a difference is judged by: classical tests in balanced studies, and its size in the clinic's design."""

import numpy as np
import pytest
from scipy import stats

from sessionkit.statistics.mixed_model import contrast, yardsticks
from sessionkit.statistics.variance_components import Factors, estimated, means
from tests.analysis.compare.layouts import SYSTEM, TOPIC, USER, simulated


def judged(factors, values, pair=(0, 1)):
    """The contrast of two groups."""
    reduced = factors.reduced(values)
    components = estimated(reduced, values.var())
    sticks = yardsticks(factors, reduced, components)
    return contrast(factors, reduced, means(factors, components, values), components, sticks=sticks, pair=pair)


def p(found):
    """Two-sided p."""
    return 2 * stats.t.sf(abs(found.estimate / found.se), found.df)


@pytest.mark.parametrize("seed", range(6))
def test_with_balanced_topics_it_is_the_paired_t_over_topic_means(seed):
    # seeds with and without a component of 0 alike
    rng = np.random.default_rng(seed)
    user, topic, group = (axis.ravel() for axis in np.meshgrid(range(5), range(4), range(2), indexing="ij"))
    values = rng.normal(size=40) + rng.normal(0, 0.3, 8)[topic * 2 + group]
    factors = Factors(group, 2, ("user", "topic", "both"), (user, topic, topic * 2 + group))
    cells = values.reshape(5, 4, 2).mean(axis=0)
    theirs = stats.ttest_rel(cells[:, 1], cells[:, 0])
    found = judged(factors, values)
    assert (found.estimate / found.se, found.df) == pytest.approx((theirs.statistic, 3))
    assert found.by == ("both",)


@pytest.mark.parametrize("seed", range(4))
def test_with_one_session_per_topic_and_group_it_is_the_paired_t(seed):
    rng = np.random.default_rng(seed)
    topic, group = np.repeat(np.arange(9), 2), np.tile([0, 1], 9)
    values = rng.normal(size=18) + rng.normal(0, 0.2 * seed, 9)[topic]
    found = judged(Factors(group, 2, ("topic",), (topic,)), values)
    theirs = stats.ttest_rel(values[1::2], values[::2])
    assert (p(found), found.df, found.by) == (pytest.approx(theirs.pvalue), 8, ())


def test_with_users_within_groups_it_is_the_t_over_user_means():
    rng = np.random.default_rng(5)
    user = np.repeat(np.arange(12), 3)
    values = rng.normal(size=36) + rng.normal(0, 1, 12)[user]
    found = judged(Factors(user % 2, 2, ("user",), (user,)), values)
    of_user = values.reshape(12, 3).mean(axis=1)
    theirs = stats.ttest_ind(of_user[1::2], of_user[::2])
    assert (found.estimate / found.se, found.df) == pytest.approx((theirs.statistic, 10))


def test_what_the_other_factors_leave_has_its_degrees_of_freedom():
    # 8 users met one group, 4 both: what differs between users is in the difference, with 11 degrees of freedom
    rng = np.random.default_rng(3)
    user, topic = np.repeat(np.arange(12), 4), np.tile(np.arange(4), 12)
    group = np.where(user < 8, user % 2, topic % 2)
    factors = Factors(group, 2, ("user", "topic"), (user, topic))
    values = rng.normal(0, 0.2, 48) + rng.normal(0, 0.4, 12)[user]
    reduced = factors.reduced(values)
    components = estimated(reduced, values.var())
    of_groups = means(factors, components, values)
    of = of_groups.loads[:, 0, 0] + of_groups.loads[:, 1, 1] - 2 * of_groups.loads[:, 0, 1]
    parts = np.array([*(of[:2] * components[:2]), of[2] * reduced.left / reduced.df])
    found = judged(factors, values)
    assert found.se**2 == pytest.approx(parts.sum())
    assert found.df == pytest.approx(parts.sum() ** 2 / (parts**2 / [11, 3, reduced.df]).sum())
    assert parts[0] > 0.05 * parts.sum()


@pytest.mark.slow
def test_where_users_met_one_group_or_both_a_nominal_5_percent_rejects_3_to_7_percent():
    rng = np.random.default_rng(11)
    rejected = []
    for _ in range(250):
        user, topic = np.repeat(np.arange(12), 4), np.tile(np.arange(4), 12)
        group = np.where(user < 8, user % 2, topic % 2)
        keep = rng.random(48) < 0.8
        user, topic, group = user[keep], topic[keep], group[keep]
        values = rng.normal(0, 0.2, 12)[user] + rng.normal(0, 0.2, 4)[topic] + rng.normal(0, 0.2, keep.sum())
        both = np.unique(topic * 2 + group, return_inverse=True)[1]
        factors = Factors(group, 2, ("user", "topic", "both"), (user, topic, both))
        rejected.append(p(judged(factors, values)) <= 0.05)
    assert 0.02 <= np.mean(rejected) <= 0.08


def test_a_factor_that_others_explain_judges_nothing():
    # every topic's sessions of a group are those of one user: once users with groups are out nothing is left of it
    topic = np.repeat(np.arange(4), 4)
    group = np.tile([0, 0, 1, 1], 4)
    both = topic * 2 + group
    factors = Factors(group, 2, ("both", "same"), (both, both))
    values = np.random.default_rng(4).normal(size=16)
    sticks = yardsticks(factors, factors.reduced(values), np.array([0.1, 0.1, 1.0]))
    assert not sticks


STUDIES = 400  # 5% with an sd of 1.1%


@pytest.mark.few(1)
@pytest.mark.slow
@pytest.mark.parametrize("interaction", [0.0, 0.1, 0.2])
def test_in_the_clinics_design_a_nominal_5_percent_rejects_3_to_7_percent(interaction):
    factors = Factors(SYSTEM, 2, ("user", "topic", "both"), (USER, TOPIC, SYSTEM * 4 + TOPIC))
    studies = simulated(STUDIES, interaction=interaction, seed=17)
    found = [judged(factors, values) for values in studies.T]
    assert 0.02 <= np.mean([p(each) <= 0.05 for each in found]) <= 0.08
    assert [each.df for each in found] == pytest.approx([3] * STUDIES)
    if interaction == 0.1:
        # what a REML fit prints, with z: CLASSIC section 6 warns of it
        assert np.mean([2 * stats.norm.sf(abs(each.estimate / each.reml)) <= 0.05 for each in found]) > 0.09


@pytest.mark.slow
def test_an_effect_is_found_and_its_interval_covers_it():
    factors = Factors(SYSTEM, 2, ("user", "topic", "both"), (USER, TOPIC, SYSTEM * 4 + TOPIC))
    found = [judged(factors, values) for values in simulated(200, effect=0.3, interaction=0.05, seed=5).T]
    assert np.mean([p(each) <= 0.05 for each in found]) > 0.9
    covered = [abs(each.estimate - 0.3) <= stats.t.isf(0.025, each.df) * each.se for each in found]
    assert 0.92 <= np.mean(covered) <= 0.98
