"""Differences with their intervals: on one scale where the spread of sessions is known, else each on its own."""

import polars as pl
import pytest

from sessionkit.charts import spec_of
from sessionkit.charts.kinds.differences import MOST, differences
from sessionkit.errors import UsageError


def found(**columns):
    """A table as compare makes it."""
    rows = {
        "measure": ["sDCG@10", "nsDCG@10"],
        "a": ["S1", "S1"],
        "b": ["S2", "S2"],
        "estimate": [2.0, -0.1],
        "low": [0.5, None],
        "high": [3.5, 0.1],
        "p_adjusted": [0.01, 0.3],
    }
    return pl.DataFrame({**rows, **columns})


def subtitle_of(frame):
    """What stands above a chart."""
    return spec_of(differences(frame))["title"]["text"]


def rows_of(frame, **options):
    """The rows that a chart draws."""
    (rows,) = spec_of(differences(frame, **options))["datasets"].values()
    return rows


def test_every_comparison_has_its_own_scale_and_row():
    spec = spec_of(differences(found(), title="T", subtitle="S", synthetic=True))
    assert spec["resolve"] == {"scale": {"x": "independent"}}
    assert spec["facet"]["row"]["sort"] == {"field": "place", "op": "min"}
    assert [row["row"] for row in rows_of(found())] == ["sDCG@10", "nsDCG@10"]
    assert spec["title"] == {
        "text": "T",
        "subtitle": ["S", "Difference S2 \u2212 S1, higher is better", "Synthetic data"],
    }


def test_points_are_filled_where_the_difference_is_shown():
    assert [row["shown"] for row in rows_of(found())] == ["yes", "no"]
    assert [row["shown"] for row in rows_of(found(), confidence=0.999)] == ["no", "no"]


def test_an_interval_without_an_end_reaches_as_far_as_the_other():
    first, second = rows_of(found())
    assert (first["low"], first["high"]) == (0.5, 3.5)
    assert (second["low"], second["high"]) == (pytest.approx(-0.3), 0.1)  # .1 - -.1 = .2 either way


def test_pairs_are_named_where_there_are_several():
    assert [row["row"] for row in rows_of(found(b=["S2", "S3"]))] == ["sDCG@10: S2 \u2212 S1", "nsDCG@10: S3 \u2212 S1"]


def test_only_so_many_are_shown_and_nothing_is_refused():
    many = pl.concat([found(measure=[f"m{number}", f"n{number}"]) for number in range(MOST)])
    assert len(rows_of(many)) == MOST
    with pytest.raises(UsageError, match="nothing to draw"):
        differences(found(estimate=pl.Series([None, None], dtype=pl.Float64)))


def forest(**columns):
    """A comparison with the spread of sessions."""
    return found(sd=[4.0, 0.5], n_a=[30, 28], n_b=[30, 29], **columns)


def test_differences_are_divided_by_the_spread_of_sessions_and_stand_raw_beside():
    first, second = rows_of(forest())
    assert (first["estimate_sd"], first["low_sd"], first["high_sd"]) == (0.5, 0.125, 0.875)  # 2, .5 and 3.5 over 4
    assert first["told"] == "+2.00 [0.500, 3.50], n = 30"
    assert second["told"] == "\u22120.100 [\u22120.300, 0.100], n = 28 and 29"
    assert subtitle_of(forest()) == "Difference S2 \u2212 S1, higher is better; filled: p \u2264 0.05"


@pytest.mark.parametrize("spread", [{}, {"sd": [4.0, 0.5], "n_a": [30, 30], "n_b": [30, 30]}])
def test_no_sign_is_turned_and_words_say_which_values_are_better(spread):
    frame = found(measure=["Clicks", "Queries"], **spread)
    rows = rows_of(frame)
    assert [(row["estimate"], row["high"]) for row in rows] == [(2.0, 3.5), (-0.1, 0.1)]  # as compare has them
    if not spread:
        assert [row["row"] for row in rows] == ["Clicks", "Queries, lower is better"]
        return
    assert [row["estimate_sd"] for row in rows] == [0.5, -0.2]
    assert rows[1]["low_sd"] < rows[1]["estimate_sd"] < 0 < rows[1]["high_sd"]
    assert [row["told"] for row in rows] == [
        "+2.00 [0.500, 3.50]",
        "\u22120.100 [\u22120.300, 0.100], lower is better",
    ]
    assert subtitle_of(frame) == "Difference S2 \u2212 S1, n = 30; filled: p \u2264 0.05"


def test_no_spread_is_counted():
    (row,) = rows_of(found(sd=[4.0, 0.0], n_a=[3, 3], n_b=[3, 3]))
    assert row["row"] == "sDCG@10"
    assert "1 without spread left out" in subtitle_of(found(sd=[4.0, None], n_a=[3, 3], n_b=[3, 3]))
