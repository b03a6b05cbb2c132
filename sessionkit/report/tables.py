"""Tables of a report: text in rows and columns, made from a frame once and written out as HTML."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sessionkit.charts.text import printable

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
DECIMALS = {"value": 4}
SHARES = ("share", "judged")
LIMIT = 60
"""Rows a table shows at most; more are counted below it."""
DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Table:
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
    """

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    note: str | None = None


def table_of(
    caption: str,
    frame: pl.DataFrame,
    *,
    headers: Mapping[str, str] = HEADERS,
    note: str | None = None,
    limit: int = LIMIT,
) -> Table:
    """Return a frame as a table, numbers at a fixed number of decimals, null as a dash.

    Examples
    --------
    >>> table_of("Scores", pl.DataFrame({"system_id": ["S1"], "value": [0.5], "judged": [0.25]})).rows
    (('S1', '0.5000', '25.0%'),)
    """
    kept = frame.head(limit)
    columns = [[_cell(name, value) for value in kept.get_column(name).to_list()] for name in kept.columns]
    if frame.height > limit:
        more = f"{frame.height - limit:,} more rows are not shown."
        note = f"{note} {more}" if note else more
    return Table(
        caption=caption,
        headers=tuple(headers.get(name, name) for name in frame.columns),
        rows=tuple(zip(*columns, strict=True)),
        numeric=tuple(dtype.is_numeric() for dtype in frame.dtypes),
        note=note,
    )


def html_table(table: Table) -> str:
    """Return a table as HTML, all text escaped."""
    kinds = [' class="number"' if number else "" for number in table.numeric]
    head = "".join(
        f'<th scope="col"{kind}>{escaped(text)}</th>' for kind, text in zip(kinds, table.headers, strict=True)
    )
    rows = (
        "".join(f"<td{kind}>{escaped(cell)}</td>" for kind, cell in zip(kinds, cells, strict=True))
        for cells in table.rows
    )
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    note = f'<p class="note">{escaped(table.note)}</p>\n' if table.note else ""
    lines = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>"
    return f'<div class="table"><table>\n<caption>{escaped(table.caption)}</caption>\n{lines}\n</table></div>\n{note}'


def escaped(text: str) -> str:
    r"""Return text fit to stand in HTML; characters that would turn the direction of what follows are named instead.

    >>> escaped("<b>\u202e")
    '&lt;b&gt;[U+202E]'
    """
    return html.escape(DIRECTIONS.sub(lambda found: f"[U+{ord(found[0]):04X}]", printable(text)))


def _cell(column: str, value: object) -> str:
    """Return one value as text."""
    if value is None:
        return "\u2013"
    if not isinstance(value, float):
        return str(value)
    if column in SHARES:
        return f"{value:.1%}"
    decimals = DECIMALS.get(column, 2)
    vanishes = value != 0 and abs(value) < 0.5 * 10**-decimals
    return f"{value:.1e}" if vanishes or not math.isfinite(value) else f"{value:.{decimals}f}"
