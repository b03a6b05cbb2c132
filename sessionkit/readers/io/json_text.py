r"""JSON as text that no parser shortens: different values in the file stay different values in the study.

- JSON writes a character beyond the first 65,536 as two halves (surrogates). One half alone, as programs leave it that cut a
  text in the middle of an emoji, is no character: it cannot be written as UTF-8. U+FFFD and the four digits of the half stand
  for it, so ``"\ud800"`` is ``�d800`` and ``"\udfff"`` is ``�dfff``.
- A number with more digits than a double keeps, which a parser would round, is the text that the file has:
  ``18446744073709551617`` and ``0.1000000000000000055`` keep every digit, and 1e400 is not infinite. Numbers that
  are equal, such as 1e2 and 100.0, may be spelled alike.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any

import polars as pl

HALF = re.compile(r"\\u[dD][89a-fA-F]")
ESCAPED = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.", re.DOTALL
)
"""A character written as two halves, a half alone, any other escape."""
SHORT = 19
"""Characters of a number up to which it is read as a double: all that programs write of one."""
MOST = 300
"""Digits of a whole number that Python reads as one; it refuses over 4,300."""
TEXT = r'"[^"\\]*(?:\\.[^"\\]*)*"'
LONG = r"-?[0-9](?:[0-9.]{19,}(?:[eE][+-]?[0-9]+)?|[0-9.]*[eE][+-]?[0-9]{3,})|-?[0-9]{16,}\.[0-9]+|-[0-9]{19}"
"""A number that is longer than programs write a double or a whole number of 64 bits, or has an exponent of three digits."""
BARE = rf"[:,\[]\s*(?:{LONG})"
"""Such a number without quotes, or something like it within a text."""
TOKEN = re.compile(rf"{TEXT}|({LONG})")
"""A text, or such a number."""


def loads(text: str, **options: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the value of a JSON text; numbers that Python would round or refuse, and halves of characters, as text.

    Parameters
    ----------
    options
        As :func:`json.loads` takes them.

    Raises
    ------
    ValueError, RecursionError
        It is no JSON, or nested too deeply.

    Examples
    --------
    >>> loads(r'["caf\\u00e9 \\ud83d\\ude00", "cut \\ud83d", "\\\\ud83d", 0.5, 1e400]')
    ['café 😀', 'cut \ufffdd83d', '\\\\ud83d', 0.5, '1e400']
    """
    whole = without_halves(text) if HALF.search(text) else text
    return json.loads(whole, parse_int=whole_number, parse_float=number, **options)


def whole_number(text: str) -> int | str:
    """Return a whole number, as text where it is longer than any that is computed with."""
    return int(text) if len(text) <= MOST else text


def number(text: str) -> float | str:
    """Return a number, as text where a double is another number.

    >>> number("0.30000000000000004"), number("0.1000000000000000055"), number("1e-400")
    (0.30000000000000004, '0.1000000000000000055', '1e-400')
    """
    found = float(text)
    if repr(found) == text or (len(text) <= SHORT and abs(found) < 1e15 and "e" not in text and "E" not in text):
        return found
    return found if math.isfinite(found) and Decimal(repr(found)) == Decimal(text) else text


def without_halves(text: str) -> str:
    """Return a JSON text with U+FFFD and its digits in place of each half of a character that stands alone."""
    return ESCAPED.sub(lambda found: f"\\ufffd{found[0][2:].lower()}" if len(found[0]) == 6 else found[0], text)


def unrounded(lines: pl.Series) -> pl.Series:
    r"""Return lines of JSON with texts for numbers that polars would round, and without halves of characters.

    >>> unrounded(pl.Series(['{"a": 1}', r'"cut \ud83d"', '{"a": [0.30000000000000004, 18446744073709551617]}'])).to_list()
    ['{"a": 1}', '"cut \\ufffdd83d"', '{"a": [0.30000000000000004, "18446744073709551617"]}']
    """
    long = lines.str.contains(BARE)
    lines = _with(lines, long, pl.Series([TOKEN.sub(_spelled, line) for line in lines.filter(long)], dtype=pl.String))
    halved = lines.str.contains(HALF.pattern)
    return _with(lines, halved, pl.Series([without_halves(line) for line in lines.filter(halved)], dtype=pl.String))


def _spelled(found: re.Match[str]) -> str:
    """Return a text as it is, and a number in quotes where polars would round it."""
    text = found[1]
    if text is None:
        return found[0]
    if text.lstrip("-").isdigit():
        return text if len(text) <= MOST and -(2**63) <= int(text) < 2**64 else f'"{text}"'
    try:
        rounded = isinstance(number(text), str)
    except (ValueError, ArithmeticError):  # it is no number; the line is refused as it stands
        return text
    return f'"{text}"' if rounded else text


def _with(lines: pl.Series, places: pl.Series, others: pl.Series) -> pl.Series:
    """Return lines with others in some places."""
    return lines.clone().scatter(places.arg_true(), others) if len(others) else lines
