"""R-precision histograms."""

import polars as pl
import pytest

from sessionkit.charts import rprecision_histogram, save, spec_of
from sessionkit.errors import UsageError


def found(differences):
    """A histogram of topics t000, t001, ... with these differences."""
    rows = [(f"t{number:03}", None, None, value) for number, value in enumerate(differences)]
    schema = {"topic_id": pl.String, "a": pl.Float64, "b": pl.Float64, "difference": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_bars_show_who_is_ahead(datasets):
    (mark, rows), _ = datasets(rprecision_histogram(found([0.1, -0.2, None]), "new", "old"))
    assert mark == "bar"
    assert [(row["topic"], row["difference"], row["group"]) for row in rows] == [
        ("t000", 0.1, "new"),
        ("t001", -0.2, "old"),
    ]


def test_the_sessions_behind_the_means_are_counted_and_bars_of_few_are_faded(datasets):
    frame = found([0.1, -0.2, None]).with_columns(n_a=pl.Series([10, 9, 3]), n_b=pl.Series([12, 30, 0]))
    chart = rprecision_histogram(frame, "new", "old", title="T")
    assert chart.to_dict()["title"]["subtitle"] == ["9 to 30 sessions per mean", "Faded: fewer than 10 sessions"]
    (_, rows), _ = datasets(chart)
    assert [(row["n_a"], row["n_b"], row["least"]) for row in rows] == [(10, 12, 10), (9, 30, 9)]
    assert chart.to_dict()["layer"][0]["encoding"]["opacity"]["condition"]["test"] == {"field": "least", "lt": 10}


def test_every_topic_is_shown_and_of_very_many_the_axis_says_how_many(datasets):
    chart = rprecision_histogram(found([number / 1000 for number in range(150)]), "new", "old", title="T", subtitle="S")
    (_, rows), _ = datasets(chart)
    assert [row["topic"] for row in rows] == [f"t{number:03}" for number in range(150)]
    spec = chart.to_dict()
    assert spec["title"]["subtitle"] == "S"
    assert (spec["layer"][0]["encoding"]["x"]["axis"]["title"], spec["width"]) == ("150 topics", {"step": 3})


def test_topics_stand_by_name_or_by_difference(datasets):
    frame = found([0.1, -0.2, 0.3, 0.1])
    (_, rows), _ = datasets(rprecision_histogram(frame, "new", "old", order="difference"))
    assert [row["topic"] for row in rows] == ["t002", "t000", "t003", "t001"]
    spec = rprecision_histogram(frame, "new", "old", order="difference").to_dict()
    assert spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == ["t002", "t000", "t003", "t001"]


@pytest.mark.parametrize("name", ["line\u2028end\u2029", "datum.x", '"};x//', "</title>", "a\x00"])
def test_names_of_systems_are_text_in_tooltips_too(tmp_path, name):
    path = save(rprecision_histogram(found([0.1, -0.1]), name, "old"), tmp_path / "chart.svg")
    assert "</title>" not in path.read_text("utf-8")


def test_topics_without_both_systems_are_nothing_to_draw():
    with pytest.raises(UsageError, match=r"no topic has.*both"):
        rprecision_histogram(found([None]), "new", "old")


def test_the_axis_says_whose_difference_it_is_and_the_legend_only_of_long_names():
    spec = spec_of(rprecision_histogram(found([0.1, -0.2]), "A", "B"))
    bars = spec["layer"][0]["encoding"]
    assert bars["y"]["axis"]["title"] == ["A minus B", "mean(Rprec)"]
    assert bars["color"]["legend"] is None
    long = spec_of(rprecision_histogram(found([0.1, -0.2]), "A" * 60, "B"))["layer"][0]["encoding"]
    assert long["y"]["axis"]["title"][0] == "Difference"
    assert long["color"]["legend"]["title"] == "System ahead"
