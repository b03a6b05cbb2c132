"""Looking up the rows in which values stand, again and again: a hash table that is made once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose multiples look like chance; each level of the table uses a power of it."""


@dataclass(frozen=True, eq=False)
class Lookup:
    """Where each of some distinct values stands; a value may be made of several columns.

    Every value has a place in a table by its hash. Those that find their place taken go to a table of the next level,
    and so on; there are a handful of levels. What is found is compared with what was asked for, value by value.

    Parameters
    ----------
    values
        Columns of texts or numbers, each row of them another.
    hashes
        Hash of each row, and a 0.
    levels
        Of each level its table: 2^n rows of `values`, the row behind the last where there is none. None where two rows
        have one hash, which a join must tell apart.
    """

    values: tuple[pl.Series, ...]
    hashes: NDArray[np.uint64]
    levels: tuple[NDArray[np.uint32], ...] | None

    @classmethod
    def of(cls, *values: pl.Series) -> Lookup:
        """Put distinct values into tables."""
        hashes = _hashes(values)
        every = np.append(hashes, np.uint64(0))
        if pl.Series(hashes).n_unique() < len(hashes):
            return cls(values, every, None)
        levels: list[NDArray[np.uint32]] = []
        left = np.arange(len(hashes), dtype=np.uint32)
        while len(left):
            table = np.full(2 << len(left).bit_length(), len(hashes), dtype=np.uint32)
            place = _places(every[left], len(levels), len(table))
            table[place] = left
            left = left[table[place] != left]
            levels.append(table)
        return cls(values, every, (*levels,))

    def rows(self, *asked: pl.Series) -> pl.Series:
        """Row of each value that is asked for; null where it is not there, or a part of it is null.

        >>> Lookup.of(pl.Series(["a", "b"])).rows(pl.Series(["b", "c", None, "b"])).to_list()
        [1, None, None, 1]
        >>> Lookup.of(pl.Series(["a", "a"]), pl.Series([1, 2])).rows(pl.Series(["a", "b"]), pl.Series([2, 2])).to_list()
        [1, None]
        """
        if self.levels is None or not len(self.values[0]):
            return self._joined(asked)
        hashes, none = _hashes(asked), len(self.values[0])
        found = self.levels[0][_places(hashes, 0, len(self.levels[0]))]
        # where a place is free no value was put further on
        other = np.flatnonzero((self.hashes[found] != hashes) & (found < none))
        for level, table in enumerate(self.levels[1:], 1):
            row = table[_places(hashes[other], level, len(table))]
            found[other] = row
            other = other[(self.hashes[row] != hashes[other]) & (row < none)]
        found[other] = none
        rows = pl.Series("row", np.minimum(found, none - 1))
        same = pl.Series(found < none)
        for values, wanted in zip(self.values, asked, strict=True):
            same &= values.gather(rows) == wanted
        return pl.select(pl.when(same).then(rows)).to_series()

    def _joined(self, asked: tuple[pl.Series, ...]) -> pl.Series:
        """The same by a join."""
        known, wanted = (
            pl.DataFrame([column.alias(str(number)) for number, column in enumerate(columns)])
            for columns in (self.values, asked)
        )
        found = wanted.join(known.with_row_index("row"), on=wanted.columns, how="left", maintain_order="left")
        return found.get_column("row")


def _hashes(columns: tuple[pl.Series, ...]) -> NDArray[np.uint64]:
    """Hash of each row of some columns."""
    first, *rest = (column.hash().to_numpy() for column in columns)
    for hashes in rest:
        first = first * SPREAD + hashes
    return first


def _places(hashes: NDArray[np.uint64], level: int, size: int) -> NDArray[np.int64]:
    """Place of each hash in the table of a level."""
    spread = np.uint64(pow(int(SPREAD), level + 1, 2**64))
    return (hashes * spread >> np.uint64(65 - size.bit_length())).view(np.int64)
