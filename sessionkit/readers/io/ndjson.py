"""NDJSON: one JSON object per line (.ndjson, .jsonl). A line that is none is a record that breaks ``line_is_json``.

All lines are searched for keys, so that one that appears late is not lost. Scalars are read as text and typed by the
contract; nested values stay JSON text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from glob import escape

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.io.invalid_bytes import is_undecodable, mended, with_undecoded
from sessionkit.readers.io.limits import refuse_sparse
from sessionkit.readers.io.log_files import LogFile, cut_short
from sessionkit.readers.io.record_store import Keep, in_memory
from sessionkit.readers.io.shapes import BLANK, FIRST_LOOK, Shapes, as_objects
from sessionkit.readers.raw import Raw, as_lines, refuse_reserved

IS_JSON = "line_is_json"
BATCH = 100_000
TEXT, OBJECT = "__text", "__object"


def read_ndjson(
    file: LogFile,
    table: str,
    *,
    keep: Keep = in_memory,
    memory: int | None = None,
    at_once: bool = False,
) -> Raw:
    """Return the records of an NDJSON file, their scalars as text.

    Parameters
    ----------
    keep
        Where the records stay.
    memory, at_once
        Bytes that may be used, and whether all records may be in them, wherever they stay.

    Raises
    ------
    DataError
        No line holds an object, too much of the text is not UTF-8, the file ends early.
    """
    locate = as_lines(str(file.path), 1)
    try:
        shapes = _shapes(file)
        refuse_reserved(shapes.keys, file.name)
        if not shapes.keys:
            is_json = file.head.startswith(b"{")
            why = ", nor is the whole; is it cut short?" if is_json else "; if it is delimited text, give its separator"
            raise DataError(f"{file.name}: no line of it is a JSON object{why}")
        refuse_sparse(file, len(shapes.keys), memory, at_once=at_once)
        frame = keep(_records(file, shapes, at_once=at_once))
    except pl.exceptions.ComputeError as error:
        if is_undecodable(error):
            return replace(read_ndjson(mended(file, doubled=True), table, keep=keep), locate=locate)
        raise DataError(f"{file.name} cannot be read as NDJSON ({str(error).splitlines()[0]})") from None
    except OSError as error:
        raise cut_short(file.name, error) from None
    records = frame.select(pl.len()).collect().item()
    return Raw(table, file.name, frame, records, locate, file.bytes, file.digest)


def _lines(file: LogFile) -> pl.LazyFrame:
    """Return the lines, each with its number."""
    lines = pl.scan_lines(str(file.path), name=TEXT, row_index_name=RECORD, row_index_offset=1, glob=False)
    return lines.with_columns(pl.col(RECORD).cast(pl.Int64))


def _among(undecoded: Mapping[int, str]) -> pl.Expr:
    """Return whether a line is one of these, whose keys are not looked for."""
    return pl.col(RECORD).is_in(list(undecoded)) if undecoded else pl.lit(value=False)


def _shapes(file: LogFile) -> Shapes:
    """Return the keys and shapes of all lines but those that cannot be decoded."""
    lines = _lines(file).filter(~_among(file.undecoded)).select(TEXT)
    shapes = Shapes(regular=not file.undecoded)
    shapes.look(lines.head(FIRST_LOOK).collect().to_series())
    rest = lines.filter(~shapes.settles(pl.col(TEXT)))
    for batch in rest.collect_batches(chunk_size=BATCH, maintain_order=True):
        shapes.see(batch[TEXT])
    return shapes


def _records(file: LogFile, shapes: Shapes, *, at_once: bool) -> pl.LazyFrame:
    """Return the records with a column for each key."""
    names = dict(zip(shapes.keys, _names(list(shapes.keys)), strict=True))
    if at_once and shapes.regular and shapes.plain:  # in half the time, and with the whole file in memory
        none = pl.lit(None, dtype=pl.String)
        values = [pl.col(key).alias(name) for key, name in names.items()]
        scan = pl.scan_ndjson(
            escape(str(file.path)),
            schema=dict.fromkeys(names, pl.String()),
            row_index_name=RECORD,
            row_index_offset=1,
        )
        return scan.select(pl.col(RECORD).cast(pl.Int64), none.alias(RULE), none.alias(VALUE), *values)
    return with_undecoded(
        _values(_lines(file).filter(~pl.col(TEXT).str.contains(BLANK)), shapes, names), file.undecoded
    )


def _values(lines: pl.LazyFrame, shapes: Shapes, names: Mapping[str, str]) -> pl.LazyFrame:
    """Return the same of lines that are not blank, of any shape."""
    columns = [RULE, VALUE, *names.values()]
    dtype = pl.Struct(dict.fromkeys(columns, pl.String))

    def read(texts: pl.Series) -> pl.Series:
        broken = _broken(texts, shapes)
        shown = texts.to_frame(TEXT).select(_bare(pl.col(TEXT)).str.slice(0, 200)).to_series()
        rule = pl.when(broken).then(pl.lit(IS_JSON)).alias(RULE)
        values = shapes.values(texts).rename(names)
        return values.with_columns(rule, pl.when(broken).then(shown).alias(VALUE)).select(columns).to_struct(OBJECT)

    objects = pl.col(TEXT).map_batches(read, return_dtype=dtype, is_elementwise=True).alias(OBJECT)
    return lines.select(RECORD, objects).unnest(OBJECT)


def _broken(texts: pl.Series, shapes: Shapes) -> pl.Series:
    """Return whether lines are no objects, which those of a known shape are."""
    if shapes.regular:
        return pl.repeat(False, len(texts), eager=True)
    other = texts.to_frame(TEXT).with_columns(other=~shapes.fits(pl.col(TEXT)))["other"].arg_true()
    return pl.repeat(False, len(texts), eager=True).scatter(other, as_objects(texts.gather(other)).is_null())


def _bare(text: pl.Expr) -> pl.Expr:
    """Return the text of a line without what surrounds it."""
    return text.str.strip_prefix("\ufeff").str.strip_chars()


def _names(keys: list[str]) -> list[str]:
    """Return the names of the keys' columns; the empty one gets the first free ``column_1``, ``column_2``, ...."""
    free = next(name for place in range(1, len(keys) + 2) if (name := f"column_{place}") not in keys)
    return [key or free for key in keys]
