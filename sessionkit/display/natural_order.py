"""Names in natural order: t2 stands before t10."""

from __future__ import annotations

import re

import polars as pl

NUMBER = re.compile("([0-9]+)")


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


def natural_sort(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return a frame in the natural order of a column of names, null last; equal names keep their order."""
    names = frame.get_column(column).cast(pl.String)
    known = sorted(names.drop_nulls().unique().to_list(), key=lambda name: (natural_key(name), name))
    places = names.replace_strict({name: place for place, name in enumerate(known)}, return_dtype=pl.Int64)
    return frame.with_columns(_place=places).sort("_place", nulls_last=True, maintain_order=True).drop("_place")
