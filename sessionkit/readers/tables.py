"""Format ``tables``: logs that are tables already, as study.toml describes them or under our own column names.

Delimited text, NDJSON and Parquet, plain, .gz or .zst. One flat file is a results table from which the others are
derived.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.contract import TABLES, table
from sessionkit.errors import DataError
from sessionkit.readers.columns import under_our_names
from sessionkit.readers.config import Config
from sessionkit.readers.courses import UnsettledError
from sessionkit.readers.delimited import read_delimited
from sessionkit.readers.feeds import OutOfOrderError
from sessionkit.readers.fields import UnevenError
from sessionkit.readers.files import LogFile, open_log
from sessionkit.readers.formats import Glimpse
from sessionkit.readers.judging import TEXT, Judged, keyed_by_text, looks_like, read_judgments
from sessionkit.readers.keeping import Keep, OnDisk, in_memory, in_place
from sessionkit.readers.large import large_study
from sessionkit.readers.ndjson import read_ndjson
from sessionkit.readers.parquet import read_parquet
from sessionkit.readers.parts import LIST
from sessionkit.readers.qrels import QRELS, looks_like_qrels, read_whitespace, without_idle_subtopic
from sessionkit.readers.raw import Raw, no_way_back
from sessionkit.readers.sizes import is_large
from sessionkit.readers.whole import whole_study
from sessionkit.readers.widening import LOG
from sessionkit.study import Study
from sessionkit.study.memory import memory_budget

WHITESPACE = "whitespace"
NOT_AS_IT_COMES = (UnevenError, OutOfOrderError, UnsettledError, pl.exceptions.PolarsError, OSError)
"""What may show, while a large log is read as it comes, that it has to be read another way; that names what is wrong."""


def read_tables(
    config: Config, judgments: Sequence[Path] = (), *, strict: bool = False, memory: str | int | None = None
) -> Study:
    """Return the study a study.toml of format ``tables`` describes.

    Parameters
    ----------
    config
        The description; a lone log file is ``[results]`` with nothing but a path.
    judgments
        Further files of judgments, with our column names or as qrels.
    strict
        Whether to stop at the first record that breaks a rule.
    memory
        How much may be used, as :func:`~sessionkit.study.memory.memory_budget` takes it; a log that needs more goes
        through temporary files.

    Raises
    ------
    DataError
        A file or column is missing, or (`strict`) a record breaks a rule.
    """
    if "results" not in config.tables and "queries" not in config.tables:
        raise DataError(f"{config.name} names neither [results] nor [queries]; a study needs the log of one of them")
    budget = memory_budget(memory)
    with tempfile.TemporaryDirectory(prefix="sessionkit-") as folder:
        copies, records = Path(folder) / "copies", Path(folder) / "records"
        copies.mkdir()
        records.mkdir()
        beside, described = _beside(config, judgments, copies)
        files = {name: _open(described[name], config.folder, copies) for name in TABLES if name in described}

        def study(make: Callable[..., Study], keep: Keep, *, piecewise: bool = False, **limits: Any) -> Study:  # noqa: ANN401
            read = partial(read_table, config=config)
            raws = {
                name: [
                    read(
                        file,
                        name,
                        config.tables[name],
                        keep=keep if name in LOG else in_memory,
                        piecewise=piecewise and name in LOG,
                    )
                ]
                for name, file in files.items()
            }
            raws.setdefault("judgments", []).extend(beside.raws)
            if beside.by_text:
                raws = {name: list(given) for name, given in keyed_by_text(raws).items()}
            return make(raws, config.settings, defaults=config.defaults, reader="tables", strict=strict, **limits)

        if not is_large((files[name] for name in LOG if name in files), budget):
            return study(whole_study, in_memory)
        limits: dict[str, Any] = {"budget": budget, "workspace": records}
        if not beside.by_text and all(
            _comes_in_pieces(files[name], config.tables[name]) for name in LOG if name in files
        ):
            with contextlib.suppress(*NOT_AS_IT_COMES):
                return study(large_study, in_place, piecewise=True, **limits)
        return study(large_study, OnDisk(records), **limits)


def _beside(config: Config, paths: Sequence[Path], copies: Path) -> tuple[Judged, Mapping[str, Mapping[str, Any]]]:
    """Return the judgments beside the log, and the tables that are left to be read as they are described.

    Among the former are those of [judgments] in study.toml where they are in a format of their own.
    """
    options = config.tables.get("judgments", {})
    format_ = options.get("format")
    if format_ is None and set(options) == {"path"}:
        format_ = looks_like(config.folder / options["path"])
    own = format_ not in (None, "tables", "qrels")
    read = [read_judgments([config.folder / options["path"]], config, copies, format=format_)] if own else []
    read.append(read_judgments(paths, config, copies))
    by_text = options.get("keys") == TEXT or any(one.by_text for one in read)
    left = {name: table for name, table in config.tables.items() if not (own and name == "judgments")}
    return Judged(tuple(raw for one in read for raw in one.raws), by_text), left


def _open(options: Mapping[str, Any], folder: Path, copies: Path) -> LogFile:
    """Return the file of one table."""
    return open_log(options["path"], folder, copies, encoding=options.get("encoding"))


def fits(glimpse: Glimpse) -> bool:
    """Return whether the first line names columns as we do: those of sessions and of queries in them."""
    first = glimpse.head.lstrip().split("\n", 1)[0]
    if not glimpse.is_folder and not first:
        with contextlib.suppress(pl.exceptions.PolarsError, OSError):
            first = " ".join(f'"{name}"' for name in pl.scan_parquet(glimpse.path, glob=False).collect_schema())
    return set(LIST) <= set(re.findall(r"\w+", first))


def read_file_of_judgments(file: LogFile, config: Config) -> list[Raw]:
    """Return the judgments of a file with our column names, or of qrels."""
    return [read_table(file, "judgments", {}, config=config, keep=in_memory)]


def _comes_in_pieces(file: LogFile, options: Mapping[str, Any]) -> bool:
    """Return whether a file can be read a piece at a time: delimited text and NDJSON can."""
    return options.get("separator") != WHITESPACE and ("separator" in options or file.kind != "parquet")


def read_table(
    file: LogFile, name: str, options: Mapping[str, Any], *, config: Config, keep: Keep, piecewise: bool = False
) -> Raw:
    """Return one table's records under our column names; `piecewise` as :func:`read_delimited` takes it."""
    null = options.get("null", "")
    nulls = (null,) if isinstance(null, str) else null
    found: list[str] = []
    numbers = _numbers(name, options) if nulls == ("",) else {}

    def named(frame: pl.LazyFrame, *, numbered: bool) -> pl.LazyFrame:
        found.extend(frame.collect_schema().names())
        source = Raw(name, file.name, frame, 0, no_way_back, file.bytes, file.digest)
        return keep(under_our_names(source, options.get("columns", {}), nulls=nulls, numbered=numbered).frame)

    raw = _records(file, name, options, named, piecewise=piecewise, at_once=keep is in_memory, numbers=numbers)
    if set(QRELS) <= set(found):
        raw = without_idle_subtopic(raw)
    zone = options.get("timezone", config.settings.timezone)
    return replace(raw, timezone=zone, empty_list=options.get("empty_list"), base=_base(options))


