"""Delimited text: .csv, .tsv and kin, with or without header and quotes, read as text and never cut silently.

The header is read here, not by polars, which would rename a repeated column without a word. The data are scanned with
columns to spare, so that a record with more fields than the header is seen and rejected; one with fewer has nulls, of
which the rules speak.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain, islice
from pathlib import Path

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.io.invalid_bytes import BYTES, is_undecodable, mended, with_undecoded
from sessionkit.readers.io.limits import refuse_sparse
from sessionkit.readers.io.log_files import DAMAGED, LogFile, cut_short, not_utf8, unpacked
from sessionkit.readers.io.record_store import Keep, in_memory
from sessionkit.readers.raw import LINE, RAW, Locate, Raw, as_lines, refuse_reserved

NONE: Mapping[int, str] = {}
SEPARATORS = ",\t;|"
"""What may separate fields where nothing says it but the header."""
FITS = "record_fits_the_columns"
"""The rule about records with more fields than there are columns."""
REPEATS = "record_is_not_the_header"
"""The rule about records that are the header once more, as where several files were put into one."""
SPARE = "__spare"
MOST = 2048
"""Spare columns of a file that has longer records; what such a record has beyond them is not looked at."""


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
    header
        The fields of the header; empty where there is none, or one of several records.
    """

    names: tuple[str, ...]
    separator: str
    quote: str | None
    spare: int = 1
    header: tuple[str, ...] = ()

    @property
    def spares(self) -> list[str]:
        """The names of the columns to spare."""
        return [f"{SPARE}{number}" for number in range(self.spare)]


def read_delimited(
    file: LogFile,
    table: str,
    *,
    separator: str,
    quote: str | None = '"',
    above: int = 0,
    header: int = 1,
    keep: Keep = in_memory,
    memory: int | None = None,
    at_once: bool = False,
) -> Raw:
    """Return the records of a delimited file as text columns.

    Parameters
    ----------
    separator
        One character of one byte.
    quote
        The quote character; None when quotes are data.
    above
        Lines before the header, such as a title, which are not looked at.
    header
        How many records name the columns; 0, they are ``column_1``, ``column_2``, ... See :func:`joined_names`.
    keep
        Where the records stay.
    memory, at_once
        Bytes that may be used, and whether all records are to be in them.

    Raises
    ------
    DataError
        No header, a column named twice, text that is not UTF-8, a quote that never closes, a file that ends early.
    """
    for what, character in (("separator", separator), ("quote", quote)):
        if character is not None and len(character.encode()) != 1:
            raise DataError(f'{file.name}: {what} {character!r} must be one plain character, such as "," or "\\t"')
    first, skip = _first_records(file, separator, quote, above, max(header, 1))
    if header and BYTES.search("".join(chain.from_iterable(first))):
        raise not_utf8(file)
    names = joined_names(first) if header else [f"column_{number}" for number in range(1, len(first[0]) + 1)]
    refuse_repeated(names, file.name)
    skip = skip if header else above
    refuse_sparse(file, len(names), memory, at_once=at_once)
    form = DelimitedForm(tuple(names), separator, quote, header=tuple(first[0]) if header == 1 else ())
    frame = _kept(file, form, skip, keep)
    records = frame.select(pl.len()).collect().item()
    return Raw(table, file.name, frame, records, _way_back(file, form, skip), file.bytes, file.digest)


def header_of(text: str, separator: str | None = None, *, needed: Collection[str] = ()) -> tuple[list[str], str]:
    """Return the names in the first line that is not blank, and the character between them.

    Of the usual separators, the most frequent in the line first, it is the first by which all that are needed are there; else
    the most frequent.

    >>> header_of("application;query_id;user_query\\n")
    (['application', 'query_id', 'user_query'], ';')
    >>> header_of("name, first|rank, doc|1", needed=["rank, doc"])
    (['name, first', 'rank, doc', '1'], '|')
    """
    line = next((line for line in text.removeprefix("\ufeff").replace("\r", "\n").split("\n") if line.strip()), "")
    tried = [separator] if separator else sorted(SEPARATORS, key=line.count, reverse=True)
    found = [(_names(line, one), one) for one in tried]
    return next((one for one in found if set(needed) <= set(one[0])), found[0])


def _names(line: str, separator: str) -> list[str]:
    """Return the fields of a line; none where it cannot be taken apart."""
    try:
        return [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]
    except (csv.Error, TypeError):  # a quote is not closed, or there are several characters between the fields
        return []


