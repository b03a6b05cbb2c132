"""Delimited text taken apart by polars: all of a file, or piece by piece of so many bytes.

Columns to spare catch the surplus of records that have more fields than there are columns.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.readers.files import UTF8_BOM, unpacked
from sessionkit.readers.keeping import Keep

FITS = "record_fits_the_columns"
"""The rule about records with more fields than there are columns."""
SPARE = "__spare"
PIECE = 2_000_000
"""Bytes of text that are taken apart at a time."""


class UnevenError(Exception):
    """A file cannot be read piece by piece with the certainty that its records are numbered as in the whole."""


@dataclass(frozen=True)
class Form:
    """How a file is written.

    Parameters
    ----------
    names
        Its columns.
    separator, quote
        One character each; no quote where quotes are data.
    spare
        How many fields more than columns a record may have.
    """

    names: tuple[str, ...]
    separator: str
    quote: str | None
    spare: int = 1

    @property
    def spares(self) -> list[str]:
        """The names of the columns to spare."""
        return [f"{SPARE}{number}" for number in range(self.spare)]


def scanned(source: Path | io.BytesIO, form: Form, *, skip: int = 0, first: int = 1) -> pl.LazyFrame:
    """Return the fields of all lines but so many, blank ones too, numbered from `first`."""
    return pl.scan_csv(
        source,
        has_header=False,
        skip_lines=skip,
        separator=form.separator,
        quote_char=form.quote,
        schema=dict.fromkeys([*form.names, *form.spares], pl.String),
        missing_columns="insert",
        row_index_name=RECORD,
        row_index_offset=first,
        glob=False,
    )


def marked(frame: pl.LazyFrame, form: Form) -> pl.LazyFrame:
    """Return the records, blank lines left out, those that do not fit marked as such."""
    surplus = pl.concat_str([pl.col(name) for name in form.spares], separator=form.separator, ignore_nulls=True)
    fits = pl.all_horizontal(pl.col(name).is_null() for name in form.spares)
    return (
        frame.filter(~pl.all_horizontal(pl.all().exclude(RECORD).is_null()))
        .with_columns(
            pl.col(RECORD).cast(pl.Int64),
            **{RULE: pl.when(~fits).then(pl.lit(FITS)), VALUE: pl.when(~fits).then(surplus)},
        )
        .drop(form.spares)
    )


def pieces(path: Path, form: Form, skip: int, keep: Keep) -> Iterator[pl.DataFrame]:
    """Return the records of a file some at a time, in the order of the file."""
    for fields in in_pieces(path, form, skip):
        yield keep(marked(fields.lazy(), form)).collect()


def in_pieces(path: Path, form: Form, skip: int) -> Iterator[pl.DataFrame]:
    """Return the fields of all lines but so many, some lines at a time.

    Raises
    ------
    UnevenError
        Some lines of it are no record, or hold only a part of one.
    """
    number = 1
    with unpacked(path) as stream:
        for _ in range(skip):
            stream.readline()
        for text in _texts(stream, form.quote, PIECE):
            fields = scanned(io.BytesIO(text), form, first=number).collect()
            if fields.height != text.count(b"\n") + (not text.endswith(b"\n")):
                raise UnevenError
            number += fields.height
            yield fields


def _texts(stream: IO[bytes], quote: str | None, size: int) -> Iterator[bytes]:
    """Return the text in pieces of whole lines."""
    rest = b""
    while block := stream.read(size):
        text = rest + block
        end = text.rfind(b"\n") + 1
        if (
            b"\n\n" in text
            or b"\n\r\n" in text
            or text.startswith((b"\n", b"\r\n", UTF8_BOM))
            or len(text) - end > size
        ):
            raise UnevenError
        if end:
            yield _closed(text[:end], quote)
        rest = text[end:]
    if rest:
        yield _closed(rest, quote)


def _closed(text: bytes, quote: str | None) -> bytes:
    """Return the text, unless its last line may end between quotes."""
    last = text[text.rfind(b"\n", 0, len(text) - 1) + 1 :]
    if quote is not None and last.count(quote.encode()) % 2 == 1:
        raise UnevenError
    return text
