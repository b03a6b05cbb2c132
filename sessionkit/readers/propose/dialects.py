"""How a text is written: what separates its fields, whether quotes keep them together, whether its first line names columns."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass

from sessionkit.readers.io.table_files import SEPARATORS, WHITESPACE
from sessionkit.readers.propose.column_names import EVERY, folded

SOME = 300
"""Lines by which separators are told apart; quotes are looked for in all."""
AGREEING = 0.6
"""The share of lines that must have as many fields as most."""
VALUE = re.compile(
    r"[-+]?(\d+([.,]\d*)?|[.,]\d+)(e[-+]?\d+)?|\d{4}-\d\d-\d\d.*|\d\d?[:/.]\d\d?[:/.]\d+.*|https?://.*|true|false", re.I
)
"""Numbers, times, addresses, yes and no: what no column is called."""


@dataclass(frozen=True)
class Dialect:
    """How a text is written.

    Parameters
    ----------
    separator
        One character, or ``whitespace``.
    quoted
        Whether quotes keep fields together; None where there are none.
    header
        Whether its first line names the columns; None where that cannot be told, and is supposed.
    names
        The fields of its first line.
    """

    separator: str
    quoted: bool | None
    header: bool | None
    names: tuple[str, ...]


def dialect_of(text: str, implied: str | None) -> Dialect | None:
    """Return how a text is written; None where no separator makes a table of it.

    Parameters
    ----------
    text
        Its beginning, in whole lines.
    implied
        The separator that the file's name implies; taken where another does no better.
    """
    every = [line.removesuffix("\r") for line in text.split("\n") if line.strip()]
    lines = every[:SOME]
    order = sorted(SEPARATORS, key=lambda one: (one != implied, SEPARATORS.index(one)))
    found = []
    for place, separator in enumerate(order):
        quoted = _is_quoted(every, separator)
        rows = _rows(lines, separator, quoted=bool(quoted))
        share, many = _evenness(rows)
        if many > 1 and share >= AGREEING:
            found.append(
                ((len(rows[0]) == many, round(share, 1), separator == implied, many, -place), separator, quoted, rows)
            )
    blanks = [line.split() for line in lines]
    share, many = _evenness(blanks)
    even = many > 1 and share > 0.9 and len(blanks[0]) == many
    if found:
        best, separator, quoted, rows = max(found)
        # a comma in each address of a line of blanks makes two even fields
        if not (even and share == 1 and many > best[3] and implied is None and separator != "\t"):
            return Dialect(separator, quoted, has_header(rows), tuple(field.strip() for field in rows[0]))
    return Dialect(WHITESPACE, None, has_header(blanks), tuple(blanks[0])) if even else None


def _rows(lines: list[str], separator: str, *, quoted: bool) -> list[list[str]]:
    """Return the fields of lines."""
    if not quoted:
        return [line.split(separator) for line in lines]
    try:
        return [row for row in csv.reader([f"{line}\n" for line in lines], delimiter=separator) if row]
    except csv.Error:
        return []


def _evenness(rows: list[list[str]]) -> tuple[float, int]:
    """Return the share of lines that have as many fields as most have, and how many these are."""
    if not rows:
        return 0.0, 0
    many, times = Counter(map(len, rows)).most_common(1)[0]
    return times / len(rows), many


def _is_quoted(lines: list[str], separator: str) -> bool | None:
    """Return whether quotes keep fields together, None where there are none; else they are data.

    They do where all of the first line, or all values of a column, stand between quotes, where fields come out more even
    by it, and where quotes within quotes are doubled or a carriage return stands between them.
    """
    if not any('"' in line for line in lines):
        return None
    bare, kept = _rows(lines, separator, quoted=False), _rows(lines, separator, quoted=True)
    loose, tight = _evenness(bare), _evenness(kept)
    alike = _column_between_quotes(bare)
    if alike and tight[0] >= loose[0]:
        return True
    if tight[1] == loose[1] and tight[0] > loose[0]:
        return True
    if tight[1] != loose[1]:
        return tight[0] >= loose[0]
    needy = ('""' in field[1:-1] or "\r" in field for row in bare for field in row if _between(field))
    return tight[0] == loose[0] and any(needy)


def _between(field: str) -> bool:
    """Return whether a field stands between quotes."""
    return len(field) > 1 and field.startswith('"') and field.endswith('"')


def _column_between_quotes(rows: list[list[str]]) -> bool:
    """Return whether all of the first line, or all values of a column there are, stand between quotes."""
    if all(map(_between, rows[0])):
        return True
    columns = [[row[at] for row in rows[1:] if at < len(row) and row[at]] for at in range(len(rows[0]))]
    return any(len(column) > 1 and all(map(_between, column)) for column in columns)


def has_header(rows: list[list[str]]) -> bool | None:
    """Return whether the first of some lines names columns; None where nothing says it.

    A line with a number, a time or an address in it does not, unless most of its fields are usual names of columns. One
    does where a field is a usual name, or where a column has numbers in all other lines.
    """
    first = [field.strip().strip('"') for field in rows[0]]
    known = sum(folded(field) in EVERY for field in first)
    if any(VALUE.fullmatch(field) for field in first):
        return 2 * known > len(first)
    rest = [[field.strip().strip('"') for field in row] for row in rows[1:]]
    below = [[row[at] for row in rest if at < len(row) and row[at]] for at in range(len(first))]
    if known and not any(name in column for name, column in zip(first, below, strict=True)):
        return True
    contrast = sum(bool(column) and 2 * sum(map(bool, map(VALUE.fullmatch, column))) > len(column) for column in below)
    if contrast:
        return True
    if any(name in column for name, column in zip(first, below, strict=True)):
        return False
    return None
