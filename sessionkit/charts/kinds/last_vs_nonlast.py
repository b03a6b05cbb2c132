"""Figure 1 of ECIR 2008: gain by rank of the last query of sessions against that of the queries before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.analysis.bands import OF_BAND
from sessionkit.analysis.breakdown.reduction import OF_PART
from sessionkit.charts.encodings import (
    band,
    band_tips,
    color,
    curve_names,
    gain_axis,
    grouped,
    mean_of,
    of_several,
    outstanding,
    parted,
    stacked,
    tip,
    values,
)
from sessionkit.readers.tabular import as_polars

COLUMNS = ("part", "rank", "value", "n_queries", "n_sessions")
NAMES = {"last": "Last", "non-last": "Non-last", "first": "First", "later": "Later", "best": "Best", "rest": "Rest"}
MARKED = 10
"""Points stand at the first rank and at every tenth."""


def last_vs_nonlast(
    breakdown: Any,  # noqa: ANN401  # anything tabular
    *,
    measure: str | None = None,
    axis: str = "Mean cumulated gain per query",
    legend: str | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the gain of the parts of a breakdown by rank: a color for each group, a dash for each part, and bands if the frame has any.

    Means of one session are left out, unless there are no others.

    Parameters
    ----------
    breakdown
        A frame of `sessionkit.breakdown`: the columns that make the groups, part, rank, value, n_queries, n_sessions; and
        with ``bands=True`` low, high.
    measure
        Text of the measure, for the axis.
    axis
        What the axis shows, above the measure.
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
        A column is missing, there are no rows, or more than six parts (by position: filter the frame first).
    """
    table = as_polars(breakdown, "sessionkit.breakdown").collect()
    own = [name for name in ("low", "high") if name in table.columns]
    frame, legend = grouped(table, (*COLUMNS, *own), "sessionkit.breakdown", (*OF_PART, *OF_BAND), legend)
    frame, means = of_several(frame.with_columns(pl.col("part").replace(NAMES)), "n_sessions")
    parts = frame.get_column("part").unique(maintain_order=True).to_list()
    ranks = int(frame.get_column("rank").max())  # type: ignore[arg-type]
    dash, shape = parted("part", parts, "Query")
    ranked = alt.Axis(title="Rank in the result list", tickMinStep=1, format="d")
    frame, colors = outstanding(frame, "rank", "value", colors)
    encoding: dict[str, Any] = {
        "x": alt.X(
            field="rank", type="quantitative", axis=ranked, scale=alt.Scale(domain=[1, max(ranks, 2)], nice=False)
        ),
        "y": gain_axis(mean_of(axis, means), measure),
        "color": color(frame.get_column("group").to_list(), colors, legend),
    }
    if own:
        encoding["color"]["legend"]["symbolOpacity"] = 1
    marked = frame.filter((pl.col("rank") == 1) | (pl.col("rank") % MARKED == 0) | (ranks <= MARKED))
    tips = [tip("group", legend), tip("part", "Query"), tip("rank", "Rank", "d"), tip("value", "Gain", ".4f")]
    tips += [*band_tips(frame), tip("n_queries", "Queries", "d"), tip("n_sessions", "Sessions", "d")]
    label = pl.concat_str("group", pl.col("part").str.to_lowercase(), separator=", ")
    names = curve_names(frame.with_columns(label=label), encoding, {"strokeDash": dash, "shape": shape})
    lines = alt.Chart(values(frame)).mark_line().encode(**encoding, strokeDash=dash)
    points = alt.Chart(values(marked)).mark_point(filled=True).encode(**encoding, shape=shape, tooltip=tips)
    layers = [*band(frame, encoding, "part"), lines, points, *names]
    return stacked(layers, title, synthetic, subtitle, width=width, height=height)
