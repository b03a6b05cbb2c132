"""The table of Jiang & Allan's CHIIR 2016 study, as their own code prints it, and last against first queries there.

Last against first queries of Jiang & Allan's CHIIR 2016 study by a mixed model, and how large a study must be to tell.
"""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sessionkit as sk

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"
SDCG, FREE = "(like=jiang2016)@9", "(like=jiang2016,query_discount=none)@9"
# Pearson and Spearman with performance, then with difficulty
PRINTED = {
    "Queries": (-0.256, -0.241, 0.305, 0.301),
    f"sDCG{SDCG}": (0.009, -0.056, 0.065, 0.063),
    f"nsDCG{SDCG}": (0.350, 0.326, -0.324, -0.300),
    f"mean(sDCG{SDCG})": (0.401, 0.349, -0.388, -0.336),
    f"sDCG{FREE}": (-0.020, -0.104, 0.092, 0.118),
    f"nsDCG{FREE}": (0.353, 0.323, -0.332, -0.305),
    f"mean(sDCG{FREE})": (0.399, 0.330, -0.374, -0.315),
    "sum(nDCG_jiang2016@9)": (-0.018, -0.115, 0.094, 0.136),
    "mean(nDCG_jiang2016@9)": (0.352, 0.320, -0.332, -0.302),
    "max(nDCG_jiang2016@9)": (0.269, 0.204, -0.191, -0.177),
    "min(nDCG_jiang2016@9)": (0.348, 0.358, -0.364, -0.379),
    "first(nDCG_jiang2016@9)": (0.259, 0.227, -0.177, -0.156),
    "last(nDCG_jiang2016@9)": (0.371, 0.354, -0.436, -0.419),
}
# its stars: * below .05, ** below .01, *** below .001
STARS = {
    "Queries": "* * ** **",
    f"sDCG{SDCG}": "- - - -",
    f"nsDCG{SDCG}": "** ** ** **",
    f"mean(sDCG{SDCG})": "*** ** *** **",
    f"sDCG{FREE}": "- - - -",
    f"nsDCG{FREE}": "** ** ** **",
    f"mean(sDCG{FREE})": "*** ** *** **",
    "sum(nDCG_jiang2016@9)": "- - - -",
    "mean(nDCG_jiang2016@9)": "** ** ** **",
    "max(nDCG_jiang2016@9)": "* - - -",
    "min(nDCG_jiang2016@9)": "** ** *** ***",
    "first(nDCG_jiang2016@9)": "* * - -",
    "last(nDCG_jiang2016@9)": "*** ** *** ***",
}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    config = tmp_path_factory.mktemp("ir_metrics") / "study.toml"
    rated = 'performance = "Performance", difficulty = "Difficulty"'
    columns = {
        "session": f'session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic", user_id = "User", {rated}',
        "results": 'session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL"',
        "qrels": 'judgment_key = "SessionID", doc_id = "URL", grade = "Relevance"',
    }
    tables = {"sessions": "session", "results": "results", "judgments": "qrels"}
    config.write_text(
        'format = "tables"\nmax_grade = 2\n'
        + "".join(
            f'[{table}]\npath = "{DATA / name}"\nseparator = "\\t"\nquote = false\ncolumns = {{ {columns[name]} }}\n'
            + ('empty_list = "no results"\n' if table == "results" else "")
            for table, name in tables.items()
        )
    )
    return sk.read(config)


@pytest.fixture(scope="module")
def found(study):
    return sk.correlate(
        study, list(PRINTED), with_=["performance", "difficulty"], coefficients=["pearson", "spearman"], draws=1000
    )


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.filterwarnings("ignore:.*upper bound")
@pytest.mark.parametrize("measure", PRINTED)
def test_the_printed_table(found, measure):
    rows = found.table.filter(measure=str(sk.parse_measure(measure)))
    assert rows.select("covariate", "coefficient").rows() == [
        (rating, how) for rating in ("performance", "difficulty") for how in ("pearson", "spearman")
    ]
    # printed to three decimals
    assert rows.get_column("value").to_list() == pytest.approx(list(PRINTED[measure]), abs=0.00051)
    stars = ["-" if p >= 0.05 else "*" * sum(p < below for below in (0.05, 0.01, 0.001)) for p in rows["p_independent"]]
    assert " ".join(stars) == STARS[measure]


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_ratings_with_each_other(study):
    both = sk.correlate(study, "performance", with_="difficulty", draws=200).table
    assert both.get_column("value").to_list()[:2] == pytest.approx([-0.787, -0.788], abs=0.00051)


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_users_are_the_units(found):
    assert found.units == "users"
    assert found.table.get_column("units").unique().to_list() == [20]
    claim = {"sessions": 80, "users": 20, "population": "users", "reason": "several sessions per user"}
    assert found.of_kind("claim")[0].values == claim
    # of 78 pairs of measures with either rating
    assert found.differences.filter(coefficient="pearson").get_column("test").unique().to_list() == [
        "bootstrap over users"
    ]
    assert "Williams" in found.reading


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_the_last_query_is_not_better_than_the_first(study):
    tested = sk.breakdown_tests(study, "nDCG_jiang2016@9", parts="last-first")
    row = tested.table.filter(test="sessions").row(0, named=True)
    assert (row["sessions"], row["left_out_single_query"] + row["left_out_undefined"], row["df"]) == (67, 13, 66)
    assert row["estimate"] == pytest.approx(-0.0704951612, abs=1e-9)
    assert row["statistic"] == pytest.approx(-1.7398324842, abs=1e-9)
    assert row["p"] == pytest.approx(0.0865498688, abs=1e-9)
    assert row["effect"] == pytest.approx(-0.2125543679, abs=1e-9)
    difference = tested.of_kind("difference")[0].values
    assert [difference[name] for name in ("part", "against", "verdict")] == ["last", "first", "not shown"]
    assert (difference["users"], difference["sessions"]) == (19, 67)
    assert (tested.table.get_column("low") < 0).all()
    assert (tested.table.get_column("high") > 0).all()


