"""What a terminal shows: folded text, aligned tables, and the guides with their glossary. Text from a log never acts on it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from sessionkit.display.numbers import P_IS_BOUND, PAIRS, bounded_cells, number_texts, whole_text
from sessionkit.errors import visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    import polars as pl

READABLE = 100
"""The most characters of a line of prose: longer ones are hard to read, however wide the terminal."""
USUAL = 80
"""Columns of a terminal that does not tell how many it has."""
COMMAND = re.compile(
    r"sessionkit (?:(?:help|measures|formats|schema|chart|export) )?[\w-]+"
    r"(?: (?:--?[a-z][\w-]*(?: [^\s,;-]+)?|'[^']*'|[A-Z][A-Z_]*\b(?:\.\.\.)?))*"
)
"""A command in a sentence, with its options and what stands for their values."""
INDENT = re.compile(r" *(?:[-*] |\d+\. )?")
"""What stands before the text of a line: spaces, and the mark of an item, below which its other lines begin."""


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Return the columns of the terminal that stdout, or another stream, is; None where it is none."""
    file = stream if stream is not None else sys.stdout
    if not file.isatty():
        return None
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(file.fileno()).columns or USUAL
    except (OSError, ValueError):  # no file of the system, as in a notebook or a test
        return USUAL


def fold_text(text: str, width: int, *, breaks_words: bool = False) -> list[str]:
    """Return one line of text as the lines of a terminal.

    Parameters
    ----------
    text
        One line. The lines after its first stand below its text, not below its indent.
    width
        The most columns of a line. Wide characters count twice.
    breaks_words
        Whether a word that is wider than a line is broken. Otherwise it stands alone on a line, such as a path that is to be copied.

    Examples
    --------
    >>> for line in fold_text("- see: sessionkit score STUDY --per session, with p = 0.12", 40):
    ...     print(line)
    - see:
      sessionkit score STUDY --per session,
      with p = 0.12
    """
    from rich.cells import cell_len, chop_cells

    lead = INDENT.match(text)
    start = lead[0] if lead is not None else ""
    lines = [start]
    indent = " " * cell_len(start)
    for word in _words(text[len(start) :]):
        is_first = lines[-1] in (start, indent)
        if not is_first and cell_len(lines[-1]) + 1 + cell_len(word) > width:
            lines.append(indent)
            is_first = True
        is_broken = breaks_words and is_first and cell_len(word) > width - len(indent) > 0
        first, *others = chop_cells(word, width - len(indent)) if is_broken else [word]
        lines[-1] += first if is_first else f" {first}"
        lines += [f"{indent}{part}" for part in others]
    return lines


def _words(text: str) -> list[str]:
    """Split text at the spaces where a line may end: not within a command, or between a number and its name."""
    joined = {place for pattern in (COMMAND, PAIRS) for part in pattern.finditer(text) for place in range(*part.span())}
    spaces = [place for place, character in enumerate(text) if character == " " and place not in joined]
    return [text[before + 1 : space] for before, space in pairwise([-1, *spaces, len(text)])]


NARROWEST = 12
"""Width below which no column of text is folded."""
LONGEST_WORD = 24
"""Width from which on a word is broken, such as an id, so that its column can be narrower."""
PROSE = 28
"""Characters from which on a text with spaces is prose: a table of it becomes a list of rows where its columns do not fit."""
FEW = 40
"""The most rows of a table that becomes such a list, or continues below itself."""
SHORT = 40
"""The most characters of a value that stands above the table because all rows have it."""
TO_COPY = ("command",)
"""Columns whose values people copy; no line ends within one."""

STAYS_WITH_NEXT = ("estimate", "low", "lower", "difference")
"""Columns behind which a table does not continue below itself: an estimate stands beside its interval."""


