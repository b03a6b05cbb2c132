"""Row numbers in place of ids, counted and looked up."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal, assert_series_equal

from sessionkit.errors import DataError
from sessionkit.study.numbering import JudgmentIndex, keys_of_queries, numbered, placed, query_of, session_of

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
    with pytest.raises(DataError, match=r"results: .* belong to no row of queries \(first: query position 2\)"):
        numbered(SESSIONS, QUERIES.filter(query_position=1), RESULTS, JudgmentIndex.of(JUDGMENTS))


def test_rows_without_a_session_are_refused():
    with pytest.raises(DataError, match=r"results: session 'zz' has rows there but none in sessions"):
        session_of(pl.DataFrame({"session_id": ["a", "zz"]}), SESSIONS["session_id"], "results")


@pytest.mark.parametrize("positions", [[1, 2], [1, 3]], ids=["dense", "with a gap"])
def test_results_without_a_query_are_refused(positions):
    queries = pl.DataFrame({"session": [0, 0], "query_position": positions}, schema_overrides={"session": pl.UInt32})
    session, position = pl.Series([0, 0], dtype=pl.UInt32), pl.Series([1, 4])
    with pytest.raises(DataError, match=r"rows belong to no row of queries \(first: query position 4\)"):
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
