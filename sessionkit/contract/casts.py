"""Casts to the declared types: from text, from numbers, from times; null where a value cannot be read as its type.

A value that was given and is null afterwards broke a rule; nothing is guessed and nothing raises. ``"3.0"`` is an
integer (tables that went through a spreadsheet or pandas write integers so), ``"3.5"`` is not. Numbers must be finite.
"""

from __future__ import annotations

import polars as pl

from sessionkit.contract.schemas import Field

UTC_MICROSECONDS = pl.Datetime("us", "UTC")
ZONE = r"(Z|z|[+-]\d{2}:?\d{2})$"


def as_text(column: str, dtype: pl.DataType) -> pl.Expr:
    """Return a column of any type as text: whole floats without a fraction, nested values as JSON."""
    value = pl.col(column)
    if dtype.is_float():
        whole = (value == value.round()) & (value.abs() < 2**53)
        return (
            pl.when(value.is_nan())
            .then(None)
            .when(whole)
            .then(value.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(value.cast(pl.String))
        )
    if isinstance(dtype, pl.Struct):
        return pl.when(value.is_not_null()).then(value.struct.json_encode())
    if isinstance(dtype, pl.List | pl.Array):
        boxed = pl.struct(value.alias("v")).struct.json_encode()
        return pl.when(value.is_not_null()).then(boxed.str.slice(5, boxed.str.len_chars() - 6))
    if isinstance(dtype, pl.Datetime):
        return value.dt.to_string("iso:strict")
    return value.cast(pl.String, strict=False)


def cast(field: Field, dtype: pl.DataType, timezone: str | None = None) -> pl.Expr:
    """Return the column of this field, which has this type in the source, as the declared type."""
    value = pl.col(field.name)
    if field.type == "string":
        return as_text(field.name, dtype)
    if field.type == "boolean":
        return _boolean(field, dtype)
    if field.type == "datetime":
        return _datetime(value, dtype, timezone)
    return _number(field, value, dtype)


def _number(field: Field, value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Return an integer (also from a number without fraction) or a finite number."""
    whole = field.type == "integer"
    if dtype == pl.String:
        text = value.str.strip_chars()
        value = text.str.replace(r"\.0+$", "") if whole else text
    elif not (dtype.is_numeric() or dtype == pl.Null):
        return pl.lit(None, dtype=field.dtype)
    elif whole and (dtype.is_float() or dtype.is_decimal()):
        value = pl.when(value == value.cast(pl.Int64, strict=False)).then(value)
    number = value.cast(field.dtype, strict=False)
    return number if whole else pl.when(number.is_finite()).then(number)


def without_zone(column: str, dtype: pl.DataType) -> pl.Expr:
    """Return whether a time carries no zone (counts of seconds since 1970 are UTC by definition)."""
    if isinstance(dtype, pl.Datetime):
        return pl.col(column).is_not_null() if dtype.time_zone is None else pl.lit(False)
    if dtype == pl.String:
        text = pl.col(column).str.strip_chars()
        return text.is_not_null() & ~text.str.contains(ZONE) & ~text.str.contains(r"^\d+$")
    return pl.lit(False)


def _boolean(field: Field, dtype: pl.DataType) -> pl.Expr:
    """Return yes or no from a boolean, from 0 and 1, or from the texts the schema lists."""
    text = as_text(field.name, dtype).str.strip_chars()
    return pl.when(text.is_in(field.true_values)).then(True).when(text.is_in(field.false_values)).then(False)


def _datetime(value: pl.Expr, dtype: pl.DataType, timezone: str | None) -> pl.Expr:
    """Return microseconds UTC from a time, ISO 8601 text or a count of (milli-, micro-) seconds since 1970."""
    if isinstance(dtype, pl.Datetime):
        cut = value.dt.cast_time_unit("us")
        return _placed(cut, timezone) if dtype.time_zone is None else cut.dt.convert_time_zone("UTC")
    if dtype.is_integer():
        return _epoch(value.cast(pl.String))
    if dtype.is_float():
        return _epoch(value.cast(pl.Int64, strict=False).cast(pl.String))
    if dtype != pl.String:
        return pl.lit(None, dtype=UTC_MICROSECONDS)
    text = value.str.strip_chars()
    clock = text.str.replace(r"^(\d{4}-\d{2}-\d{2})[Tt]", "$1 ").str.replace(
        r" (\d{2}:\d{2})(Z|z|[+-]\d{2}:?\d{2})?$", " $1:00$2"
    )
    aware = clock.str.replace("[Zz]$", "+00:00").str.to_datetime(
        "%Y-%m-%d %H:%M:%S%.f%:z", time_unit="us", strict=False
    )
    spelled = clock.str.replace(r"([+-]\d{2})(\d{2})$", "$1:$2").str.to_datetime(
        "%Y-%m-%d %H:%M:%S%.f%:z", time_unit="us", strict=False
    )
    naive = clock.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False)
    return pl.coalesce(aware, spelled, _placed(naive, timezone), _epoch(text))


def _placed(naive: pl.Expr, timezone: str | None) -> pl.Expr:
    """Return a time without zone, taken to be in this one (the earlier where clocks repeat an hour), as UTC."""
    zoned = naive.dt.replace_time_zone(timezone or "UTC", ambiguous="earliest", non_existent="null")
    return zoned.dt.convert_time_zone("UTC")


def _epoch(text: pl.Expr) -> pl.Expr:
    """Return seconds (9 or 10 digits), milliseconds (12, 13) or microseconds (15, 16) since 1970 as a time."""
    scale = text.str.len_chars().replace_strict(
        {9: 10**6, 10: 10**6, 12: 10**3, 13: 10**3, 15: 1, 16: 1}, default=None, return_dtype=pl.Int64
    )
    digits = pl.when(text.str.contains(r"^\d+$")).then(text).cast(pl.Int64, strict=False)
    return (digits * scale).cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
