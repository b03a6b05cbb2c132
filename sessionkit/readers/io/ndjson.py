"""NDJSON: one JSON object per line (.ndjson, .jsonl). A line that is none is a record that breaks ``line_is_json``.

All lines are searched for keys, so that one that appears late is not lost. Scalars are read as text and typed by the
contract; nested values stay JSON text.
"""

from __future__ import annotations

import io
from collections.abc import Generator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.io.fields import MISSES, DelimitedForm, UnevenError, taken_apart, texts
from sessionkit.readers.io.invalid_bytes import (
    Check,
    escaped,
    is_undecodable,
    mended,
    nothing,
    refuse_other_encoding,
    with_undecoded,
)
from sessionkit.readers.io.limits import refuse_sparse
from sessionkit.readers.io.log_files import DAMAGED, HEAD, LogFile, cut_short, unpacked
from sessionkit.readers.io.plain_ndjson import Plain
from sessionkit.readers.io.record_store import Keep, in_memory, joined
from sessionkit.readers.io.shapes import FIRST_LOOK, Shapes, as_objects
from sessionkit.readers.raw import Raw, as_lines, refuse_reserved
from sessionkit.study.prefetch import in_turn

IS_JSON = "line_is_json"
BATCH = 100_000
TEXT, OBJECT = "__text", "__object"
LINES = DelimitedForm((TEXT,), "\x01", None)
"""Lines as fields of a file whose separator is a character that JSON does not allow."""
BLANK = r"^[\s\x{feff}]*$"


def read_ndjson(
    file: LogFile,
    table: str,
    *,
    keep: Keep = in_memory,
    piecewise: bool = False,
    memory: int | None = None,
    at_once: bool = False,
    numbers: Mapping[str, pl.DataType] | None = None,
) -> Raw:
    """Return the records of an NDJSON file, their scalars as text.

    Parameters
    ----------
    keep
        Where the records stay.
    piecewise
        Whether to read no records here but the first, and to say how to read all of them a piece at a time.
    memory, at_once
        Bytes that may be used, and whether all records may be in them, wherever they stay.
    numbers
        Types of keys whose values may come as numbers rather than as text.

    Raises
    ------
    DataError
        No line holds an object, too much of the text is not UTF-8, the file ends early.
    """
    locate = as_lines(str(file.path), 1)
    try:
        lines = _lines(str(file.path))
        first = _first_lines(file.path) if piecewise or at_once else lines.head(0)
        check = partial(refuse_other_encoding, file)
        values = _at_once(file, first, numbers or {}, check, memory) if at_once and not piecewise else None
        if values is not None:
            return Raw(table, file.name, keep(values.lazy()), values.height, locate, file.bytes, file.digest)
        shapes = _shapes(first if piecewise else lines, file.undecoded)
        refuse_reserved(shapes.keys, file.name)
        if not shapes.keys:
            raise DataError(f"{file.name}: no line of it is a JSON object; if it is delimited text, give its separator")
        if at_once:
            refuse_sparse(file, len(shapes.keys), memory)
        every = with_undecoded(_values(lines, shapes), file.undecoded)
        frame = keep(every.clear() if piecewise else every)
    except pl.exceptions.ComputeError as error:
        if is_undecodable(error):
            return replace(read_ndjson(mended(file, doubled=True), table, keep=keep), locate=locate)
        raise DataError(f"{file.name} cannot be read as NDJSON ({str(error).splitlines()[0]})") from None
    except OSError as error:
        raise cut_short(file.name, error) from None
    records = frame.select(pl.len()).collect().item()
    read = None
    if piecewise:
        plain = Plain(first.select(TEXT).collect().to_series(), shapes.keys, numbers or {})
        read = partial(_pieces, file.path, shapes, plain, keep, check)
    return Raw(table, file.name, frame, records, locate, file.bytes, file.digest, pieces=read)


def _pieces(path: Path, shapes: Shapes, plain: Plain, keep: Keep, check: Check) -> Generator[pl.DataFrame, None, None]:
    """Return the records some at a time, where the first of them have all keys there are.

    `check` is called where first a line cannot be decoded; it may raise.

    Raises
    ------
    UnevenError
        They have not, or there are blank lines.
    """
    keys, number, misses = list(shapes.keys), 1, 0

    def read(text: bytes) -> tuple[bytes, pl.DataFrame | None]:
        return text, plain.values(text) if misses < MISSES else None

    for text, values in in_turn(read, texts(path, None, 0)):
        if values is not None:
            misses = 0
            yield keep(_numbered(values, number)).collect(engine="in-memory")
            number += values.height
            continue
        misses += 1
        undecoded: Mapping[int, str] = {}
        try:
            piece = taken_apart(text, LINES, number)
        except pl.exceptions.ComputeError as error:
            if not is_undecodable(error):
                raise
            check()
            check = nothing
            spelled, undecoded = escaped(text, number, doubled=True)
            piece, misses = taken_apart(spelled, LINES, number), 0
        number += piece.height
        fields = piece.filter(~pl.col(TEXT).str.contains(BLANK).fill_null(value=True))
        lines = fields.lazy().select(pl.col(RECORD).cast(pl.Int64), TEXT)
        unknown = fields.filter(~shapes.fits(pl.col(TEXT)), ~_among(undecoded))[TEXT]
        if len(unknown):
            shapes.see(unknown)
        if list(shapes.keys) != keys or fields[LINES.spares[0]].is_not_null().any():
            raise UnevenError
        known = replace(shapes, regular=shapes.regular and not undecoded)
        yield keep(with_undecoded(_values(lines, known), undecoded)).collect()


