"""How far searchers look: the share of sessions that look at each rank of each query, observed and as a discount expects it."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.analysis.calibrate.calibration import Calibration
from sessionkit.analysis.distribution_tails import wilson
from sessionkit.charts.encodings import (
    SHAPES,
    color,
    how_many,
    layered,
    line_below,
    parted,
    share_tip,
    tip,
    titled,
    values,
    with_percents,
)
from sessionkit.charts.kinds.discount_surface import MOST_RANKS, first_fit, looked_at, one_fit
from sessionkit.display.labels import plain
from sessionkit.errors import UsageError

MOST_QUERIES = len(SHAPES)
"""Queries that have a line."""
LEAST = 0.01
"""Share of sessions that must have come to a query, by what was observed or expected, for it to be drawn."""
KEY = "Points: observed, with 95% intervals; lines: expected"


def discount_fit(
    calibration: Any,  # noqa: ANN401  # anything tabular
    *,
    measure: str | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the share of sessions that look at each rank of each query: points as observed, lines as the fitted discount expects.

    Intervals are Wilson's and take sessions to be independent of each other. A discount that fits has its line through the
    intervals. At most six queries and twenty ranks are drawn.

    Parameters
    ----------
    calibration
        What `sessionkit.calibrate` found, of which the first fit is drawn, or rows of one fit of its ``expected``: rank,
        query_position, observed, expected.
    measure
        Text of the fitted measure, below the axis; by default that of the fit.
    synthetic
        Whether to mark the figure as made from synthetic data.
    title
        Title, as plain text.
    subtitle
        Which sessions these are, on a line below the title, as plain text.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, there are no rows, the rows are of several fits, or the fit is to clicks.
    """
    if isinstance(calibration, Calibration) and calibration.signal == "clicks":
        raise UsageError(
            "clicks are not looks: this chart draws how far searchers looked; discount_surface draws clicks"
        )
    rows, measure = first_fit(calibration, measure)
    every = one_fit(rows)
    frame = _shares(every)
    far = how_many(
        (frame["group"].n_unique(), every["query_position"].n_unique(), "queries"),
        (frame["rank"].n_unique(), every["rank"].n_unique(), "ranks"),
    )
    below = [line for line in (line_below(calibration, subtitle), KEY, far) if line]
    most = max(1.0, float(frame["value"].max() or 0))  # type: ignore[arg-type]
    queries = frame.get_column("group").unique().cast(pl.Int64).sort().cast(pl.String).to_list()
    axis = alt.Axis(
        title=["Rank in the result list", *([] if measure is None else [plain("measure", measure)])], tickMinStep=1
    )
    share = alt.Axis(title="Sessions that look there", format="%", tickCount=6)
    x = alt.X(field="rank", type="quantitative", axis=axis, scale=alt.Scale(zero=False, nice=False, padding=8))
    y = alt.Y(field="value", type="quantitative", axis=share, scale=alt.Scale(domain=[0, most]))
    shade = color(queries, None, "Query")
    shade["scale"]["domain"] = shade["legend"]["values"] = queries  # in their order, not by name
    shade["legend"]["symbolOpacity"] = 1
    _, shape = parted("group", queries, "Query")
    tips = [
        tip("group", "Query"),
        tip("rank", "Rank", "d"),
        share_tip("value", "Expected"),
        share_tip("number", "Observed"),
    ]
    tips += [share_tip("low", "From"), share_tip("high", "To"), tip("n", "Sessions", "d")]
    lines = alt.Chart(values(frame)).mark_line().encode(x=x, y=y, color=shade)
    seen = alt.Y(field="number", type="quantitative", axis=share, scale=alt.Scale(domain=[0, most]))
    reach = alt.Y(field="low", type="quantitative", axis=share, scale=alt.Scale(domain=[0, most]))
    ends = alt.Chart(values(frame)).mark_rule(opacity=0.5).encode(x=x, y=reach, y2=alt.Y2(field="high"), color=shade)
    points = (
        alt.Chart(values(frame)).mark_point(filled=True).encode(x=x, y=seen, color=shade, shape=shape, tooltip=tips)
    )
    layers = layered([ends, lines, points])
    return titled(layers, title, below, synthetic, width=width, height=height)


def _shares(fit: pl.DataFrame) -> pl.DataFrame:
    """The shares of queries that enough sessions come to, with their intervals; ``group`` is the query."""
    shares = looked_at(fit).filter(pl.col("rank") <= MOST_RANKS)
    come = shares.group_by("query_position").agg(pl.max_horizontal("value", "number").max().alias("most"))
    drawn = come.filter(pl.col("most") >= LEAST).sort("query_position").head(MOST_QUERIES)
    low, high = wilson(pl.col("n"), pl.col("sessions"), 0.95)
    some = shares.join(drawn, on="query_position", how="semi", maintain_order="left")
    group = pl.col("query_position").cast(pl.String)
    shares = some.select(group.alias("group"), "rank", "value", "number", "n", low=low, high=high)
    return with_percents(shares, "value", "number", "low", "high")
