"""Queries, lists and marks to rows: what merging moves, where marks go, what is counted."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from sessionkit.readers.events.lists import (
    AT,
    BARE,
    FILE,
    FROM,
    GONE,
    KEY,
    KIND,
    MANY,
    NOUN,
    as_time,
    listed,
    tallied,
    together,
)
from sessionkit.readers.raw import in_memory
from sessionkit.study.checks import RECORD

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
MARKS = {
    FILE: pl.Int32,
    KEY: pl.Int64,
    RECORD: pl.Int64,
    "doc_id": pl.String,
    MANY: pl.String,
    "dwell_seconds": pl.Float64,
}


def queries(*asked):
    """Queries (text, seconds after noon) of one session, their KEY and RECORD from 1."""
    rows = [(0, number, number, "s", text, NOON + timedelta(seconds=at)) for number, (text, at) in enumerate(asked, 1)]
    schema = {FILE: pl.Int32, KEY: pl.Int64, RECORD: pl.Int64, "session_id": pl.String, "query_text": pl.String}
    frame = pl.LazyFrame(rows, schema={**schema, AT: pl.Datetime("us", "UTC")}, orient="row")
    return frame.with_columns(
        pl.lit("queries").alias(KIND), pl.lit("not_logged").alias(BARE), pl.lit(value=True).alias("__counts")
    )


def lists(*shown, known="hit list"):
    """Results (query, documents) from rank 1 on; a query with a number as third part begins at that rank."""
    rows = [
        (0, key, 100 * key + place, place + (start[0] if start else 1), doc)
        for key, docs, *start in shown
        for place, doc in enumerate(docs)
    ]
    schema = {FILE: pl.Int32, KEY: pl.Int64, RECORD: pl.Int64, "rank": pl.Int64, "doc_id": pl.String}
    frame = pl.LazyFrame(rows, schema=schema, orient="row")
    return frame.with_columns(pl.lit("results").alias(KIND), pl.lit(known).alias(FROM))


def marks(*made):
    """Clicks (query, document, seconds of dwell), their RECORD from 1000 on."""
    rows = [(0, key, 1000 + place, doc, "clicks", dwell) for place, (key, doc, dwell) in enumerate(made)]
    return pl.LazyFrame(rows, schema=MARKS, orient="row").with_columns(pl.lit("clicks").alias(NOUN))


def rows(made):
    return (
        made.results.sort("query_position", "rank")
        .select("query_position", "rank", "doc_id", "clicks")
        .collect()
        .rows()
    )


def test_a_query_sent_again_gives_the_ranks_that_the_first_lacks():
    asked = queries(("cats", 0), ("cats", 60), ("dogs", 90))
    made = listed(
        asked,
        lists((1, "ab"), (2, "abc"), (3, "d"), known="impressions"),
        marks((2, "c", None), (2, "x", None)),
        rules=["same"],
        keep=in_memory,
    )
    # a and b were seen both times; c is at a rank that was not seen the first time
    assert rows(made) == [(1, 1, "a", 0), (1, 2, "b", 0), (1, 3, "c", 1), (2, 1, "d", 0)]
    assert made.merged == {(0, "queries merged into others"): 1, (0, "clicks"): 1}
    assert made.idle == {(0, "clicks without a listed result"): 1}


def test_a_first_page_that_was_not_logged_is_that_of_the_query_sent_again():
    made = listed(queries(("cats", 0), ("cats", 60)), lists((2, "ab")), marks(), rules=["same"], keep=in_memory)
    assert rows(made) == [(1, 1, "a", 0), (1, 2, "b", 0)]
    assert made.queries.select("results_status").collect().to_series().to_list() == ["shown"]


@pytest.mark.parametrize(
    ("shown", "positions"),
    [
        ([(1, "ab"), (2, "cd")], [1, 1, 2, 2]),
        ([(1, "ab"), (2, "ba")], [1, 1, 2, 2]),
        ([(1, "ab"), (2, "abc")], [1, 1, 2, 2, 2]),
        ([(1, "ab"), (2, "ab")], [1, 1]),
        ([(1, "ab"), (2, "cd", 3)], [1, 1, 1, 1]),  # ranks 3 and 4
        ([(1, "ab"), (3, "ab")], [1, 1]),  # the second query has no list
        ([(1, "ab"), (3, "cd")], [1, 1, 2, 2]),
        ([(1, "ab"), (2, "cd"), (3, "ab")], [1, 1, 2, 2, 3, 3]),
        ([(1, "ab"), (2, "c", 3), (3, "ab")], [1, 1, 1]),  # back from the second page, which is shorter
        ([(1, "ab"), (2, "cd", 3), (3, "xy", 3)], [1, 1, 1, 1, 2, 2]),  # another second page
    ],
)
def test_queries_of_one_text_are_merged_only_if_their_lists_agree(shown, positions):
    asked = queries(*[("cats", 60 * place) for place in range(max(key for key, *_ in shown))])
    made = listed(asked, lists(*shown), marks(), rules=["same", "paging"], keep=in_memory)
    assert [position for position, *_ in rows(made)] == positions
    assert made.queries.collect().height == positions[-1]


def test_an_empty_list_differs_from_one_with_results():
    asked = queries(("cats", 0), ("cats", 60), ("cats", 90)).with_columns(
        pl.when(pl.col(KEY) < 3).then(pl.lit("empty")).otherwise(BARE).alias(BARE)
    )
    made = listed(asked, lists((3, "ab")), marks(), rules=["same"], keep=in_memory)
    assert made.queries.collect()["results_status"].to_list() == ["empty", "shown"]


def test_the_list_of_a_text_on_its_way_is_gone():
    made = listed(
        queries(("ca", 0), ("cats", 2)),
        lists((1, "abcd"), (2, "xy")),
        marks((2, "y", 3.0)),
        rules=["typing"],
        keep=in_memory,
    )
    assert rows(made) == [(1, 1, "x", 0), (1, 2, "y", 1)]


def test_marks_go_to_the_first_row_of_a_document_and_are_added_up():
    made = listed(
        queries(("cats", 0)), lists((1, "aba")), marks((1, "a", 2.0), (1, "a", 3.0)), rules=[], keep=in_memory
    )
    assert rows(made) == [(1, 1, "a", 2), (1, 2, "b", 0), (1, 3, "a", 0)]
    assert made.results.sort("rank").select("dwell_seconds").collect().to_series().to_list() == [5.0, None, None]


def test_lists_known_by_clicks_alone_are_partly_observed():
    made = listed(queries(("a", 0), ("b", 1)), lists((1, "x"), known="clicks"), marks(), rules=[], keep=in_memory)
    status = made.queries.select("results_status", "list_from").collect().rows()
    assert status == [("partly_observed", "clicks"), ("not_logged", None)]


def test_parts_of_whole_sessions_are_one_log():
    def part(session, first, system):
        asked = queries(("cats", 0), ("cats", 60), ("dogs", 90)).with_columns(pl.col(KEY) + first)
        asked = asked.with_columns(session_id=pl.lit(session), system_id=pl.Series(["x", "x", system]))
        shown = lists((first + 1, "ab"), (first + 2, "abc"), (first + 3, "d"), known="impressions")
        return asked, shown, marks((first + 2, "c", None), (first + 3, "z", None), (first + 3, "z", None))

    first, second = part("s", 0, "y"), part("t", 10, "x")
    parts = together([listed(*given, rules=["same"], keep=in_memory) for given in (first, second)])
    whole = listed(*map(pl.concat, zip(first, second, strict=True)), rules=["same"], keep=in_memory)
    for name in ("queries", "results"):
        one, other = (getattr(given, name).collect() for given in (parts, whole))
        assert one.sort(one.columns).equals(other.sort(one.columns))
    assert list(parts.merged.items()) == list(whole.merged.items()) == [((0, GONE), 2), ((0, "clicks"), 2)]
    assert parts.idle == whole.idle == {(0, "clicks without a listed result"): 4}
    assert parts.notes == whole.notes
    assert "4 clicks on documents" in parts.notes[1]
    assert (
        parts.warnings
        == whole.warnings
        == ["system_id: several within 1 session (first: session 's'); that of its first query is used"]
    )


def test_one_system_to_a_session():
    asked = queries(("a", 0), ("b", 1)).with_columns(system_id=pl.Series([None, "x"]), user_id=pl.lit("u"))
    made = listed(asked, lists((1, "x")), marks(), rules=[], keep=in_memory)
    assert made.queries.select("system_id", "user_id").collect().rows() == [("x", "u"), ("x", "u")]
    assert made.warnings == []
    several = asked.with_columns(system_id=pl.Series(["y", "x"]))
    made = listed(several, lists((1, "x")), marks(), rules=[], keep=in_memory)
    assert made.queries.select("system_id").collect().to_series().to_list() == ["y", "y"]
    assert made.warnings == [
        "system_id: several within 1 session (first: session 's'); that of its first query is used"
    ]


def test_counting():
    frame = pl.LazyFrame({FILE: [0, 1, 1], "kind": ["b", "a", "a"]})
    assert tallied(frame, pl.col("kind")) == {(0, "b"): 1, (1, "a"): 2}
    assert tallied(frame, "rows") == {(0, "rows"): 1, (1, "rows"): 2}


def test_times_as_the_contract_reads_them():
    texts = [
        "2026-03-02T12:00:00Z",
        "2026-03-02T13:00:00+0100",
        str(int(NOON.timestamp() * 1000)),
        "2026-03-02 13:00",
        "?",
    ]
    times = pl.LazyFrame({"time": texts}).select(as_time("time", "Europe/Vienna")).collect().to_series().to_list()
    assert times == [NOON, NOON, NOON, NOON, None]
