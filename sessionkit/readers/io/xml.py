"""XML as it streams by: the elements below the root one after the other, and rows made of them."""

from __future__ import annotations

import gc
import html
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

import polars as pl
from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import DefusedXMLParser  # type: ignore[import-untyped]

from sessionkit.errors import DataError
from sessionkit.readers.io.files import DAMAGED, LogFile, as_size, cut_short, unpacked
from sessionkit.readers.raw import LINE, Locate, as_json, room_in
from sessionkit.study.batches import memory_budget
from sessionkit.study.checks import RECORD

PIECE = 1 << 20
"""Bytes that are read at a time."""
FED = 1 << 16
"""Bytes that are parsed at a time: as many as a processor keeps at hand."""
LONGEST = 1 << 20
"""Bytes that are kept until a ``>`` comes; in a longer text they are cut before its last ``<`` or ``&``."""
WAITING = 8
"""One part in this many of an unfinished element waits until it is parsed, as a parser begins again with an unfinished tag."""
RAW_AMPERSAND = re.compile(rb"&(?!#[0-9]+;|#x[0-9A-Fa-f]+;|(?:amp|lt|gt|quot|apos);)")
SHARE = 2
"""One part in this many of the memory is for the element that is being read; what is taken from it needs the rest."""
SMALLEST = 100_000_000
"""Bytes of memory that an element may take however little there is."""
UNWEIGHED = 1 << 17
"""Bytes at the start of an element that are not weighed. They take 64 times as much memory at most, which is 8 MB.

Most elements are shorter, and weighing them would take an eighth of the time of parsing.
"""
BYTE, MARK, VALUE = 4, 110, 300
"""Bytes of memory for a byte of text (Python takes four where one character of it is an emoji), for a ``<`` and for a ``=``.

An element takes 90 bytes and its texts 50 more; an attribute takes 230 with the dict that it is in and 50 for its text.
"""
CDATA = re.compile(rb"(<!\[CDATA\[|\]\]>)")


class UnknownEncodingError(Exception):
    """A file says that it is in an encoding that is not known here."""


class Prolog:
    """What stands before the root of a file, the only place where a document type, and with it entities, may stand.

    Parameters
    ----------
    encoding
        What the file is in, whatever it says; None, what it says.

    Attributes
    ----------
    is_over
        Whether the root has begun.
    """

    def __init__(self, encoding: str | None) -> None:
        self.is_over = False
        self._said = ""
        self._parser = DefusedXMLParser(target=self, encoding=encoding, forbid_dtd=True)
        self._parser.parser.XmlDeclHandler = self._declared

    def feed(self, piece: bytes) -> None:
        """Look at a piece; raises what defusedxml does where it finds a document type."""
        try:
            self._parser.feed(piece)
        except DefusedXmlException:  # a ValueError, too
            raise
        except (LookupError, ValueError):
            raise UnknownEncodingError(repr(self._said)) from None

    def start(self, _tag: str, _attributes: object) -> None:
        """Take the start of an element."""
        self.is_over = True

    def _declared(self, _version: str, encoding: str | None, _standalone: int) -> None:
        """Take the declaration of XML.

        Raises
        ------
        LookupError
            The encoding is unknown, or does not write marks as ASCII does, so that they could not be counted.
        """
        self._said = encoding or ""
        if encoding and "<".encode(encoding).strip(b"\0\xff\xfe") != b"<":
            raise LookupError(encoding)


