"""Figure 3 of ECIR 2008: curves of one topic, for all its sessions and for those with at least n queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import Boundaries
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
    shaped,
    stacked,
    tip,
    values,
)
from sessionkit.charts.kinds.session_curve import COLUMNS, CUMULATED, NORMALIZED, OF_CURVE
from sessionkit.study.tabular import as_polars

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
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the curves of all sessions (solid) and of the long ones (dashed), by group; with bands in the frame, those of all sessions.

    A group whose sessions all are long has one curve; means of one session are left out, unless there are no others.

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
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, or there are no rows.
    """
    kinds = [EVERY, f"At least {int(long)} queries"]
    table = as_polars(curve_all, "sessionkit.curve").collect()
    own = [name for name in ("low", "high") if name in table.columns]
    every, legend = grouped(table, (*COLUMNS, *own), "sessionkit.curve", OF_CURVE, legend)
    every, means = of_several(every.with_columns(sessions=pl.lit(kinds[0])), "n")
    frame = every
    if curve_min is not None:
        some, _ = grouped(curve_min, COLUMNS, "sessionkit.curve", OF_CURVE)
        counts = every.group_by("group").agg(all=pl.col("n").max())
        some = some.join(counts, on="group", how="left", maintain_order="left")
        fewer = some.filter((pl.col("n") < pl.col("all")).fill_null(value=True) & ((pl.col("n") > 1) | (not means)))
        frame = pl.concat([every, fewer.drop("all").with_columns(sessions=pl.lit(kinds[1]))], how="diagonal_relaxed")
    queries = Boundaries.of(frame)
    frame, colors = outstanding(frame, "slot", "value", colors)
    encoding: dict[str, Any] = {
        "x": queries.axis(),
        "y": gain_axis(mean_of(NORMALIZED if normalized else CUMULATED, means), measure),
        "color": color(frame.get_column("group").to_list(), colors, legend),
    }
    if own:
        encoding["color"]["legend"]["symbolOpacity"] = 1
    tips = [tip("group", legend), tip("sessions", "Sessions"), tip("query_position", "Query"), tip("slot", "Slot", "d")]
    tips += [tip("value", "Gain", ".4f"), *band_tips(frame), tip("n", "Number of sessions", "d")]
    dashes, shapes, label = {}, {}, pl.col("group")
    if len(frame) > len(every):
        dashes["strokeDash"], shapes["shape"] = parted("sessions", kinds, "Sessions")
        short = pl.col("sessions").replace({kinds[0]: "all", kinds[1]: f"{int(long)}+ queries"})
        label = pl.concat_str("group", short, separator=", ")
    elif frame.get_column("group").n_unique() > 1:
        shapes["shape"] = shaped(frame.get_column("group").to_list(), legend)
    names = curve_names(frame.with_columns(label=label), encoding, {**dashes, **shapes})
    lines = alt.Chart(values(frame)).mark_line().encode(**encoding, **dashes)
    ends = alt.Chart(values(queries.at_ends(frame))).mark_point(filled=True)
    points = ends.encode(**encoding, **shapes, tooltip=tips)
    layers = [*queries.layers(), *band(every, encoding), lines, points, *names]
    return stacked(layers, title, synthetic, subtitle, width=width, height=height)
