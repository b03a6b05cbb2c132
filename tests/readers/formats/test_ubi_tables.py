"""User Behavior Insights as delimited tables."""

import json

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.formats.ubi_tables import holds_table

QUERIES = 'application,query_id,client_id,user_query,timestamp\nshop,q1,c1,"lamp, small",2025-06-01T00:01:02.003Z\n'
EVENTS = (
    "object_id,rank,object_id_field,application,action_name,query_id,session_id,client_id,timestamp\n"
    "A,0,sku,shop,impression,q1,s1,c1,2025-06-01T00:01:02.003Z\n"
    "B,1,sku,shop,impression,q1,s1,c1,2025-06-01T00:01:02.003Z\n"
    "B,1,sku,shop,click,q1,s1,c1,2025-06-01T00:01:09.003Z\n"
    ",,,shop,scroll,q1,s1,c1,2025-06-01T00:01:10.003Z\n"
)


def as_json(record):
    """The record that a row of EVENTS is."""
    names = ("application", "action_name", "query_id", "session_id", "client_id", "timestamp")
    thing = {"object": {"object_id": record["object_id"]}, "rank": int(record["rank"])} if record["object_id"] else {}
    return {name: record[name] for name in names} | {"event_attributes": thing}


def test_the_same_log_as_tables_and_as_json(write, tmp_path, quiet_read):
    header, *rows = (line.split(",") for line in EVENTS.splitlines())
    query = {
        "application": "shop", "query_id": "q1", "client_id": "c1", "user_query": "lamp, small",
        "timestamp": "2025-06-01T00:01:02.003Z",
    }  # fmt: skip
    records = [query, *(as_json(dict(zip(header, row, strict=True))) for row in rows)]
    whole = quiet_read(write("log.ndjson", "".join(json.dumps(one) + "\n" for one in records)))
    files = [write("ubi_queries.csv", QUERIES), write("ubi_events.csv", EVENTS)]
    study = quiet_read(files)
    assert study.reader == whole.reader == "ubi"
    for name in ("sessions", "queries", "results"):
        assert getattr(study, name).collect().equals(getattr(whole, name).collect()), name
    assert study.results.collect().select("rank", "doc_id", "clicks", "impressions").rows() == [
        (1, "A", 0, 1),
        (2, "B", 1, 1),
    ]
    many = {source.kind: (source.records, source.idle) for source in study.sources if source.path == "ubi_events.csv"}
    assert many == {"impression events": (2, 0), "click events": (1, 0), "scroll events": (1, 1)}


def test_an_export_of_an_index_with_dotted_names(write, quiet_read):
    study = quiet_read(
        write(
            "export.csv",
            "_source.query_id;_source.user_query;_source.query_response_hit_ids;_source.query_attributes.arm;"
            "_source.action_name;_source.event_attributes.object.object_id;_source.event_attributes.position.ordinal;"
            "_source.timestamp\n"
            'q1;lamp;["A", "B"];x;;;;2025-06-01T00:00:00Z\n'
            "q2;bulb;C,D;y;;;;2025-06-01T00:00:00Z\n"
            "q1;;;;click;B;2;2025-06-01T00:00:05Z\n",
        ),
        config={"format": "ubi", "system": "query_attributes.arm"},
    )
    assert study.results.collect().select("session_id", "rank", "doc_id", "clicks").rows() == [
        ("q1", 1, "A", 0), ("q1", 2, "B", 1), ("q2", 1, "C", 0), ("q2", 2, "D", 0),
    ]  # fmt: skip
    assert dict(study.sessions.collect().select("session_id", "system_id").rows()) == {"q1": "x", "q2": "y"}


def test_a_broken_row_is_kept_aside_and_named(write, quiet_read, rejects):
    study = quiet_read(write("events.csv", EVENTS + "C,0,sku,shop,click,q1,s1,c1,2025-06-01T00:02:00Z,more\n"))
    assert [row[:3] for row in rejects(study)] == [(5, 6, "record_fits_the_columns")]


def test_other_tables_are_not_taken_for_it(write, quiet_read):
    with pytest.raises(DataError, match="looks like no format of logs"):
        quiet_read(write("log.csv", "action_name,page\nclick,1\n"))


def test_lists_of_hits_as_json_and_between_commas(write, quiet_read, rejects):
    cells = [
        '"[""Desk lamp"", ""caf\\u00e9"", ""7""]"',
        '"A, B"',
        "\"['A', 'B']\"",
        '"[1, 2]"',
        "[]",
        '"[""A"", ""B"',
        "{}",
    ]
    rows = "".join(f"q{number},lamp,{cell}\n" for number, cell in enumerate(cells))
    study = quiet_read(write("queries.csv", "query_id,user_query,query_response_hit_ids\n" + rows))
    found = study.results.collect().group_by("session_id", maintain_order=True).agg("doc_id").rows()
    assert found == [("q0", ["Desk lamp", "café", "7"]), ("q1", ["A", "B"]), ("q2", ["A", "B"]), ("q3", ["1", "2"])]
    assert [row[1:4] for row in rejects(study)] == [
        (7, "hits_can_be_read", '["A", "B'),
        (8, "hits_can_be_read", "{}"),
    ]


@pytest.mark.parametrize(
    "header",
    ["session_id,query_position,rank,doc_id,query_id,user_query,action_name", "query_id,user_query,doc_id,rating"],
)
def test_tables_of_ours_and_of_grades_are_none(header):
    assert not holds_table(header + "\n")
