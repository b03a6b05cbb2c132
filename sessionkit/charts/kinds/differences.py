"""Differences between groups with their intervals in units of each measure: what a comparison found, at a glance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import takewhile
from typing import Any

import altair as alt
import polars as pl

from sessionkit.arguments import error_rate
from sessionkit.charts.encodings import (
    checked,
    drawn_of,
    guide,
    in_order,
    layered,
    line_below,
    setting_of,
    tip,
    titled,
    values,
)
from sessionkit.charts.theme import ACCENT, GRID, INK
from sessionkit.display.labels import printable_column
from sessionkit.display.numbers import ENDLESS, MINUS, statistics
from sessionkit.errors import UsageError
from sessionkit.scoring.measures.base import Direction
from sessionkit.scoring.measures.describe import cut_intervals, cut_note, lies_between_0_and_1
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.statistics.corrections import Family
from sessionkit.statistics.paper_tables import are_paired
from sessionkit.statistics.verdict import is_shown
from sessionkit.study.tabular import as_polars

COLUMNS = ("measure", "a", "b", "estimate", "low", "high", "p_adjusted")
SOURCE = "sessionkit.compare"
MOST = 30
"""Rows that one figure shows."""
ROW = 24
"""Height of a row."""
PLOT = 460
"""Width of the plot, beside which numbers stand."""
BAND = "#D9DDE2"
HIGHER = MeasureDirection("higher").words
ENDS = ("low", "high", "band_low", "band")
"""What of a row is drawn to the left and to the right."""
PLACE = "_place"
"""How columns end that hold where a value is drawn."""
MARGIN = 0.03
"""Room between the longest interval and the end of the axis, as a share of the axis."""
LONG_TICK, MOST_LONG_TICKS = 5, 4
"""Characters above which the texts of an axis are long, and how many such texts have room."""
SHARES = "0 to 1"
"""The scale of measures whose values lie between 0 and 1; other measures have scales of their own, named for them."""


def differences(
    comparison: Any,  # noqa: ANN401  # anything tabular
    *,
    confidence: float | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the difference of each pair of groups by each measure with its interval, b minus a: right of 0 where b is higher.

    Differences are in units of their measures. Measures that lie between 0 and 1 share an axis. Others have their own below their
    rows, with 0 at the same place. Numbers and n stand beside. Which values are better is said in words, for measures that have a
    direction. Declared bands of practical equivalence are shaded. An interval without an end reaches as far as the other end is away;
    the number beside is infinite. Holm's correction leaves intervals unadjusted, which a line below the title says of a finding.

    Parameters
    ----------
    comparison
        What `sessionkit.compare` found, or its ``table``: measure, a, b, estimate, low, high, p_adjusted, n_a, n_b, and the column
        within whose values groups were compared, if any.
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
    bands = getattr(comparison, "equivalence", {})
    rows, what, cut = _rows(table, alpha, getattr(comparison, "directions", {}), bands)
    what = f"{what}; filled: p \u2264 {alpha:g}"
    if family.has_unadjusted_intervals:
        what = f"{what}; intervals are unadjusted, p{family.told}"
    withheld = (
        table.filter(pl.col("p_adjusted") <= alpha, pl.col("why").is_not_null()).height if "why" in table.columns else 0
    )
    if withheld:
        what = f"{what}, except {withheld:,} with too few units for a verdict"
    band = ["Shaded: declared band of practical equivalence"] if rows.get_column("band").count() else []
    below = [*([subtitle] if subtitle else []), what, *([cut] if cut else []), *band]
    chart = _drawn(rows)
    return titled(chart, title, below, synthetic, width=width, height=height)


def _rows(
    table: pl.DataFrame, alpha: float, directions: Mapping[str, Direction], bands: Mapping[str, float]
) -> tuple[pl.DataFrame, str, str]:
    """What is drawn, a row for each pair and measure; which difference it is; and whether intervals are cut."""
    levels = list(takewhile(lambda name: name != "measure", table.columns))[:1]
    paired = are_paired(table)
    table = table.with_columns(
        pl.lit(None, dtype).alias(name)
        for name, dtype in (("n_a", pl.Int64), ("n_b", pl.Int64), ("why", pl.String))
        if name not in table.columns
    )
    frame = checked(table, [*levels, *COLUMNS, "n_a", "n_b", "why"], SOURCE).filter(pl.col("estimate").is_not_null())
    if frame.is_empty():
        raise UsageError("there is nothing to draw: no difference was estimated")
    several = frame.select("a", "b").n_unique() > 1
    pair = pl.concat_str("b", pl.lit(" \u2212 "), "a")
    # the pair comes first: where room is short, the end of a name is cut
    names = [*([pair] if several else []), pl.col("measure")]
    names += [pl.concat_str(pl.lit(f"{level} "), pl.col(level).cast(pl.String)) for level in levels]
    reach = pl.max_horizontal((pl.col("high") - pl.col("estimate")).abs(), (pl.col("estimate") - pl.col("low")).abs())
    n_rows = frame.height
    measures = frame.get_column("measure").unique().to_list()
    scales = {name: SHARES if lies_between_0_and_1(name) else str(name) for name in measures}
    better = {name: MeasureDirection.named(name, directions).words for name in measures}
    rows = frame.with_columns(
        pl.col(levels).cast(pl.String),
        scale=pl.col("measure").replace_strict(scales, return_dtype=pl.String),
        better=pl.col("measure").replace_strict(better, return_dtype=pl.String),
        band=pl.col("measure").replace_strict(bands, default=None, return_dtype=pl.Float64),
        n=_n_in_words(paired=paired),
        has_low=pl.col("low").is_not_null(),
        has_high=pl.col("high").is_not_null(),
        low=pl.col("low").fill_null(pl.col("estimate") - reach),
        high=pl.col("high").fill_null(pl.col("estimate") + reach),
    )
    cut = cut_note(frame.head(MOST), of_difference=True)
    rows = cut_intervals(rows, of_difference=True)
    rows = rows.with_columns(printable_column(text) for text in (*levels, "measure", "a", "b", "scale")).head(MOST)
    rows = rows.with_row_index("place").select(
        "place",
        "estimate",
        "scale",
        "better",
        "band",
        "n",
        row=pl.concat_str(names, separator=": "),
        pair=pair,
        low="low",
        high="high",
        has_low="has_low",
        has_high="has_high",
        p="p_adjusted",
        shown=pl.when(is_shown(alpha)).then(pl.lit("yes")).otherwise(pl.lit("no")),
    )
    pairs = rows.get_column("pair").unique().to_list()
    what = f"Difference {pairs[0]}" if len(pairs) == 1 else "Difference"
    what += f", the first {MOST} of {n_rows:,} in the order of the table" if n_rows > MOST else ""
    return *_with_exceptions(rows, what), cut


def _with_exceptions(rows: pl.DataFrame, what: str) -> tuple[pl.DataFrame, str]:
    """Say once that higher is better where it is for some row, and beside the other rows what is true for them."""
    words = rows.get_column("better").unique().to_list()
    if len(words) == 1:
        once = f", {words[0]}" if words[0] is not None else ""
        return rows.with_columns(better=pl.lit(None, pl.String)), f"{what}{once}"
    if HIGHER not in words:
        return rows, what
    exceptions = (
        pl.when(pl.col("better") != HIGHER).then("better").when(pl.col("better").is_null()).then(pl.lit("no direction"))
    )
    return rows.with_columns(better=exceptions), f"{what}, {HIGHER} unless stated"


def _n_in_words(*, paired: bool) -> pl.Expr:
    """How many units a row rests on; of fewer than the most that a row of its pair has, of how many."""
    most = pl.col("n_b").max().over("a", "b")
    if not paired:
        return pl.format("n = {} and {}", "n_b", "n_a")  # in the order of the difference, b - a
    return (
        pl.when(pl.col("n_a") != pl.col("n_b"))
        .then(pl.format("n = {} and {}", "n_b", "n_a"))
        .when(pl.col("n_b") < most)
        .then(pl.format("n = {} of {}", "n_b", most))
        .otherwise(pl.format("n = {}", "n_b"))
    )


def _drawn(rows: pl.DataFrame) -> alt.LayerChart:
    """The band, the line at 0, the interval, the estimate and the numbers of each row."""
    # numbers name only the ends that an interval has, though it is drawn to both sides
    ends = [pl.when(f"has_{end}").then(end).alias(end) for end in ("low", "high")]
    numbers = rows.select("estimate", *ends, "scale", "n", "better").rows()
    rows = rows.drop("has_low", "has_high")
    shown = rows.drop("place", "shown", "better", "scale").rename({"row": "measure"})
    drawn = rows.with_columns(
        pl.Series("numbers", [_numbers_beside(*row) for row in numbers], dtype=pl.String), band_low=-pl.col("band")
    )
    x: dict[str, Any] = {"type": "quantitative", "axis": alt.Axis(title=None, tickCount=5, grid=True)}
    y = alt.Y(
        field="row",
        type="nominal",
        sort=in_order(),
        axis=alt.Axis(title=None, labelLimit=220, ticks=False, domain=False),
    )
    place, guides = "", [alt.Chart().mark_rule(color=INK).encode(x=alt.XDatum(0))]
    if drawn.get_column("scale").n_unique() > 1:
        drawn, reach = _on_one_axis(drawn)
        x = {"type": "quantitative", "axis": None, "scale": alt.Scale(domain=reach, nice=False)}
        place, guides = PLACE, _axes(drawn, reach, x, y)
    tips = [tip("row", "Measure"), tip("pair", "Groups"), tip("estimate", "Difference", "+.4f")]
    tips += [tip("low", "From", "+.4f"), tip("high", "To", "+.4f"), tip("p", "p", ".3g"), tip("n", "Units")]
    filled = alt.Scale(domain=["yes", "no"], range=[ACCENT, "white"])
    zone = (
        alt.Chart()
        .mark_rect(color=BAND)
        .encode(
            y=y,
            x=alt.X(field=f"band_low{place}", **x),
            x2=alt.X2(field=f"band{place}"),
            tooltip=[tip("band", "Band, \u00b1")],
        )
    )
    layers = [
        *([zone] if drawn.get_column("band").count() else []),
        *guides,
        alt.Chart()
        .mark_rule(strokeWidth=2, color=ACCENT)
        .encode(y=y, x=alt.X(field=f"low{place}", **x), x2=alt.X2(field=f"high{place}"), tooltip=tips),
        alt.Chart()
        .mark_point(size=80, filled=True, stroke=ACCENT, strokeWidth=2)
        .encode(
            y=y,
            x=alt.X(field=f"estimate{place}", **x),
            fill=alt.Fill(field="shown", type="nominal", scale=filled, legend=None),
            tooltip=tips,
        ),
        alt.Chart()
        .mark_text(align="left", dx=10, color=INK)
        .encode(y=y, x=alt.XValue("width"), text=alt.Text(field="numbers", type="nominal")),
    ]
    data = values(drawn, shown.select("measure", pl.exclude("measure")))
    return layered(layers, data=data, width=PLOT, height=alt.Step(ROW))


def _on_one_axis(drawn: pl.DataFrame) -> tuple[pl.DataFrame, list[float]]:
    """Rows in the order of their scales, a place free below each scale for its axis, and where they are drawn; and the ends of the plot.

    Values are divided by the longest reach of their scale: by 0.5 where its intervals lie between -0.3 and 0.5. So 0 is at the
    same place in all scales, which a facet with an axis for each panel cannot do; Vega-Lite also warns of such facets.
    """
    ends = [pl.col(name).abs() for name in (*ENDS, "estimate")]
    unit = pl.max_horizontal(ends).max().over("scale")
    scales = drawn.get_column("scale").unique(maintain_order=True).to_list()
    panel = pl.col("scale").replace_strict(scales, range(len(scales)), return_dtype=pl.Int64)
    # a scale without any difference has no reach
    unit = pl.when(unit > 0).then(unit).otherwise(1.0)
    drawn = drawn.with_columns(unit=unit, panel=panel).sort("panel", "place")
    drawn = drawn.with_columns(
        (pl.int_range(pl.len()) + pl.col("panel")).alias("place"),
        *((pl.col(name) / pl.col("unit")).alias(f"{name}{PLACE}") for name in (*ENDS, "estimate")),
    )
    reach = drawn.select(f"{name}{PLACE}" for name in (*ENDS, "estimate"))
    lowest, highest = (min(0.0, float(reach.min_horizontal().min())), max(0.0, float(reach.max_horizontal().max())))  # type: ignore[arg-type]
    margin = MARGIN * ((highest - lowest) or 1.0)
    return drawn, [lowest - margin, highest + margin]


def _axes(drawn: pl.DataFrame, reach: list[float], x: dict[str, Any], y: alt.Y) -> list[alt.Chart]:
    """Below the rows of each scale its axis, with lines of the grid through the rows, and the line at 0."""
    panels = drawn.group_by("panel", maintain_order=True).agg(
        pl.col("unit").first(), first=pl.col("row").first(), last=pl.col("row").last(), place=pl.col("place").max() + 1
    )
    marks = pl.DataFrame(
        [
            # names of blanks, which differ in length, keep a row free for each axis
            {**panel, "row": " " * (panel["panel"] + 1), "at": tick / panel["unit"], "tick": text}
            for panel in panels.to_dicts()
            for tick, text in _ticks(reach[0] * panel["unit"], reach[1] * panel["unit"])
        ]
    )
    chart, at = alt.Chart(guide(marks)), alt.X(field="at", **x)
    top, below = y.copy(), y.copy()
    top["field"], top["bandPosition"], below["bandPosition"] = "first", 0, 0.1
    through = {"y": top, "y2": alt.Y2(field="last", bandPosition=1)}
    zeros = alt.Chart(guide(marks.filter(pl.col("at") == 0)))
    return [
        chart.mark_rule(color=GRID).encode(x=at, **through),
        zeros.mark_rule(color=INK).encode(x=at, **through),
        chart.mark_text(baseline="top", fontSize=11, color=INK).encode(
            x=at, y=below, text=alt.Text(field="tick", type="nominal")
        ),
    ]


def _ticks(low: float, high: float, most_steps: int = 6) -> list[tuple[float, str]]:
    """Return up to seven round values between two ends, each with its text; up to four where texts are long.

    >>> [text for _, text in _ticks(0.0, 0.32)], [text for _, text in _ticks(1.0, 3500.0)]
    (['0.0', '0.1', '0.2', '0.3'], ['1,000', '2,000', '3,000'])
    >>> [text for _, text in _ticks(-14000.0, 90000.0)]
    ['0', '50,000']
    >>> [text[1:] for _, text in _ticks(-45000.0, 18000.0)]
    ['40,000', '20,000', '']
    """
    least = (high - low) / most_steps
    power = math.floor(math.log10(least))
    step = next(size for size in (1, 2, 5, 10) if size * 10.0**power >= least)
    digits = max(0, -power - (step == 10))
    numbers = [
        number * step
        for number in range(math.ceil(low / 10.0**power / step), math.floor(high / 10.0**power / step) + 1)
    ]
    ticks = [(number * 10.0**power, f"{number * 10.0**power:,.{digits}f}".replace("-", "\u2212")) for number in numbers]
    # a narrow screen has room for seven texts such as -0.05, not for as many such as -40,000
    is_long = max((len(text) for _, text in ticks), default=0) > LONG_TICK
    return _ticks(low, high, 3) if is_long and most_steps > 3 and len(ticks) > MOST_LONG_TICKS else ticks


def _numbers_beside(estimate: float, low: float | None, high: float | None, scale: str, *more: str | None) -> str:
    """A difference with its interval, if it has one, as it stands beside its row, and what more is known of that row.

    >>> _numbers_beside(0.074, 0.0197, 0.16773, SHARES, "n = 30", None)
    '+.074 [.020, .168], n = 30'
    >>> _numbers_beside(2.0, 0.5, 3.5, "sDCG@10", "n = 30", "lower is better")
    '+2.00 [0.50, 3.50], n = 30, lower is better'
    >>> _numbers_beside(2.0, 0.5, None, "sDCG@10"), _numbers_beside(2.0, None, None, "sDCG@10")
    ('+2.00 [0.50, ∞]', '+2.00')
    """
    first, start, end = statistics(estimate, low, high, is_share=scale == SHARES)
    numbers = f"{'+' if estimate > 0 else ''}{first}"
    if low is not None or high is not None:
        numbers += f" [{start or MINUS + ENDLESS}, {end or ENDLESS}]"
    return ", ".join([numbers, *(text for text in more if text)])
