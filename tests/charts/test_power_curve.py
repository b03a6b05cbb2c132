"""The curve of power by size."""

import polars as pl
import pytest

from sessionkit.charts import power_curve
from sessionkit.errors import UsageError

NAMES = ["population", "users", "topics", "sessions", "power", "low", "high"]


def rows_of(chart, kind):
    """The rows of one kind."""
    (rows,) = chart.to_dict()["datasets"].values()
    return [row for row in rows if row["kind"] == kind]


def scale_of(chart):
    """The scale of numbers."""
    return next(
        layer["encoding"]["x"]["scale"] for layer in chart.to_dict()["spec"]["layer"] if "x" in layer["encoding"]
    )


def test_a_panel_for_each_claim_and_a_curve_for_each_number_of_topics(apart):
    chart = apart["power-curve"](("S1", "S2"))
    sizes = rows_of(chart, "size")
    curves = {(row["population"].split()[2], row["group"]) for row in sizes}
    assert curves == {("users", "4"), ("topics", "4"), ("topics", "5")}
    assert [(row["x"], row["value"], row["low"]) for row in sizes][:2] == [(10, 0.4, 0.2), (20, 0.8, 0.4)]
    order = chart.to_dict()["facet"]["sort"]
    assert order == {"field": "place", "op": "min"}
    assert {(row["population"].split()[2], row["place"]) for row in sizes} == {("users", 0), ("topics", 1)}


def test_power_without_end_stands_beyond_the_last_number(apart):
    chart = apart["power-curve"](("S1",))
    assert [(row["x"], row["number"], row["value"]) for row in rows_of(chart, "end")] == [(26, None, 0.9)]  # 1.3 x 20
    assert scale_of(chart)["domain"] == [10, pytest.approx(26 * 1.06)]


def test_the_line_below_the_title_says_what_the_marks_are(apart):
    below = apart["power-curve"](("S1",), title="T").to_dict()["title"]["subtitle"]
    assert below == "Dashed: power 0.8; diamond: fewest users that reach it; triangles: infinitely many users"
    table = pl.DataFrame([("sessions", None, None, 8, 0.5, 0.4, 0.6)], schema=NAMES, orient="row")
    assert power_curve(table, title="T", target=0.9).to_dict()["title"]["subtitle"] == "Dashed: power 0.9"


def test_the_smallest_number_is_marked_where_there_is_one(apart):
    marked = rows_of(apart["power-curve"](("S1",)), "smallest")
    assert [(row["x"], row["value"], row["label"]) for row in marked] == [(20, 0.8, "20")]


def test_bands_are_those_of_the_fewest_and_the_most_topics(apart):
    banded = {row["group"] for row in rows_of(apart["power-curve"](tuple("abc")), "size") if row["banded"]}
    assert banded == {"4", "6"}


def test_edges_of_bands_are_dashed_differently(apart):
    layers = apart["power-curve"](tuple("abc")).to_dict()["spec"]["layer"]
    edges = [layer["encoding"] for layer in layers if "strokeDash" in layer["encoding"]]
    assert [edge["y"]["field"] for edge in edges] == ["low", "high"]
    for edge in edges:
        dashes = dict(zip(edge["strokeDash"]["scale"]["domain"], edge["strokeDash"]["scale"]["range"], strict=True))
        assert dashes["4"] != dashes["6"]


@pytest.mark.parametrize(("grows", "kept"), [("topics", "sessions"), ("sessions", None)])
def test_where_no_users_are_known_what_grows_is_the_axis(grows, kept):
    sizes = {"users": None, "topics": None, "sessions": None} | {grows: 8} | ({kept: 16} if kept else {})
    chart = power_curve(pl.DataFrame([{"population": grows, **sizes, "power": 0.5, "low": 0.4, "high": 0.6}]))
    x = next(layer["encoding"]["x"] for layer in chart.to_dict()["spec"]["layer"] if "x" in layer["encoding"])
    assert x["axis"]["title"] == f"Number of {grows}"
    assert [(row["x"], row["group"]) for row in rows_of(chart, "size")] == [(8, "as now")]


def test_without_sizes_nothing_is_drawn():
    with pytest.raises(UsageError, match="no study size was simulated"):
        power_curve(pl.DataFrame([("users", None, None, None, 0.5, 0.4, 0.6)], schema=NAMES, orient="row"))


def test_bands_of_many_numbers_of_topics_have_edges_of_their_own():
    """The first and the fifth would have the same dashes, if all curves were counted."""
    sizes = [("users", users, topics, None, 0.5, 0.4, 0.6) for users in (8, 16) for topics in range(2, 7)]
    table = pl.DataFrame(sizes, schema=NAMES, orient="row")
    layers = power_curve(table, title="T").to_dict()["spec"]["layer"]
    (scale, _) = [layer["encoding"]["strokeDash"]["scale"] for layer in layers if "strokeDash" in layer["encoding"]]
    assert scale["domain"] == ["2", "6"]
    assert scale["range"][0] != scale["range"][1]
