"""Sheets of workbooks (.xlsx, .xlsm, .xlsb, .ods) as text, with their merged cells; memory is counted before a workbook is opened."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from itertools import groupby
from pathlib import Path
from posixpath import join, normpath
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol
from xml.parsers.expat import ExpatError, ParserCreate
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo, is_zipfile

import numpy as np
import polars as pl
from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import ParseError, fromstring  # type: ignore[import-untyped]

from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.io.delimited import joined_names, refuse_repeated
from sessionkit.readers.io.files import LogFile, as_size
from sessionkit.readers.raw import LINE, OF_SHEET, Keep, Locate, Raw, as_json
from sessionkit.study.batches import memory_budget
from sessionkit.study.checks import RECORD

if TYPE_CHECKING:
    from fastexcel import ExcelReader


def sheets_of(path: Path, name: str, memory: int | None = None) -> list[str]:
    """Return the names of the sheets of a workbook, which may use so many bytes of memory; None, what is used by default.

    Raises
    ------
    DataError
        It cannot be read as a workbook, or not in so much memory.
    UsageError
        The extra is not installed.
    """
    return list(_opened(path, name, memory).sheet_names)


def cells_of(path: Path, name: str, sheet: str, memory: int | None = None) -> pl.DataFrame:
    """Return the cells of a sheet as text, its header among them: a row for each of its rows, null where a cell is empty."""
    book = _opened(path, name, memory)
    if sheet not in book.sheet_names:
        raise DataError(
            f"{name} has no sheet {sheet!r}{suggestion(sheet, book.sheet_names)}; sheets: {', '.join(book.sheet_names)}"
        )
    with _readable(name):
        batch = book.load_sheet_eager(sheet, header_row=None, skip_rows=0, dtypes="string")  # in half of the memory
    cells = pl.DataFrame(pl.from_arrow(batch))
    return cells.rename({column: f"column_{number}" for number, column in enumerate(cells.columns, start=1)})


def read_workbook(
    file: LogFile, table: str, *, sheet: str | None, above: int, header: int, keep: Keep, memory: int | None = None
) -> Raw:
    """Return the rows of a sheet as text columns.

    Parameters
    ----------
    sheet
        Its name; None, the only one.
    above
        Rows before the header, such as a title, which are not looked at.
    header
        How many rows name the columns; 0, they are ``column_1``, ``column_2``, ...
    memory
        Bytes that may be used; None, what is used by default.

    Raises
    ------
    DataError
        There is no such sheet, or it is empty; several have no name said of them; a column is named twice.
    UsageError
        The extra is not installed.
    """
    if sheet is None:
        sheet = _the_one(sheets_of(file.path, file.name, memory), file.name, table)
    source = f"{file.name}{OF_SHEET}{sheet}"
    cells = cells_of(file.path, file.name, sheet, memory)
    filled = cells.select(pl.any_horizontal(pl.all().str.strip_chars() != "").fill_null(value=False)).to_series()
    places = filled.arg_true()
    places = places.filter(places >= above)
    if len(places) < max(header, 1):
        raise DataError(f"{source} is empty; it must hold at least a header row")
    below = places[header] if len(places) > header else cells.height
    merges = [one for one in merged_rows(file.path, sheet, cells.width) if one.first >= below]
    refuse_filled_down(source, filled_text(cells, merges), memory)
    rows = filled_down(cells, merges)[places]
    named = [[(cell or "").strip() for cell in row] for row in rows.head(header).rows()]
    names = joined_names(named) if header else list(cells.columns)
    refuse_repeated(names, source)
    records = rows.slice(header).rename(dict(zip(cells.columns, names, strict=True)))
    blank = [name for name, texts in zip(names, zip(*named, strict=True), strict=False) if not any(texts)]
    empty = [name for name in blank if (records[name].fill_null("").str.strip_chars() == "").all()]
    kept = [name for name in names if name not in empty]
    frame = records.select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias(RECORD), *kept)
    lines = places.slice(header).cast(pl.Int64) + 1
    merged = {names[one.column] for one in merges}
    return Raw(
        table,
        source,
        keep(frame.lazy()),
        len(frame),
        _way_back(frame, lines),
        file.bytes,
        file.digest,
        filled_down=tuple(name for name in kept if name in merged),
    )


def _opened(path: Path, name: str, memory: int | None) -> ExcelReader:
    """Return an opened workbook."""
    try:
        import fastexcel  # noqa: F401 - an extra
    except ImportError:
        raise UsageError(
            f"{name} is a workbook, which needs the extra excel: pip install 'sessionkit-ir[excel]'; or export its "
            "sheets as CSV"
        ) from None
    written = path.stat()
    with _readable(name):
        return _book(path.resolve(), name, memory, written.st_mtime_ns, written.st_size)


@lru_cache(maxsize=1)
def _book(path: Path, name: str, memory: int | None, _modified: int, _size: int) -> ExcelReader:
    """Return a workbook, which is opened once for all of its sheets."""
    import fastexcel

    return fastexcel.read_excel(counted_copy(path, name, memory))


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Say which workbook is damaged.

    Raises
    ------
    DataError
        It is.
    """
    import fastexcel

    try:
        yield
    except fastexcel.FastExcelError as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{name} cannot be read as a workbook ({reason}); save it again, or export it as CSV") from None


