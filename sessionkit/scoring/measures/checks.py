"""One parameter of a measure, and the checks that bring its values to their one written form."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from sessionkit.errors import MeasureError, suggestion

NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
"""A plain name, which needs no quotes."""
LARGEST = 2**31
"""Ranks and positions are 32-bit integers in the tables."""
EXACT = 2.0**53
"""Whole numbers up to which a float holds each; larger ones may not fit the tables' integers either."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure: its name, the values it takes in words, its meaning and its check."""

    name: str
    allowed: str
    meaning: str
    check: Callable[[Parameter, object], object]
    takes: Any = None
    """The type of what a call takes, where that is more than what the field holds: numbers that become a text, or ``all``."""

    @property
    def words(self) -> list[str]:
        """The bare words among the allowed values."""
        first = self.allowed.partition(" a ")[0].removeprefix("one of ").replace(" or ", ", ")
        return [word for word in first.split(", ") if word.isidentifier() and word not in {"a", "weights"}]

    def canonical(self, value: object) -> object:
        """Return the value in its one written form, or raise a `MeasureError` that names what is allowed."""
        return None if value is None else self.check(self, value)

    def refuse(self, value: object) -> MeasureError:
        """Build the error for a value out of range."""
        hint = suggestion(value, self.words) if isinstance(value, str) else ""
        return MeasureError(f"{self.name} must be {self.allowed}, not {shown_text(value)}{hint}")


def shown_text(value: object) -> str:
    """Return a value for a message: a whole number of more than 20 digits by its size.

    >>> shown_text(0.5), shown_text("x"), shown_text(10**25), shown_text(10**5000)
    ('0.5', "'x'", 'a number of 26 digits', 'a number of 5,001 digits, which no float holds')
    """
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, int) and abs(value) >= 10**20:  # Python writes out at most 4,300 digits
        beyond = ", which no float holds" if math.isinf(_number(value)) else ""
        digits = math.floor(math.log10(abs(value))) + 1
        return f"a number of {digits - (abs(value) < 10 ** (digits - 1)):,} digits{beyond}"  # log10 may round up
    return repr(value)


def _number(value: object) -> float:
    """Return a number as a float, NaN of what is none; a whole number beyond all floats is infinite."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if isinstance(value, int) and value > 0 else -math.inf


def _plain(number: float) -> float:
    """Return a whole number as an integer, of which the text has no point, if it is one that a float holds exactly."""
    return int(number) if number.is_integer() and abs(number) < EXACT else number


def number_between(low: float, high: float = math.inf) -> Callable[[Parameter, object], object]:
    """A finite number between two bounds, both excluded."""

    def check(parameter: Parameter, value: object) -> object:
        number = _number(value)
        if not (math.isfinite(number) and low < number < high):
            raise parameter.refuse(value)
        return _plain(number)

    return check


def not_negative(parameter: Parameter, value: object) -> object:
    """A finite number of at least 0."""
    number = _number(value)
    if not 0 <= number < math.inf:
        raise parameter.refuse(value)
    return _plain(number)


def share(parameter: Parameter, value: object) -> object:
    """A number between 0 and 1, both included."""
    number = _number(value)
    if not 0 <= number <= 1:
        raise parameter.refuse(value)
    return _plain(number)


def whole(parameter: Parameter, value: object) -> object:
    """A whole number of at least 1 that fits the tables' integers."""
    number = _number(value)
    if number >= LARGEST:
        msg = f"{parameter.name} must be below {LARGEST}, not {shown_text(value)}; leave it out if every rank counts"
        raise MeasureError(msg)
    if not number.is_integer() or number < 1:
        raise parameter.refuse(value)
    return int(number)


def word(*words: str, other: Callable[[object], str | None] | None = None) -> Callable[[Parameter, object], object]:
    """One of some words, or what `other` makes a text of."""

    def check(parameter: Parameter, value: object) -> object:
        if isinstance(value, str) and value in words:
            return value
        text = None if other is None else other(value)
        if text is None:
            raise parameter.refuse(value)
        return text

    return check


def word_or_whole(*words: str) -> Callable[[Parameter, object], object]:
    """One of some words, or a whole number of at least 1."""

    def check(parameter: Parameter, value: object) -> object:
        return value if isinstance(value, str) and value in words else whole(parameter, value)

    return check


def name_or_whole(parameter: Parameter, value: object) -> object:
    """A plain name, such as that of a column, or a whole number of at least 1."""
    return value if isinstance(value, str) and NAME.fullmatch(value) else whole(parameter, value)


def _numbers(parameter: Parameter, value: object) -> list[float]:
    """Numbers of at least 0, from a text that joins them by hyphens, a sequence or a single number."""
    listed: Sequence[Any] = [value]
    if isinstance(value, str):
        listed = value.split("-")
    elif isinstance(value, Sequence):
        listed = value
    try:
        numbers = [float(number) for number in listed if not isinstance(number, bool)]
    except (TypeError, ValueError):
        raise parameter.refuse(value) from None
    if len(numbers) < len(listed) or not numbers or not all(0 <= number < LARGEST for number in numbers):
        raise parameter.refuse(value)
    return numbers


def cutoffs(parameter: Parameter, value: object) -> object:
    """Rising whole numbers of at least 1, as a text."""
    numbers = _numbers(parameter, value)
    if numbers != sorted(set(numbers)) or numbers[0] < 1 or not all(number.is_integer() for number in numbers):
        raise parameter.refuse(value)
    return "-".join(f"{number:.0f}" for number in numbers)


def weights(parameter: Parameter, value: object) -> object:
    """Numbers of at least 0 that are not all 0, as a text."""
    numbers = _numbers(parameter, value)
    if not any(numbers):
        raise parameter.refuse(value)
    return "-".join(np.format_float_positional(number, trim="-") for number in numbers)
