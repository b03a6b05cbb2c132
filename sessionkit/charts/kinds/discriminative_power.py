"""Achieved significance levels: the p-values of all pairs of systems in their order, a curve for each measure (Sakai 2006)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.arguments import error_rate
from sessionkit.charts.encodings import (
    SHAPES,
    checked,
    color,
    curve_names,
    drawn_of,
    guide,
    line_below,
    setting_of,
    shaped,
    stacked,
    tip,
    values,
)
from sessionkit.charts.theme import ACCENT, FAINT
from sessionkit.display.labels import printable_column
from sessionkit.errors import UsageError

SOURCE = "sessionkit.discriminate"
COLUMNS = ("measure", "place", "a", "b", "difference", "p")
LEVELS = (0, 0.01, 0.05, 0.1, 0.2, 0.5, 1)
"""What the axis names; it is drawn by the square root, so that the small ones stand apart."""
POINTS = 60
"""Pairs up to which points are large."""
APART_UP, APART_ACROSS = 0.1, 0.2
"""Least distance between named levels in square roots: at less a column of a paper has no room for both."""
STEP = 34
"""Height of a measure of one pair."""


def discriminative_power(
    asl: Any,  # noqa: ANN401  # anything tabular
    *,
    confidence: float | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the sorted p-values of all pairs for each measure; the earlier a curve rises, the fewer pairs differ.

    Two systems make one pair: each measure is then a row with its p-value.

    Parameters
    ----------
    asl
        What `sessionkit.discriminate` found, or its frame ``asl``: measure, place, a, b, difference, p.
    confidence
        The line across stands at 1 - confidence; by default that of the finding, or 0.95.
    colors
        Color by measure; by default by sorted name.
    synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, or no pair could be tested.
    """
    alpha = error_rate(setting_of(asl, "confidence", confidence, 0.95))
    subtitle = line_below(asl, subtitle)
    frame = checked(drawn_of(asl, "asl", SOURCE), COLUMNS, SOURCE).filter(pl.col("p").is_not_null())
    if frame.is_empty():
        raise UsageError("there is nothing to draw: no pair could be tested")
    rows = frame.select(
        "place",
        "difference",
        group=printable_column("measure"),
        pair=pl.concat_str(printable_column("b"), pl.lit(" \u2212 "), printable_column("a")),
        value="p",
    )
    tips = [tip("group", "Measure"), tip("pair", "Pair"), tip("difference", "Difference", "+.4f")]
    tips += [tip("place", "Place", "d"), tip("value", "p", ".3g")]
    if rows["place"].max() == 1:
        return stacked(_alone(rows, tips, alpha), title, synthetic, subtitle, width=width, height=height)
    layers = _curves(rows, color(rows["group"].to_list(), colors, "Measure"), tips, alpha)
    return stacked(layers, title, synthetic, subtitle, width=width, height=height)


def _level(title: str, alpha: float, apart: float) -> dict[str, Any]:
    """The axis and the scale of p-values, on which the level itself is always named."""
    named = [alpha]
    for level in (0, 1, *LEVELS):
        if all(abs(math.sqrt(level) - math.sqrt(place)) >= apart - 1e-9 for place in named):
            named.append(level)
    return {
        "axis": alt.Axis(title=title, values=sorted(named), format=".3~r", grid=True, labelOverlap="greedy"),
        "scale": alt.Scale(type="sqrt", domain=[0, 1], nice=False),
    }


def _curves(rows: pl.DataFrame, shade: alt.Color, tips: list[alt.Tooltip], alpha: float) -> list[alt.Chart]:
    """A curve for each measure over its pairs in their order."""
    level = _level("Achieved significance level (p)", alpha, APART_UP)
    many = int(rows["place"].max())  # type: ignore[arg-type]
    pairs = alt.Axis(title="Pairs, sorted by p", tickMinStep=1, tickCount=10, format=",d")
    x = alt.X(field="place", type="quantitative", axis=pairs, scale=alt.Scale(domain=[1, many], nice=False))
    y = alt.Y(field="value", type="quantitative", **level)
    measures = rows["group"].unique().to_list()
    marks = {"shape": shaped(measures, "Measure")} if 1 < len(measures) <= len(SHAPES) else {}
    names = curve_names(rows.with_columns(label="group"), {"x": x, "y": y, "color": shade}, marks)
    data = values(rows)
    return [
        alt.Chart(guide(pl.DataFrame({"value": [alpha]}))).mark_rule(color=FAINT, strokeDash=[5, 4]).encode(y=y),
        alt.Chart(data).mark_line().encode(x=x, y=y, color=shade),
        alt.Chart(data)
        .mark_point(filled=True, size=30 if many <= POINTS else 8)
        .encode(x=x, y=y, color=shade, **marks, tooltip=tips),
        *names,
    ]


def _alone(rows: pl.DataFrame, tips: list[alt.Tooltip], alpha: float) -> list[alt.Chart]:
    """The p-value of the one pair by each measure."""
    x = alt.X(field="value", type="quantitative", **_level("Achieved significance level (p)", alpha, APART_ACROSS))
    names = alt.Axis(title=None, labelLimit=260, grid=True)
    y = alt.Y(field="group", type="nominal", axis=names, sort=alt.EncodingSortField(field="number", op="min"))
    data = values(rows.with_row_index("number"))
    across = alt.Chart(guide(pl.DataFrame({"value": [alpha]}))).mark_rule(color=FAINT, strokeDash=[5, 4])
    points = alt.Chart(data).mark_point(filled=True, size=80, color=ACCENT)
    return [across.encode(x=x), points.encode(x=x, y=y, tooltip=tips).properties(height=alt.Step(STEP))]
