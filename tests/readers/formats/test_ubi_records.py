"""Records of User Behavior Insights however they are packed.

Nested fields of User Behavior Insights in cells: whatever a table made of them, they say what the record says.

Fields of User Behavior Insights records: wherever a producer puts them, and however many lines there are, they are found.

User Behavior Insights as tables, delimited and Parquet.
"""

import csv
import io
import json
from datetime import datetime

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sessionkit.errors import DataError
from sessionkit.readers import FORMATS, JUDGMENTS
from sessionkit.readers.format import fitting, glimpse
from sessionkit.readers.formats.ubi_records import (
    FEW,
    NO_OBJECT,
    PARTS,
    PLACES,
    WHAT,
    are_of_table,
    flat,
    holds_table,
    parts_of,
    records_of,
)
from sessionkit.readers.io.files import open_log
from sessionkit.study.checks import RECORD, RULE, as_text
from tests.support.messages import match_parts

QUERY = {
    "query_id": "q1",
    "user_query": "desk lamp",
    "query_attributes": {"experiment": 7, "filters": ["a"]},
    "query_response_hit_ids": ["A1", 22],
    "query": '{"size":0}',
}


def event(ordinal, object_id="A1", **more):
    position = {} if ordinal is None else {"position": {"ordinal": ordinal}}
    attributes = {"object": {"object_id": object_id}, **position}
    return {
        "action_name": "click",
        "query_id": "q1",
        "timestamp": 1717527762025,
        "event_attributes": attributes,
        **more,
    }


RECORDS = [
    QUERY,
    event(3),
    event({"index": 4}, 22),
    event("5"),
    event(None, session_id="undefined"),
    event({"page": [1]}),
]


@pytest.fixture
def taken(tmp_path):
    def taken(text, name="log.ndjson", **options):
        (tmp_path / name).write_text(text)
        work = tmp_path / "work"
        work.mkdir(exist_ok=True)
        file = open_log(name, tmp_path, work)
        rows, locate, actions = records_of(file, experiment="experiment", workspace=work)
        return rows.collect(), locate, actions

    return taken


def packed():
    lines = [json.dumps(record) for record in RECORDS]
    bulk = [json.dumps({"index": {"_index": "ubi"}})]
    answer = {"took": 1, "_shards": {"total": 1}, "hits": {"total": 5, "hits": [{"_source": one} for one in RECORDS]}}
    return {
        "lines": "\n".join(lines),
        "bulk": "\n".join(line for one in lines for line in (*bulk, one)) + "\n",
        "updates": "\n".join(json.dumps({"doc": one}) for one in RECORDS),
        "dump": "\n".join(json.dumps({"_index": "x", "_source": one}) for one in RECORDS),
        "array": json.dumps(RECORDS),
        "values": "\n".join(json.dumps(one, indent=1) for one in RECORDS),
        "answer": json.dumps(answer),
        "indented answer": json.dumps(answer, indent=2),
        "posts": "\n".join(f"[{line}]" for line in lines),
        "lists by name": json.dumps({"queries": RECORDS[:1], "events": RECORDS[1:]}),
        "indented lists": json.dumps({"events": RECORDS}, indent=2),
        "two answers": json.dumps(answer | {"hits": {"hits": RECORDS[:2]}})
        + "\n"
        + json.dumps({"hits": {"hits": RECORDS[2:]}}),
    }


@pytest.mark.parametrize("how", packed())
def test_the_same_records_however_they_are_packed(taken, how):
    rows, locate, actions = taken(packed()[how])
    assert rows[WHAT].to_list() == ["query", *["event"] * 5]
    assert rows["hits"].to_list()[0] == ["A1", "22"]
    assert rows["__experiment"].to_list()[0] == "7"
    assert rows["ordinal"].to_list() == [None, "3", "4", "5", None, None]
    assert rows["object_id"].to_list()[1:] == ["A1", "22", "A1", "A1", "A1"]
    assert rows["timestamp"].to_list()[1] == "1717527762025"
    assert rows["session_id"].to_list() == [None] * 6
    assert rows["undefined"].to_list() == [False, False, False, False, True, False]
    assert rows["counts_only"].to_list()[0]
    assert rows[RULE].is_null().all()
    assert actions == (6 if how == "bulk" else 0)
    raw = locate(rows[RECORD])
    assert raw[RECORD].to_list() == rows[RECORD].to_list()
    assert all("q1" in text for text in raw["raw"])


