"""Queries without numbers get them by their times, else as they come; rows of one list may stand in any order."""

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.errors import DataError
from sessionkit.readers.checks.cells import describe_order, number_queries
from sessionkit.readers.raw import EMPTY, MARK, Raw, no_way_back
from sessionkit.study.checks import RECORD, RULE


def source(texts, ranks, sessions=None, table="results", **columns):
    """Records without numbers of queries."""
    given = {"session_id": sessions or ["s"] * len(texts or ranks), "query_text": texts, "rank": ranks, **columns}
    frame = pl.LazyFrame({name: values for name, values in given.items() if values is not None}).with_row_index(
        RECORD, 1
    )
    return Raw(table, "frame", frame.with_columns(pl.col(RECORD).cast(pl.Int64)), 0, no_way_back)


def counted(texts, ranks, sessions=None, table="results", newest_first=False, **columns):
    """The positions that queries get."""
    made = number_queries(source(texts, ranks, sessions, table, **columns), newest_first=newest_first)
    return "".join(value or "." for value in made.frame.collect()["query_position"])


@pytest.mark.parametrize(
    ("texts", "ranks", "positions"),
    [
        ("aabba", "12121", "11223"),
        ("aaa", "121", "112"),  # the same text asked again
        (None, "12123", "11222"),
        (None, "111", "123"),  # lists of one result
        (["a", "b", "b"], [None, None, "1"], "123"),  # lists without results
        (["a"] * 4, ["1", "2", "l3", "4"], "1111"),  # a rank that cannot be read begins no query
        (["a"] * 3, [" 1", " 2 ", "3"], "111"),
        (["a", "a ", "a"], ["1", "2", "3"], "111"),
        (["a"] * 3, ["1", "2", "2"], "111"),  # a rank twice is for the checks
        (None, "0101", "1122"),
    ],
)
def test_queries_are_numbered_as_they_come(texts, ranks, positions):
    assert counted(texts and [*texts], [*ranks]) == positions


def test_sessions_that_take_turns_are_numbered_apart():
    assert counted([*"axay"], [*"1123"], [*"stst"]) == "1112"


def test_each_record_of_queries_is_a_query():
    assert counted([*"aab"], None, [*"sst"], table="queries") == "121"


def test_marked_lists_and_broken_records():
    assert counted([*"aab"], ["1", "nothing", "1"], **{MARK: [None, EMPTY, None]}) == "123"
    assert counted([*"aaa"], ["1", "9", "2"], **{RULE: [None, "broken", None]}) == "1.1"


def test_what_cannot_be_numbered_is_named():
    with pytest.raises(DataError, match="has a query_position, so number_queries cannot make one"):
        counted(None, ["1"], query_position=["1"])
    with pytest.raises(DataError, match="number_queries needs rank, query_id or query_text"):
        counted(None, None, ["s"])


@pytest.mark.parametrize(
    ("texts", "ranks", "positions"),
    [
        ("aaabb", "32121", "11122"),  # the last result of a list first
        (None, "321321", "111222"),
        ("aaabb", "31221", "11122"),  # in any order: no rank comes twice
        ("abab", "1122", "1212"),  # rows of two lists in turn
        ("abaab", "11211", "12334"),  # a is asked again: rank 1 comes twice
        ("aaaa", "1234", "1111"),
        ("aba", "234", "123"),  # parts of lists: nobody can say that they are one
    ],
)
def test_rows_of_a_list_may_stand_in_any_order(texts, ranks, positions):
    assert counted(texts and [*texts], [*ranks]) == positions


def test_an_id_of_the_query_tells_queries_apart():
    assert counted(None, [*"1357"], query_id=[*"xxyy"]) == "1122"
    assert counted(None, [*"1122"], query_id=[*"xyxy"]) == "1212"
    assert counted([*"aaaa"], [*"1212"], query_id=[*"xxyy"]) == "1122"
    # an id that stands for the text comes again with it
    assert counted(None, [*"121212"], query_id=[*"xxyyxx"]) == "112233"


def test_times_order_queries_whatever_the_order_of_rows():
    times = ["10:02", "10:02", "10:01", "10:01", "10:03"]
    at = [f"2026-03-02 {time}:00" for time in times]
    assert counted([*"bbaac"], [*"21211"], issued_at=at) == "22113"
    assert counted([*"bac"], None, table="queries", issued_at=[at[0], at[2], at[4]]) == "213"
    assert counted([*"bac"], None, table="queries", elapsed_seconds=["9", "1", "30.5"]) == "213"
    # without a time of its own a query comes after the one before it
    assert counted([*"bca"], None, table="queries", elapsed_seconds=["9", None, "1"]) == "231"


def described(seconds, sessions=None):
    return describe_order(source([*"abcde"][: len(seconds)], None, sessions, "queries", elapsed_seconds=seconds))


def test_a_clock_that_goes_back_within_a_session_is_told():
    (sentence,) = described(["0", "10", "40", "0", "5"])
    assert "elapsed_seconds goes back from one record to the next in 1 session (first: session 's')" in sentence
    assert "the order of the file counts" in sentence
    # stored in the order of time, the other way round, or each session from 0
    assert described(["0", "10", "10", "40"]) == described(["40", "10", "10", "0"]) == []
    assert described(["0", "10", "20", "0", "5"], [*"ssstt"]) == []


def test_records_without_a_time_among_others_are_told():
    (sentence,) = described(["0", None, "9", "x", "5"], [*"ssstt"])
    assert "2 records without elapsed_seconds in sessions where others have it (first: session 's')" in sentence
    assert "puts each after the record before it" in sentence
    assert described(["0", "1", None, None], [*"sstt"]) == []  # no time at all in a session


def test_the_last_query_may_stand_first():
    assert counted([*"bba"], [*"211"], newest_first=True) == "221"
    assert counted([*"bba"], None, table="queries", newest_first=True) == "321"


@settings(max_examples=60, deadline=None)
@given(
    lists=st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), min_size=1, max_size=6),
    seed=st.integers(0, 10_000),
)
def test_shuffled_rows_of_timed_queries_get_the_numbers_of_the_times(lists, seed):
    rows = [(text, str(at), str(rank), at) for at, (text, n) in enumerate(lists, 1) for rank in range(1, n + 1)]
    random.Random(seed).shuffle(rows)  # noqa: S311
    texts, times, ranks, positions = zip(*rows, strict=True)
    assert counted(list(texts), list(ranks), elapsed_seconds=list(times)) == "".join(map(str, positions))
