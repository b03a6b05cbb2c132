"""Words and frames as HTML for a notebook: escaped, in the notebook's own colors, light or dark."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sessionkit.display.numbers import set_minus, set_numbers
from sessionkit.display.text_tables import all_cells

if TYPE_CHECKING:
    import polars as pl

STYLE = (
    ".sessionkit{overflow-x:auto}.sessionkit table{border-collapse:collapse;margin:.3em 0 .8em}"
    ".sessionkit th,.sessionkit td{border:0;border-bottom:1px solid rgba(128,128,128,.35);padding:.2em .7em .2em 0;"
    "text-align:left;vertical-align:top;white-space:pre-wrap}"
    ".sessionkit .n{text-align:right;font-variant-numeric:tabular-nums}"
    ".sessionkit h4{margin:.8em 0 0}.sessionkit p{margin:.3em 0}.sessionkit small{opacity:.75}"
)
"""No color is set but a gray line that is seen on both grounds, and no script is used."""


def html_of(lines: Iterable[str], tables: Iterable[tuple[str, pl.DataFrame, str]]) -> str:
    """Return words and tables as one element.

    Parameters
    ----------
    lines
        A paragraph each; empty ones are left out.
    tables
        Title, frame, and what is not shown of it.

    Examples
    --------
    >>> import polars as pl
    >>> "<p>a &lt;b&gt;</p>" in html_of(["a <b>"], [("scores", pl.DataFrame({"value": [0.5]}), "")])
    True
    """
    parts = [f"<p>{escaped(set_numbers(line))}</p>" for line in lines if line]
    for title, frame, more in tables:
        parts += [f"<h4>{escaped(title)}</h4>", table_html(frame)]
        parts += [f"<small>{escaped(more)}</small>"] if more else []
    inside = "\n".join(parts)
    return f'<div class="sessionkit"><style>{STYLE}</style>\n{inside}\n</div>'


def table_html(frame: pl.DataFrame) -> str:
    """Return a frame as a table: numbers as in a terminal, null as nothing, each text in its own direction of writing."""
    numeric = [dtype.is_numeric() for dtype in frame.dtypes]
    columns = all_cells(frame)
    head = "".join(_cell("th", name, number) for name, number in zip(frame.columns, numeric, strict=True))
    rows = [
        "".join(_cell("td", cell, number) for cell, number in zip(row, numeric, strict=True))
        for row in zip(*columns, strict=True)
    ]
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def escaped(text: str) -> str:
    """Return text as HTML shows it."""
    return html.escape(text)


def _cell(kind: str, text: str, number: bool) -> str:
    """Return one cell; ``dir=auto`` keeps right-to-left text within it."""
    how = 'class="n"' if number else 'dir="auto"'
    return f"<{kind} {how}>{escaped(set_minus(text) if number else text)}</{kind}>"
