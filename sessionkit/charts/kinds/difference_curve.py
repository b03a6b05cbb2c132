"""Difference curve: when in the session one group is ahead of another, slot by slot along the concatenated lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import Boundaries
from sessionkit.charts.encodings import (
    SHAPES,
    band,
    band_tips,
    checked,
    color,
    curve_names,
    gain_axis,
    guide,
    shaped,
    stacked,
    tip,
    values,
)
from sessionkit.charts.kinds.session_curve import searching_below
from sessionkit.charts.theme import FAINT
from sessionkit.display.labels import in_natural_order, printable_column
from sessionkit.errors import UsageError

COLUMNS = (
    "a", "b", "slot", "query_position", "rank", "estimate", "low", "high", "n_a", "n_b", "searching_a", "searching_b"
)  # fmt: skip
SOURCE = "sessionkit.curve_differences"


def difference_curve(
    differences: Any,  # noqa: ANN401  # anything tabular
    *,
    measure: str | None = None,
    legend: str | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw how far each group is ahead of the one it is compared with, at every slot; above the zero line it is ahead.

    A filled point marks the end of a query at which the interval excludes zero. Below the axis stands how many sessions were still
    searching at each query.

    Parameters
    ----------
    differences
        A frame of `sessionkit.curve_differences`.
    measure
        Text of the measure, for the axis.
    legend
        What the groups are called; by default Group.
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
        A column is missing, there are no rows, or no difference is defined.
    """
    table = checked(differences, COLUMNS, SOURCE).with_columns(printable_column("a"), printable_column("b"))
    defined = pl.col("estimate").is_finite() & (pl.min_horizontal("n_a", "n_b") > 1)  # one session is no mean
    frame = table.with_columns(group="b", value=pl.when(defined).then("estimate"))
    if not frame.get_column("value").count():
        raise UsageError("there is nothing to draw: no difference of two means, each over several sessions, is defined")
    first = table.item(0, "a")
    queries = Boundaries.of(frame)
    groups = in_natural_order(frame.get_column("group").unique())
    alone = len(groups) == 1
    shade = color(groups, colors, legend or "Group")
    shade["legend"] = None if alone else shade["legend"]
    minus = f"{groups[0] if alone else 'Each group'} minus {first}"
    encoding: dict[str, Any] = {"x": queries.axis(), "y": gain_axis(minus, measure), "color": shade}
    counts = pl.concat(
        [
            frame.select(pl.col(side).alias("group"), "query_position", sessions=f"searching_{side}", n=f"n_{side}")
            for side in "ab"
        ]
    )
    counted = searching_below(encoding["x"], queries, counts)
    tips = [tip("a", "Subtracted"), tip("b", "From"), tip("query_position", "Query"), tip("slot", "Slot", "d")]
    tips += [tip("value", "Difference", "+.4f"), *band_tips(frame), tip("n_a", "Sessions subtracted", "d")]
    tips += [tip("n_b", "Sessions subtracted from", "d")]
    level = alt.Chart(guide(pl.DataFrame({"value": [0.0]}))).mark_rule(color=FAINT, strokeWidth=1)
    marks = {"shape": shaped(groups, legend or "Group")} if 1 < len(groups) <= len(SHAPES) else {}
    names = [] if alone else curve_names(frame.with_columns(label="group"), encoding, marks)
    lines = alt.Chart(values(frame)).mark_line().encode(**encoding)
    beyond = ((pl.col("low") > 0) | (pl.col("high") < 0)).fill_null(value=False)
    ends = queries.at_ends(frame)
    points = [
        alt.Chart(values(rows)).mark_point(filled=filled).encode(**encoding, **marks, tooltip=tips)
        for filled, rows in ((True, ends.filter(beyond)), (False, ends.filter(~beyond)))
        if len(rows)
    ]
    layers = [
        *queries.layers(),
        level.encode(y=encoding["y"]),
        *band(frame, encoding),
        lines,
        *points,
        *names,
        *counted,
    ]
    return stacked(layers, title, synthetic, subtitle, width=width, height=height)
