"""How far a reading has come, for whoever shows it: bytes of text read, rows kept, records rejected.

Nothing is counted unless somebody watches.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, cast

ROOM = 1 << 16


@dataclass
class Progress:
    """What has been read so far.

    >>> str(Progress(bytes=3_000_000, rows=1200, rejected=1))
    '3 MB read, 1,200 rows, 1 rejected'
    """

    bytes: int = 0
    rows: int = 0
    rejected: int = 0

    def __str__(self) -> str:
        """Return what has been read, in a few words; what there is none of is left out."""
        parts = ((self.bytes // 1_000_000, "MB read"), (self.rows, "rows"), (self.rejected, "rejected"))
        return ", ".join(f"{number:,} {what}" for number, what in parts if number)


_watched: list[Progress] = []


@contextmanager
def watched() -> Iterator[Progress]:
    """Count what is read from here on."""
    progress = Progress()
    _watched.append(progress)
    try:
        yield progress
    finally:
        _watched.remove(progress)


def came(*, bytes: int = 0, rows: int = 0, rejected: int = 0) -> None:
    """Count what has just been read."""
    for progress in _watched:
        progress.bytes += bytes
        progress.rows += rows
        progress.rejected += rejected


def begun_again() -> None:
    """Forget what has been read, as it is read anew another way."""
    for progress in _watched:
        progress.bytes = progress.rows = progress.rejected = 0


def counted(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream whose bytes are counted, where somebody watches."""
    return cast("IO[bytes]", io.BufferedReader(_Counted(stream), ROOM)) if _watched else stream


class _Counted(io.RawIOBase):
    """Passes on what it reads, and counts it."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read into a buffer and return how much."""
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        came(bytes=len(data))
        return len(data)

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()
        super().close()
