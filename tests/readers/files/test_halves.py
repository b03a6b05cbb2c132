"""Halves of characters in JSON, as programs write them that cut a text in the middle of an emoji."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.readers.files import json_items as module
from sessionkit.readers.files.halves import loads, whole_characters
from sessionkit.readers.files.json_items import json_items
from sessionkit.readers.files.opening import open_log


def restated(text):
    """The text as its UTF-16 says it: halves that stand alone are not characters."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", errors="replace")


@settings(deadline=None)
@given(st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from('\ud83d\ude00\\\\"ud')), max_size=12))
def test_as_restated(text):
    line = json.dumps(text)
    assert loads(line) == restated(text)
    (mended,) = whole_characters(pl.Series([line]))
    assert json.loads(mended) == restated(text)
    assert whole_characters(pl.Series(["1", line, None, line])).to_list() == ["1", mended, None, mended]


def test_items_of_documents(tmp_path, monkeypatch):
    text = r'[{"a": "cut \ud83d"}, {"a": "\uDE00 \ud83d\ude00", "\ud83d": 1}, {"a": "\\ud83d"}]'
    (tmp_path / "log.json").write_text(text)
    for chunk in (1, 5, 1 << 20):
        monkeypatch.setattr(module, "CHUNK", chunk)
        assert [item.value for item in json_items(open_log("log.json", tmp_path, tmp_path))] == [
            {"a": "cut \ufffd"},
            {"a": "\ufffd \U0001f600", "\ufffd": 1},
            {"a": "\\ud83d"},
        ]


@pytest.mark.parametrize("title", [r"cats \ud83d", r"cats \uDE00"])
def test_lines_of_tables(write, quiet_read, title):
    row = '{"session_id":"s","query_position":1,"rank":%d,"doc_id":"x%d","title":"%s"}\n'
    study = quiet_read(write("log.ndjson", row % (1, 1, "dogs") + row % (2, 2, title)))
    assert study.results.collect()["title"].to_list() == ["dogs", "cats \ufffd"]
