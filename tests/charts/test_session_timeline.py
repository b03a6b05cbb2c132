"""One session in time."""

import polars as pl
import pytest

from sessionkit.charts import session_timeline
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


def test_lists_clicks_and_dwell_stand_at_their_minutes(datasets):
    clicks = {"query_position": [1, 1], "rank": [3, 4], "doc_id": ["d", "e"], "at": [30.0, 31.0], "dwell": [45.0, None]}
    (_, lists), (_, dwell), (_, points), (_, ranks), (tick, issued) = datasets(
        session_timeline(QUERIES, pl.DataFrame(clicks))
    )
    assert [(row["start"], row["end"]) for row in lists] == [(0, 1.5)]  # the second list has no end
    assert [(row["start"], row["end"], row["document"]) for row in dwell] == [(0.5, 1.25, "d")]
    assert [row["start"] for row in points] == [0.5, pytest.approx(31 / 60)]
    assert [row["rank"] for row in ranks] == [3, 4]  # all the time there is lies between them
    assert (tick, [row["start"] for row in issued]) == ("tick", [0, 1.5])
    assert [row["label"] for row in issued] == ["Q1  " + "x" * 33 + "…", "Q2"]


def test_ranks_are_written_where_there_is_room(datasets):
    clicks = {
        "query_position": [1] * 3,
        "rank": [1, 2, 3],
        "doc_id": ["d"] * 3,
        "at": [0.0, 1.0, 80.0],
        "dwell": [1.0] * 3,
    }
    texts = dict(datasets(session_timeline(QUERIES, pl.DataFrame(clicks))))["text"]
    assert [row["rank"] for row in texts] == [1, 3]


def test_clicks_are_not_needed(datasets):
    assert [mark for mark, _ in datasets(session_timeline(QUERIES))] == ["bar", "tick"]
    none = pl.DataFrame(schema=["query_position", "rank", "doc_id", "at", "dwell"])
    assert [mark for mark, _ in datasets(session_timeline(QUERIES, none))] == ["bar", "tick"]


def test_very_many_queries_are_refused():
    with pytest.raises(UsageError, match="shows 60 queries, not 61"):
        session_timeline(pl.concat([QUERIES.head(1)] * (MOST + 1)))


@pytest.mark.parametrize(
    ("last", "unit", "drawn"),
    [
        (90.0, "Minutes", 1.5),
        (3 * 3_600.0, "Minutes", 180),
        (3 * 3_600.0 + 1, "Hours", 3 + 1 / 3_600),
        (48 * 3_600.0, "Hours", 48),
        (8 * 86_400.0, "Days", 8),
    ],
)
def test_the_unit_of_time_is_chosen_by_the_length_of_the_session(datasets, last, unit, drawn):
    chart = session_timeline(QUERIES.with_columns(start=pl.Series([0.0, last])))
    (axis,) = {layer["encoding"]["x"]["axis"]["title"] for layer in chart.to_dict()["layer"]}
    assert axis == f"{unit} since the session began"
    assert f"Issued, {unit.lower()}" in str(chart.to_dict()["layer"][-1]["encoding"]["tooltip"])
    assert [row["start"] for row in dict(datasets(chart))["tick"]] == [0, pytest.approx(drawn)]
    clicks = {"query_position": [1], "rank": [1], "doc_id": ["d"], "at": [1.0], "dwell": [last]}
    late = session_timeline(QUERIES, pl.DataFrame(clicks)).to_dict()
    assert unit == "Minutes" or late["layer"][0]["encoding"]["x"]["axis"]["title"] == axis
