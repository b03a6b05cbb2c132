"""Turns of phrase that several sections use."""

from __future__ import annotations

from collections.abc import Sequence

from sessionkit.analysis.comparing.reading import CORRECTED


def many(number: int, word: str) -> str:
    """Return a number with its word.

    >>> many(1, "topic"), many(2000, "topic")
    ('1 topic', '2,000 topics')
    """
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    """Return some items as an enumeration.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


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
