"""Figure 1."""

import polars as pl
import pytest

from sessionkit.charts import last_vs_nonlast, spec_of
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


def test_with_bands_every_group_has_a_panel_and_every_part_a_band(parts, datasets):
    frame = parts(ranks=5).with_columns(low=pl.col("value") - 1, high=pl.col("value") + 1)
    spec = spec_of(last_vs_nonlast(frame, measure="nDCG@10", title="T"))
    area, _, point = spec["spec"]["layer"]
    assert (spec["facet"]["field"], area["encoding"]["detail"]["field"]) == ("group", "part")
    assert spec["title"]["subtitle"] == "Mean cumulated gain per query"
    assert area["encoding"]["y"]["axis"]["title"] == "nDCG@10"
    (rows,) = spec["datasets"].values()
    assert [(row["group"], row["part"]) for row in rows[::5]] == [
        ("S1", "Last"), ("S1", "Non-last"), ("S2", "Last"), ("S2", "Non-last"),
    ]  # fmt: skip
    assert all(row["marked"] for row in rows)
    assert point["transform"] == [{"filter": {"field": "marked", "equal": True}}]


@pytest.mark.parametrize(("groups", "columns"), [(2, 2), (3, 3), (4, 2), (5, 3), (6, 3)])
def test_at_most_one_place_of_a_panel_is_empty(parts, groups, columns):
    frame = parts([f"S{group}" for group in range(groups)], ranks=3)
    frame = frame.with_columns(low=pl.col("value") - 1, high=pl.col("value") + 1)
    spec = spec_of(last_vs_nonlast(frame))
    assert spec["columns"] == columns
    assert -groups % columns <= 1


def test_a_mean_of_one_is_left_out(parts, datasets):
    frame = parts(ranks=5).with_columns(low=pl.col("value") - 1, high=pl.col("value") + 1)
    one = frame.with_columns(n_sessions=pl.when(pl.col("system_id") == "S2").then(1).otherwise(2))
    (rows,) = spec_of(last_vs_nonlast(one))["datasets"].values()
    assert {row["group"] for row in rows if row["value"] is not None} == {"S1"}
    assert {row["group"] for row in rows if row["low"] is not None} == {"S1"}
    single = last_vs_nonlast(frame.filter(system_id="S1"))
    (area,) = [layer for layer in single.to_dict()["layer"] if layer["mark"]["type"] == "area"]
    assert area["encoding"]["detail"]["field"] == "part"
    (banded,) = [rows for mark, rows in datasets(single) if mark == "area"]
    assert {row["part"] for row in banded} == {"Last", "Non-last"}


def test_points_of_fewer_than_10_sessions_are_faded_and_a_line_says_so(parts):
    frame = parts(ranks=3).with_columns(n_sessions=pl.when(pl.col("rank") == 3).then(9).otherwise(10))
    spec = spec_of(last_vs_nonlast(frame))
    assert spec["title"]["text"] == "Faded points: fewer than 10 sessions"
    opacity = spec["layer"][1]["encoding"]["opacity"]
    assert (opacity["condition"]["test"], opacity["condition"]["value"]) == ({"field": "n_sessions", "lt": 10}, 0.35)
    ten = spec_of(last_vs_nonlast(frame.with_columns(n_sessions=pl.lit(10))))
    assert "Faded" not in str(ten.get("title"))
