"""Tails of Student's t and of F, from scipy.special: scipy.stats, which says the same, takes half a second to load."""

from __future__ import annotations

import polars as pl


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


def wilson(count: pl.Expr, of: pl.Expr, confidence: float) -> tuple[pl.Expr, pl.Expr]:
    """The ends of Wilson's (1927) interval of a share, of so many of a number of units that are independent of each other.

    >>> low, high = wilson(pl.col("x"), pl.col("n"), 0.95)
    >>> pl.DataFrame({"x": [0, 5], "n": [10, 10]}).select(low.round(4).alias("low"), high.round(4).alias("high")).rows()
    [(0.0, 0.2775), (0.2366, 0.7634)]
    """
    from scipy import special

    z = float(special.ndtri(0.5 + confidence / 2))
    share = count / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * (share * (1 - share) / of + z * z / (4 * of * of)).sqrt() / (1 + z * z / of)
    low = pl.when(count == 0).then(0.0).otherwise(middle - half)
    high = pl.when(count == of).then(1.0).otherwise(middle + half)
    return low, high
