"""Correlations with intervals."""

import re

import polars as pl
import pytest

from sessionkit.charts import correlation_forest, save, spec_of
from sessionkit.charts.print_layout import print_layout
from sessionkit.errors import UsageError


def found(**columns):
    """A table as correlate makes it."""
    rows = {
        "measure": ["P@5", "AP"],
        "covariate": ["rating"] * 2,
        "coefficient": ["pearson"] * 2,
        "n": [9, 9],
        "value": [0.25, -0.1],
        "low": [-0.05, None],
        "high": [0.55, None],
        "p": [0.1, None],
    }
    return pl.DataFrame({**rows, **columns})


def drawn(frame):
    """The rows that are drawn, and the axis."""
    spec = spec_of(correlation_forest(frame))
    (rows,) = spec["datasets"].values()
    return rows, spec["spec"]["layer"][1]["encoding"]["x"]


def test_points_and_intervals_are_those_of_the_table():
    rows, x = drawn(found())
    assert [(row["row"], row["value"], row["low"], row["high"]) for row in rows] == [
        ("P@5", 0.25, -0.05, 0.55),
        ("AP", -0.1, None, None),
    ]
    assert x["axis"]["title"] == ["Correlation with", "rating"]
    assert x["scale"]["domain"] == [-0.2, 0.6]


def test_covariates_are_named_where_there_are_several():
    rows, x = drawn(found(covariate=["rating", "skill"]))
    assert [row["row"] for row in rows] == ["P@5 with rating", "AP with skill"]
    assert x["axis"]["title"] == "Correlation"


def test_long_names_of_rows_stand_above_them_in_a_narrow_figure():
    layout = print_layout(width="84mm")
    for covariate, above in ((["rating", "skill"], False), (["satisfaction with the answer", "skill"], True)):
        spec = layout.apply(correlation_forest(found(covariate=covariate)).to_dict(), lambda _: (200.0, 100.0))
        assert ("row" not in spec["facet"]) == above
        assert (spec.get("columns") == 1) == above


def test_what_has_no_value_is_left_out():
    assert [row["row"] for row in drawn(found(value=[None, 0.1]))[0]] == ["AP"]
    with pytest.raises(UsageError, match="no value is defined"):
        correlation_forest(found(value=pl.Series([None, None], dtype=pl.Float64)))


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (-0.066, 0.039, ["\u22120.1", "0.0", "0.1"]),
        (-0.21, 0.26, ["\u22120.3", "\u22120.2", "\u22120.1", "0.0", "0.1", "0.2", "0.3"]),
    ],
    ids=["narrow", "wide"],
)
def test_no_label_of_the_axis_stands_twice(tmp_path, low, high, labels):
    chart = correlation_forest(found(value=[0.0, None], low=[low, None], high=[high, None]))
    drawing = save(chart, tmp_path / "forest.svg").read_text()
    assert re.findall(r">(\u2212?[01]\.[0-9]+)</text>", drawing) == labels
