"""Mixed models of studies: what they find, say and refuse."""

from functools import partial

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from tests.analysis.compare.layouts import EXAMPLE_S, SYSTEM, by_topic, crossing, scores, simulated
from tests.support.clinic import read_clinic

mixed = partial(sk.compare, population="users,topics")
LAST = "last(DCG(gain=0-1-10-100,b=2)@100)"


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.mark.slow
def test_the_clinics_effect_is_recovered(clinic):
    found = mixed(clinic, LAST)
    row = found.table.row(0, named=True)
    # examples/clinic/README.md: 46 over many studies, with an sd of 11 from study to study
    assert row["low"] < 46 < row["high"]
    assert abs(row["estimate"] - 46) < 2 * 11
    assert (row["a"], row["b"], row["n_a"], row["n_b"], row["df"]) == ("S1", "S2", 60, 60, 3)
    assert row["error_term"] == "system_id:topic_id"
    assert found.claim == "users like these 30 and topics like these 4"
    assert found.fits.row(0)[:4] == (row["measure"], 120, 30, 4)
    assert found.fits["converged"].all()


def test_its_tables_go_together(clinic):
    found = mixed(clinic, ["nsDCG@10", LAST], correction="none")
    for row in found.table.iter_rows(named=True):
        assert row["estimate"] == pytest.approx(row["mean_b"] - row["mean_a"])
        half = stats.t.isf(0.025, row["df"]) * row["se"]
        assert (row["low"], row["high"]) == pytest.approx((row["estimate"] - half, row["estimate"] + half))
        assert row["p"] == pytest.approx(2 * stats.t.sf(row["statistic"], row["df"]))
    for _, part in found.components.group_by("measure"):
        assert part["component"].to_list() == ["user_id", "topic_id", "system_id:topic_id", "residual"]
        assert part["share"].sum() == pytest.approx(1)
        assert part["sd"].to_numpy() ** 2 == pytest.approx(part["variance"].to_numpy())
        assert (part["low"] <= part["variance"]).all()
        assert (part["variance"] < part["high"]).all()
    assert list(found.tables()) == ["effects", "components", "fits"]


def test_a_singular_fit_is_said_in_plain_words(clinic):
    found = mixed(clinic, "nsDCG@10")
    assert found.fits["singular"].to_list() == [True]
    assert "the fit is singular: system_id:topic_id estimated as 0" in found.reading
    assert "does not prove 0" in found.reading
    assert "few topics" in found.reading
    assert "the effect of system_id is assumed the same for every user" in found.reading


@pytest.mark.slow
def test_an_error_that_is_small_by_chance_is_said(clinic):
    row = mixed(clinic, "sDCG@10").table.row(0, named=True)
    assert row["se"] < 0.5 * row["se_reml"]
    assert "the error mean square is by chance smaller" in mixed(clinic, "sDCG@10").reading


def test_more_groups_with_holm():
    # topics x systems once each: the residual of the two-way analysis judges, CLASSIC section 6: V_E2 = .0034756, df 10
    found = mixed(by_topic(EXAMPLE_S), correction="holm")
    assert found.table["se"].to_list() == pytest.approx([(2 * 0.0034756 / 6) ** 0.5] * 3, rel=1e-4)
    assert found.table["df"].to_list() == [10, 10, 10]
    p = np.array(found.table["p"])
    order = np.argsort(p)
    stepped = np.maximum.accumulate(np.array([3, 2, 1]) * p[order])
    assert np.array(found.table["p_adjusted"])[order] == pytest.approx(np.minimum(1, stepped))
    assert "after Holm over 3 comparisons" in found.reading
    assert "the adjusted p decides" in found.reading
    assert "Unadjusted 95% interval" in found.paper_table().headers
    # intervals are those without correction, beside adjusted p-values
    half = stats.t.isf(0.025, 10) * found.table["se"][0]
    ends = [(estimate - half, estimate + half) for estimate in found.table["estimate"]]
    assert found.table.select("low", "high").rows() == [pytest.approx(pair) for pair in ends]
    assert found.reading.count("unadjusted 95% interval") == 3


