"""Names of curves at their ends: where they stand, and where legends do instead."""

import altair as alt
import polars as pl
import pytest

from sessionkit.charts import session_curve, spec_of
from sessionkit.charts.encodings import (
    APART,
    APART_STACKED,
    CURVE_NAME,
    LONGEST,
    MOST_NAMED,
    NAME_AT,
    color,
    curve_ends,
    curve_names,
    shaped,
)
from sessionkit.charts.theme import CONTEXT, colors_of


def ends(values, scale=None, **colors):
    """Where names of curves stand that start at 0 and end at these values, on an axis of 0 to 1."""
    names = [*values]
    rows = [(name, x, value * x) for name, value in values.items() for x in (0, 1)]
    frame = pl.DataFrame(rows, schema=["group", "x", "y"], orient="row").with_columns(label="group")
    y = alt.Scale(domain=[0, 1]) if scale is None else alt.Scale(domain=[0, 1], type=scale)
    encoding = {
        "x": alt.X(field="x", type="quantitative", scale=alt.Scale(domain=[0, 2])),
        "y": alt.Y(field="y", type="quantitative", scale=y),
        "color": color(names, colors or None, "Group"),
    }
    found = curve_ends(frame, encoding)
    return None if found is None else [(row["label"], row["x"], round(row["y"], 12)) for row in found.to_dicts()]


def test_names_stand_at_the_heights_of_ends_and_the_end_of_the_axis():
    assert ends({"a": 0.2, "b": 0.8}) == [("b", 2, 0.8), ("a", 2, 0.2)]


def test_names_that_would_touch_stand_apart_around_their_ends_in_their_order():
    assert ends({"a": 0.50, "b": 0.52}) == [
        ("b", 2, pytest.approx(0.51 + APART / 2)),
        ("a", 2, pytest.approx(0.51 - APART / 2)),
    ]
    three = ends({"a": 0.9, "b": 0.9 + 1e-9, "c": 0.1})
    assert [name for name, _, _ in three] == ["b", "a", "c"]
    assert three[2][2] == 0.1  # is not moved


def test_names_stay_within_the_axis():
    top = ends({"a": 1.0, "b": 1.0, "c": 1.0})
    assert [y for _, _, y in top] == pytest.approx([1, 1 - APART, 1 - 2 * APART])
    assert [y for _, _, y in ends({"a": 0.0, "b": 0.0})] == pytest.approx([APART, 0])


def test_on_an_axis_of_roots_they_are_apart_by_what_is_seen():
    high, low = ends({"a": 0.25, "b": 0.25}, "sqrt")
    assert (high[2] ** 0.5 - low[2] ** 0.5, high[2] ** 0.5 + low[2] ** 0.5) == pytest.approx((APART, 1))


def test_many_or_long_names_leave_the_legend():
    assert ends({str(place): place / 10 for place in range(MOST_NAMED)}) is not None
    assert ends({str(place): place / 10 for place in range(MOST_NAMED + 1)}) is None
    assert ends({"a" * LONGEST: 0.5}) is not None
    assert ends({"a" * (LONGEST + 1): 0.5}) is None


def test_context_has_no_name():
    assert ends({"a": 0.5, "b": 0.7}, a="#0072B2", b=CONTEXT) == [("a", 2, 0.5)]


def test_a_name_has_its_curves_mark_beside_it_and_no_legend_is_left(curves):
    spec = spec_of(session_curve(curves()))
    beside, words = spec["layer"][-2:]
    assert beside["encoding"]["shape"]["scale"]["range"] == ["circle", "square"]
    assert (beside["mark"]["type"], words["mark"]["type"], words["mark"]["style"]) == ("point", "text", CURVE_NAME)
    for layer in spec["layer"]:
        for channel in ("color", "shape"):
            assert layer["encoding"].get(channel, {"legend": None})["legend"] is None
    names = tuple("abcdefgh")
    many = spec_of(session_curve(curves(names), colors=colors_of(names)))
    assert any(layer["encoding"].get("color", {}).get("legend") for layer in many["layer"])


def test_a_curve_without_a_value_has_no_name():
    frame = pl.DataFrame({"group": ["a", "b"], "label": ["a", "b"], "x": [1, 1], "y": [None, 0.5]})
    encoding = {
        "x": alt.X(field="x", type="quantitative"),
        "y": alt.Y(field="y", type="quantitative"),
        "color": color("ab", None, "G"),
    }
    (words,) = curve_names(frame, encoding, {"shape": shaped("ab", "G")})
    assert [row["label"] for row in words.data.values] == ["b"]


