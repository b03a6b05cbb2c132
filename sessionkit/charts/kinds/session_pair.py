"""Two sessions of one topic side by side: their queries, and the list of each with grades, clicks and what results add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.canvas import LINE, SCREEN_SIZE, Canvas, Limits, content_width, cut, key
from sessionkit.charts.encodings import checked, fitted_by, titled
from sessionkit.charts.session_panels import Place, clean_queries, clean_results, exact_sum, query_panel
from sessionkit.display.labels import plain, printable_column
from sessionkit.display.numbers import compact, counted
from sessionkit.errors import UsageError
from sessionkit.study.tabular import as_polars

COLUMNS = ("session_id", "query_position", "rank", "doc_id", "grade", "contribution")
ABOUT = ("session_id", "query_position", "text")
SOURCE = "sessionkit.explain"
KEY_HEIGHT = 4.5
"""Height of the explanation of marks, in font sizes."""


def session_pair(
    explained: Any,  # noqa: ANN401  # anything tabular
    queries: Any = None,  # noqa: ANN401
    *,
    groups: Mapping[str, str] | None = None,
    measure: str = "Value",
    limits: Limits | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw two sessions side by side: their queries with terms added and removed, and the list of each by rank.

    A bar is what a result adds to the value of the session, on one scale for both; a chip is its grade, a stronger shade is higher;
    an open chip is a result that was not judged or does not count. A triangle is a click. Queries that add least are left out if
    the page is too small, and counted.

    Parameters
    ----------
    explained
        A frame of `sessionkit.explain` of two sessions: session_id, query_position, rank, doc_id, grade, contribution (null
        for results that do not count); and, where it is known, clicked. The session of the first row stands left.
    queries
        session_id, query_position, text (null where unknown), also of queries without results; then the session of the first
        of these stands left. None, only queries with results are drawn, without their texts.
    groups
        The group of each session, such as its system, by its id.
    measure
        Text of the measure.
    limits
        The least and the greatest value of rank, grade and contribution in all pairs that are compared, see `session_card`. By
        default those of this pair.
    synthetic, title, subtitle
        As for `session_curve`.
    width
        Of the whole chart in pixels, by default 640. `sessionkit.charts.save` draws it anew for its width.
    height
        None: the height follows from the content.

    Raises
    ------
    UsageError
        A column is missing; there are not two sessions; the measure has no value for one of them; the width is no number of
        pixels above 0; or a height is given.
    """
    page_width = content_width(width, height)
    frame = checked(explained, COLUMNS, SOURCE)
    given = as_polars(explained, SOURCE).collect()
    if "clicked" in given.columns:
        frame = frame.with_columns(given.get_column("clicked"))
    about = None if queries is None else checked(queries, ABOUT, "the queries of two sessions")
    every = frame if about is None else pl.concat([about.select("session_id"), frame.select("session_id")])
    sessions = every.get_column("session_id").unique(maintain_order=True).to_list()
    if len(sessions) != 2:
        raise UsageError(f"this chart draws two sessions, not {len(sessions):,}; filter the frame")
    name = plain("measure", measure)
    sides = [_Side.read(session, frame, about, groups or {}, name) for session in sessions]
    results = pl.concat([side.results for side in sides])

    def draw(width: float, size: float) -> alt.LayerChart:
        canvas = Canvas(width, size, limits)
        gap = 1.5 * size
        ends = []
        for number, side in enumerate(sides):
            place = Place(number * (width + gap) / 2, (width - gap) / 2)
            canvas.y = 0.0
            for line, kind in side.head:
                text = cut(line, place.width, size, bold=kind == "head")
                canvas.mark(kind, place.left, canvas.y + LINE * size / 2, text=text)
                canvas.y += LINE * size
            canvas.y += 0.4 * size
            room = canvas.most_height - canvas.y - KEY_HEIGHT * size
            query_panel(canvas, side.results, side.queries, place, room=room, compared=results)
            ends.append(canvas.y)
        canvas.y = max(ends)
        key(canvas)
        return canvas.chart(_table(results))

    chart = fitted_by(draw(page_width, SCREEN_SIZE), draw)
    return titled(chart, title, [subtitle] if subtitle else [], synthetic)


@dataclass(frozen=True)
class _Side:
    """One of two sessions: its results, its queries, and the lines above them."""

    results: pl.DataFrame
    queries: pl.DataFrame
    head: list[tuple[str, str]]

    @classmethod
    def read(
        cls, session: str, frame: pl.DataFrame, about: pl.DataFrame | None, groups: Mapping[str, str], measure: str
    ) -> _Side:
        """The session of this id; refused if it has results of which none has a contribution."""
        results = clean_results(frame.filter(pl.col("session_id") == session))
        total = results.select(exact_sum("contribution")).item()
        if len(results) and total is None:
            raise UsageError(f"{measure} has no value for session {session!r}, since nothing is judged for it")
        queries = None if about is None else about.filter(pl.col("session_id") == session)
        name = str(session)
        lines = [name if name.startswith("session ") else f"session {name}", f"{measure}: {compact(total or 0.0)}"]
        n_judged = results.get_column("grade").count()
        lines += [f"{n_judged:,} of {counted(len(results), 'result')} judged"] if n_judged else []
        lines = [groups[name], *lines] if name in groups else lines
        head = [(line, "text" if number else "head") for number, line in enumerate(lines)]
        return cls(results, clean_queries(queries, results), head)


def _table(results: pl.DataFrame) -> pl.DataFrame:
    """The results as a table."""
    columns = ("query_position", "rank", "grade", "clicked", "contribution")
    names = results.select(*columns, session=printable_column("session_id"), document=printable_column("doc_id"))
    return names.select("session", "document", *columns)
