"""Exports with habits of their own, as tools write them: what `init` makes of them, and the values that come of it."""

import json

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.propose.propose import propose
from sessionkit.readers.read import read
from tests.readers.propose.studies import delimited

QUERIES = (
    ("1001", "VP01", "A1", "alt", "Wärme Kosten", "02.03.2026 08:45", ("007", "012")),
    ("1002", "VP01", "A2", "neu", "Wärme", "02.03.2026 08:50", ("012",)),
    ("1003", "VP01", "A2", "neu", "Wärme Gas", "02.03.2026 08:51", ()),
    ("1004", "VP02", "A1", "neu", "Gas", "02.03.2026 11:41", ("031", "007", "016")),
    ("1005", "VP02", "A1", "neu", "Gas Preis", "02.03.2026 11:42", ("016", "012")),
    ("1006", "VP02", "A2", "alt", "Garten", "02.03.2026 12:10", ("012", "031")),
)
"""Queries with a number that runs on from session to session, their session, text, time and documents."""


def german_files(write, times=()):
    """The queries newest first with a line of totals, their results and clicks; `times` replaces times of queries by number."""
    rows = [
        {
            "Anfrage-Nr.": number, "Proband": user, "Aufgabe": task, "Bedingung": system, "Suchanfrage": text,
            "Zeitpunkt": dict(times).get(number, at), "Anzahl Treffer": str(len(docs)),
        }
        for number, user, task, system, text, at, docs in reversed(QUERIES)
    ]  # fmt: skip
    total = dict.fromkeys(rows[0], "") | {"Anfrage-Nr.": "Summe", "Anzahl Treffer": "10"}
    results = [
        {"Anfrage-Nr.": query[0], "Rang": str(rank), "Dokument-Nr.": doc, "Punktwert": f"{9 - rank},5"}
        for query in QUERIES
        for rank, doc in enumerate(query[-1], 1)
    ]
    clicks = [{"Anfrage-Nr.": number, "Dokument-Nr.": doc} for number, doc in (("1006", "031"), ("1004", "007"))]
    return [
        write(f"{name}.csv", delimited(table, ";"))
        for name, table in (("Suchanfragen", [*rows, total]), ("Treffer", results[::-1]), ("Klicks", clicks))
    ]


def read_proposal(proposal, tmp_path, quiet_read):
    """The study that a proposal makes."""
    (tmp_path / "study.toml").write_text(proposal.text, encoding="utf-8")
    return quiet_read(tmp_path / "study.toml")


def test_a_query_number_that_runs_on_is_the_id_of_queries(write, tmp_path, quiet_read):
    proposal = propose(german_files(write), folder=tmp_path)
    columns = {name: proposal.settings[name]["columns"] for name in ("queries", "results", "clicks")}
    assert {name: section["query_id"] for name, section in columns.items()} == dict.fromkeys(columns, "Anfrage-Nr.")
    study = read_proposal(proposal, tmp_path, quiet_read)
    shown = study.results.collect().sort("session_id", "query_position", "rank")
    assert shown.select("session_id", "query_position", "rank", "doc_id", "clicks").rows() == [
        ("VP01/A1", 1, 1, "007", 0), ("VP01/A1", 1, 2, "012", 0), ("VP01/A2", 1, 1, "012", 0),
        ("VP02/A1", 1, 1, "031", 0), ("VP02/A1", 1, 2, "007", 1), ("VP02/A1", 1, 3, "016", 0),
        ("VP02/A1", 2, 1, "016", 0), ("VP02/A1", 2, 2, "012", 0),
        ("VP02/A2", 1, 1, "012", 0), ("VP02/A2", 1, 2, "031", 1),
    ]  # fmt: skip
    # the empty query, and the line of totals, which a question names
    assert study.facts.queries == 6
    assert study.rejected.collect().height == 1
    assert any("without session_id" in question.text for question in proposal.questions)


@pytest.mark.parametrize("is_equal", [True, False])
def test_queries_of_one_minute_that_stand_newest_first_are_asked_about(is_equal, write, tmp_path, quiet_read):
    times = {"1005": "02.03.2026 11:41"} if is_equal else {}
    proposal = propose(german_files(write, times), folder=tmp_path)
    texts = [each.text for each in proposal.questions if each.place == "queries.number_queries"]
    assert len(texts) == is_equal
    assert all("2 queries have the same 'Zeitpunkt'" in text and "02.03.2026 11:41" in text for text in texts)
    queries = read_proposal(proposal, tmp_path, quiet_read).queries.collect().sort("session_id", "query_position")
    assert queries.get_column("query_id").to_list() == [query[0] for query in QUERIES]


def trials_of(person, tasks):
    """What a program of an experiment writes about a participant: instructions between tasks, one page of results in each."""
    trials = [{"kind": "text", "rt": 3920}]
    for number, (task, look, docs) in enumerate(tasks):
        results = [{"position": rank, "url": doc} for rank, doc in enumerate(docs)]
        page = {"query": f"find {task}", "results": results, "clicks": [{"url": doc} for doc in docs[:1]]}
        search = {"kind": "search", "rt": 1, "task": task, "interface": look, "pages": [page]}
        trials += [{"kind": "text", "rt": number}, search]
    return json.dumps({"participant": person, "version": "1.4", "trials": trials}, indent=1)


