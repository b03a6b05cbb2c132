"""Instance recall and precision: the reference's worked values, and sets restated."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError
from tests.support.examples import examples

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


def study_of(lists, grades):
    """One session whose lists are pairs of document and whether it was saved; grades by document and instance."""
    rows = [(q, i, *row) for q, docs in enumerate(lists, 1) for i, row in enumerate(docs, 1)]
    return sk.from_tables(
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        queries={"session_id": ["s"] * len(lists), "query_position": list(range(1, len(lists) + 1))},
        results={
            "session_id": ["s"] * len(rows),
            **{name: [row[n] for row in rows] for n, name in enumerate(("query_position", "rank", "doc_id", "saved"))},
        },
        judgments={
            "judgment_key": ["t"] * len(grades),
            "doc_id": [doc for doc, _ in grades],
            "subtopic_id": [instance for _, instance in grades],
            "grade": [float(grade) for grade in grades.values()],
        },
    )


def both(study, options=""):
    """Recall and precision of the one session."""
    found = sk.score(study, [f"InstanceRecall{options}", f"InstancePrecision{options}"], per="session")
    return found.get_column("value").to_list()


# documents {1,2}, {2}, {3}, {}, {4} of 6 instances; the others are in documents that nobody saw
WORKED = {
    ("a", "1"): 1,
    ("a", "2"): 1,
    ("b", "2"): 1,
    ("c", "3"): 1,
    ("d", "1"): 0,
    ("e", "4"): 1,
    ("y", "5"): 1,
    ("z", "6"): 1,
}


@quiet
def test_worked_values():
    """CLASSIC section 3: all five saved, 4 of 6 and 4 of 5; the first and the third, 3 of 6 and 2 of 2."""
    assert both(study_of([[(doc, True) for doc in "abcde"]], WORKED)) == [pytest.approx(4 / 6), 0.8]
    assert both(study_of([[(doc, doc in "ac") for doc in "abcde"]], WORKED)) == [0.5, 1.0]
    # in two lists, and saved twice: the same
    assert both(study_of([[("a", True), ("b", False)], [("c", True), ("a", True)]], WORKED)) == [0.5, 1.0]


@quiet
def test_edges():
    assert both(study_of([[("a", False)]], WORKED)) == [0.0, None]
    assert both(study_of([[]], WORKED)) == [0.0, None]
    assert both(study_of([[("d", True)]], {("d", "1"): 0})) == [None, None]
    assert both(study_of([[("x", True), ("a", True)]], WORKED), "@1") == [0.0, 0.0]
    with pytest.raises(DataError, match="saved"):
        sk.score(
            sk.from_tables(
                results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
                judgments={"judgment_key": ["t"], "doc_id": ["a"], "subtopic_id": ["1"], "grade": [1]},
            ),
            ["InstanceRecall"],
            per="session",
        )


DOCS = list("abcd")


@quiet
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    lists=st.lists(
        st.lists(st.tuples(st.sampled_from([*DOCS, "x"]), st.sampled_from([True, False, None])), max_size=4),
        min_size=1,
        max_size=3,
    ),
    grades=st.dictionaries(
        st.tuples(st.sampled_from(DOCS), st.sampled_from("123")), st.sampled_from([0, 1, 2]), min_size=1
    ),
    lowest=st.sampled_from([1, 2]),
)
def test_restated(lists, grades, lowest):
    found = both(study_of(lists, grades), f"(min_grade={lowest})")
    instances = {instance for (_, instance), grade in grades.items() if grade >= lowest}
    saved = {doc for docs in lists for doc, kept in docs if kept}
    covered = {instance for (doc, instance), grade in grades.items() if doc in saved and grade >= lowest}
    useful = {doc for (doc, _), grade in grades.items() if doc in saved and grade >= lowest}
    recall = len(covered) / len(instances) if instances else None
    precision = len(useful) / len(saved) if instances and saved else None
    assert found == [recall, precision]
