"""What stands before the root of an XML file: its declaration, and no document type."""

from __future__ import annotations

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import DefusedXMLParser  # type: ignore[import-untyped]


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
    root
        How many bytes stand before the root; None while it has not begun.
    before
        How many bytes came before the piece looked at last.
    is_utf8
        Whether it is in UTF-8, as it does not say otherwise.
    """

    def __init__(self, encoding: str | None) -> None:
        self.root: int | None = None
        self.before, self._end = 0, 0
        self.is_utf8 = True
        self._given, self._said = encoding, ""
        self._parser = DefusedXMLParser(target=self, encoding=encoding, forbid_dtd=True)
        self._parser.parser.XmlDeclHandler = self._declared

    def feed(self, piece: bytes) -> None:
        """Look at a piece; raises what defusedxml does where it finds a document type."""
        self.before, self._end = self._end, self._end + len(piece)
        try:
            self._parser.feed(piece)
        except DefusedXmlException:  # a ValueError, too
            raise
        except (LookupError, ValueError):
            raise UnknownEncodingError(repr(self._said)) from None

    def start(self, _tag: str, _attributes: object) -> None:
        """Take the start of an element."""
        if self.root is None:
            self.root = self._parser.parser.CurrentByteIndex

    def _declared(self, _version: str, encoding: str | None, _standalone: int) -> None:
        """Take the declaration of XML."""
        self._said = encoding or ""
        self.is_utf8 = self._given is not None or self._said.lower() in ("", "utf-8")