ENDS = {"first(nDCG_jiang2016@9)": "first", "last(nDCG_jiang2016@9)": "last"}


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """First and last queries of the sessions that have both, as two groups."""
    config = tmp_path_factory.mktemp("ir_metrics") / "study.toml"
    columns = {
        "session": 'session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic", user_id = "User"',
        "results": 'session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL"',
        "qrels": 'judgment_key = "SessionID", doc_id = "URL", grade = "Relevance"',
    }
    tables = {"sessions": "session", "results": "results", "judgments": "qrels"}
    config.write_text(
        'format = "tables"\nmax_grade = 2\n'
        + "".join(
            f'[{table}]\npath = "{DATA / name}"\nseparator = "\\t"\nquote = false\ncolumns = {{ {columns[name]} }}\n'
            + ('empty_list = "no results"\n' if table == "results" else "")
            for table, name in tables.items()
        )
    )
    found = sk.score(sk.read(config), [*ENDS, "Queries"], per="session")
    several = found.filter(pl.col("measure") == "Queries", pl.col("value") >= 2).select("session_id")
    ends = found.filter(pl.col("measure").is_in(list(ENDS))).join(several, on="session_id")
    return ends.with_columns(query=pl.col("measure").replace_strict(ENDS), measure=pl.lit("nDCG"))


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.slow
def test_the_last_query_is_not_better_for_users_and_topics_like_these(scores):
    found = sk.compare(scores, by="query", population="users,topics")
    assert found.random == ("user_id", "topic_id", "query:topic_id", "session_id")
    row = found.table.row(0, named=True)
    # 67 sessions; the mean difference is that of breakdown: -.0705, judged by what topics do to it, 18 of 19 df or so
    assert (row["a"], row["b"], row["n_a"], row["n_b"]) == ("first", "last", 67, 67)
    assert row["estimate"] == pytest.approx(-0.0704951612, abs=0.01)
    assert row["error_term"] == "query:topic_id"
    assert row["p"] > 0.05
    assert row["low"] < 0 < row["high"]
    assert "No difference is shown" in found.reading
    assert found.fits["converged"].item()


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.slow
def test_statsmodels_says_the_same_of_the_likelihood(scores):
    from statsmodels.regression.mixed_linear_model import MixedLM, MixedLMParams, VCSpec

    last = (scores["query"] == "last").cast(pl.Float64).to_numpy()
    factors = ["user_id", "topic_id", "cell", "session_id"]
    frame = scores.with_columns(cell=pl.col("query") + pl.col("topic_id"))
    dummies = [frame.select(name).to_dummies().to_numpy().astype(float) for name in factors]
    named = VCSpec(factors, [[[str(j) for j in range(one.shape[1])]] for one in dummies], [[one] for one in dummies])
    exog = np.column_stack([np.ones(len(last)), last])
    model = MixedLM(scores["value"].to_numpy(), exog, np.zeros(len(last)), exog_vc=named)
    model.reml, model.cov_pen, model.fe_pen = True, None, None  # as fit sets them
    ours = sk.compare(scores, by="query", population="users,topics")
    found = ours.fits["log_likelihood"].item()
    variance = ours.components["variance"].to_numpy()
    variance = np.maximum(variance, 1e-9 * variance[-1])  # its logarithm is taken there
    row = ours.table.row(0, named=True)
    at = MixedLMParams.from_components(
        fe_params=np.array([row["mean_a"], row["estimate"]]), vcomp=variance[:-1] / variance[-1]
    )
    assert model.loglike(at) == pytest.approx(found, abs=1e-6)


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.slow
def test_how_many_users_would_tell(scores):
    found = sk.power(scores, by="query", difference=0.1, draws=500, component_draws=100)
    assert found.design.startswith("paired by user and topic")
    now = found.table.filter(population="users", users=19).row(0, named=True)  # of 20 one had single queries only
    assert 0.1 < now["power"] < 0.9
    assert found.smallest["population"].unique(maintain_order=True).to_list() == ["users", "topics"]
    assert found.smallest["users"][0] > 19
