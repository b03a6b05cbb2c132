"""One session in time: its queries, how long each list was looked at, the clicks and how long their documents were read."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import (
    checked,
    guide,
    stacked,
    tip,
    values,
)
from sessionkit.charts.theme import FAINT, INK, PALETTE
from sessionkit.display.labels import inert, printable_column
from sessionkit.errors import UsageError

QUERIES = ("query_position", "text", "start", "end", "results")
CLICKS = ("query_position", "rank", "doc_id", "at", "dwell")
COLOURS = {"Result list": "#DCDCDC", "Dwell": PALETTE[3], "Query": INK, "Click": PALETTE[1]}
MOST = 60
"""Queries of one figure."""
ROW = 26
"""Height of a query's row."""
APART = 0.06
"""Share of the time between first and last click that must lie between clicks for the second to get its rank."""
UNITS = (("minutes", 60, 180), ("hours", 3_600, 72), ("days", 86_400, None))
"""Units of time, the seconds of each, and how many of it a session has at most that is drawn in it."""
TEXT = 34
"""Characters of a query's text beside its row."""


def session_timeline(
    queries: Any,  # noqa: ANN401  # anything tabular
    clicks: Any = None,  # noqa: ANN401
    *,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw a session's queries one below the other along a time axis, since its first event, in minutes, hours or days by its length.

    Parameters
    ----------
    queries
        query_position, text (null where unknown), start (seconds since the session's first event), end (of its list: when
        the next query was issued, or the session ended; null where unknown), results (how many were shown).
    clicks
        query_position, rank, doc_id, at (seconds), dwell (seconds, null where unknown); None without any.
    synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, there are no queries, or more than 60.
    """
    frame = checked(queries, QUERIES, "the queries of one session").sort("query_position")
    if len(frame) > MOST:
        raise UsageError(f"one figure shows {MOST} queries, not {len(frame):,}; filter the frame")
    label = pl.concat_str(pl.lit("Q"), pl.col("query_position").cast(pl.String))
    text = printable_column("text")
    short = pl.when(text.str.len_chars() > TEXT).then(pl.concat_str(text.str.slice(0, TEXT - 1), pl.lit("…")))
    worded = pl.concat_str(label, pl.lit("  "), short.otherwise(text))
    named = pl.when(pl.col("text").is_null()).then(label).otherwise(worded)
    looked = None if clicks is None else _clicks(clicks, frame)
    unit, seconds = _unit(frame, looked)
    times = [(pl.col(name) / seconds).alias(name) for name in ("start", "end")]
    rows = frame.select("query_position", *times, "results", label=named, text=text)
    labels = [inert(label) for label in rows.get_column("label")]
    x = alt.X(
        field="start",
        type="quantitative",
        axis=alt.Axis(title=f"{unit.capitalize()} since the session began", grid=True, tickCount=8),
        scale=alt.Scale(zero=True, nice=False, padding=6),
    )
    y = alt.Y(
        field="label",
        type="nominal",
        scale=alt.Scale(domain=labels),
        axis=alt.Axis(title=None, labelLimit=260, domain=False, ticks=False, labelOverlap=False),
    )
    seen = None if looked is None else _placed(looked, rows, seconds)
    present = ["Result list"] * rows.get_column("end").is_not_null().any() + ["Query"]
    if seen is not None:
        present += ["Click"] + ["Dwell"] * seen.get_column("end").is_not_null().any()
    kinds = [kind for kind in COLOURS if kind in present]
    legend = alt.Legend(title=None, symbolType="square")
    scale = alt.Scale(domain=kinds, range=[COLOURS[kind] for kind in kinds])
    shade = alt.Color(field="kind", type="nominal", scale=scale, legend=legend)
    tips = [tip("text", "Query"), tip("results", "Results", "d"), tip("start", f"Issued, {unit}", ".2f")]
    tips.append(tip("end", f"Left, {unit}", ".2f"))
    ended = rows.filter(pl.col("end").is_not_null()).with_columns(kind=pl.lit("Result list"))
    issued = rows.with_columns(kind=pl.lit("Query"))
    place: dict[str, Any] = {"x": x, "y": y, "color": shade}
    base = alt.Chart(guide(ended), height=alt.Step(ROW)).mark_bar(size=12, stroke=FAINT, strokeWidth=0.8)
    layers = [base.encode(**place, x2=alt.X2(field="end"), tooltip=tips)]
    if seen is not None:
        layers += _looks(seen, place, unit)
    ticks = alt.Chart(values(issued, issued.drop("label").rename({"kind": "part"}))).mark_tick(
        thickness=3, size=18, orient="vertical"
    )
    return stacked(
        [*layers, ticks.encode(**place, tooltip=tips)], title, synthetic, subtitle, width=width, height=height
    )


def _clicks(clicks: Any, queries: pl.DataFrame) -> pl.DataFrame | None:  # noqa: ANN401  # anything tabular
    """The clicks on the lists of these queries; None where there are none."""
    given = clicks if isinstance(clicks, pl.DataFrame) else pl.DataFrame(clicks)
    if given.is_empty():
        return None
    found = checked(given, CLICKS, "the clicks of one session").join(queries, on="query_position", how="semi")
    return found if len(found) else None


def _unit(queries: pl.DataFrame, clicks: pl.DataFrame | None) -> tuple[str, int]:
    """The unit of time in which a session is drawn, and its seconds."""
    times = [queries.get_column("start"), queries.get_column("end")]
    times += [] if clicks is None else [clicks.get_column("at"), clicks.get_column("at") + clicks.get_column("dwell")]
    last = max((float(end) for end in (one.max() for one in times) if end is not None), default=0.0)  # type: ignore[arg-type]
    return next((name, size) for name, size, most in UNITS if most is None or last <= most * size)


def _placed(clicks: pl.DataFrame, rows: pl.DataFrame, seconds: int) -> pl.DataFrame:
    """The clicks in a unit of so many seconds, on the rows of their queries."""
    placed = clicks.join(rows.select("query_position", "label"), on="query_position", how="inner")
    return placed.sort("at", "query_position", "rank").select(
        "label",
        "rank",
        start=pl.col("at") / seconds,
        end=(pl.col("at") + pl.col("dwell")) / seconds,
        dwell="dwell",
        document=printable_column("doc_id"),
    )


def _looks(seen: pl.DataFrame, place: dict[str, Any], unit: str) -> list[alt.Chart]:
    """Bars of dwell and points of clicks, with the rank above those that stand apart."""
    tips = [tip("document", "Document"), tip("rank", "Rank", "d"), tip("start", f"Clicked, {unit}", ".2f")]
    tips.append(tip("dwell", "Dwell, seconds", ".0f"))
    read = seen.filter(pl.col("end").is_not_null()).with_columns(kind=pl.lit("Dwell"))
    clicked = seen.with_columns(kind=pl.lit("Click"))
    points = alt.Chart(values(clicked, clicked.drop("label").rename({"kind": "part"}))).mark_point(size=46, filled=True)
    layers = [points.encode(**place, tooltip=tips)]
    if len(read):
        bars = alt.Chart(guide(read)).mark_bar(size=6, opacity=0.9)
        layers.insert(0, bars.encode(**place, x2=alt.X2(field="end"), tooltip=tips))
    gap = pl.col("start").diff().over("label")
    span = seen.select(pl.col("start").max() - pl.col("start").min()).item() or 1.0
    apart = seen.filter(gap.is_null() | (gap > APART * span))
    ranks = alt.Chart(guide(apart)).mark_text(dy=-11, fontSize=9, color=FAINT)
    words = ranks.encode(x=place["x"], y=place["y"], text=alt.Text(field="rank", type="quantitative", format="d"))
    return [*layers, words]
