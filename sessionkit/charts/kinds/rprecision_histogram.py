"""The R-precision histogram: by topic, how far two systems are apart, and which of them is ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import altair as alt
import polars as pl

from sessionkit.charts.annotations import count_line, fading, few_line
from sessionkit.charts.encodings import (
    MOST_TOPICS,
    checked,
    color,
    folded,
    guide,
    layered,
    tip,
    titled,
    topic_axis,
    topic_step,
    values,
)
from sessionkit.charts.theme import FAINT, INK
from sessionkit.display.labels import inert, named, plain, printable_column
from sessionkit.errors import UsageError
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.study.tabular import as_polars

COLUMNS = ("topic_id", "a", "b", "difference")
COUNTS = ("n_a", "n_b")
"""Columns of the sessions that both means are of, of a table that has them."""
ENDS = ("low", "high")
"""Columns of the ends of intervals, of a table that has them."""
MOST_NUMBERED, BESIDE = 30, 44
"""Topics up to which the numbers of sessions are written; characters of them that stand beside each other in a column."""
ROOM, ROOM_UPRIGHT = 0.12, 0.28
"""Share of the reach of intervals that is left above them for numbers, beside each other and upright."""
SHORT = 40
"""Characters of what the axis says of two names."""
NARROWEST, WIDEST = 2, 60
"""The least and greatest distance of bars."""


def rprecision_histogram(
    histogram: Any,  # noqa: ANN401  # anything tabular
    a: str,
    b: str,
    *,
    measure: str = "mean(Rprec)",
    order: Literal["topic", "difference"] = "topic",
    legend: str = "System",
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the difference of two systems, `a` minus `b`, as a bar for each topic, in the color of the system that is ahead; where
    the frame has intervals, as a point with its interval and the numbers of sessions.

    The line below the title says of how many sessions the means are; a topic with a mean of fewer than 10 is faded. Bars have no
    intervals: `sessionkit.compare` tests the difference.

    The system with the higher value is ahead; of a measure of which lower is better, such as E, that with the lower value.
    Without a direction the color is that of the higher value.

    Parameters
    ----------
    histogram
        A frame of `sessionkit.rprecision_histogram`: topic_id, a, b, difference, and n_a and n_b, sessions, if it has them; with
        these also low and high, ends of the interval (null where there is none). Every topic is shown; of more than 60 the names
        stand in tooltips alone.
    a, b
        The names of the systems.
    measure
        Text of the measure, for the axis and for which system is ahead.
    order
        ``"topic"``, by the names of topics, or ``"difference"``, the largest first.
    legend, colors, synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, or no topic has a value of both.
    """
    table = as_polars(histogram, "sessionkit.rprecision_histogram").collect()
    counts = COUNTS if set(COUNTS) <= set(table.columns) else ()
    ends = ENDS if counts and set(ENDS) <= set(table.columns) else ()
    frame = checked(table, (*COLUMNS, *ends, *counts), "sessionkit.rprecision_histogram").filter(
        pl.col("difference").is_not_null()
    )
    if frame.is_empty():
        raise UsageError("there is nothing to draw: no topic has a value of both systems")
    for name, system in (("a", a), ("b", b)):
        plain(name, system)
    first, second = named(a), named(b)
    direction = MeasureDirection.named(measure)
    ahead = pl.when(direction.merit(pl.col("difference")) >= 0).then(pl.lit(first)).otherwise(pl.lit(second))
    kept = frame.sort("topic_id")
    if order == "difference":
        kept = kept.sort("difference", descending=True, maintain_order=True)
    rows = kept.select(printable_column("topic_id").alias("topic"), "a", "b", "difference", *ends, *counts, group=ahead)
    below = [subtitle]
    if counts:
        rows = rows.with_columns(least=pl.min_horizontal(counts))
        sizes = pl.concat([rows[name] for name in counts])
        below += [count_line(sizes, "sessions", "mean"), few_line(rows["least"], "sessions")]
    topics = [inert(topic) for topic in rows.get_column("topic").unique(maintain_order=True)]
    minus = f"{first} minus {second}"
    short = len(minus) <= SHORT  # of long names the legend says who is ahead
    words = [plain("title", minus) if short else "Difference", *folded(plain("measure", measure))]
    shade = color([first, second], colors, f"{legend} ahead" if direction.is_known else f"Higher {legend.lower()}")
    shade["legend"] = None if short else shade["legend"]
    step = topic_step(len(rows), NARROWEST, WIDEST)
    across = "Topic" if len(rows) <= MOST_TOPICS else f"{len(rows):,} topics"
    is_numbered = bool(ends) and len(rows) <= MOST_NUMBERED
    if is_numbered and short:
        across += f"; numbers: sessions of {first}, of {second}"
    x = alt.X(
        field="topic", type="nominal", axis=topic_axis(across, topics, step, width), scale=alt.Scale(domain=topics)
    )
    y = alt.Y(field="difference", type="quantitative", axis=alt.Axis(title=words, tickCount=6))
    tips = [tip("topic", "Topic"), tip("a", first, ".4f"), tip("b", second, ".4f")]
    tips += [tip("difference", "Difference", "+.4f"), tip("group", "Ahead" if direction.is_known else "Higher")]
    tips += [tip(name, f"Sessions of {system}", ",d") for name, system in zip(counts, (first, second), strict=False)]
    encoding = {"x": x, "y": y, "color": shade, **({"opacity": fading("least")} if counts else {})}
    zero = alt.Chart(guide(pl.DataFrame({"difference": [0.0]}))).mark_rule(color=FAINT)
    line = zero.encode(y=alt.Y(field="difference", type="quantitative"))
    if ends:
        tips += [tip("low", "From", "+.4f"), tip("high", "To", "+.4f")]
        layers = [line, *_with_intervals(rows, encoding, tips, step, is_numbered=is_numbered)]
    else:
        layers = [alt.Chart(values(rows), width=alt.Step(step)).mark_bar().encode(**encoding, tooltip=tips), line]
    chart = layered(layers)
    return titled(chart, title, [text for text in below if text], synthetic, width=width, height=height)


