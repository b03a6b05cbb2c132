"""Sums that are the same bits in any order: contributions become integers at one fixed scale before they are added.

Adding doubles is not associative, so a sum of them changes in its last digits with the order of the rows, the number
of threads and the partition. Integers have no such trouble. Every contribution is rounded once, to a multiple of
2^-60, and added as a 128-bit integer; a normalized value divides two such sums.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

SCALE = 2.0**60
LARGEST_GAIN = 2.0**30
"""A single gain must stay below this, so that 2^36 results of one group cannot overflow 128 bits."""
LARGEST_VALUE = 2.0**60
"""A value that a measure works out itself must stay below this, so that it fits into 128 bits."""
ROUNDED = 2**12
"""Units of the fixed scale (3.6e-15) by which the same products can differ, added up in another order."""


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


def share_of_best(reached: pl.Expr, best: pl.Expr) -> pl.Expr:
    """Share that one sum at the fixed scale is of the highest there can be: exactly 1 for the best, 0 where that is 0.

    >>> pl.select(share_of_best(pl.lit(2**60 - 1, pl.Int128), pl.lit(2**60, pl.Int128))).item()
    1.0
    """
    part = quotient(unfixed(reached), unfixed(best)).fill_null(0.0)
    return pl.when((best > 0) & (best - reached <= ROUNDED)).then(1.0).otherwise(part)


def reaches(total: pl.Expr, target: pl.Expr) -> pl.Expr:
    """Whether one sum at the fixed scale is at least another, as the numbers that were added are written.

    Sums of whole numbers are compared exactly. A number such as 0.1 is no double, so that 0.3 can fall short of 0.1 + 0.2
    by a share of some 2^-53: a sum reaches another that exceeds it by a share of at most 2^-48.

    >>> numbers = pl.select(total=fixed(pl.lit(0.3)), target=fixed(pl.lit(0.1)) + fixed(pl.lit(0.2)))
    >>> numbers.select(pl.col("total") >= pl.col("target"), near=reaches(pl.col("total"), pl.col("target"))).row(0)
    (False, True)
    """
    return total + target // pl.lit(2**48, pl.Int128) >= target


def running(count: pl.Expr) -> pl.Expr:
    """Sum of whole numbers down to each row within its ``list``, of rows that stand list by list.

    >>> rows = pl.DataFrame({"list": [0, 0, 1], "n": [2, 3, 4]})
    >>> rows.select(running(pl.col("n"))).to_series().to_list()
    [2, 5, 4]
    """
    through = count.cum_sum()
    before = pl.when(pl.col("list") != pl.col("list").shift(1)).then(through - count)
    return through - before.forward_fill().fill_null(0)


def _divided(columns: Sequence[pl.Series]) -> pl.Series:
    """Divide two columns, one of which may have a single value for all rows of the other."""
    part, whole = (column.to_numpy() for column in columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(whole != 0, np.divide(part, whole), np.nan)
    return pl.Series(columns[0].name, found).fill_nan(None)
