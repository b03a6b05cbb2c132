"""How much of the judgments is kept: shares that are exact, so that 0.07 of 100 documents is 7 and not 8."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from sessionkit.errors import UsageError

USUAL = tuple(Fraction(per, 100) for per in (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100))
"""The 17 shares of Buckley and Voorhees 2004 and SIGIR 2007 [the numbers from memory: the text at hand lost them]."""
NAMED = "sigir2007"
MOST = 101
HOW = f"give shares above 0 and up to 1, such as 0.1,0.5 or 0.1:1:10 (from 0.1 to 1, ten of them), or {NAMED}"


def fractions_of(given: str | float | Sequence[float | str] | None) -> tuple[Fraction, ...]:
    """Read shares of the judgments, in order, with the whole (1) at the end.

    Parameters
    ----------
    given
        Numbers or texts of numbers, ``"0.1,0.5"``, ``"first:last:how many"``, or ``"sigir2007"`` for the usual 17,
        which None means too.

    Raises
    ------
    UsageError
        One is no number above 0 and up to 1, or there are too many.

    Examples
    --------
    >>> [str(share) for share in fractions_of("0.25:1:4")]
    ['1/4', '1/2', '3/4', '1']
    """
    if given is None or given == NAMED:
        return USUAL
    texts: Iterable[float | str] = [given] if isinstance(given, str) or not isinstance(given, Iterable) else given
    shares = {share for text in texts for part in str(text).split(",") for share in _shares(part.strip())}
    if len(shares) > MOST:
        msg = f"{len(shares):,} shares of the judgments are too many; give at most {MOST}"
        raise UsageError(msg)
    return tuple(sorted(shares | {Fraction(1)}))


def _shares(text: str) -> list[Fraction]:
    """The shares that a number, or ``first:last:how many``, stands for."""
    parts = text.split(":")
    try:
        if len(parts) == 1:
            found = [Fraction(text)]
        else:
            first, last, many = Fraction(parts[0]), Fraction(parts[1]), int(parts[2])
            if len(parts) != 3 or not 2 <= many <= MOST:
                raise ValueError
            found = [first + (last - first) * step / (many - 1) for step in range(many)]
    except (ValueError, IndexError, ZeroDivisionError, OverflowError):
        msg = f"share of judgments: {text!r} is not a share; {HOW}"
        raise UsageError(msg) from None
    if not all(0 < share <= 1 for share in found):
        msg = f"share of judgments: {text!r} is out of range; {HOW}"
        raise UsageError(msg)
    return found
