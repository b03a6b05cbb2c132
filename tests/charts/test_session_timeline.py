"""One session in time."""

import polars as pl
import pytest

from sessionkit.charts import data, session_timeline, spec_of
from sessionkit.charts.kinds.session_timeline import MOST
from sessionkit.errors import UsageError

QUERIES = pl.DataFrame(
    {
        "query_position": [1, 2],
        "text": ["x" * 50, None],
        "start": [0.0, 90.0],
        "end": [90.0, None],
        "results": [10, 0],
    }
)


def drawn(chart, kind, *columns):
    """What the marks of a kind show, before the one that explains them."""
    (rows,) = spec_of(chart)["datasets"].values()
    return [tuple(row.get(name) for name in columns) for row in rows if row["kind"] == kind][:-1]


def test_lists_clicks_and_dwell_stand_at_their_times():
    clicks = {"query_position": [1, 1], "rank": [3, 4], "doc_id": ["d", "e"], "at": [30.0, 31.0], "dwell": [45.0, None]}
    chart = session_timeline(QUERIES, pl.DataFrame(clicks))
    ((start, _), (end, _)) = drawn(chart, "query", "x", "y")  # at 0 s and at 90 s

    def at(seconds):
        return pytest.approx(start + seconds / 90 * (end - start), abs=0.02)

    # a line to the next query and its end; when the second query's time ended is not known
    assert drawn(chart, "span", "x", "x2") == [(start, end), (end, end)]
    assert drawn(chart, "dwell", "x", "x2", "document") == [(at(30), at(75), "d")]
    assert drawn(chart, "click", "x", "rank") == [(at(30), 3), (at(31), 4)]
    (table,) = data(chart)
    assert table.filter(part="click").select("start", "end").rows() == [(30, 75), (31, None)]


def test_clicks_are_not_needed():
    none = pl.DataFrame(schema=["query_position", "rank", "doc_id", "at", "dwell"])
    for chart in (session_timeline(QUERIES), session_timeline(QUERIES, none)):
        assert len(drawn(chart, "query", "x")) == 2
        assert not drawn(chart, "click", "x")


def test_lines_to_the_next_query_are_called_so():
    assert "time to the next query" in str(spec_of(session_timeline(QUERIES)))


def test_a_long_gap_is_left_out_and_named():
    chart = session_timeline(QUERIES.with_columns(start=pl.Series([0.0, 10_890.0]), end=pl.Series([90.0, 10_900.0])))
    assert "// 3 h 1 min" in str(spec_of(chart))


def test_very_many_queries_are_refused():
    with pytest.raises(UsageError, match="shows 60 queries, not 61"):
        session_timeline(pl.concat([QUERIES.head(1)] * (MOST + 1)))
