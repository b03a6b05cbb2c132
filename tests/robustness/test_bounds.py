"""Differences that hold or could turn, with their arithmetic; how many documents decide one, against every set of them.

incomplete: the finding as a whole, what it says where nothing is unjudged, and what it refuses.
"""

from itertools import combinations
from math import log2

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import MeasureError, UsageError
from sessionkit.robustness.bounds import needed, overturned_by
from sessionkit.scoring import reduction
from tests.robustness.short_lists import study
from tests.support.clinic import read_clinic
from tests.support.examples import examples

STEPS = st.lists(st.sampled_from([-4, -3, -2, -1, 1, 2, 3]), max_size=6)


def fewest(difference, steps):
    """The smallest set that, in the best case, leaves no way to turn the sign, or to a tie."""
    sign = 1 if difference > 0 else -1
    for many in range(len(steps) + 1):
        for chosen in combinations(range(len(steps)), many):
            gained = sum(max(sign * steps[at], 0) for at in chosen)
            against = sum(-min(sign * step, 0) for at, step in enumerate(steps) if at not in chosen)
            if abs(difference) + gained - against > 0:
                return many
    return None


@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from([-5, -2, -1, 1, 2, 5]), STEPS)
def test_no_fewer_documents_can_decide_it(difference, steps):
    assert needed(float(difference), np.array(steps, dtype=float)) == fewest(difference, steps)


def fewest_that_reverse(difference, steps):
    """The smallest set that, all of the best grade, reverses the sign; a tie is no reversal."""
    for many in range(1, len(steps) + 1):
        if any((difference + sum(chosen)) * difference < 0 for chosen in combinations(steps, many)):
            return many
    return None


@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from([-5, -2, -1, 1, 2, 5]), STEPS)
def test_no_fewer_documents_can_reverse_it(difference, steps):
    assert overturned_by(float(difference), np.array(steps, dtype=float)) == fewest_that_reverse(difference, steps)


def test_judging_so_many_documents_the_best_reverses_the_difference_and_one_less_does_not():
    # A shows v to z unjudged at ranks 1 to 5, B a (grade 2) at rank 1: .. of A add 2, 1.26, 1, .86, .77 of the best grade
    def judged(documents):
        return study({"A1": "vwxyz", "B1": "an"}, [("t", "a", 2), ("t", "n", 0), *(("t", doc, 2) for doc in documents)])

    made = judged("")
    row = sk.bounds(made, "mean(DCG@5)", wanted=5)
    fewest = row.differences["overturned_by"].item()
    order = row.wanted["doc_id"].to_list()
    assert (fewest, order) == (2, ["v", "w", "x", "y", "z"])
    ahead = []
    for many in (0, 1, 2):
        means = dict(sk.score(judged(order[:many]), "mean(DCG@5)", by="system_id").select("system_id", "value").rows())
        ahead.append(means["B"] - means["A"])
    assert ahead[0] > 0 == ahead[1] > ahead[2]  # one document makes a tie
    (statement,) = row.of_kind("difference_bounds")
    assert statement.values["overturned_by"] == 2


def test_a_document_that_both_systems_show_decides_nothing():
    # both show x at rank 2: A has a (1) first, B n (0): the difference is -1 whatever x is, though each score may move
    made = study({"A1": "ax", "B1": "nx"}, [("t", "a", 1), ("t", "n", 0)])
    found = sk.bounds(made, "mean(DCG@2)")
    assert found.bounds["residual"].min() > 1
    row = found.differences.row(0, named=True)
    assert (row["difference"], row["lower"], row["upper"], row["holds"]) == (-1.0, -1.0, -1.0, True)
    assert row["open_documents"] == 0
    assert found.wanted.is_empty()
    assert found.of_kind("difference_bounds")[0].values["holds"]


def turning():
    """A shows x and y unjudged, B a judged and z unjudged."""
    return study({"A1": "xy", "B1": "az"}, [("t", "a", 2)])


def test_what_could_turn_a_conclusion_is_named_by_how_much_it_moves():
    # A shows x, y unjudged at ranks 1, 2 (DCG up to 2 + 2 / 1.585 = 3.2619), B a (grade 2) and z at rank 2: 2 up to 3.2619.
    # Now B is ahead by 2: x could take 2 from that, y 1.2619; z could add 1.2619. Against stand 3.2619: x alone settles it,
    # as -2 + 3.2619 = 1.2619 are then left against 2
    found = sk.bounds(turning(), "mean(DCG@2)")
    row = found.differences.row(0, named=True)
    assert (row["difference"], row["holds"], row["needed"], row["open_documents"]) == (2.0, False, 1, 3)
    assert (row["lower"], row["upper"]) == pytest.approx((2 - 2 - 2 / log2(3), 2 + 2 / log2(3)))
    assert found.wanted.select("place", "doc_id", pl.col("move").round(4)).rows() == [
        (1, "x", -2.0),
        (2, "y", -1.2619),
        (3, "z", 1.2619),
    ]
    values = found.of_kind("difference_bounds")[0].values
    assert values["needed"] == 1
    assert values["documents"][0] == {"judgment_key": "t", "doc_id": "x", "move": -2.0}
    assert sk.bounds(turning(), "mean(DCG@2)", wanted=1).wanted.height == 1


