"""The verdict-curves chart: its panels, of how many verdicts each share is, what is faded."""

import math

import polars as pl
import pytest

from sessionkit.charts import data, verdict_curves

ROWS = [
    {"measure": "AP", "fraction": 0.5, "kept": 6, "gained": 2, "lost": 9, "found": 3},
    {"measure": "AP", "fraction": 1.0, "kept": 8, "gained": 0, "lost": 0, "found": 12},
]


def table(rows):
    """A table of verdicts, with its shares by their formulas."""
    return pl.DataFrame(
        [
            row
            | {
                "accuracy": (row["kept"] + row["found"]) / 20,
                "g_mean": math.sqrt(
                    row["kept"] / (row["kept"] + row["gained"]) * row["kept"] / (row["kept"] + row["lost"])
                ),
                "false_positive_rate": row["lost"] / (row["lost"] + row["found"]),
            }
            for row in rows
        ]
    )


def test_each_share_stands_with_the_verdicts_that_it_is_of():
    (rows,) = data(verdict_curves(table(ROWS)))
    half = {row["statistic"]: (row["value"], row["n"]) for row in rows.filter(fraction=0.5).iter_rows(named=True)}
    assert half == {
        "Same verdict (accuracy)": (9 / 20, 20),
        "g-mean for no difference": (pytest.approx(math.sqrt(6 / 8 * 6 / 15)), 8),
        "Differences missed": (9 / 12, 12),
    }


def test_shares_of_few_verdicts_are_faded_and_the_line_below_says_so():
    spec = verdict_curves(table(ROWS), title="T").to_dict()
    assert spec["title"]["subtitle"] == ["20 verdicts per point", "Faded: fewer than 10 verdicts"]
    opacity = spec["spec"]["layer"][1]["encoding"]["opacity"]
    assert opacity["condition"]["test"] == {"field": "n", "lt": 10}
    several = [row | {name: 10 * row[name] for name in ("kept", "gained", "lost", "found")} for row in ROWS]
    assert verdict_curves(table(several), title="T").to_dict()["title"]["subtitle"] == "200 verdicts per point"
