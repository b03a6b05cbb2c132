"""Differences between groups with their intervals, measure by measure: what a comparison found, at a glance."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import altair as alt
import polars as pl

from sessionkit.analysis.compare.options import error_rate
from sessionkit.charts.encodings import checked, drawn_of, in_order, line_below, setting_of, tip, titled, values
from sessionkit.charts.theme import FAINT, PALETTE
from sessionkit.display.labels import printable_column
from sessionkit.errors import UsageError
from sessionkit.readers.tabular import as_polars

COLUMNS = ("measure", "a", "b", "estimate", "low", "high", "p_adjusted")
SOURCE = "sessionkit.compare"
MOST = 30
"""Rows that one figure shows."""
ROW = 22
"""Height of a row."""


def differences(
    comparison: Any,  # noqa: ANN401  # anything tabular
    *,
    confidence: float | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
) -> alt.FacetChart:
    """Draw the difference of each pair of groups by each measure, with its interval, on a scale of the measure's own.

    An interval without an end reaches as far as the other end is away, and fades.

    Parameters
    ----------
    comparison
        What `sessionkit.compare` found, or its ``table``: measure, a, b, estimate, low, high, p_adjusted, and the column
        within whose values groups were compared, if any.
    confidence
        Filled points have p at or below 1 - confidence; by default that of the comparison, or 0.95.
    synthetic
        Whether to mark the figure as made from synthetic data.
    title
        Title, as plain text.
    subtitle
        On a line below it, as plain text.

    Raises
    ------
    UsageError
        A column is missing, or there are no rows.
    """
    alpha = error_rate(setting_of(comparison, "confidence", confidence, 0.95))
    subtitle = line_below(comparison, subtitle)
    table = as_polars(drawn_of(comparison, "table", SOURCE), SOURCE).collect()
    levels = list(takewhile(lambda name: name != "measure", table.columns))[:1]
    frame = checked(table, [*levels, *COLUMNS], SOURCE).filter(pl.col("estimate").is_not_null())
    if frame.is_empty():
        raise UsageError("there is nothing to draw: no difference was estimated")
    several = frame.select("a", "b").n_unique() > 1
    pair = pl.concat_str("b", pl.lit(" \u2212 "), "a")
    names = [pl.col("measure"), *([pair] if several else [])]
    names += [pl.concat_str(pl.lit(f"{level} "), pl.col(level).cast(pl.String)) for level in levels]
    name = pl.concat_str(names, separator=": ")
    reach = pl.max_horizontal((pl.col("high") - pl.col("estimate")).abs(), (pl.col("estimate") - pl.col("low")).abs())
    reach = reach.fill_null(pl.col("estimate").abs())
    many = frame.height
    rows = frame.with_columns(pl.col(levels).cast(pl.String))
    rows = rows.with_columns(printable_column(text) for text in (*levels, "measure", "a", "b")).head(MOST)
    rows = rows.with_row_index("place").select(
        "place",
        "estimate",
        row=name,
        pair=pair,
        low=pl.col("low").fill_null(pl.col("estimate") - reach),
        high=pl.col("high").fill_null(pl.col("estimate") + reach),
        p="p_adjusted",
        shown=pl.when(pl.col("p_adjusted") <= alpha).then(pl.lit("yes")).otherwise(pl.lit("no")),
    )
    pairs = rows.get_column("pair").unique().to_list()
    what = f"Difference {pairs[0]}" if len(pairs) == 1 else "Difference"
    what += f", the first {MOST} of {many:,} in the order of the table" if many > MOST else ""
    axis = alt.Axis(title=None, tickCount=5, grid=True)
    tips = [tip("row", "Measure"), tip("pair", "Groups"), tip("estimate", "Difference", "+.4f")]
    tips += [tip("low", "From", "+.4f"), tip("high", "To", "+.4f"), tip("p", "p", ".3g")]
    filled = alt.Scale(domain=["yes", "no"], range=[PALETTE[0], "white"])
    legend = alt.Legend(title=f"p \u2264 {alpha:g}", symbolStrokeColor=PALETTE[0])
    layers = [
        alt.Chart().mark_rule(color=FAINT, strokeDash=[4, 3]).encode(x=alt.XDatum(0)),
        alt.Chart()
        .mark_rule(strokeWidth=2, color=PALETTE[0])
        .encode(x=alt.X(field="low", type="quantitative", axis=axis), x2=alt.X2(field="high"), tooltip=tips),
        alt.Chart()
        .mark_point(size=80, filled=True, stroke=PALETTE[0], strokeWidth=2)
        .encode(
            x=alt.X(field="estimate", type="quantitative", axis=axis),
            fill=alt.Fill(field="shown", type="nominal", scale=filled, legend=legend),
            tooltip=tips,
        ),
    ]
    header = alt.Header(
        title=None, labelAngle=0, labelAlign="left", labelAnchor="middle", labelLimit=260, labelPadding=6
    )
    drawn = alt.LayerChart(data=values(rows), layer=layers, height=ROW)
    faceted: alt.FacetChart = drawn.facet(
        row=alt.Row(field="row", type="nominal", sort=in_order(), header=header),
        spacing=8,
        resolve=alt.Resolve(scale=alt.ScaleResolveMap(x="independent")),
    )
    return titled(faceted, title, [*([subtitle] if subtitle else []), what], synthetic)
