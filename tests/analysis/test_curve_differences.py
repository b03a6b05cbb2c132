"""Differences of mean curves: the means of curve, subtracted; intervals by draws made by hand; who is subtracted."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.scoring import reduction
from sessionkit.statistics.distributions import Resampling
from tests.support.clinic import read_clinic

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def test_estimates_are_differences_of_the_curves_and_sessions_searching_are_theirs(clinic):
    found = sk.curve_differences(clinic, "nsDCG@10", draws=200)
    assert found.select("a", "b").unique().row(0) == ("S1", "S2")
    curves = sk.curve(clinic, "nsDCG@10", bands=True, draws=200)
    for side, system in (("a", "S1"), ("b", "S2")):
        own = curves.filter(pl.col("system_id") == system)
        assert own["value"].equals(found[f"mean_{side}"], check_names=False)
        assert own["searching"].equals(found[f"searching_{side}"], check_names=False)
        assert own["n"].equals(found[f"n_{side}"], check_names=False)
    assert found["estimate"].to_list() == (found["mean_b"] - found["mean_a"]).to_list()
    assert found.select("slot", "query_position", "rank").equals(
        curves.filter(pl.col("system_id") == "S1").select("slot", "query_position", "rank")
    )


def test_a_draw_of_users_counts_for_both_groups(clinic):
    """Every user of the clinic searched with both systems: the same draws, each mean made by writing the sessions out."""
    found = sk.curve_differences(clinic, "sDCG@10", draws=200, seed=3).row(
        by_predicate=pl.col("slot") == 30, named=True
    )
    each = sk.curve(clinic, "sDCG@10", per="session").filter(pl.col("slot") == 30)
    sessions = clinic.sessions.select("session_id", "user_id", "system_id").collect().join(each, on="session_id")
    users = sorted(set(sessions["user_id"]))
    own = {
        system: [sessions.filter(user_id=user, system_id=system)["value"].to_list() for user in users]
        for system in ("S1", "S2")
    }
    means = []
    for weights in np.concatenate([*Resampling(200, 3).weights(len(users))]):
        drawn = {
            system: [value for many, group in zip(weights, groups, strict=True) for value in group * int(many)]
            for system, groups in own.items()
        }
        means.append(np.mean(drawn["S2"]) - np.mean(drawn["S1"]))
    n = len(users)
    reach = stats.norm.cdf(np.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
    assert (found["low"], found["high"]) == pytest.approx(tuple(np.quantile(means, [1 - reach, reach])))
    assert found["units"] == n == 30


def test_who_is_subtracted(clinic):
    plain = sk.curve_differences(clinic, "sDCG@10", draws=200)
    turned = sk.curve_differences(clinic, "sDCG@10", against="S2", draws=200)
    assert turned.select("a", "b").unique().row(0) == ("S2", "S1")
    assert turned["estimate"].to_list() == (-plain["estimate"]).to_list()
    assert turned["low"].to_list() == pytest.approx((-plain["high"]).to_list())
    several = sk.curve_differences(clinic, "sDCG@10", "topic_id", against="B", draws=200)
    assert several.select("a", "b").unique(maintain_order=True).rows() == [("B", "A"), ("B", "C"), ("B", "D")]
    with pytest.raises(UsageError, match=r"there is no group 'S3' to subtract; .*groups: S1, S2"):
        sk.curve_differences(clinic, "sDCG@10", against="S3")
    with pytest.raises(UsageError, match="needs two groups, and there is only S1; group by another column"):
        sk.curve_differences(clinic, "sDCG@10", where="system_id = 'S1'")
    with pytest.raises(UsageError, match="by takes one column"):
        sk.curve_differences(clinic, "sDCG@10", "system_id,topic_id")
    with pytest.raises(UsageError, match="normalize=averages"):
        sk.curve_differences(clinic, "sDCG@10", normalize="averages")


def test_groups_of_numbers_come_in_their_order_and_sessions_of_no_group_stay_out():
    sessions = ["a", "b", "c", "d"]
    study = sk.from_tables(
        results={"session_id": sessions, "query_position": 1, "rank": 1, "doc_id": ["x", "y", "x", "x"]},
        sessions={"session_id": sessions, "topic_id": "t", "level": [9, 10, None, 10]},
        judgments={"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]},
    )
    found = sk.curve_differences(study, "sDCG@1", "level")
    assert found.select(
        "a", "b", "mean_a", "mean_b", "estimate", "low", "n_a", "n_b", "units", "searching_b"
    ).rows() == [("9", "10", 1.0, 0.5, -0.5, None, 1, 2, 3, 2)]


def test_any_batches_have_the_same_differences(clinic, tmp_path, monkeypatch):
    whole = sk.curve_differences(clinic, "nsDCG@10", draws=200)
    saved = clinic.save(tmp_path / "study")
    monkeypatch.setattr(reduction, "ROWS", 200)
    assert sk.curve_differences(saved, "nsDCG@10", draws=200).equals(whole)


def test_a_column_may_stand_in_a_list_and_several_may_not():
    study = read_clinic()
    assert sk.curve_differences(study, "nsDCG@10", by=["system_id"]).equals(sk.curve_differences(study, "nsDCG@10"))
    with pytest.raises(sk.UsageError, match="by takes one column here, such as system_id, not system_id, topic_id"):
        sk.curve_differences(study, "nsDCG@10", by=["system_id", "topic_id"])
