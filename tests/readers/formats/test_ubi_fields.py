"""Fields of User Behavior Insights records: wherever a producer puts them, and however many lines there are, they are found."""

import json

import polars as pl
import pytest

from sessionkit.readers.formats.ubi_records import FEW, flat


def taken(*records, experiment=None):
    """Return the flat rows of records taken apart alone and among many, which must be equal."""
    lines = pl.Series([json.dumps(one) for one in records], dtype=pl.String)
    alone = flat(lines, experiment).struct.unnest()
    # a line that cannot be taken apart with others: every line near it is taken apart by itself
    slow = flat(pl.concat([pl.Series(["{broken"]), lines]), experiment).struct.unnest()[1:]
    assert alone.equals(slow)
    assert len(records) < FEW
    return alone.to_dicts()


def asked(**fields):
    return {"query_id": "q", "user_query": "lamp", **fields}


def clicked(attributes):
    return {"action_name": "click", "query_id": "q", "event_attributes": attributes}


@pytest.mark.parametrize("name", ["query_response_hit_ids", "query_response_object_ids", "query_response_objects_ids"])
def test_the_list_of_results_by_each_of_its_names(name):
    assert taken(asked(**{name: ["B", 7]}))[0]["hits"] == ["B", "7"]
    assert taken(asked(**{name: []}))[0]["hits"] == []


@pytest.mark.parametrize(
    ("attributes", "ordinal"),
    [
        ({"position": {"ordinal": 3}}, "3"),
        ({"position": {"ordinal": "3"}}, "3"),
        ({"position": {"ordinal": {"index": 3}}}, "3"),
        ({"position": {"index": 0}}, "0"),
        ({"rank": 2}, "2"),
        ({"position": {"ordinal": 4}, "rank": 2}, "4"),
        ({"position": {"x": 10, "y": 20}}, None),
        ({"position": None}, None),
        ({}, None),
    ],
)
def test_the_ordinal_at_each_of_its_places(attributes, ordinal):
    row = taken(clicked({"object": {"object_id": "A"}, **attributes}))[0]
    assert (row["object_id"], row["ordinal"]) == ("A", ordinal)


def test_the_ordinal_within_the_object():
    assert taken(clicked({"object": {"object_id": "A", "position": {"ordinal": 5}}}))[0]["ordinal"] == "5"


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"text": 'desk "lamp" {x}'}, 'desk "lamp" {x}'),
        ({"language": "en", "text": "desk lamp"}, "desk lamp"),
        ({"text": "desk lamp", "where": {"in": "office"}}, "desk lamp"),
        ({"image": "a.png"}, '{"image": "a.png"}'),
        ('{"text": "typed so"}', '{"text": "typed so"}'),
        (None, None),
    ],
)
def test_the_text_of_a_query_is_text_or_an_object_that_has_it(said, text):
    assert taken(asked(user_query=said), asked())[0]["user_query"] == text


def test_a_query_in_camel_case_as_a_plugin_sends_it():
    sent = {
        "timestamp": 1750000000000,
        "queryId": "q1",
        "clientId": "c1",
        "userQuery": {"text": "lamp"},
        "userQueryText": "lamp",
        "application": "shop",
        "query": '{"size":10}',
        "queryAttributes": {"arm": "b"},
        "queryResponse": {"queryId": "q1", "queryResponseId": "r1", "queryResponseHitIds": ["A", "B"]},
    }
    earlier = {**sent, "userQuery": "bulb", "queryResponse": {"queryResponseId": "r2", "queryResponseObjectIds": ["C"]}}
    del earlier["userQueryText"]
    first, second, other = taken(sent, earlier, asked(client_id="c2"), experiment="arm")
    assert {name: first[name] for name in ("query_id", "client_id", "user_query", "query_response_id", "application")} == {
        "query_id": "q1", "client_id": "c1", "user_query": "lamp", "query_response_id": "r1", "application": "shop",
    }  # fmt: skip
    assert (first["hits"], first["__experiment"], first["timestamp"]) == (["A", "B"], "b", "1750000000000")
    assert (second["user_query"], second["hits"], second["query_response_id"]) == ("bulb", ["C"], "r2")
    assert (other["query_id"], other["client_id"], other["hits"]) == ("q", "c2", None)


@pytest.mark.parametrize("beside", [[], ['{"queryId": "q"}']])
@pytest.mark.parametrize(
    "record",
    [
        {"query_id": "q1", "userQuery": "lamp"},
        {"userQuery": "lamp", "queryResponse": {"queryResponseId": "r", "queryResponseHitIds": ["A"]}},
        {"query_id": "q1", "queryId": "q2", "userQueryText": "lamp"},
        {"query_id": "q1", "user_query": "lamp", "query_response_hit_ids": "A"},
    ],
)
def test_a_record_is_read_alike_alone_beside_others_and_one_by_one(record, beside):
    line = json.dumps(record)
    rows = [
        flat(pl.Series([line, *beside]), None)[0],
        flat(pl.Series([json.dumps({"_source": record}), *beside]), None)[0],
    ]
    assert rows[0] == rows[1]
    assert (rows[0]["user_query"], rows[0]["query_id"]) == ("lamp", record.get("query_id"))
