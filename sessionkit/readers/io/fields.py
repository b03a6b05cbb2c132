"""Delimited text taken apart by polars: all of a file, or piece by piece of so many bytes.

Columns to spare catch the surplus of records that have more fields than there are columns.
"""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np
import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.readers.io.invalid_bytes import Check, escaped, is_undecodable, nothing, with_undecoded
from sessionkit.readers.io.log_files import DAMAGED, UTF8_BOM, unpacked
from sessionkit.readers.io.record_store import Keep
from sessionkit.readers.stream import NotAsItComesError

FITS = "record_fits_the_columns"
"""The rule about records with more fields than there are columns."""
SPARE = "__spare"
PIECE = 4_000_000
"""Bytes of text that are taken apart at a time."""
MISSES = 3
"""Pieces in turn that could not be read the fast way, after which it is not tried again."""
NEWLINE = 10
MOST = 2048
"""Spare columns of a file that has longer records; what such a record has beyond them is not looked at."""
MORE = ("more fields", "not specified in schema")
"""What polars says of a record, and of a first record, with more fields than columns."""


class UnevenError(NotAsItComesError):
    """A file cannot be read piece by piece with the certainty that its records are numbered as in the whole."""


@dataclass(frozen=True)
class DelimitedForm:
    """How a file is written.

    Parameters
    ----------
    names
        Its columns.
    separator, quote
        One character each; no quote where quotes are data.
    spare
        How many fields more than columns a record may have.
    numbers
        Types of columns that may be read as such where every value is of that type; all others are text.
    """

    names: tuple[str, ...]
    separator: str
    quote: str | None
    spare: int = 1
    numbers: Mapping[str, pl.DataType] = field(default_factory=dict)

    @property
    def spares(self) -> list[str]:
        """The names of the columns to spare."""
        return [f"{SPARE}{number}" for number in range(self.spare)]


def scanned(
    source: Path | io.BytesIO, form: DelimitedForm, *, skip: int = 0, first: int = 1, numbers: bool = False
) -> pl.LazyFrame:
    """Return the fields of all lines but so many, blank ones too, numbered from `first`.

    With `numbers` the columns that may be numbers are, and it fails where a value is none.
    """
    types = form.numbers if numbers else {}
    return pl.scan_csv(
        source,
        has_header=False,
        skip_lines=skip,
        separator=form.separator,
        quote_char=form.quote,
        schema={name: types.get(name, pl.String()) for name in (*form.names, *form.spares)},
        missing_columns="insert",
        truncate_ragged_lines=form.spare == MOST,
        row_index_name=RECORD,
        row_index_offset=first,
        glob=False,
    )


def marked(frame: pl.LazyFrame, form: DelimitedForm) -> pl.LazyFrame:
    """Return the records, blank lines left out, those that do not fit marked as such."""
    kept = {name: dtype for name, dtype in frame.collect_schema().items() if name not in form.spares}
    return frame.map_batches(
        partial(_marked_batch, form=form),
        schema={**kept, RECORD: pl.Int64(), RULE: pl.String(), VALUE: pl.String()},
        # a condition on all columns that polars pushes into a scan costs it memory that grows with the square of their number
        predicate_pushdown=False,
        projection_pushdown=False,
        slice_pushdown=False,
        streamable=True,
    )


def _marked_batch(fields: pl.DataFrame, form: DelimitedForm) -> pl.DataFrame:
    """Return what :func:`marked` does of some lines."""
    surplus = pl.concat_str([pl.col(name) for name in form.spares], separator=form.separator, ignore_nulls=True)
    fits = pl.all_horizontal(pl.col(name).is_null() for name in form.spares)
    first = form.names[0]
    alone = fields[first].is_null()
    if fields.schema[first] == pl.String:  # a line of blanks is one field
        alone |= fields[first].str.strip_chars() == ""
    if alone.any():
        nothing_else = pl.all_horizontal(pl.all().exclude(RECORD, first).is_null())
        fields = fields.filter(~(alone & fields.select(nothing_else).to_series()))
    return fields.with_columns(
        pl.col(RECORD).cast(pl.Int64),
        **{RULE: pl.when(~fits).then(pl.lit(FITS)), VALUE: pl.when(~fits).then(surplus)},
    ).drop(form.spares)


def pieces(
    path: Path, form: DelimitedForm, skip: int, keep: Keep, check: Check = nothing
) -> Generator[pl.DataFrame, None, None]:
    """Return the records of a file some at a time, in the order of the file, with marks where some do not fit.

    `check` is called where first a line cannot be decoded; it may raise.
    """
    for fields, undecoded in in_pieces(path, form, skip, check):
        records = with_undecoded(_marked(fields, form), undecoded) if undecoded else _marked_piece(fields, form)
        yield keep(records).collect(engine="in-memory")


def _marked_piece(fields: pl.DataFrame, form: DelimitedForm) -> pl.LazyFrame:
    """Return what :func:`marked` does; where no line is blank and all records fit, at once and without marks."""
    spares = {name: fields[name] for name in form.spares if name in fields.columns}
    surplus = any(spare.null_count() < fields.height for spare in spares.values())
    if surplus or fields[form.names[0]].null_count() or _has_blanks(fields, form):
        return _marked(fields, form)
    return fields.lazy().drop(spares).with_columns(pl.col(RECORD).cast(pl.Int64))