def _with_intervals(
    rows: pl.DataFrame, encoding: dict[str, Any], tips: list[alt.Tooltip], step: float, *, is_numbered: bool
) -> list[alt.Chart]:
    """A point for each topic, its interval, and the numbers of sessions above it."""
    shown = rows.drop("least")
    rows = rows.with_columns(sessions=pl.format("{}, {}", "n_a", "n_b"), top=pl.max_horizontal("difference", "high"))
    chart = alt.Chart(values(rows, shown), width=alt.Step(step))
    low, top = encoding["y"].copy(), encoding["y"].copy()
    low["field"], top["field"] = "low", "top"
    points = chart.mark_point(filled=True, size=max(8, min(60, 3 * step))).encode(**encoding, tooltip=tips)
    layers = [points]
    if rows["low"].count():
        rule = chart.mark_rule(strokeWidth=min(1.5, step / 4))
        layers = [rule.encode(**{**encoding, "y": low}, y2=alt.Y2(field="high"), tooltip=tips), points]
    if is_numbered:
        is_beside = len(rows) * max(rows["sessions"].str.len_chars()) <= BESIDE
        looks: dict[str, Any] = (
            {"baseline": "bottom", "dy": -4} if is_beside else {"angle": 270, "align": "left", "dx": 5}
        )
        ends = [0.0, *rows["difference"], *rows["low"].drop_nulls(), *rows["high"].drop_nulls()]
        room = (max(ends) - min(ends)) * (ROOM if is_beside else ROOM_UPRIGHT)
        top["scale"] = alt.Scale(domainMax=max(ends) + room)  # no number stands on the title of the axis
        words = {"x": encoding["x"], "y": top, "text": alt.Text(field="sessions", type="nominal")}
        for ink in (
            {"color": "white", "stroke": "white", "strokeWidth": 3},
            {"color": INK},
        ):  # no line goes through a number
            layers.append(chart.mark_text(fontSize=10, **ink, **looks).encode(**words))
    return layers
