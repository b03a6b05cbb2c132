"""One session on a page: queries with added and removed terms, lists with grades and clicks, gain, and time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.canvas import SCREEN_SIZE, Canvas, Limits, content_width, heading, key
from sessionkit.charts.encodings import checked, fitted_by, titled
from sessionkit.charts.session_panels import (
    clean_queries,
    clean_results,
    exact_sum,
    gain_panel,
    query_panel,
    time_panel,
)
from sessionkit.display.labels import plain, printable_column
from sessionkit.display.numbers import compact
from sessionkit.study.tabular import as_polars

RESULTS = ("query_position", "rank", "doc_id", "grade", "contribution")
CURVE = ("slot", "query_position", "rank", "value", "ideal")
PANELS_BELOW = {"gain": 10.5, "time": 8.0, "key": 4.5}
"""Heights of the panels below the lists, in font sizes."""


def session_card(
    results: Any,  # noqa: ANN401  # anything tabular
    queries: Any = None,  # noqa: ANN401
    *,
    curve: Any = None,  # noqa: ANN401
    times: Any = None,  # noqa: ANN401
    clicks: Any = None,  # noqa: ANN401
    head: Sequence[str] = (),
    measure: str = "Value",
    limits: Limits | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw one session on a page.

    Each query has its text, with terms added to the query before in bold and removed terms struck; bars of what each
    result adds; chips of grades, empty where a result is unjudged or does not count; clicks; and its sum. Below stand the
    gain beside its ideal, and time. Queries that add least are left out if the page is too small.

    Parameters
    ----------
    results
        query_position, rank, doc_id, grade (null: unjudged), contribution (null: does not count); optional: clicked,
        dwell (seconds). It may be empty.
    queries
        query_position, text (null where it was not logged); optional: results_status. None: those of the results.
    curve
        slot, query_position, rank, value (gain so far) and ideal (null where there is none). None: no such panel.
    times
        query_position, start and end (seconds; end is when the next query was issued). None: no time axis.
    clicks
        query_position, rank, doc_id, at and dwell (seconds), for the time axis.
    head
        Lines above the lists, such as the user, the topic and the score.
    measure
        Text of the measure.
    limits
        The least and the greatest value of rank, grade, contribution, slot, value and ideal in all cards that are compared, such
        as ``{"contribution": (0.0, 1.2)}``: cards with the same limits have the same scales. By default those of this session.
    synthetic, title, subtitle
        As for `session_curve`.
    width
        Of the page in pixels, by default 640. `sessionkit.charts.save` draws it anew for its width.
    height
        None: the height follows from the content.

    Raises
    ------
    UsageError
        A column is missing, the width is no number of pixels above 0, or a height is given.

    Examples
    --------
    >>> import sessionkit as sk
    >>> results = {"query_position": [1, 1], "rank": [1, 2], "doc_id": ["a", "b"], "grade": [2, None], "contribution": [2.0, 0.0]}
    >>> chart = sk.charts.session_card(results, {"query_position": [1], "text": ["jaguar speed"]})
    """
    page_width = content_width(width, height)
    rows = as_polars(results, "sessionkit.explain").collect()
    rows = clean_results(rows if rows.is_empty() and set(RESULTS) <= set(rows.columns) else _checked_results(rows))
    asked = clean_queries(None if queries is None else as_polars(queries, "the queries of a session").collect(), rows)
    line = None if curve is None else checked(curve, CURVE, "the curve of a session").sort("slot")
    moments = None if times is None else as_polars(times, "sessionkit.timeline").collect().drop_nulls("start")
    events = None if clicks is None else as_polars(clicks, "sessionkit.timeline").collect().drop_nulls("at")
    name = plain("measure", measure)
    lines = [plain("head", text) for text in head]

    def draw(width: float, size: float) -> alt.LayerChart:
        canvas = Canvas(width, size, limits)
        for text in lines:
            canvas.paragraph(text)
        canvas.y += 0.5 * size
        has_gain = rows.get_column("contribution").count() > 0
        parts = [PANELS_BELOW["key"], *([PANELS_BELOW["gain"]] if line is not None else [])]
        parts += [PANELS_BELOW["time"]] if moments is not None and len(moments) else []
        total = rows.select(exact_sum("contribution")).item()
        heading(
            canvas, f"What each result adds to {name}: {compact(total)} in all" if has_gain else "Queries and lists"
        )
        canvas.y += 0.2 * size
        query_panel(canvas, rows, asked, room=canvas.most_height - canvas.y - sum(parts) * size)
        if line is not None:
            ideal = " beside its ideal (dashed)" if line.get_column("ideal").count() else ""
            gain_panel(canvas, line, f"Gain along the lists, {name}{ideal}")
        if moments is not None and len(moments):
            heading(canvas, "Time since the session began")
            time_panel(canvas, moments, events)
        key(canvas)
        return canvas.chart(_table(rows))

    chart = fitted_by(draw(page_width, SCREEN_SIZE), draw)
    return titled(chart, title, [subtitle] if subtitle else [], synthetic)


def _checked_results(rows: pl.DataFrame) -> pl.DataFrame:
    more = [name for name in ("clicked", "dwell") if name in rows.columns]
    return checked(rows, (*RESULTS, *more), "sessionkit.explain")


def _table(rows: pl.DataFrame) -> pl.DataFrame:
    """The results as a table."""
    return rows.select(
        "query_position",
        "rank",
        "grade",
        "clicked",
        "dwell",
        "contribution",
        document=printable_column("doc_id"),
        part=pl.lit("result"),
    )
