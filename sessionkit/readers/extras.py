"""The type of columns that no schema declares: numbers where every text is one, else text. Nothing is lost by it.

``007``, ``1e5`` and ``+3`` stay text: written back as numbers they would look different, so they may be names.
"""

from __future__ import annotations

import polars as pl

from sessionkit.contract import Table

INTEGER = r"^(?:0|-?[1-9]\d{0,17})$"
NUMBER = r"^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$"
FIRST_LOOK = 1000


def typed_extras(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Return the frame with undeclared columns typed; types that Parquet or JSON cannot keep become text."""
    return frame.with_columns(
        _typed(frame[name]) for name in frame.columns if name not in table.names and not name.startswith("__")
    )


def _typed(column: pl.Series) -> pl.Series:
    """Return one column with the narrowest type that loses nothing."""
    dtype = column.dtype
    if dtype == pl.String:
        if column.null_count() == column.len():
            return column
        if _all(column, INTEGER):
            return column.cast(pl.Int64)
        return column.cast(pl.Float64) if _all(column, NUMBER) else column
    if isinstance(dtype, pl.Datetime):
        return column.dt.cast_time_unit("us")
    if dtype == pl.Time:  # kept in nanoseconds, of which Python and pandas know nothing
        return (column.cast(pl.Int64) // 1000 * 1000).cast(pl.Time)
    if isinstance(dtype, pl.Categorical | pl.Enum | pl.Null) or dtype.is_decimal() or dtype in (pl.Int128, pl.UInt128):
        return column.cast(pl.String)
    return column


def _all(column: pl.Series, pattern: str) -> bool:
    """Return whether all texts that are there match; a few are tried first, as most columns differ at once."""
    return all(bool(part.str.contains(pattern).all()) for part in (column.head(FIRST_LOOK), column))
