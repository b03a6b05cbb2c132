"""Scores by user and topic: who did well on what, with which system, and which pairs nobody searched."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import (
    LEGENDS,
    SHAPES,
    by_ink,
    checked,
    folded,
    layered,
    mean_of,
    shaped,
    tip,
    titled,
    values,
)
from sessionkit.charts.kinds.score_distribution import SOURCE, of_one_measure
from sessionkit.display.labels import inert, natural_sort, plain, printable_column
from sessionkit.display.numbers import MINUS, counted
from sessionkit.errors import UsageError
from sessionkit.study.tabular import as_polars

COLUMNS = ("user_id", "topic_id", "group", "value")
MOST_USERS, MOST_TOPICS = 30, 20
"""Rows and columns; at the width of a column of a paper more labels would overlap, and the figure be higher than a page has room."""
ROW, CELL, NARROWEST, WIDEST = 11.25, 26, 120, 340
"""Height of a row, width of a cell, and the least and greatest width of all cells, in pixels."""
LABEL, CHARACTER, ROOM = 70, 6, 190
"""Pixels of a label and of a character in it, and those that all topics have beside each other in a column of a paper."""
HUES = ("#D6E6F2", "#AECDE4", "#7DB0D5", "#4A90C2", "#1F65A0", "#08306B")
"""From light to dark, so that they are told apart in gray; the lightest is not white, which is a gap."""
MARK = 16
"""Area of the mark of a group."""
SEVERAL = "several"
"""The mark of a cell whose sessions are of several groups."""
FACTORS = (1.0, 2.0, 2.5, 5.0, 10.0, 20.0)
"""Round widths of steps, as parts of a power of ten."""
DIGITS = 9
"""Decimals to which numbers are compared: what lies beyond is an error of rounding."""
NEGLIGIBLE = 1e-9
"""Share of the largest value below which values are equal."""


def user_topic_heatmap(
    scores: Any,  # noqa: ANN401  # anything tabular
    *,
    by: str = "system_id",
    measure: str | None = None,
    legend: str | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the mean score of each user's sessions on each topic as a cell; where there are no scores, the cell is a gap.

    Users and topics stand in the order of the means of their cells, the highest first. A mark in a cell is the group of its
    sessions. Of more than 30 users or 20 topics those with the most sessions are drawn, as a line below the title says.

    Parameters
    ----------
    scores
        The table of `sessionkit.score` per session, also wide; or user_id, topic_id, group, value: a row per session. Sessions
        without a user, a topic or a value are left out.
    by
        The column of a table of scores that makes the groups.
    measure
        The measure to draw, where the table has several; of groups and values its text, for the legend.
    legend
        What the groups are called; by default as their column is.
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
        A column is missing, several measures are there and none is named, or no session has a user, a topic and a value.
    """
    table, text = of_one_measure(as_polars(scores, SOURCE).collect(), by, measure)
    known = checked(table, COLUMNS, SOURCE).with_columns(pl.col("user_id", "topic_id").cast(pl.String)).drop_nulls()
    if known.is_empty():
        raise UsageError("there is nothing to draw: no session has a user, a topic and a value")
    every = cells_of(known)
    cells = most_searched(every)
    edges = _edges(cells["value"].to_list())
    steps, hues = _steps(edges)
    frame = cells.with_columns(
        printable_column("user_id").alias("y"), printable_column("topic_id").alias("x"), place=_place(edges)
    ).with_columns(step=pl.col("place").replace_strict(dict(enumerate(steps)), return_dtype=pl.String))
    means = bool((frame["n"] > 1).any())
    what = mean_of("Mean score", means)
    tips = [tip("y", "User"), tip("x", "Topic"), tip("group", legend or LEGENDS.get(by, by))]
    tips += [tip("value", what, ".4f"), tip("n", "Sessions", "d")]
    place: dict[str, Any] = {
        "x": _axis(frame, "x", "Topics, highest mean first", every=width is None),
        "y": _axis(frame, "y", "Users, highest mean first"),
    }
    shade = alt.Color(
        field="step",
        type="nominal",
        scale=alt.Scale(domain=steps, range=hues),
        legend=alt.Legend(
            title=folded(plain("measure", f"Mean {text}" if means else text)),
            orient="bottom",
            direction="horizontal",
            columns=3,
            symbolType="square",
        ),
    )
    rows = frame.select("x", "y", "group", "value", "n", "step", "place")
    table = rows.select("group", "value", "n", topic="x", user="y").select("topic", "user", "group", "value", "n")
    layers = [
        alt.Chart(values(rows, table))
        .mark_rect(stroke="white", strokeWidth=1)
        .encode(**place, color=shade, tooltip=tips)
    ]
    marked = {} if by in ("user_id", "topic_id") else _marks(rows, legend or LEGENDS.get(by, by))
    for some, ink in (
        by_ink(rows, pl.col("place") >= len(steps) / 2) if marked else ()
    ):  # the legend has the color of the first
        points = some.mark_point(filled=True, size=MARK, opacity=1, color=ink)
        layers.append(points.encode(**place, **marked, tooltip=tips))
    below = [line for line in (subtitle, _drawn(every, cells)) if line]
    across = max(NARROWEST, min(WIDEST, CELL * frame["x"].n_unique()))
    chart = layered(layers, width=across, height=alt.Step(ROW))
    return titled(chart, title, below, synthetic, width=width, height=height)


