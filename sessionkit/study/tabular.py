"""Anything tabular as a polars frame: polars, pandas, Arrow, the Arrow PyCapsule or dataframe interface, dicts of lists.

What takes a frame beside a study imports this alone, and no reader of logs with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from sessionkit.errors import DataError
from sessionkit.study.checks import RECORD

Frame = Any
"""A polars frame, lazy or not, or whatever :func:`as_polars` can turn into one."""


def as_polars(frame: Frame, name: str) -> pl.LazyFrame:
    """Return anything tabular as a lazy polars frame.

    Raises
    ------
    DataError
        It is not tabular.
    """
    try:
        if isinstance(frame, pl.LazyFrame):
            return frame
        if isinstance(frame, pl.DataFrame):
            return frame.lazy()
        if isinstance(frame, Mapping):
            return pl.DataFrame(dict(frame), strict=False).lazy()
        if isinstance(frame, list):
            return pl.DataFrame(frame, strict=False, infer_schema_length=None).lazy()
        if hasattr(frame, "__arrow_c_stream__"):
            return pl.DataFrame(frame).lazy()
        if hasattr(frame, "__dataframe__"):
            return pl.from_dataframe(frame).lazy()
    except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
        raise DataError(f"{name} cannot be read as a table ({str(error).splitlines()[0]})") from None
    raise DataError(
        f"{name}: a {type(frame).__name__} is not a table; give a polars, pandas or Arrow frame or a dict of columns"
    )


def columns_of_table(frame: Frame, name: str) -> pl.LazyFrame:
    """Return anything tabular whose columns a table can have as a lazy polars frame.

    Raises
    ------
    DataError
        It is not tabular, or has a column that cannot be taken.
    """
    lazy = as_polars(frame, name)
    for column, dtype in lazy.collect_schema().items():
        if dtype == pl.Object:
            raise DataError(f"{name}: column {column!r} holds Python objects; give text, numbers, true/false or times")
        if column.startswith("__"):
            raise DataError(f"{name}: column {column!r} begins with two underscores, which are reserved; rename it")
    return lazy


def numbered(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Return rows in memory with their numbers from 1."""
    return rows.with_row_index(RECORD, offset=1).with_columns(pl.col(RECORD).cast(pl.Int64)).collect().lazy()
