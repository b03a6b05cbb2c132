"""How far long work has come, for whoever shows it: things done, and of how many where that is known.

Nothing is counted unless somebody watches.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, cast

ROOM = 1 << 16
BYTES = "bytes"


@dataclass
class Progress:
    """What is done so far.

    Parameters
    ----------
    done
        How many, by what they are: ``bytes`` read, ``rows``, ``rejected`` records, ``sessions``, ``scorings``.
    of
        How many there are to be, where that is known.

    >>> str(Progress({"bytes": 3_000_000, "rows": 1200, "rejected": 0})), str(Progress({"scorings": 12}, {"scorings": 340}))
    ('3 MB read, 1,200 rows', '12 of 340 scorings')
    """

    done: dict[str, int] = field(default_factory=dict)
    of: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return what is done, in a few words; what there is none of is left out."""
        parts = []
        for things in dict.fromkeys([*self.of, *self.done]):
            unit, name = (1_000_000, "MB read") if things == BYTES else (1, things)
            many, whole = self.done.get(things, 0) // unit, self.of.get(things, 0) // unit
            if whole or many:
                parts.append(f"{many:,} of {whole:,} {name}" if whole else f"{many:,} {name}")
        return ", ".join(parts)

    @property
    def share(self) -> float | None:
        """The share that is done of what has come least far; None where no end is known."""
        shares = [self.done.get(things, 0) / whole for things, whole in self.of.items() if whole]
        return min(1.0, *shares) if shares else None


WATCHED: list[Progress] = []
"""What is counted for whoever watches; empty where nobody does."""


@contextmanager
def watched() -> Iterator[Progress]:
    """Count what is done from here on."""
    progress = Progress()
    WATCHED.append(progress)
    try:
        yield progress
    finally:
        WATCHED.remove(progress)


def expect(things: str, many: int) -> None:
    """So many more are to come."""
    for progress in WATCHED:
        progress.of[things] = progress.of.get(things, 0) + many


def count(things: str, many: int = 1) -> None:
    """So many more are done."""
    for progress in WATCHED:
        progress.done[things] = progress.done.get(things, 0) + many


def counted(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream whose bytes are counted, where somebody watches."""
    return cast("IO[bytes]", io.BufferedReader(_Counted(stream), ROOM)) if WATCHED else stream


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
        count(BYTES, len(data))
        return len(data)

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()
        super().close()