def test_all_names_have_their_marks_where_one_is_not_at_the_end_of_its_curve():
    rows = [("far", 2, 0.9), ("one", 2, 0.3), ("other", 2, 0.3), ("short", 1, 0.6)]
    frame = pl.DataFrame(rows, schema=["group", "x", "y"], orient="row").with_columns(label="group")
    encoding = {
        "x": alt.X(field="x", type="quantitative", scale=alt.Scale(domain=[0, 2])),
        "y": alt.Y(field="y", type="quantitative", scale=alt.Scale(domain=[0, 1])),
        "color": color(frame["group"].to_list(), None, "Group"),
    }
    beside = dict(curve_ends(frame, encoding).select("label", "beside").rows())
    assert (beside["far"], beside["short"], beside["one"], beside["other"]) == pytest.approx((0.9, 0.6, 0.35, 0.25))
    ends = curve_ends(frame.filter(pl.col("group").is_in(["far", "one"])), encoding)
    assert ends["beside"].to_list() == [None, None]
    (words,) = curve_names(frame.filter(pl.col("group").is_in(["far", "one"])), encoding, {})  # no layer of no marks
    assert words.to_dict()["mark"]["dx"] < NAME_AT
    *_, words = curve_names(frame, encoding, {})
    assert words.to_dict()["mark"]["dx"] == NAME_AT


def test_a_leader_joins_the_end_of_each_curve_to_its_name():
    rows = [("a", 0, 0.1), ("a", 2, 0.50), ("b", 0, 0.9), ("b", 2, 0.52), ("early", 0, 0.0), ("early", 1, 0.9)]
    frame = pl.DataFrame(rows, schema=["group", "x", "y"], orient="row").with_columns(label="group")
    encoding = {
        "x": alt.X(field="x", type="quantitative", scale=alt.Scale(domain=[0, 2])),
        "y": alt.Y(field="y", type="quantitative", scale=alt.Scale(domain=[0, 1])),
        "color": color(["a", "b", "early"], None, "Group"),
    }
    early, leader, _, _ = (layer.to_dict() for layer in curve_names(frame, encoding, {}))
    fields = {side: leader["encoding"][side]["field"] for side in ("x", "x2", "y", "y2")}
    assert fields == {"x": "x", "x2": "x", "y": "end_y", "y2": "beside"}
    assert leader["mark"]["x2Offset"] > leader["mark"]["xOffset"] > 0
    (ends,) = leader["datasets"].values()
    assert {row["label"]: (row["x"], row["end_y"]) for row in ends} == {
        "a": (2, 0.5),
        "b": (2, 0.52),
        "early": (2, 0.9),
    }
    heights = {row["label"]: row["beside"] for row in ends}
    assert (heights["early"], heights["b"], heights["a"]) == pytest.approx((0.9, 0.51 + APART / 2, 0.51 - APART / 2))
    fields = {side: early["encoding"][side]["field"] for side in ("x", "x2", "y")}
    assert fields == {"x": "end_x", "x2": "x", "y": "end_y"}  # a curve that ends early is led to the end of the axis
    assert {row["label"]: row["end_x"] for row in ends} == {"a": 2, "b": 2, "early": 1}


def test_names_of_many_panels_are_farther_apart_as_their_panels_are_low():
    rows = [(panel, group, 1, 0.5) for panel in range(3) for group in "ab"]
    frame = pl.DataFrame(rows, schema=["panel", "group", "x", "y"], orient="row").with_columns(label="group")
    encoding = {
        "x": alt.X(field="x", type="quantitative"),
        "y": alt.Y(field="y", type="quantitative", scale=alt.Scale(domain=[0, 1])),
        "color": color("ab", None, "Group"),
    }
    heights = curve_ends(frame, encoding, "panel")["y"].to_list()
    assert heights == pytest.approx([0.5 + APART_STACKED / 2, 0.5 - APART_STACKED / 2] * 3)


def test_names_are_apart_on_an_axis_that_reaches_to_the_ideal():
    rows = [(group, 1, slot, value, 20.0) for group, value in (("A", 1.0), ("B", 1.1)) for slot in (1, 2)]
    schema = ["group", "query_position", "slot", "value", "ideal"]
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(n=9, rank=pl.col("slot"))
    drawn = [
        rows for rows in spec_of(session_curve(frame, normalized=False))["datasets"].values() if "beside" in rows[0]
    ]
    (names,) = drawn
    low, high = sorted(row["value"] for row in names)
    assert high - low == pytest.approx(20 * APART)
