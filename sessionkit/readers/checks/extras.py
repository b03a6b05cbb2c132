"""The type of columns that no schema declares: numbers where every text is one, else text. Nothing is lost by it.

``007``, ``1e5`` and ``+3`` stay text: written back as numbers they would look different, so they may be names.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.contract import Table

INTEGER = r"^(?:0|-?[1-9]\d{0,17})$"
NUMBER = r"^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$"
FIRST_LOOK = 1000


@dataclass(frozen=True)
class ColumnTexts:
    """What the texts of a column say about its type; that of parts of it adds up to that of all.

    Parameters
    ----------
    filled
        Whether there are any.
    integers, numbers
        Whether all are integers, or numbers.
    """

    filled: bool = False
    integers: bool = True
    numbers: bool = True

    @classmethod
    def of(cls, column: pl.Series) -> ColumnTexts:
        """Look at the texts of a column; a few are tried first, as most columns differ at once."""
        return cls(column.null_count() < len(column), _all(column, INTEGER), _all(column, NUMBER))

    def __add__(self, other: ColumnTexts) -> ColumnTexts:
        """Return what the texts of both parts say."""
        return ColumnTexts(
            self.filled or other.filled, self.integers and other.integers, self.numbers and other.numbers
        )

    @property
    def open(self) -> bool:
        """Whether more texts can still make a difference."""
        return self.integers or self.numbers

    @property
    def dtype(self) -> pl.DataType:
        """The narrowest type that loses nothing."""
        if self.filled and self.integers:
            return pl.Int64()
        return pl.Float64() if self.filled and self.numbers else pl.String()


def typed_extras(frame: pl.DataFrame, table: Table, *, texts: bool = True) -> pl.DataFrame:
    """Return the frame with undeclared columns typed; types that Parquet or JSON cannot keep become text.

    `texts` says whether columns of text are looked at too.
    """
    declared = set(table.names)
    extras = [name for name in frame.columns if name not in declared and not name.startswith("__")]
    dtypes = frame.schema
    words = [name for name in extras if texts and dtypes[name] == pl.String]
    integers = _matching(frame.select(words), INTEGER)
    numbers = _matching(frame.select(words).drop(integers), NUMBER)
    types: dict[str, pl.DataType] = {**dict.fromkeys(integers, pl.Int64()), **dict.fromkeys(numbers, pl.Float64())}
    others = [_typed(frame[name]) for name in extras if dtypes[name] != pl.String]
    return frame.with_columns(*(pl.col(name).cast(dtype) for name, dtype in types.items()), *others)


def _matching(frame: pl.DataFrame, pattern: str) -> list[str]:
    """Return the columns of text, not empty, all of whose texts match; all are looked at in one go, as there may be many."""
    for some in (frame.head(FIRST_LOOK), frame):
        if not frame.width:
            break
        match = some.select(pl.all().str.contains(pattern).all())
        frame = frame.select(column.name for column in match if column[0])
        if some.height == frame.height:
            break
    filled = frame.select(pl.all().is_not_null().any())
    return [column.name for column in filled if column[0]]


def _typed(column: pl.Series) -> pl.Series:
    """Return a column that is no text with a type that Parquet and JSON can keep."""
    dtype = column.dtype
    if isinstance(dtype, pl.Datetime):
        return column.dt.cast_time_unit("us")
    if dtype == pl.Time:  # kept in nanoseconds, of which Python and pandas know nothing
        return (column.cast(pl.Int64) // 1000 * 1000).cast(pl.Time)
    if isinstance(dtype, pl.Categorical | pl.Enum | pl.Null) or dtype.is_decimal() or dtype in (pl.Int128, pl.UInt128):
        return column.cast(pl.String)
    return column


def _all(column: pl.Series, pattern: str) -> bool:
    """Return whether all texts that are there match; a few are tried first, as most columns differ at once."""
    looks = (column.head(FIRST_LOOK), column) if len(column) > FIRST_LOOK else (column,)
    return all(bool(part.str.contains(pattern).all()) for part in looks)
