"""The map of a sweep."""

import re

import polars as pl
import pytest

from sessionkit.charts import save, sweep_map
from tests.support.messages import messages_with


def cells_of(layers):
    """The rows of the layers of cells; the frame of the base setting has a place alone."""
    return [rows for mark, rows in layers if mark == "rect" and rows[0].keys() != {"x", "y"}]


def test_a_cell_for_each_setting_and_a_frame_at_the_base(swept, datasets):
    layers = datasets(sweep_map(swept(), x="b", y="bq"))
    full, strips = [[(row["x"], row["y"], row["group"]) for row in rows] for rows in cells_of(layers)]
    assert full == [("2", "2", "S1"), ("2", "3", "S2")]
    assert strips == [("20", "2", "S1"), ("20", "3", "S2")]  # where the test shows nothing
    assert {row["label"] for mark, rows in layers if mark == "text" for row in rows} == {"25"}
    frames = [rows for mark, rows in layers if mark == "rect" and rows not in cells_of(layers)]
    assert frames == [[{"x": "2", "y": "2"}]] * 2  # a white edge and a dark one


def test_a_line_runs_where_the_conclusion_ends(swept, datasets):
    # it holds in the row y=2 and not in y=3: a line above each cell of the lower row
    rules = [rows for mark, rows in datasets(sweep_map(swept())) if mark == "rule"]
    assert rules == [[{"x": "2", "y": "2"}, {"x": "20", "y": "2"}]]
    everywhere = swept().with_columns(holds=pl.lit(value=True))
    assert not [mark for mark, _ in datasets(sweep_map(everywhere)) if mark == "rule"]


def test_settings_without_a_leader_are_cells_of_their_own(swept, datasets):
    some = swept().with_columns(leader=pl.when(pl.col("x") == "2").then("leader"))
    gray = cells_of(datasets(sweep_map(some)))[-1]
    assert {row["x"] for row in gray} == {"20"}
    nobody = swept().with_columns(leader=pl.lit(None, pl.String))
    assert len(cells_of(datasets(sweep_map(nobody)))) == 1


def test_axes_keep_the_order_of_the_grid_and_say_what_the_signs_mean(swept):
    encoding = sweep_map(swept(), x="b", y="bq", measure="sDCG@10").to_dict()["layer"][0]["encoding"]
    assert encoding["x"]["sort"] == ["2", "20"]
    assert encoding["y"]["sort"] == ["3", "2"]
    assert encoding["x"]["axis"]["title"] == ["b", "sDCG@10"]
    assert encoding["y"]["axis"]["title"] == "bq"


def test_the_key_stands_below_the_title(swept):
    below = sweep_map(swept(), title="T", colors={"S2": "#111111", "S1": "#222222"}).to_dict()["title"]["subtitle"]
    assert below == [
        "Numbers: S2 minus S1 in % of the lower mean",
        "Full cell: shown by the test; strip: not shown",
        "Frame: base setting; line: where its conclusion ends",
        "Shown by the test at 2 of 4 settings; lead 25%",
    ]
    steady = sweep_map(swept().with_columns(holds=True, relative=pl.Series([0.2, 0.3, -0.5, 0.4])), title="T").to_dict()
    frame, shown = steady["title"]["subtitle"][-2:]
    assert frame == "Frame: base setting"
    assert messages_with([shown], "at 2 of 4 settings", "lead 20% to 50%")
    several = sweep_map(swept(), title="T", colors=dict.fromkeys(("S1", "S2", "S3"), "#111111")).to_dict()
    assert messages_with(several["title"]["subtitle"][:1], "Numbers: lead over the next", "%")


def test_of_two_groups_the_number_has_the_sign_of_the_second_minus_the_first(swept, datasets):
    colors = {"S1": "#111111", "S2": "#222222"}

    def numbers(chart):
        return {(row["x"], row["group"]): row["label"] for rows in cells_of(datasets(chart)) for row in rows}

    higher = sweep_map(swept(), colors=colors)
    assert numbers(higher) == {
        ("2", "S1"): "\u221225", ("2", "S2"): "+25", ("20", "S1"): "\u221225", ("20", "S2"): "+25"
    }  # fmt: skip
    lower = sweep_map(swept().with_columns(relative=-pl.col("relative")), title="T", colors=colors)
    assert numbers(lower) == {
        ("2", "S1"): "+25", ("2", "S2"): "\u221225", ("20", "S1"): "+25", ("20", "S2"): "\u221225"
    }  # fmt: skip
    assert messages_with(lower.to_dict()["title"]["subtitle"][:1], "S2 minus S1", "higher mean")


def test_many_cells_have_no_numbers(datasets):
    frame = pl.DataFrame(
        {
            "x": [str(n) for n in range(30)],
            "y": "",
            "leader": "A",
            "raw_difference": 1.0,
            "relative": 0.1,
            "p_adjusted": None,
        }
    ).with_columns(significant=pl.lit(None, pl.Boolean), outcome=pl.lit("holds"), base=pl.col("x") == "0", holds=True)
    (_, cells), *_ = datasets(sweep_map(frame, x="b"))
    assert {row["label"] for row in cells} == {""}


def test_long_numbers_are_shortened_where_they_stay_apart(swept, datasets):
    def drawn(first, second):
        layers = datasets(sweep_map(swept().with_columns(pl.col("x").replace({"2": first, "20": second}))))
        return {row["x"] for mark, rows in layers if mark == "rect" for row in rows}

    assert drawn("8.74285714286", "10") == {"8.743", "10"}
    assert drawn("8.74285714286", "8.74285714287") == {"8.74285714286", "8.74285714287"}
    assert drawn("linear", "10") == {"linear", "10"}


@pytest.mark.parametrize("style", ["screen", "grey"])
def test_cells_have_the_color_of_the_legend_and_only_shown_ones_are_full(tmp_path, style):
    rows = [
        ("1", "1", "B", 0.01, 0.04, True, "holds", True, True),
        ("2", "1", "B", 0.30, 0.20, False, "holds", False, True),
        ("3", "1", "B", 0.30, None, None, "holds", False, True),
    ]
    names = ["x", "y", "leader", "relative", "p_adjusted", "significant", "outcome", "base", "holds"]
    chart = sweep_map(pl.DataFrame(rows, schema=names, orient="row"), colors={"A": "#0072B2", "B": "#D55E00"})
    drawing = save(chart, tmp_path / "m.svg", style=style).read_text()
    cells = re.findall(
        r'<path aria-label[^>]*rect mark[^>]*d="M[^"]*h([0-9.]+)v([0-9.]+)[^"]*"[^>]*fill="([^"]+)"', drawing
    )
    height, *strips = (float(height) for _, height, _ in cells)
    assert strips == [pytest.approx(0.24 * height)] * 2  # neither what is not shown nor what is not tested is full
    (symbol,) = re.findall(r'legend-symbol.*?fill="([^"]+)"', drawing)
    assert {fill for *_, fill in cells} == {symbol}
    assert "opacity" not in "".join(re.findall(r"<path aria-label[^>]*rect mark[^>]*>", drawing))
