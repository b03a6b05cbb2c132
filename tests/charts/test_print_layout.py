"""Figures at the size of a paper's column: their size, the size of their text, gray, fonts."""

import re
import warnings
from itertools import combinations, pairwise

import altair as alt
import polars as pl
import pytest
from defusedxml.ElementTree import fromstring

from sessionkit import charts
from sessionkit.charts import KINDS, save, session_curve, spec_of
from sessionkit.charts.kinds.judge_noise import FEW
from sessionkit.charts.print_layout import GRAYS, LEAST, PrintLayout, print_layout
from sessionkit.charts.theme import PALETTE
from sessionkit.errors import DataWarning, UsageError
from tests.support.messages import match_parts

MM = 72 / 25.4
APART = ("x", "y", "row", "facet", "shape", "strokeDash")
"""Channels that tell series apart without color."""
MOVED = re.compile(r"(translate|rotate)\(([^)]*)\)")


def size_of(path):
    """Width and height of an SVG, as written."""
    return dict(re.findall(r'\b(width|height)="([^"]+)"', path.read_text("utf-8").partition(">")[0]))


def light(color):
    """CIE's lightness of a color, L* from 0 (black) to 100 (white)."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    shine = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return 116 * shine ** (1 / 3) - 16 if shine > 0.008856 else 903.3 * shine


def channels(value):
    """Every channel of a specification with its name."""
    if isinstance(value, dict):
        own = [pair for part in ("encoding",) for pair in value.get(part, {}).items() if isinstance(pair[1], dict)]
        own += [("facet", value["facet"])] if "field" in value.get("facet", {}) else []
        own += [(name, one) for name, one in value.get("facet", {}).items() if name == "row"]
        return own + [pair for key, inner in value.items() if key != "datasets" for pair in channels(inner)]
    return [pair for inner in value for pair in channels(inner)] if isinstance(value, list) else []


def words(path):
    """Every line of text in an SVG, the box that it takes at least (left, top, right, bottom), and its size."""
    found = []

    def walk(node, x, y, upright):
        for kind, numbers in MOVED.findall(node.get("transform") or ""):
            values = [float(number) for number in numbers.split(",")]
            if kind == "rotate":
                upright = values[0] != 0
            else:
                x, y = (x + values[1], y - values[0]) if upright else (x + values[0], y + values[1])
        if not node.tag.endswith("}text"):
            for inner in node:
                walk(inner, x, y, upright)
            return
        size, down = float(node.get("font-size").removesuffix("px")), 0.0
        for line in (node, *node):
            down += float(line.get("dy") or 0)
            text = " ".join((line.text or "").split())
            wide = 0.46 * size * len(text)
            start = {"start": 0, "middle": -wide / 2, "end": -wide}[node.get("text-anchor", "start")]
            box = (start, down - 0.65 * size, start + wide, down)
            if upright:
                box = (box[1], -box[2], box[3], -box[0])
            if text:
                found.append((text, (x + box[0], y + box[1], x + box[2], y + box[3]), size))

    walk(fromstring(path.read_text("utf-8")), 0, 0, upright=False)
    return found


def overlap(one, other):
    """Whether two boxes have a point in common, by more than a third of a point."""
    return all(one[side] < other[side + 2] - 0.3 and other[side] < one[side + 2] - 0.3 for side in (0, 1))


@pytest.mark.slow
@pytest.mark.parametrize("wide", [84, 174])
def test_the_whole_figure_is_as_wide_as_asked_and_no_text_is_too_small(curves, tmp_path, wide):
    path = save(session_curve(curves(queries=4), title="A title"), tmp_path / "chart.svg", width=f"{wide}mm")
    written = size_of(path)
    assert written["width"].endswith("pt")
    assert float(written["width"][:-2]) == pytest.approx(wide * MM, rel=0.02)
    sizes = [float(size) for size in re.findall(r'font-size="([0-9.]+)px"', path.read_text("utf-8"))]
    assert sizes
    assert min(sizes) >= LEAST


@pytest.mark.few(4, slow=8)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_fits_a_column_and_its_text_can_be_read(drawing, tmp_path, kind):
    chart = drawing[kind](
        ("S1", "S2"), title="A title", subtitle="One line, and then another that is long enough to be folded"
    )
    path = save(chart, tmp_path / "chart.svg", width="84mm", style="paper")
    wide, high = (float(size_of(path)[side][:-2]) for side in ("width", "height"))
    assert wide <= 84 * MM * 1.02
    found = [*dict.fromkeys(words(path))]  # each once: a text over a line stands twice, first in white
    assert min(size for _, _, size in found) >= LEAST
    assert [
        text
        for text, (left, top, right, bottom), _ in found
        if min(left, top) < -3 or right > wide + 3 or bottom > high + 3
    ] == []
    assert [(text, other) for (text, box, _), (other, also, _) in combinations(found, 2) if overlap(box, also)] == []


def test_words_that_overlap_would_be_found(tmp_path):
    rows = [{"x": 1, "y": 1, "text": text} for text in ("one text", "another text")]
    chart = alt.Chart(alt.InlineData(values=rows)).mark_text().encode(x="x:Q", y="y:Q", text="text:N")
    found = {text: box for text, box, _ in words(save(chart, tmp_path / "chart.svg"))}
    assert overlap(found["one text"], found["another text"])


@pytest.mark.few(10, slow=40)
@pytest.mark.parametrize("kind", KINDS)
def test_series_differ_in_gray(drawing, kind):
    spec = print_layout(style="grey").apply(spec_of(drawing[kind](("S1", "S2", "S3"))), lambda _: (0, 0))
    otherwise = {channel["field"] for name, channel in channels(spec) if name in APART and "field" in channel}
    for name, channel in channels(spec):
        shades = (channel.get("scale") or {}).get("range") if name == "color" else None
        if isinstance(shades, list) and channel["type"] == "nominal" and channel["field"] not in otherwise:
            assert min(abs(light(one) - light(two)) for one, two in combinations(shades, 2)) >= 9, shades


@pytest.mark.slow
def test_height_and_pdf_and_png_are_of_that_size(curves, tmp_path):
    chart = session_curve(curves())
    path = save(chart, tmp_path / "chart.svg", width="100mm", height="60mm")
    assert float(size_of(path)["height"][:-2]) == pytest.approx(60 * MM, rel=0.03)
    page = save(chart, tmp_path / "chart.pdf", width="100mm").read_bytes()
    (box,) = re.findall(rb"/MediaBox \[0 0 ([0-9.]+) ", page)
    assert float(box) == pytest.approx(100 * MM, rel=0.02)
    image = save(chart, tmp_path / "chart.png", width="100mm").read_bytes()
    assert int.from_bytes(image[16:20], "big") == pytest.approx(100 / 25.4 * 300, rel=0.02)


def test_gray_has_no_color_and_neighbors_far_apart(curves, tmp_path):
    text = save(session_curve(curves()), tmp_path / "chart.svg", style="grey").read_text("utf-8").lower()
    assert not [shade for shade in PALETTE[:6] if shade.lower() in text]
    assert {GRAYS[0].lower(), GRAYS[1].lower()} <= {*re.findall("#[0-9a-f]{6}", text)}
    lights = [light(shade) for shade in GRAYS]
    assert all(abs(one - other) > 24 for one, other in pairwise(lights[:6]))
    assert (light("#000000"), light("#FFFFFF"), light("#777777")) == pytest.approx((0, 100, 50.03), abs=0.01)


def test_a_missing_font_is_reported(curves, tmp_path):
    with pytest.warns(DataWarning, match=match_parts("No Such Sans", "drawn in Liberation Sans")):
        save(session_curve(curves()), tmp_path / "chart.svg", font="No Such Sans")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save(session_curve(curves()), tmp_path / "chart.svg", font="Liberation Sans", font_size=9)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"width": "84"}, "a length, such as 84mm"),
        ({"width": "84 furlongs"}, "units: mm, cm, in, pt, px"),
        ({"width": "1mm"}, "25.4 mm to 1016 mm"),
        ({"height": -3}, "must be a length"),
        ({"font_size": 1}, "5 to 40 points"),
        ({"font": "a; b"}, "the name of one font"),
        ({"style": "gray"}, "did you mean 'grey'"),
    ],
)
def test_what_is_not_possible_is_refused(asked, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        print_layout(**asked)


def test_nothing_asked_changes_nothing(curves, tmp_path):
    chart = session_curve(curves())
    plain = save(chart, tmp_path / "plain.svg").read_bytes()
    assert save(chart, tmp_path / "again.svg", style="screen").read_bytes() == plain
    spec = spec_of(chart)
    assert PrintLayout().apply(spec, lambda _: (0, 0)) == spec


def test_the_theme_is_on_unless_another_one_is(curves):
    chart = session_curve(curves())
    assert alt.theme.active == "sessionkit"
    assert chart.to_dict()["config"]["font"].startswith("Liberation Sans")
    with alt.theme.enable("opaque"):
        assert spec_of(chart)["config"]["background"] == "white"
        assert "font" not in spec_of(chart)["config"]


def test_data_are_what_is_drawn(curves):
    chart = session_curve(curves(queries=2))
    frames = charts.data(chart)
    assert max(frame.height for frame in frames) == 40
    assert {"slot", "value", "group"} <= {*max(frames, key=lambda frame: frame.height).columns}


@pytest.mark.slow
def test_labels_along_a_narrow_axis_are_as_many_as_it_has_room_for(curves, tmp_path):
    chart = session_curve(curves(queries=9))
    labels = [f"Q{number}" for number in range(1, 10)]
    screen, narrow, narrower = (
        [text for text, _, _ in words(save(chart, tmp_path / "chart.svg", **size)) if text in labels]
        for size in ({}, {"width": "84mm"}, {"width": "50mm"})
    )
    assert screen == narrow == labels
    assert narrower == labels[::2]


@pytest.mark.slow
def test_labels_of_queries_and_numbers_below_them_stay_together(curves, tmp_path):
    searching = pl.col("query_position") * -10 + 700
    frame = curves(queries=9).with_columns(searching=searching, low="value", high="value", n=pl.lit(999))
    shown = [text for text, _, _ in words(save(session_curve(frame), tmp_path / "chart.svg", width="60mm"))]
    labels = [text for text in shown if re.fullmatch(r"Q\d", text)]
    assert 1 < len(labels) < 9
    numbers = [text for text in shown if re.fullmatch(r"6\d0", text)]
    assert numbers == [str(700 - 10 * int(label[1:])) for label in labels] * 2


@pytest.mark.slow
def test_numbers_that_cells_have_no_room_for_go_with_the_line_that_explains_them(tmp_path):
    rows = [
        (str(x), str(y), "B", 0.1, 0.25, 0.5, False, "holds", x == y == 1, True) for x in range(1, 18) for y in (1, 2)
    ]
    names = ["x", "y", "leader", "raw_difference", "relative", "p_adjusted", "significant", "outcome", "base", "holds"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    chart = charts.sweep_map(frame, x="b", y="bq", colors={"A": "#0072B2", "B": "#D55E00"})
    wide, narrow = (
        " ".join(text for text, _, _ in words(save(chart, tmp_path / "chart.svg", width=width)))
        for width in ("174mm", "84mm")
    )
    assert wide.count("+25") == 34
    assert "Numbers: B minus A" in wide
    assert "+25" not in narrow
    assert "Numbers" not in narrow
    assert "Frame: base setting" in narrow
    assert "at 0 of 34 settings" in narrow
    points = float(size_of(tmp_path / "chart.svg")["width"].removesuffix("pt"))
    assert points == pytest.approx(
        84 / 25.4 * 72, rel=0.005
    )  # also without the numbers, which were wider than their cells


@pytest.mark.slow
def test_a_title_wider_than_a_small_plot_leaves_the_figure_its_width(tmp_path):
    rows = [
        (str(x), str(y), "B", x / 300, 0.5, False, "holds", x == y == 1, True)
        for x in range(1, 19)
        for y in range(1, 19)
    ]
    names = ["x", "y", "leader", "relative", "p_adjusted", "significant", "outcome", "base", "holds"]
    chart = charts.sweep_map(pl.DataFrame(rows, schema=names, orient="row"), x="b", y="bq")
    path = save(chart, tmp_path / "chart.svg", width="84mm")
    points = float(size_of(path)["width"].removesuffix("pt"))
    assert points == pytest.approx(84 / 25.4 * 72, rel=0.005)


@pytest.mark.slow
def test_long_names_and_titles_leave_a_narrow_plot_its_width(curves, tmp_path):
    def place(names):
        frame = curves(queries=2).with_columns(pl.col("system_id").replace(dict(zip(("S1", "S2"), names, strict=True))))
        chart = session_curve(frame, measure="nsDCG@10", title="T")
        found = {text: box for text, box, _ in words(save(chart, tmp_path / "chart.svg", width="80mm"))}
        return found, next(box for text, box in found.items() if text.startswith("Mean normalized"))

    for names in (("A", "B"), ("baseline", "facets")):
        found, title = place(names)
        assert "Mean normalized cumulated gain, nsDCG@10" in found  # one line, level, above the labels of queries
        assert title[3] < found["Q1"][1]
        assert found["T"][3] < title[1]
        middle = (found["Q2"][0] + found["Q2"][2]) / 2  # of the right half of the plot
        assert middle > (0.73 if len(names[0]) > 1 else 0.66) * 80 * MM
        below = found[names[0]][1] > found["0"][3]
        assert below == (names[0] == "baseline")


def test_layers_of_others_may_share_what_they_encode_and_hold_layers():
    frame = pl.DataFrame({"who": ["A", "B"], "value": [1.0, 2.0]})
    title = "a long title of the vertical axis, which takes several lines beside a narrow plot"
    bars = alt.Chart(frame).encode(x="who:N", y=alt.Y("value:Q").axis(title=title))
    note = alt.Chart(alt.Data(values=[{}])).mark_text(text="n", dx=20)
    plain = alt.Chart(mark="bar") + alt.Chart().mark_text(dx=20).encode(text="value:Q", y=alt.value(0))
    inner = alt.layer(bars.mark_bar(), bars.mark_text(dx=20).encode(y="who:N", text="value:Q"))
    shared = plain.properties(data=frame).encode(x="who:N", y="value:Q")
    for chart, top in ((shared, False), (alt.layer(inner, note), True), (note + bars.mark_bar(), True)):
        made = print_layout(width="60mm").apply(chart.to_dict(), lambda _: (170.0, 100.0))
        drawn = str(made["layer"])
        assert drawn.count("'type': 'text'") == str(chart.to_dict()["layer"]).count("'type': 'text'"), "all are drawn"
        assert ("'titleAngle': 0" in drawn) == top, "above the axis"


@pytest.mark.slow
def test_numbers_stay_with_their_rows_in_a_narrow_figure_long_ones_above_them(apart, tmp_path):
    row = {"measure": "Queries", "a": "S1", "b": "S2", "estimate": 0.25, "low": -0.5, "high": 1.0, "p_adjusted": 0.5}
    differing = pl.DataFrame([row | {"sd": 2.0, "n_a": 3, "n_b": 4}, row | {"sd": 2.0, "n_a": 3, "n_b": 5}])
    means, long = (
        " ".join(text for text, _, _ in words(save(chart, tmp_path / "chart.svg", width="84mm")))
        for chart in (apart["group-means"](("S1", "S2")), charts.differences(differing))
    )
    assert "a 2.99, n = 3" in means
    assert "Letters: groups that share one" in means
    assert "+0.25 [\u22120.50, 1.00], n = 4 and 3" in long


@pytest.mark.slow
@pytest.mark.parametrize("style", ["screen", "grey"])
def test_a_narrow_legend_names_the_curves_that_stand_out_and_no_context(curves, tmp_path, style):
    groups = tuple(f"a long engine name {number}" for number in range(12))
    texts = words(save(charts.session_curve(curves(groups)), tmp_path / "c.svg", width="84mm", style=style))
    named = [text for text, _, _ in texts if text.startswith("a long")]
    assert len(named) == 2
    light = re.findall(r'stroke="(#[0-9A-Fa-f]{6})"', (tmp_path / "c.svg").read_text())
    context, standing = ("#D0D0D0", "#000000") if style == "grey" else ("#A4A4A4", "#0072B2")
    assert (light.count(context), light.count(standing)) == (10, 2)  # lines; the second is in the legend


@pytest.mark.slow
def test_panels_with_heads_beside_and_above_keep_both_in_a_column_of_a_page(tmp_path):
    long = [f"nsDCG(discount=none,bq={base})@10" for base in (3, 7)]  # wider than rows alone would have beside them
    outcomes = {"difference": 0.1, "low": 0.0, "high": 0.2, "winner_changes": 0.3, "verdict_changes": 0.6}
    rows = [{"measure": name, "a": "A", "b": f"B{number}"} | outcomes for name in long for number in range(FEW)]
    chart = charts.judge_noise(pl.DataFrame(rows))
    spec = print_layout(width="84mm").apply(spec_of(chart), lambda _: (84 * MM, 300.0))
    assert [spec["facet"][side]["field"] for side in ("row", "column")] == ["measure", "kind"]
    svg = fromstring(save(chart, tmp_path / "chart.svg", width="84mm").read_bytes())
    texts = " ".join(text for text in svg.itertext() if text.strip())
    for head in ("Another winner", "Another verdict", *(name.replace(",", ", ") for name in long)):  # on two lines each
        assert texts.count(head) == 1, texts
