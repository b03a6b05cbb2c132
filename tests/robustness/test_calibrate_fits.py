"""Known parameters are found again, intervals cover them, and what cannot be told is said.

The highest point of smooth functions, of many draws at once.
"""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from sessionkit.robustness.calibrate_fits import LIKELIHOOD, State, climbed, fitted, height_of, highest
from sessionkit.robustness.calibrate_models import Looked, model_of
from tests.robustness.drawing_models import counted, depths, drawn_counts

CUT = float(stats.chi2.ppf(0.95, 1)) / 2


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("sDCG", (1.25, 1.97)),
        ("sDCG(discount=shifted,query_discount=shifted)", (1.3, 2.5)),
        ("sDCG(discount=jk2002)", (1.4, 3.0)),
        ("sDCG(discount=geometric,query_discount=geometric,p=0.5,pq=0.5)", (0.7, 0.4)),
        ("sRBP", (0.67, 0.84)),
        ("RBP", (0.8,)),
    ],
)
def test_known_parameters_are_found_again_from_cut_off_lists(text, values):
    whole = drawn_counts(text, values, 20_000, seed=1, length=10)  # what lies beyond 10 is censored
    fit = fitted(model_of(text), LIKELIHOOD, whole.stops(by_position=False)[0], CUT)
    np.testing.assert_allclose(fit.values, values, rtol=0.05)
    assert all(low < value < high for (low, high), value in zip(fit.intervals, fit.values, strict=True))
    assert fit.states == (State.told,) * len(values)


@pytest.mark.parametrize(("text", "values", "lists"), [("RBP", (0.6,), 200), ("DCG(discount=log)", (1.5,), 200)])
def test_profile_intervals_cover_in_19_of_20_studies(text, values, lists):
    # an interval covers the truth where the log-likelihood falls by less than CUT to there
    model, studies, length = model_of(text), 2000, 10
    random = np.random.Generator(np.random.PCG64(7))
    ranks = depths(random, model.by_rank(np.array(values), np.arange(1.0, length + 1)), studies * lists)
    rows = pl.DataFrame(
        {"unit": np.repeat(np.arange(studies), lists), "query_position": 1, "rank": ranks, "ended": ranks >= length}
    )
    ends = pl.DataFrame({"unit": np.arange(studies), "query_position": 1, "ended": False})
    each = counted(rows, ends).stops(by_position=False)[1]
    height, bounds = height_of(model, LIKELIHOOD, each), [free.bounds for free in model.free]
    truth = np.array(
        [[float(free.coordinate(np.array(value))) for free, value in zip(model.free, values, strict=True)]]
    )
    start = np.repeat(truth, studies, axis=0)
    best = height(climbed(height, start, bounds, 0.3, 1e-6)[:, None, :])[:, 0]
    covered = (best - height(start[:, None, :])[:, 0] <= CUT).mean()
    assert 0.93 <= covered <= 0.97


@pytest.mark.slow
def test_the_ends_of_an_interval_lie_where_the_profile_has_fallen():
    whole = drawn_counts("sRBP", (0.6, 0.8), 300, seed=5)
    stops = whole.stops(by_position=False)[0]
    model = model_of("sRBP")
    fit = fitted(model, LIKELIHOOD, stops, CUT)
    height = height_of(model, LIKELIHOOD, stops)
    others = np.linspace(-6, 6, 4001)
    for place, ends in enumerate(fit.intervals):
        for end in ends:  # the best of a fine grid of the other parameter
            held = np.full_like(others, model.free[place].coordinate(np.array(end)))
            pair = [held, others] if place == 0 else [others, held]
            assert fit.best - height(np.stack(pair, axis=-1)[None])[0].max() == pytest.approx(CUT, abs=2e-3)


def lists_of(*ranks, ended=False):
    return pl.DataFrame({"unit": range(len(ranks)), "query_position": 1, "rank": ranks, "ended": ended})


def sessions_of(*queries, ended=False):
    return pl.DataFrame({"unit": range(len(queries)), "query_position": queries, "ended": ended})


@pytest.mark.slow
def test_single_query_sessions_tell_nothing_of_going_on():
    stops = counted(lists_of(1, 2, 3), sessions_of(1, 1, 1)).stops(by_position=False)[0]
    fit = fitted(model_of("sDCG"), LIKELIHOOD, stops, CUT)
    assert fit.states == (State.told, State.low)
    assert not fit.usable
    rank_biased = fitted(model_of("sRBP"), LIKELIHOOD, stops, CUT)  # nobody asks again: b = 1, and p is RBP's, 3 / 6
    assert rank_biased.states[0] is State.high
    assert rank_biased.values[1] == pytest.approx(0.5, abs=1e-4)


def test_sessions_that_all_ended_leave_the_query_discount_open():
    stops = counted(lists_of(1, 2, 3), sessions_of(1, 1, 1, ended=True)).stops(by_position=False)[0]
    fit = fitted(model_of("sDCG"), LIKELIHOOD, stops, CUT)
    assert fit.states[1] is State.flat


def test_lists_that_were_all_looked_through_run_to_the_end():
    stops = counted(lists_of(9, 9, 9, ended=True), sessions_of(1, 2, 1)).stops(by_position=False)[0]
    assert fitted(model_of("sDCG"), LIKELIHOOD, stops, CUT).states[0] is State.high


def test_one_query_position_tells_only_a_product_of_srbp():
    # FORMULAS section 4: independent sRBP depends on bp alone
    looked = Looked(np.array([[[50.0], [30.0], [17.0], [10.0]]]))
    fit = fitted(model_of("sRBP"), "TSE", looked)
    assert fit.states == (State.flat, State.flat)
    assert np.prod(fit.values) == pytest.approx(fitted(model_of("RBP"), "TSE", looked).values[0], abs=1e-4)


def test_few_lists_leave_an_interval_without_an_end():
    # two of six lists were left, at ranks 1 and 2; four ended at rank 9
    ranks = lists_of(1, 2, 9, 9, 9, 9, ended=[False, False, True, True, True, True])
    fit = fitted(model_of("sDCG"), LIKELIHOOD, counted(ranks, sessions_of(1, 2, 1)).stops(by_position=False)[0], CUT)
    assert fit.states[0] is State.open_high
    assert fit.intervals[0][1] is None
    assert fit.usable


def test_a_ridge_of_two_coordinates_is_climbed_to_its_top():
    def height(at):
        x, y = at[..., 0] - 0.7, at[..., 1] + 0.2
        return -(x**2 + 2 * y**2 + 2.4 * x * y)  # positive definite: 1 x 2 > 1.2^2

    found = highest(height, [(-3.0, 3.0), (-3.0, 3.0)])
    np.testing.assert_allclose(found, [0.7, -0.2], atol=1e-6)


def test_it_keeps_within_bounds_and_takes_the_end():
    assert highest(lambda at: at[..., 0], [(-1.0, 2.0)]) == pytest.approx([2.0])


def test_each_row_climbs_its_own_function():
    tops = np.array([0.1, 0.5, -0.4])
    found = climbed(lambda at: -((at[..., 0] - tops[:, None]) ** 2), np.zeros((3, 1)), [(-1.0, 1.0)], 0.3)
    np.testing.assert_allclose(found[:, 0], tops, atol=1e-7)


def test_what_cannot_be_is_not_taken():
    def height(at):
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(at[..., 0] < 0.25, np.nan, -np.log(at[..., 0]))

    assert highest(height, [(-1.0, 1.0)])[0] == pytest.approx(0.25, abs=1e-3)
