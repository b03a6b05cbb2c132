"""What a workbook takes in memory, counted before the library that reads it opens it, and a copy of what was counted.

The library holds a sheet as a rectangle of cells with their texts, and cannot be stopped. A small file can hold very much: it is
packed, a text is shared by any number of cells, a cell is far away from the others, a row is repeated. What a file says of its
own sizes is not trusted: what comes out of the archive is counted, and the library gets those parts alone, packed anew.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Protocol
from xml.parsers.expat import ExpatError, ParserCreate
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from sessionkit.errors import DataError
from sessionkit.readers.io.limits import as_size
from sessionkit.study.memory_limit import memory_budget

PIECE = 1 << 18
"""Bytes of a part that are looked at at a time."""
LONGEST = 1 << 20
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
BOOK, BOOK_WEIGHT = ("workbook.xml", ".rels"), 12
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
        if self._length - self.parser.CurrentByteIndex > LONGEST:
            msg = f"a tag or comment is longer than {as_size(LONGEST)}"
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
        if len(self._left) > LONGEST:
            msg = f"a record is longer than {as_size(LONGEST)}"
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
                weight = BOOK_WEIGHT if lower.endswith(BOOK) else 0.5
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
