"""The R-precision histogram: by topic, how far two systems are apart, and which of them is ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import altair as alt
import polars as pl

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
from sessionkit.charts.small_counts import count_line, fading, few_line
from sessionkit.charts.theme import FAINT
from sessionkit.display.labels import inert, named, plain, printable_column
from sessionkit.errors import UsageError
from sessionkit.readers.tabular import as_polars
from sessionkit.scoring.measures.direction import MeasureDirection

COLUMNS = ("topic_id", "a", "b", "difference")
COUNTS = ("n_a", "n_b")
"""Columns of the sessions that both means are of, of a table that has them."""
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
    """Draw the difference of two systems, `a` minus `b`, as a bar for each topic, in the color of the system that is ahead.

    The line below the title says of how many sessions the means are; a bar with a mean of fewer than 10 is faded. The bars have no
    intervals: `sessionkit.compare` tests the difference.

    The system with the higher value is ahead; of a measure of which lower is better, such as E, that with the lower value.
    Without a direction the color is that of the higher value.

    Parameters
    ----------
    histogram
        A frame of `sessionkit.rprecision_histogram`: topic_id, a, b, difference, and n_a and n_b, sessions, if it has them. Every
        topic is shown; of more than 60 the names stand in tooltips alone.
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
    frame = checked(table, (*COLUMNS, *counts), "sessionkit.rprecision_histogram").filter(
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
    rows = kept.select(printable_column("topic_id").alias("topic"), "a", "b", "difference", *counts, group=ahead)
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
    axis = topic_axis(across, topics, step, width)
    tips = [tip("topic", "Topic"), tip("a", first, ".4f"), tip("b", second, ".4f")]
    tips += [tip("difference", "Difference", "+.4f"), tip("group", "Ahead" if direction.is_known else "Higher")]
    tips += [tip(name, f"Sessions of {system}", ",d") for name, system in zip(counts, (first, second), strict=False)]
    bars = (
        alt.Chart(values(rows), width=alt.Step(step))
        .mark_bar()
        .encode(
            x=alt.X(field="topic", type="nominal", axis=axis, scale=alt.Scale(domain=topics)),
            y=alt.Y(field="difference", type="quantitative", axis=alt.Axis(title=words, tickCount=6)),
            color=shade,
            tooltip=tips,
            **({"opacity": fading("least")} if counts else {}),
        )
    )
    zero = alt.Chart(guide(pl.DataFrame({"difference": [0.0]}))).mark_rule(color=FAINT)
    line = zero.encode(y=alt.Y(field="difference", type="quantitative"))
    chart = layered([bars, line])
    return titled(chart, title, [text for text in below if text], synthetic, width=width, height=height)
