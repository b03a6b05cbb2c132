"""Draws of units: the same from the same seed, intervals that agree with their p-values and cover as often as they say.

Tails of t and F are scipy.stats' own, without loading it.

Values of any size and offset: tests are those of the same values in other units, against scipy and against themselves.

The one rule of ties: rounding changes no rank, win, tie, sign or order, and nothing that differs is made the same.
"""

import subprocess
import sys
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.robustness.rescore import RescoredPairs, kendall
from sessionkit.robustness.sweep_scores import SettingMeans
from sessionkit.robustness.sweep_verdicts import led, tau_b
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.sessions.breakdown_tests import parted
from sessionkit.statistics import distributions as bootstrap_draws
from sessionkit.statistics import distributions as ties
from sessionkit.statistics.comparison_table import Row
from sessionkit.statistics.correlation_matrices import Matrices
from sessionkit.statistics.correlations import CorrelationRows
from sessionkit.statistics.design import read_design
from sessionkit.statistics.distributions import Resampling, Units, added, f_beyond, t_at, t_beyond
from sessionkit.statistics.effects import SPREAD_NODES, _places
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.statistics.significance import (
    conover,
    friedman,
    kruskal,
    mann_whitney,
    nemenyi,
    randomized,
    sign,
    wilcoxon,
)
from sessionkit.statistics.units import Blocked, Effects, LeastSquares, Separate, indicators
from tests.statistics.layouts import SYSTEM, TOPIC, USER, apart, by_topic, crossing, scores, simulated
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
    assert Units.of(pl.Series([None, None], dtype=pl.String), "auto").why == "no users"
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


def test_they_are_those_of_scipy():
    rng = np.random.default_rng(1)
    for t, df, more, tail in zip(*rng.uniform((-9, 1, 1, 0), (9, 300, 30, 1), (200, 4)).T, strict=True):
        assert t_beyond(t, df) == stats.t.sf(t, df)
        assert t_at(tail, df) == stats.t.isf(tail, df)
        assert f_beyond(t * t, more, df) == stats.f.sf(t * t, more, df)


@pytest.mark.slow
def test_places_of_gauss_and_legendre_are_those_of_numpy():
    at, weight = _places()
    theirs, weights = np.polynomial.legendre.leggauss(SPREAD_NODES)
    assert np.abs(at - theirs).max() < 1e-15
    assert np.abs(weight / weights - 1).max() < 1e-8
    for power in (0, 2, 10, 2 * SPREAD_NODES - 2):  # exact for every polynomial of a degree below 2 NODES
        assert abs(weight @ at**power - 2 / (power + 1)) < 1e-14


