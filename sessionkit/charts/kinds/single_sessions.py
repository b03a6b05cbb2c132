"""Figure 4 of ECIR 2008: every single session of one system and topic, with the point where its searcher stopped."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import Boundaries
from sessionkit.charts.encodings import checked, gain_axis, guide, lines_of, stacked, tip
from sessionkit.charts.theme import INK, PALETTE
from sessionkit.display.labels import printable_column
from sessionkit.errors import UsageError

COLUMNS = ("session_id", "slot", "query_position", "rank", "value", "stopped")
STOPPED = "Searcher stopped"
MOST = 200
"""Sessions that one chart may hold; many fewer can be told apart."""
DENSE = 40
"""Sessions beyond which lines are fainter, so that many on each other look darker than a few."""


def single_sessions(
    curve: Any,  # noqa: ANN401  # anything tabular
    *,
    color: str = PALETTE[0],
    normalized: bool = False,
    measure: str | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw one line per session up to its marked stopping point, and its held gain dashed after that.

    A number marks a point where several sessions stopped with the same gain.

    Parameters
    ----------
    curve
        A frame of `sessionkit.curve_with_stops` per session: session_id, slot, query_position, rank,
        value, stopped (true after the session's own last slot).
    color
        Color of the lines as ``#rrggbb``, that of the system in other figures.
    normalized, measure, synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, there are no rows, or more than 200 sessions.
    """
    frame = checked(curve, COLUMNS, "sessionkit.curve_with_stops")
    frame = frame.select(printable_column("session_id").alias("session"), pl.exclude("session_id"))
    many = frame.get_column("session").n_unique()
    if many > MOST:
        raise UsageError(f"{many:,} sessions are too many for one chart; choose one system and topic, at most {MOST}")
    queries = Boundaries.of(frame)
    x = queries.axis()
    y = gain_axis("Normalized cumulated gain" if normalized else "Cumulated gain", measure)
    own = frame.filter(~pl.col("stopped"))
    stops = own.group_by("session").agg(pl.all().sort_by("slot").last()).filter(pl.col("value").is_not_null())
    before = frame.join(stops.select("session", last="slot"), on="session", how="left")
    held = before.filter(pl.col("stopped") | (pl.col("slot") == pl.col("last"))).drop("last")
    session = alt.Detail(field="session", type="nominal")
    after = lines_of(held, "session", "slot", "value").mark_line(
        color=color, opacity=0.35 if many <= DENSE else 0.15, strokeWidth=1, strokeDash=[3, 3]
    )
    lines = lines_of(own, "session", "slot", "value", shown=frame).mark_line(
        color=color, opacity=0.75 if many <= DENSE else 0.3, strokeWidth=1.5
    )
    drawn = [layer.encode(x=x, y=y, detail=session) for layer in (after, lines)]
    return stacked(
        [*queries.layers(), *drawn, *_stopping_points(stops, color, x, y)],
        title,
        synthetic,
        subtitle,
        width=width,
        height=height,
    )


def _stopping_points(stops: pl.DataFrame, color: str, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Points where sessions stopped, those at one place as one point with their number."""
    if stops.is_empty():
        return []
    names = pl.col("session").sort()
    more = pl.when(pl.len() > 5).then(pl.concat_str(pl.lit(", … of "), pl.len())).otherwise(pl.lit(""))
    places = stops.group_by("slot", "value").agg(
        session=pl.concat_str(names.head(5).str.join(", "), more),
        query_position=pl.col("query_position").first(),
        number=pl.len().cast(pl.Int64),
    )
    places = places.sort("slot", "value").with_columns(mark=pl.lit(STOPPED))
    tips = [tip("session", "Session"), tip("query_position", "Stopped after query"), tip("slot", "Slot", "d")]
    tips += [tip("value", "Gain", ".4f"), tip("number", "Sessions", "d")]
    only = alt.Scale(domain=[STOPPED], range=["circle"])
    kind = alt.Shape(field="mark", type="nominal", scale=only, legend=alt.Legend(title=None))
    points = alt.Chart(guide(places)).mark_point(filled=True, size=52, color=color, stroke="white", strokeWidth=0.8)
    several = places.filter(pl.col("number") > 1)
    texts = alt.Chart(guide(several)).mark_text(align="left", baseline="bottom", dx=4, dy=-3, fontSize=10, color=INK)
    counted = texts.encode(x=x, y=y, text=alt.Text(field="number", type="quantitative", format="d"))
    return [points.encode(x=x, y=y, shape=kind, tooltip=tips), *([counted] if len(several) else [])]
