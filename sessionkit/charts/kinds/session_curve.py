"""Figure 2 of ECIR 2008: the gain of sessions, slot by slot along their concatenated lists, averaged by system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from sessionkit.analysis.curve import OF_SLOT
from sessionkit.charts.boundaries import Boundaries
from sessionkit.charts.encodings import color, gain_axis, grouped, stacked, tip, values

COLUMNS = ("slot", "query_position", "rank", "value", "n")


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
    """Draw mean session curves, the ends of queries marked by rules and points.

    Parameters
    ----------
    curve
        A frame of `sessionkit.curve`: the columns that make the groups, slot, query_position, rank, value, n.
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
    frame, legend = grouped(curve, COLUMNS, "sessionkit.curve", OF_SLOT, legend)
    queries = Boundaries.of(frame)
    encoding: dict[str, Any] = {
        "x": queries.axis(),
        "y": gain_axis("Mean normalized cumulated gain" if normalized else "Mean cumulated gain", measure),
        "color": color(frame.get_column("group").to_list(), colors, legend),
    }
    tips = [tip("group", legend), tip("query_position", "Query"), tip("slot", "Slot", "d"), tip("value", "Gain", ".4f")]
    tips.append(tip("n", "Sessions", "d"))
    lines = alt.Chart(values(frame)).mark_line().encode(**encoding)
    points = alt.Chart(values(queries.at_ends(frame))).mark_point(filled=True).encode(**encoding, tooltip=tips)
    return stacked([*queries.layers(), lines, points], title, synthetic, subtitle)
