"""Types that polars, Arrow and Spark share; columns of Spark tables bound by their names and cast to the schemas' types.

Spark hands batches to workers and takes them back by the position of columns, not by their names, and has no unsigned
integers; so every column that crosses is named and cast here, in both directions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa

from sessionkit.contract import table
from sessionkit.errors import DataError, UsageError, suggestion

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as SparkFrame

UTC = pl.Datetime("us", "UTC")
SHARED: tuple[tuple[pl.DataType, str, pa.DataType], ...] = (
    (pl.String(), "string", pa.string()),
    (pl.Boolean(), "boolean", pa.bool_()),
    (pl.Int8(), "tinyint", pa.int8()),
    (pl.Int16(), "smallint", pa.int16()),
    (pl.Int32(), "int", pa.int32()),
    (pl.Int64(), "bigint", pa.int64()),
    (pl.Float32(), "float", pa.float32()),
    (pl.Float64(), "double", pa.float64()),
    (pl.Date(), "date", pa.date32()),
    (UTC, "timestamp", pa.timestamp("us", "UTC")),
    (pl.Datetime("us"), "timestamp_ntz", pa.timestamp("us")),
    (pl.List(pl.String()), "array<string>", pa.list_(pa.string())),
    (pl.UInt8(), "smallint", pa.int16()),
    (pl.UInt16(), "int", pa.int32()),
    (pl.UInt32(), "bigint", pa.int64()),
    (pl.UInt64(), "decimal(20,0)", pa.decimal128(20, 0)),
)
"""A polars type, Spark's name of it, and the Arrow type that Spark makes of that; the first of several is what a Spark
column is read as."""
DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
TEXT, WHOLE = {"string", "varchar", "char"}, {"tinyint", "smallint", "int", "bigint"}
FRACTION = {"float", "double"}
KEY = "judgment_key"
SLICE = 10_000
"""Rows of a batch that is handed back."""
NO_WHOLE = -(2**63)
"""What travels in place of a number that is no whole one; outside every range that a schema allows."""


def spark_type(dtype: pl.DataType) -> str | None:
    """Spark's name of a polars type, None where it has none that comes back as it was.

    >>> spark_type(pl.UInt32()), spark_type(pl.Decimal(38, 0)), spark_type(pl.Duration("us"))
    ('bigint', 'decimal(38,0)', None)
    """
    if isinstance(dtype, pl.Decimal):
        return f"decimal({dtype.precision},{dtype.scale})"
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return "string"
    return next((name for known, name, _ in SHARED if known == dtype), None)


def polars_type(name: str) -> pl.DataType | None:
    """The polars type of a Spark type's name, None where sessionkit has no use for it.

    >>> polars_type("decimal(10,2)"), polars_type("map<string,int>")
    (Decimal(precision=10, scale=2), None)
    """
    if found := DECIMAL.fullmatch(name):
        return pl.Decimal(int(found[1]), int(found[2]))
    name = "string" if name.partition("(")[0] in TEXT else name
    return next((dtype for dtype, known, _ in SHARED if known == name), None)


def arrow_schema(schema: pl.Schema) -> pa.Schema:
    """The Arrow types that Spark's names of these types stand for."""
    return pa.schema([(name, _arrow(dtype)) for name, dtype in schema.items()])


def spark_schema(schema: pl.Schema) -> str:
    """Spark's declaration of columns of these names and types.

    Raises
    ------
    UsageError
        Spark has no such type.

    >>> spark_schema(pl.Schema({"value": pl.Float64(), "n`": pl.Int64()}))
    '`value` double, `n``` bigint'
    """
    for name, dtype in schema.items():
        if spark_type(dtype) is None:
            raise UsageError(f"column {name!r} is {dtype}, which Spark has no type for; group by another one")
    return ", ".join(f"{quoted(name)} {spark_type(dtype)}" for name, dtype in schema.items())


def quoted(name: str) -> str:
    """A column's name as Spark takes it literally, whatever signs are in it."""
    return f"`{name.replace('`', '``')}`"


def _arrow(dtype: pl.DataType) -> pa.DataType:
    """The Arrow type that Spark's name of a polars type stands for."""
    name = spark_type(dtype)
    if found := DECIMAL.fullmatch(name or ""):
        return pa.decimal128(int(found[1]), int(found[2]))
    return next(arrow for _, known, arrow in SHARED if known == name)


