"""Tails of Student's t and of F, from scipy.special: scipy.stats, which says the same, takes half a second to load."""

from __future__ import annotations


def t_beyond(t: float, df: float) -> float:
    """Chance of a t larger than this one.

    >>> round(2 * t_beyond(2.0452, 29), 4)
    0.05
    """
    from scipy import special

    return float(special.stdtr(df, -t))


def t_at(tail: float, df: float) -> float:
    """The t that is exceeded with this chance.

    >>> round(t_at(0.025, 29), 4)
    2.0452
    """
    from scipy import special

    return -float(special.stdtrit(df, tail))


def f_beyond(f: float, df: float, df_error: float) -> float:
    """Chance of an F larger than this one.

    >>> round(f_beyond(4.1830, 1, 29), 4)  # 2.0452 squared
    0.05
    """
    from scipy import special

    return float(special.fdtrc(df, df_error, f))