def _marked(fields: pl.DataFrame, form: DelimitedForm) -> pl.LazyFrame:
    """Return what :func:`marked` does of fields that may come without the columns to spare."""
    none = [pl.lit(None, dtype=pl.String).alias(name) for name in form.spares if name not in fields.columns]
    return marked(fields.lazy().with_columns(none), form)


def _has_blanks(fields: pl.DataFrame, form: DelimitedForm) -> bool:
    """Return whether a line may be nothing but blanks, which are a field then, the first and only one."""
    first, last = fields[form.names[0]], fields[form.names[-1]]
    if first.dtype != pl.String or (len(form.names) > 1 and not last.null_count()):
        return False
    alone = first if len(form.names) == 1 else first.filter(last.is_null())
    return bool((alone.str.strip_chars() == "").any())


def in_pieces(
    path: Path, form: DelimitedForm, skip: int, check: Check = nothing
) -> Iterator[tuple[pl.DataFrame, Mapping[int, str]]]:
    """Return the fields of all lines but so many, some lines at a time, and those of the lines that cannot be decoded.

    UnevenError where some lines are not one record each.
    """
    number, misses = 1, 0
    undecoded: Mapping[int, str] = {}
    for text in texts(path, form.quote, skip):
        fast = bool(form.numbers) and misses < MISSES
        try:
            fields, undecoded = _of_piece(text, form, number, fast=fast), {}
        except pl.exceptions.ComputeError as error:
            if not is_undecodable(error):
                raise
            check()
            check = nothing
            spelled, undecoded = escaped(text, number)
            fields = _of_piece(spelled, form, number, fast=fast)
        misses = 0 if all(fields.schema[name] == dtype for name, dtype in form.numbers.items()) else misses + 1
        number += fields.height
        yield fields, undecoded


def _of_piece(text: bytes, form: DelimitedForm, number: int, *, fast: bool) -> pl.DataFrame:
    """Return the fields of some lines, numbered from `number`; `fast`: with numbers for numbers, if that can be."""
    fields = _as_numbers(text, form, number) if fast else None
    return taken_apart(text, form, number) if fields is None else fields


def taken_apart(text: bytes, form: DelimitedForm, first: int) -> pl.DataFrame:
    """Return the fields of some lines, numbered from `first`; UnevenError where some are not one record each.

    ComputeError is raised where some cannot be decoded, and for nothing else.
    """
    try:
        fields = scanned(io.BytesIO(text), form, first=first).collect()
    except (pl.exceptions.ComputeError, pl.exceptions.SchemaError) as error:
        if is_undecodable(error):
            raise
        raise UnevenError from None  # a record with many fields more than columns, or over several lines
    return _even(fields, text, form)


def _as_numbers(text: bytes, form: DelimitedForm, first: int) -> pl.DataFrame | None:
    """Return the fields of some lines with numbers for numbers; None where a value is none."""
    for one in (replace(form, spare=0), form):
        try:
            return _even(scanned(io.BytesIO(text), one, first=first, numbers=True).collect(), text, form)
        except (pl.exceptions.ComputeError, pl.exceptions.SchemaError) as error:
            if is_undecodable(error):
                raise
            if not any(words in str(error) for words in MORE):
                break
    return None


def _even(fields: pl.DataFrame, text: bytes, form: DelimitedForm) -> pl.DataFrame:
    """Return the fields of some lines if they are one record each, and none is blank."""
    blank = fields[form.names[0]].null_count() and (
        text.startswith((b"\n", b"\r\n")) or b"\n\n" in text or b"\n\r\n" in text
    )
    if blank or fields.height != lines_of(text):
        raise UnevenError
    return fields


def lines_of(text: bytes) -> int:
    """Return how many lines a text has; the last need not be closed."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == NEWLINE)) + (not text.endswith(b"\n"))


def texts(path: Path, quote: str | None, skip: int) -> Iterator[bytes]:
    """Return the text of a file but for some lines, in pieces of whole lines.

    Raises
    ------
    UnevenError
        A line is longer than a piece, or may end between quotes, or the file is damaged.
    """
    with unpacked(path) as stream:
        while text := _next(stream, skip):
            skip = 0
            yield _closed(text, quote)


def _next(stream: IO[bytes], skip: int) -> bytes:
    """Return the next piece after so many lines, empty where there is no more."""
    try:
        for _ in range(skip):
            stream.readline()
        rest = _rest(stream) if isinstance(getattr(stream, "raw", None), io.FileIO) else None
        text = stream.read(PIECE) + stream.readline(PIECE + 1) if rest is None else stream.read(PIECE + rest)
    except DAMAGED:
        raise UnevenError from None
    last = len(text) - (text.rfind(b"\n", 0, PIECE) + 1)
    if last > PIECE or text.startswith(UTF8_BOM):
        raise UnevenError
    return text


def _rest(file: IO[bytes]) -> int:
    """Return how far the last line of the next piece goes beyond it: then no piece is copied to put that behind it."""
    start = file.tell()
    file.seek(start + PIECE)
    rest = len(file.readline(PIECE + 1))
    file.seek(start)
    return rest


def _closed(text: bytes, quote: str | None) -> bytes:
    """Return the text, unless its last line may end between quotes."""
    last = text[text.rfind(b"\n", 0, len(text) - 1) + 1 :]
    if quote is not None and last.count(quote.encode()) % 2 == 1:
        raise UnevenError
    return text
