"""From the records that a format takes out of its files to a checked study; and the files that a format reads."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.display.numbers import counted, listed
from sessionkit.errors import DataError, suggestion
from sessionkit.plugins import Blame, file_of, module_of, origins
from sessionkit.readers.checks.cells import LOG
from sessionkit.readers.checks.rows import KEPT, Aside, described, none_rejected, together, twins
from sessionkit.readers.config import Config
from sessionkit.readers.exclusions import NO_EXCLUSIONS, Exclusions, exclusions_of
from sessionkit.readers.format import hidden
from sessionkit.readers.ingest import ENOUGH, Room, fits, ingest, is_large
from sessionkit.readers.io.files import (
    LogFile,
    is_packed,
    not_utf8,
    open_log,
    paths_in,
    refuse_odd_lines,
    unpacked_path,
)
from sessionkit.readers.judgments.files import JudgmentSources, judgment_files, keyed_by_text, read_judgments
from sessionkit.readers.questionnaires import Answers, read_questionnaires
from sessionkit.readers.raw import LINE, RAW, READ_BY, Keep, Locate, OnDisk, Raw, as_json, as_lines, in_memory
from sessionkit.study import Source, Study
from sessionkit.study.batches import memory_budget
from sessionkit.study.checks import CELLS, RECORD, RULE, VALUE, CheckedRows
from sessionkit.study.package import TemporaryFolder
from sessionkit.study.schema import TABLES
from sessionkit.study.schema import table as declared
from sessionkit.study.tabular import columns_of_table, numbered

Tallies = Mapping[tuple[str, str], int]
"""Numbers of records by the name of their file and a few words that say what they are."""


@dataclass(frozen=True)
class Log:
    """What the user named, for a format to take apart.

    Parameters
    ----------
    files
        The files, those of folders one by one, in order; ``files.unpacked(file.path)`` opens one, ``pl.scan_lines`` and
        ``pl.scan_csv`` read packed ones as they are.
    config
        The settings and options: ``config.options["session_gap"]``, with defaults filled in.
    keep
        Where taken records stay, given a lazy frame: in memory, or in a file where the log is large.
    workspace
        An empty directory for temporary files, gone once the study is made.
    is_large
        Whether the files need more memory than serves speed, or than there is; then take them apart some records at a time.
    fits
        Whether the records of the files fit in memory all the same, where a format takes them as they are.
    room
        Bytes of taken records that may stay in memory all the same.
    judgments
        Reads those beside the log, at most once, for formats whose tables depend on them.
    """

    files: Sequence[LogFile]
    config: Config
    keep: Keep
    workspace: Path
    is_large: bool
    fits: bool = False
    room: int = 0
    judgments: Callable[[], JudgmentSources] = JudgmentSources

    def option(self, name: str) -> Any:  # noqa: ANN401 - of the type that the option says
        """Return the value of one of the format's options."""
        return self.config.options[name]


@dataclass(frozen=True)
class Taken:
    """What a format took from its files.

    Parameters
    ----------
    raws
        Sources of users, sessions, queries, results, judgments, any of them and several of each; queries or results
        at least. Frames may be scans of files in the workspace. Make them by :func:`raw_of`.
    merged
        Records that went into rows made of other records, by (source, rule), such as ``("log.ndjson", "clicks")``.
    idle
        Records that carry nothing for any table, by (source, kind), such as ``("log.ndjson", "scroll events")``.
    notes, warnings
        What was unusual, one sentence each with counts and an example; `warnings` may change a score.
    cells
        Values set aside of records that went into rows made of others; made by :func:`set_aside`.
    """

    raws: Mapping[str, Sequence[Raw]]
    merged: Tallies = field(default_factory=dict)
    idle: Tallies = field(default_factory=dict)
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    cells: Sequence[pl.DataFrame] = ()


