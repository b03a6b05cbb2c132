"""The difference curve: its zero line, filled points where the interval excludes zero, sessions below the axis."""

import polars as pl
import pytest

from sessionkit.charts import difference_curve, spec_of
from sessionkit.errors import UsageError
from tests.support.messages import messages_with


def frame(groups=("S2",), estimate=0.2, width=0.3):
    """Two queries of two slots; the estimate grows by a tenth a slot, the interval reaches `width` to both sides."""
    rows = [
        ("S1", b, slot, (slot + 1) // 2, (slot - 1) % 2 + 1, estimate * slot / 2, estimate * slot / 2 - width,
         estimate * slot / 2 + width, 8, 9, 9 - slot // 3, 8 - slot // 3)
        for b in groups for slot in range(1, 5)
    ]  # fmt: skip
    names = ["a", "b", "slot", "query_position", "rank", "estimate", "low", "high", "n_a", "n_b", "searching_a"]
    return pl.DataFrame(rows, schema=[*names, "searching_b"], orient="row")


def points(chart):
    """The slots of points, by whether they are filled."""
    spec = spec_of(chart)
    layers = [layer for layer in spec["layer"] if layer["mark"]["type"] == "point"]
    return {
        layer["mark"]["filled"]: [row["slot"] for row in spec["datasets"][layer["data"]["name"]]] for layer in layers
    }


def test_points_are_filled_where_the_interval_excludes_zero():
    assert points(difference_curve(frame())) == {False: [2], True: [4]}
    assert points(difference_curve(frame(estimate=-0.2))) == {False: [2], True: [4]}
    unknown = frame().with_columns(low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64))
    assert points(difference_curve(unknown)) == {False: [2, 4]}


def test_the_axis_says_what_is_subtracted_and_zero_is_a_line(datasets):
    chart = difference_curve(frame(), measure="nsDCG@2")
    layers = chart.to_dict()["layer"]
    assert layers[3]["encoding"]["y"]["axis"]["title"] == ["S2 minus S1", "nsDCG@2"]
    assert ("rule", [{"value": 0.0}]) in datasets(chart)
    several = difference_curve(frame(("S2", "S3")))
    assert several.to_dict()["layer"][3]["encoding"]["y"]["axis"]["title"] == "Each group minus S1"


def test_sessions_still_searching_stand_below(datasets):
    texts = [
        [row.get("text", row.get("label")) for row in rows]
        for mark, rows in datasets(difference_curve(frame()))
        if mark == "text"
    ]
    queries, heading, *counts = texts
    assert queries == ["Q1", "Q2"]
    assert len(messages_with(heading, "Sessions still searching")) == len(heading) == 1
    assert counts == [["9", "8"], ["S1"], ["8", "7"], ["S2"]]


def test_undefined_differences_are_gaps_and_no_difference_is_an_error(datasets):
    part = frame().with_columns(pl.when(pl.col("slot") > 2).then("estimate").alias("estimate"))
    (lines,) = [rows for mark, rows in datasets(difference_curve(part)) if mark == "line"]
    assert [row["value"] for row in lines] == [None, None, pytest.approx(0.3), pytest.approx(0.4)]
    with pytest.raises(UsageError, match="no difference of two means"):
        difference_curve(frame().with_columns(estimate=pl.lit(None, pl.Float64)))
    with pytest.raises(UsageError, match="no difference of two means"):
        difference_curve(frame().with_columns(n_a=pl.lit(1)))
    with pytest.raises(UsageError, match="needs the column"):
        difference_curve(pl.DataFrame({"slot": [1]}))
