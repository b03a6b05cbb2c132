"""The order of a stream, and the query of each event, held against a plain restatement."""

from datetime import UTC, datetime, timedelta

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.readers.events.lists import (
    ACTION,
    AT,
    FILE,
    KEY,
    LABEL,
    STREAM,
    checked,
    in_order,
    with_queries_of_texts,
)
from sessionkit.readers.raw import in_memory
from sessionkit.study.checks import RECORD, RULE, VALUE

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
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