def _records(
    file: LogFile,
    name: str,
    options: Mapping[str, Any],
    named: Callable[..., pl.LazyFrame],
    *,
    piecewise: bool,
    at_once: bool,
    numbers: Mapping[str, pl.DataType],
) -> Raw:
    """Return the records of a file of any kind; `named` takes them, and whether their columns have numbers only."""
    separator = options.get("separator")
    if separator is None and file.kind != "text":
        keep = partial(named, numbered=False)
        if file.kind == "parquet":
            return read_parquet(file, name, keep=keep)
        return read_ndjson(file, name, keep=keep, piecewise=piecewise, at_once=at_once, numbers=numbers)
    undescribed = not {"separator", "columns", "header", "quote"} & set(options)
    if separator == WHITESPACE or (name == "judgments" and undescribed and looks_like_qrels(file)):
        header = options.get("header", name != "judgments")
        return read_whitespace(file, name, header=header, keep=partial(named, numbered=not header))
    header = options.get("header", True)
    return read_delimited(
        file,
        name,
        separator=_separator(file, separator),
        quote=_quote(options),
        header=header,
        keep=partial(named, numbered=not header),
        piecewise=piecewise,
        numbers={column: dtype for column, dtype in numbers.items() if dtype.is_integer()},
    )


def _numbers(name: str, options: Mapping[str, Any]) -> dict[str, pl.DataType]:
    """Return the types of the source's columns that are declared to be numbers, and nothing else beside."""
    columns = options.get("columns", {})
    taken = list(columns.values())
    types = {}
    for field in table(name).fields:
        theirs = columns.get(field.name, field.name)
        marker = field.name == "rank" and "empty_list" in options  # its text is compared
        if field.type in ("integer", "number") and not marker and taken.count(theirs) == (field.name in columns):
            types[theirs] = field.dtype
    return types


def _separator(file: LogFile, given: str | None) -> str:
    """Return the separator that was given or that the file's name implies."""
    separator = given or file.separator
    if separator is None:
        raise DataError(
            f"{file.name}: its name does not say what separates its fields; "
            'set separator = "\\t", "," or "whitespace" for it in study.toml'
        )
    return separator


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
