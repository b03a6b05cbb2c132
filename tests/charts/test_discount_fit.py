"""The discount-fit chart: shares of sessions with intervals, the queries it draws, what it refuses."""

import polars as pl
import pytest
from statsmodels.stats.proportion import proportion_confint

import sessionkit as sk
from sessionkit.charts import discount_fit, examination_heatmap
from sessionkit.errors import UsageError
from tests.support.clinic import read_clinic
from tests.support.messages import match_parts, messages_with

PLACES = pl.DataFrame(
    {
        "rank": [1, 2, 1, 2],
        "query_position": [1, 1, 2, 2],
        "observed": [40, 20, 10, 0],
        "expected": [50.0, 20.0, 12.5, 5.0],
    }
)


def test_looks_are_shares_of_the_sessions_with_wilson_intervals(datasets):
    (ends, low_to_high), (line, rows), (points, _) = datasets(discount_fit(PLACES))
    assert (ends, line, points) == ("rule", "line", "point")
    assert [(row["group"], row["rank"]) for row in rows] == [("1", 1), ("1", 2), ("2", 1), ("2", 2)]
    assert [row["number"] for row in rows] == [1, 20 / 40, 10 / 40, 0]
    assert [row["value"] for row in rows] == [50 / 40, 20 / 40, 12.5 / 40, 5 / 40]  # of the same sessions
    assert discount_fit(PLACES).to_dict()["layer"][0]["encoding"]["y"]["scale"] == {"domain": [0, 1.25]}
    for row, seen in zip(low_to_high, (40, 20, 10, 0), strict=True):
        assert (row["low"], row["high"]) == pytest.approx(proportion_confint(seen, 40, method="wilson"), abs=1e-12)
        assert row["n"] == seen


def test_a_query_that_few_reach_is_left_out(surface, datasets):
    rows = datasets(discount_fit(surface(9)))[0][1]
    assert sorted({row["group"] for row in rows}) == ["1", "2", "3", "4", "5", "6"]
    rarely = {"rank": [1], "query_position": [3], "observed": [0], "expected": [0.39]}
    rare = pl.concat([PLACES, pl.DataFrame(rarely)])
    assert {row["group"] for row in datasets(discount_fit(rare))[0][1]} == {"1", "2"}
    at_the_limit = pl.concat([PLACES, pl.DataFrame(rarely | {"expected": [0.4]})])
    assert {row["group"] for row in datasets(discount_fit(at_the_limit))[0][1]} == {"1", "2", "3"}


def test_several_fits_are_refused(surface):
    with pytest.raises(UsageError, match=match_parts("one fit", "model and criterion")):
        discount_fit(pl.concat([surface(), surface()]))
    with pytest.raises(UsageError, match="needs the column expected"):
        discount_fit(surface().drop("expected"))


def test_clicks_are_drawn_by_their_numbers_without_intervals(datasets):
    clicks = sk.calibrate(read_clinic(), "sDCG", signal="clicks", draws=200)
    chart = discount_fit(clicks, title="T")
    (line, rows), (points, _) = datasets(chart)
    assert (line, points) == ("line", "point")
    first = clicks.expected.filter(criterion=clicks.fits["criterion"][0])
    places = first.filter(pl.col("rank") <= 20, pl.col("query_position") <= 6).sort("query_position", "rank")
    assert [row["number"] for row in rows] == places["observed"].to_list()
    assert [row["value"] for row in rows] == places["expected"].to_list()
    assert "low" not in rows[0]
    spec = chart.to_dict()
    assert spec["layer"][0]["encoding"]["y"]["axis"]["title"] == "Clicks"
    assert spec["title"]["subtitle"][0] == "Points: observed; lines: expected"
    with pytest.raises(UsageError, match="these counts are of clicks"):
        examination_heatmap(clicks)


def test_what_is_left_out_is_said(surface):
    title = str(discount_fit(surface(9)).to_dict()["title"])
    assert messages_with([title], "observed", "100% is 1,000 sessions", "95% intervals")
    assert "Drawn: 6 of 9 queries" in title
    assert "Drawn" not in str(discount_fit(surface(2)).to_dict()["title"])
