"""Values of any size and offset: tests are those of the same values in other units, against scipy and against themselves."""

from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import sessionkit as sk
from sessionkit.errors import DataError
from sessionkit.statistics.units import Effects, LeastSquares, indicators
from tests.analysis.compare.layouts import SYSTEM, TOPIC, USER, apart, by_topic, crossing, simulated
from tests.support.examples import examples

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


@pytest.mark.few(6)
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
    with pytest.raises(DataError, match=r"sDCG@10: a value is 1\.7e\+308, and at most 1e\+300 can be compared.*divide"):
        sk.compare(by_topic([[1.0, 1.7e308], [2.0, 3.0]]))
    table = crossing(simulated(1)[:, 0])
    for factor, advice in ((1e200, "divide"), (1e-200, "multiply")):
        with pytest.raises(DataError, match=f"variances of such values cannot be computed; {advice} the values"):
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
    assert "S2 differs from S1 by the same amount, 5.305" in found
    assert "(to within 1e-13 of the values), for every topic" in found
    exact = sk.compare(by_topic([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]), test="t").reading
    assert "by the same amount, 1, for every topic" in exact
    separate = sk.compare(apart([[1.0, 1.0, 1.0], [2.0, 2.0]])).reading
    assert "every value of S1 is 1 and every value of S2 is 2; without variance Welch's t has no error term" in separate
    assert "for every u" not in separate


def test_levels_whose_differences_are_constant_are_compared_but_not_tested():
    """S2 is 1 better in each session of one half of the topics, and 2 better in each of the other."""
    far = np.array([SYSTEM * 1.0, SYSTEM * 2.0])[TOPIC % 2, np.arange(120)]
    table = crossing(USER * 0.1 + far).with_columns(half=pl.Series(TOPIC % 2))
    found = sk.compare(table, within="half")
    assert found.table["raw_difference"].count() == 2
    assert found.interaction["p"].count() == 0
    assert "not tested: users and groups leave nothing, or no error, to tell it by" in found.reading
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
    assert "leave no variance beyond rounding, so there is no analysis of variance" in found.reading
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
    assert "groups and factors explain every value, so no variance is left to test against" in table.note
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
