"""The tipping point: how much of what was shown is judged, by rank and group, and what could overturn the difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.analysis.groups import with_groups
from sessionkit.analysis.incomplete.finding import Incompleteness
from sessionkit.charts.encodings import (
    LEGENDS,
    color,
    curve_names,
    layered,
    line_below,
    shaped,
    share_tip,
    tip,
    titled,
    values,
    with_percents,
)
from sessionkit.charts.theme import INK
from sessionkit.display.labels import printable, printable_column
from sessionkit.display.natural_order import in_natural_order
from sessionkit.display.numbers import compact
from sessionkit.display.words import counted
from sessionkit.errors import UsageError, suggestion

MOST = 6
"""Groups that one figure shows."""
ALL = "All groups"
"""The name of a curve that all of them have."""


def tipping_point(
    bounds: Any,  # noqa: ANN401  # a finding, checked
    measure: str | None = None,
    *,
    legend: str | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the judged share of each group by rank; below the title stands what would overturn the difference of two groups.

    Parameters
    ----------
    bounds
        What `sessionkit.bounds` found, of at most six groups.
    measure
        Which of its measures; by default its first.
    legend
        What the groups are called; by default as their column is.
    colors
        Color by group, see `colors_of`; by default by sorted name.
    synthetic
        Whether to mark the figure as made from synthetic data.
    title
        Title, as plain text.
    subtitle
        On a line below it, as plain text.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        It is not what `sessionkit.bounds` returns, has no such measure or too many groups, or nothing was shown.
    """
    if not isinstance(bounds, Incompleteness):
        raise UsageError("this chart draws what sessionkit.bounds returns")
    known = bounds.bounds.get_column("measure").unique(maintain_order=True).to_list()
    shown = known[0] if measure is None else str(measure)
    if shown not in known:
        raise UsageError(f"the bounds have no {shown}{suggestion(shown, known)}; their measures: {', '.join(known)}")
    keys = [] if bounds.by is None else [bounds.by]
    named = with_groups(bounds.judged, keys)
    rows = named.filter(pl.col("query_position").is_null(), pl.col("rank").is_not_null()).drop_nulls("share")
    if rows.is_empty():
        raise UsageError("there is nothing to draw: no result was shown")
    rows = rows.select(printable_column("group"), "rank", value="share", judged="judged", results="results")
    groups = in_natural_order(rows.get_column("group").unique())
    each = rows.group_by("rank").agg(pl.col("value").n_unique() == 1, pl.len() == len(groups))
    if len(groups) > 1 and each.select(pl.all_horizontal("value", "len").all()).item():  # never two identical curves
        summed = rows.group_by("rank").agg(pl.col("value").first(), pl.col("judged", "results").sum()).sort("rank")
        rows, groups, colors = summed.with_columns(group=pl.lit(ALL)), [ALL], {ALL: INK}
    if len(groups) > MOST:
        raise UsageError(f"one figure shows {MOST} groups, not {len(groups)}; choose some by where")
    called = legend or LEGENDS.get(str(bounds.by), str(bounds.by)) if bounds.by else "Group"
    below = [line for line in (line_below(bounds, subtitle), *_overturned(bounds, shown)) if line]
    return titled(_drawn(rows, groups, colors, called), title, below, synthetic, width=width, height=height)


def _overturned(bounds: Incompleteness, measure: str) -> list[str]:
    """What would overturn the difference of two groups, a line each for where it lies and what it takes."""
    pairs = bounds.differences.filter(pl.col("measure") == measure).drop_nulls("lower")
    if len(pairs) != 1:
        return (
            [f"{measure}: the sign of {int(pairs['holds'].sum()):,} of {counted(len(pairs), 'difference')} holds"]
            if len(pairs)
            else []
        )
    row = pairs.row(0, named=True)
    pair = f"{printable(row['b'])} \u2212 {printable(row['a'])}"
    ends = f"{compact(row['lower'])} to {compact(row['upper'])}"
    difference = f"{'+' if row['difference'] > 0 else ''}{compact(row['difference'])}"
    lines = [f"{measure}: {pair} is {difference}, bounds {ends}"]
    if row["holds"]:
        return [*lines, "No judgments reverse its sign"]
    if row["overturned_by"]:
        lines.append(f"Reversed by {row['overturned_by']:,} of {counted(row['open_documents'], 'unjudged document')}")
    return lines


def _drawn(rows: pl.DataFrame, groups: list[str], colors: Mapping[str, str] | None, legend: str) -> alt.LayerChart:
    """A line of judged shares for each group."""
    rank = alt.Axis(title="Rank in the result list", tickMinStep=1, format="d")
    encoding: dict[str, Any] = {
        "x": alt.X(field="rank", type="quantitative", axis=rank, scale=alt.Scale(nice=False, zero=False)),
        "y": alt.Y(
            field="value",
            type="quantitative",
            axis=alt.Axis(title="Judged share of results shown", format="%", tickCount=6),
            scale=alt.Scale(domain=[0, 1]),
        ),
        "color": color(groups, colors, legend),
    }
    tips = [tip("group", legend), tip("rank", "Rank", "d"), share_tip("value", "Judged share")]
    tips += [tip("judged", "Judged", "d"), tip("results", "Results", "d")]
    shape = shaped(groups, legend)
    names = curve_names(rows.with_columns(label="group"), encoding, {"shape": shape})
    data = values(with_percents(rows, "value"))
    lines = alt.Chart(data).mark_line().encode(**encoding)
    points = alt.Chart(data).mark_point(filled=True).encode(**encoding, shape=shape, tooltip=tips)
    return layered([lines, points, *names])
