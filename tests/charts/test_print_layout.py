"""Figures at the size of a paper's column: their size, the size of their text, gray, fonts."""

import re
import warnings
from itertools import pairwise

import pytest

from sessionkit import charts
from sessionkit.charts import save, session_curve, spec_of
from sessionkit.charts.print_layout import GRAYS, LEAST, PrintLayout, print_layout
from sessionkit.charts.theme import PALETTE
from sessionkit.errors import DataWarning, UsageError

MM = 72 / 25.4
FURTHER = (
    "gain-vectors",
    "slopes",
    "effort-gain",
    "difference-curve",
    "differences",
    "rprecision-histogram",
    "waterfall",
    "session-survival",
    "group-means",
    "topic-means",
    "user-topic-heatmap",
    "rating-scatter",
    "examination-heatmap",
)


def size_of(path):
    """Width and height of an SVG, as written."""
    return dict(re.findall(r'\b(width|height)="([^"]+)"', path.read_text("utf-8").partition(">")[0]))


def light(color):
    """How light a color is, from 0 to 255."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("wide", [84, 174])
def test_the_whole_figure_is_as_wide_as_asked_and_no_text_is_too_small(curves, tmp_path, wide):
    path = save(session_curve(curves(queries=4), title="A title"), tmp_path / "chart.svg", width=f"{wide}mm")
    written = size_of(path)
    assert written["width"].endswith("pt")
    assert float(written["width"][:-2]) == pytest.approx(wide * MM, rel=0.02)
    sizes = [float(size) for size in re.findall(r'font-size="([0-9.]+)px"', path.read_text("utf-8"))]
    assert sizes
    assert min(sizes) >= LEAST


@pytest.mark.few(3, slow=20)
@pytest.mark.parametrize(
    "kind",
    [
        "gain-vectors",
        "slopes",
        "difference-curve",
        "differences",
        "rprecision-histogram",
        "waterfall",
        "session-survival",
        "group-means",
        "topic-means",
        "user-topic-heatmap",
        "rating-scatter",
        "examination-heatmap",
        "session-pair",
    ],
)
def test_other_kinds_fit_a_column_too(apart, tmp_path, kind):
    path = save(apart[kind](("S1", "S2"), title="T"), tmp_path / "chart.svg", width="84mm", style="paper")
    assert float(size_of(path)["width"][:-2]) <= 84 * MM * 1.02


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
    text = save(session_curve(curves()), tmp_path / "chart.svg", style="gray").read_text("utf-8").lower()
    assert not [shade for shade in PALETTE[:6] if shade.lower() in text]
    assert {GRAYS[0].lower(), GRAYS[1].lower()} <= {*re.findall("#[0-9a-f]{6}", text)}
    lights = [light(shade) for shade in GRAYS]
    assert all(abs(one - other) > 60 for one, other in pairwise(lights[:6]))


def test_a_missing_font_is_reported(curves, tmp_path):
    with pytest.warns(
        DataWarning, match="the font No Such Sans is not installed; the figure is drawn in Liberation Sans"
    ):
        save(session_curve(curves()), tmp_path / "chart.svg", font="No Such Sans")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save(session_curve(curves()), tmp_path / "chart.svg", font="Liberation Sans", font_size=9)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"width": "84"}, "must be a length, such as 84mm"),
        ({"width": "84 furlongs"}, "units: mm, cm, in, pt, px"),
        ({"width": "1mm"}, "25.4 mm to 1016 mm"),
        ({"height": -3}, "must be a length"),
        ({"font_size": 1}, "5 to 40 points"),
        ({"font": "a; b"}, "the name of one font"),
        ({"style": "grey"}, "did you mean 'gray'"),
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
    import altair as alt

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
