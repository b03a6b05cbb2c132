"""A fitted discount over ranks and query positions, with what was looked at drawn over it."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.analysis.calibrate.calibration import Calibration
from sessionkit.charts.encodings import (
    checked,
    drawn_of,
    folded,
    how_many,
    layered,
    line_below,
    share_tip,
    tip,
    titled,
    values,
    with_percents,
)
from sessionkit.display.labels import plain
from sessionkit.errors import UsageError

COLUMNS = ("rank", "query_position", "observed", "expected")
MOST_RANKS, MOST_QUERIES = 20, 15
"""Places that are drawn; further ones are seldom looked at, and cells would get too small."""
LEAST = 1e-3
"""Shares below this have the faintest color."""
HUES = ("#F2F6FA", "#C6DBEC", "#8FBFDE", "#4C96C5", "#1C68A3", "#08306B")
KEY = "Cells: expected; circles: observed, fainter where fewer looked, empty where nobody did"
PALE = "#BDBDBD"
LONGEST = 60
"""Characters of a measure's text on a line."""


def discount_surface(
    calibration: Any,  # noqa: ANN401  # anything tabular
    *,
    measure: str | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the expected share of sessions that look at each rank and query position, as colored cells.

    The circle in a cell has the color of the observed share: it vanishes where the discount fits, is darker where
    searchers looked more than expected, lighter where they looked less, and white where nobody looked. Colors are
    logarithmic.

    Parameters
    ----------
    calibration
        What `sessionkit.calibrate` found, of which the first fit is drawn, or rows of one fit of its ``expected``: rank,
        query_position, observed, expected.
    measure
        Text of the fitted measure, above the drawing; by default that of the fit.
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
    subtitle = line_below(calibration, subtitle)
    rows, measure = first_fit(calibration, measure)
    frame = one_fit(rows)
    shares = looked_at(frame).filter(pl.col("rank") <= MOST_RANKS, pl.col("query_position") <= MOST_QUERIES)
    shares = with_percents(shares, "value", "number", decimals=2)
    far = how_many(
        *(
            (shares[name].n_unique(), frame[name].n_unique(), words)
            for name, words in (("rank", "ranks"), ("query_position", "queries"))
        )
    )
    told = [] if measure is None else folded(plain("measure", measure), LONGEST)
    below = alt.Axis(title=["Rank in the result list", *told], labelAngle=0, labelOverlap=True, ticks=False)
    beside = alt.Axis(title="Query of the session", labelOverlap=True, ticks=False, grid=False)
    place: dict[str, Any] = {
        "x": alt.X(field="rank", type="ordinal", axis=below, scale=alt.Scale(padding=0)),
        "y": alt.Y(field="query_position", type="ordinal", axis=beside, scale=alt.Scale(padding=0)),
    }
    tips = [tip("rank", "Rank", "d"), tip("query_position", "Query", "d"), share_tip("value", "Expected")]
    tips += [share_tip("number", "Observed"), tip("n", "Observed looks", "d")]
    cells = alt.Chart(values(shares)).mark_rect(stroke="white", strokeWidth=1)
    layers = [cells.encode(**place, color=_color("value"), tooltip=tips)]
    dot: dict[str, Any] = {"shape": "circle", "filled": True, "size": 110, "opacity": 1, "strokeWidth": 0.7}
    seen, unseen = shares.filter(pl.col("n") > 0), shares.filter(pl.col("n") == 0)
    if len(seen):
        circles = alt.Chart(values(seen)).mark_point(**dot, stroke="white")
        layers.append(circles.encode(**place, color=_color("number"), tooltip=tips))
    if len(unseen):
        circles = alt.Chart(values(unseen)).mark_point(**dot, color="white", stroke=PALE)
        layers.append(circles.encode(**place, tooltip=tips))
    said = [line for line in (subtitle, KEY, far) if line]
    return titled(layered(layers), title, said, synthetic, width=width, height=height)


def first_fit(calibration: Any, measure: str | None) -> tuple[Any, str | None]:  # noqa: ANN401  # anything tabular
    """The rows of the first fit of a finding, or rows as they are, and the text of the measure.

    Raises
    ------
    UsageError
        It is the finding of another function.
    """
    if not isinstance(calibration, Calibration):
        return drawn_of(calibration, "", "sessionkit.calibrate"), measure
    first = calibration.fits.row(0, named=True)
    rows = calibration.expected.filter(model=first["model"], criterion=first["criterion"])
    return rows, measure or first["measure"] or first["model"]


def one_fit(calibration: Any) -> pl.DataFrame:  # noqa: ANN401  # anything tabular
    """The rows of one fit, one for each place.

    Raises
    ------
    UsageError
        A column is missing, there are no rows, or the rows are of several fits.
    """
    frame = checked(calibration, COLUMNS, "sessionkit.Calibration.expected")
    if frame.select("rank", "query_position").is_duplicated().any():
        msg = "this chart shows one fit: filter the frame by model and criterion first"
        raise UsageError(msg)
    return frame


def looked_at(fit: pl.DataFrame) -> pl.DataFrame:
    """Looks as shares of those at the most observed place, to which all sessions come.

    Columns: ``query_position``, ``rank``, ``value`` expected, ``number`` observed, ``n`` looks of so many ``sessions``.
    """
    sessions = max(float(fit["observed"].max() or 0), 1e-300)  # type: ignore[arg-type]
    return fit.select(
        "query_position",
        "rank",
        value=pl.col("expected").cast(pl.Float64) / sessions,
        number=pl.col("observed").cast(pl.Float64) / sessions,
        n=pl.col("observed").cast(pl.Int64),
        sessions=pl.lit(sessions),
    ).sort("query_position", "rank")


def _color(field: str) -> alt.Color:
    """The color of a share, on a scale that cells and circles have in common."""
    scale = alt.Scale(type="log", domain=[LEAST, 1], range=list(HUES), clamp=True)
    legend = alt.Legend(
        title=["Share of sessions", "that look there"],
        values=[1, 0.1, 0.01, LEAST],
        format="~%",
        type="symbol",
        symbolType="square",
    )
    return alt.Color(field=field, type="quantitative", scale=scale, legend=legend)
