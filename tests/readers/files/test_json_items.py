"""Items of JSON documents, read in pieces as small as one character."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.contract import RECORD
from sessionkit.errors import DataError
from sessionkit.readers.files import json_items as module
from sessionkit.readers.files.json_items import as_items, json_items
from sessionkit.readers.files.opening import open_log
from sessionkit.readers.raw import LINE, RAW

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


def found(folder, text, **options):
    return [(item.name, item.value) for item in json_items(opened(folder, text), **options)]


@settings(deadline=None)
@given(OBJECTS, st.sampled_from([None, 1, 4]), st.integers(1, 40))
def test_items_are_those_of_a_parser_however_they_come(tmp_path_factory, objects, indent, chunk):
    folder = tmp_path_factory.mktemp("items")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "CHUNK", chunk)
        array = json.dumps(objects, indent=indent, ensure_ascii=False)
        assert found(folder, array) == [("", one) for one in objects]
        named = json.dumps({"a": objects, "other": {"x": 1}, "b": objects[:1]}, indent=indent)
        assert found(folder, named, named=True) == [("a", one) for one in objects] + [("b", one) for one in objects[:1]]
        if objects:
            one_after_another = "\n\n".join(json.dumps(one, indent=indent) for one in objects)
            assert found(folder, one_after_another) == [("", one) for one in objects]


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


@pytest.mark.parametrize(
    ("text", "line"),
    [("[]", 1), ('{"a": [{"x": 1}],\n b: []}', 2), ('{"a": [],\n\n"b": nothing}', 3), ('{"a" []}', 1)],
)
def test_a_document_that_is_no_object_of_arrays_is_refused_by_line(tmp_path, text, line):
    with pytest.raises(DataError, match=rf"document\.json, line {line}: "):
        list(json_items(opened(tmp_path, text), named=True))


def test_text_that_is_not_utf_8_is_refused(tmp_path):
    path = tmp_path / "document.json"
    path.write_bytes(b'[{"a": "\xe4"}]')
    with pytest.raises(DataError, match="not UTF-8"):
        list(json_items(open_log(path.name, tmp_path, tmp_path)))
