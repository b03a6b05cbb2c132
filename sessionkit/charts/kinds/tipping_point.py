"""The tipping point: could missing judgments explain a difference, or a mean? As scored, with unjudged skipped, and bounds."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import in_order, layered, tip, titled, values
from sessionkit.charts.theme import FAINT, INK
from sessionkit.display.labels import label, plain, printable, printable_column
from sessionkit.display.numbers import counted, points_text, share_text
from sessionkit.errors import UsageError
from sessionkit.robustness.missing_judgments import PAIR, Candidate, Estimate, MissingJudgments
from sessionkit.scoring.measures.describe import cut_intervals, cut_note, end_text, value_text

SCORED, SKIPPED, BOUNDS = "As scored", "Unjudged results skipped", "Bounds"
"""What is drawn of every difference or mean, from the top."""
SHADES = {SCORED: INK, SKIPPED: FAINT, BOUNDS: INK}
SHAPES = {SCORED: "circle", SKIPPED: "square", BOUNDS: "stroke"}
MOST = 30
"""Groups that one figure shows."""
WIDER = 10
"""Times the width of all intervals from which on bars of bounds are cut."""
SIDES = ("left", "right")
NO_INTERVAL = "no confidence interval"
ROW, DENSE, WIDTH = 28, 9, 300
"""Height of a row, of a mark where a row has several, and width of the plot."""


def tipping_point(
    missing: Any,  # noqa: ANN401  # a finding, checked
    *,
    legend: str | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw a difference as scored, with unjudged results skipped, and its bounds; with judged shares and what would reverse it.

    Points have confidence intervals. Bounds are a thin bar with capped ends and no point: what the raw difference is at least and
    at most, whatever the unjudged documents are. A bar more than ten times as wide as all intervals is cut, with arrows at its ends.
    Of other than two groups the mean of each is drawn in the same way.

    Parameters
    ----------
    missing
        What `sessionkit.robustness.missing_judgments.missing_judgments` returns.
    legend
        What the groups are called, such as ``"System"``.
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
        It is something else, no group has a value, or there are more than 30.
    """
    if not isinstance(missing, MissingJudgments):
        raise UsageError("this chart draws what missing_judgments of sessionkit.robustness returns")
    rows = _rows(missing)
    if rows.is_empty():
        raise UsageError(f"there is nothing to draw: no session has a value of {missing.measure}")
    if len(missing.candidates) > MOST:
        raise UsageError(f"one figure shows {MOST} groups, not {len(missing.candidates):,}; choose some by where")
    axis = [plain("measure", missing.measure)]
    if missing.pair is not None:
        first, second = (label(group) for group in missing.pair)
        axis.append(plain("groups", f"difference {second} \u2212 {first}"))
    looks = {"several": len(missing.candidates) > 1, "is_difference": missing.pair is not None}
    cut = cut_note(rows, missing.measure, of_difference=looks["is_difference"])
    rows = cut_intervals(rows, missing.measure, of_difference=looks["is_difference"])
    is_beyond = any(rows[f"arrow_{side}"].count() for side in SIDES)
    below = [
        line
        for line in (subtitle, *_lines(missing), "Arrows: bounds go beyond the axis" if is_beyond else None, cut)
        if line
    ]
    chart = _drawn(rows, axis, legend or "Group", **looks)
    return titled(chart, title, below, synthetic, width=width, height=height)


