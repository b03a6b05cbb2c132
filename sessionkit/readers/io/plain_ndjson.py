"""NDJSON as most programs write it, read at once: lines that would be written back byte for byte.

Reading such lines and writing them again proves that nothing was lost: no key that is not known, none twice, no number
that would be spelled otherwise, no line that is none. Whatever does not come back as it was (blanks apart) is left to
those who look at every line.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping

import polars as pl

SCALARS = (pl.String, pl.Int64, pl.Float64, pl.Boolean, pl.Null)
LARGEST, DECIMALS = 1e9, 6
"""Numbers below this with at most so many decimals are the same to every parser."""


class Plain:
    """How lines of one shape are read.

    Parameters
    ----------
    first
        Lines that show what types the values of each key have.
    keys
        The keys that every line has, in this order.
    numbers
        Types of keys whose numbers need not become text.
    """

    def __init__(self, first: Iterable[str], keys: Iterable[str], numbers: Mapping[str, pl.DataType]) -> None:
        self.schema, self.numbers = _schema("\n".join(first).encode(), list(keys)), numbers
        if self.schema is not None:  # a number that is too large for its type is then left to others
            whole = {
                key: dtype for key, dtype in numbers.items() if self.schema.get(key) == pl.Int64 and dtype.is_integer()
            }
            self.schema |= whole

    def values(self, text: bytes) -> pl.DataFrame | None:
        """Return the values of all keys in these lines, as text or numbers; None where they are no such lines."""
        if self.schema is None:
            return None
        try:
            read = pl.read_ndjson(io.BytesIO(text), schema=self.schema)
        except pl.exceptions.ComputeError:  # a line is no JSON, or a value of another type
            return None
        written = io.BytesIO()
        read.write_ndjson(written)
        if not _alike(text, written.getvalue()) or not all(_exact(read[name]) for name in read.columns):
            return None
        return read.with_columns(
            pl.col(name).cast(pl.String) for name, dtype in read.schema.items() if not self._stays(name, dtype)
        )

    def _stays(self, name: str, dtype: pl.DataType) -> bool:
        """Return whether a column stays as it was read."""
        wanted = self.numbers.get(name)
        fits = wanted is not None and (dtype.is_integer() or (dtype == pl.Float64 and wanted.is_float()))
        return dtype == pl.String or fits


def _schema(text: bytes, keys: list[str]) -> dict[str, pl.DataType] | None:
    """Return the types of the keys; None where lines have other keys or values than such lines do."""
    try:
        schema = pl.read_ndjson(io.BytesIO(text), infer_schema_length=None).schema
    except (pl.exceptions.ComputeError, pl.exceptions.SchemaError):  # a line is no JSON, or no one type covers a key
        return None
    if list(schema) != keys or "" in keys or not all(dtype in SCALARS for dtype in schema.values()):
        return None
    return {name: pl.String() if dtype == pl.Null else dtype for name, dtype in schema.items()}


def _alike(one: bytes, other: bytes) -> bool:
    """Return whether two texts are the same, a closing line break and blanks apart."""
    if not one.endswith(b"\n"):
        one += b"\n"
    return one == other or (b" " in one and one.replace(b" ", b"") == other.replace(b" ", b""))


def _exact(column: pl.Series) -> bool:
    """Return whether every number of a column is the same to every parser."""
    if column.dtype != pl.Float64:
        return True
    return bool(((column.abs() < LARGEST) & (column.round(DECIMALS) == column)).all())
