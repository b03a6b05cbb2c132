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


def readable(value: float) -> str:
    """A number at a readable precision.

    >>> readable(0.12345), readable(0.00012345)
    ('0.1235', '1.23e-04')
    """
    return f"{value:.4f}" if abs(value) >= 0.001 or value == 0 else f"{value:.2e}"


LEVELS = (0.001, 0.01, 0.05, 0.1)
"""Levels of significance."""


def readable_p(value: float) -> str:
    """A p-value as text says it: three decimals, and below .001 no more than that; tables have it with three digits.

    It is never rounded to a level of significance that it is above or below.

    >>> readable_p(0.0421), readable_p(0.00042), readable_p(0.0496), readable_p(0.05)
    ('0.042', '< 0.001', '0.0496', '0.050')
    """
    if value < LEVELS[0]:
        return f"< {LEVELS[0]:g}"
    return _off_levels(value, "f")


def told_p(value: float) -> str:
    """A p-value with its name.

    >>> told_p(0.0421), told_p(1e-9)
    ('p = 0.042', 'p < 0.001')
    """
    text = readable_p(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def digits_of_p(value: float) -> str:
    """A p-value as a table has it: three digits, or as many as keep it from a level of significance that it is not.

    >>> digits_of_p(0.0421), digits_of_p(0.00042), digits_of_p(0.049999), digits_of_p(0.05), digits_of_p(1e-9)
    ('0.0421', '0.000420', '0.049999', '0.0500', '1.00e-09')
    """
    if value == 0:
        return "< 1e-300"
    return _off_levels(value, "g")


def _off_levels(value: float, form: str) -> str:
    """A number with three digits of a form, or as many more as keep it from a level that it is not."""
    texts = [f"{value:#.{digits}{form}}" for digits in range(3, 10)]
    return next((text for text in texts if float(text) == value or float(text) not in LEVELS), texts[0])


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
