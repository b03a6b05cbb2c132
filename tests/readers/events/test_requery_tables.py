"""Queries that have numbers and lists merged: nothing is lost, positions stay dense, each that goes is counted."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.readers.events.sessions import ROWS_GONE, SAID, merged_tables
from sessionkit.study.checks import RECORD, RULE

SAME, TYPED = SAID["same"], SAID["typing"]


def asked(*rows):
    """Queries given as session, position, text, seconds, status."""
    names = ["session_id", "query_position", "query_text", "elapsed_seconds", "results_status"]
    return pl.DataFrame(rows, schema=names, orient="row").with_row_index(RECORD, offset=1)


def shown(*rows):
    """Results given as session, position, rank, document, clicks, dwell."""
    names = ["session_id", "query_position", "rank", "doc_id", "clicks", "dwell_seconds"]
    types = {"session_id": pl.String, "doc_id": pl.String, "clicks": pl.Int32, "dwell_seconds": pl.Float64}
    types |= {"query_position": pl.Int64, "rank": pl.Int64}
    frame = pl.DataFrame(rows, schema=names, schema_overrides=types, orient="row").with_row_index(RECORD, offset=1)
    return frame.with_columns(clicked=pl.col("clicks") > 0)


def test_clicks_go_onto_the_list_that_is_left_and_rows_where_it_ends():
    queries = asked(
        ("a", 1, "cat", 0.0, "shown"),
        ("a", 2, " cat", 9.0, "shown"),
        ("a", 3, "dog", 20.0, "empty"),
        ("b", 1, "dog", 0.0, "shown"),
    )
    results = shown(
        ("a", 1, 1, "x", 1, 5.0),
        ("a", 1, 2, "y", 0, None),
        ("a", 2, 1, "y", 2, 3.0),  # there already, at another rank
        ("a", 2, 2, "w", 1, None),  # at a rank that is taken
        ("a", 2, 3, "z", 0, None),  # further down
        ("b", 1, 1, "x", 0, None),
    )
    made = merged_tables(queries, results, ["same"])
    assert made.queries.select("session_id", "query_position", "query_text").rows() == [
        ("a", 1, "cat"),
        ("a", 2, "dog"),
        ("b", 1, "dog"),
    ]
    assert made.results.drop(RECORD, "session_id").rows() == [
        (1, 1, "x", 1, 5.0, True),
        (1, 2, "y", 2, 3.0, True),
        (1, 3, "z", 0, None, False),
        (1, 1, "x", 0, None, False),
    ]
    assert {words: rows[RECORD].to_list() for words, rows in made.gone.items()} == {SAME: [2], ROWS_GONE: [3, 4]}


def test_a_text_on_its_way_loses_its_list_to_the_next():
    queries = asked(("a", 1, "c", 0.0, "shown"), ("a", 2, "cat", 2.0, "shown"), ("a", 3, "cat", 60.0, "shown"))
    results = shown(("a", 1, 1, "x", 0, None), ("a", 2, 1, "y", 0, None), ("a", 3, 1, "y", 1, 2.0))
    made = merged_tables(queries, results, ["same", "typing"], pl.col("elapsed_seconds"))
    assert made.queries.select("query_position", "query_text").rows() == [(1, "cat")]
    assert made.results.select("query_position", "doc_id", "clicks").rows() == [(1, "y", 1)]
    assert {words: rows.height for words, rows in made.gone.items()} == {SAME: 1, TYPED: 1, ROWS_GONE: 2}


def test_a_text_sent_again_and_clicked_is_not_on_its_way():
    """The click on the second list is one of the query that is left, between it and the next."""
    queries = asked(("a", 1, "ca", 0.0, "shown"), ("a", 2, "ca", 1.0, "shown"), ("a", 3, "cat", 2.0, "shown"))
    results = shown(("a", 1, 1, "x", 0, None), ("a", 2, 1, "x", 1, 3.0), ("a", 3, 1, "y", 0, None))
    made = merged_tables(queries, results, ["same", "typing"], pl.col("elapsed_seconds"))
    assert made.queries["query_text"].to_list() == ["ca", "cat"]
    assert made.results.select("doc_id", "clicks").rows() == [("x", 1), ("y", 0)]
    assert {words: rows[RECORD].to_list() for words, rows in made.gone.items()} == {SAME: [2], ROWS_GONE: [2]}


def test_typing_goes_on_from_when_a_text_was_last_sent():
    queries = asked(("a", 1, "ca", 0.0, "shown"), ("a", 2, "ca", 8.0, "shown"), ("a", 3, "cat", 10.0, "empty"))
    results = shown(("a", 1, 1, "x", 0, None), ("a", 2, 1, "x", 0, None))
    made = merged_tables(queries, results, ["same", "typing"], pl.col("elapsed_seconds"))
    # the lists of texts on their way go with them, so that the empty one stays empty
    assert made.queries.select("query_position", "query_text", "results_status").rows() == [(1, "cat", "empty")]
    assert made.results.is_empty()
    assert {words: sorted(rows[RECORD]) for words, rows in made.gone.items()} == {
        SAME: [2],
        TYPED: [1],
        ROWS_GONE: [1, 2],
    }


def test_queries_at_one_position_share_no_rows():
    """All but the first will be rejected; no row is there twice."""
    queries = asked(*(("a", place, text, 0.0, "shown") for place, text in [(1, "x"), (1, "x"), (2, "y"), (3, "y")]))
    results = shown(("a", 1, 1, "p", 1, None), ("a", 1, 1, "p", 0, None), ("a", 2, 1, "q", 0, None))
    made = merged_tables(queries, results, ["same"])
    assert made.queries.select(RECORD, "query_position").rows() == [(1, 1), (2, 1), (3, 2)]
    assert made.results[RECORD].to_list() == [1, 2, 3]
    assert {words: rows[RECORD].to_list() for words, rows in made.gone.items()} == {SAME: [4]}


def test_a_query_that_broke_a_rule_keeps_its_place():
    queries = asked(*(("a", place, text, 0.0, "shown") for place, text in enumerate(["x", "x", "y", "x", "x"], 1)))
    queries = queries.with_columns(pl.when(pl.col("query_text") == "y").then(pl.lit("bad")).alias(RULE))
    made = merged_tables(queries, shown(), ["same"])
    assert made.queries.select("query_position", RULE).rows() == [(1, None), (2, "bad"), (3, None)]


@pytest.mark.parametrize(
    ("first", "status"), [("empty", "shown"), ("not_logged", "shown"), ("partly_observed", "partly_observed")]
)
def test_what_is_known_of_the_list(first, status):
    queries = asked(("a", 1, "x", 0.0, first), ("a", 2, "x", 1.0, "shown"))
    assert merged_tables(queries, shown(), ["same"]).queries["results_status"].to_list() == [status]


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 2)), max_size=3)),
        max_size=7,
    )
)
def test_nothing_is_lost(log):
    queries = asked(*(("s", place, text, 0.0, "shown") for place, (text, _) in enumerate(log, 1)))
    queries = queries.cast({"query_position": pl.Int64, "query_text": pl.String, "session_id": pl.String})
    lists = [
        ("s", place, rank, doc, clicks, None)
        for place, (_, rows) in enumerate(log, 1)
        for rank, (doc, clicks) in enumerate(rows, 1)
    ]
    results = shown(*lists)
    made = merged_tables(queries, results, ["same"])
    texts = [text for text, _ in log]
    left = [text for place, text in enumerate(texts) if place == 0 or texts[place - 1] != text]
    assert made.queries["query_text"].to_list() == left
    assert made.queries["query_position"].to_list() == list(range(1, len(left) + 1))
    gone = {words: rows.height for words, rows in made.gone.items()}
    assert gone.get(SAME, 0) == len(texts) - len(left)
    assert made.results.height + gone.get(ROWS_GONE, 0) == len(lists)
    heads = [place for place in range(len(texts)) if place == 0 or texts[place - 1] != texts[place]]
    for number, head in enumerate(heads, 1):
        rows = made.results.filter(pl.col("query_position") == number)
        own = [doc for doc, _ in log[head][1]]
        assert rows["doc_id"].to_list()[: len(own)] == own  # the list of the first, and what comes after it
        assert rows["rank"].is_unique().all()
