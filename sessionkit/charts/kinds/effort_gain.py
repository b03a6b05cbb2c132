"""What a gain costs: the share of sessions that have come to it within so many results, queries or minutes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import altair as alt
import polars as pl

from sessionkit.arguments import EffortUnit, require_choice
from sessionkit.charts.encodings import (
    area,
    color,
    curve_names,
    drawn_of,
    folded,
    grouped,
    line_below,
    outstanding,
    shaped,
    share_tip,
    stacked,
    tip,
    values,
    whole_numbers,
    with_percents,
)
from sessionkit.display.labels import in_natural_order, plain
from sessionkit.errors import UsageError
from sessionkit.sessions.effort import Effort
from sessionkit.study.tabular import as_polars

COLUMNS = ("along", "amount", "reached", "units", "share", "low", "high")
SOURCE = "sessionkit.effort"
ALONG: tuple[EffortUnit, ...] = get_args(EffortUnit)
AXES = {
    "results": "Results looked at", "queries": "Queries asked", "minutes": "Minutes until the query was asked"
}  # fmt: skip
BANDED = 6
"""Groups up to which each has a band, and points of a shape of its own."""
MARKED = 10
"""Points on each line at most."""


def effort_gain(
    effort: Any,  # noqa: ANN401  # a finding, or anything tabular
    *,
    along: EffortUnit = "results",
    gain: float | None = None,
    measure: str | None = None,
    legend: str | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the share of sessions that have come to a gain within so many results, queries or minutes, with its interval.

    Parameters
    ----------
    effort
        What `sessionkit.effort` found, or its table ``spent``.
    along
        What the searchers spent: ``"results"``, ``"queries"`` or ``"minutes"``.
    gain
        The gain that is told of, for the axis; by default the finding's.
    measure
        Text of the measure of this gain, for the axis; by default the finding's.
    legend
        What the groups are called; by default as their columns are.
    colors
        Color by group, see `colors_of`; by default by sorted name.
    synthetic
        Whether to mark the figure as made from synthetic data.
    title
        Title, as plain text.
    subtitle
        Which sessions are shown, on a line below the title, as plain text.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, there are no rows, or none of what was spent so.
    """
    require_choice("along", along, ALONG)
    if gain is not None and not isinstance(gain, int | float):
        raise UsageError(f"gain must be a number, not {gain!r}")
    table = as_polars(drawn_of(effort, "spent", SOURCE), SOURCE).collect()
    if "along" in table.columns:
        table = table.filter(pl.col("along") == along)
        if table.is_empty():
            raise UsageError(f"there is nothing to draw: no {along} are known of any session")
    frame, legend = grouped(table, COLUMNS, SOURCE, COLUMNS, legend)
    frame = with_percents(frame.sort("group", "amount"), "share", "low", "high")
    of = gain if gain is not None or not isinstance(effort, Effort) else effort.gain
    groups = in_natural_order(frame.get_column("group").unique())
    few = len(groups) <= BANDED
    last = max(1, int(frame.get_column("amount").max()))  # type: ignore[arg-type]
    axis = whole_numbers(AXES[along], 0, last)
    x = alt.X(field="amount", type="quantitative", axis=axis, scale=alt.Scale(domain=[0, last], nice=False))
    name = measure if measure is not None else effort.measure if isinstance(effort, Effort) else None
    reached = f"Share that gained {'so much' if of is None else f'{of:g} or more'}"
    titles = [reached, *([] if name is None else folded(f"by {plain('measure', name)}"))]
    share = alt.Axis(title=titles, format="%", tickCount=6)
    y = alt.Y(field="share", type="quantitative", axis=share, scale=alt.Scale(domain=[0, 1]))
    frame, colors = outstanding(frame, "amount", "share", colors)
    shade = color(groups, colors, legend)
    shade["legend"]["symbolOpacity"] = 1  # that of the lines, not of the bands
    encoding: dict[str, Any] = {"x": x, "y": y, "color": shade}
    marks = {"shape": shaped(groups, legend)} if few and len(groups) > 1 else {}  # told apart without color too
    names = curve_names(frame.with_columns(label="group"), encoding, marks)
    lines = alt.Chart(values(frame)).mark_line(interpolate="step-after").encode(**encoding)
    tips = [tip("group", legend), tip("amount", AXES[along], "d"), share_tip("share", "Share")]
    tips += [
        share_tip("low", "From"),
        share_tip("high", "To"),
        tip("reached", "Reached", "d"),
        tip("units", "Of", "d"),
    ]
    amounts = frame.get_column("amount").unique().sort()
    marked = amounts.gather_every(-(-len(amounts) // MARKED))
    points = alt.Chart(values(frame.filter(pl.col("amount").is_in(marked.implode())))).mark_point(filled=True)
    points = points.encode(**encoding, **marks, tooltip=tips)
    bands = area(alt.Chart(values(frame)), encoding)
    bands.mark.interpolate = "step-after"
    layers = [*([bands] if few else []), lines, points, *names]
    if isinstance(effort, Effort) and gain is None and effort.gain_source is not None:
        subtitle = line_below(None, subtitle, f"{effort.gain:g} is {effort.gain_source}")
    return stacked(layers, title, synthetic, subtitle, width=width, height=height)