@dataclass(frozen=True)
class TerminalColumn:
    """A column as a terminal shows it.

    Parameters
    ----------
    name
        Its name.
    heading
        The lines of its heading.
    cells
        The lines of each cell.
    is_numeric
        Whether it is set flush right.
    """

    name: str
    heading: list[str]
    cells: list[list[str]]
    is_numeric: bool

    @property
    def width(self) -> int:
        """Columns of the terminal that it takes."""
        return max(self.heading_width, self.cells_width)

    @property
    def heading_width(self) -> int:
        """Columns of the terminal that its heading takes."""
        return _widest(self.heading)

    @property
    def cells_width(self) -> int:
        """Columns of the terminal that its cells take."""
        return max(map(_widest, self.cells), default=0)

    @property
    def constant(self) -> str | None:
        """The one short value that all rows have; None where there is none."""
        first = self.cells[0][0] if self.cells else ""
        return first if len(first) <= SHORT and all(cell == [first] for cell in self.cells) else None

    @property
    def least_width(self) -> int:
        """The least width to which its cells can be folded."""
        if self.is_numeric or self.name in TO_COPY:
            return self.width
        longest_word = max((_widest(line.split(" ")) for cell in self.cells for line in cell), default=0)
        return min(self.width, max(NARROWEST, self.heading_width, min(longest_word, LONGEST_WORD)))

    @property
    def is_prose(self) -> bool:
        """Whether some cell is longer than a name, or is to be copied."""
        return self.name in TO_COPY or any(len(line) > PROSE and " " in line for cell in self.cells for line in cell)

    def with_folded_heading(self) -> TerminalColumn:
        """Return it with a heading of several lines, broken behind ``_`` and spaces, where the heading is wider than the cells."""
        parts = re.findall(r"[^_ ]*[_ ]?", self.heading[0])
        room = max(self.cells_width, _widest(parts))
        lines = [""]
        for part in parts:
            if lines[-1] and len(lines[-1]) + len(part.rstrip(" ")) > room:
                lines.append("")
            lines[-1] += part
        return replace(self, heading=[line.rstrip(" ") for line in lines])

    def with_folded_cells(self, width: int) -> TerminalColumn:
        """Return it with cells of several lines, none wider than `width`."""
        cells = [[line for text in cell for line in fold_text(text, width, breaks_words=True)] for cell in self.cells]
        return replace(self, cells=cells)


def table_text(frame: pl.DataFrame, width: int | None = None, elsewhere: str = "") -> str:
    """Return a frame as aligned columns.

    Where it is wider than the terminal, these steps are taken until it fits: the values that all rows share stand above it;
    headings are folded; texts are folded. A table of few rows that still does not fit becomes a list of its rows where it has prose,
    else it continues below itself. Of a table of more rows the last columns are left out, and named.

    Parameters
    ----------
    frame
        Any frame.
    width
        Columns of the terminal. None, the table is as wide as it is.
    elsewhere
        How to see the columns that are left out.

    Examples
    --------
    >>> import polars as pl
    >>> scores = pl.DataFrame({"measure": ["nsDCG@10"] * 2, "system_id": ["S1", None], "value": [0.25, 12.0]})
    >>> print(table_text(scores), end="")
    measure   system_id    value
    --------  ---------  -------
    nsDCG@10  S1          0.2500
    nsDCG@10             12.0000
    >>> print(table_text(scores, 26), end="")
    In every row: measure
    nsDCG@10.
    <BLANKLINE>
    system_id    value
    ---------  -------
    S1          0.2500
               12.0000
    """
    columns = [
        TerminalColumn(visible(name), [visible(name)], [[cell] for cell in cells], dtype.is_numeric())
        for name, cells, dtype in zip(frame.columns, all_cells(frame), frame.dtypes, strict=True)
    ]
    if width is None or _total_width(columns) <= width:
        return _aligned(columns)
    if len(frame) == 1:
        return _one_row(columns, width)
    varying = [column for column in columns if column.constant is None]
    above = "" if len(varying) == len(columns) or not varying else _shared_values(columns, width)
    columns = _with_folded_headings(varying or columns, width)
    least = [column.least_width for column in columns]
    if sum(least) + 2 * (len(columns) - 1) <= width:
        return above + _aligned(_folded(columns, width))
    if len(frame) > FEW:
        return above + _first_columns(columns, width, elsewhere)
    if any(column.is_prose for column in columns):
        return above + _list_of_rows(columns, width)
    return above + _continued(columns, width)


