"""Means by topic: every group on every topic, the topics in the order of the mean over groups."""

import re

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import data, rprecision_histogram, save, spec_of, topic_means, user_topic_heatmap
from sessionkit.charts.theme import CONTEXT
from sessionkit.errors import UsageError
from tests.support.clinic import read_clinic
from tests.support.messages import match_parts

VALUES = {("A", "t10"): 0.1, ("B", "t10"): 0.3, ("A", "t2"): 0.2, ("B", "t2"): 0.2, ("A", "t1"): 0.9, ("A", "t3"): None}


def means(values=VALUES, measure="m"):
    rows = [(group, topic, measure, value) for (group, topic), value in values.items()]
    return pl.DataFrame(rows, schema=["system_id", "topic_id", "measure", "value"], orient="row")


def drawn(chart):
    spec = spec_of(chart)
    ends, points = ([*spec["datasets"].values()], [layer["data"]["name"] for layer in spec["layer"]])
    by_name = dict(zip(spec["datasets"], ends, strict=True))
    return spec, by_name[points[0]], by_name[points[1]]


def test_every_mean_is_a_point_and_a_line_joins_the_farthest():
    spec, ends, points = drawn(topic_means(means()))
    assert {(row["group"], row["topic"]): row["value"] for row in points} == {
        key: value for key, value in VALUES.items() if value is not None
    }
    assert {row["topic"]: (row["value"], row["high"]) for row in ends} == {
        "t10": (0.1, 0.3),
        "t2": (0.2, 0.2),
        "t1": (0.9, 0.9),
    }
    # means over groups 0.9, then 0.2 twice, which stand in natural order
    assert spec["layer"][1]["encoding"]["x"]["scale"]["domain"] == ["t1", "t2", "t10"]


def test_it_draws_what_score_returns():
    found = sk.score(read_clinic(), "nsDCG@10", by=["system_id", "topic_id"])
    _, _, points = drawn(topic_means(found))
    assert sorted(row["value"] for row in points) == pytest.approx(sorted(found["value"]))


def test_of_many_topics_none_is_named_and_each_is_drawn():
    many = {(group, f"t{number}"): number / 100 for number in range(61) for group in "AB"}
    spec, _, points = drawn(topic_means(means(many)))
    axis = spec["layer"][1]["encoding"]["x"]["axis"]
    assert axis["title"] == "61 topics, highest mean first"
    assert axis["labels"] is False
    assert len(points) == 122


def test_groups_of_the_context_stand_behind():
    _, _, points = drawn(topic_means(means(), colors={"A": "#0072B2", "B": CONTEXT}))
    assert [row["group"] for row in points] == ["B", "B", "A", "A", "A"]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UsageError, match=match_parts("one measure, not 2: m, n", "filter the table")):
        topic_means(pl.concat([means(), means(measure="n")]))
    with pytest.raises(UsageError, match="needs the column topic_id"):
        topic_means(means().drop("topic_id"))
    with pytest.raises(UsageError, match="no value is defined"):
        topic_means(means({("A", "t"): None}))


