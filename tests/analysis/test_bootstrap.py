"""Draws of units: the same from the same seed, intervals that agree with their p-values and cover as often as they say."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sessionkit.errors import UsageError
from sessionkit.statistics import distributions as bootstrap_draws
from sessionkit.statistics.correlation_matrices import Matrices
from sessionkit.statistics.distributions import Resampling, Units, added
from tests.support.examples import examples


def test_every_draw_draws_as_many_units_as_there_are():
    weights = np.concatenate([*Resampling(300, seed=3).weights(7)])
    assert weights.shape == (300, 7)
    assert (weights.sum(axis=1) == 7).all()
    # PCG64 with seed 3, the same on every platform
    first = np.random.Generator(np.random.PCG64(3)).integers(7, size=7)
    assert weights[0].tolist() == [int((first == unit).sum()) for unit in range(7)]


def test_draws_do_not_depend_on_how_many_are_made_at_once(monkeypatch):
    whole = np.concatenate([*Resampling(500).weights(11)])
    monkeypatch.setattr(bootstrap_draws, "AT_ONCE", 110)
    assert np.array_equal(np.concatenate([*Resampling(500).weights(11)]), whole)


@settings(max_examples=examples(60), deadline=None)
@given(
    seed=st.integers(0, 10_000),
    units=st.integers(5, 30),
    shift=st.floats(-1, 1),
    kind=st.sampled_from(["percentile", "bca"]),
    confidence=st.sampled_from([0.8, 0.9, 0.95]),
    rounded=st.booleans(),
)
def test_an_interval_holds_0_where_p_does_not_reject_and_nowhere_else(*, seed, units, shift, kind, confidence, rounded):
    from_seed = np.random.default_rng(seed)
    values = from_seed.normal(shift, 1, units)
    how = Resampling(1000, seed, kind, confidence)
    replicates = np.concatenate([weights @ values for weights in how.weights(units)]) / units
    if rounded:
        replicates = replicates.round(1)
    found = how.says(replicates, values.mean(), (values.sum() - values) / (units - 1))
    if found is None:  # beyond the farthest draw
        assert units < 8
    else:
        assert (found.low <= 0 <= found.high) == (found.p > how.alpha)


def test_p_is_a_bound_where_no_draw_lies_beyond_0():
    # the farthest of 1,000 draws stands at a share of .0005: with 20 units p = 2 * P(t(19) > 3.29 / sqrt(20 / 19)) = .0045
    smallest = 2 * stats.t.sf(stats.norm.isf(0.0005) / np.sqrt(20 / 19), 19)
    above = Resampling(1000).says(np.linspace(0.1, 1, 1000), 0.5, np.ones(20))
    assert (above.p, above.p_is_bound) == (pytest.approx(smallest), True)
    below = Resampling(1000).says(np.linspace(-1, -0.1, 1000), -0.5, np.ones(20))
    assert (below.p, below.p_is_bound) == (pytest.approx(smallest), True)
    across = Resampling(1000).says(np.linspace(-0.1, 1, 1000), 0.5, np.ones(20))
    assert across.p > smallest
    assert not across.p_is_bound


def test_bca_is_scipys_with_wider_points():
    values = np.random.default_rng(5).exponential(size=200)
    how = Resampling(20_000, 1, "bca")
    replicates = np.concatenate([weights @ values for weights in how.weights(200)]) / 200
    found = how.says(replicates, values.mean(), (values.sum() - values) / 199)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, rng=1, vectorized=True).confidence_interval
    # with 200 units the points are 1.977 out where scipy's are 1.960: 1% wider
    assert found.high - found.low == pytest.approx((theirs.high - theirs.low) * 1.011, rel=0.02)
    assert (found.low + found.high) / 2 == pytest.approx((theirs.low + theirs.high) / 2, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("users", "agree"), [(12, 0.0), (20, 0.4)])
def test_intervals_of_correlations_cover_as_often_as_they_say(users, agree):
    from_seed = np.random.default_rng(users)
    both = np.linalg.cholesky([[1, agree], [agree, 1]])
    # a third of the variance is the user's
    of_user = np.sqrt(0.33) * from_seed.normal(size=(1000, users, 1, 2)) @ both.T
    numbers = of_user + np.sqrt(0.67) * from_seed.normal(size=(1000, users, 4, 2)) @ both.T
    codes = np.repeat(np.arange(users), 4)
    covered = rejected = 0
    for number, study in enumerate(numbers.reshape(1000, users * 4, 2)):
        matrices = Matrices(study, codes, "pearson")
        how = Resampling(600, seed=number)
        value = matrices.of(np.ones((1, users)))[0, 0, 1]
        found = how.says(matrices.replicates(how)[:, 0, 1], value, matrices.left_out()[:, 0, 1])
        covered += found.low <= agree <= found.high
        rejected += found.p < 0.05
    assert 930 <= covered <= 970
    assert 30 <= rejected <= 70 if agree == 0 else rejected > 700


@pytest.mark.slow
def test_the_difference_of_two_correlations_is_found_as_often_as_chance_has_it():
    # both agree with the third by .4, and with each other by .6; a third of the variance is the user's
    from_seed, studies = np.random.default_rng(8), 700
    root = np.linalg.cholesky([[1, 0.4, 0.4], [0.4, 1, 0.6], [0.4, 0.6, 1]])
    of_user = np.sqrt(0.33) * from_seed.normal(size=(studies, 20, 1, 3)) @ root.T
    numbers = of_user + np.sqrt(0.67) * from_seed.normal(size=(studies, 20, 4, 3)) @ root.T
    rejected = 0
    for number, study in enumerate(numbers.reshape(studies, 80, 3)):
        matrices, how = Matrices(study, np.repeat(np.arange(20), 4), "pearson"), Resampling(400, seed=number)
        drawn = matrices.replicates(how)
        value = matrices.of(np.ones((1, 20)))[0]
        found = how.says(drawn[:, 0, 1] - drawn[:, 0, 2], value[0, 1] - value[0, 2], np.ones(20))
        assert (found.low <= 0 <= found.high) == (found.p > 0.05)
        rejected += found.p <= 0.05
    assert 0.03 <= rejected / studies <= 0.075  # 6% of 3,800 such studies of 12 to 40 users; sd of 700: .9%


def test_units():
    users = pl.Series(["b", "a", None, "b", None])
    of = Units.of(users, "auto")
    assert of.name == "users"
    assert of.codes(users).tolist() == [1, 0, 2, 1, 3]  # unknown users are a unit each
    assert Units.of(users, "sessions").codes(users).tolist() == [0, 1, 2, 3, 4]
    assert Units.of(pl.Series(["a", "b", None]), "auto").name == "sessions"
    assert Units.of(pl.Series([None, None], dtype=pl.String), "auto").reason.startswith("the log names no users")
    with pytest.raises(UsageError, match="names no users"):
        Units.of(pl.Series([None], dtype=pl.String), "users")
    with pytest.raises(UsageError, match="did you mean 'users'"):
        Units.of(users, "user")


def test_rows_are_added_up_by_unit():
    assert added(np.array([[1.0, 2], [3, 4], [5, 6]]), np.array([1, 0, 1])).tolist() == [[3, 4], [6, 8]]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kind": "basic"}, "percentile, bca"),
        ({"confidence": 95}, "not 95; 0.95 is usual"),
        ({"draws": 10}, "at least 200 and at most 1,000,000"),
        ({"seed": -1}, "0 or more"),
    ],
)
def test_what_is_wrong_is_said(options, says):
    with pytest.raises(UsageError, match=says):
        Resampling(**options)


def test_draws_that_have_no_value_are_left_out_unless_they_are_many():
    replicates = np.linspace(-1, 1, 1000)
    replicates[:30] = np.nan
    assert Resampling().says(replicates, 0, np.ones(20)) is not None
    replicates[:100] = np.nan
    assert Resampling().says(replicates, 0, np.ones(20)) is None
