"""Exports of events and of lists inside records, made without sight of `init`: what it proposes is right, or it asks."""

import json

import pytest

import sessionkit as sk

SHOWN = {"a": ["d1", "d2"], "b": ["d3"]}


def lines(records):
    """Return records as NDJSON."""
    return "".join(f"{json.dumps(one)}\n" for one in records)


def results_of(study):
    """Return the results of a study in short."""
    return study.results.select("session_id", "query_position", "rank", "doc_id", "clicks").collect().rows()


@pytest.mark.parametrize(
    ("of_query", "of_result", "other"),
    [
        ({"clicks": ["d2"], "visited": [{"doc": "d1"}]}, {}, "queries.visited"),
        ({"clicks": ["d2"]}, {"clicks": [{"at": 7}]}, "queries.results.clicks"),
    ],
)
def test_several_lists_of_clicks_are_asked_about(write, of_query, of_result, other):
    queries = [
        {"query": text, "results": [{"doc": one, **of_result} for one in shown], **of_query}
        for text, shown in SHOWN.items()
    ]
    log = write("log.json", json.dumps([{"session": name, "queries": queries} for name in ("s1", "s2")]))
    proposal = sk.propose(log, folder=log.parent)
    (question,) = [one.text for one in proposal.questions if one.place == "clicks.list"]
    assert {proposal.settings["clicks"]["list"], other} == {"queries.clicks", other}
    assert f"'{other}': not used" in question


def test_clicks_inside_a_result_are_on_it(write, quiet_read):
    shown = [{"doc": "d1", "clicks": []}, {"doc": "d2", "clicks": [{"at": 7}, {"at": 9}]}]
    log = write("log.json", json.dumps([{"session": "s1", "queries": [{"query": "a", "results": shown}]}]))
    proposal = sk.propose(log, folder=log.parent)
    assert results_of(quiet_read(write("study.toml", proposal.text))) == [("s1", 1, 1, "d1", 0), ("s1", 1, 2, "d2", 2)]


def test_a_second_column_of_lists_is_asked_about(write):
    rows = "s1,1,a,\"['d1', 'd2']\",\"['d2', 'd1']\"\ns1,2,b,\"['d3']\",\"['d3']\"\n"
    log = write("log.csv", f"session,qno,query,results,shown\n{rows}")
    (question,) = [one.text for one in sk.propose(log, folder=log.parent).questions if one.place == "results.list"]
    assert "not used, as" in question
    assert {"results", "shown"} <= set(question.split("'"))


def front_end(user, task, queries):
    """Return the events of a session; queries are a text, the documents shown and those clicked."""
    events = [("load", {"agent": "x", "began": "2026-03-02T09:00:00Z"})]
    for text, shown, clicked in queries:
        events += [
            ("query", {"q": text}),
            ("serp", {"q": text, "hits": [{"id": one, "rank": at} for at, one in enumerate(shown)]}),
        ]
        events += [("click", {"id": one}) for one in clicked]
    return [
        {"type": name, "ms": 1_000 * at, "participant": user, "task": task, "data": data}
        for at, (name, data) in enumerate(events)
    ]


def test_a_folder_of_event_logs_with_different_events(write, tmp_path, quiet_read):
    """The first participant never searched, the second never clicked; one sends a query again and gets another list."""
    (tmp_path / "logs").mkdir()
    write("logs/P0_A.ndjson", lines(front_end("P0", "A", [])))
    write("logs/P1_A.ndjson", lines(front_end("P1", "A", [("a", ["d1", "d2"], [])])))
    write(
        "logs/P2_A.ndjson", lines(front_end("P2", "A", [("a", ["d1", "d2"], ["d2"]), ("a", ["d3"], []), ("a", [], [])]))
    )
    qrels = write("qrels", "A 0 d1 1\nA 0 d2 1\n")
    proposal = sk.propose([tmp_path / "logs", qrels], folder=tmp_path)
    settings = proposal.settings
    assert settings["path"] == "logs"
    assert settings["units"] == {"elapsed_seconds": "milliseconds"}
    assert settings["events"] == {"query": "serp", "click": "click"}
    assert settings["columns"]["session_id"] == ["participant", "task"]
    (asked,) = [one.text for one in proposal.questions if one.place == "events.query"]
    assert "'serp' (4 with query_text and results) is taken for query" in asked
    study = quiet_read(write("study.toml", proposal.text))
    assert study.queries.select("session_id", "query_position", "results_status").collect().rows() == [
        ("P1/A", 1, "shown"),
        ("P2/A", 1, "shown"),
        ("P2/A", 2, "shown"),
        ("P2/A", 3, "empty"),
    ]
    assert results_of(study) == [
        ("P1/A", 1, 1, "d1", 0),
        ("P1/A", 1, 2, "d2", 0),
        ("P2/A", 1, 1, "d1", 0),
        ("P2/A", 1, 2, "d2", 1),
        ("P2/A", 2, 1, "d3", 0),
    ]


def test_lists_in_events_without_the_text_of_the_query_are_asked_about(write):
    events = front_end("P1", "A", [("a", ["d1", "d2"], ["d2"])])
    for one in events:
        if one["type"] == "serp":
            del one["data"]["q"]
    log = write("log.ndjson", lines(events))
    questions = [one.text for one in sk.propose(log, folder=log.parent).questions]
    assert any("the lists of 'serp' (1 with results) are not read" in one for one in questions)


def analytics(name, at, items, **params):
    """Return an event of Google Analytics."""
    return {
        "event_timestamp": str(1_772_442_000_000_000 + at * 1_000_000),
        "event_name": name,
        "event_params": [{"key": key, "value": {"string_value": value}} for key, value in params.items()],
        "user_pseudo_id": "513653999.1771000000",
        "user_properties": [
            {"key": "variant", "value": {"string_value": "new", "set_timestamp_micros": "1771000000000000"}}
        ],
        "items": [{"item_id": one} for one in items],
    }


def test_analytics_with_a_property_of_users_and_an_empty_list(write, quiet_read):
    """The second query returned nothing; it has the text of the first, and is another one."""
    session = {"ga_session_id": "77"}
    events = [
        analytics("page_view", 0, [], **session),
        analytics("view_search_results", 1, ["d1", "d2"], search_term="a", **session),
        analytics("select_item", 2, ["d2"], search_term="a", **session),
        analytics("view_search_results", 3, [], search_term="a", **session),
    ]
    log = write("events.ndjson", lines(events))
    proposal = sk.propose(log, folder=log.parent)
    assert proposal.settings["columns"]["system_id"] == "user_properties.variant"
    study = quiet_read(write("study.toml", proposal.text))
    assert study.queries.collect()["results_status"].to_list() == ["shown", "empty"]
    assert [row[2:] for row in results_of(study)] == [(1, "d1", 0), (2, "d2", 1)]
    assert study.sessions.select("user_id", "system_id").collect().rows() == [("513653999.1771000000", "new")]


def test_lists_that_are_called_as_judgments_are_asked_about(write):
    """The ground truth of QReCC: passages that are relevant to a turn, which are no list that was shown."""
    turns = [
        {"Conversation_no": 1, "Turn_no": n, "Truth_passages": [f"http://a/{n}", f"http://b/{n}"]} for n in (1, 2, 3)
    ]
    log = write("ground-truth.json", json.dumps(turns))
    (question,) = sk.propose(log, folder=log.parent).questions
    assert (question.place, "called as judgments are" in question.text) == ("results.list", True)
