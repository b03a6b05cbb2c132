"""Means by topic: where each of several groups stands on every topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import fading
from sessionkit.charts.encodings import (
    MOST_COLORED,
    MOST_TOPICS,
    SHAPES,
    color,
    gain_axis,
    grouped,
    guide,
    shades_in,
    shaped,
    stacked,
    tip,
    topic_axis,
    topic_step,
    values,
)
from sessionkit.charts.theme import CONTEXT, FAINT, INK
from sessionkit.display.labels import in_natural_order, inert, named, natural_sort, printable_column
from sessionkit.errors import UsageError
from sessionkit.study.tabular import as_polars

INTERVALS = ("low", "high", "n")
OWN = ("topic_id", "measure", "value", "undefined", "judged", *INTERVALS)
SOURCE = "sessionkit.score with by=['system_id', 'topic_id']"
NARROWEST, WIDEST = 2, 60
"""The least and greatest distance of topics."""
MOST_NUMBERED = 24
"""Means beside which the number of their sessions is written."""
ROOM = 0.12
"""Share of the reach of intervals that is left above them for numbers."""
DIGITS = 9
"""Decimals to which means are ordered: what lies beyond is an error of rounding."""


def topic_means(
    means: Any,  # noqa: ANN401  # anything tabular
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
    """Draw the mean of each group on each topic as a point; topics stand in the order of the mean over groups, the highest first.

    A gray line joins the groups that are farthest apart on a topic. Where the frame has intervals, up to six groups have theirs
    instead, side by side. Means of few sessions are faded.

    Parameters
    ----------
    means
        A frame of `sessionkit.score` by a column and ``topic_id``, of one measure; and, if it has them, low and high, ends of the
        interval of each mean (null where there is none). Every topic is shown; of more than 60 the
        names stand in tooltips alone.
    measure
        Text of the measure, for the axis; by default that of the table.
    legend, colors, synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, there are several measures, or no topic has a value.
    """
    table = as_polars(means, SOURCE).collect()
    own = [column for column in INTERVALS if column in table.columns]
    needed = (*(OWN[:3] if measure is None else ("topic_id", "value")), *own)
    frame, name = grouped(table, needed, SOURCE, OWN, legend)
    if measure is None:
        measures = frame["measure"].unique(maintain_order=True).to_list()
        if len(measures) > 1:
            raise UsageError(
                f"topic-means draws one measure, not {len(measures)}: {', '.join(measures)}; filter the table"
            )
        (measure,) = measures
    known = frame.select("group", "value", *own, topic=printable_column("topic_id")).drop_nulls("value")
    if known.is_empty():
        raise UsageError("there is nothing to draw: no topic has a value")
    over_groups = known.group_by("topic").agg(pl.col("value").mean().round(DIGITS))
    order = natural_sort(over_groups, "topic").sort("value", descending=True, maintain_order=True)
    names = [inert(topic) for topic in order["topic"]]
    step = topic_step(len(names), NARROWEST, WIDEST)
    which = "Topics" if len(names) <= MOST_TOPICS else f"{len(names):,} topics"
    axis = topic_axis(f"{which}, highest mean first", names, step, width)
    y = gain_axis("Mean of sessions", measure)
    ends = known.group_by("topic", maintain_order=True).agg(value=pl.col("value").min(), high=pl.col("value").max())
    groups = known["group"].unique().to_list()
    banded = "low" in own and bool(known["low"].count()) and len(groups) <= MOST_COLORED
    scale = alt.Scale(domain=names, padding=0.2) if banded else alt.Scale(domain=names, type="point", padding=0.5)
    x = alt.X(field="topic", type="nominal", axis=axis, scale=scale)
    context = [
        named(group) for group, shade in shades_in(colors).items() if shade == CONTEXT
    ]  # drawn first, and so behind
    points = known.sort(~pl.col("group").is_in(context), "group", "topic")
    shape = {"shape": shaped(groups, name)} if 1 < len(groups) <= len(SHAPES) else {}
    tips = [tip("topic", "Topic"), tip("group", name), tip("value", "Mean", ".4f")]
    encoding = {"x": x, "y": y, "color": color(groups, colors, name)}
    data = values(points)
    if "n" in own:
        encoding["opacity"] = fading("n")
        tips.append(tip("n", "Sessions", ",d"))
    size = max(8, min(60, 3 * step))
    span = alt.Chart(guide(ends)).mark_rule(color=FAINT, strokeWidth=0.75).encode(x=x, y=y, y2=alt.Y2(field="high"))
    if banded:
        side_by_side = [inert(group) for group in in_natural_order(groups)]
        encoding["xOffset"] = alt.XOffset(field="group", type="nominal", scale=alt.Scale(domain=side_by_side))
        encoding["color"]["legend"]["symbolOpacity"] = 1
        tips += [tip("low", "From", ".4f"), tip("high", "To", ".4f")]
        low = y.copy()
        low["field"] = "low"
        span = alt.Chart(data).mark_rule(strokeWidth=1.5).encode(**{**encoding, "y": low}, y2=alt.Y2(field="high"))
        size /= 2
    dots = alt.Chart(data, width=alt.Step(step)).mark_point(filled=True, size=size)
    layers = [span, dots.encode(**encoding, tooltip=tips, **shape)]
    if banded and "n" in own and len(points) <= MOST_NUMBERED:
        layers.append(_numbers(points, encoding))
    return stacked(layers, title, synthetic, subtitle, width=width, height=height)


def _numbers(points: pl.DataFrame, encoding: dict[str, Any]) -> alt.Chart:
    """The number of sessions above the interval of each mean."""
    tops = points.with_columns(top=pl.max_horizontal("value", "high"))
    top = encoding["y"].copy()
    top["field"] = "top"
    ends = [0.0, *tops["top"], *tops["low"].drop_nulls()]
    top["scale"] = alt.Scale(
        domainMax=max(ends) + ROOM * (max(ends) - min(ends))
    )  # no number stands on the axis's title
    text = alt.Chart(guide(tops)).mark_text(color=INK, baseline="bottom", dy=-3, fontSize=10)
    number = alt.Text(field="n", type="quantitative", format=",d")
    return text.encode(x=encoding["x"], xOffset=encoding["xOffset"], y=top, text=number)
