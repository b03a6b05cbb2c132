"""How far searchers look: the share of sessions that look at each rank of each query, observed and as a discount expects it."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import (
    SHAPES,
    checked,
    color,
    drawn_of,
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
from sessionkit.charts.theme import kind_colors
from sessionkit.display.labels import plain
from sessionkit.display.numbers import counted
from sessionkit.errors import UsageError
from sessionkit.robustness.calibrate_counts import Calibration
from sessionkit.statistics.distributions import wilson

COLUMNS = ("rank", "query_position", "observed", "expected")
MOST_QUERIES, MOST_RANKS = len(SHAPES), 20
"""Queries that have a line, and its ranks."""
LEAST = 0.01
"""Share of the most looked-at place that a query must reach, by what was observed or expected, to be drawn."""


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
    intervals. A fit to clicks is drawn by their numbers, without intervals. At most six queries and twenty ranks are drawn.

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
        A column is missing, there are no rows, or the rows are of several fits.
    """
    are_clicks = isinstance(calibration, Calibration) and calibration.signal == "clicks"
    rows, measure = _first_fit(calibration, measure)
    every = _one_fit(rows)
    sessions = max(float(every["observed"].max() or 0), 1e-300)  # type: ignore[arg-type]
    frame = _counts(every, sessions) if are_clicks else _shares(every, sessions)
    far = how_many(
        (frame["group"].n_unique(), every["query_position"].n_unique(), "queries"),
        (frame["rank"].n_unique(), every["rank"].n_unique(), "ranks"),
    )
    key = "Points: observed; lines: expected"
    if not are_clicks:
        key = f"Points: observed (100% is {counted(round(sessions), 'session')}), with 95% intervals; lines: expected"
    below = [line for line in (line_below(calibration, subtitle), key, far) if line]
    most = max(1.0, *(float(frame[name].max() or 0) for name in ("value", "number")))  # type: ignore[arg-type]
    queries = frame.get_column("group").unique().cast(pl.Int64).sort().cast(pl.String).to_list()
    axis = alt.Axis(
        title=["Rank in the result list", *([] if measure is None else [plain("measure", measure)])], tickMinStep=1
    )
    share = alt.Axis(title="Sessions that look there", format="%", tickCount=6)
    if are_clicks:
        share = alt.Axis(title="Clicks", tickCount=6)
    x = alt.X(field="rank", type="quantitative", axis=axis, scale=alt.Scale(zero=False, nice=False, padding=8))
    y = alt.Y(field="value", type="quantitative", axis=share, scale=alt.Scale(domain=[0, most]))
    shade = color(queries, dict(zip(queries, kind_colors(len(queries)), strict=True)), "Query")
    shade["scale"]["domain"] = shade["legend"]["values"] = queries  # in their order, not by name
    shade["legend"]["symbolOpacity"] = 1
    _, shape = parted("group", queries, "Query")
    tips = [tip("group", "Query"), tip("rank", "Rank", "d")]
    if are_clicks:
        tips += [tip("value", "Expected", ",.1f"), tip("number", "Observed", ",d")]
    else:
        tips += [share_tip("value", "Expected"), share_tip("number", "Observed")]
        tips += [share_tip("low", "From"), share_tip("high", "To"), tip("n", "Sessions", "d")]
    lines = alt.Chart(values(frame)).mark_line().encode(x=x, y=y, color=shade)
    seen = alt.Y(field="number", type="quantitative", axis=share, scale=alt.Scale(domain=[0, most]))
    reach = alt.Y(field="low", type="quantitative", axis=share, scale=alt.Scale(domain=[0, most]))
    ends = alt.Chart(values(frame)).mark_rule(opacity=0.5).encode(x=x, y=reach, y2=alt.Y2(field="high"), color=shade)
    intervals = [] if are_clicks else [ends]
    points = (
        alt.Chart(values(frame)).mark_point(filled=True).encode(x=x, y=seen, color=shade, shape=shape, tooltip=tips)
    )
    layers = layered([*intervals, lines, points])
    return titled(layers, title, below, synthetic, width=width, height=height)


def _first_fit(calibration: Any, measure: str | None) -> tuple[Any, str | None]:  # noqa: ANN401  # anything tabular
    """The rows of the first fit of a finding, or rows as they are, and the text of the measure."""
    if not isinstance(calibration, Calibration):
        return drawn_of(calibration, "", "sessionkit.calibrate"), measure
    first = calibration.fits.row(0, named=True)
    rows = calibration.expected.filter(model=first["model"], criterion=first["criterion"])
    return rows, measure or first["measure"] or first["model"]


def _one_fit(calibration: Any) -> pl.DataFrame:  # noqa: ANN401  # anything tabular
    """The rows of one fit, one for each place."""
    frame = checked(calibration, COLUMNS, "sessionkit.Calibration.expected")
    if frame.select("rank", "query_position").is_duplicated().any():
        msg = "this chart shows one fit: filter the frame by model and criterion first"
        raise UsageError(msg)
    return frame.sort("query_position", "rank")


def _counts(fit: pl.DataFrame, most: float) -> pl.DataFrame:
    """The expected and observed counts of the queries that are drawn; ``group`` is the query."""
    fit = fit.filter(pl.col("rank") <= MOST_RANKS).with_columns(pl.col("expected", "observed").cast(pl.Float64))
    reached = fit.group_by("query_position").agg(most=pl.max_horizontal("expected", "observed").max())
    drawn = reached.filter(pl.col("most") >= LEAST * most).sort("query_position").head(MOST_QUERIES)
    rows = fit.join(drawn, on="query_position", how="semi", maintain_order="left")
    group = pl.col("query_position").cast(pl.String)
    return rows.select(
        group.alias("group"), "rank", value="expected", number="observed", n=pl.col("observed").cast(pl.Int64)
    )


def _shares(fit: pl.DataFrame, sessions: float) -> pl.DataFrame:
    """Those counts as shares of the most observed place, to which all sessions come, with their intervals."""
    counts = _counts(fit, sessions).with_columns(sessions=pl.lit(sessions))
    low, high = wilson(pl.col("n"), pl.col("sessions"), 0.95)
    shares = counts.with_columns(pl.col("value", "number") / sessions, low=low, high=high).drop("sessions")
    return with_percents(shares, "value", "number", "low", "high")