def test_lines_that_are_no_record_are_marked(taken):
    good = json.dumps(RECORDS[1])
    lines = [good] * 50 + ["{broken", "[1]", "5", '{"neither": 1}', ""] + [good] * 50
    rows, _, _ = taken("\n".join(lines))
    marked = rows.drop_nulls(RULE).select(RECORD, RULE, "__value").rows()
    assert marked == [
        (51, "line_is_json", "{broken"),
        (52, "record_is_query_or_event", "[1]"),
        (53, "record_is_query_or_event", "5"),
        (54, "record_is_query_or_event", '{"neither": 1}'),
    ]
    assert rows.height == 104


CLICK = {
    "object": {"object_id": "A1", "name": "it's \n"},
    "position": {"ordinal": 3},
    "session_id": "s",
    "dwell_time": 2.5,
}
SAYS = {"object_id": "A1", "ordinal": "3", "session_of_attributes": "s", "dwell_time": "2.5", NO_OBJECT: False}


def read(cells, column="event_attributes", experiment=None):
    """What the cells say that is not nothing."""
    frame = pl.DataFrame({"cells": cells})
    found = frame.select(parts_of(as_text("cells", frame.schema["cells"]), column, experiment))
    rows = found.to_series().struct.unnest().to_dicts()
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


@pytest.mark.parametrize(
    "cell",
    [
        json.dumps(CLICK),
        "  " + json.dumps(CLICK, indent=2),
        str(CLICK),  # as pandas writes a dict into CSV
        json.dumps({**CLICK, "object": json.dumps(CLICK["object"])}),  # JSON text once more
        json.dumps({**CLICK, "position": {"ordinal": {"index": 3}}}),
    ],
)
def test_what_a_cell_of_text_says(cell):
    assert read([cell]) == [SAYS]
    assert read([cell] * 50 + ["{broken"])[0] == SAYS


def test_structs_and_maps_say_the_same():
    assert read([CLICK]) == [SAYS]
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in CLICK.items()}
    assert read(pl.Series([texts, None], dtype=pl.Map(pl.String, pl.String))) == [SAYS, {NO_OBJECT: False}]


@pytest.mark.parametrize("cell", [None, "", " ", "null", "None", "nan", "{}"])
def test_a_cell_of_nothing_says_nothing(cell):
    assert read([cell, json.dumps(CLICK)]) == [{NO_OBJECT: False}, SAYS]


@pytest.mark.parametrize(
    "cell",
    ['{"object": {"object_id": "A1"', "A1", "[1]", "{'object': array([1])}", "{'object': __import__('os')}", "{1}"],
)
def test_a_cell_that_is_no_object_is_told(cell):
    assert read([cell]) == [{NO_OBJECT: True}]


@pytest.mark.parametrize(
    ("column", "cell", "says"),
    [
        ("event_attributes.position", {"ordinal": 3}, {"ordinal": "3"}),
        ("position", {"index": 3}, {"ordinal": "3"}),
        ("event_attributes.position.ordinal", {"index": 3}, {"ordinal": "3"}),
        ("object", {"object_id": 7}, {"object_id": "7"}),
        ("query_attributes", {"arm": "b"}, {"__experiment": "b"}),
        (
            "queryResponse",
            {"queryResponseHitIds": ["A"], "queryResponseId": "r"},
            {"hits": ["A"], "query_response_id": "r"},
        ),
        ("user_query", {"text": "lamp"}, {"user_query": "lamp"}),
    ],
)
def test_cells_of_what_is_inside(column, cell, says):
    assert read([json.dumps(cell)], column, "arm") == [{**says, NO_OBJECT: False}]
    assert set(says) < set(PARTS)


def test_every_place_is_one_of_a_record():
    assert all(name.endswith(path[-1]) for name, path in PLACES.items())


def ubi_fields_taken(*records, experiment=None):
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
    assert ubi_fields_taken(asked(**{name: ["B", 7]}))[0]["hits"] == ["B", "7"]
    assert ubi_fields_taken(asked(**{name: []}))[0]["hits"] == []


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
    row = ubi_fields_taken(clicked({"object": {"object_id": "A"}, **attributes}))[0]
    assert (row["object_id"], row["ordinal"]) == ("A", ordinal)


