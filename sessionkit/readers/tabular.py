"""Anything tabular as a polars frame: polars, pandas, Arrow, the Arrow PyCapsule or dataframe interface, dicts of lists.

What takes a frame beside a study imports this alone, and no reader of logs with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from sessionkit.errors import DataError

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
