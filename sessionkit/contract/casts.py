"""Casts to the declared types: from text, from numbers, from times; null where a value cannot be read as its type.

A value that was given and is null afterwards broke a rule; nothing is guessed and nothing raises. ``"3.0"`` is an
integer (tables that went through a spreadsheet or pandas write integers so), ``"3.5"`` is not. Numbers must be finite.
Bytes are the text they spell in UTF-8, else hexadecimal.
"""

from __future__ import annotations

from functools import partial

import polars as pl

from sessionkit.contract.schemas import Field

UTC_MICROSECONDS = pl.Datetime("us", "UTC")
ZONE = r" ?(Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$"
"""The zone at the end of a time; the day of a bare date looks like one, but that is no time anyway."""
COUNT = r"^(\d+)(?:\.(\d+))?$"
"""A count of seconds, milliseconds, microseconds or nanoseconds since 1970."""
NANOSECONDS = {9: 10**9, 10: 10**9, 12: 10**6, 13: 10**6, 15: 10**3, 16: 10**3, 18: 1, 19: 1}
"""What a count with this many digits before the point is a number of."""
SPELLED = (pl.Categorical, pl.Enum, pl.Binary)
"""Types of texts that are kept otherwise, as those of a dictionary-encoded column; what they spell is read as text is."""


