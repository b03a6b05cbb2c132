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
        shown = f"{value:g}" if isinstance(value, float) else repr(value)
        return MeasureError(f"{self.name} must be {self.allowed}, not {shown}{hint}")


def number_between(low: float, high: float = math.inf) -> Callable[[Parameter, object], object]:
    """A finite number between two bounds, both excluded."""

    def check(parameter: Parameter, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise parameter.refuse(value)
        number = float(value)
        if not low < number < high:
            raise parameter.refuse(value)
        return int(number) if number.is_integer() else number

    return check


def not_negative(parameter: Parameter, value: object) -> object:
    """A finite number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < math.inf:
        raise parameter.refuse(value)
    number = float(value)
    return int(number) if number.is_integer() else number


def share(parameter: Parameter, value: object) -> object:
    """A number between 0 and 1, both included."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise parameter.refuse(value)
    number = float(value)
    return int(number) if number.is_integer() else number


def whole(parameter: Parameter, value: object) -> object:
    """A whole number of at least 1 that fits the tables' integers."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if number >= LARGEST:
        msg = f"{parameter.name} must be below {LARGEST}, not {value!r}; leave it out if every rank counts"
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
