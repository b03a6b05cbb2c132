"""One table from a file of any kind, Parquet included, as study.toml describes it or as its name and first bytes do."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path, PurePath
from typing import Any, cast

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.checks.cells import cell_of, in_our_spelling, required, under_our_names
from sessionkit.readers.config import Config
from sessionkit.readers.io.delimited import (
    IDLE_LINES,
    QRELS,
    header_of,
    name_fields,
    read_delimited,
    read_whitespace,
    without_idle_subtopic,
)
from sessionkit.readers.io.files import LogFile, is_packed, refuse_odd_lines
from sessionkit.readers.io.json import ARRAY, as_items, as_ndjson, read_ndjson
from sessionkit.readers.io.list_rows import (
    ListOptions,
    as_elements,
    json_records,
    list_hint,
    list_options,
    list_rows,
    table_records,
)
from sessionkit.readers.io.workbooks import read_workbook
from sessionkit.readers.raw import MANY, OF_SHEET, Keep, Raw, as_json, in_memory, in_place, no_way_back, refuse_reserved
from sessionkit.study.checks import RECORD

WHITESPACE = "whitespace"
SEPARATOR_WORDS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
OF_BLANKS = ', and separator = "whitespace" that blanks separate them'
LATER = "query_position"
"""What number_queries makes."""
BY_QUERY_ID = ("session_id", LATER)
"""What the query_id of results says, where queries are a table of their own."""
IDLE = {
    "parquet": (("separator", "quote", "header", "encoding", "skip", "sheet"), "Parquet and needs none"),
    "workbook": (("separator", "quote", "encoding"), "a workbook and needs none"),
    "ndjson": (("quote", "header", "skip", "sheet"), "JSON, where every record names its values"),
    WHITESPACE: (("quote", "skip", "sheet"), "fields between blanks, without quotes"),
    "text": (("sheet",), "text and has no sheets"),
}
"""What there is not to be said of a kind of file, and why."""


def read_table(file: LogFile, name: str, options: Mapping[str, Any], *, config: Config, keep: Keep) -> Raw:
    """Return one table's records under our column names."""
    null = options.get("null", "")
    nulls = (null,) if isinstance(null, str) else null
    found: list[str] = []
    lists = list_options(name, options, _tables_of_same_file(name, options, config))
    given, file = file, as_ndjson(file) if lists is None and _may_be_json(file, options) else file
    _refuse_idle(file, name, options)
    if file.kind not in ("parquet", "workbook"):
        refuse_odd_lines(file, config.memory, noun="line" if file is given else "record")

    below = options.get("skip_after_header", 0)

    def named(frame: pl.LazyFrame, *, numbered: bool) -> pl.LazyFrame:
        if below:
            frame = frame.filter(pl.col(RECORD) > below)
        found.extend(frame.collect_schema().names())
        of_sheet = f"{OF_SHEET}{options['sheet']}" if "sheet" in options else ""
        source = Raw(name, f"{file.name}{of_sheet}", frame, 0, no_way_back, file.bytes, file.digest)
        ours = under_our_names(
            replace(source, frame=_filled_down(_with_constants(source, options), name, options, nulls)),
            options.get("columns", {}),
            nulls=nulls,
            trim=options.get("trim", False),
            later=_made_later(name, options, config, frame.collect_schema().names()),
            numbered=numbered,
            empty_list=options.get("empty_list"),
        )
        return keep(in_our_spelling(ours.frame, name, options, typed=file.kind != "text"))

    at_once = keep is in_memory
    if lists is None:
        try:
            raw = _records(file, name, options, named, config=config, at_once=at_once)
        except DataError as error:
            lacks_columns = any(options.get("columns", {}).get(ours, ours) not in found for ours in required(name))
            hint = list_hint(given) if found and lacks_columns and file.kind == "ndjson" else ""
            raise DataError(f"{error}{hint}") if hint else error from None
    else:
        raw = _elements(file, name, options, lists, named, config=config, at_once=at_once)
    if below:  # of some kinds of files the rows below the header are counted
        raw = replace(raw, records=raw.frame.select(pl.len()).collect().item())
    if set(QRELS) <= set(found):
        raw = without_idle_subtopic(raw)
    if file is not given:
        raw = replace(raw, locate=as_items(given))
    zone = options.get("timezone", config.settings.timezone)
    return replace(
        raw,
        timezone=zone,
        empty_list=options.get("empty_list"),
        base=_base(options),
        without_results=options.get("without_results"),
        in_memory=keep is in_memory,
    )