@dataclass
class Markup:
    """A file of XML.

    Parameters
    ----------
    file
        The file.
    memory
        Bytes that may be used; None, what is used by default.

    Attributes
    ----------
    root
        The name of its root, once the first element has come.
    ampersands
        How many raw ampersands had to be escaped so far.
    """

    file: LogFile
    memory: int | None = None
    root: str | None = None
    ampersands: int = 0

    def elements(self, tag: str) -> Iterator[Element]:
        """Return the elements of this name below the root, each whole, one after the other; it is gone with the next.

        Raises
        ------
        DataError
            The file is no well-formed XML (the line is named), has a document type, has an element that is too large for
            the memory there is, or cannot be unpacked to its end.
        """
        most = max(SMALLEST, memory_budget(self.memory) // SHARE)
        line, weight, length, begins = 1, 0, 0, 1
        waiting: list[bytes] = []
        builder = TreeBuilder()
        parser = XMLParser(target=builder, encoding=self._encoding)  # noqa: S314 - the prolog is looked at first
        prolog = Prolog(self._encoding)
        with self._readable(), unpacked(self.file.path) as stream:
            for text, escaped in _pieces(stream):
                self.ampersands += escaped
                if not prolog.is_over:
                    prolog.feed(text)
                for start in range(0, len(text), FED):
                    fed = text[start : start + FED]
                    length += len(fed)
                    if length > UNWEIGHED:
                        weight += _weight(fed)
                    if weight > (most if prolog.is_over else SMALLEST):
                        raise DataError(self._too_large(begins, most))
                    waiting.append(fed)
                    if len(waiting) * FED < length // WAITING:
                        continue
                    parser.feed(b"".join(waiting))
                    root = builder.close()  # what has been built so far
                    if root is not None and len(root) > 1:
                        self.root = root.tag
                        for child in root[:-1]:
                            yield from (child,) if child.tag == tag else child.iter(tag)
                        del root[:-1]
                        # the last child began in what has just been parsed
                        weight = sum(map(_weight, waiting)) if length > UNWEIGHED else 0
                        length, begins = 0, line
                    line += sum(part.count(b"\n") for part in waiting)
                    waiting.clear()
            parser.feed(b"".join(waiting))
            root = parser.close()
            self.root = root.tag
            for child in root:
                yield from (child,) if child.tag == tag else child.iter(tag)

    def _too_large(self, line: int, most: int) -> str:
        """Return what is said of an element that is too large and begins on this line or soon after it."""
        return (
            f"{self.file.name}, from line {line:,} on: an element is too large to be read (it would take more than "
            f"{as_size(most)} of memory). If its end tag, a quote or the end of a comment is missing there, correct it; "
            "or allow more with --memory"
        )

    @property
    def _encoding(self) -> str | None:
        """What to take its text for, whatever it says: where an encoding was given, it is a copy in UTF-8."""
        return None if self.file.encoding is None else "utf-8"

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Say what is wrong with a file that cannot be read as XML."""
        try:
            yield
        except DefusedXmlException:
            raise DataError(
                f"{self.file.name}: a document type (<!DOCTYPE ...>) comes before its elements; it can be harmful "
                "and logs do not need it, so remove it"
            ) from None
        except ParseError as error:
            line = error.position[0]
            reason = str(error).rpartition(": line")[0]
            raise DataError(
                f"{self.file.name}, line {line}: not well-formed XML ({reason}); correct that line, or download the file again"
            ) from None
        except UnknownEncodingError as error:
            raise DataError(
                f'{self.file.name} declares the encoding {error}, which XML parsers do not know; set encoding = "..." '
                "for it in study.toml"
            ) from None
        except DAMAGED as error:
            raise cut_short(self.file.name, error) from None

    def lines(self, tags: frozenset[str], numbers: Sequence[int]) -> dict[int, int]:
        """Return the lines on which elements of these names begin, by their numbers in the order of the file."""
        wanted, found, seen = set(numbers), {}, 0
        parser = DefusedXMLParser(target=object(), encoding=self._encoding, forbid_dtd=True)
        expat: Any = parser.parser

        def start(tag: str, _attributes: object) -> None:
            nonlocal seen
            if tag in tags:
                seen += 1
                if seen in wanted:
                    found[seen] = int(expat.CurrentLineNumber)

        expat.StartElementHandler = start
        with self._readable(), unpacked(self.file.path) as stream:
            for piece, _ in _pieces(stream):
                parser.feed(piece)
        return found

    def locate(self, frame: pl.LazyFrame, *tags: str) -> Locate:
        """Return the way back for rows whose RECORD is the number of their element: its line, and the row as JSON."""
        raw = as_json(frame)

        def locate(records: pl.Series) -> pl.DataFrame:
            at = self.lines(frozenset(tags), records.to_list())
            lines = pl.DataFrame({RECORD: list(at), LINE: list(at.values())}, schema={RECORD: pl.Int64, LINE: pl.Int64})
            return raw(records).drop(LINE).join(lines, on=RECORD, how="left")

        return locate


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave cyclic garbage uncollected for a while: elements make none, and to look for it takes as long as to read them."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


def _weight(text: bytes) -> int:
    """Return about how many bytes of memory the elements take that a text is parsed to; at least as many as they do."""
    return BYTE * len(text) + MARK * text.count(b"<") + VALUE * text.count(b"=")


def _pieces(stream: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Return what a stream holds, raw ampersands escaped, and how many there were in each piece."""
    left, inside = b"", False
    while chunk := stream.read(PIECE):
        text = left + chunk
        cut = text.rfind(b">") + 1  # neither an entity nor the marks of CDATA stand on both sides of it
        if not cut and len(text) > LONGEST:
            mark = max(text.rfind(b"<"), text.rfind(b"&"))
            cut = mark if mark > 0 else len(text) - len("]]")
        text, left = text[:cut], text[cut:]
        piece, escaped, inside = _escaped(text, inside)
        yield piece, escaped
    piece, escaped, _ = _escaped(left, inside)
    yield piece, escaped


def _escaped(text: bytes, inside: bool) -> tuple[bytes, int, bool]:
    """Return a text with its raw ampersands escaped, their number, and whether it ends in CDATA, where they are fine."""
    if not inside and not (b"[" in text and b"<![CDATA[" in text):  # a lone byte is found much faster
        return *RAW_AMPERSAND.subn(b"&amp;", text), False
    parts, escaped = [], 0
    for part in CDATA.split(text):
        if part in (b"<![CDATA[", b"]]>"):
            inside = part == b"<![CDATA["
        mended, many = (part, 0) if inside else RAW_AMPERSAND.subn(b"&amp;", part)
        parts.append(mended)
        escaped += many
    return b"".join(parts), escaped, inside


MANY = 5_000
"""Rows that wait to be kept."""
Types = Mapping[str, pl.DataType | type[pl.DataType]]
Row = dict[str, Any]
Block = dict[str, list[Any]]
"""Some rows of a table, column by column, all of one length."""
Kept = tuple[pl.DataFrame | None, set[str]]
"""Rows, None where they are in a file, and the names of their columns, all of which hold something."""


def block_of(rows: Sequence[Row]) -> Block:
    """Return rows as a block.

    >>> block_of([{"rank": "1", "title": "One"}, {"rank": "2"}])
    {'rank': ['1', '2'], 'title': ['One', None]}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def regular(parent: Element) -> Block | None:
    """Return the children of an element as a block, where all have the same elements in one order and one attribute.

    It says the same as taking them one by one does, and is several times faster; None where they are not so regular.

    >>> from defusedxml.ElementTree import fromstring
    >>> regular(fromstring('<l><r rank="1"><id>a</id></r><r rank="2"><id>b</id></r></l>'))
    {'rank': ['1', '2'], 'id': ['a', 'b']}
    >>> regular(fromstring('<l><r rank="1"><id>a</id></r><r rank="2"/></l>')) is None
    True
    """
    many = len(parent)
    if not many:
        return {}
    leaves = list(chain.from_iterable(parent))
    wide = len(leaves) // many
    tags = [leaf.tag for leaf in leaves]
    own = tags[:wide]
    if own * many != tags or len(set(own)) < wide or any(map(len, leaves)) or set(map(len, parent)) != {wide}:
        return None
    attributes = [child.attrib for child in parent]
    if set(map(len, attributes)) != {1}:
        return None
    (key,) = attributes[0]
    if not all(key in told for told in attributes):
        return None
    texts = [leaf.text for leaf in leaves]
    values: Block = {key: [told[key] for told in attributes]}
    return values | {tag: texts[place::wide] for place, tag in enumerate(own)}


class ElementRows:
    """Rows of one table: values by name, those of names that are not in `types` being text.

    Texts lose blanks around them, empty ones become null.

    Parameters
    ----------
    types
        Those of the columns that are known; columns that hold nothing are left out in the end.
    displayed
        Texts to be decoded once more, as they were encoded twice.
    folder
        Where rows stay; None, in memory.
    """

    def __init__(self, types: Types, displayed: Sequence[str], folder: Path | None) -> None:
        self.types, self.displayed = types, displayed
        self.folder = None if folder is None else Path(tempfile.mkdtemp(prefix="elements-", dir=folder))
        self._waiting: list[Block] = []
        self._single: list[Row] = []
        self._many = 0
        self._kept: list[Future[Kept]] = []
        self._worker = ThreadPoolExecutor(max_workers=1)

    def add(self, block: Block) -> None:
        """Add rows, each with the number of its element as RECORD."""
        self._waiting.append(block)
        self._many += len(block[RECORD])
        if self._many >= MANY:
            self._flush()

    def add_row(self, row: Row) -> None:
        """Add a row, with the number of its element as RECORD."""
        self._single.append(row)
        self._many += 1
        if self._many >= MANY:
            self._flush()

    def frame(self, required: Sequence[str]) -> pl.LazyFrame:
        """Return the rows, their columns those that hold something and those required."""
        if self._many or not self._kept:
            self._flush()
        with self._worker:
            frames, names = zip(*(one.result() for one in self._kept), strict=True)
        filled = set().union(*names)
        types = {name: self.types.get(name, pl.String) for name in filled} | {RECORD: pl.Int64}
        in_memory = [frame for frame in frames if frame is not None]
        if in_memory:
            every = pl.concat(in_memory, how="diagonal").lazy()
        else:  # as one, which takes less memory to read some rows of than as many put together
            files = sorted(self.folder.iterdir()) if self.folder else []
            every = pl.scan_parquet(files, schema=types, missing_columns="insert", glob=False)
        order = [*self.types, *sorted(filled - self.types.keys() - {RECORD})]
        return every.select(
            name if name in filled else pl.lit(None, self.types[name]).alias(name)
            for name in (RECORD, *order)
            if name in filled or name in required
        )

    def close(self) -> None:
        """Wait for rows that are on their way to be kept, and take no more."""
        self._worker.shutdown()

    def _flush(self) -> None:
        """Keep the rows that wait, in a thread, while the next come; those before have been kept by then."""
        if self._kept:
            self._kept[-1].result()
        self._kept.append(self._worker.submit(self._framed, self._waiting, self._single, self._many, len(self._kept)))
        self._waiting, self._single, self._many = [], [], 0

    def _framed(self, waiting: list[Block], rows: list[Row], many: int, number: int) -> Kept:
        """Return rows as they are kept, and the names of the columns that hold something."""
        blocks = [*waiting, *([block_of(rows)] if rows else [])]
        own: set[str] = {RECORD}.union(*blocks)
        types: dict[str, Any] = {RECORD: pl.Int64, **self.types}
        types |= dict.fromkeys(sorted(own - types.keys()), pl.String)
        columns = [pl.Series(name, _values(name, blocks), types[name]) for name in types if name in own]
        texts = pl.selectors.string().str.strip_chars().replace("", None)
        frame = pl.DataFrame([self._decoded(column) for column in columns]).with_columns(texts)
        filled = [column.name for column in frame if column.null_count() < many or column.name == RECORD]
        return self._keep(frame.select(filled), number), set(filled)

    def _decoded(self, column: pl.Series) -> pl.Series:
        """Return a column, its texts decoded once more if they are displayed."""
        if column.name not in self.displayed:
            return column
        encoded = column.str.contains("&", literal=True).fill_null(value=False).arg_true()
        if not len(encoded):
            return column
        return column.scatter(encoded, [html.unescape(text) for text in column.gather(encoded)])

    def _keep(self, frame: pl.DataFrame, number: int) -> pl.DataFrame | None:
        """Return rows that stay in memory; in files they are not packed, as they are read only once or twice.

        Statistics say which files have nothing of a range of sessions.
        """
        if self.folder is None:
            return frame
        path = self.folder / f"{number:06}.parquet"
        with room_in(self.folder):
            frame.write_parquet(path, compression="uncompressed", statistics=True)
        return None


def _values(name: str, blocks: Sequence[Block]) -> list[Any]:
    """Return the values of a column; None where a block does not have it."""
    values = [block.get(name) for block in blocks]
    if None in values:
        values = [
            [None] * len(block[RECORD]) if own is None else own for block, own in zip(blocks, values, strict=True)
        ]
    return list(chain.from_iterable(own for own in values if own is not None))
