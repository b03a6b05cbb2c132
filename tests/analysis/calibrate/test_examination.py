"""Observed examination: Kaplan and Meier's shares and clicks per list, worked out by hand."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.robustness.calibrate_counts import PLACES, LookCounts, examined
from tests.support.clinic import read_clinic


def looked(*rows, clicks=None):
    """Lists by query position, rank, whether they ended there, and how many."""
    lists = pl.DataFrame([(0, *row) for row in rows], schema=PLACES, orient="row")
    return LookCounts(lists, lists.drop("rank").clear(), clicks)


def rows_of(table):
    return [tuple(row) for row in table.select("query_position", "rank", "looks", "lists", "share").rows()]


def test_shares_are_those_of_kaplan_and_meier():
    # five lists: two left at rank 1; at rank 2 one left and one ended; one left at rank 4
    found = examined(looked((1, 1, False, 2), (1, 2, False, 1), (1, 2, True, 1), (1, 4, False, 1)), ranks=6)
    assert rows_of(found) == [
        (1, 1, 5, 5, 1.0),
        (1, 2, 3, 5, pytest.approx(3 / 5)),
        (1, 3, 1, 4, pytest.approx(3 / 5 * 1 / 2)),  # of the two that came to rank 2 and did not end, one went on
        (1, 4, 1, 4, pytest.approx(3 / 5 * 1 / 2)),
        (1, 5, 0, 4, 0.0),
        (1, 6, 0, 4, 0.0),  # nobody is left, and nothing is unknown
    ]


def test_beyond_where_all_lists_ended_the_share_is_unknown():
    found = examined(looked((1, 3, False, 1), (2, 1, True, 1), (3, 1, False, 1), (3, 2, True, 3)))
    assert rows_of(found)[3:] == [
        (2, 1, 1, 1, 1.0),
        (2, 2, 0, 0, None),
        (2, 3, 0, 0, None),
        (3, 1, 4, 4, 1.0),
        (3, 2, 3, 4, 3 / 4),
        (3, 3, 0, 1, None),
    ]


def test_without_ends_the_share_is_looks_by_lists_and_limits_leave_rows_out():
    rows = [(query, rank, False, rank + query) for query in (1, 2) for rank in (1, 2, 3, 7)]
    whole = examined(looked(*rows))
    assert whole["share"].to_list() == pytest.approx((whole["looks"] / whole["lists"]).to_list())
    assert len(whole) == 14
    less = examined(looked(*rows), ranks=2, queries=1)
    assert less.equals(whole.filter(pl.col("rank") <= 2, pl.col("query_position") == 1))


def test_of_clicks_the_share_is_of_all_lists():
    clicks = pl.DataFrame([(0, 1, 1, 3), (0, 1, 3, 1)], schema=["unit", "query_position", "rank", "many"], orient="row")
    found = examined(looked((1, 1, False, 3), (1, 3, True, 1), (2, 1, False, 2), clicks=clicks))
    assert rows_of(found) == [
        (1, 1, 3, 4, 0.75), (1, 2, 0, 4, 0.0), (1, 3, 1, 4, 0.25), (2, 1, 0, 2, 0.0), (2, 2, 0, 2, 0.0), (2, 3, 0, 2, 0.0)
    ]  # fmt: skip


def test_calibrate_has_the_table():
    falling = sk.calibrate(pl.DataFrame({"rank": [1, 2, 1], "query": [1, 1, 2], "count": [4, 3, 1]}), "sRBP", draws=200)
    assert rows_of(falling.examined) == [(1, 1, 4, 4, 1.0), (1, 2, 3, 4, 0.75), (2, 1, 1, 1, 1.0), (2, 2, 0, 1, 0.0)]
    clicks = sk.calibrate(pl.DataFrame({"rank": [1, 2, 1], "query": [1, 1, 2], "count": [3, 4, 1]}), "sDCG", draws=200)
    assert rows_of(clicks.examined) == [
        (1, 1, 3, None, None),
        (1, 2, 4, None, None),
        (2, 1, 1, None, None),
        (2, 2, 0, None, None),
    ]


@pytest.mark.slow
def test_of_a_study_looks_are_the_observed_ones():
    found = sk.calibrate(read_clinic(), "sDCG@10", ranks=10, draws=200)
    observed = found.expected.filter(criterion="likelihood").select("query_position", "rank", looks="observed")
    both = found.examined.join(observed, on=["query_position", "rank"], suffix="_fitted")
    assert len(both) == len(observed) > 50
    assert both["looks"].to_list() == both["looks_fitted"].to_list()
