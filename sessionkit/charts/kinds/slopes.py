"""Slopes: of every unit of a comparison a line from its value with one group to that with the other."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import layered, line_below, tip, titled, values
from sessionkit.charts.theme import FAINT, INK
from sessionkit.display.labels import inert, plain, printable, printable_column
from sessionkit.errors import UsageError, suggestion
from sessionkit.statistics.comparison import Comparison

WIDTH = 230
DENSE = 60
"""Units beyond which lines are fainter, so that many on each other look darker than a few."""
UP, DOWN, SAME = "higher", "lower", "equal"


def slopes(
    comparison: Any,  # noqa: ANN401  # a finding, checked
    measure: str | None = None,
    *,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw each unit of a paired comparison of two groups as a line from its value with `a` to its value with `b`.

    Lines that rise are solid, those that fall dashed; the thick line joins the means of the units. Values of a crossover are
    adjusted for topics, as the axis says.

    Parameters
    ----------
    comparison
        What `sessionkit.compare` found of two groups; not within levels.
    measure
        Which of its measures; by default its first.
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
        It is no comparison of two groups, has no such measure, or no unit has a value with both.
    """
    if not isinstance(comparison, Comparison) or comparison.within is not None:
        raise UsageError(
            "this chart draws what sessionkit.compare returns, of groups that are not compared within levels"
        )
    known = comparison.table.get_column("measure").unique(maintain_order=True).to_list()
    shown = known[0] if measure is None else str(measure)
    if shown not in known:
        raise UsageError(f"the comparison has no {shown}{suggestion(shown, known)}; its measures: {', '.join(known)}")
    rows = comparison.table.filter(pl.col("measure") == shown)
    if len(rows) != 1:
        groups = list(dict.fromkeys([*rows["a"], *rows["b"]]))
        raise UsageError(
            f"slopes join two groups, and {len(groups)} are compared: {', '.join(map(printable, groups[:20]))}; choose two by "
            f"where, such as \"{comparison.by} in ('A', 'B')\""
        )
    first, second = rows.item(0, "a"), rows.item(0, "b")
    both = comparison.unit_differences(shown, first, second)
    if both.is_empty():
        raise UsageError(f"there is nothing to draw: no unit has a value of {shown} with both groups")
    moved = pl.when(pl.col("difference") > 0).then(pl.lit(UP)).when(pl.col("difference") < 0).then(pl.lit(DOWN))
    lines = both.with_columns(printable_column("unit"), moved=moved.otherwise(pl.lit(SAME)))
    adjusted = bool(comparison.units.filter(pl.col("measure") == shown).get_column("adjusted").any())
    names = [inert(printable(group)) for group in (first, second)]
    said = line_below(comparison, subtitle)
    below = [said] if said else []
    return titled(_drawn(lines, names, shown, adjusted), title, below, synthetic, width=width, height=height)


def _drawn(units: pl.DataFrame, names: list[str], measure: str, adjusted: bool) -> alt.LayerChart:
    """The lines, and the line of the means."""
    long = pl.concat(
        [
            units.select("unit", "moved", "difference", value=side, side=pl.lit(name))
            for side, name in zip("ab", names, strict=True)
        ]
    )
    means = pl.DataFrame({"side": names, "value": [units.get_column(side).mean() for side in "ab"]})
    title = [plain("measure", measure), *(["adjusted for topics"] if adjusted else [])]
    x = alt.X(
        field="side",
        type="nominal",
        scale=alt.Scale(domain=names, type="point", padding=0.35),
        axis=alt.Axis(title=None, labelAngle=0, labelLimit=WIDTH // 2),
    )
    y = alt.Y(field="value", type="quantitative", scale=alt.Scale(zero=False), axis=alt.Axis(title=title, tickCount=6))
    kinds = [UP, DOWN, SAME]
    dash = alt.StrokeDash(
        field="moved", type="nominal", scale=alt.Scale(domain=kinds, range=[[1, 0], [5, 3], [1, 2]]), legend=None
    )
    tips = [
        tip("unit", "Unit"),
        tip("side", "Group"),
        tip("value", "Value", ".4f"),
        tip("difference", "Difference", "+.4f"),
    ]
    lines = values(long, long.with_columns(part=pl.lit("unit")))
    average = values(means, means.with_columns(part=pl.lit("mean")))
    layers = [
        alt.Chart(lines)
        .mark_line(
            strokeWidth=1, color=FAINT, opacity=1.0 if len(units) <= DENSE else 0.35
        )  # no color of a group: a line is of both
        .encode(x=x, y=y, detail=alt.Detail(field="unit", type="nominal"), strokeDash=dash),
        alt.Chart(lines).mark_point(size=14, filled=True, color=FAINT).encode(x=x, y=y, tooltip=tips),
        alt.Chart(average).mark_line(strokeWidth=3.5, color=INK).encode(x=x, y=y),
        alt.Chart(average)
        .mark_point(size=80, filled=True, color=INK)
        .encode(x=x, y=y, tooltip=[tip("side", "Group"), tip("value", "Mean", ".4f")]),
    ]
    return layered(layers, width=WIDTH)
