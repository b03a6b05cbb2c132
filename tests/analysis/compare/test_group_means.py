"""The groups of a comparison by themselves: means, intervals over units, spread of sessions."""

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.statistics.session_values import GROUPS


def scores(values, users, groups):
    return pl.DataFrame(
        {
            "session_id": [f"s{number:03}" for number in range(len(values))],
            "user_id": users,
            "system_id": groups,
            "measure": "m",
            "value": values,
        }
    )


def row(found, group):
    return found.groups.row(by_predicate=pl.col("system_id") == group, named=True)


def test_one_session_of_each_user_is_students_interval():
    rng = np.random.default_rng(3)
    values = rng.normal(size=24)
    groups = ["A"] * 12 + ["B"] * 12
    found = sk.compare(scores(values, [f"u{n}" for n in range(24)], groups), confidence=0.9)
    for group, part in (("A", values[:12]), ("B", values[12:])):
        made = row(found, group)
        low, high = stats.t.interval(0.9, 11, part.mean(), stats.sem(part))
        assert (made["sessions"], made["units"]) == (12, 12)
        assert made["mean"] == pytest.approx(part.mean())
        assert (made["low"], made["high"]) == pytest.approx((low, high))
        assert made["sd"] == pytest.approx(part.std(ddof=1))


def test_several_sessions_of_a_user_count_as_one_unit():
    # user u: 1 and 3, user v: 4; mean 8/3, residuals -5/3 + 1/3 = -4/3 and 4/3; error sqrt(2 * 32/9) / 3
    found = sk.compare(scores([1.0, 3.0, 4.0, 0.0, 1.0], list("uuvuv"), list("AAABB")), confidence=0.95)
    made = row(found, "A")
    error = math.sqrt(2 * 32 / 9) / 3
    reach = 12.706204736 * error  # t of 1 degree of freedom
    assert (made["sessions"], made["units"]) == (3, 2)
    assert (made["low"], made["high"]) == pytest.approx((8 / 3 - reach, 8 / 3 + reach))
    assert made["sd"] == pytest.approx(math.sqrt(((1 - 8 / 3) ** 2 + (3 - 8 / 3) ** 2 + (4 - 8 / 3) ** 2) / 2))


def test_undefined_values_are_left_out_and_one_unit_has_no_interval():
    values = [1.0, None, 2.0, 5.0, 6.0]
    found = sk.compare(scores(values, [None] * 5, list("AAABB")).with_columns(user_id=pl.lit(None, pl.String)))
    assert row(found, "A")["sessions"] == 2
    one = sk.compare(scores([1.0, 3.0, 2.0], ["u", "u", "v"], list("AAB")))
    assert (row(one, "A")["low"], row(one, "A")["units"], row(one, "B")["sd"]) == (None, 1, None)


def test_levels_have_groups_of_their_own():
    table = scores([1.0, 2.0, 3.0, 5.0, 2.0, 2.5, 3.5, 9.0], list("uvuvuvuv"), list("AABBAABB"))
    table = table.with_columns(topic_id=pl.Series(["t1"] * 4 + ["t2"] * 4))
    found = sk.compare(table, within="topic_id")
    assert found.groups.columns == ["topic_id", *("system_id" if name == "group" else name for name in GROUPS)]
    assert found.groups.select("topic_id", "system_id", "mean").rows() == [
        ("t1", "A", 1.5), ("t1", "B", 4.0), ("t2", "A", 2.25), ("t2", "B", 6.25),
    ]  # fmt: skip


def test_the_pooled_sd_of_a_pair_is_that_of_two_samples():
    a, b = [1.0, 2.0, 4.0], [0.0, 5.0]
    table = scores([*a, *b], list("uvwxy"), list("AAABB"))
    (sd,) = sk.compare(table).table["sd"]
    t = stats.ttest_ind(b, a)
    assert (np.mean(b) - np.mean(a)) / t.statistic == pytest.approx(sd * math.sqrt(1 / 3 + 1 / 2))
    single = sk.compare(scores([1.0, 3.0], list("uu"), list("AB"))).table
    assert single["sd"].to_list() == [None]


@pytest.mark.parametrize("column", ["free", "squares", "a", "b"])
def test_the_pooled_spread_does_not_depend_on_what_the_column_of_groups_is_called(column):
    made = scores([0.0, 2.0, 1.0, 5.0], ["u1", "u2", "u3", "u4"], ["A", "A", "B", "B"])
    found = sk.compare(made.rename({"system_id": column}), by=column, draws=200)
    assert found.table["sd"].to_list() == pytest.approx(
        [math.sqrt((2 + 8) / 2)]
    )  # squares 1 + 1 and 4 + 4, two degrees


def test_levels_and_groups_stand_in_columns_of_their_own_whatever_they_are_called():
    values = [float(number % 7) for number in range(36)]
    made = scores(values, [f"u{number}" for number in range(36)], ["A", "B", "C"] * 12)
    made = made.with_columns(group=pl.Series(["x"] * 18 + ["y"] * 18))
    table = sk.compare(made, within="group", draws=200).paper_table()
    assert [(row[0], row[2]) for row in table.rows] == [(level, group) for level in "xy" for group in "ABC"]
    with pytest.raises(sk.UsageError, match="within=pair"):
        sk.compare(made.rename({"group": "pair"}), within="pair", draws=200)
