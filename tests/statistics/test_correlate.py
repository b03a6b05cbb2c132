"""Measures against ratings: scipy's numbers, units, what is dropped, what is held constant, and what is said."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import sessionkit as sk
from sessionkit.statistics import correlation_matrices
from sessionkit.statistics.correlations import CorrelationRows
from sessionkit.statistics.distributions import Resampling
from tests.support.clinic import read_clinic
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
MANY = 40


def made(users=None, **columns):
    """Forty sessions of one to three queries, each with one result of grade 0 to 4."""
    from_seed = np.random.default_rng(4)
    ids = [f"s{number:02}" for number in range(MANY)]
    rows = [(s, q, 1, f"d{from_seed.integers(5)}") for s in ids for q in range(1, 2 + from_seed.integers(3))]
    sessions = pl.DataFrame({"session_id": ids, "topic_id": ["t"] * MANY})
    if users is not None:
        sessions = sessions.with_columns(pl.Series("user_id", users, pl.String))
    rated = {"performance": [int(value) for value in from_seed.integers(1, 6, MANY)], **columns}
    return sk.from_tables(
        results=pl.DataFrame(rows, schema=["session_id", "query_position", "rank", "doc_id"], orient="row"),
        sessions=sessions.with_columns(pl.Series(name, values) for name, values in rated.items()),
        judgments={"judgment_key": ["t"] * 5, "doc_id": [f"d{g}" for g in range(5)], "grade": [0, 1, 2, 3, 4]},
    )


def numbers(study, measure):
    return sk.score(study, measure, per="session").sort("session_id").get_column("value").to_numpy()


@pytest.fixture(scope="module")
def study():
    return made()


@pytest.fixture(scope="module")
def repeated():
    return made([f"u{number % 10}" for number in range(MANY)])


@pytest.mark.parametrize("coefficient", SCIPY)
def test_values_and_p_are_scipys(study, coefficient):
    found = sk.correlate(study, "sDCG@1", with_="performance", coefficients=coefficient)
    ratings = study.sessions.sort("session_id").select("performance").collect().to_series().to_numpy()
    theirs = SCIPY[coefficient](numbers(study, "sDCG@1"), ratings)
    row = found.table.row(0, named=True)
    assert row["value"] == pytest.approx(theirs.statistic, rel=1e-10)
    assert row["p"] == row["p_independent"] == pytest.approx(theirs.pvalue, rel=1e-10)
    assert row["low"] < row["value"] < row["high"]
    assert (row["n"], row["units"], row["dropped"]) == (MANY, MANY, 0)
    assert found.units == "sessions"
    assert found.of_kind("claim")[0].values["reason"] == "no users"


def test_partial_on_the_number_of_queries(study):
    found = sk.correlate(
        study, "sDCG@1", with_="performance", control="Queries", coefficients="pearson,spearman,kendall"
    )
    ratings = study.sessions.sort("session_id").select("performance").collect().to_series().to_numpy()
    columns = [numbers(study, "sDCG@1"), ratings, numbers(study, "Queries")]
    for coefficient, row in zip(SCIPY, found.table.rows(named=True), strict=True):
        xy, xz, yz = (SCIPY[coefficient](columns[i], columns[j]).statistic for i, j in ((0, 1), (0, 2), (1, 2)))
        assert row["value"] == pytest.approx((xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2)), rel=1e-9)
    r = found.table.item(0, "value")
    # t = r sqrt(df / (1 - r^2)), df = 40 - 2 - 1
    assert found.table.item(0, "p") == pytest.approx(2 * stats.t.sf(abs(r) * np.sqrt(37 / (1 - r * r)), 37))
    assert found.table.item(2, "interval") == "percentile bootstrap"
    assert found.table.item(2, "p_independent") is None
    assert found.of_kind("method")[0].values["control"] == ["Queries"]
    own = sk.correlate(study, ["Queries", "sDCG@1"], with_="performance", control="Queries", coefficients="pearson")
    assert own.table.item(0, "note").startswith("Queries is itself held constant")


def test_users_with_several_sessions_are_the_units(repeated):
    ours = sk.correlate(repeated, "sDCG@1", with_="performance", draws=500, seed=1)
    assert ours.units == "users"
    assert ours.table.get_column("units").to_list() == [10] * 3
    assert set(ours.table.get_column("interval")) == {"percentile bootstrap"}
    again = sk.correlate(repeated, "sDCG@1", with_="performance", draws=500, seed=1)
    assert again.table.equals(ours.table)
    other = sk.correlate(repeated, "sDCG@1", with_="performance", draws=500, seed=2)
    assert other.table.get_column("value").equals(ours.table.get_column("value"))
    assert not other.table.equals(ours.table)
    single = sk.correlate(repeated, "sDCG@1", with_="performance", units="sessions")
    assert single.table.get_column("interval").to_list() == ["Fisher z", "Bonett-Wright", "Fisher z"]
    assert single.table.get_column("p").to_list() == ours.table.get_column("p_independent").to_list()
    bca = sk.correlate(repeated, "sDCG@1", with_="performance", interval="bca", draws=500)
    assert set(bca.table.get_column("interval")) == {"BCa bootstrap"}


def test_only_complete_pairs_count():
    gone = [None if number in (3, 7) else float(number) for number in range(MANY)]
    study = made(effort=gone, strain=[None, *range(MANY - 1)])
    correlations = sk.correlate(study, "sDCG@1", with_=["performance", "effort", "strain"], coefficients="pearson")
    table = correlations.table
    assert table.select("n", "dropped").rows() == [(MANY, 0), (MANY - 2, 2), (MANY - 1, 1)]
    assert correlations.of_kind("method")[0].values["dropped"] == 2
    kept = np.array([number not in (3, 7) for number in range(MANY)])
    theirs = stats.pearsonr(numbers(study, "sDCG@1")[kept], np.arange(MANY)[kept]).statistic
    assert table.item(1, "value") == pytest.approx(theirs, rel=1e-10)


def test_covariates_of_users_and_numbers_read_as_text():
    users = [f"u{number % 10}" for number in range(MANY)]
    study = made(users, effort=[str(number) for number in range(MANY)])
    table = sk.correlate(study, "sDCG@1", with_="effort", coefficients="spearman", draws=200).table
    theirs = stats.spearmanr(numbers(study, "sDCG@1"), np.arange(MANY)).statistic
    assert table.item(0, "value") == pytest.approx(theirs, rel=1e-10)


def test_do_two_measures_differ(study, repeated):
    measures = ["sDCG@1", "Queries", "mean(DCG@1)"]
    apart = sk.correlate(study, measures, with_="performance", coefficients="pearson").differences
    assert apart.select("first", "second", "test").rows() == [
        (one, other, test)
        for one, other in (measures[:2], measures[::2], measures[1:])
        for test in ("Williams t", "Steiger z")
    ]
    row = apart.row(0, named=True)
    assert row["estimate"] == pytest.approx(row["value_first"] - row["value_second"])
    drawn = sk.correlate(repeated, measures, with_="performance", draws=500).differences
    assert set(drawn.get_column("test")) == {"bootstrap over users"}
    assert len(drawn) == 9
    ranked = sk.correlate(study, measures[:2], with_="performance", coefficients="spearman").differences
    assert ranked.get_column("test").to_list() == ["bootstrap over sessions"]  # Williams and Steiger are for Pearson's


def test_measures_that_are_the_same_do_not_differ(study):
    # the first result of a list is not discounted, so with a cutoff of 1 DCG is CG
    found = sk.correlate(study, ["sum(CG@1)", "sum(DCG@1)"], with_="performance").differences
    assert found.get_column("p").null_count() == len(found)
    assert "same up to scale" in found.item(0, "note")
    assert "rank sessions the same" in found.item(1, "note")


def test_what_is_not_held_constant_is_said(study, repeated):
    # one topic, no users
    assert not sk.correlate(study, "sDCG@1", with_="performance").of_kind("not_held")
    (not_held,) = sk.correlate(repeated, "sDCG@1", with_="performance", draws=200).of_kind("not_held")
    assert not_held.values["factors"] == ["user"]
    topics = repeated.sessions.with_columns(topic_id=pl.lit("t") + (pl.int_range(pl.len()) % 2).cast(pl.String))
    two_topics = repeated.with_tables(sessions=topics)
    (not_held,) = sk.correlate(two_topics, "Queries", with_="performance", draws=200).of_kind("not_held")
    assert not_held.values["factors"] == ["user", "topic"]


def test_a_constant_is_a_statement_beside_the_others():
    both = sk.correlate(made(same=[3] * MANY), "sDCG@1", with_=["performance", "same"], coefficients="pearson")
    assert both.table.item(1, "value") is None
    (not_tested,) = both.of_kind("not_tested")
    assert not_tested.values["note"] == both.table.item(1, "note")
    assert both.table.item(1, "note").startswith("same is 3 in all 40 sessions")


@pytest.mark.parametrize(
    ("columns", "options", "error", "says"),
    [
        ({}, {"with_": "performence"}, sk.UsageError, "did you mean 'performance'"),
        ({}, {"with_": []}, sk.UsageError, "with is empty"),
        ({}, {"with_": "topic_id"}, sk.UsageError, "not numbers; score by=topic_id shows"),
        ({}, {"with_": "session_id"}, sk.UsageError, "not numbers; give a column of numbers"),
        (
            {},
            {"with_": "performance", "control": "topic_id"},
            sk.UsageError,
            "where=\"topic_id = '...'\" correlates",
        ),
        ({}, {"with_": "performance", "coefficients": "spearmann"}, sk.UsageError, "did you mean 'spearman'"),
        ({}, {"with_": "performance", "measures": "performance"}, sk.UsageError, "not correlated with itself"),
        ({}, {"with_": "performance", "units": "users"}, sk.UsageError, "names no users"),
        ({"mood": ["good"] * MANY}, {"with_": "mood"}, sk.DataError, "mood is not numeric: 40 of 40"),
        ({"same": [2] * MANY}, {"with_": "same"}, sk.DataError, "same is 2 in all 40 sessions"),
        ({"few": [1, 2, 3] + [None] * (MANY - 3)}, {"with_": "few"}, sk.DataError, "only 3 sessions have"),
        (
            {"none": pl.Series([None] * MANY, dtype=pl.Float64)},
            {"with_": "none"},
            sk.DataError,
            "empty in every session",
        ),
        ({"far": [float("inf")] * MANY}, {"with_": "far"}, sk.DataError, "not numeric"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said(columns, options, error, says):
    study = made(**columns)
    with pytest.raises(error) as raised:
        sk.correlate(study, **{"measures": "sDCG@1", **options})
    assert says in str(raised.value)


def test_few_users_are_said():
    three = made([f"u{number % 3}" for number in range(MANY)])
    with pytest.raises(sk.DataError, match=r"3 users with 40 sessions .* 4 users"):
        sk.correlate(three, "sDCG@1", with_="performance")
    with pytest.raises(sk.DataError, match=r"1 user with 40 .* sDCG@1 and performance"):
        sk.correlate(made(["u"] * MANY), "sDCG@1", with_="performance")
    six = sk.correlate(made([f"u{number % 6}" for number in range(MANY)]), "sDCG@1", with_="performance")
    assert six.of_kind("method")[0].values["few"] == 6


def test_how_it_is_shown():
    found = sk.correlate(made(**{"<b>x": list(range(MANY))}), "sDCG@1", with_="<b>x")
    assert "<b>" not in found._repr_html_()
    assert "&lt;b&gt;x" in found._repr_html_()
    assert str(found).startswith(found.reading)
    assert found.of_kind("not_adjusted")[0].text in str(found)
    assert "differences" not in found.tables()


@settings(max_examples=examples(60), deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(5, 30),
    levels=st.sampled_from([2, 3, 6, 1_000_000]),
    coefficient=st.sampled_from([*SCIPY]),
    confidence=st.sampled_from([0.6, 0.8, 0.9, 0.95, 0.99]),
    held=st.sampled_from([(), ("other",)]),
    kind=st.sampled_from([None, "percentile", "bca"]),
    users=st.booleans(),
)
def test_an_interval_excludes_0_exactly_where_p_rejects(*, seed, n, levels, coefficient, confidence, held, kind, users):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    columns = np.array([x, rng.uniform(0, 1.5) * x + rng.normal(size=n), rng.normal(size=n) + x])
    values = dict(zip(["one", "two", "other"], np.floor(columns * levels / 6), strict=True))
    codes = np.arange(n) // 2 if users else np.arange(n)
    resampling = Resampling(300, seed, kind or "percentile", confidence)
    rows = CorrelationRows(
        values, codes, "users" if users else "sessions", held, resampling, analytic=kind is None and not users
    )
    correlation = rows.correlation("one", "two", coefficient)
    differences = rows.differences("one", "two", "other", coefficient) if not held else []
    for row in [correlation, *differences]:
        if row.get("low") is not None:
            assert (row["low"] > 0 or row["high"] < 0) == (row["p"] <= round(1 - confidence, 12))
    is_bootstrapped = coefficient == "kendall" and held  # partial tau-b; few sessions have no such interval
    if n >= 6 and kind is None and not users and not is_bootstrapped and correlation.get("value") is not None:
        assert correlation["low"] is not None


@pytest.mark.parametrize("coefficient", SCIPY)
def test_an_interval_is_that_of_all_correlations_that_scipys_test_does_not_reject(coefficient):
    rng = np.random.default_rng(3)
    grid = np.linspace(-1, 1, 200_001)[1:-1]
    for _ in range(20):
        one = rng.normal(size=10)
        other = one * rng.uniform(0.4, 1.2) + rng.normal(size=10)
        row = CorrelationRows(
            {"one": one, "other": other}, np.arange(10), "sessions", (), Resampling(), analytic=True
        ).correlation("one", "other", coefficient)
        theirs = SCIPY[coefficient](one, other)
        # n = 10, two-sided .05: r = .632; the largest tau with exact p above .05 is 21 / 45 (.073; 23 / 45 has .047)
        critical = (
            21 / 45 if coefficient == "kendall" else stats.t.isf(0.025, 8) / np.sqrt(8 + stats.t.isf(0.025, 8) ** 2)
        )
        factor = np.sqrt(1 + grid**2 / 2) if coefficient == "spearman" else 1
        accepted = grid[np.abs(np.arctanh(theirs.statistic) - np.arctanh(grid)) <= np.arctanh(critical) * factor]
        assert (row["low"], row["high"]) == pytest.approx((accepted[0], accepted[-1]), abs=2e-5)
        assert row["p"] == pytest.approx(theirs.pvalue)
        assert "note" not in row


def test_kendalls_test_that_can_reject_nothing_excludes_nothing():
    # of the 24 orders of 4 sessions two are as far from 0 as can be: p = 2 / 24
    rows = CorrelationRows(
        {"x": np.arange(4.0), "y": np.arange(4.0)}, np.arange(4), "sessions", (), Resampling(), analytic=True
    )
    row = rows.correlation("x", "y", "kendall")
    assert (row["value"], row["p"], row["low"], row["high"]) == (1.0, pytest.approx(1 / 12), -1.0, 1.0)
    assert "cannot give p at or below 0.05" in row["note"]


def test_p_is_printed_as_an_upper_bound_where_draws_limit_it():
    ratings = list(range(MANY))
    found = sk.correlate(
        made([f"u{number % 10}" for number in range(MANY)], effort=ratings, strain=ratings),
        "effort", with_="strain", coefficients="spearman", draws=500,
    )  # fmt: skip
    row = found.table.row(0, named=True)
    # the farthest of 500 draws stands at a share of .001; 10 users: 2 * P(t(9) > 3.09 / sqrt(10 / 9)) = .0168
    assert row["p"] == pytest.approx(2 * stats.t.sf(stats.norm.isf(0.001) / np.sqrt(10 / 9), 9))
    assert row["p_is_bound"]
    assert "p < 0.017" in found.reading
    assert "<0.017" in str(found)
    assert "<0.017" in found.to_markdown()
    assert "p_is_bound" not in found.to_markdown()
    assert "p = 0.01" not in found.reading


def test_no_difference_is_said_to_be_detectable(study):
    found = sk.correlate(study, ["sDCG@1", "Queries"], with_="performance", coefficients="pearson")
    row = found.differences.row(0, named=True)
    assert row["p"] > 0.05
    (difference,) = found.of_kind("difference")
    (pair,) = difference.values["differences"]
    assert all(pair[name] == row[name] for name in ("estimate", "low", "high", "p"))
    assert difference.values["count"] == 0
    assert "detected" not in found.reading


def test_kendall_of_many_sessions_is_drawn_too(monkeypatch, repeated):
    every = sk.correlate(repeated, "sDCG@1", with_="performance", coefficients="kendall", draws=400)
    monkeypatch.setattr(correlation_matrices, "MOST_PAIRED", 10)
    found = sk.correlate(repeated, "sDCG@1", with_="performance", coefficients="kendall", draws=400)
    assert found.table.item(0, "interval") == "percentile bootstrap, linear"
    assert [each.of_kind("method")[0].values["linear"] for each in (found, every)] == [True, False]
    assert found.table.item(0, "low") == pytest.approx(every.table.item(0, "low"), abs=0.1)


@pytest.mark.parametrize("asked", ["satisfaction", "column(satisfaction)", sk.column("satisfaction")])
def test_a_rating_has_one_name_however_it_is_asked_for(asked):
    clinic = read_clinic()
    found = sk.correlate(clinic, ["nsDCG@10", "Queries"], asked, coefficients="pearson", draws=200)
    assert found.table["covariate"].to_list() == ["satisfaction"] * 2
    assert found.with_ == ("satisfaction",)
    turned = sk.correlate(clinic, [asked, "Queries"], ["nsDCG@10", asked], coefficients="pearson", draws=200)
    assert turned.table.select("measure", "covariate").rows() == [
        ("column(satisfaction)", "nsDCG@10"), ("Queries", "nsDCG@10"), ("Queries", "satisfaction")
    ]  # fmt: skip
    assert turned.table.item(0, "value") == pytest.approx(found.table.item(0, "value"))
    assert turned.table.item(2, "value") == pytest.approx(found.table.item(1, "value"))
