"""Reductions of a study: a task makes a part of every batch, parts add up exactly, and those of a saved study can be cached."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from sessionkit import __version__
from sessionkit.errors import DataError, UsageError
from sessionkit.plugins import is_foreign
from sessionkit.scoring.batch import CachedBatches, SessionBatch, batches
from sessionkit.scoring.measures.base import Measure
from sessionkit.study import Study
from sessionkit.study.batches import IDS, ROWS, WATCHED, count, expect, memory_budget
from sessionkit.study.descriptor import sha256
from sessionkit.study.files import explained, make_directory, write_whole
from sessionkit.study.schema import table
from sessionkit.study.storage import DESCRIPTOR, LOG, StoredBatch

RESULT_BYTES, COLUMN_BYTES = 200, 50
"""Memory that a result of a batch takes while it is scored, and what each column made of it adds to that."""
TOGETHER = 32
"""Parts that are kept before they are made one, so that they do not grow with the log."""
FEWEST = 1_000
"""Results of a batch at least, however little memory there is."""


class Reduction(Protocol):
    """Something asked of a study."""

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of, by table: sessions, users, queries, results."""

    @property
    def slots(self) -> int:
        """As how many results each query counts, beside its own, when memory is reckoned."""

    @property
    def columns_made(self) -> int:
        """How many columns of numbers are made of the results, when memory is reckoned."""

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """What a batch contributes; its columns have types that Arrow, Parquet and Spark know."""

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """What parts of all sessions come to."""


@dataclass(frozen=True, eq=False)
class ReducedTables:
    """What reductions came to in one pass, by the text of each: as often as it was planned to be asked for."""

    tables: dict[str, list[pl.DataFrame]]