Take = Callable[[Log], Taken]
Files = Callable[[Config, Path, int], Sequence[LogFile]]
"""From what study.toml says, a directory for copies and the bytes of memory to the opened files of a log."""


def inputs(config: Config, copies: Path, memory: int, *, parquet: bool = False) -> list[LogFile]:
    """Return the files the user named and those in the folders the user named, in order.

    Parameters
    ----------
    copies
        A directory for copies of files that are not UTF-8.
    memory
        Bytes that may be used.
    parquet
        Whether the format reads Parquet as well.

    Raises
    ------
    DataError
        There are none, or one is missing, unreadable or empty, is Parquet and should not be, or has a line that is too long.
    """
    found = _found(config, copies, memory)
    if not parquet:
        _refuse_parquet(found, config)
    by_line = [file for file in found if file.kind == "text" and not file.head.startswith((b"<", b"["))]
    large = bool(by_line) and is_large(found, memory)
    for file in by_line:
        if not (large and is_packed(file.path)):  # to unpack much once more takes long
            refuse_odd_lines(file, memory)
    return found


def reader(name: str, take: Take, *, files: Files = inputs) -> Callable[..., Study]:
    """Return what ``Format.read`` needs, from a function that takes a log apart, and one that finds its files."""

    @functools.wraps(take)
    def read(
        config: Config, judgments: Sequence[Path] = (), *, strict: bool = False, memory: str | int | None = None
    ) -> Study:
        budget = memory_budget(memory)
        with TemporaryFolder() as folder:
            copies, records, workspace = (folder / part for part in ("copies", "records", "workspace"))
            for place in (copies, records, workspace):
                place.mkdir()
            found = judgment_files(config, judgments, copies)
            opened = files(config, copies, budget)
            large = is_large(opened, budget)
            keep = OnDisk(records) if large else in_memory
            beside = functools.cache(lambda: read_judgments(found))
            taken = take(
                Log(
                    opened,
                    config,
                    keep,
                    workspace,
                    large,
                    not large or fits(opened, budget),
                    min(budget, ENOUGH) // 2,
                    beside,
                )
            )
            if names := empty_inputs(config):
                taken = replace(
                    taken, notes=[*taken.notes, f"{counted(len(names), 'empty file')} left out: {listed(names[:3])}"]
                )
            return study_of(
                taken,
                config,
                reader=name,
                room=Room(budget, workspace),
                judgments=beside(),
                answers=read_questionnaires(config, copies),
                exclusions=exclusions_of(config),
                strict=strict,
            )

    return read


def frames_reader(function: Callable[..., Mapping[str, Any]]) -> Callable[..., Study]:
    """Return what ``Format.read`` needs, from a function that makes tables of one file: for formats of others.

    Parameters
    ----------
    function
        Called as ``function(path)`` for each file, unpacked where it was packed, and with the options of the format by name. It returns
        tables by name: results or queries at least, under the names of our columns, as anything that `sessionkit.from_tables` takes.
        Judgments may have their key as judgment_key or as topic_id.
        A file that is no log of the format raises a ValueError, which says why. Rows are checked afterwards, so bad ones can stay.
        Three columns are of no table, and say what the rejected rows are said to be: ``line``, the number of the line from 1 on,
        ``raw``, the text of the line or record, and ``rule``, what a row breaks that could not be taken apart, such as
        ``line_has_two_fields``, null or empty for the others. `lines` begins with the first two.
    """

    def take(log: Log) -> Taken:
        raws: dict[str, list[Raw]] = {}
        for number, file in enumerate(log.files):
            failed = f"{file.name} cannot be read as {log.config.format} (module {module_of(function)})"
            path = unpacked_path(file, log.workspace / str(number))
            with Blame(failed, DataError, file_of(function)):
                try:
                    made = dict(function(path, **log.config.options))
                except UnicodeDecodeError:
                    raise not_utf8(file) from None
            if not made.keys() <= set(TABLES) or not made.keys() & {"queries", "results"}:
                names = ", ".join(map(str, made)) or "none"
                raise DataError(
                    f"{failed}: it gives the tables {names}; it can give {', '.join(TABLES)}, queries or results at least"
                )
            for table, frame in made.items():
                given = columns_of_table(frame, f"{file.name}, {table}")
                found = given.collect_schema().names()
                if table == "judgments" and "judgment_key" not in found and "topic_id" in found:
                    given = given.rename({"topic_id": "judgment_key"})
                    found = given.collect_schema().names()
                rows, locate = _with_way_back(given, failed)
                missing = [name for name in declared(table).required if name not in found]
                if missing:
                    near = suggestion(missing[0], found)
                    raise DataError(
                        f"{failed}: {table} has no column {' and no '.join(missing)}{near}; found {', '.join(found) or 'none'}"
                    )
                raws.setdefault(table, []).append(raw_of(file, table, rows, kind=table, locate=locate))
        return Taken(raws, notes=[f"{READ_BY}{one}" for one in origins([function])])

    @functools.wraps(function)
    def read(
        config: Config, judgments: Sequence[Path] = (), *, strict: bool = False, memory: str | int | None = None
    ) -> Study:
        return reader(config.format, take)(config, judgments, strict=strict, memory=memory)

    return read


