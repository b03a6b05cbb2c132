"""What every chart keeps to: valid, composable, un-sized, safe with any text, marked when the data are made up.

Golden specifications: what each chart draws, without its data; ``GOLDEN=write`` in the environment renews them.
"""

import json
import os
import re
from pathlib import Path

import altair as alt
import polars as pl
import pytest
import vl_convert

from sessionkit import charts
from sessionkit.charts import KINDS, colors_of, save, spec_of, themed
from sessionkit.charts.encodings import FittedChart, retitled
from sessionkit.errors import UsageError
from tests.support.messages import match_parts

PNG = b"\x89PNG\r\n\x1a\n"
APART = {
    "measure", "ideal", "line", "recall", "precision", "topic", "a", "b", "difference", "q1", "q2", "q3", "low", "high", "mean",
    "height", "kind", "from", "to", "added", "grade", "many", "text", "start", "end", "results", "label", "document", "dwell",
    "row", "p", "covariate", "banded", "topics", "population", "position", "next", "share", "whole", "estimate", "pair", "shown", "place",
    "statistic", "kept", "gained", "lost", "found", "units", "letters", "beside", "told", "best", "side", "unit", "moved", "margin",
    "left", "right", "foot", "under", "upper_edge", "lower_edge", "px", "py", "ideal_y", "name", "score", "above", "inside",
    "session_id", "queries", "lower", "upper", "x", "y", "clicked", "x2", "y2", "gain", "ideal_value",
    "cap_left", "cap_right", "arrow_left", "arrow_right",
}  # fmt: skip
"""Fields of the charts that a report does not show."""


@pytest.fixture(params=sorted(KINDS))
def draw(request, parts, curves, apart, swept, surface, losing):  # noqa: PLR0917 - a fixture for each kind
    """Return a function that draws one of the kinds for some groups."""

    def draw(groups=("S1", "S2"), **options):
        match request.param:
            case "last-vs-nonlast":
                return charts.last_vs_nonlast(parts(groups), **options)
            case "session-curve":
                return charts.session_curve(curves(groups), **options)
            case "topic-curves":
                return charts.topic_curves(curves(groups), curves(groups), **options)
            case "single-sessions":
                return charts.single_sessions(curves(groups, single=True), **options)
            case "sweep-map":
                return charts.sweep_map(swept(groups), x="b", y="bq", **options)
            case "discount-fit":
                return charts.discount_fit(surface(len(groups)), **options)
            case "judgment-loss":
                return charts.judgment_loss(*losing(groups), **options)
            case kind if kind in apart:
                return apart[kind](groups, **options)
            case other:
                pytest.fail(f"draw {other} here too")

    return draw


