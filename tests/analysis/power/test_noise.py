"""What varies, estimated from studies: identities in balanced designs, recovery of what was put in, and large studies."""

import numpy as np
import pytest

from sessionkit.errors import DataError
from sessionkit.statistics.design import read_design
from sessionkit.statistics.power_simulation import WITH_TOPIC, WITH_USER, noise
from sessionkit.statistics.session_values import sessions_of
from tests.analysis.compare.layouts import crossing, scores, simulated


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
def test_paired_by_user_and_topic(groups):
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
