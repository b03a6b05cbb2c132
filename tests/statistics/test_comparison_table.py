"""Wins, marks, and sentences where nothing can be tested."""

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from tests.statistics.layouts import EXAMPLE_S, PLACE, SYSTEM, USER, apart, by_topic, crossing, scores
from tests.support.statements import only_values

NONE_LEFT = crossing(SYSTEM * 0.5).with_columns(value=pl.when(pl.int_range(pl.len()) % 4 != 0).then("value"))
"""A crossover in which every user has an undefined session."""
ONE_LEFT = by_topic([[0.1, 0.4], [0.2, 0.3]]).with_columns(
    value=pl.when(pl.col("session_id") == "t000S2").then(None).otherwise("value")
)


def only(found):
    """The one row of a comparison."""
    (row,) = found.table.iter_rows(named=True)
    return row


def test_wins_and_marks():
    found = sk.compare(by_topic([[1.0, 1.2], [2.0, 2.0], [1.0, 0.97], [2.0, 2.3]]))
    row = only(found)
    # means 1.5 and 1.6175: + 7.8%
    assert (row["wins"], row["ties"], row["losses"], row["mark"]) == (2, 1, 1, "noticeable")
    assert row["relative"] == pytest.approx(0.1175 / 1.5)
    marks = {
        second: only(sk.compare(by_topic([[2.0, 2 * second], [3.0, 3 * second], [2.5, 2.5 * second + 1e-9]])))["mark"]
        for second in (1.049, 1.051, 1.099, 1.101, 0.8)
    }
    assert [*marks.values()] == ["not noticeable", "noticeable", "noticeable", "material", "material"]


@pytest.mark.parametrize(
    ("table", "test", "remark", "says"),
    [
        (
            by_topic([[0.1, 0.1], [0.5, 0.5], [0.3, 0.3]]), None,
            {"reason": "same values", "groups": ["S1", "S2"], "n": 3}, "every one of 3 topics",
        ),
        (by_topic([[0.2, 0.2]] * 4), None, {"reason": "constant", "value": 0.2}, "every value is 0.2, "),
        (
            by_topic([[0.1, 0.4], [0.5, 0.8], [0.3, 0.6]]), None,
            {"reason": "constant difference", "groups": ["S1", "S2"], "value": 0.3}, "by the same amount, 0.3",
        ),
        (ONE_LEFT, None, {"reason": "few units", "n": 1}, "only one topic"),
        (NONE_LEFT, None, {"reason": "no units", "n": 0}, "undefined=zero"),
        (apart([[0.1, 0.2], [0.3]]), None, {"reason": "few units", "groups": ["S2"], "n": 1}, "S2 has 1 user"),
        (
            apart([[0.1, 0.1], [0.3, 0.3]]), None,
            {"reason": "constant groups", "groups": ["S1", "S2"], "value": 0.2}, "test=mann-whitney would work",
        ),
        (crossing(SYSTEM * 0.5), None, {"reason": "no variance", "detail": "least-squares"}, "explain every value"),
        (
            by_topic([[0.1, 0.4], [0.2, 0.8], [0.3, 0.5]]), "sign",
            {"reason": "smallest p", "n": 3, "value": 0.25, "detail": "sign changes"}, "sign changes is 0.25",
        ),
    ],
)  # fmt: skip
def test_where_nothing_can_be_tested_a_sentence_says_why(table, test, remark, says):
    found = sk.compare(table, test=test)
    statement, *others = found.of_kind("not_tested", "limit")
    assert not others
    empty = {"level": None, "measure": "sDCG@10", "groups": None, "n": None, "value": None, "detail": None}
    expected = empty | remark
    assert {**statement.values, "value": None} == {**expected, "value": None}
    assert statement.values["value"] == (None if expected["value"] is None else pytest.approx(expected["value"]))
    assert says in statement.text
    assert "nan" not in found.reading
    for column in found.table.select(pl.col(pl.Float64)):
        assert column.is_nan().sum() == 0
    if test is None:
        assert only(found)["p"] is None


