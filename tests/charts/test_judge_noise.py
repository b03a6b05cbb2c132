"""What judges' errors change, drawn."""

import polars as pl
import pytest

from sessionkit.charts import judge_noise
from sessionkit.charts.kinds.judge_noise import FEW
from sessionkit.errors import UsageError

NAMES = ["measure", "a", "b", "difference", "low", "high", "winner_changes", "verdict_changes"]


def rows_of(chart):
    """The rows of a chart."""
    (rows,) = chart.to_dict()["datasets"].values()
    return rows


def pairs(many, measure="P@5"):
    """A frame of so many pairs: b is ahead by .1, .2, ...; of the second pair a is."""
    rows = [(measure, "A", f"B{p}", p / 10, p / 10 - 0.15, p / 10 + 0.05, 0.3 / p, 0.6 / p) for p in range(1, many + 1)]
    frame = pl.DataFrame(rows, schema=NAMES, orient="row")
    turned = frame.row(1)
    rows[1] = (*turned[:3], -turned[3], -turned[5], -turned[4], *turned[6:])
    return pl.DataFrame(rows, schema=NAMES, orient="row")


def test_few_differences_have_a_row_each_with_its_shares_beside_it():
    rows = rows_of(judge_noise(pairs(3)))
    assert [row["difference"] for row in rows] == pytest.approx([0.1, 0.2, 0.3])
    assert [(row["low"], row["high"]) for row in rows] == [
        (pytest.approx(p / 10 - 0.15), pytest.approx(p / 10 + 0.05)) for p in (1, 2, 3)
    ]
    assert [row["winner_changes"] for row in rows] == ["winner 30%", "winner 15%", "winner 10%"]
    assert [row["verdict_changes"] for row in rows] == ["verdict 60%", "verdict 30%", "verdict 20%"]
    assert [row["row"] for row in rows] == [f"P@5: {pair}" for pair in ("B1 \u2212 A", "A \u2212 B2", "B3 \u2212 A")]


def test_one_pair_is_named_once_and_a_small_share_is_not_nothing():
    one = pairs(2).head(1).with_columns(winner_changes=0.0004, verdict_changes=None)
    chart = judge_noise(one, title="T")
    assert rows_of(chart)[0]["row"] == "P@5"
    assert (rows_of(chart)[0]["winner_changes"], rows_of(chart)[0]["verdict_changes"]) == ("winner 0.04%", "verdict -")
    assert chart.to_dict()["title"]["subtitle"] == [
        "B1 \u2212 A",
        "Diamond: original judgments; line: middle 95% of draws",
        "Percent: draws that change the winner, and the verdict",
    ]


def test_many_are_shares_by_size_in_panels_for_each_measure_and_outcome():
    frame = pl.concat([pairs(FEW), pairs(FEW, "AP")])
    chart = judge_noise(frame)
    rows = rows_of(chart)
    assert len(rows) == 4 * FEW
    winners = [row["value"] for row in rows if row["kind"] == "Another winner" and row["measure"] == "AP"]
    assert winners == pytest.approx([0.3 / p for p in range(1, FEW + 1)])
    assert min(row["difference"] for row in rows) == 0.1
    spec = chart.to_dict()
    assert spec["facet"]["column"]["sort"] == ["Another winner", "Another verdict"]
    assert len(spec["spec"]["layer"]) == 1  # an outcome has a panel of its own, and no other mark lies on its points
    y = spec["spec"]["layer"][0]["encoding"]["y"]
    assert y["scale"]["domain"] == [0, pytest.approx(0.6 * 1.04)]


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(UsageError, match="no pair has a difference"):
        judge_noise(pairs(3).with_columns(difference=pl.lit(None, pl.Float64)))
    with pytest.raises(UsageError, match="holds 8 measures, not 9"):
        judge_noise(pl.concat([pairs(2, f"P@{cut}") for cut in range(1, 10)]))