def test_the_ordinal_within_the_object():
    assert ubi_fields_taken(clicked({"object": {"object_id": "A", "position": {"ordinal": 5}}}))[0]["ordinal"] == "5"


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
    assert ubi_fields_taken(asked(user_query=said), asked())[0]["user_query"] == text


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
    first, second, other = ubi_fields_taken(sent, earlier, asked(client_id="c2"), experiment="arm")
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


@pytest.mark.slow
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
    with pytest.raises(DataError, match="not look like a known log"):
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


ASKED = [
    {
        "application": "shop", "query_id": one, "client_id": "c1", "user_query": text, "timestamp": f"2025-06-01T00:0{minute}:00.000Z",
        "query_attributes": {"arm": arm}, "query_response_hit_ids": hits, "query": '{"size":0}' if minute == 3 else None,
    }
    for minute, (one, text, arm, hits) in enumerate(
        [("q1", "lamp, small", "x", ["A", "B", "C"]), ("q2", "", "y", []), ("q3", "bulb", "x", None), ("q4", "bulb", "x", [])]
    )
]  # fmt: skip
HAPPENED = [
    {
        "application": "shop", "action_name": action, "query_id": one, "session_id": "s1", "client_id": "c1", "user_id": "",
        "timestamp": f"2025-06-01T00:0{minute}:30.000Z", "message_type": None, "message": None, "event_attributes": attributes,
    }
    for minute, (action, one, attributes) in enumerate(
        [
            ("impression", "q1", {"object": {"object_id": "A", "name": 'a "1"'}, "position": {"ordinal": 1}}),
            ("click", "q1", {"object": {"object_id": "B", "name": None}, "position": {"ordinal": 2}}),
            ("click", "q3", {"object": {"object_id": "Z", "name": None}, "position": {"ordinal": 4}}),
            ("scroll", "q1", None),
            ("click", None, {"object": {"object_id": "A", "name": None}, "position": {"ordinal": 1}}),
            ("click", "q1", {"object": {"object_id": None, "name": None}, "position": {"ordinal": 1}}),
        ]
    )
]  # fmt: skip


def as_ndjson(rows, write, name):
    return write(f"{name}.ndjson", "".join(json.dumps(row) + "\n" for row in rows))


def as_csv(rows, write, name, spelled=json.dumps):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {key: spelled(value) if isinstance(value, dict | list) else value for key, value in row.items()}
        )
    return write(f"{name}.csv", text.getvalue())


def as_pandas_csv(rows, write, name):
    return as_csv(rows, write, name, spelled=str)


def as_parquet(rows, write, name, **columns):
    frame = pl.DataFrame(rows, infer_schema_length=None).with_columns(**columns)
    path = write(f"{name}.parquet", "")
    frame.write_parquet(path)
    return path


def as_text_in_parquet(rows, write, name):
    return as_parquet(
        [
            {key: json.dumps(value) if isinstance(value, dict | list) else value for key, value in row.items()}
            for row in rows
        ],
        write,
        name,
    )


def as_typed_parquet(rows, write, name):
    times = [datetime.fromisoformat(row["timestamp"]) for row in rows]
    return as_parquet(
        rows, write, name, timestamp=pl.Series(times), application=pl.col("application").cast(pl.Categorical)
    )


def as_dotted_parquet(rows, write, name, joined="."):
    flat = []
    for row in rows:
        flat.append({key: value for key, value in row.items() if key not in ("event_attributes", "query_attributes")})
        given = row.get("event_attributes") or {}
        flat[-1] |= {f"event_attributes{joined}object{joined}object_id": given.get("object", {}).get("object_id")}
        flat[-1] |= {f"event_attributes{joined}position{joined}ordinal": given.get("position", {}).get("ordinal")}
        flat[-1] |= {f"query_attributes{joined}arm": row.get("query_attributes", {}).get("arm")}
    return as_parquet(flat, write, name)


def as_maps_in_parquet(rows, write, name):
    maps = [None if not row.get("event_attributes") else list(row["event_attributes"].items()) for row in rows]
    texts = [one and [(key, json.dumps(value)) for key, value in one] for one in maps]
    path = as_text_in_parquet(rows, write, name)
    if any(texts):
        table = pq.read_table(path).drop_columns("event_attributes")
        pq.write_table(
            table.append_column("event_attributes", pa.array(texts, pa.map_(pa.string(), pa.string()))), path
        )
    return path


