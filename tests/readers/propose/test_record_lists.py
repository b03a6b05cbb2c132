"""Logs of lists inside records: what `init` proposes reads every session, query, result and click where it belongs."""

import json

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataError

LOG = [
    ("s1", "P1", "A", [("jaguar", ["d1", "d2"], ["d2"]), ("jaguar car", ["d2"], []), ("none", [], [])]),
    ("s2", "P2", "A", [("big cats", ["d3", "d1"], ["d3", "d1"])]),
    ("s3", "P1", "B", [("x y", ["d9"], [])]),
]
QRELS = "A 0 d1 2\nA 0 d2 1\nB 0 d9 1\n"
LISTS = [(1, ["d1", "d2"], [2]), (2, ["d2"], []), (3, [], []), (1, ["d3", "d1"], [1, 2]), (1, ["d9"], [])]
"""Of every query its position, its list, and the ranks that were clicked."""
PER_QUERY = [
    (session, user, task, number, *query)
    for session, user, task, queries in LOG
    for number, query in enumerate(queries, 1)
]


def bare_ids():
    """Return sessions in a document, with lists of bare ids."""
    return {
        "sessions": [
            {
                "id": session,
                "user": user,
                "topic": task,
                "searches": [
                    {"id": f"{session}-{at}", "text": text, "hits": ids, "clicked": clicked}
                    for at, (text, ids, clicked) in enumerate(queries)
                ],
            }
            for session, user, task, queries in LOG
        ]
    }


def keyed_by_session():
    """Return sessions by their id, clicks as objects with times."""
    return {
        session: {
            "participantId": user,
            "taskId": task,
            "queries": [
                {
                    "queryText": text,
                    "results": [{"docId": one, "title": f"t {one}"} for one in ids],
                    "clicks": [{"docId": one, "timestamp": "2026-03-02T09:01:00Z"} for one in clicked],
                }
                for text, ids, clicked in queries
            ],
        }
        for session, user, task, queries in LOG
    }


def german():
    """Return a document with names in German and ranks of its own."""
    return {
        "studie": "x",
        "sitzungen": [
            {
                "sitzung": session,
                "versuchsperson": user,
                "aufgabe": task,
                "anfragen": [
                    {
                        "anfrage": text,
                        "treffer": [{"rang": n, "dokument": one} for n, one in enumerate(ids, 1)],
                        "klicks": clicked,
                    }
                    for text, ids, clicked in queries
                ],
            }
            for session, user, task, queries in LOG
        ],
    }


def flags():
    """Return an array of sessions whose results say that they were clicked, with ranks from 0."""
    return [
        {
            "session_id": session,
            "user": {"id": user},
            "task": task,
            "queries": [
                {
                    "query": text,
                    "results": [{"rank": n, "url": one, "clicked": one in clicked} for n, one in enumerate(ids)],
                }
                for text, ids, clicked in queries
            ],
        }
        for session, user, task, queries in LOG
    ]


def records_of_queries():
    """Return a record per query without a number of it."""
    return [
        {
            "session": session,
            "user": user,
            "task": task,
            "query": text,
            "serp": [{"url": one} for one in ids],
            "clicks": [{"url": one, "at": "2026-03-02T09:01:00Z"} for one in clicked],
        }
        for session, user, task, _, text, ids, clicked in PER_QUERY
    ]


def clicked_ranks():
    """Return a record per query with its number, bare ids, and the ranks of clicks."""
    return [
        {
            "session": session,
            "user": user,
            "task": task,
            "qno": number,
            "query": text,
            "contexts": ids,
            "clicks": [ids.index(one) + 1 for one in clicked],
        }
        for session, user, task, number, text, ids, clicked in PER_QUERY
    ]


def search_engine():
    """Return a record per query with the response of a search engine, in which two things are called hits."""
    return [
        {
            "session": session,
            "user": user,
            "task": task,
            "turn": number,
            "query": text,
            "response": {
                "took": 3,
                "hits": {"total": {"value": 5}, "hits": [{"_id": one, "_score": 1.5} for one in ids]},
            },
        }
        for session, user, task, number, text, ids, _ in PER_QUERY
    ]


ASKED = {
    bare_ids: [],
    keyed_by_session: [],
    german: [],
    flags: ["results.base"],
    records_of_queries: ["results.empty_list"],
    clicked_ranks: ["clicks.columns.rank"],
    search_engine: [],
}


FORMS = ("pretty.json", "one_line.json", "lines.jsonl")
WRITTEN = [(make, form) for make in ASKED for form in FORMS if form != "lines.jsonl" or isinstance(make(), list)]


