r"""The items of a JSON document too large to load at once: of an array, of arrays by name, or of values one after another.

An item that is no JSON is told apart and reading goes on at the next line that begins as the item did; what is left of a
document that was cut short is such an item too.

JSON as text that no parser shortens: different values in the file stay different values in the study.

- JSON writes a character beyond the first 65,536 as two halves (surrogates). One half alone, as programs leave it that cut a
  text in the middle of an emoji, is no character: it cannot be written as UTF-8. U+FFFD and the four digits of the half stand
  for it, so ``"\ud800"`` is ``�d800`` and ``"\udfff"`` is ``�dfff``.
- A number with more digits than a double keeps, which a parser would round, is the text that the file has:
  ``18446744073709551617`` and ``0.1000000000000000055`` keep every digit, and 1e400 is not infinite. Numbers that
  are equal, such as 1e2 and 100.0, may be spelled alike.
"""

from __future__ import annotations

import json
import math
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import IO, Any

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.errors import DataError
from sessionkit.readers.io.log_files import DAMAGED, TREE, LogFile, as_size, cut_short, longest_text, not_utf8, unpacked
from sessionkit.readers.io.record_store import room_in
from sessionkit.readers.raw import LINE, RAW, Locate

HALF = re.compile(r"\\u[dD][89a-fA-F]")
ESCAPED = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.", re.DOTALL
)
"""A character written as two halves, a half alone, any other escape."""
SHORT = 19
"""Characters of a number up to which it is read as a double: all that programs write of one."""
MOST = 300
"""Digits of a whole number that Python reads as one; it refuses over 4,300."""
TEXT = r'"[^"\\]*(?:\\.[^"\\]*)*"'
LONG = r"-?[0-9](?:[0-9.]{19,}(?:[eE][+-]?[0-9]+)?|[0-9.]*[eE][+-]?[0-9]{3,})|-?[0-9]{16,}\.[0-9]+|-[0-9]{19}"
"""A number that is longer than programs write a double or a whole number of 64 bits, or has an exponent of three digits."""
BARE = rf"[:,\[]\s*(?:{LONG})"
"""Such a number without quotes, or something like it within a text."""
TOKEN = re.compile(rf"{TEXT}|({LONG})")
"""A text, or such a number."""


