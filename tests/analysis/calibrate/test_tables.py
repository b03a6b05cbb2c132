"""Tables of counts: what is taken apart, and what is refused."""

import polars as pl
import pytest

from sessionkit.errors import DataError
from sessionkit.robustness.calibrate import calibrate, counted_table, counts_file

# four sessions, three of them looked at rank 2 of their first query, one asked again and looked at ranks 1 and 2
TABLE = {"rank": [1, 2, 1, 2], "query": [1, 1, 2, 2], "count": [4, 3, 1, 1]}


def test_counts_are_taken_apart_into_stops():
    found = counted_table(pl.DataFrame(TABLE))
    lists = found.lists.select("query_position", "rank", "many").sort("query_position", "rank").rows()
    assert lists == [(1, 1, 1), (1, 2, 3), (2, 2, 1)]
    assert found.sessions.select("query_position", "many").sort("query_position").rows() == [(1, 3), (2, 1)]
    assert found.looked().tolist() == [[4.0, 1.0], [3.0, 1.0]]
    assert not found.lists["ended"].any()


def test_limits_end_what_comes_to_them():
    cut = counted_table(pl.DataFrame(TABLE)).limited(2, 2)
    assert cut.lists.filter("ended").select("rank", "many").sum().row(0) == (4, 4)
    assert cut.sessions.filter("ended").select("query_position", "many").rows() == [(2, 1)]
    shorter = counted_table(pl.DataFrame(TABLE)).limited(1, 1)
    assert shorter.lists["many"].sum() == 5  # lists of later queries still say how deep lists are looked at
    assert shorter.looked().tolist() == [[4.0]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": [4, 5, 1, 1]}, "In query 1, rank 2 has 5 and the rank before it 4"),
        ({"count": [4, 3, 6, 1]}, "At rank 1, query 2 has 6 and the query before it 4"),
        ({"rank": [1, 3, 1, 2]}, "In query 1, rank 3 has 3 and the rank before it 0"),
    ],
)
def test_counts_that_rise_have_no_stopping_likelihood(change, words):
    found = calibrate(pl.DataFrame({**TABLE, **change}), "sDCG")
    assert words in found.reading
    assert found.fits["criterion"].to_list() == ["TSE", "KL"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": [4, 3, 1, 0.5]}, r"count is 0\.5 in row 4.*shares are not counts"),
        ({"count": [4, 3, None, 1]}, "count is None in row 3"),
        ({"count": [4, -3, 1, 1]}, "count is -3 in row 2"),
        ({"rank": [0, 2, 1, 2]}, "rank is 0 in row 1"),
        ({"count": [1e30, 3, 1, 1]}, r"count is 1e\+30 in row 1; it must be a whole number from 0 to"),
        ({"rank": ["one", "2", "1", "2"]}, "rank is 'one' in row 1"),
        ({"rank": [1, 1, 1, 2]}, "rank 1 of query 1 appears twice"),
        ({"count": [0, 0, 0, 0]}, "every count is 0"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(change, words):
    with pytest.raises(DataError, match=words):
        counted_table(pl.DataFrame({**TABLE, **change}, strict=False))


def test_a_missing_column_is_named():
    with pytest.raises(DataError, match="count is missing, columns found: rank, query"):
        counted_table(pl.DataFrame(TABLE).drop("count"))


@pytest.mark.parametrize("separator", ["\t", ","])
def test_files_of_both_kinds_are_read(tmp_path, separator):
    path = tmp_path / "counts"
    pl.DataFrame(TABLE).write_csv(path, separator=separator)
    assert counted_table(counts_file(path)).looked().tolist() == [[4.0, 1.0], [3.0, 1.0]]
    with pytest.raises(DataError, match="there is no such file"):
        counts_file(tmp_path / "none.tsv")
