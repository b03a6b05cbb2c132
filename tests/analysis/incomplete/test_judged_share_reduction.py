"""What share of what was shown is judged: by place, and of lists that showed nothing."""

import polars as pl
import pytest

import sessionkit as sk

from .lists import study


def test_judged_shares_by_place():
    made = study({"A1": "ax", "A2": "a", "B1": "xy"}, [("t", "a", 1), ("t", "y", -2)], unjudged_grades=(-2,))
    judged = sk.bounds(made, "mean(P@2)").judged
    found = {row[:3]: row[3:] for row in judged.rows()}
    # A: three results in two lists, a twice judged; B: x in no judgments, y pooled but unjudged
    assert found["A", None, None] == (2, 3, 2, 0, 2 / 3)
    assert found["A", None, 2] == (1, 1, 0, 0, 0.0)
    assert found["A", 1, 1] == (2, 2, 2, 0, 1.0)
    assert found["B", 1, None] == (1, 2, 0, 1, 0.0)


@pytest.mark.filterwarnings("ignore:(judgments|queries). none of the 1")
def test_lists_without_results_are_counted():
    made = sk.from_tables(
        queries={"session_id": ["s", "s"], "query_position": [1, 2], "results_status": ["shown", "empty"]},
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["b"], "grade": [1]},
        max_grade=1,
    )
    judged = sk.bounds(made, "sDCG@3", by=None).judged
    assert judged.filter(pl.col("rank").is_null()).select("query_position", "lists", "results").rows() == [
        (None, 2, 1),
        (1, 1, 1),
        (2, 1, 0),
    ]