def test_no_share_is_told_of_a_mean_near_0():
    """Of values 0, 0, 0, .04 the mean .01 is one standard error (.02 / sqrt(4)) from 0; of 3, 3, 5, 5 the mean is 6.9 away."""
    near = only(sk.compare(by_topic([[0.0, 0.1], [0.0, 0.2], [0.0, 0.1], [0.04, 0.3]])))
    assert near["estimate"] == pytest.approx(0.165)
    assert (near["relative"], near["mark"]) == (None, None)
    clear = only(sk.compare(by_topic([[3.0, 3.3], [3.0, 3.1], [5.0, 5.3], [5.0, 5.5]])))
    assert (clear["relative"], clear["mark"]) == (pytest.approx(0.3 / 4), "noticeable")
    assert "%" not in sk.compare(by_topic([[0.0, 0.1], [0.0, 0.2], [0.0, 0.1], [0.04, 0.3]])).reading.replace("95%", "")
    # units that are all alike have no spread, and their mean is known
    alike = only(sk.compare(by_topic([[2.0, 2.1], [2.0, 2.4], [2.0, 2.2]])))
    assert alike["relative"] == pytest.approx(0.7 / 3 / 2)


def uneven(seed=3):
    """Users of unlike levels in a crossover out of balance: the better they are, the more often they met S1."""
    rng = np.random.default_rng(seed)
    rows = []
    for user in range(12):  # of the better six one session of six with S2, of the others five
        for topic in range(6):
            system = 1 + int(topic == 5 if user >= 6 else topic > 0)
            value = 5.0 * (user >= 6) + 0.3 * (topic == 2) + 1.0 * (system == 2) + rng.normal(0, 0.2)
            rows.append((f"s{user:02}{topic}", f"u{user:02}", f"t{(topic + user) % 6}", f"S{system}", value))
    return scores(rows)


def test_what_is_adjusted_stands_with_what_belongs_to_it():
    table = uneven()
    found = sk.compare(table)
    row = only(found)
    # least squares on users, topics and systems by hand
    parts = [table.get_column(name).to_dummies().to_numpy().astype(float) for name in ("user_id", "topic_id")]
    x = np.hstack([parts[0], parts[1][:, 1:], (table.get_column("system_id") == "S2").to_numpy()[:, None]])
    y = table.get_column("value").to_numpy()
    fitted, left, *_ = np.linalg.lstsq(x, y, rcond=None)
    df = len(y) - x.shape[1]
    assert (row["estimate"], row["df"]) == (pytest.approx(fitted[-1]), df)
    assert row["effect"] == pytest.approx(fitted[-1] / np.sqrt(left[0] / df))
    assert row["low"] < row["estimate"] < row["high"]
    means = [table.filter(system_id=name).get_column("value").mean() for name in ("S1", "S2")]
    assert (row["mean_a"], row["mean_b"]) == pytest.approx(means)
    assert row["raw_difference"] == pytest.approx(means[1] - means[0])
    assert row["raw_difference"] < 0 < row["low"]
    assert "difference" not in found.table.columns
    # a share and its mark are of the estimate: they never contradict it
    assert row["relative"] is None or row["relative"] == pytest.approx(row["estimate"] / means[0])
    (told,) = [line for line in found.reading.split("\n") if line.startswith("sDCG@10: S2 minus S1")]
    estimate, raw = (
        f"difference adjusted for user and topic {row['estimate']:.4f}",
        f"raw difference {row['raw_difference']:.4f}",
    )
    assert told.index(estimate) < told.index("95% interval") < told.index("p < 0.001") < told.index(raw)
    assert f"raw means {means[0]:.4f} and {means[1]:.4f}" in told


