"""Kendall's tau of the order of systems against the share of the judgments that is kept, with the knee of each curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import (
    LEGENDS,
    SHAPES,
    checked,
    color,
    curve_names,
    drawn_of,
    guide,
    line_below,
    setting_of,
    shaped,
    share_tip,
    stacked,
    tip,
    values,
    with_percents,
)
from sessionkit.charts.theme import FAINT, INK
from sessionkit.display.labels import printable_column
from sessionkit.display.numbers import short_share_text
from sessionkit.robustness.judgment_loss import JudgmentLoss

COLUMNS = ("measure", "fraction", "judged", "tau", "tau_low", "tau_high")
SOURCE = "sessionkit.judgment_loss"
APART = 0.055
"""Share of the axis between the labels of knees."""


def judgment_loss(
    agreement: Any,  # noqa: ANN401  # anything tabular
    knees: Any = None,  # noqa: ANN401  # anything tabular
    *,
    threshold: float | None = None,
    legend: str = "Measure",
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the mean tau of each measure by the share of the judgments kept; a band spans all draws.

    Parameters
    ----------
    agreement
        What `sessionkit.judgment_loss` found, or its ``table``: measure, fraction, judged, tau, tau_low, tau_high.
    knees
        The frame of knees beside a table: measure, knee. A diamond and a rule mark each; a finding has its own.
    threshold
        Tau at which knees are taken, for the line across; by default that of the finding, or 0.9.
    legend
        What the curves are.
    colors
        Color by measure, see `colors_of`; by default by sorted name.
    synthetic
        Whether to mark the figure as made from synthetic data.
    title
        Title, as plain text.
    subtitle
        What is shown, on a line below the title, as plain text; by default how the finding was made.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, or there are no rows.
    """
    threshold = setting_of(agreement, "threshold", threshold, 0.9)
    if isinstance(agreement, JudgmentLoss):
        knees = agreement.knees if knees is None else knees
        subtitle = line_below(agreement, _how(agreement) if subtitle is None else subtitle)
    frame = checked(drawn_of(agreement, "table", SOURCE), COLUMNS, SOURCE).with_columns(
        printable_column("measure").alias("group")
    )
    known = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(to) for name, to in _RENAMED.items()]
    frame = frame.select("group", "fraction", "judged", *known)
    frame = with_percents(frame, "fraction", "judged")
    # of two systems tau is 1 or -1 in every draw: a band between them says nothing
    banded = not frame.select(pl.col("low", "high").abs() == 1).select(pl.all_horizontal(pl.all().all())).item()
    low = frame.select(pl.min_horizontal("value", "low").min() if banded else pl.col("value").min()).item()
    bottom = min(math.floor(10 * (1.0 if low is None else low)) / 10, threshold - 0.1)
    x = alt.X(
        field="fraction",
        type="quantitative",
        axis=alt.Axis(title="Share of the judgments kept", format="%", tickCount=10),
        scale=alt.Scale(domain=[0, 1], nice=False),
    )
    up = alt.Scale(domain=[bottom, 1], nice=False)
    y = alt.Y(
        field="value",
        type="quantitative",
        axis=alt.Axis(title=TAU if banded else [TAU, "1: same order in all draws; 0: in half"], tickCount=6),
        scale=up,
    )
    shade = color(frame["group"].to_list(), colors, legend)
    tips = [tip("group", legend), share_tip("fraction", "Share kept"), share_tip("judged", "Judged share")]
    tips += [tip("value", "Mean tau", ".3f"), tip("low", "Least", ".3f"), tip("high", "Most", ".3f")]
    groups = frame["group"].unique().to_list()
    marks = {"shape": shaped(groups, legend)} if 1 < len(groups) <= len(SHAPES) else {}
    names = curve_names(frame.with_columns(label="group"), {"x": x, "y": y, "color": shade}, marks)
    ends = {"y": alt.Y(field="low", type="quantitative", scale=up), "y2": alt.Y2(field="high")}
    across = alt.Chart(guide(pl.DataFrame({"value": [threshold]}))).mark_rule(color=FAINT, strokeDash=[5, 4])
    band = alt.Chart(values(frame)).mark_area(opacity=0.14).encode(x=x, color=shade, **ends)
    layers = [
        across.encode(y=y),
        alt.Chart(values(frame)).mark_line().encode(x=x, y=y, color=shade),
        *([band] if banded else []),
        alt.Chart(values(frame)).mark_point(filled=True).encode(x=x, y=y, color=shade, **marks, tooltip=tips),
        *names,
    ]
    if knees is not None:
        marked = _marked(checked(knees, ("measure", "knee"), SOURCE), threshold, bottom)
        if len(marked):
            layers += _knees(marked, x, y, up, shade)
    return stacked(layers, title, synthetic, subtitle, width=width, height=height)


def _how(found: JudgmentLoss) -> str:
    """How judgments were lost."""
    draws = "one draw" if found.draws == 1 else f"mean of {found.draws} draws"
    if found.draws > 1 and (found.table.select(pl.col("tau_low", "tau_high").abs() < 1).to_numpy()).any():
        draws += ", band from the least to the most"
    return f"groups by {LEGENDS.get(found.by, found.by).lower()}; {draws}; seed {found.seed}"


TAU = "Kendall's tau-b with the order by all judgments"
_RENAMED = {"tau": "value", "tau_low": "low", "tau_high": "high"}
"""Columns under the names that the chart has."""


def _marked(knees: pl.DataFrame, threshold: float, bottom: float) -> pl.DataFrame:
    """The knees that there are, each with a place for its label, one above the other."""
    found = knees.with_columns(printable_column("measure").alias("group")).filter(pl.col("knee").is_not_null())
    found = found.select("group", fraction="knee", number=pl.int_range(pl.len()))
    label = pl.format("knee {}", pl.col("fraction").map_elements(short_share_text, pl.String))
    return found.with_columns(
        label=label,
        value=pl.lit(threshold),
        low=pl.lit(bottom),
        mark=bottom + (1 - bottom) * APART * (pl.col("number") + 0.7),
    )


def _knees(marked: pl.DataFrame, x: alt.X, y: alt.Y, up: alt.Scale, shade: alt.Color) -> list[alt.Chart]:
    """A rule down from the threshold, a diamond upon it and a label at its foot, for every knee."""
    data = guide(marked)
    foot = alt.Y(field="mark", type="quantitative", scale=up)
    text = alt.Text(field="label", type="nominal")
    last = marked.with_columns(late=pl.col("fraction") > 0.8)
    labels = [
        alt.Chart(guide(last.filter(pl.col("late") == late)))
        .mark_text(align="right" if late else "left", dx=-5 if late else 5, fontSize=10.5, color=INK)
        .encode(x=x, y=foot, text=text)
        for late in (False, True)
        if last.filter(pl.col("late") == late).height
    ]
    return [
        alt.Chart(data).mark_rule(strokeWidth=1.2).encode(x=x, y=y, y2=alt.Y2(field="low"), color=shade),
        alt.Chart(data).mark_point(shape="diamond", size=110, filled=True).encode(x=x, y=y, color=shade),
        *labels,
    ]