@pytest.mark.slow
def test_comparing_loads_no_scipy_stats():
    code = (
        "import sys, numpy as np; from sessionkit.statistics.crossover import least_squares; "
        "from sessionkit.statistics.units import Crossed; n = np.arange(16); "
        "pair = least_squares(Crossed(np.sin(n), (n // 4 + n) % 2, n // 4, n % 4, 2)).pairs[0, 1]; "
        "pair.interval(0.05), pair.effect_interval(0.05); sys.exit('scipy.stats' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


CASES = Path(__file__).parents[3] / "shared/data/cases/statistics"
IN_UNITS = ("estimate", "low", "high", "mean_a", "mean_b", "raw_difference", "detectable", "sd")
WITHOUT_UNITS = ("p", "p_adjusted", "df", "effect", "effect_low", "effect_high", "relative")


def grown(table, factor):
    return table.with_columns(pl.col("value") * factor)


def numbers(column):
    """The numbers of a column, NaN where there is none."""
    return column.cast(pl.Float64).fill_null(np.nan).to_numpy()


def normal(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).round(2)


LAYOUTS = {
    "paired": (by_topic(normal(9, 2)), ["t", "wilcoxon", "sign", "randomization"]),
    "three paired": (
        by_topic(normal(9, 3) + np.array([0, 0.5, 1.5])),
        ["t", "tukey", "randomization", "nemenyi", "conover"],
    ),
    "separate": (apart([normal(12), normal(9, seed=2) * 2 + 1]), ["welch", "mann-whitney"]),
    "three separate": (
        apart([normal(12), normal(9, seed=2), normal(5, seed=3) + 2]),
        ["welch", "tukey", "mann-whitney"],
    ),
    "crossover": (crossing(simulated(1, effect=0.2)[:, 0]), ["least-squares", "randomization"]),
}
EACH = [(layout, test) for layout, (_, tests) in LAYOUTS.items() for test in tests]


@pytest.mark.few(4, slow=5)
@pytest.mark.parametrize(("layout", "test"), EACH)
@settings(max_examples=examples(4), deadline=None)
@given(power=st.integers(-200, 290))
def test_a_test_does_not_depend_on_the_unit_of_the_values(layout, test, power):
    table, _ = LAYOUTS[layout]
    plain = sk.compare(table, test=test, draws=199, correction="none")
    found = sk.compare(grown(table, 10.0**power), test=test, draws=199, correction="none")
    in_ranks = test in ("nemenyi", "conover")
    for name in IN_UNITS:
        unit = 1.0 if in_ranks and name in ("estimate", "low", "high") else 10.0**-power
        expected = pytest.approx(numbers(plain.table[name]), rel=1e-9, nan_ok=True)
        assert numbers(found.table[name]) * unit == expected, name
    for name in WITHOUT_UNITS:
        assert numbers(found.table[name]) == pytest.approx(numbers(plain.table[name]), rel=1e-9, nan_ok=True), name
    assert found.overall["p"].to_list() == pytest.approx(plain.overall["p"].to_list(), rel=1e-9)
    assert found.order["p"].to_list() == pytest.approx(plain.order["p"].to_list(), rel=1e-6)
    means = [value * 10.0**-power for value in found.groups["mean"]]
    assert means == pytest.approx(plain.groups["mean"].to_list(), rel=1e-9)
    units = [value * 10.0**-power for value in found.units["value"]]
    assert units == pytest.approx(plain.units["value"].to_list(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("factor", [1e-200, 1e250])
def test_p_values_of_huge_and_tiny_values_are_scipys_of_ordinary_ones(factor):
    paired, first, second = normal(9, 2), normal(12), normal(9, seed=2) * 2 + 1
    expected = {
        "t": stats.ttest_rel(paired[:, 1], paired[:, 0]),
        "wilcoxon": stats.wilcoxon(paired[:, 1] - paired[:, 0], mode="exact"),
        "welch": stats.ttest_ind(second, first, equal_var=False),
    }
    for test, scipys in expected.items():
        table = apart([first * factor, second * factor]) if test == "welch" else by_topic(paired * factor)
        row = sk.compare(table, test=test).table.row(0, named=True)
        assert row["p"] == pytest.approx(scipys.pvalue), test
        assert row["statistic"] == pytest.approx(scipys.statistic), test
    three = [first, second, normal(5, seed=3) + 2]
    found = sk.compare(apart([values * factor for values in three]), test="tukey")
    assert found.overall.item(0, "p") == pytest.approx(stats.f_oneway(*three).pvalue)
    of_tukey = stats.tukey_hsd(*three).pvalue
    assert found.table["p"].to_list() == pytest.approx([of_tukey[0, 1], of_tukey[0, 2], of_tukey[1, 2]], rel=1e-5)
    blocks = normal(9, 3) + np.array([0, 0.5, 1.5])
    found = sk.compare(by_topic(blocks * factor), test="friedman")
    assert found.overall.item(0, "p") == pytest.approx(stats.friedmanchisquare(*blocks.T).pvalue)


def test_the_interaction_does_not_depend_on_the_unit_of_the_values():
    table = crossing(simulated(1, effect=0.2, seed=4)[:, 0]).with_columns(skill=pl.col("user_id") < "u15")
    plain, found = (sk.compare(grown(table, factor), within="skill") for factor in (1.0, 1e200))
    assert found.interaction["p"].to_list() == pytest.approx(plain.interaction["p"].to_list())
    for name in ("estimate", "low", "high"):
        assert found.interaction.item(0, name) * 1e-200 == pytest.approx(plain.interaction.item(0, name))


def test_values_whose_differences_may_be_no_numbers_are_refused():
    with pytest.raises(DataError, match=r"sDCG@10: .* 1\.7e\+308, and at most 1e\+300 .*divide"):
        sk.compare(by_topic([[1.0, 1.7e308], [2.0, 3.0]]))
    table = crossing(simulated(1)[:, 0])
    for factor, advice in ((1e200, "divide"), (1e-200, "multiply")):
        with pytest.raises(DataError, match=f"variances .* cannot be computed; {advice}"):
            sk.compare(grown(table, factor), population="users,topics")


def test_correlations_of_tiny_values_are_those_of_ordinary_ones():
    x, y = normal(30), normal(30, seed=2)

    def correlation(factor, coefficient):
        ids = [f"s{number:02}" for number in range(30)]
        study = sk.from_tables(
            results={"session_id": ids, "query_position": [1] * 30, "rank": [1] * 30, "doc_id": ids},
            sessions={"session_id": ids, "x": (x * factor).tolist(), "y": (y * factor).tolist()},
        )
        return sk.correlate(study, "column(x)", with_="y", coefficients=coefficient).table.row(0, named=True)

    for coefficient, scipys in (
        ("pearson", stats.pearsonr),
        ("spearman", stats.spearmanr),
        ("kendall", stats.kendalltau),
    ):
        row = correlation(1e-250, coefficient)
        assert row["value"] == pytest.approx(scipys(x, y).statistic)
        assert row["low"] == pytest.approx(correlation(1.0, coefficient)["low"])


OFFSET = 1e12


@pytest.mark.parametrize(("layout", "test"), [("paired", "t"), ("three paired", "t"), ("separate", "welch")])
def test_an_offset_of_a_million_millions_leaves_tests_as_they_are(layout, test):
    """Doubles near 1e12 are .0001 apart, so that values with two decimals keep some four digits."""
    table = LAYOUTS[layout][0].with_columns(pl.col("value") * 10)
    far = table.with_columns(pl.col("value") + OFFSET)
    plain, found = sk.compare(table, test=test), sk.compare(far, test=test)
    assert found.table["p"].to_list() == pytest.approx(plain.table["p"].to_list(), rel=1e-3)
    assert found.overall["p"].to_list() == pytest.approx(plain.overall["p"].to_list(), rel=1e-3)
    assert "same" not in found.reading.replace("assumes the same difference", "")


def test_an_offset_does_not_make_users_topics_and_groups_explain_every_value():
    values = simulated(1, effect=0.2)[:, 0]
    for population in ("users", "users,topics"):
        plain, found = (sk.compare(crossing(values + level), population=population) for level in (0.0, OFFSET))
        assert "explain every value" not in found.reading
        assert found.table.item(0, "p") == pytest.approx(plain.table.item(0, "p"), rel=0.01)
        assert found.table.item(0, "estimate") == pytest.approx(plain.table.item(0, "estimate"), abs=1e-3)


def test_sentences_of_degenerate_data_say_to_within_what_values_are_the_same():
    """Differences of .30 and .31 at 1e12 are the same within 1e-13 of the values, and the sentence says so."""
    rows = OFFSET + np.array([[0.0, 5.30], [1.0, 6.31], [2.0, 7.30], [3.0, 8.31]])
    found = sk.compare(by_topic(rows), test="t").reading
    assert "S2 differs from S1" in found
    assert "by the same amount, 5.305" in found
    assert "(to within 1e-13 of" in found
    assert "for every topic" in found
    exact = sk.compare(by_topic([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]), test="t").reading
    assert "same amount, 1, for every topic" in exact
    separate = sk.compare(apart([[1.0, 1.0, 1.0], [2.0, 2.0]])).reading
    assert "every value of S1 is 1 and " in separate
    assert "every value of S2 is 2; " in separate
    assert "Welch's t has no error" in separate
    assert "for every u" not in separate


def test_levels_whose_differences_are_constant_are_compared_but_not_tested():
    """S2 is 1 better in each session of one half of the topics, and 2 better in each of the other."""
    far = np.array([SYSTEM * 1.0, SYSTEM * 2.0])[TOPIC % 2, np.arange(120)]
    table = crossing(USER * 0.1 + far).with_columns(half=pl.Series(TOPIC % 2))
    found = sk.compare(table, within="half")
    assert found.table["raw_difference"].count() == 2
    assert found.interaction["p"].count() == 0
    assert "users and groups leave nothing" in found.reading
    assert "compared in fewer than two" not in found.reading
    assert (
        found.order.is_empty()
    )  # users, topics and groups explain the values, so there is no error to judge an order effect by
    assert "Caution" not in found.reading


def test_three_groups_that_differ_by_constants_are_tested_by_randomization():
    """Of the 6^6 ways to permute 0, 1, 2 within 6 users: the share with a range of means as large, and no analysis of variance."""
    table = pl.read_csv(CASES / "flat.csv")
    found = sk.compare(table, test="randomization", draws=6**6)
    orders = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    sums = orders[np.array(list(product(range(6), repeat=6)))].sum(axis=1)
    ranges = np.ptp(sums, axis=1)
    shares = dict(zip(found.table.select("a", "b").rows(), found.table["p"], strict=True))
    assert shares["A", "C"] == np.mean(ranges >= 12) == 6 / 6**6
    assert shares["A", "B"] == shares["B", "C"] == np.mean(ranges >= 6)
    assert found.overall.is_empty()
    assert "no variance beyond rounding" in found.reading
    tukey = sk.compare(table, test="tukey")
    assert tukey.table["p"].null_count() == 3


def test_a_huge_group_beside_small_ones_leaves_no_analysis_of_variance():
    values = np.column_stack([normal(6), normal(6, seed=2), 1e20 + normal(6, seed=3)])
    for test in ("tukey", "randomization", "t"):
        found = sk.compare(by_topic(values), test=test, draws=199)
        assert found.overall.is_empty()
        assert "no analysis of variance" in found.reading
    p = sk.compare(by_topic(values), test="t", correction="none").table.item(0, "p")
    assert p == pytest.approx(stats.ttest_rel(values[:, 1], values[:, 0]).pvalue)


def test_least_squares_leaves_nothing_but_rounding_of_sums_of_effects():
    """Of each part of a design one eigenvalue is 0, and was inverted where it came out as more than 1e-15 of the largest."""
    rng, residuals = np.random.default_rng(0), []
    for _ in range(300):
        users, topics = rng.integers(3, 60), rng.integers(2, 40)
        user, topic = np.repeat(np.arange(users), topics), np.tile(np.arange(topics), users)
        kept = rng.random(len(user)) < rng.uniform(0.05, 1)
        user, topic = (np.unique(column[kept], return_inverse=True)[1] for column in (user, topic))
        group = rng.integers(0, 2, len(user))
        values = rng.normal(size=users)[user] + rng.normal(size=topics)[topic] + 0.3 * group + 5
        fit = LeastSquares(Effects(user, topic), indicators(group, 2)).fit(values[:, None]) if len(user) else None
        if fit is not None and fit.df > 0:
            residuals.append(np.sqrt(fit.variance[0]))
            assert fit.coefficients[0, 0] == pytest.approx(0.3)
    assert len(residuals) > 250
    assert max(residuals) < 1e-13


def test_where_no_mixed_model_can_be_fitted_the_paper_table_says_why():
    found = sk.compare(pl.read_csv(CASES / "mixed.csv"), population="users,topics")
    table = found.paper_table()
    assert table.rows == ()
    assert "factors explain every value" in table.note
    assert "explain every value" in found.to_latex()
    assert "explain every value" in found.to_markdown()


def test_a_group_without_a_value_is_named_by_the_mixed_model():
    table = crossing(simulated(1)[:, 0]).with_columns(
        system_id=pl.Series([f"S{number + 1}" for number in (SYSTEM + 2 * (TOPIC == 0)) % 3])
    )
    without = table.with_columns(value=pl.when(pl.col("system_id") != "S2").then("value"))
    assert "S2 has no session with a value" in sk.compare(without, population="users,topics").reading


@pytest.mark.parametrize("test", ["welch", "tukey"])
def test_a_small_difference_of_far_values_is_in_the_interval_that_its_p_value_tells(test):
    """A difference of .01 is less than 1e-14 of 1e12, and beyond its standard error of .0024."""
    draw = np.random.default_rng(2)
    steps = np.concatenate([np.round(draw.uniform(0, 0.12, 400) * 8192) / 8192 + shift for shift in (0, 76 / 8192)])
    names = [f"s{number}" for number in range(800)]
    scores = pl.DataFrame(
        {"session_id": names, "user_id": names, "system_id": ["A"] * 400 + ["B"] * 400, "value": steps + OFFSET}
    ).with_columns(measure=pl.lit("gain"))
    row = sk.compare(scores, test=test).table.row(0, named=True)
    scipys = stats.ttest_ind(steps[400:], steps[:400], equal_var=False)
    assert row["p"] == pytest.approx(scipys.pvalue, rel=0.3)
    ends = scipys.confidence_interval()
    assert [row["low"], row["high"]] == pytest.approx([ends.low, ends.high], abs=3e-4)
    assert row["estimate"] == pytest.approx(steps[400:].mean() - steps[:400].mean(), abs=3e-4)
    assert row["raw_difference"] == pytest.approx(row["estimate"], abs=3e-4)


NOISY = (0.1 + 0.2) / 2
"""A mean of .1 and .2, which is not the double .15: counts 1 and 2 of ten are not 0 and 3, as means of P@10."""
TENTHS = st.integers(0, 12)


def noisy(values, seed):
    """The same values, each some last digits away from where it was."""
    rng = np.random.default_rng(seed)
    away = np.asarray(values, dtype=float)
    for _ in range(4):
        away = np.nextafter(away, away + rng.integers(-1, 2, away.shape))
    return np.where(np.asarray(values) == 0, 0.0, away)


def ten_users(measure="mean(P@10)"):
    """Ten users with both systems, .15 by either way of working it out; one has .2 with the first."""
    rows = [(f"{user}{name}", f"u{user}", None, name, 0.0) for user in range(10) for name in "AB"]
    value = pl.Series([v for user in range(10) for v in (0.2 if user == 9 else NOISY, 0.15)])
    return scores(rows, measure).with_columns(value=value)


# the reproduction, end to end


@pytest.mark.parametrize(("test", "p"), [("sign", 1.0), ("wilcoxon", 1.0), ("randomization", 1.0)])
def test_nine_ties_and_one_difference_are_no_evidence(test, p):
    found = sk.compare(ten_users(), test=test)
    row = found.table.row(0, named=True)
    assert (row["wins"], row["ties"], row["losses"], row["p"]) == (0, 9, 1, p)
    assert "Evidence" not in found.reading


@pytest.mark.slow
def test_of_a_study_read_from_a_log():
    # P@10 of two queries: 1 and 2 of ten relevant with A, 0 and 3 with B, mean .15 of both; one user has 1 and 3 with A
    rows = {name: [] for name in ("session_id", "user_id", "system_id", "query_position", "rank", "doc_id")}
    for user in range(10):
        for system, counts in (("A", (1, 3 if user == 9 else 2)), ("B", (0, 3))):
            for position, relevant in enumerate(counts, 1):
                for rank in range(1, 11):
                    document = f"{'r' if rank <= relevant else 'n'}{rank}"
                    row = (f"{user}{system}", f"u{user}", system, position, rank, document)
                    for name, value in zip(rows, row, strict=True):
                        rows[name].append(value)
    judgments = {"judgment_key": ["t"] * 3, "doc_id": ["r1", "r2", "r3"], "grade": [1] * 3}
    study = sk.from_tables(results=rows | {"topic_id": ["t"] * len(rows["rank"])}, judgments=judgments)
    values = sk.score(study, "mean(P@10)", per="session")["value"].unique().to_list()
    assert len(values) == 3  # .2, and .15 as two doubles
    for test in ("sign", "wilcoxon"):
        row = sk.compare(study, "mean(P@10)", test=test).table.row(0, named=True)
        assert (row["p"], row["wins"], row["ties"], row["losses"]) == (1, 0, 9, 1)
    found = sk.discriminate(study, "mean(P@10)", test="wilcoxon")
    assert found.asl["p"].to_list() == [1.0]
    assert sk.judgment_loss(study, "mean(P@10)", fractions=[1], draws=1, test="wilcoxon").pairs["p"].to_list() == [1.0]


# what is tied, and what is not


def test_a_difference_is_measured_by_what_it_is_the_difference_of():
    first, second = np.array([NOISY, 0.15, 1e-17, 0.0, 1e9]), np.array([0.15, 0.2, 4e-17, 1e-300, 1e9 + 1e-4])
    assert ties.differences(first, second)[0] == 0  # 2.8e-17 between .15s, though other differences are as small
    assert (ties.differences(first, second)[[1, 2, 3]] == (second - first)[[1, 2, 3]]).all()
    assert ties.differences(first, second)[4] == 0
    away = ties.differences(np.array([0.1, 0.5, 0.3]), np.array([0.3, 0.3, 0.1]))
    assert len(set(np.abs(away).tolist())) == 1  # .2 three times, as doubles .19999999999999998 and .2


def test_values_on_both_sides_of_any_rounded_digit_are_tied():
    # 12 significant digits round .1234567890125 up and the double below it down
    value = 0.1234567890125
    below, above = np.nextafter(value, 0), np.nextafter(value, 1)
    assert len({f"{v:.12g}" for v in (below, above)}) == 2
    assert len(set(ties.settled(np.array([above, below])).tolist())) == 1


def test_ties_reach_through_what_is_tied_and_no_further():
    step = 1 + 0.9e-12
    chain = np.array([1.0, step, step**2, 1 + 4e-12])
    assert ties.settled(chain).tolist() == [1.0, 1.0, 1.0, 1 + 4e-12]
    assert ties.ranks(chain).tolist() == [2, 2, 2, 4]
    size = np.array(
        [1.0, 1.0, 5.0]
    )  # the third is a difference of larger numbers, within whose rounding the others are
    assert ties.settled(np.array([3e-12, 5e-12, 7e-12]), size).tolist() == [3e-12] * 3
    assert ties.settled(np.array([3e-12, 5e-12, 1.1e-11]), size).tolist() == [3e-12, 5e-12, 1.1e-11]


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_settled_moves_nothing_by_more_than_a_chain_of_ties_whatever_the_order(values, seed):
    values = np.array(values)
    found = ties.settled(values)
    order = np.random.default_rng(seed).permutation(len(values))
    assert ties.settled(values[order]).tolist() == found[order].tolist()
    assert ties.settled(found).tolist() == found.tolist()
    assert (np.abs(found - values) <= len(values) * ties.TIE * np.abs(values).max()).all()
    for one, other in pairwise(np.sort(values).tolist()):
        tied = other - one <= ties.TIE * max(abs(one), abs(other))
        same = found[values == one][0] == found[values == other][0]
        assert same == tied


def test_missing_and_infinite_values_stay():
    values = np.array([np.nan, 0.3, np.inf, 0.1 + 0.2, np.nan, -np.inf])
    assert ties.settled(values) == pytest.approx([np.nan, 0.3, np.inf, 0.3, np.nan, -np.inf], nan_ok=True, rel=0, abs=0)
    assert ties.settled(np.zeros((0, 3))).shape == (0, 3)


def test_columns_are_tied_as_arrays_are():
    frame = pl.DataFrame({"a": [0.15, 0.2, None, 0.0], "b": [NOISY, 0.15, 1.0, 0.0]})
    assert frame.select(ties.tied(pl.col("a"), pl.col("b"))).to_series().to_list() == [True, False, None, True]
    assert frame.select(ties.less(pl.col("a"), pl.col("b"))).to_series().to_list() == [0.0, 0.2 - 0.15, None, 0.0]


# rounding changes nothing that is ranked, and exact fractions give the same


def told(outcome):
    """All p-values, statistics and effects of an outcome."""
    pairs = [(key, pair.p, pair.statistic, pair.effect) for key, pair in outcome.pairs.items()]
    return pairs, [(each.statistic, each.p) for each in outcome.overall]


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(st.tuples(TENTHS, TENTHS, TENTHS), min_size=4, max_size=9), st.integers(0, 2**32 - 1))
def test_no_rank_test_of_blocks_sees_rounding(rows, seed):
    counts = np.array(rows)
    values = noisy(counts / 10, seed)
    exact, found = Blocked(counts.astype(float)), Blocked(values)
    if (counts[:, 0] != counts[:, 1]).any():
        for test in (wilcoxon, sign):
            one, other = test(found, 0, 1), test(exact, 0, 1)
            assert (one.p, one.statistic, one.effect) == (other.p, other.statistic, other.effect)
        two = [randomized(Blocked(each.values[:, :2]), 999, 1).pairs[0, 1].p for each in (found, exact)]
        assert two[0] == two[1]
    if len({*np.ptp(counts, axis=1)}) > 1:
        for test in (nemenyi, lambda units: conover(units, 0.99)):
            assert told(test(found)) == told(test(exact))
        theirs = stats.friedmanchisquare(*counts.T)
        assert friedman(found)[0].statistic == pytest.approx(theirs.statistic)
        assert [three.p for three in randomized(found, 199, 1).pairs.values()] == [
            three.p for three in randomized(exact, 199, 1).pairs.values()
        ]


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(TENTHS, min_size=2, max_size=12), st.lists(TENTHS, min_size=2, max_size=12), st.integers(0, 2**32 - 1))
def test_no_rank_test_of_separate_groups_sees_rounding(a, b, seed):
    if len({*a, *b}) == 1:
        return
    exact = Separate((np.array(a, dtype=float), np.array(b, dtype=float)))
    found = Separate((noisy(np.array(a) / 10, seed), noisy(np.array(b) / 10, seed + 1)))
    one, other = mann_whitney(found, 0, 1), mann_whitney(exact, 0, 1)
    assert (one.p, one.statistic, one.effect) == (other.p, other.statistic, other.effect)
    assert kruskal(found) == kruskal(exact)
    assert kruskal(found)[0].p == pytest.approx(stats.kruskal(a, b).pvalue)


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=6, max_size=14), st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
def test_no_rank_correlation_sees_rounding(coefficient, rows, seed):
    x, y = np.array(rows, dtype=float).T
    if len({*x}) < 2 or len({*y}) < 2:
        return
    for analytic in (True, False):
        found = [
            CorrelationRows(
                {"x": one, "y": other, "z": np.arange(len(x)) % 3.0},
                np.arange(len(x)),
                "sessions",
                (),
                Resampling(draws=200),
                analytic=analytic,
            ).correlation("x", "y", coefficient)
            for one, other in ((x, y), (noisy(x / 10, seed), noisy(y / 10, seed + 1)))
        ]
        assert found[0] == found[1]
    theirs = {"spearman": stats.spearmanr, "kendall": stats.kendalltau}[coefficient](x, y)
    assert found[0]["value"] == pytest.approx(theirs.statistic)


