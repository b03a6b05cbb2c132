"""Judged pairs have the same numbers whether their texts or their saved numbers are read.

Rows are found by hashes, and no value is ever taken for another.

Row numbers in place of ids, counted and looked up.
"""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal, assert_series_equal

from sessionkit.errors import DataError
from sessionkit.study.numbering import JudgmentIndex, Lookup, keys_of_queries, numbered, placed, query_of, session_of

ROWS = st.lists(st.tuples(st.sampled_from(["t", "u", "\u202e", ""]), st.sampled_from(["a", "b", "é", "0"])))


def table(rows):
    """Judgments of these pairs."""
    return pl.DataFrame(rows, schema={"judgment_key": pl.String, "doc_id": pl.String}, orient="row")


@given(ROWS, ROWS)
def test_numbers_are_places_in_the_order_of_the_pairs(rows, asked):
    pairs, order = (
        JudgmentIndex.of(table(rows).lazy()),
        sorted(set(rows), key=lambda pair: [text.encode() for text in pair]),
    )
    found = pairs.numbers_of(table(asked))["__judgment"].to_list()
    assert found == [order.index(pair) if pair in order else None for pair in asked]


@given(ROWS)
def test_saved_numbers_give_the_same_pairs(rows):
    pairs = JudgmentIndex.of(table(rows).lazy())
    read = JudgmentIndex.numbered(pairs.numbers_of(table(rows)).lazy())
    assert read.keys.select("judgment_key", "key").rows() == pairs.keys.select("judgment_key", "key").rows()
    assert read.pairs["key"].to_list() == pairs.pairs["key"].to_list()


def test_pairs_without_texts_say_that_they_cannot_look_them_up():
    pairs = JudgmentIndex.of(table([("t", "a")]).lazy())
    read = JudgmentIndex.numbered(pairs.numbers_of(table([("t", "a")])).lazy())
    with pytest.raises(ValueError, match=r"Pairs\.of reads their texts"):
        read.judgment_of(pl.Series([0]), pl.Series(["a"]))


def test_what_is_looked_up_in_stays_in_its_process():
    pairs = JudgmentIndex.of(table([("t", text) for text in "abc"]).lazy())
    size = len(pickle.dumps(pairs))
    asked = table([("t", "c")])
    assert pairs.numbers_of(asked)["__judgment"].to_list() == [2]
    assert len(pickle.dumps(pairs)) == size
    assert pickle.loads(pickle.dumps(pairs)).numbers_of(asked)["__judgment"].to_list() == [2]  # noqa: S301 - our own bytes


TEXTS = st.lists(st.text(max_size=3), unique=True)


def wanted(values: list, asked: list) -> list:
    """The definition."""
    return [values.index(value) if value in values else None for value in asked]


@given(values=TEXTS, others=st.lists(st.none() | st.text(max_size=3)))
def test_texts_are_found_where_they_stand(values, others):
    asked = [*others, *values]
    found = Lookup.of(pl.Series(values, dtype=pl.String)).rows(pl.Series(asked, dtype=pl.String))
    assert found.to_list() == wanted(values, asked)


@given(values=st.lists(st.integers(0, 2**64 - 1), unique=True), others=st.lists(st.none() | st.integers(0, 2**64 - 1)))
def test_numbers_are_found_where_they_stand(values, others):
    asked = [*others, *values]
    found = Lookup.of(pl.Series(values, dtype=pl.UInt64)).rows(pl.Series(asked, dtype=pl.UInt64))
    assert found.to_list() == wanted(values, asked)


PAIRS = st.tuples(st.text("ab", max_size=2), st.integers(0, 3))


@given(
    values=st.lists(PAIRS, unique=True), others=st.lists(st.tuples(st.none() | st.just("a"), st.none() | st.just(1)))
)
@pytest.mark.parametrize("alike", [False, True])
def test_values_of_two_columns_are_found_where_they_stand(values, others, alike):
    asked = [*others, *values]

    def columns(pairs):
        types = {"text": pl.String, "number": pl.UInt32}
        return pl.DataFrame(pairs, types, orient="row").get_columns()

    with pytest.MonkeyPatch.context() as patched:
        if alike:  # then a join tells them apart
            patched.setattr(pl.Series, "hash", lambda series: pl.Series([7] * len(series), dtype=pl.UInt64))
        found = Lookup.of(*columns(values)).rows(*columns(asked))
    assert found.to_list() == wanted(values, asked)


def test_many_values_take_several_levels():
    values = pl.Series([f"d{number}" for number in range(5_000)])
    made = Lookup.of(values)
    assert made.levels is not None
    assert len(made.levels) > 2
    asked = pl.Series([f"d{number}" for number in range(9_999, -1, -1)])
    assert made.rows(asked).to_list() == [None] * 5_000 + [*range(4_999, -1, -1)]