@dataclass(frozen=True)
class SparkColumn:
    """A column on its way to the workers.

    Parameters
    ----------
    name
        Our name of it.
    dtype
        The polars type that the kernel gets.
    travels
        Spark's name of the type in which it goes there; wider than `dtype` where values have to be checked on arrival.
    """

    name: str
    dtype: pl.DataType
    travels: str


def column_of(table_name: str, name: str, frame: SparkFrame) -> SparkColumn:
    """How a column of a Spark table travels.

    Raises
    ------
    DataError
        There is no such column, there are several, or its type is not one that the schema's can be made of.
    """
    found = frame.columns.count(name)
    if found != 1:
        what = f"has no column {name!r}" if not found else f"has {found} columns named {name!r}"
        near = suggestion(name, frame.columns)
        raise DataError(f"{table_name} {what}{near}; it has {', '.join(frame.columns)}")
    given = frame.schema.fields[frame.columns.index(name)].dataType.simpleString()
    field = table(table_name).by_name.get(name)
    if field is None:
        dtype = polars_type(given)
        if dtype is None:
            raise UsageError(f"{table_name}.{name} is {given}; sessions can be grouped by text, numbers and times only")
        return SparkColumn(name, dtype, spark_type(dtype) or "string")
    kind = "decimal" if DECIMAL.fullmatch(given) else given.partition("(")[0]
    travels = _travels(field.type, kind)
    if travels is None:
        raise DataError(f"{table_name}.{name} is {given} but the schema says {field.type}; cast it in Spark first")
    return SparkColumn(name, field.dtype, travels)


def _travels(wanted: str, given: str) -> str | None:
    """The type in which a Spark column of this kind is sent to become one of the schema's, None where it cannot."""
    if wanted == "string" and given in TEXT | WHOLE:
        return "string"
    if wanted == "integer" and given in WHOLE | FRACTION | {"decimal"}:
        return "int" if given in WHOLE - {"bigint"} else "bigint"
    if wanted == "number" and given in WHOLE | FRACTION | {"decimal"}:
        return "double"
    return given if (wanted, given) in {("boolean", "boolean"), ("datetime", "timestamp")} else None


def bound(frame: SparkFrame, columns: Iterable[SparkColumn]) -> SparkFrame:
    """Columns of a Spark table in this order, found by name whatever else it holds, as the types in which they travel.

    A column that is not there is null. A fraction where a whole number belongs, and a number too large for one, become
    `NO_WHOLE`, which a worker reports.
    """
    from pyspark.sql import functions as f

    given = [field.dataType.simpleString() for field in frame.schema.fields]
    chosen = []
    for column in columns:
        place = frame.columns.index(column.name) if column.name in frame.columns else None
        value = f.lit(None) if place is None else f.col(f"c{place}")
        if place is not None and column.travels == "bigint" and given[place] not in WHOLE:
            whole = f.when(value == f.floor(value), value.try_cast("bigint"))
            value = f.when(value.isNotNull(), f.coalesce(whole, f.lit(NO_WHOLE)))
        chosen.append(value.cast(column.travels).alias(column.name))
    return frame.toDF(*(f"c{place}" for place in range(len(given)))).select(*chosen)


def sent_as(column: SparkColumn) -> pl.DataType:
    """The polars type in which a column arrives on a worker."""
    return polars_type(column.travels) or column.dtype


def received(rows: pl.DataFrame, columns: Iterable[SparkColumn], table_name: str) -> pl.DataFrame:
    """The columns that arrived on a worker, in the types that the kernel gets.

    Raises
    ------
    DataError
        A number is no whole one, or too large for its column.
    """
    for column in columns:
        if sent_as(column) == column.dtype:
            continue
        given = rows.get_column(column.name)
        cast = given.cast(column.dtype, strict=False)
        if cast.null_count() > given.null_count():
            row = rows.filter(cast.is_null() & given.is_not_null()).row(0, named=True)
            value = row[column.name]
            shown = "not a whole number" if value == NO_WHOLE else f"{value}, which {column.dtype} cannot hold"
            raise DataError(
                f"{table_name}.{column.name} is {shown}, in session {row['session_id']!r}; correct it in the table"
            )
        rows = rows.with_columns(cast)
    return rows


def handed_back(rows: pl.DataFrame, schema: pl.Schema) -> list[pa.RecordBatch]:
    """Rows for Spark: Arrow batches of modest size with the columns, in the order and types, that it was told."""
    arrow = arrow_schema(schema)
    batches: list[pa.RecordBatch] = rows.select(arrow.names).to_arrow().cast(arrow).to_batches(max_chunksize=SLICE)
    return batches
