"""The table of reformulations: by hand, and against sets and scores."""

import itertools

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError, MeasureError, UsageError
from tests.support.examples import examples

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
COLUMNS = [
    "session_id", "query_position", "previous_position", "system_id", "topic_id", "user_id", "reformulation", "terms",
    "previous_terms", "shared", "overlap",
]  # fmt: skip


def study_of(sessions, found, grades):
    """Sessions as lists of (text, status); the document that every query shows at rank 1; grades."""
    rows = [(f"s{s}", q, *row) for s, queries in enumerate(sessions) for q, row in enumerate(queries, 1)]
    shown = [(s, q, found.get((s, q), "x")) for s, q, _, status in rows if status == "shown"]
    text = {"session_id": pl.String, "query_position": pl.Int32, "query_text": pl.String, "results_status": pl.String}
    return sk.from_tables(
        sessions={"session_id": [f"s{s}" for s in range(len(sessions))], "topic_id": ["t"] * len(sessions)},
        queries=pl.DataFrame(rows, schema=text, orient="row"),
        results=pl.DataFrame(
            [(s, q, 1, doc) for s, q, doc in shown],
            schema={"session_id": pl.String, "query_position": pl.Int32, "rank": pl.Int32, "doc_id": pl.String},
            orient="row",
        ),
        judgments={"judgment_key": ["t"] * len(grades), "doc_id": list(grades), "grade": list(grades.values())},
    )


@quiet
def test_a_session_by_hand():
    """oslo, oslo airport, airport train, Airport  TRAIN!, train, hotel: +1, +1-1, same, -1, other."""
    texts = ["oslo", "oslo airport", "airport train", "Airport  TRAIN!", "train", "hotel"]
    found = {("s0", 2): "a", ("s0", 3): "b", ("s0", 5): "a"}
    study = study_of([[(text, "shown") for text in texts]], found, {"a": 1, "b": 3})
    table = sk.reformulations(study, "DCG@10")
    assert table.columns == [*COLUMNS, "measure", "value", "previous_value", "change"]
    assert table.select(
        "query_position", "previous_position", "reformulation", "terms", "previous_terms", "shared"
    ).rows() == [
        (2, 1, "specialization", 2, 1, 1),
        (3, 2, "substitution", 2, 2, 1),
        (4, 3, "repeat", 2, 2, 2),
        (5, 4, "generalization", 1, 2, 1),
        (6, 5, "new", 1, 1, 0),
    ]
    assert table["overlap"].to_list() == [1 / 2, 1 / 3, 1.0, 1 / 2, 0.0]
    assert table["value"].to_list() == [1.0, 3.0, 0.0, 1.0, 0.0]
    assert table["change"].to_list() == [1.0, 2.0, -3.0, 1.0, -1.0]
    assert sk.reformulations(study, None).columns == COLUMNS
    assert "oslo" not in str(table)


@quiet
def test_queries_whose_list_was_not_logged_are_steps_and_texts_never_logged_are_null():
    sessions = [
        [("a", "shown"), ("b", "not_logged"), ("a b", "shown"), (None, "shown"), ("a b", "empty")],
        [("a", "shown")],
    ]
    table = sk.reformulations(study_of(sessions, {("s0", 1): "d"}, {"d": 1}), "DCG@1")
    assert table.select(
        "session_id", "query_position", "previous_position", "reformulation", "overlap", "change"
    ).rows() == [
        ("s0", 2, 1, "new", 0.0, None),
        ("s0", 3, 2, "specialization", 0.5, None),
        ("s0", 4, 3, None, None, 0.0),
        ("s0", 5, 4, None, None, 0.0),
    ]


@quiet
def test_what_is_missing_is_named():
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    with pytest.raises(DataError, match="query_text"):
        sk.reformulations(study)
    with pytest.raises(UsageError, match="takes a study"):
        sk.reformulations("study")
    worded = study_of([[("a", "shown"), ("b", "shown")]], {}, {"a": 1})
    with pytest.raises(MeasureError):
        sk.reformulations(worded, "Queries")


@quiet
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    sessions=st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["p", "p q", "q p", "q r", "r", "P\u200f"]),
                st.sampled_from(["shown", "empty", "not_logged"]),
            ),
            min_size=1,
            max_size=5,
        ),
        min_size=1,
        max_size=3,
    ),
    grade=st.sampled_from([0, 1, 2]),
)
def test_every_step_once_with_the_scores_of_its_queries(sessions, grade):
    found = {(f"s{s}", q): "d" for s, queries in enumerate(sessions) for q in range(1, len(queries) + 1) if q % 2}
    study = study_of(sessions, found, {"d": grade})
    table = sk.reformulations(study, "DCG@1")
    steps = []
    for s, queries in enumerate(sessions):
        rows = [(q, *row) for q, row in enumerate(queries, 1)]
        for before, after in itertools.pairwise(rows):
            values = [grade if (f"s{s}", q) in found and status == "shown" else 0 for q, _, status in (before, after)]
            is_known = "not_logged" not in (before[2], after[2])
            terms = [set(text.lower().replace("\u200f", "").split()) for _, text, _ in (before, after)]
            steps.append(
                (
                    f"s{s}",
                    after[0],
                    before[0],
                    len(terms[0] & terms[1]),
                    float(values[1] - values[0]) if is_known else None,
                )
            )
    assert table.select("session_id", "query_position", "previous_position", "shared", "change").rows() == steps
