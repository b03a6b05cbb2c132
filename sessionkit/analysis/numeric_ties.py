"""The one rule of ties: when two numbers are the same but for rounding, in wins, signs, ranks and orders.

A mean of 1/10 and 2/10 is .15000000000000002, a mean of 0/10 and 3/10 is .15: doubles that were worked out along different
ways differ in their last digits, and ranks would make something of it. Numbers within `TIE` of their size are tied.
What is tied with the same number is tied too, so that ties do not depend on the order of rows. Values are made the same
once, where they enter a comparison; from there on ``==`` and ``<`` say what is meant.

Nothing is rounded to digits, since two neighbors could then fall on either side of a step. The limit of the rule: of very
many values, each within `TIE` of the next, the first and the last are tied as well.
"""

from __future__ import annotations

import numpy as np
import polars as pl

TIE = 1e-12
"""Share of their size by which two numbers may differ and still be the same; rounding makes some 1e-15 of it."""


def settled(values: np.ndarray, size: np.ndarray | None = None, axis: int = 0) -> np.ndarray:
    """Make values that are tied the same: the smallest of them; nan stays.

    Parameters
    ----------
    values
        Numbers, compared along an axis.
    size
        How large the numbers are that each was worked out from, such as the two of a difference; the values' own if not
        given.
    axis
        Along which they are compared.

    Examples
    --------
    >>> settled(np.array([0.1 + 0.2, 0.4, 0.3])).tolist()
    [0.3, 0.4, 0.3]
    """
    values = np.moveaxis(np.asarray(values, dtype=np.float64), axis, -1)
    reach = TIE * np.abs(values if size is None else np.moveaxis(np.asarray(size, dtype=np.float64), axis, -1))
    reach = np.where(np.isfinite(reach), reach, 0.0)
    order = np.argsort(values, axis=-1) if size is None else np.lexsort((reach, values), axis=-1)
    at, reach = np.take_along_axis(values, order, axis=-1), np.take_along_axis(reach, order, axis=-1)
    up = np.fmax.accumulate(at + reach, axis=-1)[..., :-1]
    down = np.fmin.accumulate((at - reach)[..., ::-1], axis=-1)[..., ::-1][..., 1:]
    place = np.zeros(at.shape, dtype=np.int64)
    apart = ~((at[..., 1:] <= up) | (at[..., :-1] >= down))
    place[..., 1:] = np.where(apart, np.arange(1, at.shape[-1]), 0)
    first = np.take_along_axis(at, np.maximum.accumulate(place, axis=-1), axis=-1)
    found = np.empty_like(values)
    np.put_along_axis(found, order, first, axis=-1)
    return np.moveaxis(found, -1, axis)


def difference(first: np.ndarray | float, second: np.ndarray | float) -> np.ndarray:
    """The second less the first, 0 where they are tied, number by number.

    >>> difference(np.array([0.3, 0.3]), np.array([0.1 + 0.2, 0.4])).tolist()
    [0.0, 0.10000000000000003]
    """
    away = np.asarray(second, dtype=np.float64) - first
    found: np.ndarray = np.where(np.abs(away) <= TIE * np.maximum(np.abs(first), np.abs(second)), 0.0, away)
    return found


def differences(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The second less the first, a row per unit: 0 where they are tied, and of the same size where their sizes are tied.

    Ties are by the size of the numbers, not of the differences: 5e-17 between two .15 is 0.

    >>> differences(np.array([0.5, 0.5]), np.array([0.6, 0.4])).tolist()
    [0.09999999999999998, -0.09999999999999998]
    """
    away = difference(first, second)
    size = np.where(away == 0, 0.0, np.maximum(np.abs(first), np.abs(second)))
    return np.copysign(settled(np.abs(away), size), away)


def ranks(values: np.ndarray, axis: int = 0) -> np.ndarray:
    """Ranks along an axis, the smallest 1, ties sharing their mean rank.

    >>> ranks(np.array([0.1 + 0.2, 0.4, 0.3])).tolist()
    [1.5, 3.0, 1.5]
    """
    from scipy import stats

    found: np.ndarray = stats.rankdata(settled(values, axis=axis), axis=axis)
    return found


def tied(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """Whether two columns are tied, row by row; null where one is missing."""
    return (one == other) | ((one - other).abs() <= TIE * pl.max_horizontal(one.abs(), other.abs()))


def less(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """One column less another, 0 where they are tied; null where one is missing."""
    return pl.when(tied(one, other)).then(0.0).otherwise(one - other)
