"""Last against first queries of Jiang & Allan's CHIIR 2016 study by a mixed model, and how large a study must be to tell."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sessionkit as sk

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"
pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine"),
]
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


@pytest.mark.slow
def test_how_many_users_would_tell(scores):
    found = sk.power(scores, by="query", difference=0.1, draws=500, component_draws=100)
    assert found.design.startswith("paired by user and topic")
    now = found.table.filter(population="users", users=19).row(0, named=True)  # of 20 one had single queries only
    assert 0.1 < now["power"] < 0.9
    assert found.smallest["population"].unique(maintain_order=True).to_list() == ["users", "topics"]
    assert found.smallest["users"][0] > 19
