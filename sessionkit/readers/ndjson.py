"""NDJSON: one JSON object per line (.ndjson, .jsonl). A line that is none is a record that breaks ``line_is_json``.

All lines are searched for keys, so that one that appears late is not lost. Scalars are read as text and typed by the
contract; nested values stay JSON text.
"""

from __future__ import annotations

import json

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.files import LogFile, cut_short, not_utf8
from sessionkit.readers.raw import Raw, as_lines

IS_JSON = "line_is_json"
BATCH = 100_000
TEXT, OBJECT = "__text", "__object"


def read_ndjson(file: LogFile, table: str) -> Raw:
    """Return the records of an NDJSON file, their scalars as text.

    Raises
    ------
    DataError
        No line holds an object, the text is not UTF-8, the file ends early.
    """
    lines = pl.scan_lines(str(file.path), name=TEXT, row_index_name=RECORD, row_index_offset=1, glob=False)
    lines = lines.with_columns(pl.col(RECORD).cast(pl.Int64), pl.col(TEXT).str.strip_prefix("\ufeff").str.strip_chars())
    lines = lines.filter(pl.col(TEXT) != "")
    parsed = pl.col(TEXT).str.json_path_match("$")
    lines = lines.with_columns(pl.when(parsed.str.starts_with("{")).then(parsed).alias(OBJECT))
    try:
        keys, records = _keys(lines)
    except pl.exceptions.ComputeError as error:
        if "utf" in str(error).lower():
            raise not_utf8(file.name) from None
        raise DataError(f"{file.name} cannot be read as NDJSON ({str(error).splitlines()[0]})") from None
    except OSError as error:
        raise cut_short(file.name, error) from None
    if not keys:
        raise DataError(f"{file.name}: no line of it is a JSON object; if it is delimited text, give its separator")
    broken = pl.col(OBJECT).is_null()
    frame = lines.with_columns(
        **{RULE: pl.when(broken).then(pl.lit(IS_JSON)), VALUE: pl.when(broken).then(pl.col(TEXT).str.slice(0, 200))},
        **{name: pl.col(OBJECT).str.json_path_match(_path(key)) for name, key in _named(keys).items()},
    ).drop(TEXT, OBJECT)
    return Raw(table, file.name, frame, records, as_lines(str(file.path), 1), file.bytes, file.sha256)


def _keys(lines: pl.LazyFrame) -> tuple[list[str], int]:
    """Return every key of every object in the order of appearance, and the number of records."""
    keys: dict[str, None] = {}
    records = 0
    for batch in lines.select(OBJECT).collect_batches(chunk_size=BATCH, maintain_order=True):
        records += batch.height
        objects = batch[OBJECT].drop_nulls()
        if not objects.is_empty():
            keys.update(dict.fromkeys(_names(objects)))
    return list(keys), records


def _names(objects: pl.Series) -> list[str]:
    """Return the keys of these JSON objects."""
    try:
        dtype = objects.str.json_decode(infer_schema_length=None).dtype
    except pl.exceptions.PolarsError:  # a key holds an object here and a number there, which no one type covers
        return list(dict.fromkeys(key for text in objects for key in json.loads(text)))
    return [field.name for field in dtype.fields] if isinstance(dtype, pl.Struct) else []


def _named(keys: list[str]) -> dict[str, str]:
    """Return the keys by the names of their columns; the empty one gets the first free ``column_1``, ``column_2``, ...."""
    free = next(name for place in range(1, len(keys) + 2) if (name := f"column_{place}") not in keys)
    return {key or free: key for key in keys}


def _path(key: str) -> str:
    """Return the JSON path of one key of the object."""
    escaped = key.replace("\\", "\\\\").replace("'", "\\'")
    return f"$['{escaped}']"
