"""How large a study must be, from whole studies: what is found, said and refused."""

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.statistics.power import _power, power
from sessionkit.statistics.power_simulation import PowerEstimate
from tests.statistics.layouts import by_topic, crossing, scores, simulated
from tests.support.clinic import read_clinic

QUICK = {"draws": 400, "component_draws": 60}


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.fixture(scope="module")
def plan(clinic):
    return power(clinic, "nsDCG@10", difference=0.065)


def paired(n, sd=1.0):
    """Users who met both systems once, differences of this sd."""
    d = np.linspace(-1, 1, n)
    d *= sd / d.std(ddof=1)
    return scores([(f"s{i}{s}", f"u{i:03}", None, f"S{s}", s * d[i]) for i in range(n) for s in (0, 1)])


@pytest.mark.slow
def test_paired_users_against_statsmodels():
    from statsmodels.stats.power import TTestPower

    found = power(paired(500), difference=0.5, users=[20, 34, 60])
    for row in found.table.iter_rows(named=True):
        # 500 users leave the sd known within some 3%
        theirs = TTestPower().power(0.5, row["users"], 0.05)
        assert row["at_estimate"] == pytest.approx(theirs, abs=0.04)
        assert row["power"] == pytest.approx(theirs, abs=0.04)
    assert found.smallest["users"].item() == pytest.approx(TTestPower().solve_power(0.5, alpha=0.05, power=0.8), abs=3)
    assert found.smallest["users_sure"].item() > found.smallest["users"].item()


@pytest.mark.slow
def test_few_users_leave_it_uncertain():
    few, many = (power(paired(n), difference=0.5, users=[34], **QUICK).table.row(0, named=True) for n in (8, 400))
    assert few["high"] - few["low"] > 3 * (many["high"] - many["low"])
    assert few["power"] < many["power"]


@pytest.mark.slow
def test_the_clinic(plan):
    assert plan.smallest["population"].to_list() == ["users"] + ["topics"] * 6
    users = plan.smallest.row(0, named=True)
    # sd .26 of a session: 4 x .26^2 / sessions = (.065 / 2.82)^2 at about 508 sessions of 4 per user
    assert 110 <= users["users"] <= 150
    assert users["sessions"] == 4 * users["users"]
    of_users = plan.table.filter(population="users")
    assert of_users["power"].is_sorted()
    assert of_users["users"].to_list() == [30, 46, 60, 90, 120, 180, 240, 360, 480]
    assert (of_users["reaches"] == (of_users["power"] >= 0.8)).all()


def test_four_topics_cannot_carry_a_claim_beyond_them(plan):
    four = plan.smallest.filter(population="topics", topics=4).row(0, named=True)
    assert four["users"] is None
    assert four["limit"] < 0.8
    needed = next(statement for statement in plan.of_kind("needed") if statement.values["population"] == "topics")
    study = needed.values["studies"][0]
    assert (study["topics"], study["users"], study["limit"]) == (4, None, four["limit"])
    assert "no number of users reaches" in needed.text
    limits = plan.smallest.filter(population="topics")["limit"]
    assert limits.is_sorted()
    endless = plan.table.filter(pl.col("users").is_null())
    assert endless["topics"].to_list() == [4, 8, 12, 16, 24, 32]


def test_it_keeps_the_test_of_compare(clinic, plan):
    for population in ("users", "topics"):
        named = plan.table.filter(population=population)["test"].unique().to_list()
        assert named == [sk.compare(clinic, "nsDCG@10", population=population).test]


@pytest.mark.slow
def test_a_seed_settles_it(clinic):
    one, same, other = (
        power(clinic, "nsDCG@10", difference=0.065, population="users", users=[60], seed=seed, **QUICK).table
        for seed in (1, 1, 2)
    )
    assert one.equals(same)
    assert not one.equals(other)


def test_a_share_of_the_first_groups_mean(clinic):
    found = power(clinic, "nsDCG@10", difference="10%", population="users", users=[30], **QUICK)
    mean = sk.compare(clinic, "nsDCG@10").table["mean_a"].item()
    assert found.difference == pytest.approx(mean / 10)
    assert found.of_kind("plan")[0].values["share"] == pytest.approx(0.1)


def test_topics_of_runs_without_users():
    rng = np.random.default_rng(4)
    found = power(by_topic(rng.normal(size=(25, 2))), difference=0.5, topics=[25, 50], **QUICK)
    assert found.table["topics"].to_list() == [25, 50]
    assert found.table["users"].to_list() == [None, None]
    assert found.table["power"].is_sorted()


