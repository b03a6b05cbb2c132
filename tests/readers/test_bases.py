"""Counting from 0: shifted where most lists do it, an error of the record where one does."""

import pytest

from sessionkit.errors import DataWarning
from sessionkit.readers import from_tables


def tables(rows):
    return dict(
        zip(("session_id", "query_position", "rank", "doc_id"), map(list, zip(*rows, strict=True)), strict=True)
    )


def test_ranks_and_positions_from_zero():
    study = from_tables(tables([("a", 0, 0, "x"), ("a", 0, 2, "y"), ("a", 1, 0, "z")]))
    assert study.results.collect().rows() == [("a", 1, 1, "x"), ("a", 1, 3, "y"), ("a", 2, 1, "z")], "gaps stay"
    assert [note for note in study.notes if "counts from 0" in note] == [
        "results frame: query_position counts from 0 and was shifted to count from 1",
        "results frame: rank counts from 0 and was shifted to count from 1",
    ]


def test_a_single_zero_is_rejected():
    with pytest.warns(DataWarning, match="rank_is_at_least_1 1"):
        study = from_tables(tables([("a", 1, 0, "w"), ("a", 1, 1, "x"), ("a", 2, 1, "y"), ("b", 1, 1, "z")]))
    assert study.rejected.collect()["value"].to_list() == ["0"]
    assert study.results.collect()["rank"].to_list() == [1, 1, 1]


def test_positions_of_results_follow_those_of_queries():
    # no session's first query returned anything, so the results alone would seem to count from 1
    queries = {"session_id": ["a", "a"], "query_position": [0, 1]}
    study = from_tables(tables([("a", 1, 1, "x")]), queries=queries)
    assert study.results.collect().rows() == [("a", 2, 1, "x")]
    assert study.queries.collect()["results_status"].to_list() == ["empty", "shown"]
