"""Tables as Markdown, with pipes as GitHub and Pandoc take them; nothing in a cell is markup."""

from __future__ import annotations

import re

from sessionkit.display.labels import printable
from sessionkit.display.tables import TextTable

MARKUP = re.compile(r"[\\`*_{}\[\]()<>#|~$!&:@]")
"""What could begin markup, a link, an address or HTML."""


def markdown_table(table: TextTable) -> str:
    r"""Return a table with its caption above and its note below.

    >>> import polars as pl
    >>> from sessionkit.display.tables import table_of
    >>> print(markdown_table(table_of("Scores", pl.DataFrame({"system_id": ["*S1*"], "value": [0.5]}))))
    **Scores**
    <BLANKLINE>
    | System | Value |
    | :-- | --: |
    | \*S1\* | 0.5000 |
    <BLANKLINE>
    """
    head = _row([escaped(text) for text in table.full_headers])
    kinds = _row(["--:" if number else ":--" for number in table.numeric])
    rows = [
        _row([_marked(table, (row, column), cell) for column, cell in enumerate(cells)])
        for row, cells in enumerate(table.rows)
    ]
    lines = [f"**{escaped(table.caption)}**", "", head, kinds, *rows]
    if table.note:
        lines += ["", escaped(table.note)]
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def _marked(table: TextTable, place: tuple[int, int], cell: str) -> str:
    """A cell with what is said of it."""
    text = escaped(cell) + escaped(table.marks.get(place, ""))
    return f"**{text}**" if place in table.strong and text else text


def escaped(text: str) -> str:
    """Return text in which nothing is markup, on one line."""
    line = re.sub(r"[\r\n\u2028\u2029\x0b\x0c\x85]+", " ", text)
    line = MARKUP.sub(lambda found: f"\\{found[0]}", printable(line))
    return re.sub(r"^(\s*)([-+=]|\d+(?=\.\s))", r"\1\2", line)
