"""How many things, and which: phrases that notes, readings and pages share."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, one: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "session"), counted(2000, "query"), counted(2, "key")
    ('1 session', '2,000 queries', '2 keys')
    """
    several = f"{one[:-1]}ies" if one[-1:] == "y" and one[-2:-1] not in "aeiou" else f"{one}s"
    return f"{number:,} {one if number == 1 else several}"


def capital(text: str) -> str:
    """Return text as a sentence begins.

    >>> capital("paired t")
    'Paired t'
    """
    return text[:1].upper() + text[1:]


def listed(items: Sequence[str]) -> str:
    """Return some items as an enumeration.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def first_names(names: Sequence[str], most: int = 3) -> str:
    """Return the first of some names, and how many there are beyond.

    >>> first_names(["a", "b"]), first_names(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
