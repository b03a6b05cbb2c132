"""Mixed models of studies: what they find, say and refuse.

What a difference is judged by: classical tests in balanced studies, and its size in the clinic's design.
"""

from functools import partial

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.statistics.mixed_model import contrast, yardsticks
from sessionkit.statistics.variance_components import Factors, estimated, means
from tests.statistics.layouts import EXAMPLE_S, SYSTEM, TOPIC, USER, by_topic, crossing, scores, simulated
from tests.support.clinic import read_clinic
from tests.support.statements import only_values

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
    claim = {"users": 30, "topics": 4, "sessions": 120, "random": ["users", "topics"]}
    assert only_values(found, "claim") == claim
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
    assert only_values(found, "singular")["components"] == ["system_id:topic_id"]
    assert "does not prove 0" in found.reading
    assert only_values(found, "difference")["few_topics"]
    assert only_values(found, "same_effect")["column"] == "system_id"


@pytest.mark.slow
def test_an_error_that_is_small_by_chance_is_said(clinic):
    found = mixed(clinic, "sDCG@10")
    row = found.table.row(0, named=True)
    assert row["se"] < 0.5 * row["se_reml"]
    assert only_values(found, "difference")["is_small_by_chance"]


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
    remarks = [
        (each.values["measure"], each.values["reason"], each.values["value"]) for each in found.of_kind("not_tested")
    ]
    assert remarks == [("flat", "constant", 0.5), ("exact", "no variance", None)]
    assert "nan" not in str(found)
    with pytest.raises(DataError, match=r"^nothing to compare: .* sDCG@10$"):
        mixed(crossing([float("nan")] * 120))


def test_systems_that_are_the_same_leave_nothing_to_judge_by():
    rng = np.random.default_rng(3)
    cube = rng.normal(size=(6, 4))
    rows = [(f"s{u}{t}{s}", f"u{u}", f"t{t}", f"S{s}", cube[u, t]) for u in range(6) for t in range(4) for s in (0, 1)]
    found = mixed(scores(rows))
    assert not found.table.height
    remark = only_values(found, "not_tested")
    assert (remark["reason"], remark["detail"]) == ("no error", "system_id:topic_id")


def test_one_topic_and_one_user_are_said_as_one():
    rng = np.random.default_rng(3)
    one_topic = [(f"s{u}{s}", f"u{u}", "t", f"S{s}", rng.normal()) for u in range(10) for s in (0, 1)]
    found = mixed(scores(one_topic))
    assert only_values(found, "claim") == {"users": 10, "topics": 1, "sessions": 20, "random": ["users"]}
    assert found.claim.endswith(", with this 1 topic")
    one_user = [(f"s{t}{s}", "u", f"t{t}", f"S{s}", rng.normal()) for t in range(10) for s in (0, 1)]
    found = mixed(scores(one_user))
    assert only_values(found, "claim") == {"users": 1, "topics": 10, "sessions": 20, "random": ["topics"]}
    assert found.claim.endswith(", with this 1 user")
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


def judged(factors, values, pair=(0, 1)):
    """The contrast of two groups."""
    reduced = factors.reduced(values)
    components = estimated(reduced, values.var())
    sticks = yardsticks(factors, reduced, components)
    return contrast(factors, reduced, means(factors, components, values), components, sticks=sticks, pair=pair)


def p(found):
    """Two-sided p."""
    return 2 * stats.t.sf(abs(found.estimate / found.se), found.df)


@pytest.mark.parametrize("seed", range(6))
def test_with_balanced_topics_it_is_the_paired_t_over_topic_means(seed):
    # seeds with and without a component of 0 alike
    rng = np.random.default_rng(seed)
    user, topic, group = (axis.ravel() for axis in np.meshgrid(range(5), range(4), range(2), indexing="ij"))
    values = rng.normal(size=40) + rng.normal(0, 0.3, 8)[topic * 2 + group]
    factors = Factors(group, 2, ("user", "topic", "both"), (user, topic, topic * 2 + group))
    cells = values.reshape(5, 4, 2).mean(axis=0)
    theirs = stats.ttest_rel(cells[:, 1], cells[:, 0])
    found = judged(factors, values)
    assert (found.estimate / found.se, found.df) == pytest.approx((theirs.statistic, 3))
    assert found.by == ("both",)


@pytest.mark.parametrize("seed", range(4))
def test_with_one_session_per_topic_and_group_it_is_the_paired_t(seed):
    rng = np.random.default_rng(seed)
    topic, group = np.repeat(np.arange(9), 2), np.tile([0, 1], 9)
    values = rng.normal(size=18) + rng.normal(0, 0.2 * seed, 9)[topic]
    found = judged(Factors(group, 2, ("topic",), (topic,)), values)
    theirs = stats.ttest_rel(values[1::2], values[::2])
    assert (p(found), found.df, found.by) == (pytest.approx(theirs.pvalue), 8, ())


