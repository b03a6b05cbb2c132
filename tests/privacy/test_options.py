"""What is asked for, by names; names that mean nothing are refused with what there is."""

import pytest

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.privacy.columns import tables_of
from sessionkit.study.identifiers import KEPT, LABELS, NEEDED, OF_THING, REPLACED, TIMES, PrivacyOptions


@pytest.fixture
def study():
    return sk.from_tables(
        sessions={
            "session_id": ["s"],
            "user_id": ["u"],
            "age": [3],
            "queries": ["odd"],
            "started_at": ["2021-01-01T00:00:00Z"],
            "ended_at": ["2021-01-01T00:01:00Z"],
            "terms": [["a"]],
        },
        queries={"session_id": ["s"], "query_position": [1], "query_text": ["x"], "age": [4]},
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["d"]},
    )


def test_every_thing_is_of_declared_columns():
    assert {*OF_THING, TIMES} == REPLACED | KEPT
    columns = [column for columns in OF_THING.values() for column in columns]
    assert {*columns, "judgment_key"} == LABELS.keys()
    assert all(tables_of(column) for column in columns)


def test_names_are_things_before_they_are_columns(study):
    asked = PrivacyOptions.of(study, "queries,sessions.queries", ["documents"], "age")
    assert asked.replaced == (REPLACED | {"documents"}) - {"queries"}
    assert asked.keep == {("sessions", "queries")}
    assert asked.drop == {("sessions", "age"), ("queries", "age")}
    assert PrivacyOptions.of(study, "", "", "sessions.age").drop == {("sessions", "age")}
    assert PrivacyOptions.of(study, "extras", "", "queries.age").keep == {
        ("sessions", name) for name in ("age", "queries", "terms")
    }


def test_declared_columns_can_be_left_out_where_a_study_can_be_without(study):
    left = {("queries", "query_text"), ("sessions", "duration_seconds")}
    assert PrivacyOptions.of(study, "", "", "query_text,duration_seconds").drop == left
    for name in (*NEEDED, "session_id", "doc_id", "rank"):
        with pytest.raises(UsageError, match=name):
            PrivacyOptions.of(study, "", "", name)


@pytest.mark.parametrize(
    ("option", "name", "said"),
    [
        (
            "keep",
            "qeries",
            "nothing called 'qeries' to keep; did you mean 'queries'.; things: users, .*; columns: age, queries, terms",
        ),
        ("keep", "query_text", "query_text is a column of queries; say queries"),
        ("keep", "started_at", "started_at is a column of times; say times"),
        ("keep", "sessions.agee", "nothing called 'sessions.agee'"),
        ("replace", "extras", "nothing called 'extras' to replace"),
        ("replace", "ag", "did you mean 'age'"),
        (
            "replace",
            "terms",
            r"sessions.terms is List\(String\), which cannot have pseudonyms; keep it or leave it out",
        ),
        ("drop", "judgment_key", "judgment_key is missing or cannot be left out"),
        ("drop", "results.clicked", "results.clicked is missing or cannot be left out"),
        ("drop", "elapsed_seconds", "elapsed_seconds is missing or cannot be left out"),
        ("drop", "users", "users is not a column; name the columns to leave out: user_id"),
        ("drop", "times", "times is not a column; name the columns to leave out: one by one"),
        (
            "drop",
            "doc_id",
            "doc_id is a column of documents; it can be replaced, not left out: say --replace documents",
        ),
    ],
)
def test_other_names_are_refused(study, option, name, said):
    with pytest.raises(UsageError, match=said):
        PrivacyOptions.of(study, **{"keep": (), "replace": (), "drop": (), option: name})


def test_nothing_is_asked_for_twice(study):
    with pytest.raises(UsageError, match="users cannot be both in keep and in replace"):
        PrivacyOptions.of(study, "users", "users", "")
    with pytest.raises(UsageError, match=r"sessions\.age cannot be both in keep and in drop"):
        PrivacyOptions.of(study, "age", "", "sessions.age")
    with pytest.raises(UsageError, match=r"queries\.age cannot be both in replace and in drop"):
        PrivacyOptions.of(study, "", "queries.age", "age")