def all_cells(frame: pl.DataFrame) -> list[list[str]]:
    """Return the cells of each column; a p that is an upper bound has ``<`` before it.

    >>> import polars as pl
    >>> all_cells(pl.DataFrame({"p": [0.0064, 0.0064], "p_is_bound": [True, False]}))
    [['<0.007', '0.006'], ['True', 'False']]
    """
    columns = [cells_of(column) for column in frame]
    if P_IS_BOUND in frame.columns and "p" in frame.columns:
        place = frame.columns.index("p")
        columns[place] = bounded_cells(columns[place], frame.get_column("p"), frame.get_column(P_IS_BOUND))
    return columns


def cells_of(column: pl.Series) -> list[str]:
    """Return the values of a column as text, numbers rounded as in tables for papers, null as nothing."""
    import polars as pl

    values = column.to_list()
    if column.dtype.is_integer():
        return ["" if value is None else whole_text(column.name, value) for value in values]
    if column.dtype == pl.List(pl.Float64):
        return ["" if value is None else ", ".join(filter(None, number_texts(column.name, value))) for value in values]
    if not column.dtype.is_float():
        return ["" if value is None else visible(str(value)) for value in values]
    return ["" if text is None else text for text in number_texts(column.name, values)]


def _total_width(columns: Sequence[TerminalColumn]) -> int:
    """Columns of the terminal that columns of a table take, side by side."""
    return sum(column.width for column in columns) + 2 * (len(columns) - 1)


def _widest(lines: Sequence[str]) -> int:
    """The width of the widest line; wide characters count twice."""
    from rich.cells import cell_len

    return max(map(cell_len, lines), default=0)


def _shared_values(columns: Sequence[TerminalColumn], width: int) -> str:
    """The sentence above a table that names the values of all its rows."""
    values = [f"{column.name} {column.constant}" for column in columns if column.constant]
    empty = [column.name for column in columns if column.constant == ""]
    parts = [
        f"In every row: {', '.join(values)}." if values else "",
        f"No value in any row: {', '.join(empty)}." if empty else "",
    ]
    lines = fold_text(" ".join(filter(None, parts)), width, breaks_words=True)
    return "".join(f"{line}\n" for line in [*lines, ""])


def _folded(columns: Sequence[TerminalColumn], width: int) -> list[TerminalColumn]:
    """Fold the texts of the widest columns until the table fits."""
    widths, least = [column.width for column in columns], [column.least_width for column in columns]
    while sum(widths) + 2 * (len(columns) - 1) > width:
        narrowable = [place for place, least_width in enumerate(least) if widths[place] > least_width]
        if not narrowable:  # one column that is wider than the terminal
            break
        widths[max(narrowable, key=lambda place: widths[place])] -= 1
    return [
        column if column.width <= room else column.with_folded_cells(room)
        for column, room in zip(columns, widths, strict=True)
    ]


def _with_folded_headings(columns: Sequence[TerminalColumn], width: int) -> list[TerminalColumn]:
    """Fold the headings of numbers that gain the most, until the table fits or none can be folded."""
    folded = [column.with_folded_heading() if column.is_numeric else column for column in columns]
    gains = [before.width - after.width for before, after in zip(columns, folded, strict=True)]
    chosen = list(columns)
    for place in sorted(range(len(columns)), key=lambda place: -gains[place]):
        if _total_width(chosen) > width and gains[place] > 0:
            chosen[place] = folded[place]
    return chosen


def _n_fitting(columns: Sequence[TerminalColumn], width: int) -> int:
    """The number of columns from the left, at least one, that fit when their texts are folded."""
    n_fitting, room = 0, width + 2
    for column in columns:
        room -= column.least_width + 2
        if room < 0:
            break
        n_fitting += 1
    return max(1, n_fitting)


def _first_columns(columns: Sequence[TerminalColumn], width: int, elsewhere: str) -> str:
    """Set the first columns that fit, and name the others."""
    n_shown = _n_fitting(columns, width)
    hidden = [column.name for column in columns[n_shown:]]
    n_hidden = f"{len(hidden):,} more column{'' if len(hidden) == 1 else 's'}"
    more = f"\u2026 {n_hidden}: {', '.join(hidden)}{f'; {elsewhere}' if elsewhere else ''}"
    return _aligned(_folded(columns[:n_shown], width)) + "".join(f"{line}\n" for line in fold_text(more, width))