def _the_one(sheets: list[str], name: str, table: str) -> str:
    """Return the only sheet of a workbook."""
    if len(sheets) == 1:
        return sheets[0]
    raise DataError(
        f"{name} has {len(sheets)} sheets, and [{table}] does not say which; set sheet to one of: {', '.join(sheets)}"
    )


def _way_back(frame: pl.DataFrame, lines: pl.Series) -> Locate:
    """Return how to find the row number and text of records."""
    as_text = as_json(frame.lazy())

    def locate(records: pl.Series) -> pl.DataFrame:
        found = as_text(records)
        places: Any = found[RECORD] - 1
        return found.with_columns(lines.gather(places).alias(LINE))

    return locate


PIECE = 1 << 18
"""Bytes of a part that are looked at at a time."""
LONGEST_TAG = 1 << 20
"""Bytes that a tag or comment may have."""
SMALLEST = 200_000_000
"""Bytes of memory that a workbook may take however little there is: a sheet of 60,000 rows and 20 columns."""
KEPT, READ = 30, 120
"""Bytes of memory for a cell once it is read, and beside these while its sheet is being read."""
STRING, MERGE = 64, 400
"""Bytes of memory for a text that cells share, beside its length, and for a merged range."""
ROWS, COLUMNS = 2**20, 2**14
"""Rows and columns that a sheet can have."""
SHEET = b"sheetData"
"""The element with the cells of a sheet. The library finds it in a part of any name, and whatever stands before it."""
TREE_PARTS, TREE_WEIGHT = ("workbook.xml", ".rels"), 12
"""How names of the parts end that become trees of elements, and bytes of memory for a byte of these."""
NEEDED, BINARY = (".xml", ".rels", "mimetype"), ".bin"
"""How names of the parts end that hold cells or say where these are, and of those that only .xlsb needs."""
IDLE = (
    "xl/media/",
    "xl/drawings/",
    "xl/charts/",
    "xl/pivotcache/",
    "xl/vbaproject.bin",
    "xl/calcchain.",
    "xl/printersettings/",
    "pictures/",
    "customxml/",
    "docprops/",
)
"""Parts that nobody reads; they can be large."""
DAMAGED = (BadZipFile, OSError, EOFError, zlib.error, ExpatError, NotImplementedError, RuntimeError, ValueError)
"""What a part that is damaged, encrypted or packed in an unusual way may raise."""


class TooLargeError(Exception):
    """A part has something that no honest workbook has."""