def _tables_of_same_file(name: str, options: Mapping[str, Any], config: Config) -> dict[str, Mapping[str, Any]]:
    """Return what study.toml says of the other tables that are read from the same file."""
    return {
        table: other for table, other in config.tables.items() if table != name and other["path"] == options.get("path")
    }


def _elements(
    file: LogFile,
    name: str,
    options: Mapping[str, Any],
    lists: ListOptions,
    named: Callable[..., pl.LazyFrame],
    *,
    config: Config,
    at_once: bool,
) -> Raw:
    """Return a record for each element of a list inside the records of a file of any kind; `named` takes them."""
    if _may_be_json(file, options) and (file.kind == "ndjson" or ARRAY.match(file.head)):
        records = partial(json_records, file)
    else:
        frame = _records(file, name, options, lambda frame, *, numbered: frame, config=config, at_once=True).frame  # noqa: ARG005 - as `named` is called
        rows = frame.collect()
        records = partial(table_records, rows)
    elements, number = list_rows(file, records(), lists, at_once=at_once)
    return Raw(
        name, file.name, named(elements, numbered=False), number, as_elements(records, lists), file.bytes, file.digest
    )


def options_of_sheets(options: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what study.toml says of a table, once for each sheet of a workbook that it names."""
    sheets = options.get("sheet")
    return [options] if sheets is None or isinstance(sheets, str) else [{**options, "sheet": one} for one in sheets]


def layout_of(file: LogFile) -> tuple[list[str], dict[str, object]]:
    """Return the fields of a file's first line, or the names of its columns, and what :func:`read_table` has to be told of it."""
    if file.kind == "parquet":
        return list(columns_of(file.path)), {}
    first = file.head.decode("utf-8", errors="replace").split("\n", 1)[0].rstrip("\r")
    if file.kind == "ndjson":
        return re.findall(r'"(\w[\w -]*)"\s*:', first), {}
    names, separator = header_of(first, file.separator)
    if separator not in first:
        names, separator = first.split(), WHITESPACE
    return names, {"separator": separator}


def _records(
    file: LogFile,
    name: str,
    options: Mapping[str, Any],
    named: Callable[..., pl.LazyFrame],
    *,
    config: Config,
    at_once: bool,
) -> Raw:
    """Return the records of a file of any kind; `named` takes them, and whether their columns have numbers only."""
    separator = options.get("separator")
    keep = partial(named, numbered=False)
    if file.kind == "parquet":
        return read_parquet(file, name, keep=keep)
    above = options.get("skip", 0)
    if file.kind == "workbook":
        header = options.get("header", True)
        return read_workbook(
            file,
            name,
            sheet=options.get("sheet"),
            above=above,
            header=int(header),
            keep=partial(named, numbered=not header),
            memory=config.memory,
        )
    if separator is None and file.kind == "ndjson":
        return read_ndjson(file, name, keep=keep, memory=config.memory, at_once=at_once)
    if separator == WHITESPACE:
        header = options.get("header", name != "judgments")
        return read_whitespace(file, name, header=header, keep=partial(named, numbered=not header))
    header = options.get("header", True)
    return read_delimited(
        file,
        name,
        separator=separator or file.separator or _separator(file, name, options, config),
        quote=_quote(options),
        above=above,
        header=int(header),
        keep=partial(named, numbered=not header),
        memory=config.memory,
        at_once=at_once,
    )


def _with_constants(raw: Raw, options: Mapping[str, Any]) -> pl.LazyFrame:
    """Return the records with the columns that study.toml gives a constant, and those that the name of their file holds."""
    constants = {**options.get("constants", {}), **_in_name(raw, options.get("name_pattern"))}
    there = raw.frame.collect_schema().names()
    for column in constants:
        if column in there:
            raise DataError(f"{raw.source} ({raw.table}) has a column {column!r}, which cannot be a constant as well")
    return raw.frame.with_columns(pl.lit(cell_of(value)).alias(column) for column, value in constants.items())


def _filled_down(frame: pl.LazyFrame, name: str, options: Mapping[str, Any], nulls: Sequence[str]) -> pl.LazyFrame:
    """Return the records with the value before in the empty cells of those columns of which study.toml says so."""
    columns = options.get("fill_down", [])
    if not columns:
        return frame
    schema = frame.collect_schema()
    for column in columns:
        if column not in schema:
            names = ", ".join(one for one in schema.names() if not one.startswith("__"))
            raise DataError(f"[{name}] fill_down names a column {column!r}, which is not there; columns: {names}")
    texts = {column: pl.col(column).cast(pl.String).str.strip_chars() for column in columns}
    is_given = {column: ~text.is_in(["", *nulls]) & text.is_not_null() for column, text in texts.items()}
    return frame.with_columns(
        pl.when(given).then(pl.col(column)).forward_fill().alias(column) for column, given in is_given.items()
    )


def _in_name(raw: Raw, pattern: str | None) -> dict[str, str]:
    """Return what a pattern takes out of the name of a file."""
    if pattern is None:
        return {}
    try:
        found = re.search(pattern, PurePath(raw.source).name)
        groups = re.compile(pattern).groupindex
    except re.error as error:
        raise DataError(f"[{raw.table}] name_pattern is no regular expression ({error})") from None
    if not groups:
        raise DataError(
            f"[{raw.table}] name_pattern has no named group, such as (?P<user_id>\\w+), which names a column"
        )
    if found is None:
        raise DataError(f"{raw.source}: its name does not match name_pattern of [{raw.table}], {pattern!r}")
    return {name: value for name, value in found.groupdict().items() if value is not None}


def _may_be_json(file: LogFile, options: Mapping[str, Any]) -> bool:
    """Return whether nothing says that a file is anything else than JSON."""
    return file.kind in ("text", "ndjson") and not {"separator", "skip"} & set(options)


def _refuse_idle(file: LogFile, name: str, options: Mapping[str, Any]) -> None:
    """Raise DataError where an option says of a file what files of its kind do not have."""
    separator = options.get("separator")
    is_ndjson = file.kind == "ndjson" and separator is None
    kind = (
        file.kind
        if file.kind in ("parquet", "workbook") or is_ndjson
        else WHITESPACE
        if separator == WHITESPACE
        else "text"
    )
    idle, reason = IDLE[kind]
    for option in idle:
        if option in options and not (kind == WHITESPACE and options[option] is False):
            raise DataError(f"[{name}] sets {option} for {file.name}, which is {reason}; leave {option} out")


def _made_later(name: str, options: Mapping[str, Any], config: Config, names: Collection[str] = ()) -> tuple[str, ...]:
    """Return the required columns that are made afterwards: numbers of queries, or what the query_id of results says."""
    if name == "results" and "queries" in config.tables and "query_id" in (*options.get("columns", {}), *names):
        return BY_QUERY_ID
    return (LATER,) if options.get("number_queries") else ()


def _separator(file: LogFile, name: str, options: Mapping[str, Any], config: Config) -> str:
    """Return what separates the fields of a file whose name does not say it: that by which its header names its columns.

    Raises
    ------
    DataError
        It has no header, or does not name those columns that the table must have.
    """
    if not file.head.strip():
        raise DataError(f"{file.name} is empty; it must hold at least a header line")
    columns = options.get("columns", {})
    later = [column for column in _made_later(name, options, config) if column not in columns]
    said = [columns.get(column, column) for column in required(name) if column not in later]
    made = {*options.get("constants", {}), *(re.findall(r"\?P<(\w+)>", options.get("name_pattern", "")))}
    named = chain.from_iterable([one] if isinstance(one, str | int) else one for one in (said or columns.values()))
    needed = {one for one in named if isinstance(one, str)} - made
    head = file.head.decode("utf-8", errors="replace")
    names, separator = header_of(head, needed=needed)
    if options.get("header", True) and needed <= set(names):
        return separator
    raise _unnamed(file.name, head, [name for name in needed if name not in names])


def _unnamed(name: str, head: str, missing: Sequence[str]) -> DataError:
    """Return the error about a text whose first line does not name the columns that are needed: what the line is instead."""
    if (known := name_fields(head)) is not None:
        return DataError(f"{name}: {known}")
    first = next((line.strip() for line in head.removeprefix("\ufeff").splitlines() if line.strip()), "")
    shown = repr(first[:60])
    kind = next((kind for kind, pattern in IDLE_LINES.items() if re.search(pattern, first)), None)
    if kind is not None:
        return DataError(
            f"{name}: its first line ({shown}) is one of the {kind} that runs and qrels may have, but the lines after it are neither; "
            "for another table set skip = 1 in study.toml"
        )
    names, separator = header_of(first)
    fields, between = (names, SEPARATOR_WORDS[separator]) if separator in first else (first.split(), "blanks")
    if len(fields) > 1:
        return DataError(
            f"{name}: its first line ({shown}) has {len(fields)} fields between {between}, but has no column "
            f"{', '.join(sorted(missing))}; in study.toml, columns = {{ ... }} says which column is which"
            f"{OF_BLANKS if between == 'blanks' else ''}"
        )
    return DataError(
        f"{name}: neither its name nor its first line ({shown}) shows the separator; "
        'set separator = "\\t", "," or "whitespace" for it in study.toml'
    )


def _base(options: Mapping[str, Any]) -> Mapping[str, int]:
    """Return what each declared column counts from; one number stands for all of them."""
    base = options.get("base", {})
    return base if isinstance(base, Mapping) else dict.fromkeys(("query_position", "rank"), base)


def _quote(options: Mapping[str, Any]) -> str | None:
    """Return the quote character, None when quotes are data."""
    quote = options.get("quote", True)
    if isinstance(quote, bool):
        return '"' if quote else None
    return str(quote)


def columns_of(path: Path) -> tuple[str, ...]:
    """Return the names of the columns of a Parquet file; none where it cannot be read."""
    try:
        return tuple(pl.read_parquet_schema(path))
    except (pl.exceptions.PolarsError, OSError):  # whoever reads it says what is wrong with it
        return ()


def read_parquet(file: LogFile, table: str, *, keep: Keep = in_place) -> Raw:
    """Return the records of a Parquet file.

    Parameters
    ----------
    keep
        Where the records stay; by default in the file, which can be read again and again.

    Raises
    ------
    DataError
        The file is not readable as Parquet: it is damaged, packed once more, or has values of a kind that is not known.
    """
    if is_packed(file.path):
        raise DataError(f"{file.name} is a Parquet file compressed again by gzip or zstd; unpack it first")
    scan = pl.scan_parquet(file.path, glob=False, row_index_name=RECORD, row_index_offset=1)
    frame = scan.with_columns(pl.col(RECORD).cast(pl.Int64))
    try:
        refuse_reserved(pl.scan_parquet(file.path, glob=False).collect_schema(), file.name)
        frame.collect_schema()
        records = scan.select(pl.len()).collect().item()
        kept = keep(frame)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(file, error) from None
    return Raw(table, file.name, kept, records, as_json(frame), file.bytes, file.digest)


def pieces_of(file: LogFile, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Return these columns of a Parquet file, one at least, with RECORD, some rows at a time and one piece at least.

    However large the groups of rows are, memory holds little more than a piece, unlike where polars streams the file.

    Raises
    ------
    DataError
        The file is damaged, which may show after some pieces.
    """
    import pyarrow as pa  # slow to import, needed for this alone
    import pyarrow.parquet as pq

    first = 1
    try:
        with pq.ParquetFile(file.path) as parquet:
            for batch in parquet.iter_batches(MANY, columns=list(columns), use_threads=False):
                frame = cast("pl.DataFrame", pl.from_arrow(batch))
                numbers = pl.int_range(first, first + pl.len(), dtype=pl.Int64).alias(RECORD)
                yield frame.select(numbers, pl.all())
                first += len(frame)
    except (pa.ArrowException, pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(file, error) from None
    if first == 1:
        yield (
            pl.scan_parquet(file.path, glob=False).select(pl.lit(0, pl.Int64).alias(RECORD), *columns).head(0).collect()
        )


def _unreadable(file: LogFile, error: Exception) -> DataError:
    """Return the error about a file that cannot be read."""
    reason = str(error).splitlines()[0]
    return DataError(f"{file.name} cannot be read as Parquet ({reason}); is it whole?")
