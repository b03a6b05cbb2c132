"""Lists exported by Quepid, as logs.

Snapshots of Quepid as JSON, as logs.
"""

import json

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.format import glimpse
from sessionkit.readers.formats import quepid
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

SNAPSHOT = (
    "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n"
    "monday,2026-01-05,7,lamp,A,1,Lamp,3\n"
    "monday,2026-01-05,7,lamp,B,2,Bulb,\n"
    "monday,2026-01-05,7,desk lamp,B,1,Bulb,1\n"
    "monday,2026-01-05,7,nothing found,,,,\n"
    "tuesday,2026-01-06,7,lamp,B,1,Bulb,\n"
)


def test_a_snapshot_is_a_log_of_lists_and_ratings(write, quiet_read):
    study = quiet_read(write("snapshot.csv", SNAPSHOT))
    assert study.reader == "quepid"
    assert study.results.collect().select("session_id", "rank", "doc_id", "Title").rows() == [
        ("monday: desk lamp", 1, "B", "Bulb"),
        ("monday: lamp", 1, "A", "Lamp"),
        ("monday: lamp", 2, "B", "Bulb"),
        ("tuesday: lamp", 1, "B", "Bulb"),
    ]
    assert study.sessions.collect().select("session_id", "system_id", "topic_id").row(1) == (
        "monday: lamp", "monday", "lamp",
    )  # fmt: skip
    asked = study.queries.collect()
    assert dict(asked.select("session_id", "results_status").rows())["monday: nothing found"] == "empty"
    assert study.judgments.collect().select("judgment_key", "doc_id", "grade").rows() == [
        ("lamp", "A", 3.0),
        ("desk lamp", "B", 1.0),
    ]


def test_a_large_snapshot_gives_the_same(write, quiet_read, in_batches, same_study):
    path = write("snapshot.csv", SNAPSHOT)
    whole = quiet_read(path)
    in_batches(2)
    same_study(whole, quiet_read(path))


def test_a_snapshot_in_brief_is_a_log_only_where_the_format_is_named(write, quiet_read):
    path = write("snapshot.csv", "query,docid,rating\nlamp,B,\nlamp,A,3\ndesk lamp,,\n")
    study = quiet_read(path, format="quepid")
    assert study.results.collect().select("session_id", "rank", "doc_id").rows() == [("lamp", 1, "B"), ("lamp", 2, "A")]
    assert messages_with(study.notes, "order of the lines", "the rank")
    with pytest.raises(DataError, match=match_parts("snapshot.csv", "judgments (quepid)", "not a log")):
        read(path)


def test_what_has_no_lists_is_refused_as_a_log(write):
    with pytest.raises(DataError, match=match_parts("book.csv", "ratings", "no lists")):
        read(write("book.csv", "query,docid,Ada\nlamp,A,1\n"), format="quepid")


BARE = (
    "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\r\n"
    "(1/5/26) monday,2026-01-05T12:00:00Z,7,lamp,A,1,Lamp\r\n"
    '(1/5/26) monday,2026-01-05T12:00:00Z,7,lamp,B,2,"Bulb, warm"\r\n'
    "(1/5/26) monday,2026-01-05T12:00:00Z,7, -10 screws,C,1,Screw\r\n"
)


def test_a_snapshot_in_detail_has_lists_and_no_ratings(write, quiet_read):
    study = quiet_read(write("snapshot.csv", BARE))
    assert study.reader == "quepid"
    assert study.results.collect().select("session_id", "rank", "doc_id", "title").rows() == [
        ("(1/5/26) monday: -10 screws", 1, "C", "Screw"),
        ("(1/5/26) monday: lamp", 1, "A", "Lamp"),
        ("(1/5/26) monday: lamp", 2, "B", "Bulb, warm"),
    ]
    assert study.sessions.collect()["system_id"].unique().to_list() == ["(1/5/26) monday"]
    assert study.judgments.collect().is_empty()


def test_lists_that_are_to_be_imported_have_no_system(write, quiet_read):
    study = quiet_read(write("static.csv", "Query Text,Doc ID,Doc Position\nlamp,A,1\nlamp,B,2\n"))
    assert study.results.collect().select("session_id", "rank", "doc_id").rows() == [("lamp", 1, "A"), ("lamp", 2, "B")]
    assert study.sessions.collect()["system_id"].to_list() == [None]


def test_what_a_snapshot_and_scores_have_not_is_said(write, judged):
    scores = "Team Name,Case Name,Case ID,Query Text,Score,Date Last Scored\nt,c,8,lamp,30,2026-01-05\n"
    with pytest.raises(DataError, match=match_parts("general.csv", "scores", "no lists")):
        read(write("general.csv", scores))
    with pytest.raises(DataError, match=match_parts("general.csv", "scores", "no ratings: export")):
        judged("general.csv", scores)
    with pytest.raises(DataError, match=match_parts("snapshot.csv", "not a file of judgments", "a log (quepid)")):
        judged("snapshot.csv", BARE)


def test_a_row_of_a_list_without_query_and_document_is_rejected(write, quiet_read, rejects):
    study = quiet_read(write("lists.csv", "Snapshot Name,Query Text,Doc ID,Doc Position\nS,lamp,A,1\nS\n"))
    assert [row[1:3] for row in rejects(study)] == [(3, "session_id_is_given")]


def test_grades_beside_a_score_are_no_scores_of_quepid(write):
    path = write("graded.csv", "case id,query text,score,doc,rating\n1,lamp,2,A,3\n")
    assert not quepid.fits(glimpse(path))


JSON_SNAPSHOT = {
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
    study = quiet_read(write("snapshot.json", json.dumps(JSON_SNAPSHOT, indent=1)))
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
    study = quiet_read(write("snapshot.json", json.dumps({**JSON_SNAPSHOT, "docs": {"7": [1], "8": []}})))
    ((_, _, rule, value, raw),) = rejects(study)
    assert (rule, value, json.loads(raw)["node"]) == ("list_can_be_read", "[1]", "[1]")
    with pytest.raises(DataError, match=match_parts("snapshot.json", "not a snapshot")):
        quiet_read(write("snapshot.json", json.dumps({"docs": {"7": []}})))


def test_lists_of_two_snapshots_of_one_name_do_not_run_together(write, quiet_read):
    files = [write(name, json.dumps(JSON_SNAPSHOT)) for name in ("one.json", "two.json")]
    with pytest.raises(DataError, match=match_parts("one.json and two.json", "session 'monday: ")):
        quiet_read(files)