@dataclass
class Sheet:
    """What a sheet holds, as far as it was read.

    Parameters
    ----------
    part
        The name of the part that it is in.
    rows, columns
        How far it reaches.
    cells
        How many cells are written.
    text
        Bytes of their texts, those alone that stand in the sheet.
    shared
        How often each text is used that cells share, by its number.
    merges
        How many ranges are merged.
    """

    part: str
    rows: int = 0
    columns: int = 0
    cells: int = 0
    text: int = 0
    shared: Counter[int] = field(default_factory=Counter)
    merges: int = 0

    @property
    def places(self) -> int:
        """How many cells are held."""
        return max(self.rows * self.columns, self.cells)


class PartCounter(Protocol):
    """Counts what a part holds, piece by piece."""

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""


class XmlPart:
    """Takes a part that is XML apart; a document type, with which entities come, is refused."""

    def __init__(self) -> None:
        self.parser = ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self._length = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        self.parser.Parse(piece)
        self._length += len(piece)
        if self._length - self.parser.CurrentByteIndex > LONGEST_TAG:
            msg = f"a tag or comment is longer than {as_size(LONGEST_TAG)}"
            raise TooLargeError(msg)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the start of an element."""

    def end(self, tag: str) -> None:
        """Take the end of an element."""

    def characters(self, text: str) -> None:
        """Take text."""

    def _refuse(self, *_: object) -> None:
        msg = "a document type"
        raise TooLargeError(msg)


class SheetPart(XmlPart):
    """Counts the cells of a sheet as the library does: only those that are not empty, a place that is not said being the next."""

    def __init__(self, sheet: Sheet) -> None:
        super().__init__()
        self.sheet = sheet
        self._row, self._column = 0, 0
        self._place: tuple[str, str | None] | None = None
        self._is_shared = self._is_value = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the start of a row, a cell, a value or a merged range."""
        name = tag.rpartition(":")[2]
        if name == "c":
            self._place = (attributes.get("r", ""), attributes.get("t"))
        elif self._place is not None:
            place, kind = self._place
            self._place = None
            letters = place.rstrip("0123456789")
            row, self._column = (
                (int(place[len(letters) :]), column_number(letters)) if place else (self._row + 1, self._column + 1)
            )
            sheet = self.sheet
            sheet.cells += 1
            sheet.rows = max(sheet.rows, row)
            sheet.columns = max(sheet.columns, self._column)
            self._is_shared, self._is_value = kind == "s", True
        elif name == "row":
            self._row = int(attributes["r"]) - 1 if "r" in attributes else self._row
        elif name == "mergeCell":
            self.sheet.merges += 1
            first, _, last = attributes.get("ref", "").partition(":")
            rows = [int("".join(filter(str.isdecimal, one)) or 0) for one in (first, last or first)]
            self.sheet.cells += max(0, rows[1] - rows[0])

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        name = tag.rpartition(":")[2]
        if name == "row":
            self._row, self._column = self._row + 1, 0
        elif name == "c":
            if self._place is not None:  # an empty cell, which is not kept, but the next one comes after it
                letters = self._place[0].rstrip("0123456789")
                self._column = column_number(letters) if letters else self._column + 1
            self._place, self._is_value = None, False

    def characters(self, text: str) -> None:
        """Take what a cell holds, or the number of the text that it shares."""
        if self._is_value and self._is_shared and len(text) < 10 and text.strip().isdecimal():
            self.sheet.shared[int(text)] += 1
        else:
            self.sheet.text += _length(text)


