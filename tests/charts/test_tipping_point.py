"""The tipping point: judged shares by rank, and what would overturn the difference, in words."""

import pytest

import sessionkit as sk
from sessionkit.charts import spec_of, tipping_point
from sessionkit.errors import UsageError


def bounded(judged=("a", "n"), measures="sDCG@2", systems="AB"):
    """A shows x, y and B a, n, as one list each; grades 2 for a, 0 for n."""
    docs = {"A": "xy", "B": "an", "C": "ax", "D": "ny", "E": "yn", "F": "na", "G": "xn"}
    rows = [(system, 1, rank, doc) for system in systems for rank, doc in enumerate(docs[system], 1)]
    results = dict(
        zip(("session_id", "query_position", "rank", "doc_id"), map(list, zip(*rows, strict=True)), strict=True)
    )
    sessions = {"session_id": [*systems], "system_id": [*systems], "topic_id": ["t"] * len(systems)}
    judgments = {
        "judgment_key": ["t"] * len(judged),
        "doc_id": [*judged],
        "grade": [2 if doc == "a" else 0 for doc in judged],
    }
    return sk.bounds(sk.from_tables(results, judgments, sessions=sessions, max_grade=2), measures)


def test_shares_are_those_of_ranks_and_the_words_count_documents():
    chart = spec_of(tipping_point(bounded(), title="T"))
    rows, names = chart["datasets"].values()
    assert [row["label"] for row in names] == ["B", "A"]
    assert {(row["group"], row["rank"]): row["value"] for row in rows} == {
        ("A", 1): 0.0, ("A", 2): 0.0, ("B", 1): 1.0, ("B", 2): 1.0,
    }  # fmt: skip
    assert chart["title"]["subtitle"] == [
        # B has 2; x and y of the best grade make 2 + 2 / (1 + log2 2) = 3
        "sDCG@2: B \u2212 A is +2.00, bounds \u22121.00 to 2.00",
        "Reversed by 2 of 2 unjudged documents",
    ]


def test_groups_whose_shares_are_the_same_have_one_curve():
    chart = spec_of(tipping_point(bounded(("x", "y", "a", "n"))))
    rows, (name,) = chart["datasets"].values()
    assert [(row["rank"], row["value"], row["judged"], row["results"]) for row in rows] == [
        (1, 1.0, 2, 2),
        (2, 1.0, 2, 2),
    ]
    assert name["label"] == "All groups"


def test_what_nothing_can_reverse_says_so():
    below = spec_of(tipping_point(bounded(("a", "n", "x")), title="T"))["title"]["subtitle"]
    assert below[1] == "No judgments reverse its sign"


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UsageError, match="one figure shows 6 groups, not 7"):
        tipping_point(bounded(systems="ABCDEFG"))
    with pytest.raises(UsageError, match=r"its measures|their measures: sDCG@2"):
        tipping_point(bounded(), "nDCG")
    with pytest.raises(UsageError, match=r"sessionkit\.bounds"):
        tipping_point(bounded().judged)