def write_trials(tmp_path, people):
    """A folder with a file for each participant."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for person, tasks in people.items():
        (folder / f"{person}.json").write_text(trials_of(person, tasks), encoding="utf-8")
    return folder


PEOPLE = {
    "p1": [("sun", "long", ["a", "b"]), ("sea", "short", ["c"])],
    "p2": [],
    "p3": [("sea", "long", ["c", "a", "b"]), ("sun", "short", [])],
}
"""Participants with their tasks, one of whom never searched."""


def test_trials_without_search_and_participants_without_one_are_no_sessions(tmp_path, quiet_read):
    proposal = propose(write_trials(tmp_path, PEOPLE), folder=tmp_path)
    texts = [question.text for question in proposal.questions]
    # p1 and p3: a text at the beginning and one before each of two tasks
    assert any("6 elements of 'trials' without 'trials.pages'" in text for text in texts)
    assert any("p2.json: no list for [queries], [results] and [clicks]" in text for text in texts)
    study = read_proposal(proposal, tmp_path, quiet_read)
    columns = ["user_id", "topic_id", "system_id"]
    assert study.sessions.select(columns).sort(columns).collect().rows() == [
        ("p1", "sea", "short"),
        ("p1", "sun", "long"),
        ("p3", "sea", "long"),
        ("p3", "sun", "short"),
    ]
    shown = study.results.collect().sort("session_id", "rank").select("session_id", "rank", "doc_id", "clicks")
    assert shown.get_column("doc_id").to_list() == ["a", "b", "c", "c", "a", "b"]
    assert shown.get_column("clicks").to_list() == [1, 0, 1, 1, 0, 0]
    assert (study.facts.queries, study.queries.collect().get_column("results_status").to_list().count("empty")) == (
        4,
        1,
    )


def test_sessions_without_queries_stay_sessions_where_their_fields_are_those_of_sessions(write, tmp_path, quiet_read):
    sessions = [
        {"id": f"s{number}", "user": f"u{number}", "queries": [{"query": "x", "results": [{"url": f"d{number}"}]}]}
        for number in range(3)
    ]
    sessions.append({"id": "s3", "user": "u3"})
    proposal = propose(write("log.json", json.dumps({"sessions": sessions})), folder=tmp_path)
    study = read_proposal(proposal, tmp_path, quiet_read)
    assert study.sessions.collect().get_column("session_id").sort().to_list() == ["s0", "s1", "s2", "s3"]


def test_a_list_that_no_file_has_is_refused(tmp_path):
    folder = write_trials(tmp_path, PEOPLE)
    text = propose(folder, folder=tmp_path).text.replace("trials.pages", "trials.serps")
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"p1.json has no list 'trials.serps' for \[queries\]"):
        read(tmp_path / "study.toml")


FLAT = [
    {
        "Participant": user,
        "Task": task,
        "System": system,
        "No.": "1",
        "Position": str(rank),
        "Document": doc,
        "Opened": mark,
    }
    for user, task, system in (("P1", "t1", "list"), ("P1", "t2", "grid"), ("P2", "t1", "grid"), ("P2", "t2", "list"))
    for rank, (doc, mark) in enumerate((("a", ""), ("b", "x"), ("c", "")), 1)
]
"""Lists of two participants in each of which the second result was opened."""


@pytest.mark.parametrize("name", ["Opened", "Geöffnet", "ouvert"])
def test_results_that_were_opened_were_clicked(name, write, tmp_path, quiet_read):
    rows = [{name if key == "Opened" else key: value for key, value in row.items()} for row in FLAT]
    study = read_proposal(propose(write("log.csv", delimited(rows)), folder=tmp_path), tmp_path, quiet_read)
    shown = study.results.collect()
    assert shown.filter("clicked").get_column("doc_id").to_list() == ["b"] * 4
    assert shown.get_column("clicked").null_count() == 0


def test_users_that_are_nobody_in_the_log_are_asked_about(write, tmp_path):
    users = [
        {"Participant": name, "Age": age} for name, age in (("P1", "20"), ("P2", "30"), ("P3", "40"), ("Mean", "30"))
    ]
    files = [write("log.csv", delimited(FLAT)), write("users.csv", delimited(users))]
    texts = [question.text for question in propose(files, folder=tmp_path).questions]
    assert any("nobody in the log" in text and "'P3'" in text and "'Mean'" in text for text in texts) or any(
        "belong to nobody in the log" in text and "2 rows" in text for text in texts
    )


def test_clicks_that_name_rows_of_results_by_an_id_are_told_what_they_lack(write, tmp_path):
    rows = [
        {"id": f"i-{number}", **{key: row[key] for key in row if key != "Opened"}} for number, row in enumerate(FLAT)
    ]
    clicks = [
        {"id": f"c-{number}", "impression_id": f"i-{3 * number}", "created_at": f"2026-03-02T10:0{number}:00Z"}
        for number in range(4)
    ]
    files = [write("impressions.csv", delimited(rows)), write("clicks.csv", delimited(clicks))]
    texts = [question.text for question in propose(files, folder=tmp_path).questions]
    assert any("its 'impression_id' is 'id' of impressions.csv, a row of results" in text for text in texts)
