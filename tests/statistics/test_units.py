"""Values aligned by key: whole pairs leave, units are averaged first, nothing goes by order."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from tests.statistics.layouts import EXAMPLE_S, USER, apart, by_topic, crossing, scores, simulated


def only(found):
    """The one row of a comparison, without the spread, which is that of all sessions with a value."""
    (row,) = found.table.drop("sd").iter_rows(named=True)
    return row


def test_pairs_are_matched_by_topic_whatever_the_order_of_rows():
    values = EXAMPLE_S[:, :2]
    theirs = stats.ttest_rel(values[:, 1], values[:, 0])
    table = by_topic(values)
    for rows in (table, table.sort("value"), table.sample(fraction=1, shuffle=True, seed=3)):
        row = only(sk.compare(rows))
        assert (row["statistic"], row["p"]) == pytest.approx((theirs.statistic, theirs.pvalue))
    found = sk.compare(table)
    assert (found.population, found.claim) == ("topics", "topics like these 6 topics")
    assert only(sk.compare(table.sort("value"))) == only(found)


def test_a_pair_without_a_value_leaves_whole_and_is_counted():
    values = EXAMPLE_S[:, :2].copy()
    table = by_topic(values).with_columns(value=pl.when(pl.col("session_id") == "t002S1").then(None).otherwise("value"))
    table = table.filter(pl.col("session_id") != "t004S2")
    found, kept = sk.compare(table), np.delete(values, [2, 4], axis=0)
    row = only(found)
    assert row["p"] == pytest.approx(stats.ttest_rel(kept[:, 1], kept[:, 0]).pvalue)
    assert (row["n_a"], row["n_b"], row["mean_b"]) == (4, 4, pytest.approx(kept[:, 1].mean()))
    assert dict(found.dropped.select("what", "count").rows()) == {
        "undefined sessions of S1": 1,
        "topics without a value for every group": 2,
    }
    (remark,) = found.of_kind("left_out")
    assert remark.values["counts"] == dict(found.dropped.select("what", "count").rows())


def test_user_and_topic_together_are_the_pair_where_both_met_both():
    rng = np.random.default_rng(2)
    cube = rng.normal(size=(5, 3, 2))
    rows = [
        (f"{u}{t}{s}", f"u{u}", f"t{t}", f"S{s}", float(cube[u, t, s]))
        for u in range(5)
        for t in range(3)
        for s in range(2)
    ]
    table = scores(rows)
    lost = table.with_columns(value=pl.when(pl.col("session_id") == "120").then(None).otherwise("value"))
    cube[1, 2] = np.nan  # both systems of user 1 with topic 2
    d = cube[:, :, 1] - cube[:, :, 0]
    of_users, of_topics = np.nanmean(d, axis=1), np.nanmean(d, axis=0)
    pairs = d[np.isfinite(d)]
    for population, units in (("users", of_users), ("topics", of_topics), ("sessions", pairs)):
        row = only(sk.compare(lost, population=population))
        assert (row["n_a"], row["p"]) == (len(units), pytest.approx(stats.ttest_1samp(units, 0).pvalue))
    assert sk.compare(lost).population == "users"
    assert sk.compare(lost).dropped.item(0, "count") == 1


def test_in_a_crossover_users_with_an_undefined_session_leave_whole():
    values = simulated(1, effect=0.2)[:, 0]
    table = crossing(values).with_columns(
        value=pl.when(pl.col("session_id").is_in(["s000", "s005"])).then(None).otherwise("value")
    )
    found = sk.compare(table)
    kept = ~np.isin(USER, [0, 1])
    alone = sk.compare(crossing(values).filter(pl.Series(kept)))
    assert only(found) == only(alone)
    assert found.dropped.rows() == [("sDCG@10", "users with an undefined session or without one of the groups", 2)]
    assert only(sk.compare(table, population="topics")) == only(
        sk.compare(crossing(values).filter(pl.Series(kept)), population="topics")
    )


def test_groups_of_different_users_are_compared_user_by_user():
    a, b = [0.1, 0.4, 0.2, 0.5], [0.6, 0.3, 0.9]
    table = apart([a, b])
    again = table.filter(pl.col("session_id") == "1-0").with_columns(session_id=pl.lit("1-0x"), value=pl.lit(0.8))
    row = only(sk.compare(pl.concat([table, again])))
    theirs = stats.ttest_ind([0.7, 0.3, 0.9], a, equal_var=False)  # .6 and .8 are one user's
    assert (row["n_a"], row["n_b"], row["p"]) == (4, 3, pytest.approx(theirs.pvalue))
    assert row["wins"] is None
