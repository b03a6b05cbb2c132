"""Tables as HTML, all text escaped, each with links that save it in the other forms."""

from __future__ import annotations

import base64
import html
from collections.abc import Callable, Mapping

from sessionkit.charts.text import printable
from sessionkit.report.tables import Table, named_directions

TYPES = {"tex": "application/x-tex", "md": "text/markdown", "csv": "text/csv"}
NAMES = {"tex": "LaTeX", "md": "Markdown", "csv": "CSV"}


def html_table(table: Table, forms: Mapping[str, Callable[[Table], str]] | None = None, name: str = "table") -> str:
    """Return a table as HTML.

    Parameters
    ----------
    table
        The table.
    forms
        What it can be saved as, see `sessionkit.report.writing.FORMS`; nothing if not given.
    name
        Name of the files that are saved, without its ending.
    """
    kinds = [' class="number"' if number else "" for number in table.numeric]
    head = "".join(
        f'<th scope="col"{kind}>{escaped(text)}</th>' for kind, text in zip(kinds, table.headers, strict=True)
    )
    rows = (
        "".join(f"<td{kinds[column]}>{_marked(table, (row, column), cell)}</td>" for column, cell in enumerate(cells))
        for row, cells in enumerate(table.rows)
    )
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    note = f'<p class="note">{escaped(table.note)}</p>\n' if table.note else ""
    lines = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>"
    saved = _links(table, forms, name) if forms else ""
    place = f'<div class="table" tabindex="0" role="region" aria-label="{escaped(table.caption)}">'
    return f"{place}<table>\n<caption>{escaped(table.caption)}</caption>\n{lines}\n</table></div>\n{note}{saved}"


def escaped(text: str) -> str:
    r"""Return text fit to stand in HTML; characters that would turn the direction of what follows are named instead.

    >>> escaped("<b>\u202e")
    '&lt;b&gt;[U+202E]'
    """
    return html.escape(named_directions(printable(text)))


def _marked(table: Table, place: tuple[int, int], cell: str) -> str:
    """A cell with what is said of it."""
    mark = table.marks.get(place)
    text = escaped(cell) + (f"<sup>{escaped(mark)}</sup>" if mark else "")
    return f"<strong>{text}</strong>" if place in table.strong else text


def _links(table: Table, forms: Mapping[str, Callable[[Table], str]], name: str) -> str:
    """Links that save the table as a file."""
    links = []
    for ending, form in forms.items():
        content = base64.b64encode(form(table).encode()).decode()
        link = f'<a download="{escaped(name)}.{ending}" href="data:{TYPES[ending]};charset=utf-8;base64,{content}">'
        links.append(f"{link}{NAMES[ending]}</a>")
    return f'<p class="save">Save as {", ".join(links)}</p>\n'