def loads(text: str, **options: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the value of a JSON text; numbers that Python would round or refuse, and halves of characters, as text.

    Parameters
    ----------
    options
        As :func:`json.loads` takes them.

    Raises
    ------
    ValueError, RecursionError
        It is no JSON, or nested too deeply.

    Examples
    --------
    >>> loads(r'["caf\\u00e9 \\ud83d\\ude00", "cut \\ud83d", "\\\\ud83d", 0.5, 1e400]')
    ['café 😀', 'cut \ufffdd83d', '\\\\ud83d', 0.5, '1e400']
    """
    whole = without_halves(text) if HALF.search(text) else text
    return json.loads(whole, parse_int=whole_number, parse_float=number, **options)


def whole_number(text: str) -> int | str:
    """Return a whole number, as text where it is longer than any that is computed with."""
    return int(text) if len(text) <= MOST else text


def number(text: str) -> float | str:
    """Return a number, as text where a double is another number.

    >>> number("0.30000000000000004"), number("0.1000000000000000055"), number("1e-400")
    (0.30000000000000004, '0.1000000000000000055', '1e-400')
    """
    found = float(text)
    if repr(found) == text or (len(text) <= SHORT and abs(found) < 1e15 and "e" not in text and "E" not in text):
        return found
    return found if math.isfinite(found) and Decimal(repr(found)) == Decimal(text) else text


def without_halves(text: str) -> str:
    """Return a JSON text with U+FFFD and its digits in place of each half of a character that stands alone."""
    return ESCAPED.sub(lambda found: f"\\ufffd{found[0][2:].lower()}" if len(found[0]) == 6 else found[0], text)


def unrounded(lines: pl.Series) -> pl.Series:
    r"""Return lines of JSON with texts for numbers that polars would round, and without halves of characters.

    >>> unrounded(pl.Series(['{"a": 1}', r'"cut \ud83d"', '{"a": [0.30000000000000004, 18446744073709551617]}'])).to_list()
    ['{"a": 1}', '"cut \\ufffdd83d"', '{"a": [0.30000000000000004, "18446744073709551617"]}']
    """
    long = lines.str.contains(BARE)
    lines = _with(lines, long, pl.Series([TOKEN.sub(_spelled, line) for line in lines.filter(long)], dtype=pl.String))
    halved = lines.str.contains(HALF.pattern)
    return _with(lines, halved, pl.Series([without_halves(line) for line in lines.filter(halved)], dtype=pl.String))


def _spelled(found: re.Match[str]) -> str:
    """Return a text as it is, and a number in quotes where polars would round it."""
    text = found[1]
    if text is None:
        return found[0]
    if text.lstrip("-").isdigit():
        return text if len(text) <= MOST and -(2**63) <= int(text) < 2**64 else f'"{text}"'
    try:
        rounded = isinstance(number(text), str)
    except (ValueError, ArithmeticError):  # it is no number; the line is refused as it stands
        return text
    return f'"{text}"' if rounded else text


def _with(lines: pl.Series, places: pl.Series, others: pl.Series) -> pl.Series:
    """Return lines with others in some places."""
    return lines.clone().scatter(places.arg_true(), others) if len(others) else lines


CHUNK = 1 << 20
NEAR = 64
"""Characters before the end of what was read within which an error may come from its end alone."""
DEEPEST = 1000
"""Characters of indentation at most."""
DECODER = json.JSONDecoder(parse_int=whole_number, parse_float=number)
SPACE = re.compile(r"[\s\ufeff,]*")
NUMBER, VALUE = "number", "value"
ARRAY = re.compile(rb'\[\s*(?:\{\s*["}]|\[\s*(?:["\[\]\d-]|null|true|false)|\]\s*\Z)')
"""How arrays begin, unlike a header whose first name is in brackets."""
BY_COLUMN = re.compile(rb'\{\s*"[^"]*"\s*:\s*\{\s*"0"\s*:|\{\s*"columns"\s*:\s*\[|\{\s*"schema"\s*:\s*\{\s*"fields"')
"""How tables begin that pandas writes with orient columns, split or table."""
BY_RECORD = "write a JSON object for each record, such as by pandas: to_json(NEW, orient='records', lines=True)"
LINE_ENDS, NO_JSON = re.compile("[\\r\\n]+"), "["
"""What an item does not need between its parts; what makes sure that one that is no JSON is none as a line either."""


@dataclass(frozen=True)
class Item:
    """One item of a document.

    Parameters
    ----------
    number
        Its place in the document, from 1.
    line
        The line it begins on, from 1.
    value
        What it is.
    text
        As it stands in the document.
    broken
        Whether it is no JSON; it then has no value.
    """

    number: int
    line: int
    value: Any
    text: str
    broken: bool = False


def json_items(file: LogFile) -> Iterator[Item]:
    """Return the items of a document in their order.

    Raises
    ------
    DataError
        The file is damaged or not UTF-8, or an item is too long for the memory there is; the message names the line.
    """
    try:
        with unpacked(file.path) as stream:
            document = _Document(file.name, stream, longest_text(file.memory, TREE))
            yield from _values(document)
    except UnicodeDecodeError:
        raise not_utf8(file) from None
    except DAMAGED as error:
        raise cut_short(file.name, error) from None


def as_items(file: LogFile) -> Locate:
    """Return the way back to the text of items by their number."""

    def locate(records: pl.Series) -> pl.DataFrame:
        wanted = set(records)
        found = [(item.number, item.line, item.text) for item in json_items(file) if item.number in wanted]
        return pl.DataFrame(found, schema={RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String}, orient="row")

    return locate


def is_spread(file: LogFile) -> bool:
    """Return whether a file begins with an object of JSON that is spread over several lines."""
    first, _, further = file.head.partition(b"\n")
    if not first.startswith(b"{") or not further or first.rstrip().endswith(b"}"):
        return False
    item = next(json_items(file), None)
    return item is not None and not item.broken and "\n" in item.text


def as_ndjson(file: LogFile) -> LogFile:
    """Return objects of JSON, in an array or spread over lines, as a file that has each on a line of its own; any other file as it is.

    Raises
    ------
    DataError
        It is damaged or not UTF-8; or JSON of another shape that has no records: an array of other values, a table by columns.
    """
    if BY_COLUMN.match(file.head):
        raise DataError(f"{file.name} is JSON by columns, as pandas writes it by default; {BY_RECORD}")
    if not (ARRAY.match(file.head) or is_spread(file)):
        return file
    copy = file.workspace / f"{len(list(file.workspace.iterdir()))}-items.ndjson"
    empty = True
    with room_in(file.workspace), copy.open("w", encoding="utf-8", newline="") as target:
        for item in json_items(file):
            if empty and not item.broken and not isinstance(item.value, dict):
                kind = "lists" if isinstance(item.value, list) else "values"
                raise DataError(f"{file.name} is a JSON array of {kind}, without names; {BY_RECORD}")
            target.write(f"{NO_JSON if item.broken else ''}{LINE_ENDS.sub(' ', item.text)}\n")
            empty = False
    if empty:
        raise DataError(f"{file.name} is an empty JSON array; it has no records")
    return replace(file, path=copy, kind="ndjson")


class _Document:
    """A document read piece by piece: what was read and not yet taken, and where that is."""

    def __init__(self, name: str, stream: IO[bytes], most: int) -> None:
        self.name, self.stream, self.most = name, stream, most
        self.decoder = getincrementaldecoder("utf-8")()
        self.text, self.at, self.line, self.number, self.ended = "", 0, 1, 0, False
        self.indent = ""

    def more(self) -> bool:
        """Read on, as much again as there is; return whether there was more.

        Raises
        ------
        DataError
            An item has so many characters, blanks between its parts among them, that it is too long.
        """
        if len(self.text) - self.at > self.most:
            raise DataError(
                f"{self.name}, record {self.number + 1:,} on line {self.line:,}: it is longer than {as_size(self.most)}, the most "
                f"that the memory limit allows (JSON takes up to {TREE} times its length). If a bracket or quote is missing "
                "there, correct it; or allow more with --memory"
            )
        data = b"" if self.ended else self.stream.read(max(CHUNK, len(self.text) - self.at))
        self.ended = not data
        self.text, self.at = self.text[self.at :] + self.decoder.decode(data, final=self.ended), 0
        return bool(data)

    def pass_to(self, end: int) -> str:
        """Take what comes before `end`."""
        taken = self.text[self.at : end]
        lines = taken.count("\n")
        self.line += lines
        before = taken.rpartition("\n")[2]
        self.indent = (before if lines else self.indent + before)[:DEEPEST]
        self.at = end
        return taken

    def next(self) -> str:
        """Pass over blanks and commas; return the next character, empty at the end."""
        while True:
            self.pass_to(SPACE.match(self.text, self.at).end())  # type: ignore[union-attr] # it matches nothing, too
            if self.at < len(self.text) or not self.more():
                return self.text[self.at : self.at + 1]

    def value(self) -> tuple[Any, str, bool]:
        """Take one value; return it, its text, and whether it is broken."""
        blank = not self.indent.strip(" \t[")
        start = self.indent.replace("[", "") if blank else ""
        while True:
            try:
                value, end = DECODER.raw_decode(self.text, self.at)
                if end < len(self.text) or not self.more():
                    text = self.pass_to(end)
                    return loads(text) if HALF.search(text) else value, text, False
            except json.JSONDecodeError as error:
                whole = error.pos < len(self.text) - NEAR and not error.msg.startswith("Unterminated")
                if whole or not self.more():
                    return None, self._to_next_line(start), True
            except RecursionError:
                return None, self._to_next_line(""), True

    def _to_next_line(self, indent: str) -> str:
        """Take everything up to the next line that begins with an object at this indentation."""
        beginning = re.compile(rf"\n{indent}(?=\{{)")
        while (found := beginning.search(self.text, self.at + 1)) is None:
            if not self.more():
                return self.pass_to(len(self.text))
        return self.pass_to(found.end())


def _values(document: _Document) -> Iterator[Item]:
    """Return values that stand one after another, or in arrays."""
    while character := document.next():
        if character == "[":
            document.pass_to(document.at + 1)
            yield from _array(document)
        else:
            yield _item(document)


def _array(document: _Document) -> Iterator[Item]:
    """Return the items of an array whose opening bracket is taken."""
    while (character := document.next()) != "]":
        if not character:
            document.number += 1
            yield Item(document.number, document.line, None, "", broken=True)
            return
        yield _item(document)
    document.pass_to(document.at + 1)


def _item(document: _Document) -> Item:
    """Take the next item."""
    line = document.line
    value, text, broken = document.value()
    document.number += 1
    return Item(document.number, line, value, text.rstrip().rstrip(",]").rstrip() if broken else text, broken)
