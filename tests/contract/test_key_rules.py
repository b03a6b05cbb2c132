"""Rules over several rows and tables."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sessionkit.study.checks import (
    RECORD,
    RULE,
    VALUE,
    CheckedRows,
    any_twice,
    begins,
    check_parents,
    check_reach,
    check_unique,
    distinct,
    keys_of,
    rises,
)
from sessionkit.study.schema import table


def rows(columns, **values):
    frame = pl.DataFrame(dict(zip(columns, zip(*values["rows"], strict=True), strict=True)), orient="col")
    frame = frame.with_row_index(RECORD, offset=1).with_columns(pl.col(RECORD).cast(pl.Int64))
    return CheckedRows(frame, frame.clear())


def broken(checked):
    return checked.broken.sort(RECORD).select(RECORD, RULE, VALUE).rows() if checked.broken.height else []


LIST = ["session_id", "query_position", "rank"]


def test_the_first_record_of_a_key_stays():
    checked = check_unique(rows(LIST, rows=[("b", 1, 1), ("a", 1, 1), ("b", 1, 1), ("b", 1, 1)]), table("results"))
    assert broken(checked) == [(3, "rank_is_unique_in_list", "b 1 1"), (4, "rank_is_unique_in_list", "b 1 1")]
    assert checked.accepted[RECORD].to_list() == [2, 1], "sorted by key"


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 2), st.integers(1, 3)), min_size=1, max_size=20),
    st.booleans(),
)
@example([("a", 1, 1), ("a", 2, 1), ("b", 1, 1), ("b", 1, 2)], True)
@example([("a", 1, 1), ("b", 1, 1), ("a", 1, 2)], False)
def test_unique_keeps_one_of_each_key_and_the_earliest(keys, in_order):
    keys = sorted(keys) if in_order else keys
    checked = check_unique(rows(LIST, rows=keys), table("results"))
    firsts = sorted(keys.index(key) + 1 for key in set(keys))
    assert sorted(checked.accepted[RECORD].to_list()) == firsts
    assert checked.accepted.height + checked.broken.height == len(keys)
    assert checked.accepted.select(LIST).rows() == sorted(set(keys))
    assert keys_of(checked, LIST[:2]).rows() == sorted({key[:2] for key in keys})


def test_parents_unknown_and_rejected_are_told_apart():
    children = rows(["session_id", "query_position"], rows=[("a", 1), ("lost", 1), ("bad", 1)])
    accepted, seen = pl.DataFrame({"session_id": ["a"]}), pl.DataFrame({"session_id": ["a", "bad"]})
    checked = check_parents(children, table("queries"), "sessions", accepted, seen)
    assert broken(checked) == [(2, "session_is_known", "lost"), (3, "session_is_accepted", "bad")]


lists = st.lists(st.tuples(st.sampled_from(["a", "b", "ba"]), st.integers(0, 3)), max_size=9)


@given(st.integers(0, 4), st.integers(0, 4), lists, lists, st.booleans())
@example(2, 1, [], [("a", 0)], True)
@example(2, 1, [], [("a", 3)], True)
@example(2, 1, [], [("a", 1), ("b", 1)], True)
@example(0, 0, [("a", 2), ("b", 1)], [("a", 1)], False)
def test_lists_without_their_query_are_told(of_a, of_b, others, children, numbered):
    """Queries that count from 1 in each session are looked up by their number, others by what they are."""
    queries = [("a", place + 1) for place in range(of_a)] + [("b", place + 1) for place in range(of_b)]
    queries = queries if numbered else [*dict.fromkeys(others)]
    accepted = pl.DataFrame(queries, schema={"session_id": pl.String, "query_position": pl.Int64}, orient="row")
    ranked = [(*child, place) for place, child in enumerate(children, 1)] or [("a", 1, 1)]
    checked = check_parents(rows(LIST, rows=ranked), table("results"), "queries", accepted, accepted)
    assert [ranked[record - 1] for record in checked.accepted[RECORD]] == [row for row in ranked if row[:2] in queries]
    assert {rule for _, rule, _ in broken(checked)} <= {"query_is_known"}


@pytest.mark.parametrize(
    ("positions", "bad"),
    [
        ([1, 2, 3], []),
        ([3, 1, 2], []),
        ([1, 1, 2], []),
        ([101], []),  # 100 are missing before it
        ([102], [102]),
        ([1, 103, 104, 300], [103, 104, 300]),  # 101 before 103, then all that follow
        ([300, 1, 2, 101], [300]),
        ([*range(1, 201), 402, 403], []),  # 201 are missing, and as many are there
        ([*range(1, 201), 403, 404], [403, 404]),
        ([2**31 - 1], [2**31 - 1]),
    ],
)
def test_positions_with_too_much_missing_before_them_are_out_of_reach(positions, bad):
    checked = check_reach(rows(["session_id", "query_position"], rows=[("a", p) for p in positions]), table("queries"))
    assert [value for _, _, value in broken(checked)] == [str(p) for p in bad]
    assert {rule for _, rule, _ in broken(checked)} <= {"query_position_is_within_reach"}


pairs = st.lists(st.tuples(st.sampled_from(["a", "b", "ba"]), st.integers(0, 2)), max_size=8)


@given(pairs, st.booleans())
def test_keys_rise_where_every_one_is_above_the_one_before(keys, ordered):
    keys = sorted(set(keys)) if ordered else keys
    frame = pl.DataFrame(keys, schema={"s": pl.String, "q": pl.Int32}, orient="row")
    assert rises(frame, ["s", "q"]) == all(one < other for one, other in itertools.pairwise(keys))
    assert rises(frame, ["s"]) == all(one[0] < other[0] for one, other in itertools.pairwise(keys))


@given(pairs, st.booleans())
def test_every_key_is_found_once_and_the_first_part_of_a_known_one_too(keys, whole_first):
    frame = pl.DataFrame(keys, schema={"s": pl.String, "q": pl.Int32}, orient="row")
    checked = CheckedRows(frame, frame.clear())
    if whole_first:
        assert sorted(keys_of(checked, ["s", "q"]).rows()) == sorted(set(keys))
    assert sorted(keys_of(checked, ["s"]).rows()) == sorted({(session,) for session, _ in keys})
    assert keys_of(checked, ["s"]) is keys_of(checked, ["s"])
    assert sorted(distinct(frame, ["s", "q"]).rows()) == sorted(set(keys))


@given(st.lists(st.tuples(st.none() | st.sampled_from("ab"), st.none() | st.integers(0, 1)), max_size=6))
def test_a_key_begins_where_it_is_another_than_the_one_before(keys):
    frame = pl.DataFrame(keys, {"text": pl.String, "number": pl.Int64}, orient="row")
    assert begins(frame, ["text", "number"]).tolist() == [
        place == 0 or keys[place] != keys[place - 1] for place in range(len(keys))
    ]


@given(st.lists(st.integers(2**64 - 3, 2**64 - 1) | st.integers(0, 2), max_size=4))
def test_whether_a_number_is_there_twice(numbers):
    assert any_twice(np.array(numbers, dtype=np.uint64)) == (len(set(numbers)) < len(numbers))
