"""Figure 1."""

import polars as pl
import pytest

from sessionkit.charts import last_vs_nonlast
from sessionkit.errors import UsageError


def test_lines_hold_the_breakdown_and_points_stand_at_every_tenth_rank(parts, datasets):
    frame = parts(ranks=20)
    (line, rows), (point, marked), (_, names) = datasets(last_vs_nonlast(frame))
    assert (line, point) == ("line", "point")
    assert [row["value"] for row in rows] == frame.get_column("value").to_list()
    assert {row["part"] for row in rows} == {"Last", "Non-last"}
    assert sorted({row["rank"] for row in marked}) == [1, 10, 20]
    assert [row["label"] for row in names] == ["S2, last", "S1, last", "S2, non-last", "S1, non-last"]


def test_short_lists_get_a_point_at_every_rank(parts, datasets):
    _, (_, marked), *_ = datasets(last_vs_nonlast(parts(ranks=5)))
    assert sorted({row["rank"] for row in marked}) == [1, 2, 3, 4, 5]


def test_axes_speak_the_words_of_the_field(parts):
    encoding = last_vs_nonlast(parts(), measure="sDCG@20").to_dict()["layer"][0]["encoding"]
    assert encoding["x"]["axis"]["title"] == "Rank in the result list"
    assert encoding["y"]["axis"]["title"] == ["Mean cumulated gain per query", "sDCG@20"]
    assert encoding["strokeDash"]["scale"]["domain"] == ["Last", "Non-last"]


def test_more_parts_than_dashes_are_refused(parts):
    frame = parts().filter(pl.col("part") == "last")
    many = pl.concat([frame.with_columns(part=pl.lit(str(number))) for number in range(1, 8)])
    with pytest.raises(UsageError, match="holds 6 kinds of line, not 7"):
        last_vs_nonlast(many)


def test_each_part_has_a_band_of_its_own_and_a_mean_of_one_is_left_out(parts, datasets):
    frame = parts(ranks=5).with_columns(low=pl.col("value") - 1, high=pl.col("value") + 1)
    chart = last_vs_nonlast(frame)
    (area,) = [layer for layer in chart.to_dict()["layer"] if layer["mark"]["type"] == "area"]
    assert area["encoding"]["detail"]["field"] == "part"
    (rows,) = [rows for mark, rows in datasets(chart) if mark == "area"]
    assert {(row["group"], row["part"]) for row in rows} == {(g, p) for g in ("S1", "S2") for p in ("Last", "Non-last")}
    one = frame.with_columns(n_sessions=pl.when(pl.col("system_id") == "S2").then(1).otherwise(2))
    marks = dict(datasets(last_vs_nonlast(one)))
    assert {row["group"] for row in marks["area"]} == {"S1"}
    assert {row["group"] for row in marks["line"] if row["value"] is not None} == {"S1"}