@pytest.mark.few(7, slow=4)
@pytest.mark.parametrize(("make", "form"), WRITTEN)
def test_a_nested_log_is_proposed_as_its_tables(write, quiet_read, make, form):
    value = make()
    pretty = json.dumps(value, indent=2 if form == "pretty.json" else None)
    text = "\n".join(map(json.dumps, value)) if form == "lines.jsonl" else pretty
    log, qrels = write(form, text), write("qrels", QRELS)
    proposal = sk.propose([log, qrels], folder=log.parent)
    study = quiet_read(write("study.toml", proposal.text))
    sessions = study.sessions.select("session_id", "user_id", "topic_id").collect().rows()
    assert sessions == [(session, user, task) for session, user, task, _ in LOG]
    queries = study.queries.collect()
    assert queries["query_position"].to_list() == [position for position, _, _ in LISTS]
    assert queries["query_text"].to_list() == [
        text for _, _, queries in [(0, 0, one[3]) for one in LOG] for text, _, _ in queries
    ]
    assert queries["results_status"].to_list() == ["shown" if ids else "empty" for _, ids, _ in LISTS]
    results = study.results.collect()
    assert results["doc_id"].to_list() == [one for _, ids, _ in LISTS for one in ids]
    assert results["rank"].to_list() == [rank for _, ids, _ in LISTS for rank in range(1, len(ids) + 1)]
    if make is not search_engine:
        clicked = [rank in clicked for _, ids, clicked in LISTS for rank in range(1, len(ids) + 1)]
        assert results["clicked"].to_list() == clicked
    assert study.rejected.collect().is_empty()
    assert [question.place for question in proposal.questions if question.place != "max_grade"] == ASKED[make]


def test_a_list_that_is_missing_is_asked_about(write, quiet_read):
    value = bare_ids()
    del value["sessions"][0]["searches"][2]["hits"]
    log = write("log.json", json.dumps(value))
    proposal = sk.propose(log, folder=log.parent)
    (question,) = [one for one in proposal.questions if one.place == "queries.without_results"]
    assert "1 query without 'sessions.searches.hits'" in question.text
    statuses = quiet_read(write("study.toml", proposal.text)).queries.collect()["results_status"].to_list()
    assert statuses[2] == "empty"
    answered = proposal.text.replace('without_results = "empty"', 'without_results = "not_logged"')
    assert quiet_read(write("study.toml", answered)).queries.collect()["results_status"].to_list()[2] == "not_logged"


def test_sessions_without_names_are_called_by_their_places_and_asked_about(write, quiet_read):
    users = {}
    for _, user, task, queries in LOG:
        searches = [{"q": text, "results": [{"id": one} for one in ids]} for text, ids, _ in queries]
        users.setdefault(user, []).append({"task": task, "queries": searches})
    log = write("log.json", json.dumps({"users": [{"id": user, "sessions": each} for user, each in users.items()]}))
    proposal = sk.propose(log, folder=log.parent)
    assert "sessions.columns.session_id" in [one.place for one in proposal.questions]
    study = quiet_read(write("study.toml", proposal.text))
    assert study.sessions.select("user_id", "topic_id").collect().rows() == [("P1", "A"), ("P1", "B"), ("P2", "A")]
    assert study.results.collect()["doc_id"].to_list() == ["d1", "d2", "d2", "d9", "d3", "d1"]


def test_a_file_for_each_participant_is_one_log(tmp_path, quiet_read):
    folder = tmp_path / "logs"
    folder.mkdir()
    for number, (_, _, task, queries) in enumerate(LOG, 1):
        record = {"task": task, "queries": [{"query": text, "results": ids} for text, ids, _ in queries]}
        (folder / f"P{number}.json").write_text(json.dumps(record, indent=1))
    proposal = sk.propose(folder, folder=tmp_path)
    (tmp_path / "study.toml").write_text(proposal.text)
    study = quiet_read(tmp_path / "study.toml")
    assert study.sessions.select("session_id", "topic_id").collect().rows() == [("P1", "A"), ("P2", "A"), ("P3", "B")]
    assert study.results.collect()["doc_id"].to_list() == [one for _, ids, _ in LISTS for one in ids]


def test_a_second_list_of_documents_is_named(write):
    value = [{"session": "s", "qno": 1, "query": "a", "results": [{"url": "x"}], "ads": [{"url": "y"}]}] * 2
    proposal = sk.propose(write("log.json", json.dumps([{**one, "qno": at} for at, one in enumerate(value, 1)])))
    assert any("'ads': not used" in one.text for one in proposal.questions)