def as_parquet_joined_by_underscores(rows, write, name):
    return as_dotted_parquet(rows, write, name, joined="_")


def as_structs_joined_by_underscores(rows, write, name):
    return as_parquet(
        [{key: value for key, value in row.items() if key != "event_attributes"} for row in rows],
        write,
        name,
        **{
            f"event_attributes_{part}": pl.Series([(row.get("event_attributes") or {}).get(part) for row in rows])
            for part in ("object", "position")
        },
    )


WAYS = [
    as_csv, as_pandas_csv, as_parquet, as_text_in_parquet, as_typed_parquet, as_dotted_parquet, as_maps_in_parquet,
    as_parquet_joined_by_underscores, as_structs_joined_by_underscores,
]  # fmt: skip


def accounted(study):
    """What became of the records: the same numbers whatever the files are called."""
    return [(one.table, one.kind, one.records, one.rows, one.merged, one.idle, one.rejected) for one in study.sources]


@pytest.mark.few(6)
@pytest.mark.slow
@pytest.mark.parametrize(("way", "of_events"), [*((way, way) for way in WAYS), (as_parquet, as_ndjson)])
def test_the_same_log_in_every_way(write, quiet_read, way, of_events):
    """As NDJSON, as CSV with JSON in cells, as Parquet; also with queries one way and events another."""
    arm = {"format": "ubi", "system": "query_attributes.arm"}
    whole = quiet_read([as_ndjson(ASKED, write, "queries"), as_ndjson(HAPPENED, write, "events")], config=arm)
    files = [way(ASKED, write, "queries"), of_events(HAPPENED, write, "events")]
    study = quiet_read(files, config=arm)
    assert [fitting([glimpse(file)], FORMATS) for file in files] == [["ubi"], ["ubi"]]
    for name in ("users", "sessions", "queries", "results", "rejected"):
        assert study.table(name).collect().equals(whole.table(name).collect()), name
    assert accounted(study) == accounted(whole)
    assert study.notes == whole.notes
    # what the log above says: B of q1 clicked, Z of q3 known by its click, q2 and q4 with lists of nothing
    found = study.results.collect().select("query_position", "rank", "doc_id", "clicks").rows()
    assert found == [(1, 1, "A", 0), (1, 2, "B", 1), (1, 3, "C", 0), (3, 4, "Z", 1)]
    queries = study.queries.collect().select("query_text", "results_status").rows()
    assert queries == [("lamp, small", "shown"), ("", "empty"), ("bulb", "partly_observed")]


@pytest.mark.parametrize(
    "dtype", [pl.List(pl.Float64), pl.Array(pl.Float64, 2), pl.List(pl.Int64), pl.List(pl.Categorical)]
)
def test_ids_of_hits_are_the_same_text_whatever_their_type(write, quiet_read, dtype):
    asked = [{**ASKED[0], "query_response_hit_ids": ["17", "4"]}]
    hits = pl.Series([["17", "4"]]).cast(pl.List(dtype.inner)).cast(dtype)
    study = quiet_read(as_parquet(asked, write, "queries", query_response_hit_ids=hits))
    assert study.results.collect().select("rank", "doc_id").rows() == [(1, "17"), (2, "4")]


@pytest.mark.slow
@pytest.mark.parametrize("way", [as_csv, as_parquet])
def test_a_large_table_is_the_same(write, quiet_read, in_batches, way):
    files = [way(ASKED, write, "queries"), way(HAPPENED, write, "events")]
    whole = quiet_read(files)
    in_batches(2)
    parted = quiet_read(files)
    for name in ("sessions", "queries", "results"):
        assert parted.table(name).collect().equals(whole.table(name).collect()), name
    assert parted.sources == whole.sources


@pytest.mark.slow
@pytest.mark.parametrize("way", [as_csv, as_text_in_parquet])
def test_a_cell_that_cannot_be_read_is_kept_aside_and_named(write, quiet_read, rejects, way):
    broken = {**HAPPENED[1], "event_attributes": '{"object": {"object_id": "B"'}
    study = quiet_read([as_csv(ASKED, write, "queries"), way([*HAPPENED, broken], write, "events")])
    ((record, line, rule, value, raw),) = rejects(study)
    assert (record, rule, value) == (7, "event_attributes_can_be_read", '{"object": {"object_id": "B"')
    assert line == (8 if way is as_csv else None)
    assert "q1" in raw
    assert "s1" in raw
    (source,) = study.rejected.collect()["source"].to_list()
    assert source.startswith("events.")
    with pytest.raises(DataError, match=match_parts(rule)):
        quiet_read([as_csv(ASKED, write, "queries"), way([*HAPPENED, broken], write, "events")], strict=True)


