"""Format logui: a made-up flight, as no real one is public."""

import json

import pytest

from sessionkit.errors import DataError
from sessionkit.readers import FORMATS
from sessionkit.readers.read import read
from sessionkit.readers.sniffer import fitting, glimpse

CONFIG = {
    "format": "logui",
    "events": {"query": "SEARCH", "click": "OPEN", "impression": "SEEN", "leave": "CLOSE"},
    "submission": "text",
}


def event(name, second, *, kind="interactionEvent", session="t1", topic="341", metadata=None, **details):
    """One event of a flight."""
    named = {"name": name} if kind != "browserEvent" else {"type": name}
    record = {"eventType": kind, "eventDetails": {**named, **details}, "sessionID": session}
    record["timestamps"] = {"eventTimestamp": f"2023-05-02T09:00:{second:02}.250Z", "sinceSessionStartMillis": 1}
    record["applicationSpecificData"] = {"userID": "p07", "condition": "c2", "topic": topic}
    scraped = {} if metadata is None else {"metadata": [{"name": key, "value": one} for key, one in metadata.items()]}
    return {**record, **scraped, "applicationID": "a", "flightID": "f"}


def search(text, second, **more):
    values = [{"name": "text", "value": text}, {"name": "device", "value": "desk"}]
    return event("SEARCH", second, type="submit", submissionValues=values, **more)


FLIGHT = [
    event("started", 0, kind="statusEvent"),
    search("night trains", 1),
    event("SEEN", 2, kind="customEvent", docid="D-1", rank=1),
    event("SEEN", 2, kind="customEvent", docid="D-12", rank=2),
    event("OPEN", 5, metadata={"docid": "D-12", "rank": "2"}),
    event("URLChange", 6, kind="browserEvent"),
    event("CLOSE", 15),
    event("started", 16, kind="statusEvent"),  # the page was loaded again
    search("sleeper", 20, topic="342"),
    event("OPEN", 25, metadata={"docid": "D-7", "rank": "3"}),
    event("OPEN", 26, metadata={"rank": "3"}),  # forks scrape no document
    event("OPEN", 27, metadata={}),
]


def flight(events=FLIGHT):
    return "[\n" + ",\n\n".join(json.dumps(one) for one in events) + "\n]\n"


@pytest.fixture
def logui(write, quiet_read):
    """Read a flight, checking that every event is accounted for."""

    def logui(text=None, records=12, **config):
        study = quiet_read(write("flight.json", text or flight()), config={**CONFIG, **config})
        assert sum(source.records for source in study.sources) == records
        return study

    return logui


def test_queries_lists_and_clicks(logui):
    study = logui()
    assert study.queries.select("session_id", "query_text", "results_status").collect().rows() == [
        ("t1", "night trains", "shown"),
        ("t1", "sleeper", "partly_observed"),
    ]
    columns = ("query_position", "rank", "doc_id", "clicks", "dwell_seconds")
    assert study.results.select(columns).collect().rows() == [
        (1, 1, "D-1", 0, None),
        (1, 2, "D-12", 1, 10.0),
        (2, 3, "D-7", 2, None),
    ]
    assert study.sessions.select("user_id", "system_id", "topic_id").collect().rows() == [("p07", "c2", "341")]
    assert any("topic_id: several within 1 session" in note for note in study.notes)
    idle = {source.kind: source.idle for source in study.sources if source.idle}
    assert idle == {"started events": 2, "URLChange events": 1, "click events without a listed result": 1}


def test_keys_are_those_of_the_study(logui):
    study = logui(metadata={"rank": "rank"}, application_data={"user_id": "condition"})
    assert study.sessions.select("user_id").collect().rows() == [("c2",)]
    assert study.results.collect().is_empty()  # ranks alone do not say what was clicked
    other = logui(submission="device")
    assert other.queries.select("query_text").collect().to_series().to_list() == ["desk"]  # sent again


def test_without_session_ids_users_are_cut(logui):
    study = logui(flight([search("a", 1, session=None), search("b", 50, session=None)]), records=2, session_gap=30)
    assert study.sessions.select("session_id").collect().to_series().to_list() == ["p07-1", "p07-2"]


def test_events_of_nobody_knows_which_session_are_an_error(logui):
    said = r"flight\.json: no event has a sessionID, .* or a user; application_data = .* says which key"
    with pytest.raises(DataError, match=said):
        logui(flight([search("a", 1, session=None)]), application_data={"user_id": "participant"})


@pytest.mark.few(1)
@pytest.mark.parametrize("large", [False, True])
def test_broken_events_are_kept_aside_and_named(write, quiet_read, rejects, in_batches, large):
    lines = flight().splitlines()
    lines[3] = lines[3].replace('"eventDetails":', '"eventDetails"')
    lines.insert(7, '{"neither": 1},')
    path = write("flight.json", "\n".join(lines[:-3]) + '\n\n{"eventType": "cut sho')
    if large:
        in_batches(2)
    study = quiet_read(path, config={**CONFIG, "events": {"query": "SEARCH", "click": "OPEN"}})
    assert [(record, line, rule) for record, line, rule, *_ in rejects(study)] == [
        (2, 4, "item_is_json"),
        (4, 8, "item_is_event"),
        (13, 25, "item_is_json"),
        (14, 25, "item_is_json"),  # the array is never closed
    ]
    with pytest.raises(DataError, match=r"flight\.json, line 4: item_is_json does not hold"):
        read(path, config=CONFIG, strict=True)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"events": {"query": "QUERY_SUBMITTED"}}, r"no event is a query; .*Events found: .*'OPEN'"),
        ({"metadata": {"doc": "docid"}}, r"metadata\.doc is unknown.*doc_id"),
        ({"application_data": {"user_id": 7}}, r"application_data\.user_id = 7; give the name of one key"),
    ],
)
def test_what_study_toml_says_wrongly_is_named(logui, config, said):
    with pytest.raises(DataError, match=said):
        logui(**config)


def test_it_is_recognized_by_content(write):
    assert fitting([glimpse(write("flight.json", flight()))], FORMATS) == ["logui"]
    assert not FORMATS["logui"].fits(glimpse(write("other.json", '[{"eventType": 1}]')))
