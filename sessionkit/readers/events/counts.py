"""How many of something there are and the least of them, in all of a log or in parts of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeVar

import polars as pl

Key = TypeVar("Key", bound=Hashable)
Found = tuple[int, Any]
"""How many there are, and the least of them; None where there is none."""


def found(rows: pl.LazyFrame, column: str, *, distinct: bool = False) -> Found:
    """Return how many rows there are, or how many distinct values of a column they have, and its least value."""
    value = pl.col(column)
    many = value.n_unique() if distinct else pl.len()
    number, first = rows.select(many.alias("many"), value.min().alias("first")).collect().row(0)
    return number, first


def all_found(parts: Iterable[Found]) -> Found:
    """Return what parts have together, none of it in two of them."""
    given = [part for part in parts if part[0]]
    return sum(many for many, _ in given), min((first for _, first in given), default=None)


def summed(*counts: Mapping[Key, int]) -> dict[Key, int]:
    """Return the sums of counts."""
    total: dict[Key, int] = {}
    for each in counts:
        for key, many in each.items():
            total[key] = total.get(key, 0) + many
    return total