class StringsPart(XmlPart):
    """Counts the texts that cells share: their lengths, by their numbers."""

    def __init__(self, lengths: list[int]) -> None:
        super().__init__()
        self.lengths = lengths

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the start of a text."""
        name = tag.rpartition(":")[2]
        if name == "si":
            self.lengths.append(0)
        elif name == "sheetData" or len(attributes.get("uniqueCount", "")) > 8:  # the library makes room for as many
            msg = f"it says {name} {attributes.get('uniqueCount', '')[:20]}"
            raise TooLargeError(msg)

    def characters(self, text: str) -> None:
        """Take some of a text."""
        if self.lengths:
            self.lengths[-1] += _length(text)


class ContentPart(XmlPart):
    """Counts the cells of all sheets of an OpenDocument spreadsheet, in which cells and rows are repeated."""

    def __init__(self, sheets: list[Sheet], part: str) -> None:
        super().__init__()
        self.sheets, self.part = sheets, part
        self._repeated = self._cells = self._text = self._reach = 0
        self._empty_rows = self._own = self._times = 0
        self._is_filled = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the start of a sheet, a row or a cell."""
        name = tag.rpartition(":")[2]
        if name == "sheetData":
            raise TooLargeError(name)
        if name == "table":
            self.sheets.append(Sheet(f"{self.part}, sheet {attributes.get('table:name', '')[:60]!r}"))
            self._empty_rows = 0
        elif name == "table-row":
            self._repeated = min(int(attributes.get("table:number-rows-repeated", 1)), ROWS)
            self._cells = self._text = self._reach = 0
        elif name in ("table-cell", "covered-table-cell"):
            self._times = min(int(attributes.get("table:number-columns-repeated", 1)), COLUMNS)
            values = [value for key, value in attributes.items() if key.startswith("office:") or key == "table:formula"]
            self._is_filled, self._own = bool(values), sum(map(_length, values))
        elif name == "s":
            self._own += int(attributes.get("text:c", 1))

    def end(self, tag: str) -> None:
        """Take the end of a cell or row."""
        name = tag.rpartition(":")[2]
        if name in ("table-cell", "covered-table-cell"):
            self._cells += self._times
            if self._is_filled:
                self._reach = min(self._cells, COLUMNS)
                self._text += self._own * self._times
            self._own = 0
        elif name == "table-row" and self.sheets:
            if not self._reach:
                self._empty_rows += self._repeated
                return
            sheet = self.sheets[-1]
            sheet.rows += self._empty_rows + self._repeated
            sheet.columns = max(sheet.columns, self._reach)
            sheet.cells += self._reach
            sheet.text += self._text * self._repeated
            self._empty_rows = 0

    def characters(self, text: str) -> None:
        """Take some of what a cell holds."""
        self._own += _length(text)


class BinaryPart:
    """Counts the cells of a sheet of .xlsb, or the texts that cells share: records of a type, a length and so many bytes."""

    def __init__(self, sheet: Sheet, lengths: list[int]) -> None:
        self.sheet, self.lengths = sheet, lengths
        self._left = self._end = b""
        self._row = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        if SHEET in self._end + piece:
            msg = "records with a sheet in XML between them"
            raise TooLargeError(msg)
        self._end = piece[-len(SHEET) :]
        data, at = self._left + piece, 0
        while True:
            header = _record(data, at)
            if header is None or header[1] + header[2] > len(data):
                break
            kind, start, length = header
            self._take(kind, data[start : start + min(length, 12)], length)
            at = start + length
        self._left = data[at:]
        if len(self._left) > LONGEST_TAG:
            msg = f"a record is longer than {as_size(LONGEST_TAG)}"
            raise TooLargeError(msg)

    def _take(self, kind: int, head: bytes, length: int) -> None:
        """Take a record."""
        number = int.from_bytes(head[:4], "little")
        if kind == 0:
            self._row = number
        elif kind == 0x13:
            self.lengths.append(2 * length)
        elif 2 <= kind <= 10:
            self.sheet.cells += 1
            self.sheet.rows = max(self.sheet.rows, min(self._row, ROWS) + 1)
            self.sheet.columns = max(self.sheet.columns, number + 1)
            self.sheet.text += 2 * length
            if kind == 7:
                self.sheet.shared[int.from_bytes(head[8:12], "little")] += 1


def _record(data: bytes, at: int) -> tuple[int, int, int] | None:
    """Return the type of a record, where its content starts and how long that is; None where its head is cut."""
    if at + 6 > len(data):
        return None
    kind, at = data[at], at + 1
    if kind & 0x80:
        kind, at = (kind & 0x7F) + ((data[at] & 0x7F) << 7), at + 1
    length = 0
    for place in range(4):
        byte, at = data[at], at + 1
        length += (byte & 0x7F) << (7 * place)
        if not byte & 0x80 or at == len(data):
            break
    return kind, at, length


