"""Figure 2 of ECIR 2008: the gain of sessions, slot by slot along their concatenated lists, averaged by system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import MOST_COUNTED, Boundaries, counts_below
from sessionkit.charts.encodings import (
    SHAPES,
    band,
    band_tips,
    color,
    curve_names,
    gain_axis,
    grouped,
    guide,
    mean_of,
    of_several,
    outstanding,
    shaped,
    stacked,
    tip,
    values,
)
from sessionkit.charts.theme import FAINT
from sessionkit.display.labels import in_natural_order
from sessionkit.sessions.curve import OF_BANDS, OF_SLOT
from sessionkit.study.tabular import as_polars

COLUMNS = ("slot", "query_position", "rank", "value", "n")
OF_CURVE = (*OF_SLOT, *OF_BANDS)
CUMULATED, NORMALIZED = "Mean cumulated gain", "Mean normalized cumulated gain"
"""What the axis shows, of sessions as they are or as shares of an ideal one's."""


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
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw mean session curves, the ends of queries marked by rules and points; undefined values are gaps.

    A group of one session has no mean and is left out, unless there is no other. With bands in the frame each curve has its own,
    and below the axis stands how many sessions were still searching at each query. Gain that is not normalized has the ideals in
    gray above it, from the lowest to the highest of the groups that are drawn.

    Parameters
    ----------
    curve
        A frame of `sessionkit.curve`: the columns that make the groups, slot, query_position, rank, value, n; with
        ``bands=True`` low, high, searching; and where gain is not normalized ideal, the mean gain of the ideal sessions.
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
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, or there are no rows.
    """
    table = as_polars(curve, "sessionkit.curve").collect()
    own = [name for name in (*OF_BANDS, *(() if normalized else ("ideal",))) if name in table.columns]
    frame, legend = grouped(table, (*COLUMNS, *own), "sessionkit.curve", OF_CURVE, legend)
    queries = Boundaries.of(frame)
    groups = in_natural_order(frame.get_column("group").unique())
    frame, means = of_several(frame, "n")
    frame, colors = outstanding(frame, "slot", "value", colors)
    shade = color(groups, colors, legend)
    shade["legend"]["symbolOpacity"] = 1  # that of the lines, not of the bands
    encoding: dict[str, Any] = {
        "x": queries.axis(),
        "y": gain_axis(mean_of(NORMALIZED if normalized else CUMULATED, means), measure),
        "color": shade,
    }
    tips = [tip("group", legend), tip("query_position", "Query"), tip("slot", "Slot", "d"), tip("value", "Gain", ".4f")]
    ideals = ideal_layers(frame, encoding) if "ideal" in own else []
    tips += [*band_tips(frame), *([tip("ideal", "Ideal", ".4f")] if ideals else []), tip("n", "Sessions", "d")]
    counted = []
    if "searching" in own:
        counted = searching_below(encoding["x"], queries, frame.rename({"searching": "sessions"}))
    marks = {"shape": shaped(groups, legend)} if 1 < len(groups) <= len(SHAPES) else {}  # told apart without color too
    names = curve_names(frame.with_columns(label="group"), encoding, marks)
    lines = alt.Chart(values(frame)).mark_line().encode(**encoding)
    ends = alt.Chart(values(queries.at_ends(frame))).mark_point(filled=True)
    points = ends.encode(**encoding, **marks, tooltip=tips)
    layers = [*queries.layers(), *ideals, *band(frame, encoding), lines, points, *names]
    return stacked([*layers, *counted], title, synthetic, subtitle, width=width, height=height)


def ideal_layers(frame: pl.DataFrame, encoding: Mapping[str, Any]) -> list[alt.Chart]:
    """Return layers of the ideals of the groups, from the lowest to the highest after every slot, with their name at the right end.

    Parameters
    ----------
    frame
        ``slot`` and ``ideal``, a row for each group; slots without an ideal are gaps.
    encoding
        The channels ``x`` and ``y`` of the curves.
    """
    known = frame.drop_nulls("ideal")
    if known.is_empty():
        return []
    ideals = known.group_by("slot").agg(lowest=pl.col("ideal").min(), highest=pl.col("ideal").max()).sort("slot")
    shown = alt.Chart(guide(ideals))
    low, high = (alt.Y(field=name, type="quantitative", axis=encoding["y"]["axis"]) for name in ("lowest", "highest"))
    look: dict[str, Any] = {"color": FAINT, "strokeDash": [5, 3], "strokeWidth": 1.3}
    edges = [shown.mark_line(**look).encode(x=encoding["x"], y=high)]
    if (ideals["lowest"] < ideals["highest"]).any():
        area = shown.mark_area(color=FAINT, opacity=0.15).encode(x=encoding["x"], y=low, y2=alt.Y2(field="highest"))
        edges = [area, shown.mark_line(**look).encode(x=encoding["x"], y=low), *edges]
    ending = alt.Chart(guide(ideals.tail(1).with_columns(label=pl.lit("Ideal"))))
    name = ending.mark_text(align="right", baseline="top", dy=5, fontSize=11, color=FAINT)
    return [*edges, name.encode(x=encoding["x"], y=low, text=alt.Text(field="label", type="nominal"))]


def searching_below(x: alt.X, queries: Boundaries, counts: pl.DataFrame) -> list[alt.Chart]:
    """Layers of how many sessions were still searching at each labeled query, below the tick at its end: a line for each of a few
    groups, else for all together.

    Parameters
    ----------
    counts
        ``group``, ``query_position``, ``sessions``, and of how many sessions the curve is, ``n``.
    """
    if len(queries.queries) < 2:
        return []
    counts = counts.group_by("group", "query_position").agg(pl.col("sessions", "n").max())
    first = counts.group_by("group").agg(pl.col("sessions", "n").max())
    valued = first.select((pl.col("sessions") <= pl.col("n")).all()).item()
    what = "Sessions still searching" if valued else "Sessions still searching, also those without a value"
    if counts.get_column("group").n_unique() > MOST_COUNTED:
        counts = counts.group_by("query_position").agg(pl.col("sessions").sum()).with_columns(group=pl.lit("all"))
    places = queries.shown().select("query_position", slot="end")
    shown = counts.join(places, on="query_position").sort("group", "query_position")
    return counts_below(x, shown.select("group", "slot", "sessions"), what)
