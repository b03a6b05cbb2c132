"""The items of a JSON document too large to load at once: of an array, of arrays by name, or of values one after another.

An item that is no JSON is told apart and reading goes on at the next line that begins as the item did; what is left of a
document that was cut short is such an item too.
"""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO, Any

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.errors import DataError
from sessionkit.readers.io.json_text import HALF, loads, number, whole_number
from sessionkit.readers.io.log_files import DAMAGED, LogFile, cut_short, not_utf8, unpacked
from sessionkit.readers.io.record_store import room_in
from sessionkit.readers.raw import LINE, RAW, Locate

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
    name
        That of the array it is in, where arrays have names; else empty.
    value
        What it is.
    text
        As it stands in the document.
    broken
        Whether it is no JSON; it then has no value.
    """

    number: int
    line: int
    name: str
    value: Any
    text: str
    broken: bool = False


def json_items(file: LogFile, *, named: bool = False) -> Iterator[Item]:
    """Return the items of a document in their order.

    Parameters
    ----------
    named
        Whether the document is an object of arrays, ``{"a": [item, ...], "b": [...]}``.

    Raises
    ------
    DataError
        The file is damaged, is not UTF-8, or (`named`) is no such object; the message names the line.
    """
    try:
        with unpacked(file.path) as stream:
            document = _Document(file.name, stream)
            yield from _members(document) if named else _values(document)
    except UnicodeDecodeError:
        raise not_utf8(file) from None
    except DAMAGED as error:
        raise cut_short(file.name, error) from None


def as_items(file: LogFile, *, named: bool = False) -> Locate:
    """Return the way back to the text of items by their number."""

    def locate(records: pl.Series) -> pl.DataFrame:
        wanted = set(records)
        found = [(item.number, item.line, item.text) for item in json_items(file, named=named) if item.number in wanted]
        return pl.DataFrame(found, schema={RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String}, orient="row")

    return locate


def as_ndjson(file: LogFile) -> LogFile:
    """Return a JSON array of objects as a file that has each on a line of its own; any other file as it is.

    Raises
    ------
    DataError
        It is damaged or not UTF-8; or JSON of another shape that has no records: an array of other values, a table by columns.
    """
    if BY_COLUMN.match(file.head):
        raise DataError(f"{file.name} is JSON by columns, as pandas writes it by default; {BY_RECORD}")
    if not ARRAY.match(file.head):
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

    def __init__(self, name: str, stream: IO[bytes]) -> None:
        self.name, self.stream = name, stream
        self.decoder = getincrementaldecoder("utf-8")()
        self.text, self.at, self.line, self.number, self.ended = "", 0, 1, 0, False
        self.indent = ""

    def more(self) -> bool:
        """Read on, as much again as there is; return whether there was more."""
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
            yield from _array(document, "")
        else:
            yield _item(document, "")


def _array(document: _Document, name: str) -> Iterator[Item]:
    """Return the items of an array whose opening bracket is taken."""
    while (character := document.next()) != "]":
        if not character:
            document.number += 1
            yield Item(document.number, document.line, name, None, "", broken=True)
            return
        yield _item(document, name)
    document.pass_to(document.at + 1)


def _item(document: _Document, name: str) -> Item:
    """Take the next item."""
    line = document.line
    value, text, broken = document.value()
    document.number += 1
    return Item(document.number, line, name, value, text.rstrip().rstrip(",]").rstrip() if broken else text, broken)


def _members(document: _Document) -> Iterator[Item]:
    """Return the items of the arrays of an object."""
    if document.next() != "{":
        raise DataError(f"{document.name}, line {document.line}: the document is not a JSON object of tables")
    document.pass_to(document.at + 1)
    while (character := document.next()) != "}":
        line = document.line
        key, _, broken = document.value() if character == '"' else ("", "", True)
        if broken or document.next() != ":":
            raise DataError(f'{document.name}, line {line}: not JSON; the name of a table ("name": [...]) is expected')
        document.pass_to(document.at + 1)
        if document.next() == "[":
            document.pass_to(document.at + 1)
            yield from _array(document, str(key))
        elif document.value()[2]:
            raise DataError(f"{document.name}, line {document.line}: the value of {key!r} is not JSON")