def _with_way_back(given: pl.LazyFrame, failed: str) -> tuple[pl.LazyFrame, Locate]:
    """Rows under RECORD and RULE, and the way back to their text: from their columns line, raw and rule, if they have them."""
    rows, found = numbered(given), given.collect_schema()
    for name in (RAW, "rule"):
        if name in found and not isinstance(found[name], pl.String | pl.Categorical | pl.Enum | pl.Null):
            raise DataError(f"{failed}: its column {name} holds {found[name]}; give text")
        rows = rows.with_columns(pl.col(name).cast(pl.String)) if name in found else rows
    if LINE in found:
        given_numbers = rows.select(LINE).collect().to_series()
        numeric = given_numbers.dtype.is_numeric()  # pandas has floats beside a missing value
        numbers = given_numbers.cast(pl.Int64, strict=False) if numeric else pl.Series([None])
        if numbers.has_nulls() or numbers.lt(1).any() or (numbers != given_numbers).any():
            raise DataError(f"{failed}: its column line has a value that is no number of a line, from 1 on")
        rows = rows.with_columns(pl.col(LINE).cast(pl.Int64)).with_columns(pl.col(LINE).alias(RECORD))
    if "rule" in found:
        broken = pl.when(pl.col("rule") != "").then("rule")
        rows = rows.with_columns(broken.alias(RULE), pl.lit(None, pl.String).alias(VALUE))
    taken = rows.drop(LINE, RAW, "rule", strict=False)
    said = rows.select(RECORD, *(name for name in (LINE, RAW) if name in found)).unique(RECORD, keep="first")
    as_text = as_json(taken.drop(RULE, VALUE, strict=False).unique(RECORD, keep="first"))

    def locate(records: pl.Series) -> pl.DataFrame:
        own = said.filter(pl.col(RECORD).is_in(records.implode())).collect()
        return as_text(records).drop(set(own.columns) - {RECORD}).join(own, on=RECORD).select(RECORD, LINE, RAW)

    return taken, locate


def lines(path: str | Path) -> pl.DataFrame:
    r"""Return the lines of a text: ``line``, the number from 1 on, and ``raw``, what it says; for functions of `frames_reader`.

    Lines end as on any system; a byte order mark, which Windows writes, is no part of the first. Blank lines stay.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "log.txt").write_bytes("\ufeffs1 ~ d7\r\ns1 ~ d3\r\n".encode())
    ...     lines(Path(folder) / "log.txt").rows()
    [(1, 's1 ~ d7'), (2, 's1 ~ d3')]
    """
    with Path(path).open(encoding="utf-8-sig") as file:
        texts = [line.removesuffix("\n") for line in file]
    return pl.DataFrame({LINE: range(1, len(texts) + 1), RAW: texts}, {LINE: pl.Int64, RAW: pl.String})


