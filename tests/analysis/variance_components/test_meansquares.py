"""Mean squares: the analysis of variance of Dyestuff, a balanced table worked by hand, and draws."""

import numpy as np
import pytest
from scipy import stats

from sessionkit.statistics.variance_components import Factors, mean_squares

from .published import DYESTUFF, batches


def test_dyestuff():
    found = mean_squares(batches(), DYESTUFF)[1]
    # Davies' table: between batches 11271.5 with 5 df, within 2451.25 with 24; (11271.5 - 2451.25) / 5 = 1764.05
    assert found.values == pytest.approx([11271.5, 2451.25])
    assert found.df.tolist() == [5, 24]
    assert found.weights == pytest.approx(np.array([[5, 1], [0, 1]]))
    assert found.components() == pytest.approx([1764.05, 2451.25])


def test_crossed_and_finer_factors_of_a_balanced_study():
    rng = np.random.default_rng(1)
    user, topic, group = (axis.ravel() for axis in np.meshgrid(range(6), range(4), range(2), indexing="ij"))
    factors = Factors(group, 2, ("user", "topic", "both"), (user, topic, topic * 2 + group))
    cube = rng.normal(size=(6, 4, 2))
    same, found = mean_squares(factors, cube.ravel())
    assert same is factors
    of_user = 8 * ((cube.mean(axis=(1, 2)) - cube.mean()) ** 2).sum() / 5
    of_topic = 12 * ((cube.mean(axis=(0, 2)) - cube.mean()) ** 2).sum() / 3
    cells = cube.mean(axis=0)
    left = cells - cells.mean(axis=0) - cells.mean(axis=1, keepdims=True) + cells.mean()
    assert found.values[:3] == pytest.approx([of_user, of_topic, 6 * (left**2).sum() / 3])
    # 48 values: 1 for the mean, 1 for groups, 5, 3 and 3: 35 are left
    assert found.df.tolist() == [5, 3, 3, 35]
    # a user has 8 sessions, a topic 12, a topic with a group 6, which the topic's mean square has too
    assert found.weights == pytest.approx(np.array([[8, 0, 0, 1], [0, 12, 6, 1], [0, 0, 6, 1], [0, 0, 0, 1]]))


def test_a_factor_without_degrees_of_freedom_is_left_to_the_residual():
    # 3 users, 2 topics, groups alternated, each twice: of 12, 1 for the mean, 1 for groups, 2 for users, 1 for topics; what
    # topics do to two groups is what the users with the first topic differ by from the others
    user, topic, _ = (axis.ravel() for axis in np.meshgrid(range(3), range(2), range(2), indexing="ij"))
    group = (user + topic) % 2
    factors = Factors(group, 2, ("user", "topic", "both"), (user, topic, topic * 2 + group))
    kept, found = mean_squares(factors, np.random.default_rng(1).normal(size=12))
    assert kept.names == ("user", "topic")
    assert found.df.tolist() == [2, 1, 7]


def test_a_lucky_mean_square_leaves_its_component_in_doubt():
    # batches whose means are alike: the mean square is 0, as if the component were surely so
    values = np.tile(DYESTUFF[:5], 6)
    found = mean_squares(batches(), values)[1]
    assert found.values[0] == pytest.approx(0, abs=1e-9)
    drawn = found.drawn(np.random.default_rng(3), 20_000)[0]
    # the mean square is drawn as the residual's over chi-squared / 5: 0 where F of 5 and 24 degrees of freedom is above 1
    assert (drawn == 0).mean() == pytest.approx(stats.f.sf(1, 5, 24), abs=0.01)
    assert np.quantile(drawn, 0.95) > 0.3 * found.values[1]


def test_draws_are_as_uncertain_as_the_mean_squares():
    found = mean_squares(batches(), DYESTUFF)[1]
    drawn = found.drawn(np.random.default_rng(3), 20_000)
    assert (drawn >= 0).all()
    # the residual: 24 x 2451.25 / chi-squared(24); the batch is 0 where 11271.5 / F is below 2451.25
    ends = 24 * 2451.25 / stats.chi2.ppf([0.95, 0.05], 24)
    assert np.quantile(drawn[1], [0.05, 0.95]) == pytest.approx(ends, rel=0.02)
    assert (drawn[0] == 0).mean() == pytest.approx(stats.f.sf(11271.5 / 2451.25, 5, 24), abs=0.003)
