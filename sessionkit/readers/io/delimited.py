"""Delimited text and fields between blanks, read as text and never cut silently; lines with invalid bytes are records that break a rule."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import IO

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.io.files import DAMAGED, HEAD, LogFile, beginning, cut_short, not_utf8, refuse_sparse, unpacked
from sessionkit.readers.raw import LINE, RAW, Keep, Locate, Raw, as_lines, in_memory, read_through, refuse_reserved
from sessionkit.study.checks import RECORD, RULE, VALUE

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


def mark_misfits(frame: pl.LazyFrame, form: DelimitedForm) -> pl.LazyFrame:
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
    """Return what :func:`mark_misfits` does of some lines."""
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
        scan = mark_misfits(scanned(file.path, wide, skip=skip), wide)
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


QRELS = ("judgment_key", "subtopic_id", "doc_id", "grade")
NO_SUBTOPIC = ("0", "Q0")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)")
TEXT, PARTS = "__text", "__parts"
IDLE_LINES = {
    "comment lines": r"^#",
    "system descriptions": r"(?i:^</?sysdesc\b)",
    "header lines": (
        r"(?i:^(?:\S+\s+){3}(?:rank|pos|position)\s+(?:score|sim|similarity|rsv)\s+\S+$"
        r"|^\S+ +\S+ +\S+ +(?:rel|relevance|relevancy|label|grade|judg\w+)$)"
    ),
}
"""Lines of runs and qrels that carry no record, stripped, by what they are. A header of qrels between tabs is that of a table."""
WHOLE, ANY = r"-?\d+", r"\S+"
SHAPES = {
    "untagged": (ANY, "(?i:0|Q0)", ANY, r"\d+", r"\S*\d\S*"),
    "untagged_by_score": (ANY, r"[A-Za-z]*\d{0,3}", ANY, r"\d+", r"-?\d*\.\d+(?:[eE][-+]?\d+)?"),
    "stratified": (ANY, "(?i:0|Q0)", ANY, r"\d{1,2}", "-?[0-4]"),
    "prels": (ANY, ANY, "-?[0-4]", "[0-3]", r"0?\.\d+(?:[eE]-?\d+)?|1(?:\.0*)?|0"),
    "scored": (ANY, ANY, r"\d+", r"-?\d*\.\d+"),
    "three": (ANY, ANY, WHOLE),
}
"""What each field of a line is like, of files that are like runs and qrels."""
UNTAGGED_SHAPES = ("untagged", "untagged_by_score")
"""Those that are runs without a tag."""
SAMPLES = ("prels", "stratified")
"""Those that are judgments of a sample."""
NEEDS_GRADES = "which only estimators such as statAP and xinfAP use; give qrels: topic, 0, document, grade"
UNTAGGED = (
    "five columns, topic, iteration, document, rank and score: a run without its tag; add the name of the system to each line as sixth "
    "column"
)
NAMED = {
    "prels": f"five columns, topic, document, grade, method and probability: prels, judgments of a sample, {NEEDS_GRADES}",
    "stratified": f"five columns, topic, 0, document, stratum and grade: judgments of a sample, {NEEDS_GRADES}",
    "untagged": UNTAGGED,
    "untagged_by_score": UNTAGGED,
    "scored": (
        "four columns, topic, document, rank and score; a run has topic, iteration, document, rank, score and tag, or topic, document "
        "and rank"
    ),
    "three": (
        "three columns, topic, document and a number; qrels have topic, 0, document and grade, a run of three columns has topic, document "
        "and rank (give it as a log, --from trec_run)"
    ),
}
"""What such files are, by the shape of their lines, the first that fits."""
IDLE_LINE = "|".join(f"(?:{pattern})" for pattern in IDLE_LINES.values())
FIRST_LINES = 20
"""Lines by which a format is recognized."""


def holds_qrels(text: str) -> bool:
    """Return whether a text begins like qrels.

    >>> holds_qrels("# judged in spring\\nq1 0 d1 1\\n"), holds_qrels("q1 d1 1\\n")
    (True, False)
    """
    fields = first_fields(text)
    fit = [len(parts) == 4 and NUMBER.fullmatch(parts[3]) is not None for parts in fields]
    return bool(fit) and fit[0] and 2 * sum(fit) > len(fit) and not _fit(fields, SHAPES["scored"])


def shape_of(text: str) -> str | None:
    """Return which of `NAMED` the first lines of a text are; None where they are none.

    >>> shape_of("q1 Q0 d1 1 9.5\\n"), shape_of("q1 d1 1 0 0.25\\n"), shape_of("q1 s d1 4 2\\n")
    ('untagged', 'prels', None)
    """
    fields = first_fields(text)
    shape = next((shape for shape in NAMED if _fit(fields, SHAPES[shape])), None)
    ranks = [line[3] for line in fields if line[0] == fields[0][0]] if shape == "stratified" else []
    return "untagged" if ranks[:2] in (["1", "2"], ["0", "1"]) else shape


def _fit(lines: Sequence[Sequence[str]], shape: Sequence[str]) -> bool:
    """Return whether all lines have just these fields."""
    return bool(lines) and all(len(line) == len(shape) and all(map(re.fullmatch, shape, line)) for line in lines)


def name_fields(text: str) -> str | None:
    """Return what the lines of a text are that are like a run or qrels and are neither, with their columns, in words."""
    shape = shape_of(text)
    return None if shape is None else NAMED[shape]


def read_whitespace(
    file: LogFile, table: str, *, header: bool = False, skips_idle: bool = False, keep: Keep = in_memory
) -> Raw:
    """Return the records of a file whose fields stand between runs of blanks.

    Without header the columns of a judgments file are those of qrels, of another table ``column_1``, ``column_2``, ...
    Of qrels, and with `skips_idle`, lines that carry no record (`IDLE_LINES`) are left out; ``idle`` of the source counts them.

    Raises
    ------
    DataError
        Too much of the file is not UTF-8, or it ends early.
    """
    lines = pl.scan_lines(str(file.path), name=TEXT, row_index_name=RECORD, row_index_offset=1, glob=False)
    lines = lines.with_columns(pl.col(RECORD).cast(pl.Int64), pl.col(TEXT).str.strip_prefix("\ufeff").str.strip_chars())
    qrels = table == "judgments" and not header
    lines = lines.filter(pl.col(TEXT) != "")
    try:
        records = lines.select(pl.len()).collect().item()
        if qrels or skips_idle:
            lines = lines.filter(~pl.col(TEXT).str.contains(IDLE_LINE))
        idle = records - lines.select(pl.len()).collect().item()
        if idle == records:
            raise DataError(f"{file.name} contains only blank lines and comments")
        first = lines.head(1).collect().row(0, named=True)
    except pl.exceptions.ComputeError:
        return read_whitespace(mended(file), table, header=header, skips_idle=skips_idle, keep=keep)
    except OSError as error:
        raise cut_short(file.name, error) from None
    if header and first[RECORD] in file.undecoded:
        raise not_utf8(file)
    given = first[TEXT].split()
    names = list(QRELS) if qrels else given if header else [f"column_{number}" for number in range(1, len(given) + 1)]
    if len(set(names)) < len(names):
        raise DataError(
            f"{file.name}: a column is named twice in the header {' '.join(names)!r}; rename one of the two"
        )
    skip = first[RECORD] if header else 0
    lines = lines.filter(pl.col(RECORD) > skip).with_columns(pl.col(RECORD) - skip)
    parts = lines.with_columns(pl.col(TEXT).str.replace_all(r"\s+", " ").str.split(" ").alias(PARTS))
    fits = pl.col(PARTS).list.len() == len(names)
    frame = parts.with_columns(
        **{RULE: pl.when(~fits).then(pl.lit(FITS)), VALUE: pl.when(~fits).then(pl.col(TEXT).str.slice(0, 200))},
        **{name: pl.col(PARTS).list.get(place, null_on_oob=True) for place, name in enumerate(names)},
    ).drop(TEXT, PARTS)
    if qrels:
        subtopic = pl.col("subtopic_id")
        frame = frame.with_columns(pl.when(~subtopic.is_in(NO_SUBTOPIC)).then(subtopic))
    with read_through(file.name):
        frame = keep(with_undecoded(frame, {line - skip: bad for line, bad in file.undecoded.items() if line > skip}))
    locate = as_lines(str(file.path), skip + 1)
    return Raw(table, file.name, frame, records - bool(header), locate, file.bytes, file.digest, idle=idle)


def without_idle_subtopic(raw: Raw) -> Raw:
    """Return judgments without ``subtopic_id`` where it is never filled, as in qrels whose second field is constant."""
    if raw.table != "judgments" or "subtopic_id" not in raw.frame.collect_schema():
        return raw
    if raw.frame.select(pl.col("subtopic_id").is_not_null().any()).collect().item():
        return raw
    return replace(raw, frame=raw.frame.drop("subtopic_id"))


def fields_of(file: LogFile, names: Sequence[str], *, least: int, most: int | None = None, keep: Keep) -> pl.LazyFrame:
    """Return the lines of a file as records of these fields; blank lines and `IDLE_LINES` are none, RECORD is the line's number.

    Parameters
    ----------
    least, most
        How many fields a line must have, and may have (None: any number; those beyond `names` are left out). Lines with
        fewer or more break the rule that a record fits the columns.

    Raises
    ------
    DataError
        Too much of the file is not UTF-8, it ends early, or has no line that is not blank.
    """
    lines = pl.scan_lines(str(file.path), name=TEXT, row_index_name=RECORD, row_index_offset=1, glob=False)
    lines = lines.with_columns(pl.col(RECORD).cast(pl.Int64), pl.col(TEXT).str.strip_prefix("\ufeff").str.strip_chars())
    parts = lines.filter(pl.col(TEXT) != "", ~pl.col(TEXT).str.contains(IDLE_LINE)).with_columns(
        pl.col(TEXT).str.replace_all(r"\s+", " ").str.split(" ").alias(PARTS)
    )
    count = pl.col(PARTS).list.len()
    fit = (count >= least) if most is None else count.is_between(least, most)
    if file.undecoded:
        fit &= ~pl.col(RECORD).is_in(list(file.undecoded))
    frame = parts.with_columns(
        **{RULE: pl.when(~fit).then(pl.lit(FITS)), VALUE: pl.when(~fit).then(pl.col(TEXT).str.slice(0, 200))},
        **{name: pl.when(fit).then(pl.col(PARTS).list.get(at, null_on_oob=True)) for at, name in enumerate(names)},
    ).drop(TEXT, PARTS)
    try:
        kept = keep(with_undecoded(frame, file.undecoded))
        if kept.head(1).collect().is_empty():
            raise DataError(f"{file.name} contains only blank lines and comments")
    except pl.exceptions.ComputeError:
        return fields_of(mended(file), names, least=least, most=most, keep=keep)
    except OSError as error:
        raise cut_short(file.name, error) from None
    return kept


def count_idle_lines(file: LogFile) -> dict[str, int]:
    """Return how many lines of a file carry no record, by what they are.

    Raises
    ------
    DataError
        The file ends early.
    """
    lines = pl.scan_lines(str(file.path), name=TEXT, glob=False)
    text = pl.col(TEXT).str.strip_prefix("\ufeff").str.strip_chars()
    try:
        counts = lines.select(text.str.contains(pattern).sum().alias(kind) for kind, pattern in IDLE_LINES.items())
        return counts.collect().row(0, named=True)
    except pl.exceptions.ComputeError:
        return count_idle_lines(mended(file))
    except OSError as error:
        raise cut_short(file.name, error) from None


def first_fields(text: str) -> list[list[str]]:
    """Return the fields of the first lines that carry a record; the last, which may be cut, is left out of long texts.

    >>> first_fields("# a run\\na b\\n\\nc  d")
    [['a', 'b'], ['c', 'd']]
    """
    lines = [line.removeprefix("\ufeff").strip() for line in text.splitlines()]
    return [line.split() for line in lines if line and not re.search(IDLE_LINE, line)][:FIRST_LINES]


DECODED = "line_can_be_decoded"
"""The rule about lines with bytes that are no text."""
UNDECODED = "__undecoded"
"""Private column: the bytes of a line that are no text, null where it has none."""
Check = Callable[[], object]
"""What is asked before the first of these lines is kept aside; it raises where there are too many."""
FEW = 10
"""Such lines, fewer than which are kept aside unless they are half of the file."""
SHARE = 10
"""One of so many lines being such a line makes a file one in another encoding."""
BLOCK = 4 << 20
SPELLED = r"\\x[89a-f][0-9a-f]"
"""Such a byte as it is spelled."""
BYTES = re.compile("[\udc80-\udcff]+")
"""Bytes that are no text, as Python's ``surrogateescape`` has them."""