@dataclass
class Sizes:
    """What a workbook holds.

    Parameters
    ----------
    name
        Its name, for people.
    most
        Bytes of memory that it may take.

    Attributes
    ----------
    sheets, lengths
        What its sheets hold, and the lengths of the texts that cells share.
    parts
        Bytes of memory for the parts that were counted, beside cells and texts.
    copies
        How often cells are held at the same time.
    """

    name: str
    most: int
    sheets: list[Sheet] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    parts: int = 0
    copies: int = 1

    def counting(self, part: str) -> PartCounter:
        """Return what counts a part of this name."""
        lower = part.lower()
        if lower.endswith("sharedstrings.xml"):
            return StringsPart(self.lengths)
        if lower == "content.xml":
            self.copies = 2  # all sheets are held when it is opened, with their formulas
            return ContentPart(self.sheets, part)
        self.sheets.append(Sheet(part))
        is_xml = lower.endswith((".xml", ".rels"))
        return SheetPart(self.sheets[-1]) if is_xml else BinaryPart(self.sheets[-1], self.lengths)

    def refuse(self, part: str, *, is_complete: bool) -> None:
        """Refuse a workbook that is too large; texts that cells share are known when all of it `is_complete`.

        Raises
        ------
        DataError
            It is too large. The message names the sheet, or the part of the file, and says what is large.
        """
        texts = [sheet.text + (self._shared(sheet) if is_complete else 0) for sheet in self.sheets]
        kept = sum(KEPT * sheet.places + text for sheet, text in zip(self.sheets, texts, strict=True))
        reading = [
            READ * sheet.places + 2 * text + MERGE * sheet.merges
            for sheet, text in zip(self.sheets, texts, strict=True)
        ]
        strings = STRING * len(self.lengths) + sum(self.lengths)
        need = self.copies * (kept + max(reading, default=0)) + strings + self.parts
        far = next((sheet for sheet in self.sheets if sheet.columns > COLUMNS or sheet.rows > ROWS), None)
        if far is not None:
            raise DataError(
                f"{self.name}: {far.part} reaches to the cell {column_name(far.columns)}{far.rows}, and no sheet has more than "
                f"{ROWS:,} rows and {COLUMNS:,} columns; save it again, or export its sheets as CSV"
            )
        if need <= self.most:
            return
        largest = self.sheets[reading.index(max(reading))] if self.sheets else Sheet(part)
        what = (
            f"{largest.part} reaches to the cell {column_name(largest.columns)}{largest.rows}, with {largest.cells:,} cells and "
            f"{as_size(largest.text + self._shared(largest))} of text"
            if max(reading, default=0) + kept > strings
            else f"{part} holds {len(self.lengths):,} texts, {as_size(sum(self.lengths))} together"
        )
        if 2 * self.parts > need:
            what = f"its parts take {as_size(self.parts)} beside their cells and texts"
        raise DataError(
            f"{self.name} is too large to be read: {what}; the workbook would take {'' if is_complete else 'more than '}"
            f"{as_size(need)} of memory, the limit is {as_size(self.most)}. Delete cells far away from the table and empty "
            "rows and columns, export its sheets as CSV, or allow more with --memory"
        )

    def _shared(self, sheet: Sheet) -> int:
        """Return the bytes of the texts that the cells of a sheet share, as often as they are used."""
        return sum(self.lengths[number] * times for number, times in sheet.shared.items() if number < len(self.lengths))


