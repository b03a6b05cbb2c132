"""Differences between groups with their intervals, measure by measure on one scale: what a comparison found, at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

import altair as alt
import polars as pl

from sessionkit.analysis.compare.corrections import Family
from sessionkit.analysis.paper_tables import are_paired
from sessionkit.analysis.verdict import is_shown
from sessionkit.charts.encodings import (
    checked,
    drawn_of,
    in_order,
    layered,
    line_below,
    setting_of,
    tip,
    titled,
    values,
)
from sessionkit.charts.theme import FAINT, INK, PALETTE
from sessionkit.display.labels import printable_column
from sessionkit.display.numbers import compact
from sessionkit.errors import UsageError
from sessionkit.readers.tabular import as_polars
from sessionkit.scoring.measures.base import Direction
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.study.inference_options import error_rate

COLUMNS = ("measure", "a", "b", "estimate", "low", "high", "p_adjusted")
SOURCE = "sessionkit.compare"
MOST = 30
"""Rows that one figure shows."""
ROW = 24
"""Height of a row."""
SCALED = 250
"""Width of the plot where raw values stand beside it."""
BLUE = PALETTE[0]


def differences(
    comparison: Any,  # noqa: ANN401  # anything tabular
    *,
    confidence: float | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart | alt.FacetChart:
    """Draw the difference of each pair of groups by each measure with its interval, b minus a: right of 0 where b is higher.

    Differences are divided by the ``sd`` of a comparison (of session values around the means of both groups), so that all
    measures share a scale; raw differences with intervals and n stand beside. Which values are better is said in words, for
    measures that have a direction. In a table without ``sd`` each measure has a scale of its own. An interval without an end reaches as far
    as the other end is away. Holm's correction leaves intervals unadjusted, which a line below the title says of a finding.

    Parameters
    ----------
    comparison
        What `sessionkit.compare` found, or its ``table``: measure, a, b, estimate, low, high, p_adjusted, sd, n_a, n_b, and the
        column within whose values groups were compared, if any.
    confidence
        Filled points have p at or below 1 - confidence; by default that of the comparison, or 0.95. Points of a finding on which no
        verdict may be given, because too few units have a value, are not filled.
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
        A column is missing, or there are no rows.
    """
    alpha = error_rate(setting_of(comparison, "confidence", confidence, 0.95))
    # a mixed model is told by what it has, as its module takes long to import
    family = getattr(comparison, "family", None) or Family(0, "none")
    subtitle = line_below(comparison, subtitle)
    has_reasons = hasattr(comparison, "with_reasons")
    table = as_polars(drawn_of(comparison, "with_reasons" if has_reasons else "table", SOURCE), SOURCE).collect()
    rows, what = _rows(table, alpha, getattr(comparison, "directions", {}))
    if family.has_unadjusted_intervals:
        what = f"{what}; intervals are unadjusted, p{family.told}"
    withheld = (
        table.filter(pl.col("p_adjusted") <= alpha, pl.col("why").is_not_null()).height if "why" in table.columns else 0
    )
    if withheld:
        what = f"{what}; not filled: {withheld:,} with too few units for a verdict"
    below = [*([subtitle] if subtitle else [])]
    if not rows.get_column("sd").count():
        return titled(_on_own_scales(rows, alpha), title, [*below, what], synthetic, width=width, height=height)
    without = rows.get_column("sd").null_count()
    said = f"{what}; filled: p \u2264 {alpha:g}{f'; {without} without spread left out' if without else ''}"
    return titled(_on_one_scale(rows), title, [*below, said], synthetic, width=width, height=height)


def _rows(table: pl.DataFrame, alpha: float, directions: Mapping[str, Direction]) -> tuple[pl.DataFrame, str]:
    """What is drawn, a row for each pair and measure, and which difference it is."""
    levels = list(takewhile(lambda name: name != "measure", table.columns))[:1]
    paired = are_paired(table)
    table = table.with_columns(
        pl.lit(None, dtype).alias(name)
        for name, dtype in (("sd", pl.Float64), ("n_a", pl.Int64), ("n_b", pl.Int64), ("why", pl.String))
        if name not in table.columns
    )
    frame = checked(table, [*levels, *COLUMNS, "sd", "n_a", "n_b", "why"], SOURCE).filter(
        pl.col("estimate").is_not_null()
    )
    if frame.is_empty():
        raise UsageError("there is nothing to draw: no difference was estimated")
    several = frame.select("a", "b").n_unique() > 1
    pair = pl.concat_str("b", pl.lit(" \u2212 "), "a")
    names = [pl.col("measure"), *([pair] if several else [])]
    names += [pl.concat_str(pl.lit(f"{level} "), pl.col(level).cast(pl.String)) for level in levels]
    reach = pl.max_horizontal((pl.col("high") - pl.col("estimate")).abs(), (pl.col("estimate") - pl.col("low")).abs())
    reach = reach.fill_null(pl.col("estimate").abs())
    many = frame.height
    rows = frame.with_columns(pl.col(levels).cast(pl.String))
    rows = rows.with_columns(printable_column(text) for text in (*levels, "measure", "a", "b")).head(MOST)
    better = {name: MeasureDirection.named(name, directions).words for name in rows.get_column("measure").unique()}
    n = (
        pl.when((pl.col("n_a") == pl.col("n_b")) & pl.lit(paired))
        .then(pl.format("n = {}", "n_a"))
        .otherwise(pl.format("n = {} and {}", "n_a", "n_b"))
    )
    rows = rows.with_row_index("place").select(
        "place",
        "estimate",
        row=pl.concat_str(names, separator=": "),
        pair=pair,
        low=pl.col("low").fill_null(pl.col("estimate") - reach),
        high=pl.col("high").fill_null(pl.col("estimate") + reach),
        p="p_adjusted",
        shown=pl.when(is_shown(alpha)).then(pl.lit("yes")).otherwise(pl.lit("no")),
        better=pl.col("measure").replace_strict(better, return_dtype=pl.String),
        sd=pl.when(pl.col("sd") > 0).then("sd"),
        n=n,
    )
    pairs = rows.get_column("pair").unique().to_list()
    what = f"Difference {pairs[0]}" if len(pairs) == 1 else "Difference"
    what += f", the first {MOST} of {many:,} in the order of the table" if many > MOST else ""
    for name in ("n", "better"):  # what all rows share is said once
        shared = rows.get_column(name).unique()
        if len(shared) == 1 and shared.item() is not None:
            rows, what = rows.with_columns(pl.lit(None, pl.String).alias(name)), f"{what}, {shared.item()}"
    return rows, what


def _on_one_scale(rows: pl.DataFrame) -> alt.LayerChart:
    """A row for each difference, all in standard deviations of sessions, with raw values beside."""
    told = [_told(*row) for row in rows.select("estimate", "low", "high", "n", "better").rows()]
    ends = {f"{name}_sd": pl.col(name) / pl.col("sd") for name in ("estimate", "low", "high")}
    drawn = rows.with_columns(pl.Series("told", told), **ends).drop_nulls("sd")
    axis = alt.Axis(title="SDs of sessions", tickCount=5, grid=True)
    y = alt.Y(
        field="row",
        type="nominal",
        sort=in_order(),
        axis=alt.Axis(title=None, labelLimit=220, ticks=False, domain=False),
    )
    tips = [tip("row", "Measure"), tip("pair", "Groups"), tip("estimate", "Difference", "+.4f")]
    tips += [
        tip("low", "From", "+.4f"),
        tip("high", "To", "+.4f"),
        tip("p", "p", ".3g"),
        tip("sd", "SD of sessions", ".4f"),
    ]
    filled = alt.Scale(domain=["yes", "no"], range=[BLUE, "white"])
    x: dict[str, Any] = {"type": "quantitative", "axis": axis}
    layers = [
        alt.Chart().mark_rule(color=INK).encode(x=alt.XDatum(0)),
        alt.Chart()
        .mark_rule(strokeWidth=2, color=BLUE)
        .encode(y=y, x=alt.X(field="low_sd", **x), x2=alt.X2(field="high_sd"), tooltip=tips),
        alt.Chart()
        .mark_point(size=80, filled=True, stroke=BLUE, strokeWidth=2)
        .encode(
            y=y,
            x=alt.X(field="estimate_sd", **x),
            fill=alt.Fill(field="shown", type="nominal", scale=filled, legend=None),
            tooltip=tips,
        ),
        alt.Chart()
        .mark_text(align="left", dx=10, color=INK)
        .encode(y=y, x=alt.XValue("width"), text=alt.Text(field="told", type="nominal")),
    ]
    return layered(layers, data=values(drawn, _table(drawn)), width=SCALED, height=alt.Step(ROW))


def _table(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows without what they are drawn with."""
    only_drawn = ("place", "told", "shown", "better")
    return rows.drop(only_drawn, strict=False).rename({"row": "measure"}).select("measure", pl.exclude("measure"))


