"""Bands around mean curves: the means are those of curve, the bands those of a bootstrap over users done by hand."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.analysis.bootstrap import Resampling
from sessionkit.errors import UsageError
from tests.support.clinic import read_clinic

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def test_the_curves_are_those_of_curve_and_searching_counts_sessions(clinic):
    bands, plain = sk.curve_bands(clinic, "nsDCG@10"), sk.curve(clinic, "nsDCG@10")
    assert bands.select(plain.columns).equals(plain)
    assert (bands["low"] <= bands["value"]).all()
    assert (bands["value"] <= bands["high"]).all()
    queries = clinic.queries.group_by("session_id").agg(many=pl.col("query_position").max()).collect()
    known = queries.join(clinic.sessions.select("session_id", "system_id").collect(), on="session_id")
    for system, position in (("S1", 1), ("S1", 3), ("S2", 5)):
        longer = known.filter(pl.col("system_id") == system, pl.col("many") >= position).height
        row = bands.filter(pl.col("system_id") == system, pl.col("query_position") == position)
        assert row["searching"].unique().to_list() == [longer]


def test_users_are_drawn_with_all_their_sessions(clinic):
    """The same draws, each made by writing out every drawn user's sessions, session after session."""
    bands = sk.curve_bands(clinic, "sDCG@10", draws=200, seed=3).filter(pl.col("system_id") == "S1")
    each = sk.curve(clinic, "sDCG@10", per="session")
    users = dict(clinic.sessions.filter(pl.col("system_id") == "S1").select("session_id", "user_id").collect().rows())
    last = each.filter(pl.col("slot") == 30, pl.col("session_id").is_in([*users])).sort("session_id")
    values = dict(last.select("session_id", "value").rows())
    names = sorted(set(users.values()))
    own = [[values[session] for session, user in users.items() if user == name] for name in names]
    means = []
    for weights in np.concatenate([*Resampling(200, 3).weights(len(names))]):
        drawn = [value for many, group in zip(weights, own, strict=True) for value in group * int(many)]
        means.append(np.mean(drawn))
    n = len(names)
    reach = stats.norm.cdf(np.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
    row = bands.row(by_predicate=pl.col("slot") == 30, named=True)
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(means, [1 - reach, reach])))
    assert row["units"] == n == 30


def test_few_units_have_no_band_and_ratios_of_means_are_refused(clinic):
    rows = {"session_id": list("abc"), "query_position": 1, "rank": 1, "doc_id": list("xyx"), "topic_id": "t"}
    study = sk.from_tables(rows, {"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]})
    assert sk.curve_bands(study, "sDCG@1", by=None).select("value", "low", "high", "units").row(0) == (
        2 / 3,
        None,
        None,
        3,
    )
    with pytest.raises(UsageError, match="divides mean curves"):
        sk.curve_bands(study, "nsDCG@1", normalize="averages")
    with pytest.raises(UsageError, match="draws must be 200"):
        sk.curve_bands(study, "nsDCG@1", draws=10)


def test_a_band_has_about_the_width_of_students_interval():
    rng = np.random.default_rng(4)
    names = [f"s{number:02}" for number in range(60)]
    docs = [f"d{rng.integers(2)}" for _ in names]
    study = sk.from_tables(
        {"session_id": names, "query_position": 1, "rank": 1, "doc_id": docs, "topic_id": "t"},
        {"judgment_key": ["t"], "doc_id": ["d1"], "grade": [1]},
    )
    row = sk.curve_bands(study, "sDCG@1", by=None, draws=4000).row(0, named=True)
    gains = np.array([float(doc == "d1") for doc in docs])
    low, high = stats.t.interval(0.95, 59, gains.mean(), stats.sem(gains))
    assert (row["low"], row["high"]) == pytest.approx((low, high), abs=0.02)
