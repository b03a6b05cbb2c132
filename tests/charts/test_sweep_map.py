"""The map of a sweep."""

import re

import polars as pl
import pytest

from sessionkit.charts import save, sweep_map


def test_a_cell_for_each_setting_and_a_ring_at_the_base(swept, datasets):
    layers = datasets(sweep_map(swept(), x="b", y="bq"))
    (_, cells), *_ = layers
    assert [(row["x"], row["y"], row["group"]) for row in cells] == [
        ("2", "2", "S1"),
        ("2", "3", "S2"),
        ("20", "2", "S1"),
        ("20", "3", "S2"),
    ]
    assert {row["step"] for row in cells} == {"\u2265 20%"}
    assert [row["label"] for row in cells] == ["25", "25", "(25)", "(25)"]  # of b=20 the test shows nothing
    assert [rows for mark, rows in layers if mark == "point"] == [[{"x": "2", "y": "2"}]] * 2


def test_a_line_runs_where_the_conclusion_ends(swept, datasets):
    # it holds in the row y=2 and not in y=3: a line above each cell of the lower row
    rules = [rows for mark, rows in datasets(sweep_map(swept())) if mark == "rule"]
    assert rules == [[{"x": "2", "y": "2"}, {"x": "20", "y": "2"}]]
    everywhere = swept().with_columns(holds=pl.lit(value=True))
    assert not [mark for mark, _ in datasets(sweep_map(everywhere)) if mark == "rule"]


def test_settings_without_a_leader_are_cells_of_their_own(swept, datasets):
    some = swept().with_columns(leader=pl.when(pl.col("x") == "2").then("leader"))
    gray = [rows for mark, rows in datasets(sweep_map(some)) if mark == "rect"][1]
    assert {row["x"] for row in gray} == {"20"}
    nobody = swept().with_columns(leader=pl.lit(None, pl.String))
    assert [mark for mark, _ in datasets(sweep_map(nobody))].count("rect") == 1


def test_axes_keep_the_order_of_the_grid_and_say_what_the_signs_mean(swept):
    encoding = sweep_map(swept(), x="b", y="bq", measure="sDCG@10").to_dict()["layer"][0]["encoding"]
    assert encoding["x"]["sort"] == ["2", "20"]
    assert encoding["y"]["sort"] == ["3", "2"]
    assert encoding["x"]["axis"]["title"] == ["b", "sDCG@10"]
    assert encoding["y"]["axis"]["title"] == "bq"


def test_the_key_stands_below_the_title(swept):
    below = sweep_map(swept(), title="T", colors={"S2": "#111111", "S1": "#222222"}).to_dict()["title"]["subtitle"]
    assert below[0] == "Numbers: S2 minus S1 in % of the lower mean; in parentheses: not shown by the test"
    assert below[1].startswith("Ring: base setting")
    several = sweep_map(swept(), title="T", colors=dict.fromkeys(("S1", "S2", "S3"), "#111111")).to_dict()
    assert several["title"]["subtitle"][0].startswith("Numbers: lead over the next group in % of its mean")


def test_of_two_groups_the_number_has_the_sign_of_the_second_minus_the_first(swept, datasets):
    (_, cells), *_ = datasets(sweep_map(swept(), colors={"S1": "#111111", "S2": "#222222"}))
    assert [row["label"] for row in cells] == ["\u221225", "+25", "(\u221225)", "(+25)"]
    lower = sweep_map(
        swept().with_columns(relative=-pl.col("relative")), title="T", colors={"S1": "#111111", "S2": "#222222"}
    )
    assert [row["label"] for row in datasets(lower)[0][1]] == ["+25", "\u221225", "(+25)", "(\u221225)"]
    assert "S2 minus S1 in % of the higher mean" in lower.to_dict()["title"]["subtitle"][0]


@pytest.mark.parametrize(
    ("share", "step"), [(0.049, "< 5%"), (0.05, "5\u201310%"), (0.1, "10\u201320%"), (None, "\u2265 20%")]
)
def test_cells_are_the_deeper_the_larger_the_margin(swept, datasets, share, step):
    (_, cells), *_ = datasets(sweep_map(swept().with_columns(relative=pl.lit(share, pl.Float64))))
    assert {row["step"] for row in cells} == {step}
    opacity = sweep_map(swept()).to_dict()["layer"][0]["encoding"]["opacity"]["scale"]
    assert opacity["range"] == sorted(opacity["range"])


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
        (_, cells), *_ = datasets(sweep_map(swept().with_columns(pl.col("x").replace({"2": first, "20": second}))))
        return {row["x"] for row in cells}

    assert drawn("8.74285714286", "10") == {"8.743", "10"}
    assert drawn("8.74285714286", "8.74285714287") == {"8.74285714286", "8.74285714287"}
    assert drawn("linear", "10") == {"linear", "10"}


def test_a_cell_is_the_deeper_the_larger_the_margin(tmp_path):
    rows = [
        (str(place), "1", "B", 0.1, margin, 0.5, True, "holds", place == 0, True)
        for place, margin in enumerate((0.01, 0.07, 0.15, 0.3))
    ]
    names = ["x", "y", "leader", "raw_difference", "relative", "p_adjusted", "significant", "outcome", "base", "holds"]
    chart = sweep_map(pl.DataFrame(rows, schema=names, orient="row"), colors={"A": "#0072B2", "B": "#D55E00"})
    cells = re.findall(
        r'<path aria-label[^>]*rect mark[^>]*fill="#D55E00" opacity="([0-9.]+)"',
        save(chart, tmp_path / "m.svg").read_text(),
    )
    assert [float(opacity) for opacity in cells] == [0.25, 0.5, 0.75, 1]