def _rows(missing: MissingJudgments) -> pl.DataFrame:
    """A row for every estimate (``value`` with its interval) and every bar (``lower`` to ``upper``), with the ``text`` beside it.

    Where there are several groups the text of the middle row of each says what is judged, and the others have none.
    """
    several = len(missing.candidates) > 1
    rows: list[tuple[object, ...]] = []
    for candidate in missing.candidates:
        first = len(rows)
        for kind, estimate in ((SCORED, candidate.scored), (SKIPPED, candidate.skipped)):
            if estimate is not None:
                rows.append((candidate.name, kind, *estimate, None, None, _numbers(estimate, missing)))
        if candidate.bounds is not None:
            lower, upper, *_ = candidate.bounds
            text = f"{value_text(missing.measure, lower)} to {value_text(missing.measure, upper)}, {NO_INTERVAL}"
            rows.append((candidate.name, BOUNDS, None, None, None, None, lower, upper, text))
        if several:
            middle = (first + len(rows)) // 2
            rows[first:] = [
                (*row[:-1], _judged_beside(candidate) if place == middle else "")
                for place, row in enumerate(rows[first:], first)
            ]
    numbers = dict.fromkeys(("value", "low", "high", "n", "lower", "upper"), pl.Float64())
    schema = {"group": pl.String(), "kind": pl.String(), **numbers, "n": pl.Int64(), "text": pl.String()}
    frame = pl.DataFrame(rows, schema, orient="row").with_columns(printable_column("group")).with_row_index("place")
    return _cut_bars(frame, missing)


def _cut_bars(rows: pl.DataFrame, missing: MissingJudgments) -> pl.DataFrame:
    """Where each bar is drawn, ``from`` and ``to``, and which of its ends are caps and which are arrows.

    Bars much wider than the intervals would leave these no width: intervals from .0021 to .0206 beside bounds from -.231 to .256 are
    narrower than a point. Such bars are cut at twice the reach of the intervals on either side.
    """
    estimates = [
        estimate for one in missing.candidates for estimate in (one.scored, one.skipped) if estimate is not None
    ]
    ends = [end for estimate in estimates for end in estimate[:3] if end is not None] + [0.0] * (
        missing.pair is not None
    )
    bars = [end for one in missing.candidates if one.bounds is not None for end in one.bounds[:2]]
    left, right = -math.inf, math.inf
    reach = max(ends, default=0) - min(ends, default=0)
    if bars and reach and max(bars) - min(bars) > WIDER * reach:
        left, right = min(ends) - 2 * reach, max(ends) + 2 * reach
    rows = rows.with_columns(pl.col("lower").clip(left).alias("from"), pl.col("upper").clip(None, right).alias("to"))
    is_beyond = {"left": pl.col("from") > pl.col("lower"), "right": pl.col("to") < pl.col("upper")}
    drawn = {"left": pl.col("from"), "right": pl.col("to")}
    return rows.with_columns(
        *(pl.when(beyond).then(drawn[side]).alias(f"arrow_{side}") for side, beyond in is_beyond.items()),
        *(pl.when(~beyond).then(drawn[side]).alias(f"cap_{side}") for side, beyond in is_beyond.items()),
    )


def _judged_beside(candidate: Candidate) -> str:
    """How much of what one of several groups showed is judged, and its n."""
    judged = None if candidate.judged is None else f"{share_text(candidate.judged.value)} judged"
    n = None if candidate.scored is None else f"n = {candidate.scored.n:,}"
    return ", ".join(text for text in (judged, n) if text)


def _numbers(estimate: Estimate, missing: MissingJudgments) -> str:
    """An estimate with its interval and n, as it stands beside its row."""
    low, high = estimate.low, estimate.high
    is_difference = missing.pair is not None
    ends = ""
    if low is not None and high is not None:
        texts = (end_text(missing.measure, end, of_difference=is_difference) for end in (low, high))
        ends = f" [{', '.join(texts)}]"
    sign = "+" if is_difference and estimate.value > 0 else ""
    return f"{sign}{value_text(missing.measure, estimate.value)}{ends}, n = {counted(estimate.n, missing.unit)}"


