"""Plans of studies to come: who searches what with which group."""

import numpy as np
import pytest

from sessionkit.statistics.power_simulation import fewest_users, habits, plan
from sessionkit.statistics.session_values import sessions_of
from tests.analysis.compare.layouts import crossing


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
