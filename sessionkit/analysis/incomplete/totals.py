"""Distinct numbers and exact sums under them, for a few million rows, whatever their order.

Each number becomes a whole multiple of 2^-60, as in `sessionkit.scoring.exact`, cut into two parts that doubles add up
without rounding: some array passes where adding 128-bit integers by groups would take a hash table.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from sessionkit.scoring.exact import SCALE

LOW = 2**48
"""What the higher of the two numbers that a sum is kept in is multiplied by."""
EXACT = 2.0**53
"""Whole numbers up to here are doubles."""


def limbs(at: np.ndarray, values: np.ndarray, many: int) -> tuple[np.ndarray, np.ndarray]:
    """Sum of the values under each number from 0 below ``many``, at the fixed scale: of each how many `LOW`, and the rest.

    Parameters
    ----------
    at
        The number of every value.
    values
        Doubles below 2^30.

    >>> [part.tolist() for part in limbs(np.array([2, 0, 2]), np.array([0.5, 1.0, -0.25]), 3)]
    [[4096, 0, 1024], [0, 0, 0]]
    """
    whole = np.rint(values * SCALE)
    step = EXACT / 2.0 ** np.ceil(np.log2(max(len(values), 2)))  # so many numbers below it add up without rounding
    high = np.floor(whole / step)
    if float(np.abs(high).max(initial=0.0)) * max(1, len(values)) >= EXACT:
        return _by_group(at, whole, many)
    sums = [np.bincount(at, weights=part, minlength=many).astype(np.int64) for part in (high, whole - high * step)]
    if step < LOW:
        part = LOW // int(step)
        return carried(sums[0] // part, sums[0] % part * int(step) + sums[1])
    # what is left of the higher part goes down in two steps, none of which overflows
    times = int(step) // LOW
    return carried(sums[0] * times, sums[1])


def carried(high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same number, the lower part below `LOW`."""
    return high + low // LOW, low % LOW


def totals(at: np.ndarray, values: np.ndarray, many: int) -> pl.Series:
    """The same as one number each (Int128).

    >>> totals(np.array([2, 0, 2]), np.array([0.5, 1.0, -0.25]), 3).to_list() == [2**60, 0, 2**58]
    True
    """
    high, low = limbs(at, values, many)
    both = pl.DataFrame({"high": high, "low": low}).cast(pl.Int128)
    return both.select(total=pl.col("high") * pl.lit(LOW, pl.Int128) + pl.col("low")).to_series()


def _by_group(at: np.ndarray, whole: np.ndarray, many: int) -> tuple[np.ndarray, np.ndarray]:
    """The same for numbers so large that their sums might not be doubles."""
    rows = pl.DataFrame({"at": at, "value": whole}).with_columns(pl.col("value").cast(pl.Int128))
    sums = rows.group_by("at").agg(high=(pl.col("value") // LOW).sum(), low=(pl.col("value") % LOW).sum())
    parts = []
    for name in ("high", "low"):
        part = np.zeros(many, dtype=np.int64)
        part[sums["at"].to_numpy()] = sums[name].cast(pl.Int64).to_numpy()
        parts.append(part)
    return carried(*parts)


def distinct(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some whole numbers in order, each once, and the place there of every one that was given.

    >>> [found.tolist() for found in distinct(np.array([7, 3, 7]))]
    [[3, 7], [1, 0, 1]]
    """
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = first.cumsum() - 1
    return ordered[first], place


def places(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of every number among all that there are, in order, and where each of these stands first.

    >>> [found.tolist() for found in places(np.array([7, 3, 7]))]
    [[1, 0, 1], [1, 0]]
    """
    known, place = distinct(numbers)
    first = np.empty(len(known), dtype=np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    return place, first


def doubles(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Sums as doubles."""
    found: np.ndarray = (high.astype(float) * LOW + low) / SCALE
    return found


def summed(at: np.ndarray, values: np.ndarray, many: int) -> np.ndarray:
    """Sum of the values under each number from 0 below ``many`` as doubles, rounded once.

    >>> summed(np.array([1, 1]), np.array([0.1, 0.2]), 2).tolist()
    [0.0, 0.30000000000000004]
    """
    return doubles(*limbs(at, values, many))
