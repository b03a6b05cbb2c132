"""Values and intervals of measures for display: rounded, and cut at what a measure can have."""

import math

import polars as pl
import pytest

from sessionkit.scoring.measures.describe import cut_intervals, cut_note, interval_text

ENDS = [(-1.5, 2.5), (-0.5, 0.5), (0.25, 0.75), (0.5, 1.5), (-2.0, -1.25)]
LIMITS = {
    ("P@5", False): (0, 1),
    ("P@5", True): (-1, 1),
    ("Queries", False): (0, math.inf),
    ("Queries", True): (-math.inf, math.inf),
}


@pytest.mark.parametrize(("measure", "of_difference"), LIMITS)
def test_ends_move_to_the_nearest_possible_value(measure, of_difference):
    lowest, highest = LIMITS[measure, of_difference]
    cut = cut_intervals(pl.DataFrame(ENDS, ["low", "high"], orient="row"), measure, of_difference=of_difference)
    for (low, high), ends in zip(ENDS, cut.rows(), strict=True):
        assert ends == (sorted((lowest, low, highest))[1], sorted((lowest, high, highest))[1])


def test_a_table_is_cut_by_the_measure_of_each_row_and_keeps_ends_that_are_missing():
    rows = pl.DataFrame(
        {"measure": ["P@5", "Queries", "my score"], "low": [-0.5, -0.5, -0.5], "high": [1.5, 1.5, None]}
    )
    assert cut_intervals(rows).select("low", "high").rows() == [(0.0, 1.0), (0.0, 1.5), (-0.5, None)]
    assert [bool(cut_note(rows.filter(measure=measure))) for measure in rows["measure"]] == [True, True, False]
    without = pl.DataFrame({"low": [None], "high": [None]})
    assert cut_intervals(without, "P@5").rows() == [(None, None)]
    assert cut_note(without, "P@5") == ""


def test_an_interval_within_the_limits_is_not_called_cut():
    assert interval_text("P@5", 0.0, 1.0) == "0 to 1.000"
    assert interval_text("P@5", -0.1, 1.1) == "0 to 1.000, cut at 0 and 1"
    assert interval_text("sDCG@10", -0.1, 12.3) == "0 to 12.3, cut at 0"
