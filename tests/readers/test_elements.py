"""Rows made of elements: lists that are regular and those that are not give the same."""

import polars as pl
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.contract import RECORD
from sessionkit.readers.elements import Rows, block_of, regular

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
    monkeypatch.setattr("sessionkit.readers.elements.MANY", 2)
    frames = []
    for folder in (None, tmp_path):
        rows = Rows({"id": pl.String, "n": pl.Int64, "never": pl.String}, ("id",), folder)
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
