"""Names in natural order: t2 stands before t10, and numbers go by their size."""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

DIGITS = re.compile("[0-9]+")
NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"
RANGE = re.compile(f"{NUMBER}( to {NUMBER})?", re.ASCII | re.IGNORECASE)
"""A name that is a number, or a range of numbers."""


def natural_key(name: str) -> str:
    """Return what names are sorted by: runs of digits by their size and before all else, the rest as text.

    >>> sorted(["t10", "t2", "t", "10", "9"], key=natural_key)
    ['9', '10', 't', 't2', 't10']
    """
    return DIGITS.sub(_sized, name)


def _sized(run: re.Match[str]) -> str:
    """Digits behind their number: a number of thousands of digits is text by its length."""
    size = run[0].lstrip("0")
    return f"\0{chr(len(size))}{size}"


def in_natural_order(names: Iterable[str]) -> list[str]:
    """Return names in order, each once: by their size where all are numbers or ranges of them, else in natural order.

    >>> in_natural_order(["10", "-2", "9", "1.5", "1.25"]), in_natural_order(["S10", "S9", "S10"])
    (['-2', '1.25', '1.5', '9', '10'], ['S9', 'S10'])
    >>> in_natural_order(["9 to 10", "-2 to 7.5", "-9 to -3", "8"])
    ['-9 to -3', '-2 to 7.5', '8', '9 to 10']
    """
    known = sorted(set(names), key=lambda name: (natural_key(name), name))
    if not all(map(RANGE.fullmatch, known)):
        return known
    return sorted(known, key=lambda name: float(name.partition(" to ")[0]))


def natural_places(names: pl.Series) -> pl.Series:
    """Return what sorts names in natural order: their places, null of null; of a column that is no text its own values.

    >>> natural_places(pl.Series(["S10", None, "S9"])).to_list(), natural_places(pl.Series([10, 9])).to_list()
    ([1, None, 0], [10, 9])
    """
    if names.dtype != pl.String:
        return names
    known = in_natural_order(names.drop_nulls().unique())
    return names.replace_strict({name: place for place, name in enumerate(known)}, return_dtype=pl.Int64)


def natural_sort(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return a frame in the natural order of a column of names, null last; equal names keep their order."""
    places = natural_places(frame.get_column(column).cast(pl.String))
    return frame.with_columns(_place=places).sort("_place", nulls_last=True, maintain_order=True).drop("_place")
