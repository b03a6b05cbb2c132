"""The Study value: tables by name, facts, columns."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.readers import from_tables

RESULTS = {
    "session_id": ["a", "a", "a", "b"],
    "query_position": [1, 1, 2, 1],
    "rank": [1, 2, 1, 1],
    "doc_id": ["x", "x", "y", "z"],
}


@pytest.fixture
def study(recwarn):
    queries = {
        "session_id": ["a", "a", "b", "b", "b"],
        "query_position": [1, 2, 1, 2, 3],
        "results_status": [None, None, "partly_observed", "not_logged", "empty"],
    }
    return from_tables(RESULTS, queries=queries)


def test_guaranteed_columns(study):
    assert study.columns("sessions") == ("session_id", "user_id", "system_id", "topic_id", "judgment_key")
    assert study.columns("queries") == ("session_id", "query_position", "results_status")
    assert study.columns("results") == ("session_id", "query_position", "rank", "doc_id")
    assert study.columns("judgments") == ("judgment_key", "doc_id", "grade")
    assert study.judgments.collect_schema()["grade"] == pl.Float64
    assert study.results.collect_schema()["rank"] == pl.Int32


def test_unknown_tables_are_refused(study):
    with pytest.raises(UsageError, match="did you mean 'results'"):
        study.table("result")


def test_repr_says_what_it_is(study):
    assert repr(study) == "<Study: 2 sessions, 5 queries, 4 results, 0 judgments>"


def test_repr_counts_one_as_one():
    one = from_tables({name: values[:1] for name, values in RESULTS.items()})
    assert repr(one) == "<Study: 1 session, 1 query, 1 result, 0 judgments>"


@pytest.mark.parametrize("verb", [sk.score, sk.curve, sk.effort, sk.compare, sk.bounds])
def test_a_path_where_a_study_is_wanted_says_how_it_is_opened(verb, tmp_path):
    with pytest.raises(UsageError, match=r"this takes a study, not a path: sk\.open_study\('mine'\) opens it"):
        verb("mine", "nsDCG@10")
    with pytest.raises(UsageError, match="this takes a study, not a path"):
        verb(tmp_path, "nsDCG@10")