def _first_records(
    file: LogFile, separator: str, quote: str | None, above: int, many: int
) -> tuple[list[list[str]], int]:
    """Return the fields of the first records that are not blank, and the number of lines up to their end.

    A carriage return alone inside a quoted name ends no line.
    """
    taken: list[str] = []
    found: list[list[str]] = []
    try:
        with io.TextIOWrapper(unpacked(file.path), encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
            taken += islice(text, above)
            reader = csv.reader(
                _remembered(text, taken),
                delimiter=separator,
                quotechar=quote,
                quoting=csv.QUOTE_NONE if quote is None else csv.QUOTE_MINIMAL,
            )
            for fields in reader:
                if any(field.strip() for field in fields):
                    found.append([field.strip() for field in fields])
                if len(found) == many:
                    within = sum(not line.endswith("\n") for line in taken[:-1])
                    return found, len(taken) - within
    except csv.Error as error:
        raise DataError(
            f"{file.name}: the header cannot be read ({error}); if quotes are data, set quote = false for it in study.toml"
        ) from None
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    if above or many > 1:
        raise DataError(f"{file.name} ends before its header, which skip and header put on line {above + many}")
    raise DataError(f"{file.name} is empty; it must hold at least a header line")


def joined_names(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of columns that stand in several rows: those of a column joined by a blank.

    A merged cell of an upper row, of which only the first has the text, goes on to the next text.

    >>> joined_names([["", "Query", "", "Rating"], ["id", "no", "text", ""]])
    ['id', 'Query no', 'Query text', 'Rating']
    """
    wide = max(map(len, rows))
    rows = [[*row, *[""] * (wide - len(row))] for row in rows]
    upper = [list(accumulate(row, _or_before)) for row in rows[:-1]]
    return [" ".join(filter(None, parts)) for parts in zip(*upper, rows[-1], strict=True)]


def _or_before(before: str, text: str) -> str:
    """Return a text, or the one before where it is empty."""
    return text or before


def _remembered(lines: Iterable[str], taken: list[str]) -> Iterator[str]:
    """The lines, each of which is added to those that were taken."""
    for line in lines:
        taken.append(line)
        yield line


def refuse_repeated(names: list[str], source: str) -> None:
    """Raise DataError where the header names a column twice, or by a name of ours; name those that have none.

    These are called ``column_`` and their place, with underscores behind it where the header has that name already.
    """
    refuse_reserved(names, source)
    given = [name for name in names if name]
    twice = next((name for at, name in enumerate(given) if name in given[:at]), None)
    if twice is not None:
        raise DataError(f"{source}: column {twice!r} is named twice in the header; rename one of the two")
    for position, name in enumerate(names, start=1):
        own = name or f"column_{position}"
        while not name and own in given:
            own += "_"
        names[position - 1] = own


def scanned(source: Path, form: DelimitedForm, *, skip: int = 0) -> pl.LazyFrame:
    """Return the fields of all lines but so many, blank ones too, numbered from 1."""
    return pl.scan_csv(
        source,
        has_header=False,
        skip_lines=skip,
        separator=form.separator,
        quote_char=form.quote,
        schema=dict.fromkeys((*form.names, *form.spares), pl.String()),
        missing_columns="insert",
        truncate_ragged_lines=form.spare == MOST,
        row_index_name=RECORD,
        row_index_offset=1,
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
        **{
            RULE: pl.when(~fits).then(pl.lit(FITS)).when(_repeat_header(fields, form)).then(pl.lit(REPEATS)),
            VALUE: pl.when(~fits).then(surplus),
        },
    ).drop(form.spares)


def _repeat_header(fields: pl.DataFrame, form: DelimitedForm) -> pl.Series:
    """Return for each record whether it is the header once more; a header of one field may be a value as well."""
    named = [(name, text) for name, text in zip(form.names, form.header, strict=False) if text]
    if len(named) < 2 or any(fields.schema[name] != pl.String for name, _ in named):
        return pl.repeat(value=False, n=fields.height, eager=True)
    (first, text), *others = named
    is_likely = fields[first].str.strip_chars().eq_missing(text)
    if not is_likely.any():  # other columns are compared only where the first repeats, which is rare
        return is_likely
    is_same = [pl.col(name).str.strip_chars().eq_missing(pl.lit(text)) for name, text in others]
    return is_likely & fields.select(pl.all_horizontal(is_same)).to_series()


def _kept(
    file: LogFile, form: DelimitedForm, skip: int, keep: Keep, undecoded: Mapping[int, str] = NONE
) -> pl.LazyFrame:
    """Return what is kept of a file, taken apart with enough spare columns for its longest record."""
    quote = form.quote
    for spare in (1, 32, MOST):
        wide = replace(form, spare=spare)
        scan = marked(scanned(file.path, wide, skip=skip), wide)
        try:
            return keep(with_undecoded(scan, undecoded))
        except pl.exceptions.SchemaError as error:  # of the first record
            if "not specified in schema" not in str(error):
                raise
        except pl.exceptions.ComputeError as error:
            if "more fields" in str(error):
                continue
            if is_undecodable(error):
                copy = mended(file)
                return _kept(copy, form, skip, keep, _records(copy, form, skip))
            raise DataError(
                f"{file.name} cannot be split into fields: a quote is not closed{_odd_line(file.path, quote)}; "
                "if quotes are data, set quote = false for it in study.toml"
            ) from None
        except OSError as error:
            raise cut_short(file.name, error) from None
    raise DataError(
        f"{file.name}: its first record has over 2,000 more fields than its {len(form.names)} columns; is the separator right?"
    )


def _records(copy: LogFile, form: DelimitedForm, skip: int) -> dict[int, str]:
    """Return the records of a mended file that cannot be decoded, by their number, from its lines."""
    lines = pl.scan_lines(str(copy.path), name=RAW, row_index_name=LINE, row_index_offset=1, glob=False)
    lines = lines.with_columns(pl.col(LINE).cast(pl.Int64)).filter(pl.col(LINE) > skip)
    record = pl.col(LINE) - skip
    if form.quote is not None:  # a record goes on where a quote is open
        quotes = pl.col(RAW).str.count_matches(form.quote, literal=True).cast(pl.Int64).cum_sum()
        record = (quotes.shift(1, fill_value=0) % 2 == 0).cast(pl.Int64).cum_sum()
    bad = pl.Series(list(copy.undecoded), dtype=pl.Int64)
    found = lines.with_columns(record.alias(RECORD)).filter(pl.col(LINE).is_in(bad.implode())).select(RECORD, LINE)
    first = found.collect().unique(RECORD, keep="first", maintain_order=True)
    return {record: copy.undecoded[line] for record, line in first.rows()}


def _odd_line(path: Path, quote: str | None) -> str:
    """Return where the first line with an odd number of quotes is, as part of a sentence."""
    if quote is None:
        return ""
    with unpacked(path) as stream:
        for number, line in enumerate(stream, 1):
            if line.count(quote.encode()) % 2 == 1:
                shown = line.decode(errors="backslashreplace").rstrip("\r\n")
                return f" (line {number}: {shown[:60]!r})"
    return ""


def _way_back(file: LogFile, form: DelimitedForm, skip: int) -> Locate:
    """Return how to find the raw text of records: by line, unless quoted fields run over several lines."""
    by_line = as_lines(str(file.path), skip + 1)

    def locate(records: pl.Series) -> pl.DataFrame:
        if form.quote is None:
            return by_line(records)
        readable = file
        try:
            even = _is_even(file, form.quote)
        except pl.exceptions.ComputeError:  # some line of it cannot be decoded
            readable = mended(file)
            even = _is_even(readable, form.quote)
        if even:
            return by_line(records)
        return _kept(readable, form, skip, lambda scan: _by_record(scan, form, records).lazy()).collect()

    return locate


def _is_even(file: LogFile, quote: str) -> bool:
    """Return whether every quote that opens on a line of a file closes there."""
    odd = pl.col(RAW).str.count_matches(quote, literal=True) % 2 == 1
    lines = pl.scan_lines(str(file.path), name=RAW, glob=False)
    return not lines.select(odd.any()).collect().item()


def _by_record(scan: pl.LazyFrame, form: DelimitedForm, records: pl.Series) -> pl.DataFrame:
    """Return the text of records, their fields put together again."""
    names = [name for name in scan.collect_schema().names() if name not in (RECORD, RULE, VALUE)]
    found = scan.filter(pl.col(RECORD).is_in(records.implode()))
    fields = [_quoted(pl.col(name), form.separator, form.quote) for name in names]
    surplus = pl.when(pl.col(RULE) == FITS).then(VALUE).fill_null("")
    raw = pl.concat_str(*fields, surplus, separator=form.separator).str.strip_chars_end(form.separator)
    return found.select(RECORD, pl.lit(None, dtype=pl.Int64).alias(LINE), raw.alias(RAW)).collect()


def _quoted(field: pl.Expr, separator: str, quote: str | None) -> pl.Expr:
    """Return the text of a field as it stood in the file, between quotes where it needs them."""
    text = field.fill_null("")
    if quote is None:
        return text
    doubled = text.str.replace_all(quote, quote * 2, literal=True)
    needy = text.str.contains_any([separator, quote, "\n", "\r"])
    return pl.when(needy).then(pl.concat_str(pl.lit(quote), doubled, pl.lit(quote))).otherwise(text)