@pytest.mark.slow
def test_hits_of_other_kinds(write, quiet_read, rejects):
    def listing(hits, name):
        return as_parquet([{"query_id": name, "user_query": "lamp"}], write, name, query_response_hit_ids=hits)

    numbers = listing(pl.Series([[7, 8]]), "q1")
    array = listing(pl.Series([["A", "B"]], dtype=pl.Array(pl.String, 2)), "q2")
    structs = listing(pl.Series([[{"id": "A"}]]), "q3")
    study = quiet_read([numbers, array, structs])
    assert study.results.collect().select("session_id", "doc_id").rows() == [
        ("q1", "7"), ("q1", "8"), ("q2", "A"), ("q2", "B"),
    ]  # fmt: skip
    assert [row[2:4] for row in rejects(study)] == [("hits_can_be_read", '[{"id":"A"}]')]


def test_records_in_camel_case_as_data_prepper_writes_them(write, quiet_read):
    answer = {"queryResponseId": "r", "queryResponseHitIds": ["A", "B"]}
    rows = [{"queryId": "q", "userQuery": "lamp", "clientId": "c", "queryResponse": answer, "timestamp": 1735815601000}]
    study = quiet_read(as_parquet(rows, write, "camel"))
    assert study.results.collect().select("session_id", "doc_id").rows() == [("c-1", "A"), ("c-1", "B")]
    assert study.queries.collect().select("query_text", "issued_at").rows() == [
        ("lamp", datetime.fromisoformat("2025-01-02T11:00:01+00:00"))
    ]


@pytest.mark.slow
def test_a_query_that_looks_like_an_object_is_a_text_all_the_same(write, quiet_read):
    texts = ["{lamp", '{"text": "bulb"}', "{}"]
    rows = [
        {"query_id": f"q{one}", "user_query": text, "query_response_hit_ids": ["A"]} for one, text in enumerate(texts)
    ]
    for way in (as_csv, as_text_in_parquet):
        found = quiet_read(way(rows, write, "queries")).queries.collect()["query_text"].to_list()
        assert found == ["{lamp", "bulb", "{}"]


def test_numpys_lists_of_hits_are_not_taken_for_one_id(write, quiet_read, rejects):
    study = quiet_read(
        write("queries.csv", "query_id,user_query,query_response_hit_ids\nq,lamp,['A' 'B']\nr,lamp,['A' ... 'B']\n")
    )
    assert study.results.collect()["doc_id"].to_list() == ["A", "B"]
    assert [row[2:4] for row in rejects(study)] == [("hits_can_be_read", "['A' ... 'B']")]


def test_parquet_is_recognized_by_its_columns(write, tmp_path, quiet_read):
    queries = as_parquet(ASKED, write, "anything")
    assert fitting([glimpse(queries)], FORMATS) == ["ubi"]
    assert fitting([glimpse(queries)], JUDGMENTS) == []
    as_parquet(HAPPENED, write, "more")
    write("_SUCCESS", "")
    assert quiet_read(tmp_path).reader == "ubi"
    assert are_of_table(["queryId", "userQuery"])
    assert not are_of_table(["query_id", "user_query", "rating"])


def test_damaged_parquet_is_told(write, quiet_read):
    whole = as_parquet(HAPPENED, write, "events").read_bytes()
    with pytest.raises(DataError, match=match_parts("cut.parquet", "as Parquet", "whole?")):
        quiet_read(write("cut.parquet", whole[:-9]), format="ubi")
    with pytest.raises(DataError, match=r"^odd\.parquet cannot be read"):
        quiet_read(write("odd.parquet", whole[:4] + b"\xff" * 300 + whole[304:]), format="ubi")
    none = as_parquet(HAPPENED, write, "none")
    pl.read_parquet(none).clear().write_parquet(none)
    with pytest.raises(DataError, match=r"none\.parquet: no query record"):
        quiet_read(none)