def test_with_users_within_groups_it_is_the_t_over_user_means():
    rng = np.random.default_rng(5)
    user = np.repeat(np.arange(12), 3)
    values = rng.normal(size=36) + rng.normal(0, 1, 12)[user]
    found = judged(Factors(user % 2, 2, ("user",), (user,)), values)
    of_user = values.reshape(12, 3).mean(axis=1)
    theirs = stats.ttest_ind(of_user[1::2], of_user[::2])
    assert (found.estimate / found.se, found.df) == pytest.approx((theirs.statistic, 10))


def test_what_the_other_factors_leave_has_its_degrees_of_freedom():
    # 8 users met one group, 4 both: what differs between users is in the difference, with 11 degrees of freedom
    rng = np.random.default_rng(3)
    user, topic = np.repeat(np.arange(12), 4), np.tile(np.arange(4), 12)
    group = np.where(user < 8, user % 2, topic % 2)
    factors = Factors(group, 2, ("user", "topic"), (user, topic))
    values = rng.normal(0, 0.2, 48) + rng.normal(0, 0.4, 12)[user]
    reduced = factors.reduced(values)
    components = estimated(reduced, values.var())
    of_groups = means(factors, components, values)
    of = of_groups.loads[:, 0, 0] + of_groups.loads[:, 1, 1] - 2 * of_groups.loads[:, 0, 1]
    parts = np.array([*(of[:2] * components[:2]), of[2] * reduced.left / reduced.df])
    found = judged(factors, values)
    assert found.se**2 == pytest.approx(parts.sum())
    assert found.df == pytest.approx(parts.sum() ** 2 / (parts**2 / [11, 3, reduced.df]).sum())
    assert parts[0] > 0.05 * parts.sum()


@pytest.mark.slow
def test_where_users_met_one_group_or_both_a_nominal_5_percent_rejects_3_to_7_percent():
    rng = np.random.default_rng(11)
    rejected = []
    for _ in range(250):
        user, topic = np.repeat(np.arange(12), 4), np.tile(np.arange(4), 12)
        group = np.where(user < 8, user % 2, topic % 2)
        keep = rng.random(48) < 0.8
        user, topic, group = user[keep], topic[keep], group[keep]
        values = rng.normal(0, 0.2, 12)[user] + rng.normal(0, 0.2, 4)[topic] + rng.normal(0, 0.2, keep.sum())
        both = np.unique(topic * 2 + group, return_inverse=True)[1]
        factors = Factors(group, 2, ("user", "topic", "both"), (user, topic, both))
        rejected.append(p(judged(factors, values)) <= 0.05)
    assert 0.02 <= np.mean(rejected) <= 0.08


def test_a_factor_that_others_explain_judges_nothing():
    # every topic's sessions of a group are those of one user: once users with groups are out nothing is left of it
    topic = np.repeat(np.arange(4), 4)
    group = np.tile([0, 0, 1, 1], 4)
    both = topic * 2 + group
    factors = Factors(group, 2, ("both", "same"), (both, both))
    values = np.random.default_rng(4).normal(size=16)
    sticks = yardsticks(factors, factors.reduced(values), np.array([0.1, 0.1, 1.0]))
    assert not sticks


STUDIES = 400  # 5% with an sd of 1.1%


@pytest.mark.few(1)
@pytest.mark.slow
@pytest.mark.parametrize("interaction", [0.0, 0.1, 0.2])
def test_in_the_clinics_design_a_nominal_5_percent_rejects_3_to_7_percent(interaction):
    factors = Factors(SYSTEM, 2, ("user", "topic", "both"), (USER, TOPIC, SYSTEM * 4 + TOPIC))
    studies = simulated(STUDIES, interaction=interaction, seed=17)
    found = [judged(factors, values) for values in studies.T]
    assert 0.02 <= np.mean([p(each) <= 0.05 for each in found]) <= 0.08
    assert [each.df for each in found] == pytest.approx([3] * STUDIES)
    if interaction == 0.1:
        # what a REML fit prints, with z: CLASSIC section 6 warns of it
        assert np.mean([2 * stats.norm.sf(abs(each.estimate / each.reml)) <= 0.05 for each in found]) > 0.09


@pytest.mark.slow
def test_an_effect_is_found_and_its_interval_covers_it():
    factors = Factors(SYSTEM, 2, ("user", "topic", "both"), (USER, TOPIC, SYSTEM * 4 + TOPIC))
    found = [judged(factors, values) for values in simulated(200, effect=0.3, interaction=0.05, seed=5).T]
    assert np.mean([p(each) <= 0.05 for each in found]) > 0.9
    covered = [abs(each.estimate - 0.3) <= stats.t.isf(0.025, each.df) * each.se for each in found]
    assert 0.92 <= np.mean(covered) <= 0.98
