"""How far searchers looked: of the lists of each query of a session, the share that was looked at down to each rank."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import FEW, few_line
from sessionkit.charts.encodings import (
    NUMBERS,
    by_ink,
    checked,
    drawn_of,
    how_many,
    layered,
    line_below,
    share_tip,
    tip,
    titled,
    values,
    with_percents,
)
from sessionkit.charts.kinds.user_topic_heatmap import HUES
from sessionkit.errors import UsageError
from sessionkit.robustness.calibrate_counts import Calibration

COLUMNS = ("query_position", "rank", "looks", "lists", "share")
FEWEST = 2
"""Lists that a share is drawn of."""
MOST_RANKS, MOST_QUERIES = 20, 15
"""Places that are drawn; further ones are seldom looked at, and cells would get too small."""
SMALL = 0.32, 0.68
"""Between which parts of its place a cell of few lists is drawn: paler, it would look like a smaller share."""
WRITTEN = 10
"""Ranks up to which the percents are written into the cells."""
DEEP = 0.6
"""The share from which on they are white."""
ROW, CELL, NARROWEST, WIDEST = 20, 30, 120, 340
"""Height of a row, width of a cell, and the least and greatest width of all cells, in pixels."""
STRETCH = [0, 0.2, 0.4, 0.6, 0.8, 1]
"""Shares of the hues, from light to dark."""


def examination_heatmap(
    calibration: Any,  # noqa: ANN401  # anything tabular
    *,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the share of lists that were looked at down to each rank, a row for each query of the session.

    The number of lists stands beside each query. A share of fewer than 10 lists is a small cell without a number. Shares of fewer
    than two lists, and those that are unknown, are gaps. Ranks beyond 20 and queries beyond 15 are left out, as a line below the
    title says.

    Parameters
    ----------
    calibration
        What `sessionkit.calibrate` found, or its ``examined``: query_position, rank, looks, lists, share.
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
        A column is missing, the counts are of clicks and not of lists, or no share is of two lists.
    """
    subtitle = line_below(calibration, subtitle)
    every = checked(
        drawn_of(calibration, "examined", "sessionkit.calibrate"), COLUMNS, "sessionkit.Calibration.examined"
    )
    clicks = isinstance(calibration, Calibration) and calibration.signal == "clicks"
    if clicks or not every.get_column("lists").count():
        raise UsageError(
            "these counts are of clicks, and do not say of how many lists; draw the examined of a study, or of counts of lists"
        )
    known = every.filter(pl.col("lists") >= FEWEST, pl.col("share").is_finite())
    if known.is_empty():
        raise UsageError(f"there is nothing to draw: no rank of a query has a share of at least {FEWEST} lists")
    frame = known.filter(pl.col("rank") <= MOST_RANKS, pl.col("query_position") <= MOST_QUERIES)
    rank, query = (int(max(known[name])) for name in ("rank", "query_position"))
    ranks, queries = range(1, min(rank, MOST_RANKS) + 1), range(1, min(query, MOST_QUERIES) + 1)
    lists = dict(every.group_by("query_position").agg(pl.col("lists").sort_by("rank").first()).rows())
    names = {number: f"{number} ({lists.get(number, 0):,})" for number in queries}
    place: dict[str, Any] = {
        "x": _axis(alt.X, "rank", [*ranks], "Rank in the result list"),
        "y": _axis(alt.Y, "row", [*names.values()], "Query of the session (lists)"),
    }
    shade = alt.Color(
        field="value",
        type="quantitative",
        scale=alt.Scale(domain=STRETCH, range=list(HUES)),
        legend=alt.Legend(
            title=["Share of lists", "looked at so far"],
            values=STRETCH,
            format="~%",
            type="symbol",
            symbolType="square",
        ),
    )
    tips = [tip("query_position", "Query", "d"), tip("rank", "Rank", "d"), share_tip("value", "Share of lists")]
    tips += [tip("n", "Lists or clicks there", "d"), tip("number", "Lists", "d")]
    row = pl.col("query_position").replace_strict(names, return_dtype=pl.String)
    rows = frame.select(
        "query_position", "rank", row=row, value="share", n="looks", number="lists", label=_whole_percent()
    )
    rows = with_percents(rows, "value")
    table = frame.select("query_position", "rank", "share", "looks", "lists")
    begin, end = SMALL
    inside = {name: place[name].bandPosition(begin) for name in ("x", "y")}
    inside |= {"x2": alt.X2(field="rank", bandPosition=end), "y2": alt.Y2(field="row", bandPosition=end)}
    several, few = rows.filter(pl.col("number") >= FEW), rows.filter(pl.col("number") < FEW)
    layers: list[alt.Chart] = []
    for cells, spot in ((several, place), (few, inside)):
        if len(cells):
            data = values(cells, table.clear() if layers else table)
            layers.append(
                alt.Chart(data).mark_rect(stroke="white", strokeWidth=1).encode(**spot, color=shade, tooltip=tips)
            )
    for some, ink in by_ink(several, pl.col("value") >= DEEP) if len(ranks) <= WRITTEN else ():
        words = some.mark_text(fontSize=10, color=ink)
        layers.append(words.encode(**place, text=alt.Text(field="label", type="nominal"), tooltip=tips))
    key = [f"{NUMBERS}percent"] if len(ranks) <= WRITTEN and len(several) else []
    below = [
        line
        for line in (
            subtitle,
            *key,
            few_line(rows["number"], "lists", "Small cells"),
            how_many((MOST_RANKS, rank, "ranks"), (MOST_QUERIES, query, "queries")),
        )
        if line
    ]
    across = max(NARROWEST, min(WIDEST, CELL * len(ranks)))
    return titled(
        layered(layers, width=across, height=alt.Step(ROW)),
        title,
        below,
        synthetic,
        width=width,
        height=height,
    )


def _whole_percent() -> pl.Expr:
    """The share in whole percent, for a cell without room for more: ``<1`` where it is not 0, ``>99`` where it is not all."""
    percent = pl.col("share") * 100
    whole = percent.round().cast(pl.Int64).cast(pl.String)
    return (
        pl.when((percent > 0) & (percent < 1))
        .then(pl.lit("<1"))
        .when((percent > 99) & (percent < 100))
        .then(pl.lit(">99"))
        .otherwise(whole)
    )


def _axis(channel: Any, field: str, places: list[Any], title: str) -> Any:  # noqa: ANN401  # alt.X or alt.Y
    """An axis of places, also of those that no cell has."""
    axis = alt.Axis(title=title, labelAngle=0, labelOverlap=True, grid=False, ticks=False, domain=False)
    return channel(field=field, type="ordinal", scale=alt.Scale(domain=places, padding=0), axis=axis)
