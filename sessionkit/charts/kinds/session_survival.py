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
"""Groups up to which points have a shape of their own and an interval."""
SPREAD = 0.8
"""Share of a step over which the points of its groups are spread."""
IS_CERTAIN = (pl.col("query_position") == 1) & (pl.col("value") == 1)
"""Whether a share is 1 by construction: at a first query that each session of the group has."""


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
    """Draw the share of sessions with at least so many queries; below the axis stands how many they are.

    A vertical line through a point is its interval, for up to six groups, whose points stand beside each other on their steps.
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
    axis, span = whole_numbers("Query of the session", 1, last), alt.Scale(domain=[0.5, last + 0.5], nice=False)
    x = alt.X(field="query_position", type="quantitative", axis=axis, scale=span)
    beside = alt.X(field="beside", type="quantitative", axis=axis, scale=span)
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
    drawn, steps = _side_by_side(frame, groups), _steps(frame)
    data = values(with_percents(drawn, "value", "low", "high"), frame)
    marks = {"shape": shaped(groups, legend)} if 1 < len(groups) <= MOST_SHAPES else {}
    names = curve_names(steps.with_columns(label="group"), {"x": x, "y": y, "color": shade}, marks)
    faded = {"color": shade, "opacity": fading("of")}
    lines = alt.Chart(guide(steps)).mark_line(interpolate="step").encode(x=x, y=y, **faded)
    unsure = guide(drawn.filter(~IS_CERTAIN))
    intervals = alt.Chart(unsure).mark_rule(strokeWidth=1.5).encode(x=beside, y=low, y2=alt.Y2(field="high"), **faded)
    points = alt.Chart(data).mark_point(filled=True).encode(x=beside, y=y, tooltip=tips, **marks, **faded)
    has_intervals = len(groups) <= MOST_SHAPES and not frame.select(IS_CERTAIN.all()).item()
    layers = [lines, *([intervals] if has_intervals else []), points, *names, *counted]
    lines_below = [line for line in below if line]
    return titled(layered(layers), title, lines_below, synthetic, width=width, height=height)


def _side_by_side(frame: pl.DataFrame, groups: list[str]) -> pl.DataFrame:
    """The rows with ``beside``, where the points and intervals of a query stand beside each other, in the order of the groups.

    Of 2 groups at query 3 they stand at 2.87 and 3.13, of 5 from 2.73 to 3.27; each is on its own step, from 2.5 to 3.5.
    """
    apart = SPREAD / (len(groups) + 1) if len(groups) <= MOST_SHAPES else 0.0
    places = {group: (place - (len(groups) - 1) / 2) * apart for place, group in enumerate(groups)}
    shift = pl.col("group").replace_strict(places, return_dtype=pl.Float64)
    return frame.with_columns(beside=pl.col("query_position") + shift)


def _steps(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of the lines, a step of width 1 around each query; the first and the last step have an outer half too."""
    place = pl.col("query_position").cast(pl.Float64)
    ends = [frame.filter(place == getattr(place, end)().over("group")).with_columns(place + outer)
            for end, outer in (("min", -0.5), ("max", 0.5))]  # fmt: skip
    return pl.concat([ends[0], frame.with_columns(place), ends[1]])
