"""Snapshots of Quepid as JSON, as logs."""

import json

import pytest

from sessionkit.errors import DataError

SNAPSHOT = {
    "id": 3,
    "name": "monday",
    "time": "2026-01-05T12:00:00Z",
    "docs": {
        "7": [
            {"id": "A", "explain": None, "rated_only": False, "fields": {"title": "Lamp"}},
            {"id": "B", "explain": None, "rated_only": True, "fields": None},
            {"id": "C", "explain": None, "rated_only": None, "fields": None},
        ],
        "8": [],
        "9": [{"id": "Z"}],
    },
    "queries": [
        {"query_id": 7, "query_text": "lamp", "ratings": {"A": 3, "B": 0}},
        {"query_id": 8, "query_text": "desk", "ratings": {}},
    ],
    "scores": [{"query_id": 7, "score": 0.5}],
}


def test_a_snapshot_is_a_log_of_what_was_shown(write, quiet_read):
    study = quiet_read(write("snapshot.json", json.dumps(SNAPSHOT, indent=1)))
    assert study.reader == "quepid"
    assert study.results.collect().select("session_id", "rank", "doc_id").rows() == [
        ("monday: lamp", 1, "A"),
        ("monday: lamp", 2, "C"),
    ]
    assert study.sessions.collect().select("session_id", "system_id", "judgment_key").rows() == [
        ("monday: desk", "monday", "desk"),
        ("monday: lamp", "monday", "lamp"),
    ]
    assert study.judgments.collect().select("judgment_key", "doc_id", "grade").rows() == [
        ("lamp", "A", 3.0),
        ("lamp", "B", 0.0),
    ]
    assert {one.kind: one.idle for one in study.sources if one.idle} == {
        "documents rated but not shown": 1,
        "lists of deleted queries": 1,
        "documents of deleted queries": 1,
        "queries without ratings": 1,
    }


def test_queries_of_one_text_have_a_session_and_a_list_each(write, quiet_read):
    two = {"docs": {"7": [{"id": "A"}], "8": [{"id": "B"}, {"id": "C"}]},
           "queries": [{"query_id": 7, "query_text": "lamp"}, {"query_id": 8, "query_text": "lamp"}]}  # fmt: skip
    study = quiet_read(write("snapshot.json", json.dumps(two)))
    assert study.results.collect().select("session_id", "rank", "doc_id").rows() == [
        ("lamp", 1, "A"), ("lamp (2)", 1, "B"), ("lamp (2)", 2, "C"),
    ]  # fmt: skip


def test_a_line_of_each_of_several_snapshots_and_queries_without_lists_are_counted(write, quiet_read):
    one = {"name": "x", "docs": {"7": [{"id": "A"}]},
           "queries": [{"query_id": 7, "query_text": "lamp"}, {"query_id": 8, "query_text": "desk"}]}  # fmt: skip
    study = quiet_read(write("snapshots.json", json.dumps(one) + "\n" + json.dumps({**one, "name": "y"}) + "\n"))
    assert study.results.collect()["session_id"].to_list() == ["x: lamp", "y: lamp"]
    assert {source.kind: source.idle for source in study.sources if source.idle} == {"queries without a list": 2}


def test_lists_that_cannot_be_read_are_rejected(write, quiet_read, rejects):
    study = quiet_read(write("snapshot.json", json.dumps({**SNAPSHOT, "docs": {"7": [1], "8": []}})))
    ((_, _, rule, value, raw),) = rejects(study)
    assert (rule, value, json.loads(raw)["node"]) == ("list_can_be_read", "[1]", "[1]")
    with pytest.raises(DataError, match=r"snapshot\.json is not a snapshot of Quepid"):
        quiet_read(write("snapshot.json", json.dumps({"docs": {"7": []}})))


def test_lists_of_two_snapshots_of_one_name_do_not_run_together(write, quiet_read):
    files = [write(name, json.dumps(SNAPSHOT)) for name in ("one.json", "two.json")]
    with pytest.raises(DataError, match=r"one\.json and two\.json both have a session 'monday: "):
        quiet_read(files)
