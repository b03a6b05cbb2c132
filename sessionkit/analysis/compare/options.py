"""Options that comparisons have in common, checked: level, draws, seed, correction."""

from __future__ import annotations

from dataclasses import dataclass

from sessionkit.analysis.compare.corrections import CORRECTIONS
from sessionkit.errors import UsageError, suggestion

FEWEST_DRAWS = 99


@dataclass(frozen=True)
class Options:
    """What a test may need beside its units.

    Parameters
    ----------
    alpha
        The error rate, 1 - confidence.
    draws, seed, correction
        As `sessionkit.compare` has them.
    pairs
        Pairs of groups to test, by their numbers; None, all of them.
    """

    alpha: float = 0.05
    draws: int = 9_999
    seed: int = 0
    correction: str = "none"
    pairs: tuple[tuple[int, int], ...] | None = None


def require_whole(name: str, value: object, least: int) -> None:
    """Refuse what is not a whole number of at least so many.

    >>> require_whole("draws", 0, 1)
    Traceback (most recent call last):
        ...
    sessionkit.errors.UsageError: draws must be a whole number of at least 1, not 0
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        msg = f"{name} must be a whole number of at least {least}, not {value!r}"
        raise UsageError(msg)


def error_rate(confidence: object) -> float:
    """The error rate of tests at a confidence; refuses what no confidence can be.

    >>> error_rate(0.95)
    0.05
    """
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0.5 < confidence < 1:
        msg = f"confidence must be a number above .5 and below 1, not {confidence!r}; 0.95 is usual"
        raise UsageError(msg)
    return round(1 - confidence, 12)


def options_of(correction: str, confidence: float, draws: int, seed: int) -> Options:
    """Check the options of a comparison."""
    if correction not in CORRECTIONS:
        msg = f"correction must be one of {', '.join(CORRECTIONS)}, not {correction!r}{suggestion(str(correction), CORRECTIONS)}"
        raise UsageError(msg)
    alpha = error_rate(confidence)
    require_whole("draws", draws, FEWEST_DRAWS)
    require_whole("seed", seed, 0)
    return Options(alpha, draws, seed, correction)