def per_rank(prefix, first=1):
    """Return what makes three columns, one for each rank, of a list."""
    return lambda ids, _: {f"{prefix}{first + at}": (ids + [None] * 3)[at] for at in range(3)}


def pairs_per_rank(ids, clicked):
    """Return columns of documents and of clicks for each rank."""
    urls = {f"result{n}_url": (ids + [None] * 3)[n - 1] for n in range(1, 4)}
    return urls | {f"result{n}_clicked": int(ids[n - 1] in clicked) if n <= len(ids) else None for n in range(1, 4)}


CELLS = {
    "a column per rank": per_rank("doc_"),
    "a column per rank from 0": per_rank("rank", 0),
    "columns per rank": pairs_per_rank,
    "bars": lambda ids, clicked: {"results": "|".join(ids) or None, "clicks": "|".join(clicked) or None},
    "semicolons": lambda ids, _: {"documents": "; ".join(ids) or None},
    "blanks": lambda ids, _: {"serp": " ".join(ids) or None},
    "JSON": lambda ids, clicked: {"doc_ids": json.dumps(ids), "clicked_docs": json.dumps(clicked)},
    "lists of Python": lambda ids, _: {"shown_docs": str(ids)},
    "objects": lambda ids, clicked: {
        "results": json.dumps([{"url": one, "title": f"{one}, or not"} for one in ids]),
        "clicks": json.dumps([{"url": one} for one in clicked]),
    },
}