def is_undecodable(error: Exception) -> bool:
    """Return whether polars failed at bytes that are no UTF-8; what it says of other failures may quote the log."""
    return (
        isinstance(error, pl.exceptions.ComputeError)
        and re.match("invalid utf-?8", str(error), re.IGNORECASE) is not None
    )


def escaped(text: bytes, first: int = 1, *, doubled: bool = False) -> tuple[bytes, dict[int, str]]:
    r"""Return lines with the bytes that are no UTF-8 spelled as such, and the first of these bytes by the number of the line.

    Parameters
    ----------
    first
        The number of the first line.
    doubled
        Whether backslashes are doubled, as they are in the texts of JSON.

    >>> escaped(b"a\nk\xe9se\n", 7)
    (b'a\nk\\xe9se\n', {8: '\\xe9'})
    """
    found: dict[int, str] = {}
    if text.isascii():
        return text, found
    lines = text.split(b"\n")
    for place, line in enumerate(lines):
        if line.isascii():
            continue
        decoded = line.decode(errors="surrogateescape")
        bad = BYTES.search(decoded)
        if bad is not None:
            found[first + place] = _spelled(bad[0])
            spelled = BYTES.sub(lambda those: _spelled(those[0], doubled=doubled), decoded)
            lines[place] = spelled.encode()
    return (b"\n".join(lines) if found else text), found


