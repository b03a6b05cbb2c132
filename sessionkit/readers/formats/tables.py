"""Format ``tables``: logs that are tables already, as study.toml describes them or under our own column names.

Delimited text, NDJSON and Parquet, plain, .gz or .zst. One flat file is a results table from which the others are
derived.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from sessionkit.errors import DataError
from sessionkit.readers.checks.log_schemas import LOG
from sessionkit.readers.checks.set_aside import Aside
from sessionkit.readers.checks.small_log import whole_study
from sessionkit.readers.checks.source_checks import LIST
from sessionkit.readers.config import Config
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.io.log_files import LogFile, open_log
from sessionkit.readers.io.record_store import Keep, OnDisk, in_memory, in_place
from sessionkit.readers.io.table_files import comes_in_pieces, read_table
from sessionkit.readers.judgments.files import ByText, JudgmentSources, judgment_files, keyed_by_text, read_judgments
from sessionkit.readers.large.feeds import SideBySide
from sessionkit.readers.large.large_study import large_study
from sessionkit.readers.large.sizes import is_large
from sessionkit.readers.raw import Raw
from sessionkit.readers.stream import NotAsItComesError, StreamedLog
from sessionkit.study import Study
from sessionkit.study.memory_limit import memory_budget
from sessionkit.study.progress import begun_again
from sessionkit.study.temporary import TemporaryFolder

TRIED = "the user study of ir_metrics (tab-separated, three tables); NDJSON and Parquet on made-up ones"


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
        How much may be used, as :func:`~sessionkit.study.memory_limit.memory_budget` takes it; a log that needs more goes
        through temporary files.

    Raises
    ------
    DataError
        A file or column is missing, or (`strict`) a record breaks a rule.
    """
    if "results" not in config.tables and "queries" not in config.tables:
        raise DataError(f"{config.name} names neither [results] nor [queries]; a study needs the log of one of them")
    budget = memory_budget(memory)
    with TemporaryFolder() as folder:
        copies, records = folder / "copies", folder / "records"
        copies.mkdir()
        records.mkdir()
        given = judgment_files(config, judgments, copies)
        files = {
            name: _open(config.tables[name], config.folder, copies) for name in ("users", *LOG) if name in config.tables
        }

        @cache
        def judged() -> JudgmentSources:
            return read_judgments(given)

        def study(make: Callable[..., Study], keep: Keep, *, piecewise: bool = False, **limits: Any) -> Study:  # noqa: ANN401
            read = partial(read_table, config=config)
            every = {
                name: read(files[name], name, config.tables[name], keep=keep, piecewise=piecewise)
                for name in LOG
                if name in files
            }
            with contextlib.ExitStack() as begun:
                coming: StreamedLog | None = None
                if piecewise:  # then it comes while judgments are read
                    coming = limits["coming"] = begun.enter_context(contextlib.closing(SideBySide(every)))
                if "users" in files:
                    every["users"] = read(files["users"], "users", config.tables["users"], keep=in_memory)
                raws: dict[str, Sequence[Raw]] = {name: [every[name]] for name in files}
                raws["judgments"] = judged().raws
                if judged().by_text:
                    raws = dict(keyed_by_text(raws))
                    limits |= {} if coming is None else {"coming": ByText(coming)}
                shared = {"defaults": config.defaults, "reader": "tables", "strict": strict}
                return make(raws, config.settings, **shared, **limits)

        def aside() -> Aside:
            return Aside(warnings=judged().warnings)

        log = {name: files[name] for name in LOG if name in files}
        if not is_large(log.values(), budget):
            return study(lambda *given, **options: whole_study(*given, aside=aside(), **options), in_memory)
        limits: dict[str, Any] = {"budget": budget, "workspace": records, "aside": aside}
        if all(comes_in_pieces(file, config.tables[name]) for name, file in log.items()):
            try:
                return study(large_study, in_place, piecewise=True, **limits)
            except NotAsItComesError:
                begun_again()
        return study(large_study, OnDisk(records), **limits)


def _open(options: Mapping[str, Any], folder: Path, copies: Path) -> LogFile:
    """Return the file of one table."""
    return open_log(options["path"], folder, copies, encoding=options.get("encoding"))


def fits(glimpse: Glimpse) -> bool:
    """Return whether the first line names columns as we do: those of sessions and of queries in them."""
    first = glimpse.head.lstrip().split("\n", 1)[0]
    return set(LIST) <= set(glimpse.columns or re.findall(r"\w+", first))