@pytest.mark.parametrize(
    ("names", "angle"), [(["a"] * 2, 0), (["a" * 6] * 7, 0), (["a" * 40] * 7, -90), (["a"] * 60, -90)]
)
@pytest.mark.parametrize("draw", [topic_means, rprecision_histogram])
def test_every_name_stands_below_the_plot_whole_or_cut(tmp_path, draw, names, angle):
    topics = [f"{name}{number:02}" for number, name in enumerate(names)]
    frame = pl.DataFrame({"topic_id": topics, "a": 1.0, "b": 0.5, "difference": 0.5})
    if draw is topic_means:
        frame = frame.select("topic_id", group=pl.lit("S1"), value="a")
        chart = topic_means(frame, measure="nDCG@10")
    else:
        chart = rprecision_histogram(frame, "A", "B")
    axis = chart.to_dict()["layer"][-1 if draw is topic_means else 0]["encoding"]["x"]["axis"]
    assert axis["labelAngle"] == angle
    path = save(chart, tmp_path / "chart.svg")
    shown = [
        text for text in re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text("utf-8")) if text[:1] == names[0][:1]
    ]
    assert len(shown) == len(topics)
    assert all(topic.startswith(text.rstrip("…")) for text, topic in zip(sorted(shown), sorted(topics), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("width", "every"), [("84mm", 1), ("72mm", 2)])
@pytest.mark.parametrize("draw", [topic_means, user_topic_heatmap])
def test_in_a_column_of_a_paper_every_name_stands_there_or_the_title_says_which(tmp_path, draw, width, every):
    topics = [f"{number:02}-" for number in range(20)]
    rows = pl.DataFrame({"topic_id": topics, "group": "S1", "value": [1 - number / 40 for number in range(20)]})
    if draw is user_topic_heatmap:
        rows = rows.with_columns(user_id=pl.lit("u"))
    path = save(draw(rows, measure="nDCG@10"), tmp_path / "chart.svg", width=width)
    shown = re.findall(r"<text[^>]*>(\d\d-)</text>", path.read_text("utf-8"))
    assert shown == topics[::every]
    assert ("every second is" in " ".join(re.findall(r">([^<]*)</t", path.read_text("utf-8")))) == (every == 2)


def test_means_with_intervals_have_them_side_by_side_and_few_sessions_are_pale():
    rows = [("A", "t", 0.5, 0.1, 0.9, 12), ("B", "t", 0.6, 0.2, 1.0, 9), ("A", "u", 0.3, None, None, 1)]
    names = ["system_id", "topic_id", "value", "low", "high", "n"]
    chart = topic_means(pl.DataFrame(rows, schema=names, orient="row"), measure="m")
    spec, spans, points = drawn(chart)
    assert [(row["group"], row["topic"], row["low"], row["high"], row["n"]) for row in points] == [
        ("A", "t", 0.1, 0.9, 12), ("A", "u", None, None, 1), ("B", "t", 0.2, 1.0, 9),
    ]  # fmt: skip
    assert spans is points
    fields = [{side: layer["encoding"][side]["field"] for side in ("x", "xOffset", "y")} for layer in spec["layer"][:2]]
    assert fields == [{"x": "topic", "xOffset": "group", "y": place} for place in ("low", "value")]
    assert spec["layer"][1]["encoding"]["opacity"]["condition"]["test"] == {"field": "n", "lt": 10}
    assert spec["layer"][2]["encoding"]["text"]["field"] == "n"
    (table, *_) = data(chart)
    assert table.columns == ["group", "value", "low", "high", "n", "topic"]


def test_differences_with_intervals_are_points_with_their_numbers_of_sessions():
    rows = [("t", 0.5, 0.3, 0.2, -0.1, 0.5, 15, 12), ("u", 0.2, 0.3, -0.1, None, None, 1, 20)]
    names = ["topic_id", "a", "b", "difference", "low", "high", "n_a", "n_b"]
    chart = rprecision_histogram(pl.DataFrame(rows, schema=names, orient="row"), "S2", "S1", measure="m")
    (table,) = data(chart)
    assert table.select("topic", "difference", "low", "high", "n_a", "n_b").rows() == [
        ("t", 0.2, -0.1, 0.5, 15, 12), ("u", -0.1, None, None, 1, 20),
    ]  # fmt: skip
    spec = spec_of(chart)
    _, rule, point, _, text = spec["layer"]  # a number has a white edge behind it
    assert [layer["mark"]["type"] for layer in (rule, point, text)] == ["rule", "point", "text"]
    drawn_rows = spec["datasets"][point["data"]["name"]]
    assert [(row["sessions"], row["least"]) for row in drawn_rows] == [("15, 12", 12), ("1, 20", 1)]
    assert point["encoding"]["opacity"]["condition"]["test"] == {"field": "least", "lt": 10}
    assert point["encoding"]["x"]["axis"]["title"] == "Topic; numbers: sessions of S2, of S1"


def test_numbers_of_sessions_have_room_above_the_intervals():
    """The highest interval ends at 0.9 and the lowest reach is 0, so 12% of 0.9 are left above."""
    banded = means({("A", "t1"): 0.5, ("B", "t1"): 0.6}).with_columns(
        low=pl.Series([0.3, 0.4]), high=pl.Series([0.7, 0.9]), n=pl.Series([12, 12])
    )
    (number,) = (layer for layer in spec_of(topic_means(banded))["layer"] if layer["mark"]["type"] == "text")
    assert number["encoding"]["y"]["scale"]["domainMax"] == pytest.approx(0.9 + 0.12 * 0.9)
