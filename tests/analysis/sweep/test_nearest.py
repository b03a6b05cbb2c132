"""The nearest setting that overturns a conclusion: where algebra has it, of one parameter and of two."""

import math

import pytest

import sessionkit as sk

from .logs import toy

pytestmark = pytest.mark.filterwarnings("ignore:.* looks deeper than was observed")
"""Lists made by hand have gaps in their ranks."""


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