def raw_of(
    file: LogFile,
    table: str,
    frame: pl.LazyFrame | pl.DataFrame,
    *,
    kind: str = "",
    locate: Locate | None = None,
    timezone: str | None = None,
    base: Mapping[str, int] | None = None,
) -> Raw:
    """Return rows of a table taken from a file, not yet checked.

    Parameters
    ----------
    frame
        Columns under our names, values as text or of their type, and RECORD: the number of the line, or of the record in
        the file, that a row comes from; several rows may come from one. A record that cannot be taken apart is a row as
        well, with the rule it breaks in RULE and its value in VALUE.
    kind
        What a row is, such as ``"query records"``, for the accounts.
    locate
        The way back to a record's raw text; by default RECORD is the number of its line.
    timezone
        Zone of times that carry none.
    base
        0 or 1 for each of query_position and rank that is known to count from it; without it, that is found out.
    """
    lazy = frame.lazy()
    have = lazy.collect_schema().names()
    # where no record could be taken apart there may be none of the columns that every row needs
    missing = [name for name in declared(table).required if name not in have] if RULE in have else []
    lazy = lazy.with_columns(pl.lit(None, pl.String).alias(name) for name in missing)
    records = lazy.select(pl.len()).collect().item()
    return Raw(
        table,
        file.name,
        lazy,
        records,
        locate or as_lines(str(file.path), 1),
        file.bytes,
        file.digest,
        timezone=timezone,
        base=base or {},
        kind=kind,
    )


def set_aside(file: LogFile, table: str, records: pl.LazyFrame, locate: Locate | None = None) -> pl.DataFrame:
    """Return values of a file that were set aside, as rows of the table of rejected rows.

    Parameters
    ----------
    table
        The table that the rows are of into which the records went.
    records
        RECORD and CELLS.
    locate
        As :func:`raw_of` takes it.
    """
    told = records.select(RECORD, CELLS).filter(pl.col(CELLS).list.len() > 0).collect()
    raw = Raw(table, file.name, pl.LazyFrame(), 0, locate or as_lines(str(file.path), 1))
    cells = CheckedRows(told, told.clear()).cells.with_columns(pl.lit(value=True).alias(KEPT))
    return described(raw, cells) if len(cells) else none_rejected()


def study_of(
    taken: Taken,
    config: Config,
    *,
    reader: str,
    room: Room | None,
    judgments: JudgmentSources,
    answers: Sequence[Answers] = (),
    exclusions: Exclusions = NO_EXCLUSIONS,
    strict: bool,
) -> Study:
    """Return the study of what a format took from its files, in memory or, where that is too little, through files.

    Parameters
    ----------
    reader
        The name of the format.
    room
        Where the log goes if it needs more memory than there is.
    judgments
        Those beside the log.
    answers
        Those of questionnaires.
    exclusions
        The documents to leave out.
    strict
        Whether to stop at the first record that breaks a rule.
    """
    raws: dict[str, Sequence[Raw]] = {
        name: [together(given)] if name != "judgments" else list(given) for name, given in taken.raws.items() if given
    }
    log = [raw for name in LOG for raw in raws.get(name, ())]
    if not {"queries", "results"} & set(raws):
        raise DataError(f"{log[0].source if log else config.name}: it has no queries and no results")
    if judgments.by_text:
        raws = dict(keyed_by_text(raws))
    raws["judgments"] = [*raws.get("judgments", ()), *judgments.raws]
    warnings = (
        *taken.warnings,
        *judgments.warnings,
        *twins(log),
    )
    return ingest(
        raws,
        config.settings,
        defaults=config.defaults,
        reader=reader,
        strict=strict,
        aside=Aside(_accounts(taken.merged, taken.idle), tuple(taken.notes), warnings, tuple(taken.cells)),
        room=room,
        answers=answers,
        exclusions=exclusions,
    )


