"""Searchers' grades against the judgments: scikit-learn's kappas, Krippendorff's alpha of judges."""

import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score

import sessionkit as sk
from sessionkit.robustness.judge_noise import graders_agreement, own_grades

# session, query, rank, document, the searcher's grade; s1 grades a twice (the higher counts), x is not judged
ROWS = [
    ("s1", 1, 1, "a", 1), ("s1", 1, 2, "b", 2), ("s1", 2, 1, "a", 2), ("s1", 2, 2, "c", None),
    ("s2", 1, 1, "a", 0), ("s2", 1, 2, "b", 2), ("s2", 1, 3, "x", 1), ("s2", 1, 4, "d", 0),
    ("s3", 1, 1, "d", 1), ("s3", 1, 2, "c", 0),
]  # fmt: skip
GRADES = {"a": 2.0, "b": 2.0, "c": 0.0, "d": 1.0}
# of the same document: a 2 0, b 2 2, d 0 1
OWN = [(2, 2), (2, 2), (2, 0), (2, 2), (1, 0), (0, 0), (1, 1)]
"""Pairs of judgment and searcher's grade, plainly."""


@pytest.fixture
def study():
    names = ["session_id", "query_position", "rank", "doc_id", "user_grade"]
    results = pl.DataFrame(ROWS, schema=names, orient="row").with_columns(topic_id=pl.lit("t"))
    judgments = {"judgment_key": ["t"] * 4, "doc_id": [*GRADES], "grade": [*GRADES.values()]}
    return sk.from_tables(results=results, judgments=judgments)


def test_own_grades_stand_beside_the_judgments(study):
    rows = own_grades(study).select("session_id", "doc_id", "user_grade", "grade").rows()
    assert rows == [
        ("s1", "a", 2.0, 2.0), ("s1", "b", 2.0, 2.0), ("s2", "a", 0.0, 2.0), ("s2", "b", 2.0, 2.0), ("s2", "d", 0.0, 1.0),
        ("s2", "x", 1.0, None), ("s3", "c", 0.0, 0.0), ("s3", "d", 1.0, 1.0),
    ]  # fmt: skip


def test_queries_may_have_keys_of_their_own():
    results = {
        "session_id": ["s", "s"],
        "query_position": [1, 2],
        "rank": [1, 1],
        "doc_id": ["a", "a"],
        "user_grade": [1, 2],
    }
    queries = {"session_id": ["s", "s"], "query_position": [1, 2], "judgment_key": [None, "u"]}
    sessions = {"session_id": ["s"], "topic_id": ["t"]}
    judgments = {"judgment_key": ["t", "u"], "doc_id": ["a", "a"], "grade": [0, 2]}
    study = sk.from_tables(results=results, queries=queries, sessions=sessions, judgments=judgments)
    assert own_grades(study).select("judgment_key", "user_grade", "grade").rows() == [("t", 1.0, 0.0), ("u", 2.0, 2.0)]


def test_kappas_are_scikit_learns(study):
    found = {row["measure"]: row for row in graders_agreement(study).filter(who="searchers and judgments").to_dicts()}
    judged, own = zip(*OWN, strict=True)
    assert found["agreement"]["n"] == 7
    assert (found["agreement"]["judge_id"], found["agreement"]["other"]) == ("judgments", "searchers")
    assert found["agreement"]["value"] == pytest.approx(5 / 7)
    for name, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        assert found[name]["value"] == pytest.approx(cohen_kappa_score(judged, own, weights=weights))


def test_searchers_among_themselves_are_judges_of_a_document(study):
    found = graders_agreement(study).filter(who="searchers").drop("who")
    own = own_grades(study)
    rows = own.select("judgment_key", "doc_id", grade="user_grade", judge_id="session_id")
    log = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]}
    theirs = sk.agreement(sk.from_tables(results=log, judgments=rows)).table.filter(pl.col("judge_id").is_null())
    assert found.equals(theirs)
    assert dict(found.select("measure", "value").rows())["agreement"] == pytest.approx(1 / 3)


def test_without_grades_of_searchers_there_are_only_assessors(study):
    bare = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 2, "doc_id": ["a"] * 2, "judge_id": ["x", "y"], "grade": [1, 0]},
    )
    assert set(graders_agreement(bare)["who"]) == {"assessors"}
    assert graders_agreement(bare).drop("who").equals(sk.agreement(bare).table)
