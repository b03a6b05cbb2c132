"""Turns of phrase that several sections use."""

from __future__ import annotations

from collections.abc import Sequence

from sessionkit.analysis.compare.comparison import Comparison

NAMED = 6
"""Groups whose counts a caption gives."""


def capital(text: str) -> str:
    """Return text as a sentence begins.

    >>> capital("paired t")
    'Paired t'
    """
    return text[:1].upper() + text[1:]


def filled(found: Comparison) -> str:
    """Return what a filled point of the differences means, as the last sentence of a caption; nothing where none is tested."""
    if not found.family.number:
        return ""
    too = ", for which the intervals are made too" if found.family.number > 1 and found.correction != "none" else ""
    return f" A filled point has p at or below {found.alpha:g}{found.family.told}{too}."


def first_of(items: Sequence[str], most: int) -> str:
    """Return some items in a row, the rest counted.

    >>> first_of(["a 1", "b 2", "c 3"], 2)
    'a 1, b 2 and 1 more'
    """
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")
