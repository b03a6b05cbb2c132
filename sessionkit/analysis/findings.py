"""What findings have in common: tables, a reading in plain language, and how both are shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import polars as pl

from sessionkit.display.frames import ResultFrame
from sessionkit.display.text import Displayed

TEXT, WHOLE, NUMBER = pl.String(), pl.Int64(), pl.Float64()
"""Types of the columns of findings."""


def reading_of(sentences: Iterable[str]) -> str:
    """A reading: a line for each thing to say, in which no name from a log starts a line of its own or acts on a terminal.

    >>> print(reading_of(["The mean of A\\nB is higher.", "That holds."]))
    The mean of A\\nB is higher.
    That holds.
    """
    return "\n".join("".join(map(_shown, sentence)) for sentence in sentences)


def _shown(character: str) -> str:
    """A character, written out where it cannot be seen."""
    return character if character.isprintable() else character.encode("unicode_escape").decode()


class _Read(Protocol):
    """Something with a reading and tables."""

    @property
    def reading(self) -> str: ...

    def tables(self) -> dict[str, pl.DataFrame]: ...


class Framed(Displayed):
    """A result with frames among its values."""

    def __post_init__(self) -> None:
        """Make its frames such as show themselves without harm."""
        for name, value in vars(self).items():
            if type(value) is pl.DataFrame:
                object.__setattr__(self, name, ResultFrame(value))


class Finding(Framed):
    """A result with a ``reading`` and ``tables()``: shown as its reading, then its tables."""

    def words_and_tables(self: _Read) -> tuple[list[str], dict[str, pl.DataFrame]]:
        """The reading line by line, and the tables that have rows."""
        return self.reading.splitlines(), {name: table for name, table in self.tables().items() if len(table)}
