"""The map of a sweep."""

import polars as pl

from sessionkit.charts import sweep_map


def test_a_cell_for_each_setting_and_a_ring_at_the_base(swept, datasets):
    layers = datasets(sweep_map(swept(), x="b", y="bq"))
    (_, cells), *_ = layers
    assert [(row["x"], row["y"], row["group"]) for row in cells] == [
        ("2", "2", "S1"),
        ("2", "3", "S2"),
        ("20", "2", "S1"),
        ("20", "3", "S2"),
    ]
    assert [row["strength"] for row in cells] == [1.0, 1.0, 0.35, 0.35]
    assert {row["label"] for row in cells} == {"25"}
    assert [rows for mark, rows in layers if mark == "point"] == [[{"x": "2", "y": "2"}]] * 2


def test_a_line_runs_where_the_conclusion_ends(swept, datasets):
    # it holds in the row y=2 and not in y=3: a line above each cell of the lower row
    rules = [rows for mark, rows in datasets(sweep_map(swept())) if mark == "rule"]
    assert rules == [[{"x": "2", "y": "2"}, {"x": "20", "y": "2"}]]
    everywhere = swept().with_columns(holds=pl.lit(value=True))
    assert not [mark for mark, _ in datasets(sweep_map(everywhere)) if mark == "rule"]


def test_settings_without_a_leader_are_cells_of_their_own(swept, datasets):
    some = swept().with_columns(group=pl.when(pl.col("x") == "2").then("group"))
    gray = [rows for mark, rows in datasets(sweep_map(some)) if mark == "rect"][1]
    assert {row["x"] for row in gray} == {"20"}
    nobody = swept().with_columns(group=pl.lit(None, pl.String))
    assert [mark for mark, _ in datasets(sweep_map(nobody))].count("rect") == 1


def test_axes_keep_the_order_of_the_grid_and_say_what_the_signs_mean(swept):
    encoding = sweep_map(swept(), x="b", y="bq", measure="sDCG@10").to_dict()["layer"][0]["encoding"]
    assert encoding["x"]["sort"] == ["2", "20"]
    assert encoding["y"]["sort"] == ["3", "2"]
    assert encoding["x"]["axis"]["title"][:2] == ["b", "sDCG@10"]
    assert "ring: base setting" in encoding["x"]["axis"]["title"][-1]
    assert encoding["y"]["axis"]["title"] == "bq"


def test_many_cells_have_no_numbers(datasets):
    frame = pl.DataFrame(
        {"x": [str(n) for n in range(30)], "y": "", "group": "A", "margin": 1.0, "relative": 0.1, "p_value": None}
    ).with_columns(shown=pl.lit(None, pl.Boolean), outcome=pl.lit("holds"), base=pl.col("x") == "0", holds=True)
    (_, cells), *_ = datasets(sweep_map(frame, x="b"))
    assert {row["label"] for row in cells} == {""}
