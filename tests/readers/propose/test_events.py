"""Logs of events: which column is what, what events are called, what is asked of them."""

import json

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.propose.draft import propose

HEADER = ("sid", "ts", "action", "q", "doc", "pos")


def events(header=HEADER, *, users=False):
    """Return a log of four sessions with two queries of three results each."""
    lines = [",".join(header)] if header else []
    for session in range(4):
        for query in (1, 2):
            at = f"2024-01-01T1{session}:0{query}"
            who = f"u{session}" if users else f"s{session}"
            lines.append(f"{who},{at}:00,Search,find {query},,")
            lines += [f"{who},{at}:01,view,,d{query}{rank},{rank}" for rank in (1, 2, 3)]
            lines += [f"{who},{at}:05,open,,d{query}2,2", f"{who},{at}:09,scroll,,,"]
    return "\n".join(lines) + "\n"


QRELS = "".join(f"s{s} 0 d{q}{r} {r % 2}\n" for s in range(4) for q in (1, 2) for r in (1, 2, 3))


def test_columns_and_names_of_events_are_found(write, quiet_read, tmp_path):
    made = propose([write("log.csv", events()), write("qrels", QRELS)], folder=tmp_path)
    assert made.settings == {
        "format": "events",
        "path": "log.csv",
        "columns": {
            "session_id": "sid", "time": "ts", "event": "action", "query_text": "q", "doc_id": "doc", "rank": "pos", "judgment_key": "sid",
        },
        "events": {"query": "Search", "impression": "view", "click": "open"},
        "judgments": {"path": "qrels", "format": "qrels"},
    }  # fmt: skip
    assert [question.place for question in made.questions] == ["max_grade", "timezone", "events"]
    assert "'scroll'" in made.questions[-1].text
    read = quiet_read(write("study.toml", made.text))
    assert read.queries.collect().height == 8
    assert read.results.collect()["clicked"].sum() == 8
    assert read.rejected.collect().is_empty()
    assert read.queries.collect()["judgment_key"].to_list()[0] == "s0"


def test_documents_are_found_by_the_judgments_that_share_them(write, tmp_path):
    header = ("sid", "ts", "action", "q", "thing", "pos")
    made = propose([write("log.csv", events(header)), write("qrels", QRELS)], folder=tmp_path)
    assert made.settings["columns"]["doc_id"] == "thing"
    assert "columns.doc_id" in [question.place for question in made.questions]


def test_sessions_are_cut_where_only_users_are_named(write, quiet_read, tmp_path):
    header = ("visitor_id", "ts", "action", "q", "doc", "pos")
    made = propose(write("log.csv", events(header, users=True)), folder=tmp_path)
    assert (made.settings["columns"]["user_id"], made.settings["session_gap"]) == ("visitor_id", "30m")
    assert "session_gap" in [question.place for question in made.questions]
    assert quiet_read(write("study.toml", made.text)).sessions.collect().height == 4


def test_several_files_are_one_log_if_they_are_alike(write, quiet_read, tmp_path):
    second = events().replace("s0,", "s8,").replace("s1,", "s9,")
    made = propose([write("a.csv", events()), write("b.csv", second)], folder=tmp_path)
    assert made.settings["path"] == ["a.csv", "b.csv"]
    with pytest.raises(DataError, match="different columns"):
        propose([tmp_path / "a.csv", write("c.csv", events(("s", *HEADER[1:])))])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (events(None), "text with one header line at the top"),
        (events(("what", "ts", "action", "q", "doc", "pos")), "no column of it names sessions"),
    ],
)
def test_what_cannot_be_read_as_events_is_refused(write, content, said):
    with pytest.raises(DataError, match=said):
        propose(write("log.csv", content))


def test_two_candidates_for_the_document_or_the_key_are_asked_about(write, tmp_path):
    header, *lines = events(("sid", "ts", "action", "q", "docid", "pos")).splitlines()
    rows = [line.split(",") for line in lines]
    rows = [[*row, f"http://{row[4]}" if row[4] else "", row[0]] for row in rows]
    log = write("log.csv", "\n".join([f"{header},url,topic", *map(",".join, rows)]) + "\n")
    places = {question.place: question.text for question in propose(log, folder=tmp_path).questions}
    assert "'url' could be it as well" in places["columns.doc_id"]
    made = propose([log, write("qrels", QRELS)], folder=tmp_path)  # topics are called as sessions are
    places = {question.place: question.text for question in made.questions}
    assert "columns.doc_id" not in places
    assert places["columns.judgment_key"] == "'sid' could be it as well. Which is it?"


def test_a_column_of_events_that_may_be_the_condition_is_asked_about(write, tmp_path):
    rows = [
        f"s{s},{at},{event},find {s},d{at},{'xy'[s % 2]}"
        for s in range(4)
        for at, event in enumerate(("search", "click"), 1)
    ]
    log = write("log.csv", "\n".join(["sid,elapsed,action,q,docid,cohort", *rows]) + "\n")
    proposal = propose(log, folder=tmp_path)
    assert any("Is it 'cohort' ('x', 'y')?" in question.text for question in proposal.questions)
    assert '\n# system_id = "cohort"\n' in proposal.text


def test_events_whose_queries_hold_their_results_are_events(write, tmp_path, quiet_read):
    """Two queries of one text with lists of their own, and a click on the first result of the second."""
    records = [
        {"session": "s1", "time": "2026-03-02T10:00:00Z", "event": "query", "query": "cat", "results": ["d1", "d2"]},
        {"session": "s1", "time": "2026-03-02T10:01:00Z", "event": "query", "query": "cat", "results": ["d3", "d4"]},
        {"session": "s1", "time": "2026-03-02T10:01:20Z", "event": "click", "doc": "d3"},
    ]
    log = write("events.ndjson", "".join(json.dumps(record) + "\n" for record in records))
    proposal = propose(log, folder=tmp_path)
    assert proposal.settings["format"] == "events"
    study = quiet_read(write("study.toml", proposal.text))
    assert study.queries.collect().height == 2
    clicked = study.results.filter("clicked").collect()
    assert clicked.select("query_position", "rank", "doc_id").rows() == [(2, 1, "d3")]
