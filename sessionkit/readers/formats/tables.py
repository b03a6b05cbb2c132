"""Format ``tables``: logs that are tables already, as study.toml describes them or under our own column names.

Delimited text, NDJSON and Parquet, plain, .gz or .zst. One flat file is a results table from which the others are
derived.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.contract import TABLES
from sessionkit.errors import DataError
from sessionkit.readers.checking.aside import Aside
from sessionkit.readers.checking.parts import LIST
from sessionkit.readers.checking.whole import whole_study
from sessionkit.readers.checking.widening import LOG
from sessionkit.readers.coming import NotAsItComesError
from sessionkit.readers.config import Config
from sessionkit.readers.entries import TOPIC, Glimpse
from sessionkit.readers.files.described import comes_in_pieces, read_table
from sessionkit.readers.files.fields import UnevenError
from sessionkit.readers.files.keeping import Keep, OnDisk, in_memory, in_place
from sessionkit.readers.files.opening import LogFile, open_log
from sessionkit.readers.judging import ByText, Judged, keyed_by_text, looks_like, read_judgments
from sessionkit.readers.large.feeds import SideBySide
from sessionkit.readers.large.in_parts import large_study
from sessionkit.readers.large.sizes import is_large
from sessionkit.readers.progress import begun_again
from sessionkit.study import Study
from sessionkit.study.memory import memory_budget

TRIED = "the user study of ir_metrics (tab-separated, three tables); NDJSON and Parquet on made-up ones"
NOT_AS_IT_COMES = (UnevenError, NotAsItComesError, pl.exceptions.PolarsError, OSError)
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
        aside = Aside(warnings=beside.warnings)

        def study(make: Callable[..., Study], keep: Keep, *, piecewise: bool = False, **limits: Any) -> Study:  # noqa: ANN401
            read = partial(read_table, config=config)
            every = {
                name: read(files[name], name, config.tables[name], keep=keep, piecewise=piecewise)
                for name in LOG
                if name in files
            }
            with contextlib.ExitStack() as begun:
                if piecewise:  # then it comes while judgments are read
                    coming = begun.enter_context(contextlib.closing(SideBySide(every)))
                    limits["coming"] = ByText(coming) if beside.by_text else coming
                for name in [name for name in files if name not in LOG]:
                    every[name] = read(files[name], name, config.tables[name], keep=in_memory)
                raws = {name: [every[name]] for name in files}
                raws.setdefault("judgments", []).extend(beside.raws)
                if beside.by_text:
                    raws = {name: list(given) for name, given in keyed_by_text(raws).items()}
                shared = {"defaults": config.defaults, "reader": "tables", "strict": strict}
                return make(raws, config.settings, **shared, **limits)

        if not is_large((files[name] for name in LOG if name in files), budget):
            return study(whole_study, in_memory, aside=aside)
        limits: dict[str, Any] = {"budget": budget, "workspace": records, "aside": lambda: aside}
        if all(comes_in_pieces(files[name], config.tables[name]) for name in LOG if name in files):
            with contextlib.suppress(*NOT_AS_IT_COMES):
                return study(large_study, in_place, piecewise=True, **limits)
            begun_again()
        return study(large_study, OnDisk(records), **limits)


def _beside(config: Config, paths: Sequence[Path], copies: Path) -> tuple[Judged, Mapping[str, Mapping[str, Any]]]:
    """Return the judgments beside the log, and the tables that are left to be read as they are described.

    Among the former are those of [judgments] in study.toml where they are in a format of their own.
    """
    options = config.tables.get("judgments", {})
    format_ = options.get("format")
    if format_ is None and set(options) in ({"path"}, {"path", "labels"}):
        format_ = looks_like(config.folder / options["path"])
    own = format_ not in (None, "tables", "qrels")
    judged = read_judgments(paths, config, copies)
    if own:
        judged = read_judgments([config.folder / options["path"]], config, copies, format=format_) + judged
    elif options:  # read as a table of the study
        judged = Judged.of(options["path"], (), options.get("keys", TOPIC)) + judged
    left = {name: table for name, table in config.tables.items() if not (own and name == "judgments")}
    return judged, left


def _open(options: Mapping[str, Any], folder: Path, copies: Path) -> LogFile:
    """Return the file of one table."""
    return open_log(options["path"], folder, copies, encoding=options.get("encoding"))


def fits(glimpse: Glimpse) -> bool:
    """Return whether the first line names columns as we do: those of sessions and of queries in them."""
    first = glimpse.head.lstrip().split("\n", 1)[0]
    return set(LIST) <= set(glimpse.columns or re.findall(r"\w+", first))