def test_a_column_that_is_constant_but_for_rounding_correlates_with_nothing():
    values = {"x": np.array([NOISY, 0.15, 0.15, NOISY, 0.15]), "y": np.arange(5.0)}
    rows = CorrelationRows(values, np.arange(5), "sessions", (), Resampling(), analytic=True)
    for coefficient in ("pearson", "spearman", "kendall"):
        assert "a constant correlates with nothing" in rows.correlation("x", "y", coefficient)["note"]


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=2, max_size=9), st.integers(0, 2**32 - 1))
def test_no_order_of_means_sees_rounding(rows, seed):
    one, other = np.array(rows, dtype=float).T
    found = kendall(noisy(one / 10, seed), noisy(other / 10, seed + 1))
    theirs = stats.kendalltau(one, other).statistic if len({*one}) > 1 and len({*other}) > 1 else np.nan
    assert found == pytest.approx(theirs, nan_ok=True)
    assert tau_b(noisy(one / 10, seed), noisy(other / 10, seed + 1)) == (None if np.isnan(found) else found)
    n = np.ones(len(one))
    for better in ("higher", "lower"):
        direction = MeasureDirection(better)
        exact, seen = (led(SettingMeans(each, n, 0 * n), direction) for each in (one, noisy(one / 10, seed)))
        assert (seen.leader, seen.following, seen.tied) == (exact.leader, exact.following, exact.tied)


