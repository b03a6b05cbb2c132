"""Turns of phrase that several sections use."""

from __future__ import annotations

from collections.abc import Sequence

from sessionkit.analysis.comparing.reading import CORRECTED

NAMED = 6
"""Groups whose counts a caption gives."""


def capital(text: str) -> str:
    """Return text as a sentence begins.

    >>> capital("paired t")
    'Paired t'
    """
    return text[:1].upper() + text[1:]


def corrected(correction: str) -> str:
    """Return how p-values were corrected, as it follows them.

    >>> corrected("holm"), corrected("none")
    (" after Holm's correction", ', not corrected')
    """
    name = CORRECTED.get(correction)
    return f" after {name}'s correction" if name else ", not corrected"


def first_of(items: Sequence[str], most: int) -> str:
    """Return some items in a row, the rest counted.

    >>> first_of(["a 1", "b 2", "c 3"], 2)
    'a 1, b 2 and 1 more'
    """
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")
