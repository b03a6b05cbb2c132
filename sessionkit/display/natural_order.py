"""Names in natural order: t2 stands before t10, and numbers go by their size."""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

NUMBER = re.compile("([0-9]+)")
WHOLE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
"""A name that is a number."""


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Return what names are sorted by: runs of digits as numbers, all else as text.

    >>> sorted(["t10", "t2", "t", "10", "9"], key=natural_key)
    ['9', '10', 't', 't2', 't10']
    """
    parts = NUMBER.split(name)
    sizes = [part.lstrip("0") for part in parts]  # a number of thousands of digits is text by its length
    return [
        (0, len(size), size) if place % 2 else (1, 0, part)
        for place, (part, size) in enumerate(zip(parts, sizes, strict=True))
        if part
    ]


def in_natural_order(names: Iterable[str]) -> list[str]:
    """Return names in order, each once: by their size where all are numbers, else in natural order.

    >>> in_natural_order(["10", "-2", "9", "1.5", "1.25"]), in_natural_order(["S10", "S9", "S10"])
    (['-2', '1.25', '1.5', '9', '10'], ['S9', 'S10'])
    """
    known = sorted(set(names), key=lambda name: (natural_key(name), name))
    return sorted(known, key=float) if all(map(WHOLE.fullmatch, known)) else known


def natural_sort(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return a frame in the natural order of a column of names, null last; equal names keep their order."""
    names = frame.get_column(column).cast(pl.String)
    known = in_natural_order(names.drop_nulls().unique())
    places = names.replace_strict({name: place for place, name in enumerate(known)}, return_dtype=pl.Int64)
    return frame.with_columns(_place=places).sort("_place", nulls_last=True, maintain_order=True).drop("_place")
