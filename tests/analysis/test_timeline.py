"""One session in time: seconds of its queries and clicks, worked out by hand."""

import pytest

import sessionkit as sk

LISTS = {"session_id": ["s", "s", "s"], "query_position": [1, 1, 2], "rank": [1, 2, 1], "doc_id": ["a", "b", "c"]}
TIMES = {
    "session_id": ["s", "s"],
    "query_position": [1, 2],
    "issued_at": ["2026-01-05T10:00:10Z", "2026-01-05T10:01:00Z"],
}


def study(**more):
    clicked = {"clicked_at": [None, "2026-01-05T10:00:40Z", None], "dwell_seconds": [None, 15.0, None]}
    sessions = {"session_id": ["s"], "started_at": ["2026-01-05T10:00:00Z"], "ended_at": ["2026-01-05T10:02:05Z"]}
    return sk.from_tables(results=LISTS | clicked, queries=TIMES | more, sessions=sessions)


def test_seconds_count_from_the_session_s_first_event():
    queries, clicks = sk.timeline(study(query_text=["one", None]), "s")
    # begun 10:00:00, queries at :10 and 1:00, end 2:05; one click, at :40
    assert queries.rows() == [(1, "one", 10.0, 60.0, 2), (2, None, 60.0, 125.0, 1)]
    assert clicks.rows() == [(1, 2, "b", 40.0, 15.0)]


def test_a_query_ends_at_an_unknown_time_if_the_next_one_has_no_time():
    """Queries at 10 s, at an unknown time, and at 60 s: the first ended before the third was issued."""
    positions = {"session_id": ["s"] * 3, "query_position": [1, 2, 3]}
    times = {"issued_at": ["2026-01-05T10:00:10Z", None, "2026-01-05T10:01:00Z"]}
    sessions = {"session_id": ["s"], "started_at": ["2026-01-05T10:00:00Z"], "ended_at": ["2026-01-05T10:02:05Z"]}
    queries, _ = sk.timeline(sk.from_tables(results=LISTS, queries=positions | times, sessions=sessions), "s")
    assert queries.select("query_position", "start", "end").rows() == [(1, 10.0, None), (3, 60.0, 125.0)]
    times = {"issued_at": [*times["issued_at"][:1], "2026-01-05T10:01:00Z", None]}
    queries, _ = sk.timeline(sk.from_tables(results=LISTS, queries=positions | times, sessions=sessions), "s")
    assert queries.select("query_position", "start", "end").rows() == [(1, 10.0, 60.0), (2, 60.0, None)]


def test_what_was_not_logged_is_null():
    queries, clicks = sk.timeline(sk.from_tables(results=LISTS, queries=TIMES), "s")
    assert queries.rows() == [(1, None, 0.0, 50.0, 2), (2, None, 50.0, None, 1)]
    assert clicks.columns == ["query_position", "rank", "doc_id", "at", "dwell"]
    assert clicks.is_empty()


def test_without_times_there_is_no_time_line():
    with pytest.raises(
        sk.DataError, match="needs the times of queries, issued_at or elapsed_seconds; the queries have session_id"
    ):
        sk.timeline(sk.from_tables(results=LISTS), "s")
    with pytest.raises(sk.UsageError, match="no session 'z'"):
        sk.timeline(study(), "z")
    none = sk.from_tables(results=LISTS, queries=TIMES | {"issued_at": [None, None]})
    with pytest.raises(sk.DataError, match="session 's' has no times of queries"):
        sk.timeline(none, "s")


def test_seconds_since_the_session_began_stand_in_for_times():
    queries = TIMES | {"elapsed_seconds": [10.0, 95.5]}
    queries.pop("issued_at")
    results = LISTS | {"clicked": [True, False, False], "click_elapsed_seconds": [12.5, None, None]}
    results |= {"dwell_seconds": [3.0, None, None]}
    rows, clicks = sk.timeline(sk.from_tables(results=results, queries=queries), "s")
    assert rows.select("start", "end").rows() == [(10.0, 95.5), (95.5, None)]
    assert clicks.select("at", "dwell").rows() == [(12.5, 3.0)]