@pytest.mark.slow
def test_the_order_of_rows_does_not_matter():
    table = crossing(simulated(1, effect=0.1, interaction=0.1, seed=4)[:, 0])
    shuffled = table.sample(fraction=1, shuffle=True, seed=2)
    assert mixed(table).table.equals(mixed(shuffled).table)


@pytest.mark.slow
def test_users_may_differ_in_what_systems_do(clinic):
    found = mixed(clinic, "nsDCG@10", random="user_id,topic_id,system_id:topic_id,system_id:user_id")
    assert found.components["component"].to_list()[3] == "system_id:user_id"
    assert "assumed the same" not in found.reading


@pytest.mark.slow
def test_other_groups(clinic):
    # what differs between users is judged by users: 30 users with 4 values of skill leave 26
    row = mixed(clinic, "nsDCG@10", by="skill").table.row(0, named=True)
    assert (row["error_term"], row["df"]) == ("user_id", 26)
    # topics as groups are not random too
    found = mixed(clinic, "nsDCG@10", by="topic_id")
    assert found.components["component"].to_list() == ["user_id", "residual"]
    assert found.claim.startswith("users like these 30")


def test_a_measure_without_anything_to_judge_by_gets_a_sentence():
    table = crossing(simulated(1, seed=4)[:, 0])
    both = pl.concat([table, crossing([0.5] * 120, "flat"), crossing(SYSTEM * 1.0, "exact")])
    found = mixed(both)
    assert found.table["measure"].to_list() == ["sDCG@10"]
    assert "flat: every value is 0.5, in every group; there is nothing to test" in found.reading
    assert "exact: the groups explain every value" in found.reading
    assert "nan" not in str(found)
    with pytest.raises(DataError, match=r"^nothing to compare: no session has a value of sDCG@10$"):
        mixed(crossing([float("nan")] * 120))


def test_systems_that_are_the_same_leave_nothing_to_judge_by():
    rng = np.random.default_rng(3)
    cube = rng.normal(size=(6, 4))
    rows = [(f"s{u}{t}{s}", f"u{u}", f"t{t}", f"S{s}", cube[u, t]) for u in range(6) for t in range(4) for s in (0, 1)]
    found = mixed(scores(rows))
    assert not found.table.height
    assert "of system_id:topic_id, is 0 but for rounding, so no variance is left to test against" in found.reading


def test_one_topic_and_one_user_are_said_as_one():
    rng = np.random.default_rng(3)
    one_topic = [(f"s{u}{s}", f"u{u}", "t", f"S{s}", rng.normal()) for u in range(10) for s in (0, 1)]
    assert mixed(scores(one_topic)).claim == "users like these 10, with this 1 topic"
    one_user = [(f"s{t}{s}", "u", f"t{t}", f"S{s}", rng.normal()) for t in range(10) for s in (0, 1)]
    found = mixed(scores(one_user))
    assert found.claim == "topics like these 10, with this 1 user"
    assert "same for every user" not in found.reading


def test_what_is_refused(clinic):
    for options, says in (
        ({"by": "sistem"}, "choose from"),
        ({"random": "topic"}, "did you mean 'topic_id'"),
        ({"random": []}, "random= is empty"),
        ({"random": ""}, "random= is empty"),
        ({"correction": "holmes"}, "did you mean 'holm'"),
        ({"confidence": 5}, "confidence must be"),
    ):
        with pytest.raises(UsageError, match=says):
            mixed(clinic, "nsDCG@10", **options)
    with pytest.raises(UsageError, match="no random factor is left"):
        mixed(scores([(f"s{i}", f"u{i}", None, f"S{i % 2}", i * i % 7) for i in range(20)]))
    with pytest.raises(UsageError, match="compare would work"):
        mixed(scores([(f"s{i}", None, None, f"S{i % 2}", i * i % 7) for i in range(20)]))
