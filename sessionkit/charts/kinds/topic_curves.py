"""Figure 3 of ECIR 2008: curves of one topic, for all its sessions and for those with at least n queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.boundaries import Boundaries
from sessionkit.charts.encodings import checked, colour, gain_axis, parted, stacked, tip, values
from sessionkit.charts.kinds.session_curve import COLUMNS

EVERY = "All"


def topic_curves(
    curve_all: Any,  # noqa: ANN401  # anything tabular
    curve_min: Any,  # noqa: ANN401
    min_queries: int = 4,
    *,
    normalized: bool = False,
    measure: str | None = None,
    legend: str = "System",
    colours: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
) -> alt.LayerChart:
    """Draw the curves of all sessions (solid) and of the long ones (dashed), by group.

    Parameters
    ----------
    curve_all
        A frame of `sessionkit.curve` of the sessions of one topic.
    curve_min
        The same of those with at least `min_queries` queries; None where there are none.
    min_queries
        That number, for the legend.
    normalized, measure, legend, colours, synthetic, title, subtitle
        As for `session_curve`; sessions of one topic share their ideal list, so that normalising is not needed.

    Raises
    ------
    UsageError
        A column is missing, or there are no rows.
    """
    kinds = [EVERY, f"At least {int(min_queries)} queries"]
    every = checked(curve_all, COLUMNS, "sessionkit.curve").with_columns(sessions=pl.lit(kinds[0]))
    frame = every
    if curve_min is not None:
        long = checked(curve_min, COLUMNS, "sessionkit.curve").with_columns(sessions=pl.lit(kinds[1]))
        frame = pl.concat([every, long], how="vertical_relaxed")
    queries = Boundaries.of(frame)
    encoding: dict[str, Any] = {
        "x": queries.axis(),
        "y": gain_axis("Mean normalised cumulated gain" if normalized else "Mean cumulated gain", measure),
        "color": colour(frame.get_column("group").to_list(), colours, legend),
    }
    tips = [tip("group", legend), tip("sessions", "Sessions"), tip("query_position", "Query"), tip("slot", "Slot", "d")]
    tips += [tip("value", "Gain", ".4f"), tip("n", "Number of sessions", "d")]
    dash, shape = parted("sessions", kinds, "Sessions")
    lines = alt.Chart(values(frame)).mark_line().encode(**encoding, strokeDash=dash)
    ends = alt.Chart(values(queries.at_ends(frame))).mark_point(filled=True)
    points = ends.encode(**encoding, shape=shape, tooltip=tips)
    return stacked([*queries.layers(), lines, points], title, synthetic, subtitle)
