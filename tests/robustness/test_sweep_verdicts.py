"""The nearest setting that overturns a conclusion: where algebra has it, of one parameter and of two.

Settings without a winner: impossible, undefined, tied, in disagreement, of one group or of too many.
"""

import math

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataError
from tests.robustness.sweep_logs import log, toy

# lists made by hand have gaps in their ranks
pytestmark = [pytest.mark.filterwarnings("ignore:.* looks deeper than was observed")]


@pytest.mark.slow
def test_crossings_are_where_algebra_has_them():
    # B's 2 / (1 + log_b 3) equals A's 1 where log_b 3 = 1: at b = 3
    found = sk.sweep(toy(1), "sDCG@10", {"b": "1.5:9:4"}, test="none")
    (row,) = found.ranges.iter_rows(named=True)
    assert (row["low"], row["high"], row["ends_below"], row["ends_above"]) == ("1.5", "2", None, "3")
    near = found.nearest.row(0, named=True)
    assert (near["conclusion"], near["changes"], near["at"]) == ("lead", 1, "b=3")
    assert near["distance"] == pytest.approx(math.log2(math.log(3) / math.log(2)), abs=1e-5)
    # both ends as they are told, scored anew
    means = [sk.score(toy(1), near[name], by="system_id")["value"].to_list() for name in ("measure", "still")]
    assert means[0][1] >= means[0][0]
    assert means[1][1] < means[1][0]
    assert "b=3" in found.reading


def test_a_crossing_of_two_parameters_is_found_where_none_of_one_is():
    # A has 1; B has grade 5 at rank 3 of query 3: 5 d(3) dq(3), which is .914 with one base at 10 and the other at 1.5
    places = {"session_id": list("abbb"), "query_position": [1, 1, 2, 3], "rank": [1, 1, 1, 3], "doc_id": list("xuvy")}
    results = {**places, "topic_id": ["t"] * 4, "system_id": list("ABBB")}
    study = sk.from_tables(results, {"judgment_key": ["t"] * 2, "doc_id": ["x", "y"], "grade": [1, 5]})
    vary = {"b": "1.5:10:4", "bq": "1.5:10:4"}
    found = sk.sweep(study, "sDCG(b=1.5,bq=1.5)@5", vary, test="none")
    assert all(end is None for end in found.ranges["ends_above"])
    (near,) = found.nearest.iter_rows(named=True)
    assert (near["changes"], near["leader"]) == (2, "B")
    for name, leads in (("measure", "B"), ("still", "A")):
        assert sk.score(study, near[name], by="system_id").sort("value").item(-1, "system_id") == leads

    def gained(text):
        b, bq = (float(part.partition("=")[2]) for part in text.split(", "))
        return 5 / (1 + math.log(3, b)) / (1 + math.log(3, bq))

    assert gained(near["at"]) == pytest.approx(1, abs=1e-5)
    assert gained(near["still_at"]) == pytest.approx(1, abs=1e-5)
    assert gained(near["still_at"]) < 1 < gained(near["at"])


def test_nearest_prefers_fewer_changes_and_then_the_smaller():
    # grade 1 at rank 1 against 2 at rank 3: only b matters; gain=exp2 makes 1 against 3 / (1 + log2 3) = 1.16
    found = sk.sweep(toy(1), "sDCG@10", {"gain": "linear,exp2", "b": [2, 2.5, 8], "bq": [2, 4]}, test="none")
    near = found.nearest.row(0, named=True)
    assert (near["changes"], near["at"].startswith("gain=linear, b=")) == (
        1,
        True,
    )  # log2(ln 3 / ln 2) = .66 < 1, a word
    words = sk.sweep(toy(1), "sDCG(b=1.2)@10", {"gain": "linear,exp2,0-1-90", "b": [1.2, 8]}, test="none")
    assert words.nearest.item(0, "at") == "gain=0-1-90, b=1.2"  # 1 beside log2(ln 3 / ln 1.2) = 2.6


@pytest.mark.slow
def test_settings_that_cannot_be_are_rows_with_a_reason():
    _, _, study = log()
    vary = {"discount": "log,rn2002", "b": [2, 4], "gain": "linear,0-1"}
    found = sk.sweep(study, "nsDCG@5", vary)
    assert found.table["outcome"].to_list().count("refused") == 5  # rn2002 with b=4: 2; gain=0-1: 4, one of them both
    told = {tuple(row[:3]): row[3] for row in found.table.select("discount", "b", "gain", "note").iter_rows()}
    assert "boosts the ranks 2 to b-1" in told["rn2002", 4, "linear"]
    assert "grades 0 to 1" in told["log", 2, "0-1"]
    assert told["log", 2, "linear"] is None
    assert found.of_kind("grid")[0].values["refused"] == 5
    assert found.regions.item(0, "known") == 3
    with pytest.raises(DataError, match="grades 0 to 1"):
        sk.sweep(study, "nsDCG(gain=0-1)@5", {"b": [2, 3]})


