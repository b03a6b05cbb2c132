"""Turns of phrase that several sections use."""

from __future__ import annotations

from sessionkit.analysis.comparing.reading import CORRECTED


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