def _lines(missing: MissingJudgments) -> list[str]:
    """How much is judged, and how many judgments would reverse the difference, a line for each."""
    lines = []
    if len(missing.shares) <= len(PAIR):
        shares = [f"{printable(group)} {share_text(share.value)}" for group, share in missing.shares.items()]
        lines.append(f"Mean judged share: {', '.join(shares)}")
    if missing.difference is None:
        return lines
    judged, bounds = missing.difference.judged, missing.difference.bounds
    if judged is not None and judged.low is not None and judged.high is not None:
        difference, low, high = (points_text(end) for end in judged[:3] if end is not None)
        lines.append(f"Difference {difference} points [{low}, {high}], n = {counted(judged.n, missing.unit)}")
    if bounds is not None and bounds.sign_holds:
        lines.append("No grades of unjudged documents reverse the difference")
    elif bounds is not None and bounds.reversed_by:
        documents = counted(bounds.open_documents or 0, "unjudged document")
        lines.append(f"Reversed by {bounds.reversed_by:,} of {documents}, all of the best grade")
    return lines


def _drawn(rows: pl.DataFrame, axis: list[str], legend: str, *, several: bool, is_difference: bool) -> alt.LayerChart:
    """The forest: of one difference or mean a row for each kind, of several groups a row for each with all kinds in it."""
    kinds = [kind for kind in SHADES if kind in set(rows["kind"])]
    labels = alt.Axis(title=legend if several else None, labelLimit=220, ticks=False, domain=False)
    y = alt.Y(field="group" if several else "kind", type="nominal", sort=in_order(), axis=labels)
    key = (
        alt.Legend(
            title=f"Bounds: {NO_INTERVAL}", orient="top", symbolOpacity=1, titleFontWeight="normal", titleLimit=400
        )
        if several
        else None
    )
    placed: dict[str, Any] = {"y": y}
    if several:
        placed["yOffset"] = alt.YOffset(field="kind", type="nominal", scale=alt.Scale(domain=kinds))
    looks: dict[str, Any] = {
        **placed,
        "color": alt.Color(
            field="kind",
            type="nominal",
            scale=alt.Scale(domain=kinds, range=[SHADES[kind] for kind in kinds]),
            legend=key,
        ),
        "tooltip": [
            *(tip(field, name) for field, name in (("group", legend), ("kind", "Which"))),
            *(tip(field, name, ".4f") for field, name in (("value", "Value"), ("low", "From"), ("high", "To"))),
            *(tip(field, name, ".4f") for field, name in (("lower", "At least"), ("upper", "At most"))),
            tip("n", "n", "d"),
        ],
    }
    shape = alt.Shape(
        field="kind", type="nominal", scale=alt.Scale(domain=kinds, range=[SHAPES[kind] for kind in kinds]), legend=key
    )

    def across(field: str) -> alt.X:
        """The axis of values for a column."""
        return alt.X(
            field=field,
            type="quantitative",
            axis=alt.Axis(title=axis, tickCount=6, grid=True),
            scale=alt.Scale(zero=is_difference),
        )

    layers = [
        *([alt.Chart().mark_rule(color=FAINT).encode(x=alt.XDatum(0))] if is_difference else []),
        *(
            alt.Chart().mark_rule(strokeWidth=size).encode(x=across(start), x2=alt.X2(field=end), **looks)
            for size, start, end in ((2, "low", "high"), (1, "from", "to"))
            if rows[start].count()
        ),
        *(
            alt.Chart().mark_tick(thickness=1, size=8).encode(x=across(f"cap_{side}"), **looks)
            for side in SIDES
            if rows[f"cap_{side}"].count()
        ),
        *(
            alt.Chart()
            .mark_point(shape=f"triangle-{side}", size=36, filled=True)
            .encode(x=across(f"arrow_{side}"), **looks)
            for side in SIDES
            if rows[f"arrow_{side}"].count()
        ),
        alt.Chart().mark_point(size=36, filled=True).encode(x=across("value"), shape=shape, **looks),
        alt.Chart()
        .mark_text(align="left", dx=10, color=INK)
        .encode(**placed, x=alt.XValue("width"), text=alt.Text(field="text", type="nominal")),
    ]
    only_drawn = ("place", "text", "from", "to", *(f"{end}_{side}" for end in ("arrow", "cap") for side in SIDES))
    return layered(
        layers, data=values(rows, rows.drop(only_drawn)), width=WIDTH, height=alt.Step(DENSE if several else ROW)
    )