def _lines(source: str | io.BytesIO) -> pl.LazyFrame:
    """Return the lines that are not blank, each with its number."""
    lines = pl.scan_lines(source, name=TEXT, row_index_name=RECORD, row_index_offset=1, glob=False)
    return lines.with_columns(pl.col(RECORD).cast(pl.Int64)).filter(~pl.col(TEXT).str.contains(BLANK))


def _first_lines(path: Path) -> pl.LazyFrame:
    """Return the first of these lines; a scan of the whole file, asked for a few, would read much of it."""
    try:
        with unpacked(path) as stream:
            text = stream.read(HEAD)
            text += stream.readline()
            more = bool(stream.read(1))
    except DAMAGED:  # scanned, it is said how
        return _lines(str(path)).head(FIRST_LOOK)
    spelled, undecoded = escaped(text, doubled=True)
    first = _lines(io.BytesIO(spelled)).filter(~_among(undecoded)).head(FIRST_LOOK).collect()
    return _lines(str(path)).head(FIRST_LOOK) if more and first.height < FIRST_LOOK else first.lazy()


def _at_once(
    file: LogFile, first: pl.LazyFrame, numbers: Mapping[str, pl.DataType], check: Check, memory: int | None
) -> pl.DataFrame | None:
    """Return all records of a file that can be read piece by piece; None where that fails, as some have keys of their own."""
    shapes = _shapes(first, {})
    refuse_reserved(shapes.keys, file.name)
    if not shapes.keys:
        return None
    refuse_sparse(file, len(shapes.keys), memory)
    plain = Plain(first.select(TEXT).collect().to_series(), shapes.keys, numbers)
    try:
        pieces = list(_pieces(file.path, shapes, plain, in_memory, check))
    except UnevenError:
        return None
    return joined(pieces) if pieces else None


def _numbered(values: pl.DataFrame, first: int) -> pl.LazyFrame:
    """Return values as records that broke no rule, numbered from `first`."""
    number = pl.int_range(first, first + values.height, dtype=pl.Int64, eager=True).alias(RECORD)
    return values.lazy().select(number, *values.columns)


def _among(undecoded: Mapping[int, str]) -> pl.Expr:
    """Return whether a line is one of these, whose keys are not looked for."""
    return pl.col(RECORD).is_in(list(undecoded)) if undecoded else pl.lit(value=False)


def _shapes(lines: pl.LazyFrame, undecoded: Mapping[int, str]) -> Shapes:
    """Return the keys and shapes of all lines but those that cannot be decoded."""
    lines = lines.filter(~_among(undecoded))
    shapes = Shapes(regular=not undecoded)
    shapes.look(lines.head(FIRST_LOOK).select(TEXT).collect().to_series())
    rest = lines.select(TEXT).filter(~shapes.fits(pl.col(TEXT)))
    for batch in rest.collect_batches(chunk_size=BATCH, maintain_order=True):
        shapes.see(batch[TEXT])
    return shapes


def _values(lines: pl.LazyFrame, shapes: Shapes) -> pl.LazyFrame:
    """Return the records with a column for each key."""
    names = _names(list(shapes.keys))
    columns = [RULE, VALUE, *names]
    dtype = pl.Struct(dict.fromkeys(columns, pl.String))

    def read(texts: pl.Series) -> pl.Series:
        values = shapes.values(texts).rename(dict(zip(shapes.keys, names, strict=True)))
        if shapes.regular:
            none = pl.lit(None, dtype=pl.String)
            return values.select(none.alias(RULE), none.alias(VALUE), *names).to_struct(OBJECT)
        broken = _broken(texts, shapes)
        shown = texts.to_frame(TEXT).select(_bare(pl.col(TEXT)).str.slice(0, 200)).to_series()
        rule = pl.when(broken).then(pl.lit(IS_JSON)).alias(RULE)
        return values.with_columns(rule, pl.when(broken).then(shown).alias(VALUE)).select(columns).to_struct(OBJECT)

    objects = pl.col(TEXT).map_batches(read, return_dtype=dtype, is_elementwise=True).alias(OBJECT)
    return lines.select(RECORD, objects).unnest(OBJECT)


def _broken(texts: pl.Series, shapes: Shapes) -> pl.Series:
    """Return whether lines are no objects, which those of a known shape are."""
    other = texts.to_frame(TEXT).with_columns(other=~shapes.fits(pl.col(TEXT)))["other"].arg_true()
    return pl.repeat(False, len(texts), eager=True).scatter(other, as_objects(texts.gather(other)).is_null())


def _bare(text: pl.Expr) -> pl.Expr:
    """Return the text of a line without what surrounds it."""
    return text.str.strip_prefix("\ufeff").str.strip_chars()


def _names(keys: list[str]) -> list[str]:
    """Return the names of the keys' columns; the empty one gets the first free ``column_1``, ``column_2``, ...."""
    free = next(name for place in range(1, len(keys) + 2) if (name := f"column_{place}") not in keys)
    return [key or free for key in keys]
