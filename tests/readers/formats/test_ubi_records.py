"""Records of User Behavior Insights however they are packed."""

import json

import pytest

from sessionkit.readers.formats.ubi_records import WHAT, records_of
from sessionkit.readers.io.files import open_log
from sessionkit.study.checks import RECORD, RULE

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
