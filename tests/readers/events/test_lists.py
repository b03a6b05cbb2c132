"""Clicks on results, held against counting one by one.

Counts with the least of what is counted, whole and in parts.

How long a document was read, by the leaves that end it.

Queries, lists and marks to rows: what merging moves, where marks go, what is counted.

A study written as events, in any order of rows, is the study that tables of queries and results say.

The order of a stream, and the query of each event, held against a plain restatement.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.readers.events.lists import (
    ACTION,
    AT,
    BARE,
    FILE,
    FROM,
    GONE,
    KEY,
    KIND,
    LABEL,
    MANY,
    NOUN,
    STREAM,
    all_found,
    as_time,
    checked,
    dwell_times,
    found,
    in_order,
    listed,
    summed,
    tallied,
    together,
    with_clicks,
    with_queries_of_texts,
)
from sessionkit.readers.raw import in_memory
from sessionkit.readers.read import read
from sessionkit.study.checks import RECORD, RULE, VALUE
from tests.support.examples import examples
from tests.support.messages import messages_with

LISTS = st.lists(st.tuples(st.integers(1, 3), st.sampled_from("abc")), max_size=8)
CLICKS = st.lists(st.tuples(st.integers(1, 4), st.sampled_from("abcd"), st.integers(0, 9)), max_size=12)
TYPES = {"query": pl.Int64, "doc_id": pl.String}
SEVERAL_SYSTEMS = ("system_id: several", "1 session", "first: session 's'", "first query is used")
"""What the warning of sessions with more than one system holds."""


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


def test_counting():
    frame = pl.LazyFrame({"kind": ["b", "a", "a"]})
    assert found(frame, "kind") == (3, "a")
    assert found(frame, "kind", distinct=True) == (2, "a")
    assert found(frame.clear(), "kind") == (0, None)


def test_parts_add_up():
    assert all_found([(2, "b"), (0, None), (3, "a")]) == (5, "a")
    assert all_found([(0, None)]) == (0, None)
    assert summed({"a": 1}, {"b": 2, "a": 3}) == {"a": 4, "b": 2}


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def timed(*events):
    """Events of one session: (action, document, seconds after noon)."""
    rows = [
        (0, place, "s", doc, action, NOON + timedelta(seconds=at)) for place, (action, doc, at) in enumerate(events)
    ]
    schema = {FILE: pl.Int32, RECORD: pl.Int64, "session_id": pl.String, "doc_id": pl.String, ACTION: pl.String}
    return pl.LazyFrame(rows, schema={**schema, AT: pl.Datetime("us", "UTC")}, orient="row")


def spent(*events):
    dwell, leaves = dwell_times(timed(*events), in_memory)
    seconds = dict(dwell.select(RECORD, "__dwell").collect().rows())
    return seconds, sorted(leaves.collect()[RECORD].to_list())


def test_a_leave_of_the_document_ends_it_whatever_came_between():
    assert spent(("click", "a", 0), ("click", "b", 10), ("leave", "a", 30), ("leave", "b", 70)) == (
        {0: 30.0, 1: 60.0},
        [2, 3],
    )


def test_a_leave_without_document_ends_the_last_click_alone():
    assert spent(("click", "a", 0), ("click", "b", 10), ("leave", None, 30)) == ({1: 20.0}, [2])


def test_without_a_leave_nothing_is_known():
    assert spent(("click", "a", 0), ("click", "a", 10), ("leave", "b", 30)) == ({}, [])


def test_of_two_leaves_the_earlier_counts():
    assert spent(("click", "a", 0), ("leave", None, 5), ("leave", "a", 30))[0] == {0: 5.0}


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
    assert parts.warnings == whole.warnings == messages_with(whole.warnings, *SEVERAL_SYSTEMS)
    assert len(whole.warnings) == 1


def test_one_system_to_a_session():
    asked = queries(("a", 0), ("b", 1)).with_columns(system_id=pl.Series([None, "x"]), user_id=pl.lit("u"))
    made = listed(asked, lists((1, "x")), marks(), rules=[], keep=in_memory)
    assert made.queries.select("system_id", "user_id").collect().rows() == [("x", "u"), ("x", "u")]
    assert made.warnings == []
    several = asked.with_columns(system_id=pl.Series(["y", "x"]))
    made = listed(several, lists((1, "x")), marks(), rules=[], keep=in_memory)
    assert made.queries.select("system_id").collect().to_series().to_list() == ["y", "y"]
    assert len(made.warnings) == 1
    assert messages_with(made.warnings, *SEVERAL_SYSTEMS)


def test_result_lists_counting():
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


QUERY = st.tuples(st.sampled_from(["otter", "beaver", "swan"]), st.lists(st.booleans(), min_size=1, max_size=4))
LOG = st.lists(st.lists(QUERY, min_size=1, max_size=4), min_size=1, max_size=3)


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(LOG, st.integers(0, 2**32), st.sampled_from(["time", "elapsed_seconds", "event_order"]))
def test_events_in_any_order_of_rows_are_the_same_study(tmp_path_factory, log, seed, clock):
    events, queries, results = [], [], []
    for number, session in enumerate(log):
        ids = {"user": f"u{number}", "task": "A"}
        second = 0
        for position, (text, clicked) in enumerate(session, 1):
            key = {"session_id": f"u{number}/A", "query_position": position}
            queries.append({**key, "query_text": text})
            events.append({**ids, "second": second, "event": "query", "query_text": text, "doc_id": None, "rank": None})
            for rank, is_clicked in enumerate(clicked, 1):
                shown = {
                    "doc_id": f"d{number}{position}{rank}",
                    "rank": rank,
                }  # lists of one text differ, so none is merged
                results.append({**key, **shown, "clicks": int(is_clicked)})
                for event in ["impression", *(["click"] if is_clicked else [])]:
                    second += 10
                    events.append({**ids, "second": second, "event": event, "query_text": None, **shown})
            second += 10
    rows = pl.DataFrame(events, infer_schema_length=None).sample(fraction=1, shuffle=True, seed=seed)
    if clock == "time":
        rows = rows.with_columns(second=pl.lit(NOON) + pl.duration(seconds="second"))
    folder = tmp_path_factory.mktemp("events")
    rows.write_parquet(folder / "events.parquet")
    columns = {"session_id": ["user", "task"], clock: "second"}
    study = read(folder / "events.parquet", config={"format": "events", "columns": columns})
    for name, expected in (("queries", queries), ("results", results)):
        frame = pl.DataFrame(expected, infer_schema_length=None)
        found = getattr(study, name).collect().select(frame.columns)
        assert found.rows() == frame.sort(*frame.columns[:2]).rows(), name


EVENTS = st.lists(
    st.tuples(
        st.sampled_from("st"),
        st.sampled_from(["query", "click"]),
        st.sampled_from([None, "q1", "q2"]),
        st.integers(0, 5) | st.none(),
        st.sampled_from([None, "otter", "Otter ", "beaver"]),
    ),
    max_size=15,
)


def stream(events):
    """A stream of (session, action, query_id, seconds after noon, text)."""
    rows = [
        (0, place, session, action, query_id, text, None if at is None else NOON + timedelta(seconds=at), None)
        for place, (session, action, query_id, at, text) in enumerate(events, 1)
    ]
    texts = dict.fromkeys(("session_id", ACTION, "query_id", "query_text"), pl.String)
    schema = {FILE: pl.Int32, RECORD: pl.Int64, **texts, AT: pl.Datetime("us", "UTC"), "event_order": pl.Float64}
    return pl.LazyFrame(rows, schema=schema, orient="row")


def restated(events):
    """Records in order, each with the record of the query it belongs to."""
    found = []
    for session in sorted({event[0] for event in events}):
        own, since = [], None
        for place, (of, action, query_id, at, text) in enumerate(events, 1):
            if of == session:
                since = since if at is None else at
                own.append((-1 if since is None else since, place, action, query_id, text and text.strip().lower()))
        own.sort(key=lambda event: event[:2])
        last_of = {query_id: place for _, place, action, query_id, _ in own if action == "query" and query_id}
        asked = [(nth, place, text) for nth, (_, place, action, _, text) in enumerate(own) if action == "query"]
        current, its = None, None
        for nth, (_, place, action, query_id, text) in enumerate(own):
            if action == "query":
                current, its = place, query_id or its
                found.append((place, current))
                continue
            key = last_of.get(query_id, current) if query_id and query_id != its else current
            if text and not query_id and text not in [other for _, query, other in asked if query == key]:
                same = [(at, query) for at, query, other in asked if other == text]
                before, after = [query for at, query in same if at < nth], [query for at, query in same if at > nth]
                key = before[-1] if before else after[0] if after else key
            found.append((place, key))
    return found


@settings(deadline=None)
@given(EVENTS)
def test_events_belong_to_the_query_before_or_to_the_one_they_name(events):
    placed = with_queries_of_texts(in_order(stream(events)), in_memory)
    assert placed.select(RECORD, KEY).collect().rows() == restated(events)


def test_events_without_session_rank_or_time_are_broken():
    rows = [
        (1, "s", "click", "3.0", "12:00", NOON),
        (2, None, "click", "x", "12:00", NOON),
        (3, "s", "click", "x", "12:00", NOON),
        (4, "s", "impression", "1", "soon", None),
        (5, "s", "query", "x", "soon", None),  # the contract says so of queries
        (6, "s", None, "x", "soon", None),
    ]
    schema = {RECORD: pl.Int64, "session_id": pl.String, ACTION: pl.String, "rank": pl.String, "issued_at": pl.String}
    frame = pl.LazyFrame(rows, schema={**schema, AT: pl.Datetime("us", "UTC")}, orient="row")
    frame = frame.with_columns(pl.col(ACTION).alias(LABEL))
    lacking = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in STREAM.items() if name not in (*schema, LABEL)]
    assert checked(frame.with_columns(lacking)).select("rank", RULE, VALUE).collect().rows() == [
        (3, None, None),
        (None, "session_id_is_given", None),
        (None, "rank_is_an_integer", "x"),
        (1, None, None),  # its time alone is set aside
        (None, None, None),
        (None, "event_is_given", None),
    ]