def counted_copy(path: Path, name: str, memory: int | None) -> bytes:
    """Return a workbook that fits in memory, with the parts alone that were counted.

    Parameters
    ----------
    memory
        Bytes that may be used; None, what is used by default.

    Raises
    ------
    DataError
        It needs more memory, or is damaged.
    """
    sizes = Sizes(name, max(SMALLEST, memory_budget(memory)))
    copy, names = BytesIO(), set()
    try:
        with ZipFile(path) as archive, ZipFile(copy, "w", ZIP_DEFLATED, compresslevel=1) as target:
            is_binary = "xl/workbook.bin" in map(str.lower, archive.namelist())
            needed = (*NEEDED, BINARY) if is_binary else NEEDED
            for part in archive.infolist():
                lower = part.filename.lower()
                if not lower.endswith(needed) or lower.startswith(IDLE):
                    continue
                if lower in names:
                    raise BadZipFile(f"two parts are called {part.filename[:60]!r}")
                names.add(lower)
                counting = sizes.counting(part.filename)
                weight = TREE_WEIGHT if lower.endswith(TREE_PARTS) else 0.5
                with target.open(part.filename, "w") as stream:
                    for piece in _inflated(archive, part):
                        stream.write(piece)
                        sizes.parts += int(weight * len(piece))
                        counting.feed(piece)
                        if len(piece) == PIECE:  # the sum of all sheets is too slow after each of many short parts
                            sizes.refuse(part.filename, is_complete=False)
    except TooLargeError as error:
        raise DataError(
            f"{name} is not read: in its part {part.filename[:60]}, {error}; save it again, or export its sheets as CSV"
        ) from None
    except DataError:  # a ValueError, too
        raise
    except DAMAGED as error:
        raise DataError(f"{name} cannot be read as a workbook ({error}); save it again, or export it as CSV") from None
    sizes.refuse("xl/sharedStrings.xml", is_complete=True)
    return copy.getvalue()


def _inflated(archive: ZipFile, part: ZipInfo) -> Iterator[bytes]:
    """Return what a part holds, all that comes out of it, whatever the archive says of its size."""
    part.file_size = 1 << 62
    with archive.open(part) as stream:
        while piece := stream.read(PIECE):
            yield piece


def refuse_filled_down(source: str, text: int, memory: int | None) -> None:
    """Refuse a sheet whose merged cells, filled down, would hold too many bytes of text.

    Raises
    ------
    DataError
        They would.
    """
    most = max(SMALLEST, memory_budget(memory))
    if 3 * text > most:
        raise DataError(
            f"{source} is too large to be read: its merged cells, filled down, would hold {as_size(text)} of text, which takes "
            f"{as_size(3 * text)} of memory; the limit is {as_size(most)}. Unmerge long texts, or allow more with --memory"
        )


def column_number(letters: str) -> int:
    """Return the number of a column, from 1; far too many letters make a number that no column has.

    >>> column_number("A"), column_number("AB")
    (1, 28)
    """
    number = 0
    for letter in letters[:12].upper():
        number = number * 26 + ord(letter) - 64
    return number


def column_name(number: int) -> str:
    """Return the name of a column by its number, from 1.

    >>> column_name(1), column_name(28)
    ('A', 'AB')
    """
    name = ""
    while number > 0:
        number, letter = divmod(number - 1, 26)
        name = chr(65 + letter) + name
    return name


def _length(text: str) -> int:
    """Return the bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


WORKBOOK_PART, RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
MERGED = re.compile(
    rb"""<(?:\w{1,40}:)?mergeCell\s[^<>]{0,200}?ref\s?=\s?["']([A-Z]{1,3})([0-9]{1,7}):[A-Z]{1,3}([0-9]{1,7})["']"""
)
FILLED = re.compile(
    rb"""<(?:\w{1,40}:)?c\s(?:[^<>]{0,200}?\s)?r\s?=\s?["']([A-Z]{1,3})[0-9]{1,7}["'](?:[^<>]{0,200}[^<>/])?>"""
)
"""A cell that is not empty, and its column."""
BLOCK, LONGEST_MATCH = 1 << 20, 1 << 10
"""Bytes of a sheet that are looked at at a time, and bytes that what is looked for may have."""


class MergedRows(NamedTuple):
    """Cells of a column that are merged: the number of the column and of the first and last row, from 0."""

    column: int
    first: int
    last: int


