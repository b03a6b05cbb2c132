"""Logs of events: which column is what, what events are called, what is asked of them."""

import json
import re

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.propose.propose import propose

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


@pytest.mark.slow
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
        (events(None), "one header line"),
        (events(("what", "ts", "action", "q", "doc", "pos")), "column .*names sessions"),
    ],
)
def test_what_cannot_be_read_as_events_is_refused(write, content, said):
    with pytest.raises(DataError, match=said):
        propose(write("log.csv", content))


@pytest.mark.slow
def test_two_candidates_for_the_document_or_the_key_are_asked_about(write, tmp_path):
    header, *lines = events(("sid", "ts", "action", "q", "docid", "pos")).splitlines()
    rows = [line.split(",") for line in lines]
    rows = [[*row, f"http://{row[4]}" if row[4] else "", row[0]] for row in rows]
    log = write("log.csv", "\n".join([f"{header},url,topic", *map(",".join, rows)]) + "\n")
    places = {question.place: question.text for question in propose(log, folder=tmp_path).questions}
    assert "'url' could be" in places["columns.doc_id"]
    made = propose([log, write("qrels", QRELS)], folder=tmp_path)  # topics are called as sessions are
    places = {question.place: question.text for question in made.questions}
    assert "columns.doc_id" not in places
    assert places["columns.judgment_key"].startswith("'sid' could be")


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


