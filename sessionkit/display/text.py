"""Results as text: how much of a value or table is shown, in a terminal and in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sessionkit.display.numbers import set_minus, set_numbers
from sessionkit.display.terminal import READABLE, all_cells, fold_text, table_text, terminal_width
from sessionkit.errors import visible

if TYPE_CHECKING:
    import polars as pl

LINES, ROWS, COLUMNS = 60, 30, 30
"""The most lines of words, rows and columns of one table that are shown; what is left out is counted."""
LONG, CELL, FOLDED = 2000, 80, 500
"""The most characters of a line of words, and of a value in a table: in a terminal, and in a notebook, which folds it."""


@dataclass(frozen=True, eq=False)
class TableExcerpt:
    """What is shown of one table.

    Parameters
    ----------
    title
        Its name.
    frame
        The rows and columns that are shown, in which no text is long or acts on a terminal.
    more
        What is not shown, in words; empty where all is.
    """

    title: str
    frame: pl.DataFrame
    more: str


class Displayed:
    """Shows itself as words and tables, at most a few dozen rows of each; a kind of value says what these are.

    >>> class Found(Displayed):
    ...     def words_and_tables(self):
    ...         return ["Two \\x1b[31msystems"], {"scores": pl.DataFrame({"value": [0.5, 0.25]})}
    >>> import polars as pl
    >>> Found()
    Two \\e[31msystems
    <BLANKLINE>
    scores
     value
    ------
    0.5000
    0.2500
    """

    def words_and_tables(self) -> tuple[Sequence[str], Mapping[str, pl.DataFrame]]:
        """Lines of words, and tables by their titles."""
        raise TypeError(f"{type(self).__name__} does not say what it shows")

    def __str__(self) -> str:
        """The words, then the tables, for a terminal."""
        return in_text(*self.words_and_tables())

    def __repr__(self) -> str:
        """The same."""
        return str(self)

    def _repr_html_(self) -> str:
        """The same, for a notebook."""
        return in_html(*self.words_and_tables())


def in_text(words: Sequence[str], tables: Mapping[str, pl.DataFrame]) -> str:
    """Return words and tables as a terminal shows them."""
    width = terminal_width()
    lines = lines_of(words)
    if width is not None:
        lines = [part for line in lines for part in fold_text(line, min(width, READABLE))]
    parts = ["\n".join(lines)]
    for title, frame in tables.items():
        part = part_of(title, frame, CELL)
        parts.append(f"{part.title}\n{table_text(part.frame, width)}{part.more}".rstrip("\n"))
    return "\n\n".join(filter(None, parts))


def in_html(words: Sequence[str], tables: Mapping[str, pl.DataFrame]) -> str:
    """Return words and tables as a notebook shows them."""
    parts = [part_of(title, frame, FOLDED) for title, frame in tables.items()]
    return html_of(lines_of(words), [(part.title, part.frame, part.more) for part in parts])


def lines_of(words: Sequence[str]) -> list[str]:
    r"""Return the lines that are shown of some words, in which nothing acts.

    >>> lines_of(["a\x07", "b" * 3000])[0]
    'a\\x07'
    """
    lines = [cut(line, LONG) for line in words[:LINES]]
    return [*lines, f"\u2026 {len(words) - LINES:,} more lines"] if len(words) > LINES else lines


def part_of(title: str, frame: pl.DataFrame, cell: int) -> TableExcerpt:
    """Return what is shown of a table: its first rows and columns, values cut to so many characters."""
    import polars as pl

    names = frame.columns[:COLUMNS]
    shown = frame.head(ROWS).select(pl.col(name) for name in names)
    texts = [
        shown.get_column(name) if shown.schema[name].is_numeric() else _texts(shown.get_column(name), cell)
        for name in names
    ]
    # names that become alike when they are cut are told apart by their places
    told: dict[str, None] = {}
    for place, name in enumerate(names):
        short = cut(name, CELL)
        told[short if short not in told else f"{short} ({place + 1})"] = None
    more = [
        f"{len(frame) - ROWS:,} more rows" if len(frame) > ROWS else "",
        f"{frame.width - COLUMNS:,} more columns" if frame.width > COLUMNS else "",
    ]
    said = " and ".join(filter(None, more))
    return TableExcerpt(
        cut(title, CELL),
        pl.DataFrame([column.alias(name) for column, name in zip(texts, told, strict=True)]),
        f"\u2026 {said}" if said else "",
    )


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, in which nothing acts; an ellipsis stands for the rest."""
    return visible(text) if len(text) <= most else f"{visible(text[: most - 1])}\u2026"


def _texts(column: pl.Series, most: int) -> pl.Series:
    """Return values as short texts; null stays null."""
    import polars as pl

    return pl.Series(
        column.name, [None if value is None else cut(str(value), most) for value in column.to_list()], pl.String
    )


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