def merged_rows(path: Path, sheet: str, width: int) -> list[MergedRows]:
    """Return the cells of a sheet that are merged over several rows, none where the file does not tell.

    Parameters
    ----------
    width
        How many columns were read, which begin with the first that is not empty. Where the sheet says another number, it
        cannot be told which column is which, and nothing is returned.
    """
    if not is_zipfile(path):
        return []
    try:
        with ZipFile(path) as archive:
            part = _part_of(archive, sheet)
            if part is None:
                return []
            with archive.open(part) as stream:
                if not any(MERGED.search(block) for block in blocks(stream)):
                    return []
            with archive.open(part) as stream:
                spans, columns = _spans(stream)
    except (BadZipFile, OSError, EOFError, zlib.error, KeyError, ParseError, DefusedXmlException):
        return []  # whoever reads the cells says what is wrong with it
    if not spans or not columns or max(columns) - min(columns) + 1 != width:
        return []
    found = [MergedRows(column - min(columns), first - 1, last - 1) for column, first, last in spans]
    return sorted(one for one in found if 0 <= one.column < width and one.first < one.last)


def filled_text(cells: pl.DataFrame, merges: Sequence[MergedRows]) -> int:
    """Return how many bytes of text filling down merged cells adds at most.

    >>> filled_text(pl.DataFrame({"user": ["u1", None, None]}), [MergedRows(0, 0, 2)])
    4
    """
    added = 0
    for column, merges_of_column in groupby(sorted(merges), key=lambda merge: merge.column):
        lengths = cells.to_series(column).str.len_bytes().fill_null(0).to_numpy()
        added += sum(
            int(lengths[first]) * (min(last, len(lengths) - 1) - first)
            for _, first, last in merges_of_column
            if first < len(lengths)
        )
    return added


def filled_down(cells: pl.DataFrame, merges: Sequence[MergedRows]) -> pl.DataFrame:
    """Return cells with the text of merged ones in each of their rows.

    >>> filled_down(pl.DataFrame({"user": ["u1", None, None]}), [MergedRows(0, 0, 1)])["user"].to_list()
    ['u1', 'u1', None]
    """
    for column, merges_of_column in groupby(sorted(merges), key=lambda merge: merge.column):
        texts = cells.to_series(column)
        source = np.arange(len(texts))
        for _, first, last in merges_of_column:
            source[first : last + 1] = first
        covered = pl.Series(source != np.arange(len(texts)))
        cells = cells.with_columns(texts.zip_with(~(covered & texts.is_null()), texts.gather(source)))
    return cells


def blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """Return a sheet piece by piece, each with the end of the piece before, so that nothing is cut in two in all of them."""
    before = b""
    while block := stream.read(BLOCK):
        yield before + block
        before = (before + block)[-LONGEST_MATCH:]


def _part_of(archive: ZipFile, sheet: str) -> str | None:
    """Return the name of the part of a workbook that is a sheet."""
    ids = [
        next((value for key, value in element.items() if key.endswith("}id")), "")
        for element in fromstring(archive.read(WORKBOOK_PART)).iter()
        if element.tag.endswith("}sheet") and element.get("name") == sheet
    ]
    targets = {one.get("Id"): one.get("Target", "") for one in fromstring(archive.read(RELATIONS)).iter()}
    target = targets.get(ids[0]) if ids else None
    return None if not target else normpath(join("xl", target)) if target[0] != "/" else target[1:]


def _spans(stream: IO[bytes]) -> tuple[set[tuple[int, int, int]], set[int]]:
    """Return column, first and last row of what is merged, as numbered from 1, and the columns that are not empty."""
    spans: set[tuple[bytes, bytes, bytes]] = set()
    columns: set[bytes] = set()
    for block in blocks(stream):
        spans.update(MERGED.findall(block))
        columns.update(FILLED.findall(block))
    numbered = {(column_number(column.decode()), int(first), int(last)) for column, first, last in spans}
    return numbered, {column_number(letters.decode()) for letters in columns}
