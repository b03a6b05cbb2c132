"""Counts with the least of what is counted, whole and in parts."""

import polars as pl

from sessionkit.readers.events.lists import all_found, found, summed


def test_counting():
    frame = pl.LazyFrame({"kind": ["b", "a", "a"]})
    assert found(frame, "kind") == (3, "a")
    assert found(frame, "kind", distinct=True) == (2, "a")
    assert found(frame.clear(), "kind") == (0, None)


def test_parts_add_up():
    assert all_found([(2, "b"), (0, None), (3, "a")]) == (5, "a")
    assert all_found([(0, None)]) == (0, None)
    assert summed({"a": 1}, {"b": 2, "a": 3}) == {"a": 4, "b": 2}