def mended(file: LogFile, *, doubled: bool = False) -> LogFile:
    """Return a file of which some lines cannot be decoded as one of which all can, and which tells these.

    `doubled` is as :func:`escaped` takes it.

    Raises
    ------
    DataError
        So many cannot that it is in another encoding, or it is cut short.
    """
    copy = file.workspace / f"{len(list(file.workspace.iterdir()))}-mended.txt"
    with copy.open("wb") as target:
        undecoded = _looked_through(file, target, doubled=doubled)
    with copy.open("rb") as stream:
        head = beginning(stream.read(HEAD))
    return replace(file, path=copy, head=head, undecoded=undecoded)


def whole(file: LogFile) -> LogFile:
    """Return a file as it is where all lines of it can be decoded, else :func:`mended`."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with unpacked(file.path) as stream:
            while block := stream.read(BLOCK):
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return mended(file)
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    return file


def refuse_other_encoding(file: LogFile) -> None:
    """Raise DataError where so many lines cannot be decoded that a file is in another encoding."""
    _looked_through(file, None)


def nothing() -> None:
    """Do nothing."""


def told(undecoded: Mapping[int, str]) -> pl.Expr:
    """Return of each record the bytes that are no text, null where it is none of these."""
    numbers = pl.Series(list(undecoded), dtype=pl.Int64)
    return pl.col(RECORD).replace_strict(numbers, list(undecoded.values()), default=None, return_dtype=pl.String)


def with_undecoded(frame: pl.LazyFrame, undecoded: Mapping[int, str]) -> pl.LazyFrame:
    """Return records that have RULE and VALUE, those marked whose numbers are among these."""
    if not undecoded:
        return frame
    return mark_invalid_bytes(frame.with_columns(told(undecoded).alias(UNDECODED)))


def mark_invalid_bytes(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return records, those marked that have bytes in UNDECODED, which is left out.

    Fields that have such bytes are null in them: no session or document has a name with them.
    """
    bad = pl.col(UNDECODED).is_not_null()
    own = (RULE, VALUE, UNDECODED)
    texts = [name for name, dtype in frame.collect_schema().items() if dtype == pl.String and name not in own]
    return frame.with_columns(
        *(pl.when(~(bad & pl.col(name).str.contains(SPELLED))).then(name).alias(name) for name in texts),
        pl.when(bad).then(pl.lit(DECODED)).otherwise(RULE).alias(RULE),
        pl.when(bad).then(UNDECODED).otherwise(VALUE).alias(VALUE),
    ).drop(UNDECODED)


def _looked_through(file: LogFile, target: IO[bytes] | None, *, doubled: bool = False) -> dict[int, str]:
    """Return the lines that cannot be decoded; write all lines so that they can be."""
    undecoded: dict[int, str] = {}
    number = filled = beyond = 0
    try:
        with unpacked(file.path) as source:
            while block := source.read(BLOCK):
                block += source.readline()
                text, found = escaped(block, number + 1, doubled=doubled)
                undecoded |= found
                lines = block.count(b"\n") + (not block.endswith(b"\n"))
                filled += lines - block.count(b"\n\n") - block.count(b"\n\r\n")
                if not block.isascii():
                    beyond += sum(not line.isascii() for line in block.split(b"\n")) - len(found)
                number += lines
                if target is not None:
                    target.write(text)
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    many = len(undecoded)
    if 2 * many >= filled or (many >= FEW and SHARE * many > filled and many > beyond):
        raise not_utf8(file)
    return undecoded


def _spelled(those: str, *, doubled: bool = False) -> str:
    """Return bytes that are no text as text."""
    before = "\\\\x" if doubled else "\\x"
    return "".join(f"{before}{ord(one) - 0xDC00:02x}" for one in those)
