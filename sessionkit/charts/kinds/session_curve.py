"""Figure 2 of ECIR 2008: the gain of sessions, slot by slot along their concatenated lists, averaged by system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.analysis.curve import OF_BANDS, OF_SLOT
from sessionkit.charts.boundaries import Boundaries
from sessionkit.charts.encodings import (
    SHAPES,
    band,
    band_tips,
    color,
    gain_axis,
    grouped,
    mean_of,
    of_several,
    shaped,
    stacked,
    tip,
    values,
)
from sessionkit.charts.theme import INK
from sessionkit.readers.tabular import as_polars

COLUMNS = ("slot", "query_position", "rank", "value", "n")
OF_CURVE = (*OF_SLOT, *OF_BANDS)
CUMULATED, NORMALIZED = "Mean cumulated gain", "Mean normalized cumulated gain"
"""What the axis shows, of sessions as they are or as shares of an ideal one's."""
MOST_COUNTED = 4
"""Groups whose sessions are counted below the axis, a line for each; of more groups all together."""


def session_curve(
    curve: Any,  # noqa: ANN401  # anything tabular
    *,
    normalized: bool = True,
    measure: str | None = None,
    legend: str | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
) -> alt.LayerChart:
    """Draw mean session curves, the ends of queries marked by rules and points; undefined values are gaps.

    A group of one session has no mean and is left out, unless there is no other. With bands in the frame each curve has its own,
    and below the axis stands how many sessions were still searching at each query.

    Parameters
    ----------
    curve
        A frame of `sessionkit.curve`: the columns that make the groups, slot, query_position, rank, value, n; and with
        ``bands=True`` low, high, searching.
    normalized
        Whether the values are shares of an ideal session's; names the axis.
    measure
        Text of the measure, for the axis.
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

    Raises
    ------
    UsageError
        A column is missing, or there are no rows.
    """
    table = as_polars(curve, "sessionkit.curve").collect()
    own = [name for name in OF_BANDS if name in table.columns]
    frame, legend = grouped(table, (*COLUMNS, *own), "sessionkit.curve", OF_CURVE, legend)
    queries = Boundaries.of(frame)
    groups = frame.get_column("group").unique().sort().to_list()
    frame, means = of_several(frame, "n")
    shade = color(groups, colors, legend)
    shade["legend"]["symbolOpacity"] = 1  # that of the lines, not of the bands
    encoding: dict[str, Any] = {
        "x": queries.axis(),
        "y": gain_axis(mean_of(NORMALIZED if normalized else CUMULATED, means), measure),
        "color": shade,
    }
    tips = [tip("group", legend), tip("query_position", "Query"), tip("slot", "Slot", "d"), tip("value", "Gain", ".4f")]
    tips += [*band_tips(frame), tip("n", "Sessions", "d")]
    counted = _counted(frame, queries, groups) if "searching" in own else None
    if counted is not None:
        encoding["x"]["axis"]["titlePadding"] = PADDING + LINE * counted.get_column("line").n_unique()
    lines = alt.Chart(values(frame)).mark_line().encode(**encoding)
    points = alt.Chart(values(queries.at_ends(frame))).mark_point(filled=True).encode(**encoding, tooltip=tips)
    if 1 < len(groups) <= len(SHAPES):  # told apart without color too
        points = points.encode(shape=shaped(groups, legend))
    layers = [*queries.layers(), *band(frame, encoding), lines, points]
    layers += [] if counted is None else _counts(counted, encoding["x"])
    return stacked(layers, title, synthetic, subtitle)


MOST_WIDE = 170
"""Pixels that the name of a group takes beside its line of numbers."""
PADDING, LINE = 12, 12
"""Between the axis and its title, without and for each line of numbers."""


def _counted(frame: pl.DataFrame, queries: Boundaries, groups: list[str]) -> pl.DataFrame | None:
    """Sessions that were still searching at each labeled query: a line for each of a few groups, else for all together."""
    if len(queries.queries) < 2:
        return None
    counts = frame.group_by("group", "query_position").agg(pl.col("searching").max())
    if len(groups) > MOST_COUNTED:
        counts = counts.group_by("query_position").agg(pl.col("searching").sum()).with_columns(group=pl.lit("all"))
    names = counts.get_column("group").unique().sort().to_list()
    lines = pl.col("group").replace_strict(names, [*range(len(names))], return_dtype=pl.Int64)
    middle = (pl.col("start") + pl.col("end")) / 2
    places = queries.shown().select("query_position", slot=middle)
    shown = counts.with_columns(line=lines).join(places, on="query_position").sort("line", "query_position")
    return shown.select("group", "line", "slot", text=pl.col("searching").cast(pl.String))


def _counts(counted: pl.DataFrame, slots: alt.X) -> list[alt.Chart]:
    """The lines of numbers below the axis, the first with what they are."""
    layers = []
    for (number,), rows in counted.group_by("line", maintain_order=True):
        down = PADDING + 8 + LINE * int(number)
        name = rows.head(1).with_columns(slot=pl.lit(0.0), text=pl.format("still searching, {}", "group"))
        marks = [
            alt.Chart(values(rows)).mark_text(color=INK, baseline="top", dy=down, fontSize=10),
            alt.Chart(values(name)).mark_text(
                color=INK, align="right", baseline="top", dx=-6, dy=down, fontSize=10, limit=MOST_WIDE
            ),
        ]
        text = alt.Text(field="text", type="nominal")
        layers += [mark.encode(x=slots, y=alt.YValue("height"), text=text) for mark in marks]
    return layers