@pytest.mark.slow
def test_what_topics_do_may_not_be_known():
    # one user per topic and system: topics with systems are the residual
    rows = [(f"s{u}{t}", f"u{u}", f"t{t}", f"S{(u + t) % 2}", (3 * u + 5 * t) % 7) for u in (0, 1) for t in range(6)]
    found = power(scores(rows), difference=2, **QUICK)
    assert [statement.values["about"] for statement in found.of_kind("caution")] == ["interaction"]


def test_undefined_values_are_left_out():
    values = simulated(1, seed=4)[:, 0]
    values[::9] = np.nan
    found = power(crossing(values), difference=0.1, population="users", users=[30], **QUICK)
    assert 0 < found.table["power"].item() < 1
    assert "nan" not in str(found)


def test_how_many_more_is_said(plan):
    users = plan.smallest.row(0, named=True)
    assert (users["more_users"], users["more_topics"]) == (users["users"] - 30, 0)
    (study,) = plan.of_kind("needed")[0].values["studies"]
    assert (study["users"], study["more_users"], study["topics"]) == (users["users"], users["more_users"], 4)
    assert f"{users['users']} users ({users['more_users']} more than now), 4 topics" in plan.of_kind("needed")[0].text
    assert plan.smallest.filter(population="topics")["more_topics"].to_list() == [0, 4, 8, 12, 20, 28]


def test_power_just_below_the_target_is_not_rounded_up_to_it():
    chance = PowerEstimate(0.7996, 0.01, 0.1, 1.0, 0.9)
    assert _power(chance, 0.8) == "just below 0.8 (0.10 to 1.00)"
    assert _power(chance, 0.9) == "0.80 (0.10 to 1.00)"


def test_one_user_is_not_multiplied():
    rng = np.random.default_rng(2)
    rows = [(f"s{t}{s}{i}", "me", f"t{t}", f"S{s}", rng.normal()) for t in range(5) for s in (0, 1) for i in (0, 1)]
    found = power(scores(rows), difference=1, **QUICK)
    assert found.table["users"].is_null().all()
    assert found.table["topics"].to_list()[:3] == [5, 8, 10]


@pytest.mark.slow
def test_two_users_who_met_everything_are_a_study():
    rng = np.random.default_rng(2)
    rows = [(f"s{u}{t}{s}", f"u{u}", f"t{t}", f"S{s}", rng.normal()) for u in (0, 1) for t in range(4) for s in (0, 1)]
    found = power(scores(rows), difference=1, **QUICK)
    present = found.of_kind("power")[0].values
    assert [present[name] for name in ("is_present", "users", "topics", "sessions")] == [True, 2, 4, 16]


def test_a_difference_beyond_all_sessions_is_said(clinic):
    found = power(paired(20), difference=9, users=[20], **QUICK)
    assert [statement.values["about"] for statement in found.of_kind("caution")] == ["difference"]
    with pytest.raises(UsageError, match=r"between 0 and 1, .* 1\.5"):
        power(clinic, "nsDCG@10", difference=1.5)
    # of scores in percent nothing is known but the name
    percent = crossing(100 * simulated(1, seed=4)[:, 0], "nsDCG@10")
    assert power(percent, difference=5, population="users", users=[30], **QUICK).difference == 5


def test_numbers_that_nothing_plans_are_refused(clinic):
    with pytest.raises(UsageError, match="only users are planned"):
        power(paired(20), difference=1, topics=[8])
    with pytest.raises(UsageError, match="topics= would work"):
        power(by_topic(np.random.default_rng(4).normal(size=(25, 2))), difference=0.5, users=[8])
    with pytest.raises(UsageError, match="study search 4 topics each"):
        power(clinic, "nsDCG@10", difference=0.1, topics=[2])


def test_what_is_refused(clinic):
    for options, says in (
        ({"difference": 0}, "above 0"),
        ({"difference": "a tenth"}, "a share such as 10%"),
        ({"difference": 0.1, "target": 80}, "target must be"),
        ({"difference": 0.1, "confidence": 1}, "confidence must be"),
        ({"difference": 0.1, "users": [1]}, "whole numbers from 2"),
        ({"difference": 0.1, "draws": 10}, "at least 200"),
        ({"difference": 0.1, "population": "user"}, "did you mean 'users'"),
        ({"difference": 0.1, "by": "sistem_id"}, "did you mean 'system_id'"),
    ):
        with pytest.raises(UsageError, match=says):
            power(clinic, "nsDCG@10", **options)
    two = pl.concat([crossing(range(120)), crossing(range(120), "other")])
    with pytest.raises(UsageError, match="name one"):
        power(two, difference=1)
    with pytest.raises(UsageError, match="mean of S1 is 0"):
        power(crossing([0.0] * 120), difference="10%")
    with pytest.raises(DataError, match="explain all variation"):
        power(crossing([0.5] * 120), difference="10%")
