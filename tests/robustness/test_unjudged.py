"""What share of what was shown is judged: by place, and of lists that showed nothing.

Sums under numbers: exact, against whole numbers of any size.
"""

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.robustness.unjudged import places, summed, totals
from tests.robustness.short_lists import study


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


UNIT = 2**60
"""Numbers become whole multiples of 2^-60, as everything that scoring adds up."""


@pytest.mark.parametrize("scale", [1e-9, 1.0, 3.0, 1e8, 1e9])
@pytest.mark.parametrize("many", [1, 2, 3, 40, 5_000])
def test_sums_are_exact(scale, many):
    draw = np.random.Generator(np.random.PCG64(many))
    at, values = draw.integers(0, 7, many), draw.normal(size=many) * scale
    expected = [0] * 7
    for number, value in zip(at.tolist(), values.tolist(), strict=True):
        expected[number] += round(value * UNIT)  # times a power of two: exact, and rounded half to even
    assert totals(at, values, 7).to_list() == expected
    assert summed(at, values, 7).tolist() == pytest.approx([one / UNIT for one in expected], rel=1e-15)


def test_sums_hang_on_no_order():
    draw = np.random.Generator(np.random.PCG64(1))
    at, values = draw.integers(0, 3, 1_000), draw.random(1_000)
    order = draw.permutation(1_000)
    assert summed(at, values, 3).tolist() == summed(at[order], values[order], 3).tolist()


def test_places_of_nothing():
    assert [found.tolist() for found in places(np.zeros(0, dtype=np.int64))] == [[], []]
    assert totals(np.zeros(0, dtype=np.int64), np.zeros(0), 2).to_list() == [0, 0]
