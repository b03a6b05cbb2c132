"""Rows made of elements: lists that are regular and those that are not give the same."""

import polars as pl
import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.readers.io.xml import ElementRows, block_of, regular
from sessionkit.study.checks import RECORD

LEAVES = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "x", "y "])), max_size=3)
LISTS = st.lists(st.tuples(st.sampled_from([" rank='1'", " rank='2'", "", " rank='1' k='2'"]), LEAVES), max_size=4)


@given(LISTS)
def test_a_regular_list_says_what_its_elements_say(given_list):
    inside = "".join(
        f"<r{attributes}>{''.join(f'<{tag}>{text}</{tag}>' for tag, text in leaves)}</r>"
        for attributes, leaves in given_list
    )
    parent = fromstring(f"<l>{inside}</l>")
    block = regular(parent)
    one_by_one = block_of([dict(child.attrib) | {leaf.tag: leaf.text for leaf in child} for child in parent])
    assert block is None or block == one_by_one
    same = len({(attributes.split("=")[0], tuple(tag for tag, _ in leaves)) for attributes, leaves in given_list}) == 1
    own = [tag for tag, _ in given_list[0][1]] if given_list else []
    if same and len(set(own)) == len(own) and all(text.count("=") == 1 for text, _ in given_list):
        assert block is not None


def test_elements_within_elements_are_not_regular():
    assert regular(fromstring("<l><r k='1'><a><b>1</b></a></r></l>")) is None


def test_rows_in_memory_and_in_files_are_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("sessionkit.readers.io.xml.MANY", 2)
    frames = []
    for folder in (None, tmp_path):
        rows = ElementRows({"id": pl.String, "n": pl.Int64, "never": pl.String}, ("id",), folder)
        rows.add({RECORD: [1], "id": [" a&amp;b "], "n": [1]})
        rows.add({RECORD: [2, 3], "id": ["", None], "other": [None, "z"]})
        rows.add({RECORD: [4], "n": [4]})
        frames.append(rows.frame(("id", "n")).collect())
    assert frames[0].equals(frames[1])
    assert frames[0].to_dict(as_series=False) == {
        RECORD: [1, 2, 3, 4],
        "id": ["a&b", None, None, None],
        "n": [1, None, None, 4],
        "other": [None, None, "z", None],
    }


def test_columns_come_in_the_order_of_their_types_and_those_required_are_there_though_empty(tmp_path, monkeypatch):
    monkeypatch.setattr("sessionkit.readers.io.xml.MANY", 1)
    for folder in (None, tmp_path):
        rows = ElementRows({"id": pl.String, "n": pl.Int64, "m": pl.Int32, "never": pl.String}, (), folder)
        rows.add_row({RECORD: 1, "zebra": "z", "id": None, "never": " "})
        rows.add_row({RECORD: 2, "n": 7, "apple": "a"})
        frame = rows.frame(("id", "m")).collect()
        assert frame.schema == {
            **{RECORD: pl.Int64, "id": pl.String, "n": pl.Int64, "m": pl.Int32},
            **{"apple": pl.String, "zebra": pl.String},
        }
        assert frame.rows() == [(1, None, None, None, None, "z"), (2, None, 7, None, "a", None)]


def test_no_rows_are_a_table_of_none():
    frame = ElementRows({"id": pl.String, "n": pl.Int64}, ("id",), None).frame(("id",)).collect()
    assert (frame.height, frame.columns) == (0, [RECORD, "id"])


def test_only_displayed_texts_are_decoded_once_more():
    rows = ElementRows({"shown": pl.String, "address": pl.String}, ("shown",), None)
    rows.add({RECORD: [1, 2, 3], "shown": ["a &amp; b", None, "c"], "address": ["x?a=1&amp;b=2", "y", None]})
    assert rows.frame(()).collect().rows() == [(1, "a & b", "x?a=1&amp;b=2"), (2, None, "y"), (3, "c", None)]


def test_once_closed_nothing_is_on_its_way_and_what_went_wrong_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("sessionkit.readers.io.xml.MANY", 1)
    rows = ElementRows({"n": pl.Int64}, (), tmp_path)
    rows.add_row({RECORD: 1, "n": 1})
    rows.close()
    assert len(list(tmp_path.rglob("*.parquet"))) == 1
    wrong = ElementRows({"n": pl.Int64}, (), tmp_path)
    wrong.add_row({RECORD: 1, "n": "no number"})
    with pytest.raises(TypeError):
        wrong.frame(())
