"""A rating against the score of sessions: how many sessions lie where, and the mean score of each rating."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import fading, few_line
from sessionkit.charts.encodings import folded, guide, layered, tip, titled, values
from sessionkit.charts.theme import ACCENT, INK
from sessionkit.display.labels import plain
from sessionkit.errors import UsageError, suggestion
from sessionkit.study.tabular import as_polars

SOURCE = "sessionkit.score"
STEPS = 16
"""Steps of equal width into which the range of scores is divided."""
SMALLEST, LARGEST = 40, 200
"""Sizes of the circles of one session and of the most, squares of their diameters; both are still seen in print, where they shrink."""
WIDTH = 300
LISTED = 12
"""Ratings up to which each has its own tick and the number of its sessions above the plot."""
BROAD, THIN = 0.36, 0.012
"""Half the length of the line of a mean, as a share of the least distance of two ratings; at least this share of their range."""


def rating_scatter(
    scores: Any,  # noqa: ANN401  # anything tabular
    rating: str,
    *,
    measure: str,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw sessions by their rating and their score: the larger a circle, the more sessions have that rating and score.

    Scores are put into 16 steps from the least to the greatest, and nothing is moved aside. A line behind the circles is the mean
    score of each rating that at least two sessions have, faded for fewer than 10. Up to 12 ratings have their numbers of sessions
    above the plot.

    Parameters
    ----------
    scores
        The wide table of `sessionkit.score` per session: a row per session with a column for the rating and one for the
        measure, both numbers. Sessions without one of them are left out.
    rating, measure
        The names of these columns.
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
        A column is missing or does not hold numbers, or no session has both.
    """
    table = as_polars(scores, SOURCE).collect()
    both = table.select(x=_numbers(table, rating), value=_numbers(table, measure)).drop_nulls()
    if both.is_empty():
        raise UsageError(f"there is nothing to draw: no session has both {rating} and {measure}")
    circles, means = _circles(both), _means(both)
    known: list[float] = sorted(set(circles["x"]))
    ticks: Any = known if len(known) <= LISTED else alt.Undefined
    most = max(circles["n"].to_list())
    room = alt.Scale(zero=False, domain=[min(known) - _half(known), max(known) + _half(known)], nice=False)
    across = alt.Axis(title=folded(plain("rating", rating)), grid=False, values=ticks)
    up = alt.Axis(title=folded(plain("measure", measure)), tickCount=6)
    y = alt.Y(field="value", type="quantitative", axis=up, scale=alt.Scale(zero=False))
    size = alt.Size(
        field="n",
        type="quantitative",
        scale=alt.Scale(domain=[1, max(2, most)], range=[SMALLEST, LARGEST]),
        legend=alt.Legend(
            title="Sessions", values=_sizes(most), format="d", symbolStrokeWidth=0
        ),  # a line would hide small circles
    )

    def at(field: str) -> alt.X:
        """The axis of ratings for a column."""
        return alt.X(field=field, type="quantitative", axis=across, scale=room)

    tips = [tip("x", plain("rating", rating), ".4~g")]
    where = [tip("low", "Score from", ".4f"), tip("high", "Score to", ".4f"), tip("n", "Sessions", "d")]
    layers = []
    if len(means):
        line = alt.Chart(values(means, means.select("n", "value", rating="x", part=pl.lit("mean")))).mark_rule(
            color=INK, strokeWidth=2.5
        )
        of = [*tips, tip("value", "Mean score", ".4f"), tip("n", "Sessions", "d")]
        layers.append(line.encode(x=at("low"), x2=alt.X2(field="high"), y=y, opacity=fading("n"), tooltip=of))
    layers.append(
        alt.Chart(values(circles, circles.rename({"x": "rating"}).with_columns(part=pl.lit("sessions"))))
        .mark_point(shape="circle", filled=True, color=ACCENT, opacity=0.75)
        .encode(x=at("x"), y=y, size=size, tooltip=[*tips, *where])
    )
    below = [subtitle] if subtitle else []
    if len(known) <= LISTED:
        counts = circles.group_by("x", maintain_order=True).agg(pl.col("n").sum())
        number = alt.Text(field="n", type="quantitative", format=",d")
        above = alt.Chart(guide(counts)).mark_text(dy=-6, fontSize=10, color=INK)
        layers.append(above.encode(x=at("x"), y=alt.YValue(0), text=number))
        below.append("Above the plot: sessions")
    few = few_line(means.get_column("n"), "sessions", "Faded lines") if len(means) else None
    below += [few] if few else []
    return titled(layered(layers, width=WIDTH), title, below, synthetic, width=width, height=height)


def _numbers(table: pl.DataFrame, name: str) -> pl.Series:
    """The finite numbers of a column, null elsewhere."""
    if name not in table.columns:
        raise UsageError(
            f"the scores have no column {name!r}{suggestion(name, table.columns)}; columns: {', '.join(table.columns)}"
        )
    column = table.get_column(name)
    if not column.dtype.is_numeric():
        raise UsageError(f"{name} does not hold numbers, and only numbers can be drawn here")
    numbers = column.cast(pl.Float64)
    return numbers.zip_with(numbers.is_finite().fill_null(value=False), pl.Series([None], dtype=pl.Float64))


def _circles(both: pl.DataFrame) -> pl.DataFrame:
    """A row for each rating and step of scores that sessions have: the middle of the step, its ends, how many they are."""
    low, high = both["value"].min(), both["value"].max()
    width = (high - low) / STEPS  # type: ignore[operator]  # numbers
    step = ((pl.col("value") - low) / width).floor().clip(0, STEPS - 1) if width else pl.lit(0.0)
    counts = both.group_by("x", step=step).agg(n=pl.len().cast(pl.Int64)).sort("x", "step")
    from_ = low + pl.col("step") * width
    return counts.select("x", "n", value=from_ + width / 2, low=from_, high=from_ + width)


def _means(both: pl.DataFrame) -> pl.DataFrame:
    """The mean score of each rating that at least two sessions have, and the ends of its line."""
    half = _half(sorted(set(both["x"])))
    means = (
        both.sort("x", "value")
        .group_by("x", maintain_order=True)
        .agg(pl.col("value").mean(), n=pl.len().cast(pl.Int64))
    )
    return means.filter(pl.col("n") > 1).with_columns(low=pl.col("x") - half, high=pl.col("x") + half)


def _half(known: list[float]) -> float:
    """Half the length of the line of a mean, as ratings are numbered."""
    if len(known) == 1:
        return BROAD
    least = min(after - before for before, after in pairwise(known))
    return max(BROAD * least, THIN * (known[-1] - known[0]))


def _sizes(most: int) -> Any:  # noqa: ANN401  # a list of numbers
    """Numbers of sessions that the legend shows: one, the largest, and about half of it."""
    return sorted({1, max(1, round(most / 2)), most})