def test_undefined_settings_are_rows_too():
    _, _, study = log(users=2, topics=1)
    found = sk.sweep(study, "nsDCG(gain=binary)@5", {"min_grade": [1, 9]}, test="none")
    assert found.table["outcome"].to_list() == ["holds", "undefined"]
    assert "no group" in found.table.item(1, "note")
    assert found.means.filter(pl.col("setting") == 2)["value"].to_list() == [None, None]
    (without_value,) = found.of_kind("without_value")
    assert (without_value.values["low"], without_value.values["high"]) == (0, 4)
    base = sk.sweep(study, "nsDCG(gain=binary,min_grade=9)@5", {"min_grade": [1, 9]}, test="none")
    assert base.of_kind("no_conclusion")[0].values["reason"] == "no value"
    assert base.regions.is_empty()


def test_one_group_and_ties_are_sentences():
    _, _, study = log(systems=("A",))
    found = sk.sweep(study, "sDCG@5", {"b": [2, 4]})
    assert found.of_kind("no_conclusion")[0].values["reason"] == "one group"
    assert found.table["note"].to_list() == ["there is only one group"] * 2
    tied = sk.sweep(toy(1, grade=1, last=1), "sDCG@10", {"b": [2, 4]})
    values = tied.of_kind("no_conclusion")[0].values
    assert (values["reason"], [*values["n"]], values["mean"]) == ("tied", ["A", "B"], 1.0)
    assert tied.table["outcome"].to_list() == ["tied", "tied"]
    assert tied.nearest.is_empty()


def test_a_tie_ends_a_lead():
    found = sk.sweep(toy(1), "sDCG@10", {"cutoff": [2, 3], "b": [3]}, test="none")  # at b=3 and cutoff 3, 1 and 1
    row = found.table.filter(cutoff=3, b=3).row(0, named=True)
    assert (row["outcome"], row["note"]) == ("tied", "A and B have the same mean")


def test_lower_is_better_where_it_is():
    found = sk.sweep(toy(1), "mean(ESL(need=1))", {"count": "nonrelevant,examined"}, test="none")
    row = found.table.filter("base").row(0, named=True)
    low = found.means.filter(setting=row["setting"]).sort("value").row(0, named=True)
    assert row["leader"] == low["system_id"] == "A"
    assert row["raw_difference"] < 0  # A less B
    assert row["relative"] < 0
    (base,), (leaders,) = found.of_kind("base"), found.of_kind("leaders")
    assert (base.values["following"], base.values["relative"]) == ("B", row["relative"])
    assert base.values["direction"] == leaders.values["direction"] == "lower"
    assert "lowest mean" in found.regions.item(0, "statement")


def contrary():
    """A study in which B has the better mean, and A is better for more users."""
    # by user A is better by .5 in each of three; but one user has many bad sessions of A
    rows = [(f"{user}{system}{n}", 1, 1 if system == "A" else 2, "x" if user < 3 or system == "B" else "y", system, f"u{user}")
            for user in range(4) for system in "AB" for n in range(9 if (user, system) == (3, "A") else 1)]  # fmt: skip
    rows = [row for row in rows if not (row[5] == "u3" and row[4] == "B")]
    frame = pl.DataFrame(
        rows, schema=["session_id", "query_position", "rank", "doc_id", "system_id", "user_id"], orient="row"
    )
    judged = {"judgment_key": ["t"] * 2, "doc_id": ["x", "y"], "grade": [1, 0]}
    return sk.from_tables(frame.with_columns(topic_id=pl.lit("t")), judged)


def test_means_and_pairs_that_disagree_show_nothing():
    found = sk.sweep(contrary(), "sDCG@5", {"b": [2, 2.1]}, test="sign")
    row = found.table.row(0, named=True)
    assert row["leader"] == "B"  # 1/2 beside 3/12
    assert row["estimate"] < 0
    assert row["significant"] is False
    assert "differ in sign" in row["note"]
    assert found.of_kind("contrary")[0].values["settings"] == 2


def test_more_groups_than_a_comparison_takes_are_ordered_and_not_tested():
    _, _, study = log(users=2, topics=1, systems=tuple(f"r{n:02}" for n in range(25)))
    found = sk.sweep(study, "sDCG@5", {"b": [2, 4]})
    (untested,) = found.of_kind("not_tested")
    assert (untested.values["groups"], untested.values["most"]) == (25, 20)
    assert found.table["p_adjusted"].null_count() == 2
    assert found.of_kind("order")[0].values["groups"] == 25
    assert found.means.height == 50


def test_the_verdict_of_a_study_without_a_difference():
    _, _, study = log(seed=8, users=4)
    found = sk.sweep(study, "sDCG@5", {"b": [2, 4]}, confidence=1 - 1e-9)
    values = found.of_kind("base")[0].values
    assert values["verdict"] == "no verdict"
    assert values["p_adjusted"] > 1e-9
    assert found.regions.filter(conclusion="verdict").item(0, "statement") == "no difference is shown (p above 1e-09)"
