"""What a pseudonymized copy says: its kinds, and that the values are those of its table and its study."""

import tempfile
from functools import cache
from pathlib import Path

import pytest

import sessionkit as sk
from tests.support.statements import require_golden, require_noticed

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@cache
def findings():
    """A log with most of what can be replaced, kept with ids in its topics, and partitioned by what is left out."""
    log = {
        "session_id": ["s1", "s2", "s3"], "query_position": [1] * 3, "rank": ["1", "1", "x"], "doc_id": ["d"] * 3,
        "age": [30] * 3, "dwell_seconds": ["2", "no number", "3"],
    }  # fmt: skip
    sessions = {
        "session_id": ["s1", "s2", "s3"], "user_id": ["anna", "bo", "bo"], "topic_id": ["t-anna", "t-bo", "t-bo"],
        "started_at": ["2021-01-02T03:04:05Z"] * 3, "comment": ["x", "y", "z"], "skill": [1, 2, 2],
    }  # fmt: skip
    queries = {"session_id": ["s1", "s2", "s3"], "query_position": [1] * 3, "query_text": ["jazz", "blues", "7"]}
    study = sk.from_tables(log, sessions=sessions, queries=queries, merge="alternate", title="Jazz")
    with tempfile.TemporaryDirectory() as directory:
        saved = study.save(Path(directory) / "study", partition_by="comment")
        return [
            sk.pseudonymize(study, seed=1, replace="documents"),
            sk.pseudonymize(study, keep="topics,sessions,queries", drop="skill"),
            sk.pseudonymize(saved, drop="query_text,dwell_seconds"),
        ]


def columns_that_are(made, done):
    """The columns with which this was done, each as table.column, with the reason."""
    rows = made.table.filter(done=done).select("table", "column", "why").rows()
    return {f"{table}.{column}": why for table, column, why in rows}


def check(made, statement):
    """Assert that the values of a statement are those of the table, and of the study."""
    values = statement.values
    match statement.kind:
        case "replaced":
            counts = {name: len(originals) for name, (originals, _) in made.names.items() if len(originals)}
            assert dict(zip(values["columns"], values["values"], strict=True)) == counts
        case "times":
            assert values["columns"] == [*(name.split(".")[1] for name in columns_that_are(made, "seconds"))]
        case "kept":
            kept = columns_that_are(made, "kept")
            assert values["columns"] == [name for name in kept if name in ("sessions.skill", "results.age")]
            ids = {"sessions": "session_id", "queries": "query_text", "documents": "doc_id", "topics": "topic_id"}
            in_results = {name.split(".")[1] for name in kept if not name.startswith("judgments.")}
            assert values["ids"] == [name for name, column in ids.items() if column in in_results]
        case "left_out":
            assert dict(zip(values["columns"], values["why"], strict=True)) == columns_that_are(made, "left out")
            assert all(isinstance(each, dict) for each in values["rejected"])
            rejected = [("record", "rank_is_an_integer"), ("value", "dwell_seconds_is_a_number")]
            assert [(each["what"], each["rule"]) for each in values["rejected"]] == rejected
            assert all((each["table"], each["count"]) == ("results", 1) for each in values["rejected"])
            assert (values["notes"], values["title"], values["sources"]) == (5, True, 3)
        case "not_partitioned":
            assert f"sessions.{values['column']}" in columns_that_are(made, "left out")
        case "not_checked":
            extras = {name for name in columns_that_are(made, "kept") if name == "results.age"}
            assert {*values["columns"]} == extras
        case "changed_scores":
            left_out = {*columns_that_are(made, "left out")}
            assert {*values["columns"]} == left_out & {"queries.query_text", "results.dwell_seconds"} != set()
        case _:
            check_caution(made, statement)


def check_caution(made, statement):
    """Assert that a statement about who can be identified has the values of the copy."""
    values = statement.values
    kept = {*columns_that_are(made, "kept")}
    match statement.kind:
        case "repeats":
            assert dict(values) == {"column": "topic_id", "count": 1, "values": 2, "repeated": ["user_id"]}
            assert "sessions.topic_id" not in kept
        case "kept_repeats":
            assert dict(values) == {"table": "sessions", "column": "topic_id", "count": 1, "by_chance": False}
            assert "sessions.topic_id" in kept
        case "features":
            assert values["features"] == [name for name in kept if name == "sessions.skill"]
            known = values["features"] != []
            assert (values["users"], values["fewest"]) == (2, 5)
            assert (values["alone"], values["few"]) == ((2, 2) if known else (None, None))
        case "replaced_texts":
            assert "queries.query_text" in columns_that_are(made, "replaced")
            assert values["same_scores"] == (not made.of_kind("changed_scores"))
        case "caution":
            abouts = {
                "documents kept": "results.doc_id" in kept,
                "session ids kept": "sessions.session_id" in kept,
                "query texts kept": "queries.query_text" in kept,
                "order of documents changed": "doc_id" in made.names,
                "seed": "doc_id" in made.names,
            }
            assert abouts.get(values["about"])


def test_says_every_kind():
    require_golden("pseudonymize", findings())


def test_values_are_those_of_the_copy():
    for made in findings():
        require_noticed(check, made)


def test_some_values_may_repeat_by_chance():
    log = {"session_id": ["s1", "s2"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["7", "d"]}
    queries = {"session_id": ["s1", "s2"], "query_position": [1, 1], "query_text": ["7", "jazz"]}
    repeats = sk.pseudonymize(sk.from_tables(log, queries=queries)).of_kind("kept_repeats")
    assert [(each.values["column"], each.values["count"], each.values["by_chance"]) for each in repeats] == [
        ("doc_id", 1, True)
    ]