def test_an_adjusted_difference_is_called_so_wherever_it_stands():
    found = sk.compare(uneven())
    assert "raw mean" not in sk.compare(crossing(SYSTEM * 0.5 + PLACE**2)).reading  # balanced: nothing to tell apart
    assert f"{only(found)['relative']:+.1%} of S1's raw mean" in found.reading
    turned = "The raw difference has the opposite sign"
    assert f"{turned}: it is not adjusted" in found.reading
    assert only_values(found, "difference")["verdict"] == "shown"
    paper = found.paper_table()
    assert "Adjusted difference" in paper.headers
    assert f"the adjusted difference is the {found.estimand}." in paper.note
    assert f"{turned}. The claim is about" in paper.note
    other = sk.compare(by_topic([[0.1, 0.1], [0.2, 0.3], [0.4, 0.6], [0.5, 1.4]]), test="wilcoxon")
    assert "Estimate" in other.paper_table().headers
    assert f"the estimate is the {other.estimand}." in other.paper_table().note
    assert "(Hodges-Lehmann)" in other.estimand


def test_an_interval_wider_than_all_differences_of_a_measure_is_not_told_as_a_finding():
    """Of values 0, 0.5 and 0.25, 1 the t with 2 units each reaches +-1.9 and more; in [0, 1] no difference is beyond 1."""
    few = apart([[0.0, 0.5], [0.25, 1.0]], "nsDCG@10")
    found = sk.compare(few)
    row = only(found)
    assert row["estimate"] == pytest.approx(0.375)
    assert (row["low"], row["high"], row["detectable"]) == (None, None, None)
    values = only_values(found, "difference")
    assert (values["verdict"], values["estimate"], values["span"]) == ("too few", 0.375, 1.0)
    assert (values["n_a"], values["n_b"], values["confidence"]) == (2, 2, 0.95)
    assert "nsDCG@10 can have, -1 to 1." in found.reading
    for said in ("p =", "power", "interval -"):
        assert said not in found.reading
    assert "No interval stands where" in found.paper_table().note
    free = sk.compare(apart([[0.0, 0.5], [0.25, 1.0]]))  # sDCG has no bound
    assert only(free)["high"] - only(free)["low"] > 2
    outside = sk.compare(apart([[0.0, 0.5], [0.25, 1.1]], "nsDCG@10"))  # nor have values that are beyond it
    assert "A true difference of" in outside.reading
    enough = sk.compare(apart([[0.0, 0.5] * 2, [0.25, 1.0] * 2], "nsDCG@10"))
    assert only(enough)["low"] > -1
    assert "power" in enough.reading


def test_what_was_not_tested_has_no_estimate_where_users_would_be_taken_out():
    row = only(sk.compare(crossing(SYSTEM * 0.5 + USER)))
    assert (row["estimate"], row["p"], row["relative"]) == (None, None, None)
    assert row["raw_difference"] == pytest.approx(0.5)
    assert "no estimate; raw means" in sk.compare(crossing(SYSTEM * 0.5 + USER)).reading
    plain = only(sk.compare(by_topic([[0.1, 0.4], [0.5, 0.8], [0.3, 0.6]])))
    assert (plain["estimate"], plain["p"]) == (pytest.approx(0.3), None)


def test_one_pair_that_is_identical_does_not_stop_the_others():
    values = np.column_stack([EXAMPLE_S[:, 0], EXAMPLE_S[:, 0], EXAMPLE_S[:, 2]])
    found = sk.compare(by_topic(values), test="t")
    assert found.table.get_column("p").is_null().to_list() == [True, False, False]
    assert "S1 and S2 have the same value" in found.reading


def test_a_spread_that_is_but_rounding_makes_no_effect():
    # every unit differs by .3, which leaves an sd of about 1e-17
    rows = [[0.1, 0.4], [0.5, 0.8], [0.3, 0.6], [0.2, 0.5], [0.7, 1.0], [0.15, 0.45], [0.9, 1.2]]
    row = only(sk.compare(by_topic(rows), test="randomization"))
    assert row["effect"] is None
    assert row["p"] == pytest.approx(2 / 2**7)
