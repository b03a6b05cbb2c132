"""JSON with halves of characters, which programs leave that cut a text in the middle of an emoji: U+FFFD stands for them.

JSON writes a character beyond the first 65,536 as two halves (surrogates). One half alone is no character: it cannot be
written as UTF-8, and polars makes a damaged text of it.
"""

from __future__ import annotations

import json
import re
from typing import Any

import polars as pl

HALF = re.compile(r"\\u[dD][89a-fA-F]")
ESCAPED = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.", re.DOTALL
)
"""A character written as two halves, a half alone, any other escape."""


def loads(text: str, **options: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the value of a JSON text; U+FFFD stands for halves of characters, which programs leave that cut texts short.

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
    >>> loads(r'["caf\\u00e9 \\ud83d\\ude00", "cut \\ud83d", "\\\\ud83d"]')
    ['café 😀', 'cut \ufffd', '\\\\ud83d']
    """
    return json.loads(without_halves(text) if HALF.search(text) else text, **options)


def without_halves(text: str) -> str:
    """Return a JSON text with U+FFFD in place of halves of characters that stand alone."""
    return ESCAPED.sub(lambda found: "\\ufffd" if len(found[0]) == 6 else found[0], text)


def whole_characters(lines: pl.Series) -> pl.Series:
    """Return lines of JSON, those with halves of characters without them.

    >>> whole_characters(pl.Series(['"cats"', r'"cut \\ud83d"'])).to_list()
    ['"cats"', '"cut \\\\ufffd"']
    """
    halved = lines.str.contains(HALF.pattern).fill_null(value=False)
    if not halved.any():
        return lines
    mended = pl.Series([without_halves(line) for line in lines.filter(halved)])
    return mended.gather((halved.cum_sum().cast(pl.Int64) - 1).clip(0)).zip_with(halved, lines).alias(lines.name)