def _accounts(merged: Tallies, idle: Tallies) -> tuple[Source, ...]:
    """Return the accounts of records that became rows of no table."""
    into = [Source(path, "", many, 0, kind=rule, merged=many) for (path, rule), many in merged.items() if many]
    nothing = [Source(path, "", many, 0, kind=kind, idle=many) for (path, kind), many in idle.items() if many]
    return (*into, *nothing)


BLANKS = b" \t\r\n\xef\xbb\xbf"
"""Blanks, ends of lines and the mark of UTF-8 at the beginning of a file."""
FEW_BYTES = 64
"""A file of more bytes is not looked at to see whether it holds blanks alone."""


def _found(config: Config, copies: Path, memory: int) -> list[LogFile]:
    """Return the files the user named and those in the folders the user named, opened."""
    as_is = config.options.get("encoding") is not None  # the format reads it itself
    found: list[LogFile] = []
    for name in config.paths:
        place = config.folder / name
        if not place.is_dir():
            found += [
                open_log(path, config.folder, copies, encoding=config.encoding, as_is=as_is, memory=memory)
                for path in filled(paths_in(name, config.folder), config.folder)
            ]
            continue
        found += [
            open_log(
                str(Path(name) / path.relative_to(place)),
                config.folder,
                copies,
                encoding=config.encoding,
                as_is=as_is,
                memory=memory,
                is_beside=True,
            )
            for path in _files_at(name, config.folder)
            if not _is_empty(path)
        ]
    if config.encoding is not None and found and all(file.kind == "parquet" for file in found):
        raise DataError(
            f"{config.name}: encoding = {config.encoding!r} is set for {found[0].name}, which is Parquet and has its "
            "own encoding; leave encoding out"
        )
    if not found:
        named = ", ".join(config.paths)
        raise DataError(
            f"{named}: it contains no file that is not empty"
            if named
            else f"{config.name} names no log: path is missing"
        )
    return found


def filled(names: Sequence[str], base: Path) -> list[str]:
    """Return the files that are not empty; all of them where all are, to be refused."""
    return [name for name in names if not _is_empty(base / name)] or list(names)


def empty_inputs(config: Config) -> list[str]:
    """Return the names of the files that a study.toml names, by a folder or a pattern too, and that are empty."""
    tables = [one["path"] for one in (*config.tables.values(), *config.questionnaires)]
    given = [*config.paths, *(name for path in tables for name in ([path] if isinstance(path, str) else path))]
    places = [place for name in given for place in _files_at(name, config.folder)]
    return list(dict.fromkeys(place.name for place in places if _is_empty(place)))


def _files_at(name: str, base: Path) -> list[Path]:
    """Return the files in a folder, or those that a name or a pattern says."""
    place = base / name
    if not place.is_dir():
        return [base / path for path in paths_in(name, base)]
    return sorted(path for path in place.rglob("*") if path.is_file() and not hidden(path.relative_to(place)))


def _is_empty(path: Path) -> bool:
    """Return whether a file is there and holds no record: no bytes, or blanks alone."""
    if not path.is_file():
        return False
    size = path.stat().st_size
    return not size or (size <= FEW_BYTES and not path.read_bytes().strip(BLANKS))


def _refuse_parquet(files: Sequence[LogFile], config: Config) -> None:
    """Raise DataError where the user named a Parquet file, or there is nothing else, for a format of text."""
    tables = [file.name for file in files if file.kind == "parquet"]
    named = tables[:1] if len(tables) == len(files) else [one for one in tables if one in config.paths]
    if named:
        raise DataError(
            f"{named[0]} is Parquet, which format {config.format} does not read; write it as text (polars: "
            'scan_parquet("FILE").sink_csv("NEW"), or sink_ndjson), or describe its columns in study.toml, as format tables or events'
        )
