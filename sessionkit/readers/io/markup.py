"""XML as it streams by: the elements below its root one after the other, raw ampersands escaped on the way.

A file of any length takes no more memory than its longest element below the root, and what would take more than there is
(an element, a value, a comment, elements inside each other) is refused. Document types, and with them entities
that expand and references to other files, are refused: defusedxml looks at all that stands before the root, which is the
only place where they may stand; the faster parser of the standard library then takes the rest. Raw ampersands are what
XML does not allow but old logs have.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

import polars as pl
from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import DefusedXMLParser  # type: ignore[import-untyped]

from sessionkit.contract import RECORD
from sessionkit.errors import DataError
from sessionkit.readers.io.log_files import DAMAGED, LogFile, as_size, cut_short, unpacked
from sessionkit.readers.raw import LINE, Locate, as_json
from sessionkit.study.memory_limit import memory_budget

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