def run(
    study: Study,
    tasks: Sequence[Reduction],
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> list[pl.DataFrame]:
    """Do several tasks in one pass over a study; the whole of each.

    Parameters
    ----------
    memory
        Memory to stay within, see `sessionkit.study.batches`; a quarter of the machine's if not given.
    cache
        A directory where what each partition of a saved study comes to is kept; what is there is not computed again. The
        files of the study are hashed first, and those that are not what datapackage.json says are refused.

    Raises
    ------
    UsageError
        A cache is given for a study that is not saved, or its directory is that of a study or cannot be written.
    DataError
        A cache is given, and a file of the study is not what datapackage.json says.
    """
    found = [_reduced(study, task) for task in tasks]
    missing = [task for task, there in zip(tasks, found, strict=True) if there is None]
    if not missing:
        return [there for there in found if there is not None]
    if cache is None:
        made = _gathered(missing, parts_of(study, missing, memory))
    else:
        made = _gathered(missing, _partition_parts(study, missing, memory, ResultCache(Path(cache))))
    rest = iter([task.whole(parts) for task, parts in zip(missing, made, strict=True)])
    return [there if there is not None else next(rest) for there in found]


@contextmanager
def in_one_pass(study: Study, tasks: Sequence[Reduction], memory: str | int | None = None) -> Iterator[None]:
    """Do tasks in one pass over a study, so that `run` need not read it again for each, as long as this lasts.

    What is asked of the same study by the same task is at hand then, as often as the task stands in `tasks`; anything
    else is worked out when it is asked for, as ever.

    Parameters
    ----------
    study, memory
        As `run` has them.
    tasks
        What will be asked.
    """
    known = [text_of(task) for task in tasks]
    different = dict(zip(known, tasks, strict=True))
    made = run(study, [*different.values()], memory) if different else []
    at_hand = {text: [whole] * known.count(text) for text, whole in zip(different, made, strict=True)}
    made.clear()  # so that what was handed out for the last time is kept by nobody
    with study.memo.holding(ReducedTables(at_hand)):
        yield


def _reduced(study: Study, task: Reduction) -> pl.DataFrame | None:
    """What a task of a study came to in one pass before; None where nothing is left of it."""
    for reduced in study.memo.held(ReducedTables):
        try:
            left = reduced.tables.get(text_of(task))
        except TypeError:  # it is known by no text
            return None
        if left:
            return left.pop()
    return None


def parts_of(
    study: Study,
    tasks: Sequence[Reduction],
    memory: str | int | None = None,
    stored: Sequence[StoredBatch] | None = None,
) -> Iterator[list[pl.DataFrame]]:
    """The parts that each batch of a study contributes to some tasks, batch by batch.

    Batches come in the order of session_id, those of a partitioned study partition by partition. `stored` are the only
    parts of a saved study that are looked at; all if not given.
    """
    columns = columns_of_tasks(tasks)
    each = RESULT_BYTES + COLUMN_BYTES * max(task.columns_made for task in tasks)
    rows = max(FEWEST, min(ROWS, memory_budget(memory) // each))
    if WATCHED and stored is None:
        expect("sessions", study.facts.sessions)
    for batch in batches(study, columns, rows, stored, max(task.slots for task in tasks)):
        if WATCHED:
            count("sessions", len(batch.sessions))
        yield [task.part(batch.reading(task.columns())) for task in tasks]


def columns_of_tasks(tasks: Iterable[Reduction]) -> dict[str, list[str]]:
    """What some tasks read together, by table."""
    columns: dict[str, list[str]] = {}
    for task in tasks:
        for table_name, names in task.columns().items():
            columns[table_name] = [*dict.fromkeys([*columns.get(table_name, ()), *names])]
    return columns


def _partition_parts(
    study: Study, tasks: Sequence[Reduction], memory: str | int | None, cache: ResultCache
) -> Iterator[list[pl.DataFrame]]:
    """Yield what each partition contributes to each task; only what is not in the cache is computed."""
    stored_partitions = partitions(study)
    cache.require_outside(study)
    shared_files = study_files(study)
    # what was read of the files earlier may not be what they are now, so nothing of the study's memo is used
    study = replace(study)
    for stored in stored_partitions.values():
        files = partition_files(study, stored)
        keys = [key_of(study, task, stored) for task in tasks]
        parts = [None if key is None else cache.find(key) for key in keys]
        computed = [position for position, part in enumerate(parts) if part is None]
        if computed:
            missing = [tasks[position] for position in computed]
            made = _gathered(missing, parts_of(study, missing, memory, stored))
            # a file that was changed meanwhile is refused; one that was changed and changed back can have been read as it was between
            are_unchanged = (study_files(study), partition_files(study, stored)) == (shared_files, files)
            for position, task, several in zip(computed, missing, made, strict=True):
                part, key = task.added(several), keys[position]
                parts[position] = part
                if key is not None and are_unchanged:
                    cache.keep(key, part)
        yield [part for part in parts if part is not None]


def _gathered(tasks: Sequence[Reduction], several: Iterable[list[pl.DataFrame]]) -> list[list[pl.DataFrame]]:
    """The parts that some batches, or partitions, contribute to each task, several of them made one as they come."""
    made: list[list[pl.DataFrame]] = [[] for _ in tasks]
    for parts in several:
        for task, kept, part in zip(tasks, made, parts, strict=True):
            kept.append(part)
            if len(kept) == TOGETHER:
                kept[:] = [task.added(kept)]
    return made


KERNEL = 4
"""Counted up whenever parts of some task become others than they were."""
CACHE_ADVICE = "name a directory for the cache that can be written"
UNSEEN = ("title", "equivalence", "synthetic", "timezone", "missing_positions")
"""Settings that no value depends on."""


class HasColumns(Protocol):
    """Something asked of a study, that says what it reads."""

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of, by table: sessions, users, queries, results."""


def partitions(study: Study) -> dict[str, list[StoredBatch]]:
    """The parts of a saved study by their partition; a study without partitions is one.

    Raises
    ------
    UsageError
        The study is not saved, or was saved before it kept what its files are known by.
    """
    found: dict[str, list[StoredBatch]] = {}
    for part in study.storage.stored or ():
        found.setdefault(part.folder, []).append(part)
    if not found or (study.path is None and study.address is None):
        msg = (
            "a cache needs a saved study: save it, best with partition_by=..., and score the study that save() returns"
        )
        raise UsageError(msg)
    if not all(study.storage.hashes.get(name) for name in ("users", "judgments")) or not all(
        part.sha256 for part in study.storage.stored or ()
    ):
        msg = f"{study.path or study.address} has no hashes of its files, which a cache needs; save it again"
        raise UsageError(msg)
    return found


class FileState(NamedTuple):
    """Files as they were when they were hashed: the hash, and what every write to them changes."""

    sha256: str
    writes: tuple[tuple[int, ...], ...]


def study_files(study: Study) -> list[FileState]:
    """Hash the files that all partitions of a saved study share: users and judgments.

    Raises
    ------
    DataError
        A file is not what the descriptor says, or cannot be read.
    """
    storage = study.storage
    return [_hashed(study, storage.files[name], storage.hashes[name]) for name in ("users", "judgments")]


def partition_files(study: Study, parts: Sequence[StoredBatch]) -> list[FileState]:
    """Hash the files of a partition; errors are those of `study_files`."""
    return [_hashed(study, [part.files[name]], part.sha256[name]) for part in parts for name in LOG]


def _hashed(study: Study, files: Sequence[Path | str], described: str) -> FileState:
    """Hash one table's files. Those at an address are not read for it: they are what the descriptor says."""
    paths = [file for file in files if isinstance(file, Path)]
    if study.path is None or len(paths) != len(files):
        return FileState(described, ())
    with study.reading():
        status = [path.stat() for path in paths]
        state = FileState(
            sha256(*paths), tuple((file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns) for file in status)
        )
    if state.sha256 != described:
        study.require_unchanged()
        names = ", ".join(path.relative_to(study.path).as_posix() for path in paths)
        raise DataError(
            f"{study.path}: {names} was changed: its sha256 differs from {DESCRIPTOR}; ingest the source again"
        )
    return state


@dataclass(frozen=True, eq=False)
class ResultCache:
    """The directory, which is made when something is kept in it."""

    folder: Path

    def require_outside(self, study: Study) -> None:
        """Raise UsageError where the directory is that of a study, which holds the files of the study alone."""
        with explained(self.folder, CACHE_ADVICE):
            place = self.folder.resolve()
            inside = study.path is not None and place.is_relative_to(study.path.resolve())
            inside = inside or (place / DESCRIPTOR).exists()
        if inside:
            raise UsageError(
                f"the cache {self.folder} would lie in a study, which holds only its own files; name a directory outside of it"
            )

    def find(self, key: str) -> pl.DataFrame | None:
        """What is kept under a key; None where nothing is, or not what was written."""
        for path in self.folder.glob(f"{key}-*.parquet"):
            try:
                content = path.read_bytes()
                if path.name == _name(key, content):
                    return pl.read_parquet(io.BytesIO(content))
            except (OSError, pl.exceptions.PolarsError):
                continue
        return None

    def keep(self, key: str, part: pl.DataFrame) -> None:
        """Keep a part in place of what else is there under its key.

        Raises
        ------
        UsageError
            The directory cannot be written.
        """
        stream = io.BytesIO()
        part.write_parquet(stream, compression="zstd")
        content = stream.getvalue()
        if pl.read_parquet(io.BytesIO(content)).schema != part.schema:
            return  # a type that does not come back from a file: it is worked out each time
        with explained(self.folder, CACHE_ADVICE):
            make_directory(self.folder)
        new = write_whole(self.folder / _name(key, content), content)
        for old in self.folder.glob(f"{key}-*.parquet"):
            if old != new:
                old.unlink(missing_ok=True)


def key_of(study: Study, task: HasColumns, parts: Sequence[StoredBatch]) -> str | None:
    """Return a hash of all that the part depends on which a task makes of a partition, whose files were hashed.

    None where some of it has no hash: the code of a measure that is not sessionkit's own can change, and so can what it calls.
    """
    if any(is_foreign(type(measure)) for measure in _measures_of(task)):
        return None
    settings = {name: value for name, value in study.settings.as_dict().items() if name not in UNSEEN}
    facts = study.storage.facts
    depends = {
        "program": [__version__, KERNEL, pl.__version__, np.__version__],
        "task": text_of(task),
        # files at an address are not hashed, so what is kept of them is for this address alone
        "address": study.address,
        "files": [
            {**dict(sorted(part.sha256.items())), "chosen": _digest(part.chosen), "numbered": part.numbered}
            for part in parts
        ],
        "judgments": study.storage.hashes["judgments"],
        "users": study.storage.hashes.get("users") if task.columns().get("users") else None,
        "settings": settings,
        # what the descriptor says of the lists decides how they are read; without facts the files themselves tell
        "lists": None if facts is None else [bool(facts.lists_with_gaps), bool(facts.repeats_in_lists)],
    }
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()


def _measures_of(value: object) -> Iterator[Measure]:
    """Yield all measures in a task, those inside of others too."""
    if isinstance(value, Measure):
        yield value
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.compare:  # as text_of has it
                yield from _measures_of(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for item in (*value.keys(), *value.values()):
            yield from _measures_of(item)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for item in value:
            yield from _measures_of(item)


def text_of(value: Any) -> str:  # noqa: ANN401 - whatever a task is made of
    """The canonical text of a task: its kind and all it was given, in order, but for fields that are not compared.

    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> text_of((parse_measure("sDCG(b=2)@10"), 3, {"system_id": pl.String()}))
    "[Measure 'sDCG@10', 3, {'system_id': type 'String'}]"

    Raises
    ------
    TypeError
        It holds something that has no text.
    """
    if value is None or isinstance(value, (str, bool, int, float)):
        return repr(value)
    if isinstance(value, Measure):
        return f"Measure {str(value)!r}"
    if isinstance(value, (pl.DataType, type)):
        return f"type {str(value)!r}"
    if is_dataclass(value):
        given = (f"{field.name}={text_of(getattr(value, field.name))}" for field in fields(value) if field.compare)
        return f"{type(value).__name__}({', '.join(given)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{text_of(name)}: {text_of(one)}' for name, one in value.items())}}}"
    if isinstance(value, Sequence):
        return f"[{', '.join(text_of(one) for one in value)}]"
    msg = f"a {type(value).__name__} has no text by which a task could be known"
    raise TypeError(msg)


def _digest(chosen: pl.Series | None) -> str | None:
    """What the sessions of a file that take part are known by; None where all do."""
    return None if chosen is None else hashlib.sha256(np.packbits(chosen.to_numpy()).tobytes()).hexdigest()


def _name(key: str, content: bytes) -> str:
    """Name of the file with this content."""
    return f"{key}-{hashlib.sha256(content).hexdigest()[:32]}.parquet"


SMALL = 2**17
"""Results of a study whose batches are cached, at most."""
NUMBERED = {"session_id", "query_position"}
"""Columns of results that the number of their query stands for."""


@contextmanager
def cache_batches(study: Study, columns: Mapping[str, Sequence[str]]) -> Iterator[None]:
    """Cache the batches of a small study as long as this lasts: they are read once, and what is made of them is made once.

    Batches are made whenever they are asked for, as ever, with columns that are not cached, and of a study of more than
    `SMALL` results.

    Parameters
    ----------
    columns
        What to cache beside the columns that every log can have, by table, as `sessionkit.scoring.batch.batches` has it.
    """
    if study.facts.results > SMALL:
        yield
        return
    read: dict[str, list[str]] = {}
    for name in IDS:
        wanted = {*table(name).names, *columns.get(name, ())} - (NUMBERED if name == "results" else set())
        read[name] = [one for one in study.columns(name) if one in wanted]
    read["users"] = [one for one in columns.get("users", ()) if one not in read["sessions"]]
    with study.memo.holding(CachedBatches(read, [*batches(study, read)])):
        yield
