"""The curve of judgment loss."""

import polars as pl
import pytest

from sessionkit.charts import judgment_loss
from sessionkit.errors import UsageError
from tests.support.messages import match_parts, messages_with


def test_a_curve_for_each_measure_with_its_band_and_its_knee(losing, datasets):
    agreement, knees = losing()
    layers = datasets(judgment_loss(agreement, knees))
    marks = [mark for mark, _ in layers]
    leaders = ["rule", "rule"]  # from the ends of lines to names
    assert marks == ["rule", "line", "area", "point", *leaders, "point", "text", "rule", "point", "text", "text"]
    by = dict(
        zip(
            (
                "across",
                "line",
                "band",
                "points",
                "leaders",
                "dots",
                "beside",
                "names",
                "rules",
                "diamonds",
                "early",
                "late",
            ),
            (rows for _, rows in layers),
            strict=True,
        )
    )
    assert by["across"] == [{"value": 0.9}]
    assert [row["value"] for row in by["line"]] == pytest.approx(agreement["tau"].to_list())
    assert [row["low"] for row in by["band"]] == pytest.approx(agreement["tau_low"].to_list())
    assert [(row["group"], row["fraction"], row["value"]) for row in by["diamonds"]] == [
        ("P@5", 0.5, 0.9),
        ("AP", 1.0, 0.9),
    ]
    assert [row["label"] for row in by["names"]] == ["P@5", "AP"]  # both end at 1; P@5 is higher before
    assert [row["label"] for row in by["early"]] == ["knee 50%"]
    assert [row["label"] for row in by["late"]] == ["knee 100%"]


def test_axes_go_from_no_judgments_to_all_and_down_to_the_least_tau(losing):
    agreement, knees = losing()
    encoding = judgment_loss(agreement, knees, threshold=0.8).to_dict()["layer"][1]["encoding"]
    assert encoding["x"]["scale"]["domain"] == [0, 1]
    assert encoding["y"]["scale"]["domain"] == [0.5, 1]
    assert messages_with([encoding["y"]["axis"]["title"]], "tau-b", "all judgments")


def test_of_two_systems_there_is_no_band(losing, datasets):
    agreement, _ = losing()
    two = agreement.with_columns(tau_low=pl.lit(-1.0), tau_high=pl.lit(1.0))
    title = judgment_loss(two).to_dict()["layer"][1]["encoding"]["y"]["axis"]["title"]
    assert messages_with(title[1:2], "1: same order", "0: in half")
    assert [mark for mark, _ in datasets(judgment_loss(two))] == [
        "rule",
        "line",
        "point",
        "rule",
        "rule",
        "point",
        "text",
    ]


def test_a_knee_that_is_not_there_is_not_marked(losing, datasets):
    agreement, knees = losing()
    none = knees.with_columns(knee=pl.lit(None, pl.Float64))
    assert [mark for mark, _ in datasets(judgment_loss(agreement, none))] == [
        "rule",
        "line",
        "area",
        "point",
        "rule",
        "rule",
        "point",
        "text",
    ]


def test_undefined_tau_leaves_a_gap_and_missing_columns_are_named(losing, datasets):
    agreement, _ = losing()
    gap = agreement.with_columns(tau=pl.when(pl.col("fraction") != 0.5).then("tau"))
    assert [row["value"] for row in datasets(judgment_loss(gap))[1][1]].count(None) == 2
    with pytest.raises(UsageError, match=match_parts("column tau", "sessionkit.judgment_loss")):
        judgment_loss(agreement.drop("tau"))
