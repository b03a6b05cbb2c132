"""Options that comparisons have in common, checked: level, draws, seed, correction."""

from __future__ import annotations

from dataclasses import dataclass

from sessionkit.analysis.compare.corrections import CORRECTIONS
from sessionkit.errors import UsageError, suggestion

FEWEST_RESAMPLES = 99


@dataclass(frozen=True)
class Options:
    """What a test may need beside its units.

    Parameters
    ----------
    alpha, resamples, seed, correction
        As `sessionkit.compare` has them.
    pairs
        Pairs of groups to test, by their numbers; None, all of them.
    """

    alpha: float = 0.05
    resamples: int = 9_999
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


def require_level(alpha: object) -> None:
    """Refuse what no level of a test can be."""
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 0.5:
        msg = f"alpha must be a number above 0 and below .5, not {alpha!r}; 0.05 is usual"
        raise UsageError(msg)


def options_of(correction: str, alpha: float, resamples: int, seed: int) -> Options:
    """Check the options of a comparison."""
    if correction not in CORRECTIONS:
        msg = f"correction must be one of {', '.join(CORRECTIONS)}, not {correction!r}{suggestion(str(correction), CORRECTIONS)}"
        raise UsageError(msg)
    require_level(alpha)
    require_whole("resamples", resamples, FEWEST_RESAMPLES)
    require_whole("seed", seed, 0)
    return Options(float(alpha), resamples, seed, correction)