@pytest.mark.parametrize(
    "hashed",
    [
        pytest.param(lambda text: ord(text[0]), id="equal for different texts"),
        pytest.param(len, id="distinct, and all near"),
        pytest.param(lambda text: len(text) // 9, id="all the same"),
        pytest.param(lambda text: 2**64 - len(text), id="as large as can be"),
        pytest.param(lambda text: 0 if text == "a" else len(text), id="none at all"),
    ],
)
def test_values_of_one_hash_are_told_apart(monkeypatch, hashed):
    monkeypatch.setattr(pl.Series, "hash", lambda series: series.map_elements(hashed, return_dtype=pl.UInt64))
    asked = pl.Series(["a", "z", "bb", "bc", "ccc", "bb"])
    assert Lookup.of(pl.Series(["a", "bb", "ccc"])).rows(asked).to_list() == [0, None, 1, None, 2, 1]


SESSIONS = pl.DataFrame({"session_id": ["a", "b", "c"], "judgment_key": ["t", None, "u"]})
QUERIES = pl.DataFrame(
    {"session_id": ["a", "a", "c"], "query_position": [1, 2, 1]}, schema_overrides={"query_position": pl.Int32}
)
RESULTS = pl.DataFrame(
    {
        "session_id": ["a", "a", "a", "c"],
        "query_position": [1, 1, 2, 1],
        "rank": [1, 3, 1, 1],
        "doc_id": ["x", "y", "x", "x"],
    },
    schema_overrides={"query_position": pl.Int32, "rank": pl.Int32},
)
JUDGMENTS = pl.LazyFrame({"judgment_key": ["u", "t", "t"], "doc_id": ["x", "x", "z"], "grade": [1.0, 2.0, 3.0]})


def test_every_row_gets_its_numbers():
    sessions, queries, results = numbered(SESSIONS, QUERIES, RESULTS, JudgmentIndex.of(JUDGMENTS))
    assert sessions.select("__queries", "__results").rows() == [(2, 3), (0, 0), (1, 1)]
    assert queries["__length"].to_list() == [2, 1, 1]
    # the distinct pairs in their order: (t, x), (t, z), (u, x)
    assert results["__judgment"].to_list() == [0, None, 0, 2]


def test_lists_whose_starts_are_known_are_not_looked_for():
    pairs = JudgmentIndex.of(JUDGMENTS)
    found = numbered(SESSIONS, QUERIES, RESULTS, pairs, np.array([0, 2, 3]))
    for table, again in zip(found, numbered(SESSIONS, QUERIES, RESULTS, pairs), strict=True):
        assert_frame_equal(table, again)
    # what is given is what counts: of two lists that start a row apart, both begin with a row of the first query
    assert numbered(SESSIONS, QUERIES, RESULTS, pairs, np.array([0, 1, 3]))[1]["__length"].to_list() == [3, 0, 1]


def test_results_of_no_query_are_refused_when_numbered():
    with pytest.raises(DataError, match=r"results: .* queries .*query position 2\)"):
        numbered(SESSIONS, QUERIES.filter(query_position=1), RESULTS, JudgmentIndex.of(JUDGMENTS))


def test_rows_without_a_session_are_refused():
    with pytest.raises(DataError, match=r"results: session 'zz'.* sessions"):
        session_of(pl.DataFrame({"session_id": ["a", "zz"]}), SESSIONS["session_id"], "results")


@pytest.mark.parametrize("positions", [[1, 2], [1, 3]], ids=["dense", "with a gap"])
def test_results_without_a_query_are_refused(positions):
    queries = pl.DataFrame({"session": [0, 0], "query_position": positions}, schema_overrides={"session": pl.UInt32})
    session, position = pl.Series([0, 0], dtype=pl.UInt32), pl.Series([1, 4])
    with pytest.raises(DataError, match=r"of queries .*query position 4\)"):
        query_of(session, position, queries, 1)


def test_queries_with_a_gap_are_found_by_position():
    queries = pl.DataFrame({"session": [0, 0, 1], "query_position": [1, 3, 1]}, schema_overrides={"session": pl.UInt32})
    found = query_of(pl.Series([0, 1, 0], dtype=pl.UInt32), pl.Series([3, 1, 1]), queries, 2)
    assert found.to_list() == [1, 2, 0]


def test_a_query_has_its_own_key_or_its_session_s():
    queries = QUERIES.with_columns(judgment_key=pl.Series([None, "u", None], dtype=pl.String))
    session = session_of(queries, SESSIONS["session_id"], "queries")
    assert keys_of_queries(SESSIONS, queries, session).to_list() == ["t", "u", "u"]
    assert keys_of_queries(SESSIONS, QUERIES, session).to_list() == ["t", "t", "u"]


def test_nothing_judged():
    pairs = JudgmentIndex.of(JUDGMENTS.clear())
    assert pairs.judgment_of(pl.Series([None], dtype=pl.UInt32), pl.Series(["x"])).to_list() == [None]
    assert pairs.key_of(pl.Series(["t"])).to_list() == [None]


def test_large_sums_keep_every_digit_in_their_places():
    values = pl.Series([2**100, 1], dtype=pl.Int128)
    found = placed(values, pl.Series([2, 0], dtype=pl.UInt32), 3)
    assert_series_equal(found, pl.Series([1, None, 2**100], dtype=pl.Int128))