@pytest.mark.few(12, slow=6)
@pytest.mark.parametrize("numbered", [True, False], ids=["numbered", "bare"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("make", CELLS.values(), ids=list(CELLS))
def test_a_row_per_query_with_its_list_is_proposed(tmp_path, quiet_read, make, form, numbered):
    rows = [
        {"session": session, "user": user, "task": task, **({"qno": number} if numbered else {}), "query": text}
        | make(ids, clicked)
        for session, user, task, number, text, ids, clicked in PER_QUERY
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    path, qrels = tmp_path / f"log.{form}", tmp_path / "qrels"
    (frame.write_csv if form == "csv" else frame.write_parquet)(path)
    qrels.write_text(QRELS)
    proposal = sk.propose([path, qrels], folder=tmp_path)
    (tmp_path / "study.toml").write_text(proposal.text)
    study = quiet_read(tmp_path / "study.toml")
    results = study.results.collect()
    assert results["doc_id"].to_list() == [one for _, ids, _ in LISTS for one in ids]
    assert results["rank"].to_list() == [rank for _, ids, _ in LISTS for rank in range(1, len(ids) + 1)]
    assert study.queries.collect()["results_status"].to_list() == ["shown" if ids else "empty" for _, ids, _ in LISTS]
    if "clicked" in results.columns:
        clicked = [rank in clicked for _, ids, clicked in LISTS for rank in range(1, len(ids) + 1)]
        assert results["clicked"].to_list() == clicked
    assert study.rejected.collect().is_empty()


def test_other_columns_with_numbers_or_marks_are_no_lists(tmp_path):
    rows = [
        {
            "session": "s",
            "qno": q,
            "rank": r,
            "url": f"http://x/{q},{r}",
            "item_1": 3,
            "item_2": 4,
            "result_title": "a|b",
        }
        for q in (1, 2)
        for r in (1, 2)
    ]
    path = tmp_path / "log.csv"
    pl.DataFrame(rows).write_csv(path)
    settings = sk.propose(path, folder=tmp_path).settings
    assert "list" not in settings["results"]
    assert settings["results"]["columns"]["doc_id"] == "url"


@pytest.mark.parametrize("indent", [None, 1])
def test_json_without_results_names_its_lists_and_the_guide(write, indent):
    log = write("log.json", json.dumps({"runs": [{"trials": [{"score": 1}, {"score": 2}]}]}, indent=indent))
    for call in (sk.propose, sk.read):
        with pytest.raises(DataError, match=r"(?s): runs, runs\.trials.*own-logs"):
            call(log)


def analytics_event(name, seconds, user, term=None, items=()):
    """Return an event as Google Analytics 4 exports it to BigQuery; sessions of both users have the number 100."""
    bare = {"string_value": None, "int_value": None, "float_value": None, "double_value": None}
    params = [{"key": "ga_session_id", "value": {**bare, "int_value": "100"}}]
    if term:
        params.append({"key": "search_term", "value": {**bare, "string_value": term}})
    return {
        "event_date": "20260302",
        "event_timestamp": str((1_772_442_000 + seconds) * 1_000_000),
        "event_name": name,
        "event_params": params,
        "user_pseudo_id": user,
        "device": {"category": "desktop", "web_info": {"browser": "Firefox"}},
        "items": [{"item_id": one, "item_name": f"name of {one}"} for one in items],
    }


ANALYTICS = [
    analytics_event("session_start", 0, "u1.1"),
    analytics_event("view_search_results", 1, "u1.1", "lamp", ["A1", "A2", "A3"]),
    analytics_event("select_item", 5, "u1.1", None, ["A2"]),
    analytics_event("view_search_results", 60, "u1.1", "desk lamp", ["A2", "A 4"]),
    analytics_event("page_view", 61, "u1.1"),
    analytics_event("session_start", 0, "u2.2"),
    analytics_event("view_search_results", 2, "u2.2", "chair", ["B1"]),
    analytics_event("select_item", 3, "u2.2", None, ["B1"]),
]


@pytest.mark.parametrize("form", ["log.jsonl", "log.json", "log.parquet"])
def test_events_of_google_analytics(tmp_path, quiet_read, form):
    path = tmp_path / form
    if form == "log.parquet":
        pl.DataFrame(ANALYTICS).write_parquet(path)
    else:
        path.write_text(
            "\n".join(map(json.dumps, ANALYTICS)) if form == "log.jsonl" else json.dumps(ANALYTICS, indent=1)
        )
    proposal = sk.propose(path, folder=tmp_path)
    assert proposal.settings["columns"]["session_id"] == ["user_pseudo_id", "event_params.ga_session_id"]
    (tmp_path / "study.toml").write_text(proposal.text)
    study = quiet_read(tmp_path / "study.toml")
    queries = study.queries.select("session_id", "query_text", "issued_at").collect()
    assert queries.select("session_id", "query_text").rows() == [
        ("u1.1/100", "lamp"),
        ("u1.1/100", "desk lamp"),
        ("u2.2/100", "chair"),
    ]
    assert queries["issued_at"].dt.epoch("s").to_list() == [1_772_442_001, 1_772_442_060, 1_772_442_002]
    assert study.results.select("query_position", "rank", "doc_id", "clicked").collect().rows() == [
        (1, 1, "A1", False),
        (1, 2, "A2", True),
        (1, 3, "A3", False),
        (2, 1, "A2", False),
        (2, 2, "A 4", False),
        (1, 1, "B1", True),
    ]
    assert study.rejected.collect().is_empty()


def test_clicked_ranks_that_count_from_0(write, quiet_read):
    value = clicked_ranks()
    records = [{**one, "clicks": [{"rank": rank - 1} for rank in one["clicks"]]} for one in value]
    log = write("log.json", json.dumps(records))
    proposal = sk.propose(log, folder=log.parent)
    assert "clicks.base" in [one.place for one in proposal.questions]
    results = quiet_read(write("study.toml", proposal.text)).results.collect()
    clicked = [rank in clicked for _, ids, clicked in LISTS for rank in range(1, len(ids) + 1)]
    assert results["clicked"].to_list() == clicked


def test_elements_that_are_lists_or_nothing_are_asked_about(write, quiet_read):
    pairs = [{**one, "contexts": [[doc, 0.5] for doc in one["contexts"]]} for one in clicked_ranks()]
    asked = [
        one.text for one in sk.propose(write("pairs.json", json.dumps(pairs))).questions if one.place == "results.list"
    ]
    assert len(asked) == 1
    assert "its elements are lists ('[\"d1\", 0.5]'" in asked[0]
    gap = [
        {"session": name, "user": "u", "queries": [{"query": "a", "results": [{"id": "d1"}, None]}]} for name in "st"
    ]
    log = write("gap.json", json.dumps(gap))
    proposal = sk.propose(log, folder=log.parent)
    assert "results.columns.doc_id" in [one.place for one in proposal.questions]
    study = quiet_read(write("study.toml", proposal.text))
    assert study.results.collect()["doc_id"].to_list() == ["d1", "d1"]
    assert study.rejected.collect()["rule"].to_list() == ["doc_id_is_given"] * 2


def test_json_that_is_cut_short_says_so(write):
    log = write("log.json", json.dumps(bare_ids(), indent=1)[:-40])
    with pytest.raises(DataError, match="is it cut short"):
        sk.propose(log)
