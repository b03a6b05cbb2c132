"""Intervals of means by topic, and of the difference of two: Student's and Welch's t over the sessions of each topic.

They take the sessions of a topic to be independent of each other, and describe each topic by itself: none is a test, and none is
corrected for the number of topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import polars as pl

from sessionkit.analysis.distribution_tails import t_at

LEAST = 2
"""Sessions of a mean that has an interval."""


def mean_intervals(means: pl.DataFrame, alpha: float = 0.05) -> pl.DataFrame:
    """Return means by topic with ``low`` and ``high``, null where fewer than two sessions have a value, or all the same.

    Parameters
    ----------
    means
        ``value``, ``n`` (sessions with a value) and ``sd`` (of their values, by n - 1; null where it is not known).
    alpha
        One minus the confidence.

    Examples
    --------
    >>> frame = pl.DataFrame({"value": [2.0, 1.0], "n": [3, 1], "sd": [1.0, None]})
    >>> mean_intervals(frame)["high"].round(3).to_list()  # 2 + 4.303 / sqrt(3)
    [4.484, None]
    """
    halves = [
        t_at(alpha / 2, n - 1) * sd / math.sqrt(n) if n is not None and n >= LEAST and sd else None
        for n, sd in means.select("n", "sd").iter_rows()
    ]
    return _around(means, "value", halves)


def difference_intervals(pairs: pl.DataFrame, alpha: float = 0.05) -> pl.DataFrame:
    """Return differences of two means by topic with ``low`` and ``high``, null where either is of fewer than two sessions,
    or no value differs from its mean.

    Parameters
    ----------
    pairs
        ``difference``, and ``n_a``, ``n_b``, ``sd_a``, ``sd_b`` as in `mean_intervals`.
    alpha
        One minus the confidence.

    Examples
    --------
    >>> frame = pl.DataFrame({"difference": [1.0], "n_a": [2], "n_b": [2], "sd_a": [1.0], "sd_b": [1.0]})
    >>> difference_intervals(frame)["low"].round(3).to_list()  # 1 - 4.303, as t has 2 degrees of freedom and the error is 1
    [-3.303]
    """
    rows = pairs.select("n_a", "n_b", "sd_a", "sd_b").iter_rows()
    halves = [_half_of_welch(n_a, n_b, sd_a, sd_b, alpha) for n_a, n_b, sd_a, sd_b in rows]
    return _around(pairs, "difference", halves)


def _half_of_welch(
    n_a: int | None, n_b: int | None, sd_a: float | None, sd_b: float | None, alpha: float
) -> float | None:
    """Half the interval of the difference of two means."""
    if n_a is None or n_b is None or sd_a is None or sd_b is None or min(n_a, n_b) < LEAST:
        return None
    first, second = sd_a**2 / n_a, sd_b**2 / n_b
    if first + second == 0:
        return None
    df = (first + second) ** 2 / (first**2 / (n_a - 1) + second**2 / (n_b - 1))
    return t_at(alpha / 2, df) * math.sqrt(first + second)


def _around(frame: pl.DataFrame, center: str, halves: Iterable[float | None]) -> pl.DataFrame:
    """The frame with the ends of intervals around a column."""
    half = pl.Series("half", halves, pl.Float64)
    return (
        frame.with_columns(half)
        .with_columns(low=pl.col(center) - pl.col("half"), high=pl.col(center) + pl.col("half"))
        .drop("half")
    )
