"""Logs in an encoding of their time and place, copied to UTF-8 with nothing lost but what cannot be read."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace
from pathlib import Path

from sessionkit.errors import UsageError
from sessionkit.readers.io.log_files import DAMAGED, HEAD, LogFile, beginning, cut_short, unpacked

CHINESE = "gb18030"
"""What contains GBK and GB2312."""
PIECE = 1 << 20
UNKNOWN = "\ufffd"


@dataclass(frozen=True)
class InUtf8:
    """A file in UTF-8, the encoding it was in, and how many characters could not be read."""

    file: LogFile
    encoding: str
    unreadable: int = 0


def in_utf8(file: LogFile, encoding: str | None, folder: Path, otherwise: str = CHINESE) -> InUtf8:
    """Return a file in UTF-8, copied where it is in another encoding.

    Parameters
    ----------
    encoding
        The name of its encoding; None: UTF-8 where its beginning is that, else `otherwise`.
    folder
        An existing directory for the copy.

    Raises
    ------
    UsageError
        There is no such encoding.
    DataError
        The file is cut short.
    """
    name = encoding or ("utf-8" if _is_utf8(file.head) else otherwise)
    try:
        decoder = codecs.getincrementaldecoder(name)("replace")
        if isinstance(decoder.decode(b"", final=True), bytes):
            raise LookupError
    except (LookupError, AssertionError):
        raise UsageError(
            f'{file.name}: encoding {name!r} is unknown; use a name such as "gb18030" or "utf-8"'
        ) from None
    if codecs.lookup(name).name == "utf-8" and encoding is None:
        return InUtf8(file, "UTF-8")
    copy = folder / f"{len(list(folder.iterdir()))}.txt"
    unreadable = 0
    try:
        with unpacked(file.path) as source, copy.open("w", encoding="utf-8", newline="") as target:
            while piece := source.read(PIECE):
                text = decoder.decode(piece)
                unreadable += text.count(UNKNOWN)
                target.write(text)
            target.write(decoder.decode(b"", final=True))
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    with copy.open("rb") as stream:
        head = beginning(stream.read(HEAD))
    return InUtf8(replace(file, path=copy, head=head), name.upper(), unreadable)


def _is_utf8(head: bytes) -> bool:
    """Return whether a text begins in UTF-8; its last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True