def test_the_sign_of_a_difference_of_means_is_not_roundings():
    # of users .1, .2, .3 with A and .3, .2, .1 with B the differences add up to 2.8e-17, which is no sign to keep or change
    values = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1], [0.1 + 0.2, 0.3]])
    frame = by_topic(values).rename({"system_id": "group"}).sort("session_id")
    design = read_design(frame, "system_id", 2)
    number = (frame["group"] == "S2").cast(pl.Int64).to_numpy()
    for test in ("t", "wilcoxon", "sign", "randomization"):
        tested = RescoredPairs.of(ComparisonPlan.of(design, 2, test=test), frame, number, ["S1", "S2"], [(0, 1)])
        d, p = tested.tested(frame["value"].to_numpy())
        assert (d[0], p[0]) == (0.0, pytest.approx(1.0))
    assert Row("", "A", "B", 1, 1, 0.3, 0.1 + 0.2).raw_difference == 0


def test_the_best_query_is_the_earliest_of_equals_rounding_aside():
    values = pl.DataFrame(
        {"session_id": ["s"] * 3 + ["t"] * 2, "query_position": [1, 2, 3, 1, 2], "value": [0.15, NOISY, 0.1, None, 0.5]}
    )
    assert parted(values, "best", MeasureDirection.named("nDCG")).rows() == [
        ("s", 0.15, (NOISY + 0.1) / 2, 3),
        ("t", 0.5, None, 2),
    ]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
def test_wins_and_ties_are_those_of_exact_fractions(pairs):
    # means of two P@10 each: (i + j) / 20, worked out in two ways
    first = np.array([(i / 10 + j / 10) / 2 for i, j in pairs])
    second = np.array([Fraction(7, 20)] * len(pairs), dtype=float)
    signs = [(Fraction(7, 20) > Fraction(i + j, 20)) - (Fraction(7, 20) < Fraction(i + j, 20)) for i, j in pairs]
    assert np.sign(ties.differences(first, second)).tolist() == signs
