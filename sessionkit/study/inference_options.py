"""Options that every verb with tests, intervals or random draws has, checked in one place: confidence, draws, seed."""

from __future__ import annotations

from sessionkit.errors import UsageError

MOST_DRAWS = 1_000_000
FEWEST_RANDOMIZATIONS = 99
"""Draws of signs or assignments at least: with 99 the smallest p is .01."""
FEWEST_RESAMPLES = 200
"""Draws of units at least, and simulated studies: fewer estimate the tails poorly."""


def error_rate(confidence: object) -> float:
    """Return the error rate of tests at a confidence, or refuse what no confidence can be.

    >>> error_rate(0.95)
    0.05
    >>> error_rate("0.95")
    Traceback (most recent call last):
        ...
    sessionkit.errors.UsageError: confidence must be a number above .5 and below 1, not '0.95'; 0.95 is usual
    """
    if isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0.5 < confidence < 1:
        alpha = round(1 - confidence, 12)  # 1 - .95 is .050000000000000044 in doubles
        if alpha > 0:
            return alpha
    raise UsageError(f"confidence must be a number above .5 and below 1, not {confidence!r}; 0.95 is usual")


def require_draws(draws: object, least: int, name: str = "draws") -> None:
    """Refuse what is not a number of draws; how many are needed depends on what is drawn.

    >>> require_draws(10, FEWEST_RESAMPLES)
    Traceback (most recent call last):
        ...
    sessionkit.errors.UsageError: draws must be a whole number of at least 200 and at most 1,000,000, not 10
    """
    if not _is_whole(draws, least) or draws > MOST_DRAWS:  # type: ignore[operator]
        raise UsageError(f"{name} must be a whole number of at least {least} and at most {MOST_DRAWS:,}, not {draws!r}")


def require_seed(seed: object) -> None:
    """Refuse what is not a seed.

    >>> require_seed(-1)
    Traceback (most recent call last):
        ...
    sessionkit.errors.UsageError: seed must be a whole number, 0 or more, not -1
    """
    if not _is_whole(seed, 0):
        raise UsageError(f"seed must be a whole number, 0 or more, not {seed!r}")


def require_whole(name: str, value: object, least: int) -> None:
    """Refuse what is not a whole number of at least so many.

    >>> require_whole("pairs", 0, 1)
    Traceback (most recent call last):
        ...
    sessionkit.errors.UsageError: pairs must be a whole number of at least 1, not 0
    """
    if not _is_whole(value, least):
        raise UsageError(f"{name} must be a whole number of at least {least}, not {value!r}")


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
