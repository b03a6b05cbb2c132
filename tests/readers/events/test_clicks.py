"""Clicks on results, held against counting one by one."""

from collections import Counter

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.readers.events.lists import with_clicks

LISTS = st.lists(st.tuples(st.integers(1, 3), st.sampled_from("abc")), max_size=8)
CLICKS = st.lists(st.tuples(st.integers(1, 4), st.sampled_from("abcd"), st.integers(0, 9)), max_size=12)
TYPES = {"query": pl.Int64, "doc_id": pl.String}


@given(LISTS, CLICKS)
def test_every_click_is_on_the_first_such_result_or_on_none(rows, made):
    results = pl.LazyFrame(rows, schema=TYPES, orient="row")
    clicks = pl.LazyFrame(made, schema={**TYPES, "click_elapsed_seconds": pl.Int64}, orient="row")
    found, outside = (frame.collect() for frame in with_clicks(results, clicks, ["query", "doc_id"]))
    counts = Counter((query, doc) for query, doc, _ in made)
    due = [counts[row] if row not in rows[:place] else 0 for place, row in enumerate(rows)]
    assert found["clicks"].to_list() == due
    assert found["clicked"].to_list() == [many > 0 for many in due]
    assert found.select("query", "doc_id").rows() == rows
    first = {key: min(at for query, doc, at in made if (query, doc) == key) for key in counts}
    assert found["click_elapsed_seconds"].to_list() == [
        first[row] if many else None for row, many in zip(rows, due, strict=True)
    ]
    assert sorted(outside.rows()) == sorted(click for click in made if click[:2] not in rows)
    assert sum(due) + outside.height == len(made)


def test_another_kind_of_click_is_only_counted():
    results = pl.LazyFrame({"query": [1, 1], "doc_id": ["a", "b"], "clicked": [True, False]})
    clicks = pl.LazyFrame({"query": [1], "doc_id": ["b"], "clicked_at": ["x"], "dwell_seconds": [1.0]})
    found, _ = with_clicks(results, clicks, ["query", "doc_id"], many="author_clicks")
    assert found.collect().rows() == [(1, "a", True, 0), (1, "b", False, 1)]


def test_unknown_dwell_times_are_no_zeros():
    results = pl.LazyFrame({"query": [1, 1], "doc_id": ["a", "b"]})
    clicks = pl.LazyFrame({"query": [1, 1, 1], "doc_id": ["a", "a", "b"], "dwell_seconds": [2.0, None, None]})
    found, _ = with_clicks(results, clicks, ["query", "doc_id"])
    assert found.collect()["dwell_seconds"].to_list() == [2.0, None]