def texts(value):
    """Return every text in a JSON value that is not a value of the data."""
    if isinstance(value, dict):
        return [text for key, inner in value.items() if key != "datasets" for text in texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [value] if isinstance(value, str) else []


def fields(value):
    """Return every field that a specification refers to."""
    if isinstance(value, dict):
        own = [value["field"]] if "field" in value else []
        return own + [name for key, inner in value.items() if key != "datasets" for name in fields(inner)]
    return [name for inner in value for name in fields(inner)] if isinstance(value, list) else []


@pytest.mark.few(4)
def test_chart_is_valid_un_sized_and_composes(draw):
    chart = draw()
    spec = chart.to_dict()
    for side in () if isinstance(chart, FittedChart) else ("width", "height"):  # it is as wide as a screen
        size = spec.get(side, {})
        assert isinstance(size, int) or set(size) <= {"step"}  # what a row or bar takes, or text beside the plot leaves
        assert not isinstance(size, int) or size < 350
    both = spec_of(alt.hconcat(chart, draw(groups=("S1",))).properties(title="two"))
    assert len(both["hconcat"]) == 2


@pytest.mark.few(10, slow=40)
def test_the_plot_has_the_size_asked_for(draw):
    chart = draw(width=321)
    if isinstance(chart, FittedChart):  # it is as high as its content
        assert chart.to_dict()["width"] == 321
        return
    spec = draw(width=321, height=123).to_dict()
    plot = spec.get("spec", spec)
    assert (plot["width"], plot["height"]) == (321, 123)
    assert not [layer for layer in plot.get("layer", []) if {"width", "height"} & set(layer)]


@pytest.mark.few(24)
@pytest.mark.parametrize("size", [0, -1, float("inf"), float("nan"), True, "84mm"])
def test_a_size_is_a_number_of_pixels(draw, size):
    with pytest.raises(UsageError, match=match_parts("width", "number of pixels above 0")):
        draw(width=size)


@pytest.mark.few(10)
def test_what_is_returned_takes_what_altair_has(draw):
    chart = draw(title="A title")
    across = alt.Chart(alt.InlineData(values=[{"at": 0.5}])).mark_rule().encode(y="at:Q")
    assert chart.properties(title="Mine").to_dict()["title"] == "Mine"
    assert chart.configure_axis(grid=False).to_dict()["config"]["axis"]["grid"] is False
    assert len(alt.vconcat(chart, across).to_dict()["vconcat"]) == 2
    if isinstance(chart, alt.LayerChart):
        assert len((chart + across).to_dict()["layer"]) >= 2


@pytest.mark.few(2, slow=4)
def test_a_notebook_without_a_network_shows_it(draw):
    chart = draw(title="A title")
    with alt.renderers.enable("svg"):
        shown = chart._repr_mimebundle_(None, None)["image/svg+xml"]
    assert ">A title</text>" in shown
    assert set(re.findall('https?://[^"/ ]+', shown)) == {"http://www.w3.org"}


@pytest.mark.few(1, slow=5)
def test_vega_takes_two_charts_side_by_side(draw):
    both = spec_of(alt.hconcat(draw(), draw(groups=("S1",))).properties(title="two"))
    vl_convert.vegalite_to_vega(both, vl_version="6.4")


@pytest.mark.few(1, slow=5)
def test_chart_is_drawn_and_shows_something_and_leaves_altair_as_it_was(draw, tmp_path):
    before = alt.theme.active, alt.data_transformers.active, dict(alt.data_transformers.options)
    chart = draw(title="A title")
    plain = chart.to_dict()
    svg = save(chart, tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert ">A title</text>" in svg
    assert svg.count("</text>") > 8
    assert "Synthetic" not in svg
    assert (alt.theme.active, alt.data_transformers.active, dict(alt.data_transformers.options)) == before
    assert chart.to_dict() == plain
    assert plain["config"] == themed(chart).to_dict()["config"]  # what Altair saves is what save does


@pytest.mark.few(4)
def test_chart_renders_as_an_image_that_shows_something(draw, tmp_path):
    content = save(draw(title="A title"), tmp_path / "chart.png").read_bytes()
    assert content.startswith(PNG)
    assert len(content) > 12_000


@pytest.mark.few(4)
def test_synthetic_data_are_marked_in_the_drawing(draw, tmp_path):
    for title in (None, "A title"):
        assert "Synthetic data" in save(draw(synthetic=True, title=title), tmp_path / "chart.svg").read_text("utf-8")


@pytest.mark.few(12)
def test_hostile_names_are_values_and_nothing_else(draw, hostile):
    spec = spec_of(draw(groups=hostile, title=hostile[4]))
    known = {"group", "session", "part", "rank", "value", "slot", "query_position", "n", "n_queries", "n_sessions"}
    own = {"x", "y", "step", "relative", "p_adjusted", "outcome", "fraction", "judged", "low", "high"}
    assert {field.removesuffix("_percent") for field in fields(spec)} <= known | {
        "sessions",
        "label",
        "mark",
        "number",
        "n_a",
        "n_b",
        "amount",
        "share",
        "reached",
        "units",
        "of",
        "verdict_changes",
        "winner_changes",
    } | APART | own
    assert spec["title"]["text"] == hostile[4]


@pytest.mark.few(2, slow=6)
def test_hostile_names_are_no_elements_of_the_drawing(draw, hostile, tmp_path):
    svg = save(draw(groups=hostile, title=hostile[4]), tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert "<script" not in svg
    assert "<img" not in svg
    assert "\x00" not in svg


@pytest.mark.few(3)
@pytest.mark.slow
def test_hostile_names_do_not_stop_the_renderer_of_images(draw, hostile, tmp_path):
    chart = draw(groups=hostile, title=hostile[4])
    assert save(chart, tmp_path / "chart.png").read_bytes().startswith(PNG)
    assert save(chart, tmp_path / "chart.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.few(6)
def test_a_notebook_is_shown_no_tag_of_a_log(draw, hostile):
    shown = draw(groups=hostile, title=hostile[0])._repr_mimebundle_(None, None)["text/html"]
    own = shown.count("<script"), shown.count("</"), shown.count("<!--")
    harmless = draw(groups=tuple(f"g{number}" for number in range(len(hostile))), title="t")
    plain = harmless._repr_mimebundle_(None, None)["text/html"]
    assert own == (plain.count("<script"), plain.count("</"), plain.count("<!--"))
    assert "<\u2060script" in json.dumps(draw(groups=hostile, title=hostile[0]).to_dict(), ensure_ascii=False)


def test_names_that_differ_by_a_control_character_stay_apart(parts):
    chart = charts.last_vs_nonlast(parts(("a\x00", "a\x01", "a")))
    assert chart.to_dict()["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["a", "a␀", "a␁"]


@pytest.mark.few(24)
@pytest.mark.parametrize("title", [{"expr": "1"}, alt.expr("1+1"), ["a"], 5])
def test_title_must_be_text(draw, title):
    with pytest.raises(UsageError, match="title must be text"):
        draw(title=title)


def test_missing_column_names_what_was_found(parts):
    with pytest.raises(UsageError, match=match_parts("column n_sessions", "sessionkit.breakdown", "columns found")):
        charts.last_vs_nonlast(parts().drop("n_sessions"))


def test_frame_without_rows_is_refused(curves):
    with pytest.raises(UsageError, match="nothing to draw"):
        charts.session_curve(curves().clear())


def test_other_kinds_of_frame_are_taken(curves):
    arrow = curves().to_arrow()
    assert charts.session_curve(arrow).to_dict() == charts.session_curve(curves()).to_dict()


def test_undefined_values_become_null(curves, tmp_path):
    every = curves()
    own = every.columns[0]
    first = every.get_column(own)[0]
    frame = every.with_columns(value=pl.when(pl.col(own) == first).then(float("nan")).otherwise("value"))
    chart = charts.session_curve(frame)
    rows = [row for rows in chart.to_dict()["datasets"].values() for row in rows if "value" in row]
    assert {row["value"] for row in rows if row["group"] == first} == {None}
    assert None not in {row["value"] for row in rows if row["group"] != first}
    assert save(chart, tmp_path / "empty.png").read_bytes().startswith(PNG)


def test_colors_stay_with_their_systems_whichever_are_drawn(parts, curves):
    colors = colors_of(["S3", "S1", "S2"])

    def drawn(chart):
        encodings = [layer["encoding"] for layer in chart.to_dict()["layer"]]
        scale = next(encoding["color"]["scale"] for encoding in encodings if "color" in encoding)
        return dict(zip(scale["domain"], scale["range"], strict=True))

    assert drawn(charts.last_vs_nonlast(parts(("S2", "S3")), colors=colors)) == {
        "S2": colors["S2"],
        "S3": colors["S3"],
    }
    assert drawn(charts.session_curve(curves(("S3", "S1", "S2")))) == colors


@pytest.mark.few(1, slow=5)
def test_rendering_is_the_same_every_time(draw, tmp_path):
    for ending in ("svg", "json"):
        one, other = (save(draw(title="t"), tmp_path / f"{name}.{ending}").read_bytes() for name in "ab")
        assert one == other


@pytest.mark.browser
@pytest.mark.few(3)
def test_file_of_a_chart_shows_hostile_text_and_runs_none(draw, hostile, opened, tmp_path):
    page, said, asked = opened(save(draw(groups=hostile, title=hostile[0]), tmp_path / "chart.html"))
    assert page.evaluate("document.documentElement.dataset.charts") == "1"
    assert page.evaluate("window.hacked") is None
    assert hostile[0] in page.locator("#chart").inner_text()
    assert said == []
    assert asked == [(tmp_path / "chart.html").as_uri()]
    image, said, asked = opened(save(draw(groups=hostile, title=hostile[0]), tmp_path / "chart.svg"), charts=False)
    assert image.evaluate("window.hacked") is None
    assert said == []
    assert len(asked) == 1


def above(chart):
    """What is drawn above a chart: its title and, where that is not empty, the lines below."""
    title = spec_of(chart).get("title", {})
    below = title.get("subtitle", [])
    return [title["text"], *([below] if isinstance(below, str) else below)] if title.get("text", "").strip() else []


@pytest.mark.few(12, slow=8)
@pytest.mark.parametrize("title", [None, "", "  \n", "Title"])
def test_synthetic_data_are_marked_under_any_title(draw, title):
    assert "Synthetic data" in above(draw(synthetic=True, title=title))
    assert "Synthetic data" not in above(draw(title=title))


@pytest.mark.parametrize("before", [None, "", "Title"])
@pytest.mark.parametrize("title", ["", " ", "Another"])
def test_another_title_leaves_the_lines_below_it(parts, before, title):
    chart = charts.last_vs_nonlast(parts(), synthetic=True, title=before)
    own = [title] if title.strip() else []
    assert above(retitled(chart, title)) == [*own, "Synthetic data"]
    assert spec_of(retitled(chart, title))["title"].get("fontWeight") == (None if own else "normal")  # no heading
    assert above(chart) == [*([before] if before else []), "Synthetic data"]
    below = charts.last_vs_nonlast(parts(), title="Title", subtitle="t")
    assert above(retitled(below, title)) == [*own, "t"]


def test_a_copy_of_a_chart_is_its_own_and_that_of_a_layer_shares_its_encodings(curves):
    chart = charts.session_curve(curves())
    own = chart.copy()
    own.layer[-1].mark.fontSize = 99
    own.layer[-1].encoding.text["field"] = "other"
    assert (chart.layer[-1].mark.fontSize, chart.layer[-1].encoding.text["field"]) == (11, "label")
    layer = chart.layer[-1]  # Altair makes four copies of each in making a chart
    assert layer.copy().encoding is layer.encoding
    assert layer.encode(x=alt.X(field="rank", type="quantitative")).encoding.x["field"] == "rank"
    assert chart.layer[-1].encoding.x["field"] == "slot"


PLACE = Path(__file__).with_name("golden")


def without_data(value):
    """A specification without the data and the names that they are under."""
    if isinstance(value, dict):
        return {
            key: {} if key == "data" else without_data(inner)
            for key, inner in value.items()
            if key not in ("datasets", "config", "$schema")
        }
    return [without_data(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("kind", KINDS)
def test_chart_is_drawn_as_it_was(kind, drawing):
    spec = without_data(spec_of(drawing[kind](("S1", "S2"), title="T", subtitle="S", synthetic=True)))
    text = json.dumps(spec, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    path = PLACE / f"{kind}.json"
    if os.environ.get("GOLDEN") == "write":
        PLACE.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