def as_text(column: str | pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Return a column (or values) of any type as text: whole floats without a fraction, nested values as JSON."""
    value = pl.col(column) if isinstance(column, str) else column
    if dtype.is_float():
        whole = (value == value.round()) & (value.abs() < 2**53)
        return (
            pl.when(value.is_nan())
            .then(None)
            .when(whole)
            .then(value.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(value.cast(pl.String))
        )
    value = without_bytes(value, dtype)
    if isinstance(dtype, pl.Struct):
        return pl.when(value.is_not_null()).then(value.struct.json_encode())
    if isinstance(dtype, pl.List | pl.Array | pl.Map):
        boxed = pl.struct(value.alias("v")).struct.json_encode()
        return pl.when(value.is_not_null()).then(boxed.str.slice(5, boxed.str.len_chars() - 6))
    if isinstance(dtype, pl.Datetime):
        return value.dt.to_string("iso:strict")
    if isinstance(dtype, pl.Duration):
        return value.dt.to_string("iso")
    return value.cast(pl.String, strict=False)


def without_bytes(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Return a value with the bytes in it, however deep, as text: what they spell in UTF-8, else hexadecimal."""
    if dtype == pl.Binary:
        return value.map_batches(_spelled, return_dtype=pl.String)
    if isinstance(dtype, pl.Array):
        return without_bytes(value.arr.to_list(), pl.List(dtype.inner))
    if isinstance(dtype, pl.List):
        inner = without_bytes(pl.element(), _instance(dtype.inner))
        return value.list.eval(inner)
    if isinstance(dtype, pl.Map) and pl.Binary in (dtype.key, dtype.value):
        pairs = pl.List(pl.Struct({"key": dtype.key, "value": dtype.value}))
        return without_bytes(value.cast(pairs), pairs)
    if isinstance(dtype, pl.Struct):
        fields = [
            without_bytes(value.struct.field(field.name), _instance(field.dtype)).alias(field.name)
            for field in dtype.fields
        ]
        return pl.when(value.is_not_null()).then(pl.struct(fields)) if fields else value
    return value


def _spelled(column: pl.Series) -> pl.Series:
    """Return a column of bytes as text."""
    try:
        return column.cast(pl.String)
    except pl.exceptions.ComputeError:  # some are no UTF-8; polars then casts none
        return pl.Series(column.name, [_text_of(value) for value in column], dtype=pl.String)


def _text_of(value: bytes | None) -> str | None:
    """Return the text that bytes spell, else their hexadecimal digits."""
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return None if value is None else value.hex()


def _instance(dtype: object) -> pl.DataType:
    """Return a nested type as an instance, which polars does not promise it to be."""
    return dtype if isinstance(dtype, pl.DataType) else dtype()  # type: ignore[operator]


def cast(field: Field, dtype: pl.DataType, timezone: str | None = None) -> pl.Expr:
    """Return the column of this field, which has this type in the source, as the declared type."""
    value = pl.col(field.name)
    if field.type == "string":
        return as_text(field.name, dtype)
    if field.type == "boolean":
        return _boolean(field, dtype)
    if dtype in SPELLED:
        value, dtype = as_text(field.name, dtype), pl.String()
    if field.type == "datetime":
        return _datetime(value, dtype, timezone)
    return _number(field, value, dtype)


def _number(field: Field, value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Return an integer (also from a number without fraction) or a finite number."""
    whole = field.type == "integer"
    if dtype == pl.String and whole:
        return value.map_batches(partial(_integers, dtype=field.dtype), return_dtype=field.dtype, is_elementwise=True)
    if dtype == pl.String:
        value = value.str.strip_chars()
    elif not (dtype.is_numeric() or dtype == pl.Null):
        return pl.lit(None, dtype=field.dtype)
    elif whole and (dtype.is_float() or dtype.is_decimal()):
        value = pl.when(value == value.cast(pl.Int64, strict=False)).then(value)
    number = value.cast(field.dtype, strict=False)
    return number if whole else pl.when(number.is_finite()).then(number)


def _integers(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return texts as integers; blanks around them and a fraction of zeros are looked for where some are none as is."""
    numbers = texts.cast(dtype, strict=False)
    if numbers.null_count() == texts.null_count():
        return numbers
    return texts.str.strip_chars().str.replace(r"\.0+$", "").cast(dtype, strict=False)


def without_zone(column: str, dtype: pl.DataType) -> pl.Expr:
    """Return whether a value is a time that carries no zone (counts of seconds since 1970 are UTC by definition)."""
    if isinstance(dtype, pl.Datetime):
        return pl.col(column).is_not_null() if dtype.time_zone is None else pl.lit(False)
    if dtype == pl.String or dtype in SPELLED:
        text = as_text(column, dtype).str.strip_chars()
        bare = pl.when(~text.str.contains(ZONE) & ~text.str.contains(COUNT)).then(text)
        return _naive(_clock(bare)).is_not_null()
    return pl.lit(False)


def _boolean(field: Field, dtype: pl.DataType) -> pl.Expr:
    """Return yes or no from a boolean, from 0 and 1, or from the texts the schema lists."""
    text = as_text(field.name, dtype).str.strip_chars()
    return pl.when(text.is_in(field.true_values)).then(True).when(text.is_in(field.false_values)).then(False)


def _datetime(value: pl.Expr, dtype: pl.DataType, timezone: str | None) -> pl.Expr:
    """Return microseconds UTC from a time, ISO 8601 text or a count of (milli-, micro-, nano-) seconds since 1970."""
    if isinstance(dtype, pl.Datetime):
        cut = value.dt.cast_time_unit("us")
        return _placed(cut, timezone) if dtype.time_zone is None else cut.dt.convert_time_zone("UTC")
    if dtype.is_integer():
        return _epoch(value.cast(pl.String))
    if dtype.is_float() or dtype.is_decimal():
        return _epoch(value.cast(pl.Decimal(38, 6), strict=False).cast(pl.String))
    if dtype != pl.String:
        return pl.lit(None, dtype=UTC_MICROSECONDS)
    text = value.str.strip_chars()
    clock, offset = _clock(text), text.str.extract(ZONE)
    aware = pl.concat_str(clock, _offset(offset)).str.to_datetime(
        "%Y-%m-%d %H:%M:%S%.f%:z", time_unit="us", strict=False
    )
    naive = _naive(pl.when(offset.is_null()).then(clock))
    return pl.coalesce(aware, _placed(naive, timezone), _epoch(text))


def _naive(clock: pl.Expr) -> pl.Expr:
    """Return date and time of day as a time without zone."""
    return clock.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False)


def _clock(text: pl.Expr) -> pl.Expr:
    """Return date and time of day without the zone, in one spelling: ``2024-03-01 10:00:00.5``."""
    bare = text.str.replace(ZONE, "")
    bare = bare.str.replace(r"^(\d{4})(\d{2})(\d{2})[Tt](\d{2})(\d{2})(\d{2})", "$1-$2-$3 $4:$5:$6")
    bare = bare.str.replace(r"^(\d{4}-\d{2}-\d{2})[Tt]", "$1 ")
    return bare.str.replace(r" (\d{2}:\d{2})$", " $1:00").str.replace(r",(\d+)$", ".$1")


def _offset(zone: pl.Expr) -> pl.Expr:
    """Return a zone as ``+01:00``."""
    letters = zone.str.strip_chars().str.replace("^(?:Z|z|UTC|GMT)$", "+00:00")
    return letters.str.replace(r"^([+-]\d{2})(\d{2})?$", "$1:$2").str.replace(":$", ":00")


def _placed(naive: pl.Expr, timezone: str | None) -> pl.Expr:
    """Return a time without zone, taken to be in this one (the earlier where clocks repeat an hour), as UTC."""
    zoned = naive.dt.replace_time_zone(timezone or "UTC", ambiguous="earliest", non_existent="null")
    return zoned.dt.convert_time_zone("UTC")


def _epoch(text: pl.Expr) -> pl.Expr:
    """Return a count since 1970 as a time; how many digits it has before the point tells its unit (NANOSECONDS)."""
    whole, fraction = text.str.extract(COUNT, 1), text.str.extract(COUNT, 2).fill_null("0")
    scale = whole.str.len_chars().replace_strict(NANOSECONDS, default=None, return_dtype=pl.Int64)
    rest = fraction.str.slice(0, 9).str.pad_end(9, "0").cast(pl.Int64, strict=False)
    nanoseconds = whole.cast(pl.Int64, strict=False) * scale + rest * scale // 10**9
    return (nanoseconds // 1000).cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
