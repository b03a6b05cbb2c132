"""Tables made text once: rows and columns, with a caption, a note and marks, from a frame; for papers, pages and files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from sessionkit.display.labels import label
from sessionkit.display.numbers import readable_p

HEADERS = {
    "system_id": "System",
    "topic_id": "Topic",
    "user_id": "User",
    "session_id": "Session",
    "judgment_key": "Judgment key",
    "measure": "Measure",
    "value": "Value",
    "n": "n",
    "undefined": "Undefined",
    "judged": "Judged",
    "results": "Results",
    "share": "Share",
    "sessions": "Sessions",
    "users": "Users",
    "topics": "Topics",
    "queries": "Queries",
    "mean_queries": "Queries per session",
    "feature": "Feature",
    "mean": "Mean",
    "sd": "SD",
    "shown": "Shown",
    "short": "Short",
    "empty": "Empty",
    "partly_observed": "Partly observed",
    "not_logged": "Not logged",
    "repeats": "Repeated documents",
}
"""Column headings by name; other columns keep their own."""
DECIMALS = dict.fromkeys(
    (
        "value",
        "value_against",
        "difference",
        "estimate",
        "low",
        "high",
        "ideal",
        "mean_a",
        "mean_b",
        "score",
        "lower",
        "upper",
    ),
    4,
)
SHARES = ("share", "judged")
DEGREES = ("df", "df_error")
CHANCES = ("p", "p_adjusted", "p_independent", "median_p")
"""P-values, as text has them."""
LIMIT = 60
"""Rows a table shows at most; more are counted below it."""
DASH = "\u2013"
"""Stands for what is not there."""


@dataclass(frozen=True)
class TextTable:
    """A table as text.

    Parameters
    ----------
    caption
        Its title.
    headers
        One heading per column.
    rows
        The cells.
    numeric
        Which columns hold numbers, set flush right.
    note
        A sentence below it.
    frame
        The values behind the cells, unrounded, all rows.
    strong
        Cells (row, column) that stand out, such as the best of a measure.
    marks
        What stands behind a cell, raised, such as a mark of significance that the note explains.
    """

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    note: str | None = None
    frame: pl.DataFrame = field(default_factory=pl.DataFrame, repr=False)
    strong: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)


def table_of(
    caption: str,
    frame: pl.DataFrame,
    *,
    headers: Mapping[str, str] = HEADERS,
    note: str | None = None,
    limit: int = LIMIT,
    strong: frozenset[tuple[int, int]] = frozenset(),
    marks: Mapping[tuple[int, int], str] | None = None,
    decimals: int | None = None,
) -> TextTable:
    """Return a frame as a table, numbers at a fixed number of decimals, null as a dash.

    Parameters
    ----------
    caption, note, strong, marks
        See `Table`.
    frame
        The values.
    headers
        Headings by column; others keep their names.
    limit
        Rows that are shown; a note counts the others.
    decimals
        Decimals of numbers, but for shares and p-values; by default those of `DECIMALS`, else 2. A number that would vanish stands
        with its exponent.

    Examples
    --------
    >>> table_of("Scores", pl.DataFrame({"system_id": ["S1"], "value": [0.5], "judged": [0.25]})).rows
    (('S1', '0.5000', '25.0%'),)
    """
    kept = frame.head(limit)
    columns = [[_cell(name, value, decimals) for value in kept.get_column(name).to_list()] for name in kept.columns]
    if frame.height > limit:
        more = f"{frame.height - limit:,} more rows are not shown."
        note = f"{note} {more}" if note else more
    return TextTable(
        caption=caption,
        headers=tuple(headers.get(name, name) for name in frame.columns),
        rows=tuple(zip(*columns, strict=True)),
        numeric=tuple(dtype.is_numeric() for dtype in frame.dtypes),
        note=note,
        frame=frame,
        strong=strong,
        marks=marks or {},
    )


def known(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame without the ids that no row has, such as the systems of a log that names none.

    >>> known(pl.DataFrame({"system_id": [None], "n": [3]})).columns
    ['n']
    """
    none = [name for name in frame.columns if name.endswith("_id") and frame[name].null_count() == len(frame)]
    return frame.drop(none) if len(frame) else frame


def _cell(column: str, value: object, decimals: int | None = None) -> str:
    """Return one value as text."""
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return label(str(value))
    if column in SHARES:
        return f"{value:.1%}"
    if column in CHANCES:
        return readable_p(value)
    if column in DEGREES:
        return f"{value:.4g}"
    decimals = DECIMALS.get(column, 2) if decimals is None else decimals
    vanishes = value != 0 and abs(value) < 0.5 * 10**-decimals
    return f"{value:.1e}" if vanishes or not math.isfinite(value) else f"{value:.{decimals}f}"
