"""Items of JSON documents, read in pieces as in_batches as one character."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.errors import DataError
from sessionkit.readers.io import json as module
from sessionkit.readers.io.files import open_log
from sessionkit.readers.io.json import as_items, json_items
from sessionkit.readers.raw import LINE, RAW
from sessionkit.readers.read import read
from sessionkit.study.checks import RECORD

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=4), VALUES, max_size=3), max_size=5)


def opened(folder, text):
    path = folder / "document.json"
    path.write_text(text, encoding="utf-8")
    return open_log(path.name, folder, folder)


def values_in(folder, text):
    return [item.value for item in json_items(opened(folder, text))]


@settings(deadline=None)
@given(OBJECTS, st.sampled_from([None, 1, 4]), st.integers(1, 40))
def test_items_are_those_of_a_parser_however_they_come(tmp_path_factory, objects, indent, chunk):
    folder = tmp_path_factory.mktemp("items")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "CHUNK", chunk)
        array = json.dumps(objects, indent=indent, ensure_ascii=False)
        assert values_in(folder, array) == objects
        if objects:
            one_after_another = "\n\n".join(json.dumps(one, indent=indent) for one in objects)
            assert values_in(folder, one_after_another) == objects


BROKEN = """[
  {"a": 1},

  {"a": 2 "b": {
    "c": 3
  }},
  {"a":
    4},
  {"a": 5
"""


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_a_broken_item_is_one_item_and_the_next_is_found(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(module, "CHUNK", chunk)
    file = opened(tmp_path, BROKEN)
    items = list(json_items(file))
    assert [(item.number, item.line, item.value, item.broken) for item in items] == [
        (1, 2, {"a": 1}, False),
        (2, 4, None, True),
        (3, 7, {"a": 4}, False),
        (4, 9, None, True),
        (5, 10, None, True),  # the array is never closed
    ]
    assert items[1].text == '{"a": 2 "b": {\n    "c": 3\n  }}'
    located = as_items(file)(pl.Series([2, 3]))
    assert located.select(RECORD, LINE).rows() == [(2, 4), (3, 7)]
    assert located[RAW].to_list() == [items[1].text, '{"a":\n    4}']


def test_text_that_is_not_utf_8_is_refused(tmp_path):
    path = tmp_path / "document.json"
    path.write_bytes(b'[{"a": "\xe4"}]')
    with pytest.raises(DataError, match="not UTF-8"):
        list(json_items(open_log(path.name, tmp_path, tmp_path)))


ROWS = [
    {"session_id": "s", "query_position": 1, "rank": 1, "doc_id": "a\nb 😀", "note": None, "tags": ["x"]},
    {"session_id": "s", "query_position": 1, "rank": 2, "doc_id": "c", "late": 1.5},
    {"session_id": "s", "query_position": 1, "rank": "x", "doc_id": "d"},
]


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_an_array_of_objects_is_a_table(write, quiet_read, rejects, indent):
    """As pandas writes ``to_json(orient="records")``."""
    lines = quiet_read(write("log.ndjson", "".join(json.dumps(row) + "\n" for row in ROWS)))
    array = quiet_read(write("log.json", json.dumps(ROWS, indent=indent)))
    assert array.results.collect().to_dicts() == lines.results.collect().to_dicts()
    assert [(s.path, s.records, s.rejected) for s in array.sources] == [("log.json", 3, 1)]
    ((record, line, rule, value, raw),) = rejects(array)
    assert (record, rule, value, json.loads(raw)) == (3, "rank_is_an_integer", "x", ROWS[2])
    assert raw in json.dumps(ROWS, indent=indent)
    assert line == {None: 1, 0: 19, 2: 19}[indent]


def test_items_of_a_table_that_are_no_objects_are_kept_aside(write, quiet_read, rejects):
    text = json.dumps(ROWS[:2], indent=1).replace("\n]", ',\n 7,\n {"rank": 3, "doc_id: 4},\n {"session_id": "t"')
    study = quiet_read(write("log.json", text))
    assert study.facts.results == 2
    found = [(record, rule, raw) for record, _, rule, _, raw in rejects(study)]
    assert [row[:2] for row in found] == [(number, "line_is_json") for number in (3, 4, 5, 6)]
    assert [row[2] for row in found] == ["7", '{"rank": 3, "doc_id: 4}', '{"session_id": "t"', ""], "it is not closed"


@pytest.mark.slow
def test_arrays_in_batches(write, in_batches, quiet_read, same_study):
    rows = [{**dict(list(ROWS[1].items())[:4]), "session_id": f"s{number:02}"} for number in range(40)]
    path = write("log.json", json.dumps(rows))
    one = quiet_read(path)
    in_batches()
    same_study(quiet_read(path), one)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "is an empty JSON array; it has no records"),
        (
            '[["session_id"], ["s"]]',
            "is a JSON array of lists, without names; write a JSON object for each",
        ),
        ('{"session_id":{"0":"s"},"rank":{"0":1}}', "is JSON by columns, as pandas writes it by default; write a JSON"),
        ('{"columns":["session_id"],"index":[0],"data":[["s"]]}', "is JSON by columns"),
        ('{"schema":{"fields":[{"name":"index"}]},"data":[{"index":0}]}', "is JSON by columns"),
    ],
)
def test_json_of_other_shapes_is_named_with_what_to_write(write, text, words):
    log = write("log.csv", "session_id,query_position,rank,doc_id\ns,1,1,A\n")
    path = write("odd.json", text)
    for source, options in ((path, {"format": "tables"}), (log, {"judgments": path})):
        with pytest.raises(DataError, match=f"odd.json {words}"):
            read(source, **options)


def test_judgments_may_be_an_array_too(judged):
    rows = [{"query": "lamp", "doc": "A", "grade": 2}, {"query": "desk lamp", "doc": "B", "grade": 1}]
    for indent in (None, 2):
        judgments = judged("j.json", json.dumps(rows, indent=indent)).judgments.collect()
        assert judgments.select("judgment_key", "doc_id", "grade").rows() == [
            ("lamp", "A", 2.0),
            ("desk lamp", "B", 1.0),
        ]