def _continued(columns: Sequence[TerminalColumn], width: int) -> str:
    """Set as many columns as fit, and the others below them, each time behind those that name the rows."""
    from sessionkit.display.tables import NAMING

    n_naming = next((n for n, column in enumerate(columns) if column.is_numeric and column.name not in NAMING), 0)
    room = width - sum(column.least_width + 2 for column in columns[:n_naming])
    while n_naming and room < max(width / 2, *(column.least_width for column in columns[n_naming:])):
        n_naming -= 1
        room += columns[n_naming].least_width + 2
    naming, others = columns[:n_naming], columns[n_naming:]
    parts = []
    while others:
        n_fitting = _n_fitting(others, room)
        while 1 < n_fitting < len(others) and others[n_fitting - 1].name in STAYS_WITH_NEXT:
            n_fitting -= 1
        parts.append(_aligned(_folded([*naming, *others[:n_fitting]], width)))
        others = others[n_fitting:]
    return "\n".join(parts)


def _one_row(columns: Sequence[TerminalColumn], width: int) -> str:
    """Set the only row of a table with a line for each of its values."""
    named = [column for column in columns if column.cells[0] != [""]]
    return "".join(_named_lines(named, 0, width))


def _list_of_rows(columns: Sequence[TerminalColumn], width: int) -> str:
    """Set each row as its first value, and below it the others with their names."""
    parts = []
    for row, first in enumerate(columns[0].cells):
        others = [column for column in columns[1:] if column.cells[row] != [""]]
        indented = [f"  {line}" for line in _named_lines(others, row, width - 2)]
        parts.append("".join([*(f"{line}\n" for line in fold_text(first[0], width, breaks_words=True)), *indented]))
    return "\n".join(parts)


def _named_lines(columns: Sequence[TerminalColumn], row: int, width: int) -> list[str]:
    """The values of a row, each on lines of its own behind its name."""
    names = _widest([column.name for column in columns])
    lines = []
    for column in columns:
        text = column.cells[row][0]
        is_copied = column.name in TO_COPY or width - names - 2 < NARROWEST
        parts = [text] if is_copied else fold_text(text, width - names - 2, breaks_words=True)
        heads = [column.name, *[""] * (len(parts) - 1)]
        lines += [
            f"{_set(head, names, right=False)}  {part}".rstrip() + "\n" for head, part in zip(heads, parts, strict=True)
        ]
    return lines


def _aligned(columns: Sequence[TerminalColumn]) -> str:
    """Set columns side by side."""
    if not columns:
        return ""
    height = max(len(column.heading) for column in columns)
    headings = [[*[""] * (height - len(column.heading)), *column.heading] for column in columns]
    lines = _row_lines(columns, headings)
    lines.append("  ".join("-" * column.width for column in columns))
    for cells in zip(*(column.cells for column in columns), strict=True):
        lines += _row_lines(columns, cells)
    return "\n".join(lines) + "\n"


def _row_lines(columns: Sequence[TerminalColumn], cells: Sequence[list[str]]) -> list[str]:
    """The lines of one row."""
    height = max(map(len, cells))
    filled = [
        [_set(line, column.width, right=column.is_numeric) for line in [*cell, *[""] * (height - len(cell))]]
        for column, cell in zip(columns, cells, strict=True)
    ]
    return ["  ".join(line).rstrip() for line in zip(*filled, strict=True)]


def _set(text: str, width: int, *, right: bool) -> str:
    """Return a text filled to a width; wide characters count twice."""
    space = " " * (width - _widest([text]))
    return space + text if right else text + space


GUIDES = Path(__file__).parents[1] / "guides"
GLOSSARY = "terms"
"""The guide that says what words mean, an entry for each."""


def guide(topic: str) -> str:
    """Return the text of a guide."""
    return (GUIDES / f"{topic}.md").read_text(encoding="utf-8")


@cache
def glossary() -> Mapping[str, str]:
    """Return what words mean, by each form of the word in lower case."""
    entries = re.findall(r"^- ((?:\*\*.+?\*\*,? ?)+): ((?:.*\n)(?:  .*\n)*)", guide(GLOSSARY), re.MULTILINE)
    return {
        word.casefold(): f"{word}: {' '.join(text.split())}"
        for words, text in entries
        for word in re.findall(r"\*\*(.+?)\*\*", words)
    }
