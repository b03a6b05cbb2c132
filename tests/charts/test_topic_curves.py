"""Figure 3."""

import polars as pl
import pytest

from sessionkit.charts import save, spec_of, topic_curves


def test_both_selections_are_drawn_under_their_names(curves, datasets):
    frame = curves()
    lines = dict(datasets(topic_curves(frame, curves(groups=("S2",)), 5)))["line"]
    every = [row for row in lines if row["sessions"] == "All"]
    long = [row for row in lines if row["sessions"] == "At least 5 queries"]
    assert [row["value"] for row in every] == frame.get_column("value").to_list()
    assert {row["group"] for row in long} == {"S2"}
    assert len(long) == 30


def test_nothing_long_enough_leaves_the_curves_of_all(curves, datasets):
    lines = dict(datasets(topic_curves(curves(), None)))["line"]
    assert {row["sessions"] for row in lines} == {"All"}


def test_a_group_whose_sessions_are_all_long_has_one_curve(curves, datasets):
    """S1 has 2 sessions and S2 has 3; of S2 two are long, of S1 all."""
    long = curves().with_columns(n=pl.lit(2, pl.Int64))
    lines = dict(datasets(topic_curves(curves(), long)))["line"]
    assert {(row["group"], row["sessions"]) for row in lines} == {
        ("S1", "All"),
        ("S2", "All"),
        ("S2", "At least 4 queries"),
    }
    same = spec_of(topic_curves(curves(), curves()))
    assert {row["sessions"] for row in dict(datasets(topic_curves(curves(), curves())))["line"]} == {"All"}
    assert not any("strokeDash" in layer["encoding"] for layer in same["layer"])


def test_one_long_session_has_no_mean(curves, datasets):
    one = curves(groups=("S2",)).with_columns(n=pl.lit(1, pl.Int64))
    lines = dict(datasets(topic_curves(curves(), one)))["line"]
    assert {row["sessions"] for row in lines} == {"All"}


def test_bands_are_those_of_all_sessions(curves, datasets):
    every = curves().with_columns(low=pl.col("value") - 1, high=pl.col("value") + 1)
    (areas,) = [rows for mark, rows in datasets(topic_curves(every, curves(groups=("S2",)))) if mark == "area"]
    assert len(areas) == 60
    assert {row["high"] - row["low"] for row in areas} == {2.0}


@pytest.mark.slow
def test_a_narrow_figure_of_both_selections_has_both_legends(curves, tmp_path):
    chart = topic_curves(curves(), curves(groups=("S2",)), 5)
    svg = save(chart, tmp_path / "c.svg", width="84mm").read_text()
    assert all(f">{name}<" in svg for name in ("S1", "S2", "All", "At least 5 queries"))