def _told(estimate: float, low: float, high: float, *more: str | None) -> str:
    """A difference with its interval, as it stands beside its row, and what more is known of that row.

    >>> _told(0.074, 0.0197, 0.16773, "n = 30", None, "lower is better")
    '+0.0740 [0.0197, 0.168], n = 30, lower is better'
    """
    sign = "+" if estimate > 0 else ""
    numbers = f"{sign}{compact(estimate)} [{compact(low)}, {compact(high)}]"
    return ", ".join([numbers, *(text for text in more if text)])


def _on_own_scales(rows: pl.DataFrame, alpha: float) -> alt.FacetChart:
    """A panel for each difference, in units of its measure."""
    axis = alt.Axis(title=None, tickCount=5, grid=True)
    tips = [tip("row", "Measure"), tip("pair", "Groups"), tip("estimate", "Difference", "+.4f")]
    tips += [tip("low", "From", "+.4f"), tip("high", "To", "+.4f"), tip("p", "p", ".3g")]
    filled = alt.Scale(domain=["yes", "no"], range=[BLUE, "white"])
    legend = alt.Legend(title=f"p \u2264 {alpha:g}", symbolStrokeColor=BLUE)
    layers = [
        alt.Chart().mark_rule(color=FAINT, strokeDash=[4, 3]).encode(x=alt.XDatum(0)),
        alt.Chart()
        .mark_rule(strokeWidth=2, color=BLUE)
        .encode(x=alt.X(field="low", type="quantitative", axis=axis), x2=alt.X2(field="high"), tooltip=tips),
        alt.Chart()
        .mark_point(size=80, filled=True, stroke=BLUE, strokeWidth=2)
        .encode(
            x=alt.X(field="estimate", type="quantitative", axis=axis),
            fill=alt.Fill(field="shown", type="nominal", scale=filled, legend=legend),
            tooltip=tips,
        ),
    ]
    header = alt.Header(
        title=None, labelAngle=0, labelAlign="left", labelAnchor="middle", labelLimit=260, labelPadding=6
    )
    named = rows.with_columns(row=pl.concat_str("row", "better", separator=", ", ignore_nulls=True))
    drawn = layered(layers, data=values(named, _table(rows)), height=ROW)
    faceted: alt.FacetChart = drawn.facet(
        row=alt.Row(field="row", type="nominal", sort=in_order(), header=header),
        spacing=8,
        resolve=alt.Resolve(scale=alt.ScaleResolveMap(x="independent")),
    )
    return faceted
