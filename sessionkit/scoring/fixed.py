"""Sums that are the same bits in any order: contributions become integers at one fixed scale before they are added.

Adding doubles is not associative, so a sum of them changes in its last digits with the order of the rows, the number
of threads and the partition. Integers have no such trouble. Every contribution is rounded once, to a multiple of
2^-60, and added as a 128-bit integer; a normalised value divides two such sums.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

SCALE = 2.0**60
LARGEST_GAIN = 2.0**30
"""A single gain must stay below this, so that 2^36 results of one group cannot overflow 128 bits."""


def fixed(value: pl.Expr) -> pl.Expr:
    """Round a Float64 expression to the fixed scale; null stays null.

    >>> pl.select(fixed(pl.lit(0.5))).item() == 2**59
    True
    """
    return (value * SCALE).round().cast(pl.Int128)


def unfixed(total: pl.Expr) -> pl.Expr:
    """Read a fixed-scale integer expression as a Float64.

    >>> pl.select(unfixed(fixed(pl.lit(0.1)))).item()
    0.1
    """
    return total.cast(pl.Float64) / SCALE


def mean(value: pl.Expr) -> pl.Expr:
    """Mean of a Float64 expression over the rows where it is not null, the same bits in any order; null over no rows.

    >>> pl.DataFrame({"x": [0.1, None, 0.3]}).select(mean(pl.col("x"))).item()
    0.2
    """
    return quotient(unfixed(fixed(value).sum()), value.count())


def quotient(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
    """Divide row by row, correctly rounded; null where the divisor is zero or null.

    Polars multiplies by the reciprocal where it knows that all rows have the same divisor, which can be off in the last
    bit: a session would then score differently alone than among others.

    >>> pl.select(quotient(pl.lit(3.0), pl.lit(49))).item() == 3 / 49
    True
    >>> pl.DataFrame({"a": [1, 1], "b": [4, 0]}).select(quotient(pl.col("a"), pl.col("b"))).to_series().to_list()
    [0.25, None]
    """
    both = [part.cast(pl.Float64), whole.cast(pl.Float64)]
    return pl.map_batches(both, _divided, return_dtype=pl.Float64, is_elementwise=True)


def _divided(columns: Sequence[pl.Series]) -> pl.Series:
    """Divide two columns, one of which may have a single value for all rows of the other."""
    part, whole = (column.to_numpy() for column in columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(whole != 0, np.divide(part, whole), np.nan)
    return pl.Series(columns[0].name, found).fill_nan(None)
