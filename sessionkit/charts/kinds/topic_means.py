"""Means by topic: where each of several groups stands on every topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import (
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
from sessionkit.charts.theme import CONTEXT, FAINT
from sessionkit.display.labels import inert, named, printable_column
from sessionkit.display.natural_order import natural_sort
from sessionkit.errors import UsageError

OWN = ("topic_id", "measure", "value", "n", "undefined", "judged")
SOURCE = "sessionkit.score with by=['system_id', 'topic_id']"
NARROWEST, WIDEST = 2, 60
"""The least and greatest distance of topics."""
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

    A gray line joins the groups that are farthest apart on a topic.

    Parameters
    ----------
    means
        A frame of `sessionkit.score` by a column and ``topic_id``, of one measure. Every topic is shown; of more than 60 the
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
    frame, name = grouped(means, OWN[:3] if measure is None else ("topic_id", "value"), SOURCE, OWN, legend)
    if measure is None:
        measures = frame["measure"].unique(maintain_order=True).to_list()
        if len(measures) > 1:
            raise UsageError(
                f"topic-means draws one measure, not {len(measures)}: {', '.join(measures)}; filter the table"
            )
        (measure,) = measures
    known = frame.select("group", "value", topic=printable_column("topic_id")).drop_nulls()
    if known.is_empty():
        raise UsageError("there is nothing to draw: no topic has a value")
    over_groups = known.group_by("topic").agg(pl.col("value").mean().round(DIGITS))
    order = natural_sort(over_groups, "topic").sort("value", descending=True, maintain_order=True)
    names = [inert(topic) for topic in order["topic"]]
    step = topic_step(len(names), NARROWEST, WIDEST)
    which = "Topics" if len(names) <= MOST_TOPICS else f"{len(names):,} topics"
    axis = topic_axis(f"{which}, highest mean first", names, step, width)
    x = alt.X(
        field="topic",
        type="nominal",
        axis=axis,
        scale=alt.Scale(domain=names, type="point", padding=0.5),
    )
    y = gain_axis("Mean of sessions", measure)
    ends = known.group_by("topic", maintain_order=True).agg(value=pl.col("value").min(), high=pl.col("value").max())
    groups = known["group"].unique().to_list()
    context = [
        named(group) for group, shade in shades_in(colors).items() if shade == CONTEXT
    ]  # drawn first, and so behind
    points = known.sort(~pl.col("group").is_in(context), "group", "topic")
    shape = {"shape": shaped(groups, name)} if 1 < len(groups) <= len(SHAPES) else {}
    tips = [tip("topic", "Topic"), tip("group", name), tip("value", "Mean", ".4f")]
    layers = [
        alt.Chart(guide(ends)).mark_rule(color=FAINT, strokeWidth=0.75).encode(x=x, y=y, y2=alt.Y2(field="high")),
        alt.Chart(values(points), width=alt.Step(step))
        .mark_point(filled=True, size=max(8, min(60, 3 * step)))
        .encode(x=x, y=y, color=color(groups, colors, name), tooltip=tips, **shape),
    ]
    return stacked(layers, title, synthetic, subtitle, width=width, height=height)
