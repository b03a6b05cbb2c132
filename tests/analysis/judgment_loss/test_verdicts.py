"""What cannot be lost, what wins where lower is better, and pairs without a verdict."""

import polars as pl
import pytest

import sessionkit as sk
from tests.support.clinic import read_clinic

from .runs import runs


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def test_a_measure_that_no_judgment_moves_is_said_to_be_one(clinic):
    found = sk.judgment_loss(clinic, ["Queries", "nsDCG@10"], fractions=[0.05], draws=2)
    (line,) = [line for line in found.reading.splitlines() if line.startswith("Queries:")]
    assert "no value changed" in line


@pytest.mark.slow
def test_where_lower_is_better_the_lowest_wins():
    """Of relevant x and y A shows both first; B shows x at 3 and y at 10, C y at 3 and x at 9: mean ranks 1.5, 6.5 and 6.

    With x alone they are 1, 3 and 9, with y alone 2, 10 and 3: A is always the lowest, the highest changes.
    """
    places = {"A": {1: "x", 2: "y"}, "B": {3: "x", 10: "y"}, "C": {3: "y", 9: "x"}}
    rows = [
        (system, 1, rank, shown.get(rank, f"{system}{rank}"), "t", system)
        for system, shown in places.items()
        for rank in range(1, 11)
    ]
    names = ["session_id", "query_position", "rank", "doc_id", "topic_id", "system_id"]
    study = sk.from_tables(
        results=pl.DataFrame(rows, schema=names, orient="row"),
        judgments={"judgment_key": ["t", "t"], "doc_id": ["x", "y"], "grade": [1, 1]},
    )
    found = sk.judgment_loss(study, "mean(ASL)", fractions=[0.5], draws=8, population="sessions")
    assert found.table["value"].to_list()[1] == pytest.approx((1.5 + 6.5 + 6) / 3)
    assert found.table["winner"].to_list() == [1.0, 1.0]
    assert found.table["tau_low"][0] < 1


def test_where_nothing_is_relevant_there_is_nothing_to_lose():
    _, results, judgments = runs(systems=3, topics=3)
    none = sk.from_tables(results=results, judgments=judgments.with_columns(grade=pl.lit(0.0)))
    found = sk.judgment_loss(none, ["mean(nDCG@10)", "mean(AP(undefined=zero))"], fractions=[0.5], draws=1)
    assert "mean(nDCG@10): no session has a value with all judgments" in found.reading
    assert "mean(AP(undefined=zero)): no value changed in any draw" in found.reading
    assert found.table["tau"].to_list() == [None] * 4


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_pair_that_cannot_be_tested_has_no_verdict_to_keep():
    docs = [f"d{n}" for n in range(24)]
    made = sk.from_tables(
        results={
            "session_id": ["a", "a", "b"], "query_position": [1] * 3, "rank": [1, 2, 1], "doc_id": ["d0", "d1", "d20"],
            "topic_id": ["t"] * 3, "user_id": ["u", "u", "v"], "system_id": ["A", "A", "B"],
        },
        judgments={"judgment_key": ["t"] * 24, "doc_id": docs, "grade": [1] * 20 + [0] * 4},
    )  # fmt: skip
    found = sk.judgment_loss(made, "sDCG@2", fractions=[0.5], draws=4)
    assert found.confusion.select("kept", "gained", "lost", "found", "accuracy").unique().rows() == [(0, 0, 0, 0, None)]
    assert found.pairs.select("p", "median_p", "significant").unique().rows() == [(None, None, None)]
    assert "too little data to test" in found.reading
    assert "for 1 key were kept" in found.reading
    assert "holds for this 1 key, these sessions" in found.reading
    assert "Pairs that cannot be tested by sDCG@2 with all judgments: 1." in found.reading
