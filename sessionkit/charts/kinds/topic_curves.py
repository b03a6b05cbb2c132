"""Figure 3 of ECIR 2008: curves of one topic, for all its sessions and for those with at least n queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.analysis.curve import OF_SLOT
from sessionkit.charts.boundaries import Boundaries
from sessionkit.charts.encodings import color, gain_axis, grouped, parted, stacked, tip, values
from sessionkit.charts.kinds.session_curve import COLUMNS

EVERY = "All"


def topic_curves(
    curve_all: Any,  # noqa: ANN401  # anything tabular
    curve_min: Any,  # noqa: ANN401
    long: int = 4,
    *,
    normalized: bool = False,
    measure: str | None = None,
    legend: str | None = None,
    colors: Mapping[str, str] | None = None,
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
        The same of those with at least `long` queries; None where there are none.
    long
        That number, for the legend.
    normalized, measure, legend, colors, synthetic, title, subtitle
        As for `session_curve`; sessions of one topic share their ideal list, so normalization is not needed.

    Raises
    ------
    UsageError
        A column is missing, or there are no rows.
    """
    kinds = [EVERY, f"At least {int(long)} queries"]
    every, legend = grouped(curve_all, COLUMNS, "sessionkit.curve", OF_SLOT, legend)
    every = every.with_columns(sessions=pl.lit(kinds[0]))
    frame = every
    if curve_min is not None:
        some, _ = grouped(curve_min, COLUMNS, "sessionkit.curve", OF_SLOT)
        frame = pl.concat([every, some.with_columns(sessions=pl.lit(kinds[1]))], how="vertical_relaxed")
    queries = Boundaries.of(frame)
    encoding: dict[str, Any] = {
        "x": queries.axis(),
        "y": gain_axis("Mean normalized cumulated gain" if normalized else "Mean cumulated gain", measure),
        "color": color(frame.get_column("group").to_list(), colors, legend),
    }
    tips = [tip("group", legend), tip("sessions", "Sessions"), tip("query_position", "Query"), tip("slot", "Slot", "d")]
    tips += [tip("value", "Gain", ".4f"), tip("n", "Number of sessions", "d")]
    dash, shape = parted("sessions", kinds, "Sessions")
    lines = alt.Chart(values(frame)).mark_line().encode(**encoding, strokeDash=dash)
    ends = alt.Chart(values(queries.at_ends(frame))).mark_point(filled=True)
    points = ends.encode(**encoding, shape=shape, tooltip=tips)
    return stacked([*queries.layers(), lines, points], title, synthetic, subtitle)