def as_csv(rows, separator=","):
    """Return rows of dicts as a table with the columns of all of them."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [separator.join(names), *(separator.join(str(row.get(name, "")) for name in names) for row in rows)]
    return "\n".join(lines) + "\n"


def study_of(spelled, *, clock=lambda session, second: {"at": f"2024-01-0{session + 1}T10:00:{second:02}Z"}):
    """Return two sessions of two queries; `spelled` are the names of who, event, text, document and rank, and of the events."""
    who, event, text, doc, rank = spelled[:5]
    query, show, click = spelled[5:]
    rows = []
    for session in (0, 1):
        for number in (1, 2):
            ids, begun = {who: f"s{session}"}, 20 * number
            rows.append({**ids, **clock(session, begun), event: query, text: f"find {number}"})
            rows += [
                {**ids, **clock(session, begun + nth), event: show, doc: f"d{number}{nth}", rank: nth}
                for nth in (1, 2, 3)
            ]
            rows.append({**ids, **clock(session, begun + 5), event: click, doc: f"d{number}2", rank: 2})
            rows.append({**ids, **clock(session, begun + 6), event: "tick"})
    return rows


ENGLISH = ("session", "event", "query", "doc", "rank", "search", "impression", "click")
DIALECTS = [
    ENGLISH,
    ("sid", "action", "q", "url", "position", "query_submitted", "serp_item_shown", "result_clicked"),
    ("Sitzung", "Aktion", "Anfrage", "Dokument", "Rang", "Suche", "Anzeige", "Klick"),
    ("séance", "event", "requête", "document", "rang", "requête", "affichage", "clic"),
    (
        "sesión",
        "tipo",
        "consulta",
        "documento",
        "posición",
        "x1",
        "x2",
        "x3",
    ),  # the columns that they fill say what they are
    ("sess", "kind", "terms", "thing", "pos", "asked", "drawn", "went"),
]


def clicked_results(study):
    columns = ("query_position", "rank", "doc_id", "clicks")
    return study.results.collect().select("session_id", *columns).sort("session_id", "query_position", "rank").rows()


EXPECTED = [
    (session, number, rank, f"d{number}{rank}", int(rank == 2))
    for session in ("s0", "s1")
    for number in (1, 2)
    for rank in (1, 2, 3)
]


@pytest.mark.few(3)
@pytest.mark.parametrize("spelled", DIALECTS, ids=[one[5] for one in DIALECTS])
def test_names_of_events_are_known_guessed_by_their_columns_or_asked(write, quiet_read, tmp_path, spelled):
    made = propose(write("log.csv", as_csv(study_of(spelled))), folder=tmp_path)
    assert clicked_results(quiet_read(write("study.toml", made.text))) == EXPECTED
    questions = {question.place: question.text for question in made.questions}
    assert "'tick' (4)" in questions["events"]
    if spelled[5] in ("x1", "asked"):
        assert questions["events.query"].startswith(f"'{spelled[5]}' (4 with query_text) is ")
        assert f"'{spelled[6]}' (12 with doc_id and rank) " in questions["events.impression"]
        assert f"'{spelled[7]}' (4 with doc_id and rank) " in questions["events.click"]


NUMBERS_OF_EVENTS = {second: nth for nth, second in enumerate([20, 21, 22, 23, 25, 26, 40, 41, 42, 43, 45, 46])}
CLOCKS = {
    "milliseconds since 1970": (lambda session, second: {"ts": 1_700_000_000_000 + 86_400_000 * session + 1000 * second}, "time", {}),
    "seconds since 1970": (lambda session, second: {"ts": 1_700_000_000 + 86_400 * session + second}, "time", {}),
    "milliseconds": (lambda _, second: {"time": 1000 * second}, "elapsed_seconds", {"units": {"elapsed_seconds": "milliseconds"}}),
    "seconds": (lambda _, second: {"elapsed": second + 0.5}, "elapsed_seconds", {}),
    "a clock": (lambda _, second: {"elapsed": f"0:00:{second:02}"}, "elapsed_seconds", {"units": {"elapsed_seconds": "h:m:s"}}),
    "dates": (lambda session, second: {"zeit": f"1{session}.03.2024 10:00:{second:02}"}, "time", {"times": "%d.%m.%Y %H:%M:%S"}),
    "a number": (lambda _, second: {"seq": second}, "event_order", {}),
    "a number without a name": (lambda _, second: {"n": NUMBERS_OF_EVENTS[second]}, "event_order", {}),
    "nothing": (lambda *_: {}, "", {}),
}  # fmt: skip


@pytest.mark.few(5, slow=4)
@pytest.mark.parametrize("kind", CLOCKS)
def test_times_of_events_are_told_apart_and_asked_about(write, quiet_read, tmp_path, kind):
    clock, ours, options = CLOCKS[kind]
    rows = study_of(ENGLISH, clock=clock)
    if ours:
        rows = rows[::-1]  # the newest first
    made = propose(write("log.csv", as_csv(rows, ";")), folder=tmp_path)
    questions = " ".join(f"{question.place}: {question.text}" for question in made.questions)
    assert {key: made.settings[key] for key in ("units", "times") if key in made.settings} == options
    clocks = {"time", "elapsed_seconds", "event_order"} & set(made.settings["columns"])
    assert clocks == ({ours} if ours else set())
    study = quiet_read(write("study.toml", made.text))
    assert clicked_results(study) == EXPECTED
    if ours == "elapsed_seconds":
        assert study.queries.collect()["elapsed_seconds"].to_list()[:2] == (
            [20.5, 40.5] if kind == "seconds" else [20.0, 40.0]
        )
        assert "not for dates. Is it?" in questions
        assert "issued_at" not in study.columns("queries")
    if ours == "event_order":
        assert "taken for the order of" in questions
    if not ours:
        assert "order of the file." in questions


def test_lists_in_records_of_events_are_those_of_queries(write, quiet_read, tmp_path):
    rows = [
        {
            "client_id": "c1",
            "event_name": "view_search_results",
            "ts": 1709546400123,
            "search_term": "otter",
            "results": ["d1", "d2"],
        },
        {"client_id": "c1", "event_name": "select_item", "ts": 1709546410123, "item_id": "d2"},
        {
            "client_id": "c1",
            "event_name": "view_search_results",
            "ts": 1709546470123,
            "search_term": "otter",
            "results": ["d3", "d2"],
        },
        {"client_id": "c1", "event_name": "select_item", "ts": 1709546480123, "item_id": "d3"},
        {
            "client_id": "c2",
            "event_name": "view_search_results",
            "ts": 1709546400123,
            "search_term": "swan",
            "results": [],
        },
    ]
    made = propose(write("log.ndjson", "".join(json.dumps(row) + "\n" for row in rows)), folder=tmp_path)
    study = quiet_read(write("study.toml", made.text))
    assert clicked_results(study) == [
        ("c1-1", 1, 1, "d1", 0),
        ("c1-1", 1, 2, "d2", 1),
        ("c1-1", 2, 1, "d3", 1),
        ("c1-1", 2, 2, "d2", 0),
    ]
    assert study.queries.collect()["results_status"].to_list() == ["shown", "shown", "empty"]


def test_of_unknown_events_on_documents_those_that_are_more_are_impressions(write, tmp_path):
    lines = [
        "P1,ask,otter,,",
        "P1,draw,,d1,1",
        "P1,draw,,d2,2",
        "P1,go,,d2,2",
        "P1,star,,d2,2",
        "P1,go,,d1,1",
        "P2,ask,swan,,",
        "P2,draw,,d7,1",
    ]
    made = propose(write("log.csv", "\n".join(["session,event,query,doc,rank", *lines]) + "\n"), folder=tmp_path)
    assert made.settings["events"] == {"query": "ask", "impression": "draw", "click": "go"}
    assert "'star' (1 with doc_id " in made.questions[-1].text


def test_times_that_begin_anew_at_each_page_are_asked_about(write, quiet_read, tmp_path):
    rows = study_of(ENGLISH, clock=lambda _, second: {"ms": 1000 * (second % 20)})
    made = propose(write("log.csv", as_csv(rows)), folder=tmp_path)
    (question,) = [one.text for one in made.questions if one.place == "columns.elapsed_seconds"]
    assert re.search(r"'ms' \(0 to 6,000\) .* falls 2 times", question)
    assert "elapsed_seconds" not in made.settings["columns"]
    assert clicked_results(quiet_read(write("study.toml", made.text))) == EXPECTED


@pytest.mark.slow
def test_a_user_and_a_task_are_a_session_and_long_pauses_are_asked_about(write, quiet_read, tmp_path):
    rows = study_of(("user", *ENGLISH[1:]), clock=lambda _, second: {"ms": 1000 * second})
    rows = [{**row, "task": "A", "user": row["user"].replace("s", "u")} for row in rows]
    made = propose(write("log.csv", as_csv(rows)), folder=tmp_path)
    assert made.settings["columns"]["session_id"] == ["user", "task"]
    assert "columns.session_id" in [question.place for question in made.questions]
    assert quiet_read(write("study.toml", made.text)).sessions.collect()["session_id"].to_list() == ["u0/A", "u1/A"]
    long = study_of(ENGLISH, clock=lambda _, second: {"at": f"2024-01-{second // 20 * 5:02}T10:00:{second:02}Z"})
    made = propose(write("long.csv", as_csv(long)), folder=tmp_path)
    (question,) = [one.text for one in made.questions if one.place == "cut_sessions"]
    assert re.match(r"2 sessions of 2 .*a day, .*'s0'\.", question)
    cut = write("study.toml", made.text.replace("# cut_sessions", "cut_sessions"))
    assert quiet_read(cut).sessions.collect()["session_id"].to_list() == ["s0-1", "s0-2", "s1-1", "s1-2"]


def test_sessions_of_tables_that_pause_for_days_are_asked_about(write, quiet_read, tmp_path):
    rows = [
        {
            "visitor": f"v{who}",
            "query_no": number,
            "query": f"find {number}",
            "time": f"2024-01-{3 * number:02}T10:00:00Z",
            "rank": 1,
            "doc": f"d{number}",
        }
        for who in (0, 1)
        for number in (1, 2, 3)[: 3 - 2 * who]
    ]
    rows = [{"session": row["visitor"], **row} for row in rows]
    made = propose(write("log.csv", as_csv(rows)), folder=tmp_path)
    (question,) = [one.text for one in made.questions if one.place == "cut_sessions"]
    assert re.match(r"1 session of 2 .*a day, .*'v0'\.", question)
    assert len(quiet_read(write("study.toml", made.text)).sessions.collect()) == 2
    cut = write("study.toml", made.text.replace("# cut_sessions", "cut_sessions"))
    assert quiet_read(cut).sessions.collect()["session_id"].to_list() == ["v0-1", "v0-2", "v0-3", "v1-1"]


@pytest.mark.slow
def test_a_folder_in_which_one_never_searched_is_one_log(write, quiet_read, tmp_path):
    (tmp_path / "logs").mkdir()
    rows = study_of(("sess", "kind", "q", "doc", "rank", "asked", "shown", "opened"))
    for name, own in (("a", rows[:12]), ("b", rows[12:]), ("c", [{"sess": "s9", "kind": "enter"}]), ("d", [])):
        write(f"logs/{name}.ndjson", "".join(json.dumps(row) + "\n" for row in own))
    made = propose(tmp_path / "logs", folder=tmp_path)
    assert made.settings["path"] in ("logs", ["logs/a.ndjson", "logs/b.ndjson", "logs/c.ndjson"])
    study = quiet_read(write("study.toml", made.text))
    assert clicked_results(study) == EXPECTED
    assert any(re.fullmatch("1 session without a query, .*: 's9'", note) for note in study.notes)
