"""Figure 1 of ECIR 2008: gain by rank of the last query of sessions against that of the queries before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import fading, few_line
from sessionkit.charts.encodings import (
    area,
    band,
    band_tips,
    color,
    curve_names,
    gain_axis,
    grouped,
    in_order,
    layered,
    mean_of,
    of_several,
    outstanding,
    parted,
    tip,
    titled,
    values,
)
from sessionkit.display.labels import in_natural_order
from sessionkit.sessions.breakdown import OF_PART
from sessionkit.statistics.bands import OF_BAND
from sessionkit.study.tabular import as_polars

COLUMNS = ("part", "rank", "value", "n_queries", "n_sessions")
NAMES = {"last": "Last", "non-last": "Non-last", "first": "First", "later": "Later", "best": "Best", "rest": "Rest"}
MARKED = 10
"""Points stand at the first rank and at every tenth."""
MOST_PANELS, HEIGHT = 6, 200
"""Groups that have a panel each where there are bands, and its height."""
WIDTHS = {2: 215, 3: 180}
"""The width of a panel, by how many stand beside each other."""


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
) -> alt.LayerChart | alt.FacetChart:
    """Draw the gain of the parts of a breakdown by rank: a color for each group, a dash for each part, and bands if the frame has any.

    Bands of several groups would lie upon each other: up to six groups then have a panel each. Means of one session are left out, unless
    there are no others. Points of fewer than 10 sessions are faded.

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
    marked = frame.filter(_is_marked(ranks))
    few = few_line(marked.drop_nulls("value").get_column("n_sessions"), "sessions", "Faded points")
    tips = [tip("group", legend), tip("part", "Query"), tip("rank", "Rank", "d"), tip("value", "Gain", ".4f")]
    tips += [*band_tips(frame), tip("n_queries", "Queries", "d"), tip("n_sessions", "Sessions", "d")]
    groups = frame.get_column("group").unique(maintain_order=True).to_list()
    if own and 1 < len(groups) <= MOST_PANELS and frame.get_column("low").count():
        what = mean_of(axis, means)
        if measure is not None:  # beside panels there is room for the measure alone
            encoding["y"] = gain_axis(measure, None)
        chart = _panels(frame.with_columns(marked=_is_marked(ranks)), encoding, dash, shape, tips)
        below = [line for line in (subtitle, None if measure is None else what, few) if line]
        return titled(chart, title, below, synthetic, width=width, height=height)
    label = pl.concat_str("group", pl.col("part").str.to_lowercase(), separator=", ")
    names = curve_names(frame.with_columns(label=label), encoding, {"strokeDash": dash, "shape": shape})
    lines = alt.Chart(values(frame)).mark_line().encode(**encoding, strokeDash=dash)
    points = (
        alt.Chart(values(marked))
        .mark_point(filled=True)
        .encode(**encoding, shape=shape, opacity=fading("n_sessions"), tooltip=tips)
    )
    layers = [*band(frame, encoding, "part"), lines, points, *names]
    below = [line for line in (subtitle, few) if line]
    return titled(layered(layers), title, below, synthetic, width=width, height=height)


def _is_marked(ranks: int) -> pl.Expr:
    """Where points stand, of so many ranks."""
    return (pl.col("rank") == 1) | (pl.col("rank") % MARKED == 0) | (ranks <= MARKED)


def _panels(
    frame: pl.DataFrame, encoding: dict[str, Any], dash: alt.StrokeDash, shape: alt.Shape, tips: list[alt.Tooltip]
) -> alt.FacetChart:
    """A panel for each group, in natural order, on one scale."""
    names = in_natural_order(frame.get_column("group").unique())
    rows = frame.with_columns(place=pl.col("group").replace_strict(names, range(len(names)), return_dtype=pl.Int32))
    encoding["color"]["legend"] = None
    layers = [
        area(alt.Chart(), encoding, "part"),
        alt.Chart().mark_line().encode(**encoding, strokeDash=dash),
        alt.Chart()
        .mark_point(filled=True)
        .transform_filter(alt.FieldEqualPredicate(field="marked", equal=True))
        .encode(**encoding, shape=shape, opacity=fading("n_sessions"), tooltip=tips),
    ]
    data = values(rows.sort("place", "part", "rank"), rows.drop("place", "marked"))
    columns = 2 if len(names) in (2, 4) else 3  # so that at most one place is empty
    width = WIDTHS[columns]
    plot = layered(layers, data=data, width=width, height=HEIGHT)
    header = alt.Header(title=None, labelFontSize=12, labelFontWeight=600, labelLimit=width, labelAnchor="start")
    panels: alt.FacetChart = plot.facet(
        facet=alt.Facet(field="group", type="nominal", sort=in_order(), header=header), columns=columns, spacing=12
    )
    return panels
