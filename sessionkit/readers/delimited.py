"""Delimited text: .csv, .tsv and kin, with or without header and quotes, read as text and never cut silently.

The header is read here, not by polars, which would rename a repeated column without a word. The data are scanned with
columns to spare, so that a record with more fields than the header is seen and rejected; one with fewer has nulls, of
which the rules speak.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.files import DAMAGED, LogFile, cut_short, not_utf8, unpacked
from sessionkit.readers.raw import LINE, RAW, Locate, Raw, as_lines

FITS = "record_fits_the_columns"
"""The rule about records with more fields than there are columns."""
SPARE = "__spare"


def read_delimited(file: LogFile, table: str, *, separator: str, quote: str | None = '"', header: bool = True) -> Raw:
    """Return the records of a delimited file as text columns.

    Parameters
    ----------
    separator
        One character of one byte.
    quote
        The quote character; None when quotes are data.
    header
        Whether the first line names the columns; otherwise they are ``column_1``, ``column_2``, ...

    Raises
    ------
    DataError
        No header, a column named twice, text that is not UTF-8, a quote that never closes, a file that ends early.
    """
    for what, character in (("separator", separator), ("quote", quote)):
        if character is not None and len(character.encode()) != 1:
            raise DataError(f'{file.name}: {what} {character!r} must be one plain character, such as "," or "\\t"')
    first, skip = _first_record(file, separator, quote)
    names = first if header else [f"column_{number}" for number in range(1, len(first) + 1)]
    _refuse_repeated(names, file)
    skip = skip if header else 0
    frame, records = _sounded(file, names, separator, quote, skip)
    locate = _way_back(file, frame, separator, quote, skip)
    return Raw(table, file.name, frame, records, locate, file.bytes, file.sha256)


def _first_record(file: LogFile, separator: str, quote: str | None) -> tuple[list[str], int]:
    """Return the fields of the first record that is not blank, and the number of lines up to its end."""
    try:
        with io.TextIOWrapper(unpacked(file.path), encoding="utf-8-sig", newline="") as text:
            reader = csv.reader(
                text,
                delimiter=separator,
                quotechar=quote,
                quoting=csv.QUOTE_NONE if quote is None else csv.QUOTE_MINIMAL,
            )
            for fields in reader:
                if any(field.strip() for field in fields):
                    return [field.strip() for field in fields], reader.line_num
    except UnicodeDecodeError:
        raise not_utf8(file.name) from None
    except csv.Error as error:
        raise DataError(
            f"{file.name}: the header cannot be read ({error}); if quotes are data, set quote = false"
        ) from None
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    raise DataError(f"{file.name} is empty; it must hold at least a header line")


def _refuse_repeated(names: list[str], file: LogFile) -> None:
    """Raise DataError where the header names a column twice or not at all."""
    for position, name in enumerate(names, start=1):
        if name in names[: position - 1]:
            raise DataError(f"{file.name}: column {name!r} is named twice in the header; rename one of the two")
        if not name:
            names[position - 1] = f"column_{position}"


def _sounded(file: LogFile, names: list[str], separator: str, quote: str | None, skip: int) -> tuple[pl.LazyFrame, int]:
    """Scan with enough spare columns for the longest record; go through the file once to know it can be read."""
    for spare in (1, 32, 2048):
        frame = _scan(file.path, names, spare, separator=separator, quote=quote, skip=skip)
        try:
            counts = frame.select(pl.len(), pl.all().exclude(RECORD).count()).collect()
            return frame, counts["len"].item()
        except pl.exceptions.ComputeError as error:
            reason = str(error)
            if "more fields" in reason:
                continue
            if "utf-8" in reason.lower() or "utf8" in reason.lower():
                raise not_utf8(file.name) from None
            raise DataError(
                f"{file.name} cannot be taken apart: a quote is not closed{_odd_line(file.path, quote)}; "
                "if quotes are data, set quote = false"
            ) from None
        except OSError as error:
            raise cut_short(file.name, error) from None
    raise DataError(
        f"{file.name} has a record with over 2,000 fields more than its {len(names)} columns; is the separator right?"
    )


def _odd_line(path: Path, quote: str | None) -> str:
    """Return where the first line with an odd number of quotes is, as part of a sentence."""
    if quote is None:
        return ""
    lines = pl.scan_lines(str(path), name=RAW, row_index_name=LINE, row_index_offset=1, glob=False)
    odd = lines.filter(pl.col(RAW).str.count_matches(quote, literal=True) % 2 == 1).head(1).collect()
    return "" if odd.is_empty() else f" (line {odd[LINE][0]}: {odd[RAW][0][:60]!r})"


def _scan(path: Path, names: list[str], spare: int, *, separator: str, quote: str | None, skip: int) -> pl.LazyFrame:
    """Return the lazy frame of the data lines; blank ones are no records."""
    spares = [f"{SPARE}{number}" for number in range(spare)]
    frame = pl.scan_csv(
        path,
        has_header=False,
        skip_lines=skip,
        separator=separator,
        quote_char=quote,
        schema=dict.fromkeys([*names, *spares], pl.String),
        missing_columns="insert",
        row_index_name=RECORD,
        row_index_offset=1,
        glob=False,
    )
    surplus = pl.concat_str([pl.col(name) for name in spares], separator=separator, ignore_nulls=True)
    fits = pl.all_horizontal(pl.col(name).is_null() for name in spares)
    marked = frame.filter(~pl.all_horizontal(pl.all().exclude(RECORD).is_null())).with_columns(
        pl.col(RECORD).cast(pl.Int64),
        **{RULE: pl.when(~fits).then(pl.lit(FITS)), VALUE: pl.when(~fits).then(surplus)},
    )
    return marked.drop(spares)


def _way_back(file: LogFile, frame: pl.LazyFrame, separator: str, quote: str | None, skip: int) -> Locate:
    """Return how to find the raw text of records: by line, unless quoted fields run over several lines."""
    by_line = as_lines(str(file.path), skip + 1)

    def by_record(records: pl.Series) -> pl.DataFrame:
        found = frame.filter(pl.col(RECORD).is_in(records.implode()))
        fields = pl.all().exclude(RECORD, RULE)
        raw = pl.concat_str(fields.fill_null(""), separator=separator).str.strip_chars_end(separator)
        return found.select(RECORD, pl.lit(None, dtype=pl.Int64).alias(LINE), raw.alias(RAW)).collect()

    def locate(records: pl.Series) -> pl.DataFrame:
        if quote is None:
            return by_line(records)
        odd = pl.col(RAW).str.count_matches(quote, literal=True) % 2 == 1
        lines = pl.scan_lines(str(file.path), name=RAW, glob=False)
        return by_record(records) if lines.select(odd.any()).collect().item() else by_line(records)

    return locate