def cells_of(known: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each user and topic: the mean ``value`` of ``n`` sessions, and their ``group``."""
    alike = pl.col("group").n_unique() == 1
    return known.group_by("user_id", "topic_id", maintain_order=True).agg(
        pl.col("value").mean(),
        n=pl.len().cast(pl.Int64),
        group=pl.when(alike).then(pl.col("group").first()).otherwise(pl.lit(SEVERAL)),
    )


def most_searched(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the cells that are drawn: those of the topics with the most sessions, and of these those of the users with the most."""
    for name, most in (("topic_id", MOST_TOPICS), ("user_id", MOST_USERS)):
        sessions = natural_sort(cells.group_by(name).agg(pl.col("n").sum()), name)
        cells = cells.join(sessions.sort("n", descending=True, maintain_order=True).head(most), on=name, how="semi")
    return cells


def _drawn(every: pl.DataFrame, cells: pl.DataFrame) -> str | None:
    """How many users and topics are drawn, where that is not all."""
    counts = [(cells[name].n_unique(), every[name].n_unique()) for name in ("user_id", "topic_id")]
    if all(drawn == known for drawn, known in counts):
        return None
    (users, all_users), (topics, all_topics) = counts
    return f"{users:,} of {counted(all_users, 'user')}, {topics:,} of {counted(all_topics, 'topic')}: those with most sessions"


def _axis(frame: pl.DataFrame, field: str, title: str, *, every: bool = False) -> Any:  # noqa: ANN401  # alt.X or alt.Y
    """An axis of users or topics in the order of the means of their cells, with the name of every one, or of as many as fit.

    Names are values of its scale, no expression.
    """
    means = natural_sort(frame.group_by(field).agg(pl.col("value").mean().round(DIGITS)), field)
    names = means.sort("value", descending=True, maintain_order=True)[field].to_list()
    across = field == "x"
    upright = across and len(names) * (CHARACTER * min(max(map(len, names)), LABEL // CHARACTER) + CHARACTER) > ROOM
    axis = alt.Axis(
        title=title,
        grid=False,
        ticks=False,
        domain=False,
        labelLimit=LABEL,
        labelOverlap=not every,
        labelAngle=-90 * upright,
    )
    # aligned in the middle, bands can begin a rounding error before 0, where Vega leaves out the first name
    scale = alt.Scale(type="band", domain=[inert(name) for name in names], padding=0, align=0)
    channel = alt.X if across else alt.Y
    return channel(field=field, type="nominal", scale=scale, axis=axis)


def _edges(numbers: list[float]) -> list[float]:
    """The ends of steps of equal and round width, at most as many as there are hues; of equal values that value alone."""
    low, high = min(numbers), max(numbers)
    if high - low <= NEGLIGIBLE * max(abs(low), abs(high)):
        return [low]
    least = (high - low) / len(HUES)
    power = 10.0 ** math.floor(math.log10(least))
    for factor in FACTORS:
        width = factor * power
        first, last = math.floor(round(low / width, DIGITS)), math.ceil(round(high / width, DIGITS))
        if last - first <= len(HUES):
            break
    return [number * width for number in range(first, last + 1)]


def _steps(edges: list[float]) -> tuple[list[str], list[str]]:
    """The names of steps and their hues, from the lightest to the darkest."""
    if len(edges) == 1:
        return [f"{edges[0]:.4g}".replace("-", MINUS)], [HUES[len(HUES) // 2]]
    decimals = 1 - math.floor(math.log10(edges[1] - edges[0]))
    texts = [f"{round(edge, decimals):.12g}".replace("-", MINUS) for edge in edges]
    between = " to " if edges[0] < 0 else "\u2013"
    names = [f"{low}{between}{high}" for low, high in pairwise(texts)]
    return names, [HUES[int((place + 0.5) * len(HUES) / len(names))] for place in range(len(names))]


def _place(edges: list[float]) -> pl.Expr:
    """The number of the step that a value lies in, from its lower end to below its upper one; the last has both its ends."""
    if len(edges) == 1:
        return pl.lit(0)
    steps = ((pl.col("value") - edges[0]) / (edges[1] - edges[0])).round(DIGITS).floor().cast(pl.Int64)
    return steps.clip(0, len(edges) - 2)


def _marks(rows: pl.DataFrame, legend: str) -> dict[str, alt.Shape]:
    """The shape of each group; none where there is one group, or are more than there are shapes."""
    groups = rows["group"].unique().to_list()
    if not 1 < len(groups) <= len(SHAPES):
        return {}
    shape = shaped(groups, legend)
    shape["legend"] = alt.Legend(
        title=shape["legend"]["title"], orient="top", direction="horizontal", titleOrient="left"
    )
    return {"shape": shape}
