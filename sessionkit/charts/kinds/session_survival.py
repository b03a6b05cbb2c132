"""Session survival: the share of sessions that go on to a first, second, third ... query, by group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import MOST_COUNTED, count_line, counts_below, fading, few_line
from sessionkit.charts.encodings import (
    SHAPES,
    color,
    curve_names,
    grouped,
    guide,
    layered,
    line_below,
    outstanding,
    shaped,
    share_tip,
    tip,
    titled,
    values,
    whole_numbers,
    with_percents,
)
from sessionkit.display.labels import in_natural_order
from sessionkit.errors import UsageError

COLUMNS = ("query_position", "sessions", "of", "value", "low", "high")
SOURCE = "sessionkit.session_survival"
NAMED = 3
"""Groups without queries that are named."""
MOST_SHAPES = len(SHAPES)
"""Groups up to which points have a shape of their own."""


def session_survival(
    survival: Any,  # noqa: ANN401  # anything tabular
    *,
    legend: str | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the share of sessions with at least so many queries, with its interval; below the axis stands how many they are.

    Of more than four groups the line below the title says how many sessions they have. The curve of a group of fewer than 10 is faded.
    Groups none of whose sessions has a query are left out; a line below the title names them.

    Parameters
    ----------
    survival
        A frame of `sessionkit.session_survival`: the columns that make the groups, query_position, sessions, of, value, low, high.
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
    frame, legend = grouped(survival, COLUMNS, SOURCE, COLUMNS, legend)
    every = frame.get_column("group").unique()
    frame = frame.filter((pl.col("sessions") > 0).any().over("group"))
    if frame.is_empty():
        raise UsageError("there is nothing to draw: no session has a logged query")
    groups = in_natural_order(frame.get_column("group").unique())
    left = in_natural_order(name for name in every if name not in groups)
    few = [*left[:NAMED], *([f"{len(left) - NAMED:,} more"] if len(left) > NAMED else [])]
    told = f"Not drawn, without a logged query: {', '.join(few)}" if left else None
    each = None if len(groups) <= MOST_COUNTED else count_line(frame.get_column("of"), "sessions", legend.lower())
    below = [line_below(None, subtitle, told), each, few_line(frame.get_column("of"), "sessions")]
    last = max(2, int(frame.get_column("query_position").max()))  # type: ignore[arg-type]
    axis, span = whole_numbers("Query of the session", 1, last), alt.Scale(domain=[1, last], nice=False)
    x = alt.X(field="query_position", type="quantitative", axis=axis, scale=span)
    share = alt.Axis(title="Sessions with this query or a later one", format="%", tickCount=6)
    counts = frame.select("group", "query_position", "sessions")
    counted = counts_below(x, counts, "Sessions with this query") if len(groups) <= MOST_COUNTED else []
    y = alt.Y(field="value", type="quantitative", axis=share, scale=alt.Scale(domain=[0, 1]))
    low = alt.Y(field="low", type="quantitative", axis=share, scale=alt.Scale(domain=[0, 1]))
    frame, colors = outstanding(frame, "query_position", "value", colors)
    shade = color(groups, colors, legend)
    shade["legend"]["symbolOpacity"] = 1
    tips = [tip("group", legend), tip("query_position", "Query", "d"), tip("sessions", "Sessions", "d")]
    tips += [share_tip("value", "Share"), share_tip("low", "From"), share_tip("high", "To")]
    data = values(with_percents(frame, "value", "low", "high"))
    marks = {"shape": shaped(groups, legend)} if 1 < len(groups) <= MOST_SHAPES else {}
    names = curve_names(frame.with_columns(label="group"), {"x": x, "y": y, "color": shade}, marks)
    shown = {"color": shade, **marks, "opacity": fading("of"), "tooltip": tips}
    points = alt.Chart(data).mark_point(filled=True).encode(x=x, y=y, **shown)
    sure = _banded(frame)
    band = (
        alt.Chart(guide(sure))
        .mark_area(opacity=0.18, interpolate="step")
        .encode(x=x, y=low, y2=alt.Y2(field="high"), color=shade)
    )
    lines = alt.Chart(data).mark_line(interpolate="step").encode(x=x, y=y, color=shade, opacity=fading("of"))
    layers = [*([band] if len(groups) <= MOST_SHAPES and len(sure) else []), lines, points, *names, *counted]
    lines_below = [line for line in below if line]
    return titled(layered(layers), title, lines_below, synthetic, width=width, height=height)


def _banded(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of the bands: none where a group's share is 1 by construction, at a first query that each of its sessions has.

    A step ends halfway between two queries, so the band of the second begins there.
    """
    first = (pl.col("query_position") == 1) & (pl.col("value") == 1)
    halfway = pl.col("query_position") - pl.when(pl.col("query_position") == 2, first.any().over("group")).then(0.5)
    known = frame.with_columns(_first=first, _halfway=halfway).filter(~pl.col("_first"))
    begins = known.drop_nulls("_halfway").with_columns(query_position="_halfway")
    rows = pl.concat([begins, known.with_columns(pl.col("query_position").cast(pl.Float64))])
    return rows.drop("_first", "_halfway").sort("query_position", maintain_order=True)
