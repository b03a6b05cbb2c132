"""Format ``tables``: logs that are tables already, as study.toml describes them or under our own column names.

Delimited text, NDJSON and Parquet, plain, .gz or .zst, and sheets of workbooks. One flat file is a results table from which the
others are derived. A table may have several files or sheets, as of one participant each. How a sheet spells its values is in
``checks/cells.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sessionkit.display.words import listed
from sessionkit.errors import DataError, UsageError
from sessionkit.readers.checks.log_schemas import LOG
from sessionkit.readers.checks.query_numbers import NEWEST_FIRST, describe_order, number_queries
from sessionkit.readers.checks.source_checks import LIST
from sessionkit.readers.checks.source_union import together
from sessionkit.readers.config import Config
from sessionkit.readers.entries import CUT_SESSIONS, SESSION_GAP, Glimpse, Option
from sessionkit.readers.events.sessionize import cut_tables
from sessionkit.readers.formats.table_joins import with_ambiguous_lists, with_counted_clicks, with_positions
from sessionkit.readers.input_files import filled
from sessionkit.readers.io.list_rows import NoListError
from sessionkit.readers.io.log_files import LogFile, open_log, paths_in
from sessionkit.readers.io.record_store import Keep, in_memory
from sessionkit.readers.io.table_files import options_of_sheets, read_table
from sessionkit.readers.raw import Raw
from sessionkit.readers.records import Log, Taken

TRIED = "the user study of ir_metrics (tab-separated, three tables); NDJSON and Parquet on made-up ones"

OPTIONS: dict[str, Option] = {"cut_sessions": CUT_SESSIONS, "session_gap": SESSION_GAP}


def files(config: Config, copies: Path, _memory: int) -> list[LogFile]:
    """Return the files of the tables that study.toml names, users first, parents before children.

    Raises
    ------
    DataError
        It names neither results nor queries, or a file is missing or unreadable.
    """
    if "results" not in config.tables and "queries" not in config.tables:
        raise DataError(f"{config.name} names neither [results] nor [queries]; a study needs the log of one of them")
    if "clicks" in config.tables and "results" not in config.tables:
        raise DataError(
            f"{config.name} names [clicks] without [results]: clicks are counted on the results that were shown. Name the file of "
            "results, or, if only clicked results were logged, name this file under [results]"
        )
    return [
        open_log(
            path, config.folder, copies, encoding=one.get("encoding"), section=name, memory=config.memory, workbook=True
        )
        for name in _names(config)
        for one in [config.tables[name]]
        for path in filled(paths_in(one["path"], config.folder), config.folder)
    ]


def take(log: Log) -> Taken:
    """Take the tables from their files; a lone log file is ``[results]`` with nothing but a path."""
    raws: dict[str, list[Raw]] = {name: [] for name in _names(log.config)}
    lacking: dict[str, dict[str, NoListError]] = {}
    for file in log.files:
        name = file.section
        keep = in_memory if name in ("users", "clicks") or log.fits else log.keep
        for options in options_of_sheets(log.config.tables[name]):
            try:
                raws[name].append(read_table(file, name, options, config=log.config, keep=keep))
            except NoListError as error:
                lacking.setdefault(file.name, {})[name] = error
    warnings = _say_what_lacks(lacking, raws)
    for name in ("queries", "results"):
        if order := log.config.tables.get(name, {}).get("number_queries"):
            unnumbered = together(raws[name])
            raws[name] = [number_queries(unnumbered, newest_first=order == NEWEST_FIRST)]
            warnings += describe_order(unnumbered)
    keep = in_memory if log.fits else log.keep
    taken = _cut(_joined({name: together(given) for name, given in raws.items()}, keep), log, keep)
    return replace(taken, warnings=[*taken.warnings, *warnings])


def _say_what_lacks(lacking: Mapping[str, Mapping[str, NoListError]], raws: Mapping[str, Sequence[Raw]]) -> list[str]:
    """Return warnings about files without a list that other files of the table have, as of a participant who never searched.

    Raises
    ------
    NoListError
        No file of a table has its list.
    """
    for errors in lacking.values():
        for name, error in errors.items():
            if not raws[name]:
                raise error
    return [
        f"{file}: no list for {listed([f'[{name}]' for name in errors])}, which other files have; nothing is read from it"
        for file, errors in lacking.items()
    ]


def _joined(raws: dict[str, Raw], keep: Keep) -> Taken:
    """Return the tables with results and clicks at the queries that they belong to, and clicks counted on results."""
    clicks, queries = raws.pop("clicks", None), raws.get("queries")
    if queries is not None and "results" in raws:
        within_sessions = "session_id" in raws["results"].frame.collect_schema()
        raws["results"] = with_positions(raws["results"], queries, keep)
        queries = with_ambiguous_lists(queries, raws["results"], within_sessions=within_sessions, keep=keep)
        raws["queries"] = queries
    log = {name: [raw] for name, raw in raws.items()}
    if clicks is None:
        return Taken(log)
    results = raws["results"]
    placed = with_positions(clicks, results if queries is None else queries, in_memory)
    clicked = with_counted_clicks(results, placed, queries, keep)
    log["results"] = [clicked.results, clicked.clicks]
    return Taken(log, notes=clicked.notes, cells=[clicked.cells])


def _cut(taken: Taken, log: Log, keep: Keep) -> Taken:
    """Return the tables, their sessions cut at pauses where study.toml says so."""
    gap = log.option("session_gap")
    if not log.option("cut_sessions"):
        if gap != SESSION_GAP.default:
            raise UsageError(
                f"session_gap = {gap!r} has no effect, because the tables name their sessions; set cut_sessions = true in study.toml "
                "to cut these at pauses, or leave session_gap out"
            )
        return taken
    for options in log.config.questionnaires:
        if "session_id" in options.get("columns", {}):
            raise DataError(
                f"{log.config.name}: [[questionnaires]] joins {options['path']} by session_id, but cut_sessions gives each part of a "
                "session another id; join answers by user_id or topic_id, or leave cut_sessions out"
            )
    cut = cut_tables(taken.raws, gap, keep)
    return replace(taken, raws=cut.raws, notes=[*taken.notes, *cut.notes])


def _names(config: Config) -> list[str]:
    """Return the tables of a log, and of its users, that study.toml names."""
    return [name for name in ("users", *LOG, "clicks") if name in config.tables]


def fits(glimpse: Glimpse) -> bool:
    """Return whether the first line names columns as we do: those of sessions and of queries in them."""
    first = glimpse.head.lstrip().split("\n", 1)[0]
    return set(LIST) <= set(glimpse.columns or re.findall(r"\w+", first))
