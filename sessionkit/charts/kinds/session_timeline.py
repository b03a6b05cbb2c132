"""One session in time: its queries, the time from each to the next, the clicks and how long their documents were read."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.canvas import SCREEN_SIZE, Canvas, content_width, heading, key
from sessionkit.charts.encodings import checked, fitted_by, titled
from sessionkit.charts.session_panels import time_panel
from sessionkit.display.labels import printable_column
from sessionkit.errors import UsageError
from sessionkit.study.tabular import as_polars

QUERIES = ("query_position", "text", "start", "end", "results")
CLICKS = ("query_position", "rank", "doc_id", "at", "dwell")
MOST = 60
"""Queries of one figure."""


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
    """Draw a session's queries one below the other along a time axis, since its first event, which leaves long gaps out.

    A thin line is the time from a query to the next one, or to the end of the session; it is not time spent on the list.

    Parameters
    ----------
    queries
        query_position, text (null where unknown), start (seconds since the session's first event), end (when
        the next query was issued, or the session ended; null where unknown), results (how many were shown).
    clicks
        query_position, rank, doc_id, at (seconds), dwell (seconds, null where unknown); None without any.
    synthetic, title, subtitle
        As for `session_curve`.
    width
        Of the whole chart in pixels, by default 640. `sessionkit.charts.save` draws it anew for its width.
    height
        None: the height follows from the content.

    Raises
    ------
    UsageError
        A column is missing; there are no queries, or more than 60; the width is no number of pixels above 0; or a height is given.
    """
    page_width = content_width(width, height)
    frame = checked(queries, QUERIES, "the queries of one session").sort("query_position")
    if len(frame) > MOST:
        raise UsageError(f"one figure shows {MOST} queries, not {len(frame):,}; filter the frame")
    seen = None if clicks is None else as_polars(clicks, "sessionkit.timeline").collect()
    seen = None if seen is None or seen.is_empty() else checked(seen, CLICKS, "the clicks of one session")
    seen = None if seen is None else seen.join(frame, on="query_position", how="semi")
    labels = [
        f"Q{position}" if text is None else f"Q{position}  {text}"
        for position, text in frame.select("query_position", "text").iter_rows()
    ]

    def draw(width: float, size: float) -> alt.LayerChart:
        canvas = Canvas(width, size)
        heading(canvas, "Time since the session began")
        time_panel(canvas, frame, seen, lanes=labels)
        key(canvas)
        return canvas.chart(_table(frame, seen))

    chart = fitted_by(draw(page_width, SCREEN_SIZE), draw)
    return titled(chart, title, [subtitle] if subtitle else [], synthetic)


def _table(queries: pl.DataFrame, clicks: pl.DataFrame | None) -> pl.DataFrame:
    """Queries, and then clicks, with their seconds."""
    rows = queries.select(
        "query_position", "start", "end", "results", text=printable_column("text"), part=pl.lit("query")
    )
    if clicks is None:
        return rows
    end = pl.col("at") + pl.col("dwell")
    looks = clicks.select(
        "query_position",
        "rank",
        "dwell",
        start="at",
        end=end,
        document=printable_column("doc_id"),
        part=pl.lit("click"),
    )
    return pl.concat([rows, looks], how="diagonal_relaxed")
