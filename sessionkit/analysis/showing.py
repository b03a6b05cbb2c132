"""What findings have in common: tables, a reading in plain language, and how both are shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import polars as pl

from sessionkit.showing.shown import Shown

TEXT, WHOLE, NUMBER = pl.String(), pl.Int64(), pl.Float64()
"""Types of the columns of findings."""


def reading_of(sentences: Iterable[str]) -> str:
    """A reading: a line for each thing to say, in which no name from a log starts a line of its own or acts on a terminal.

    >>> print(reading_of(["The mean of A\\nB is higher.", "That holds."]))
    The mean of A\\nB is higher.
    That holds.
    """
    return "\n".join("".join(map(_shown, sentence)) for sentence in sentences)


def counted(number: int, one: str, several: str = "") -> str:
    """Say how many things there are; `several` is their name where it is not that of one with an s.

    >>> counted(1, "session"), counted(1_200, "session"), counted(2, "query", "queries")
    ('1 session', '1,200 sessions', '2 queries')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def _shown(character: str) -> str:
    """A character, written out where it cannot be seen."""
    return character if character.isprintable() else character.encode("unicode_escape").decode()


class _Read(Protocol):
    """Something with a reading and tables."""

    @property
    def reading(self) -> str: ...

    def tables(self) -> dict[str, pl.DataFrame]: ...


class Finding(Shown):
    """A result with a ``reading`` and ``tables()``: shown as its reading, then its tables."""

    def words_and_tables(self: _Read) -> tuple[list[str], dict[str, pl.DataFrame]]:
        """The reading line by line, and the tables that have rows."""
        return self.reading.splitlines(), {name: table for name, table in self.tables().items() if len(table)}