def test_a_tie_that_judgments_can_make_is_no_difference_that_holds():
    # B has ranks 1 to 3 relevant, A ranks 1 and 2, and rank 3 is open: were it relevant both would have the same; in floating
    # point B's value less A's less the step is 7e-18
    made = study({"A1": "xyz", "B1": "pqr"}, [("t", doc, 1) for doc in "xypqr"], max_grade=1)
    row = sk.bounds(made, "sRBP(b=0.6,p=0.8)@3").differences.row(0, named=True)
    assert (row["lower"], row["holds"], row["needed"]) == (0.0, False, 1)


def fourteen_systems():
    """Six systems show x (1), eight y, which is unjudged."""
    lists = {f"{name}1": "x" if name < "G" else "y" for name in "ABCDEFGHIJKLMN"}
    return study(lists, [("t", "x", 1), ("t", "z", 0)])


def test_of_many_groups_the_reading_counts_what_holds():
    found = sk.bounds(fourteen_systems(), "sDCG@1")
    assert found.differences.height == 91
    # six have x (1), eight y (0 to 2): 6 x 8 pairs can turn, and so can none of the 15 and 28 that have the same document
    (signs,) = found.of_kind("signs")
    assert (signs.values["holds"], signs.values["pairs"]) == (found.differences["holds"].sum(), 91)
    (more,) = found.of_kind("more")
    assert more.values["count"] == 2
    assert len(found.reading.splitlines()) < 25


def test_nothing_unjudged_is_said_and_bounds_are_the_scores():
    made = study({"A1": "ab", "B1": "ba"}, [("t", "a", 2), ("t", "b", 0)])
    found = sk.bounds(made, ["mean(nDCG@2)", "mean(bpref)"])
    both = found.bounds.filter(measure="mean(nDCG@2)")
    assert both.select((pl.col("value") == pl.col("lower")) & (pl.col("value") == pl.col("upper"))).to_series().all()
    assert len(found.of_kind("complete")) == 1
    assert [statement.values["measure"] for statement in found.of_kind("no_bounds")] == ["mean(bpref)"]
    without = found.bounds.filter(measure="mean(bpref)")
    assert without["value"].null_count() == 0
    assert without["lower"].null_count() == without["upper"].null_count() == 2


MEASURES = ["sDCG@10", "nsDCG@10", "mean(nDCG@10)", "mean(AP@10)", "mean(RR@10)", "sRBP(b=0.64,p=0.86)@10"]


def test_scores_are_those_of_score():
    clinic = read_clinic()
    found = sk.bounds(clinic, MEASURES)
    scores = sk.score(clinic, MEASURES, by="system_id")
    assert found.bounds["value"].to_list() == scores["value"].to_list()
    assert found.bounds["n"].to_list() == scores["n"].to_list()
    inside = found.bounds.filter(pl.col("lower") <= pl.col("value"), pl.col("value") <= pl.col("upper"))
    assert len(inside) == len(found.bounds) == 12


@pytest.mark.slow
def test_blocks_do_not_matter(tmp_path, monkeypatch):
    found = sk.bounds(read_clinic(), MEASURES, per="session")
    read_clinic().save(tmp_path / "clinic")
    monkeypatch.setattr(reduction, "ROWS", 1_000)
    again = sk.bounds(sk.open_study(tmp_path / "clinic"), MEASURES, per="session")
    assert again.reading == found.reading
    for name, table in found.tables().items():
        assert table.equals(again.tables()[name]), name


def twenty_three_systems():
    """Systems that show the same unjudged document first."""
    return study({f"{letter}1": "xa" for letter in "ABCDEFGHIJKLMNOPQRSTUVW"}, [("t", "a", 1)])


def test_one_group_and_many():
    made = twenty_three_systems()
    alone = sk.bounds(made, "mean(DCG@1)", by=None)
    assert alone.differences.is_empty()
    assert alone.wanted.select("a", "b", "doc_id", "sessions", "move").rows() == [(None, "all sessions", "x", 23, 2.0)]
    many = sk.bounds(made, "mean(DCG@1)")
    assert many.differences.is_empty()
    assert [statement.values["groups"] for statement in many.of_kind("not_compared")] == [23]


def test_findings_show_themselves():
    found = sk.bounds(study({"A1": "ax"}, [("t", "a", 1)]), "mean(DCG@2)", by=None)
    assert found.table is found.bounds
    assert str(found).startswith(found.statements[0].text)
    assert "<h4>bounds</h4>" in found._repr_html_()
    assert list(found.tables()) == ["bounds", "differences", "wanted", "judged"]


@pytest.mark.parametrize(
    ("measures", "options", "error", "said"),
    [
        ("sDCG@2", {"per": "query"}, MeasureError, "per query"),
        ("sDCG@2", {"per": "querys"}, UsageError, "did you mean 'query'"),
        ("sDCG@2", {"by": "sistem_id"}, UsageError, "system_id"),
        ("sDCG@2", {"wanted": -1}, UsageError, "wanted"),
        ("sDCG@2", {"max_grade": 0.5}, UsageError, "grade 1, above max_grade=0.5"),
        ([], {}, MeasureError, "name a measure"),
    ],
)
def test_what_is_refused(measures, options, error, said):
    with pytest.raises(error, match=said):
        sk.bounds(study({"A1": "ax"}, [("t", "a", 1)]), measures, **options)


def test_a_study_without_a_scale():
    made = study({"A1": "ax"}, [("t", "a", 1)], max_grade=None)
    with pytest.raises(MeasureError, match="max_grade=1"):
        sk.bounds(made, "sDCG@2")
    assert sk.bounds(made, "mean(P@2)").bounds["upper"].item() == 1.0
    assert sk.bounds(made, "sDCG@2", max_grade=3).bounds["upper"].item() == 2.5  # 1 + 3 / 2
