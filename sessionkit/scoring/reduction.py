"""What is asked of a study: a task makes a part of every batch, and parts add up to the whole, exactly.

A part holds integers wherever something is added, so that the whole is the same bits however the sessions were cut into
batches, in whatever order and on whichever machine the parts were made. The batches of this process and those of a
cluster run the same task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Protocol

import polars as pl

from sessionkit.scoring.batch import SessionBatch, batches
from sessionkit.scoring.result_cache import ResultCache, key_of, partition_files, partitions, study_files, text_of
from sessionkit.study import Study
from sessionkit.study.batches import ROWS
from sessionkit.study.memory_limit import memory_budget
from sessionkit.study.progress import WATCHED, count, expect
from sessionkit.study.storage import StoredBatch

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
        Memory to stay within, see `sessionkit.study.memory_limit`; a quarter of the machine's if not given.
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
        for table, names in task.columns().items():
            columns[table] = [*dict.fromkeys([*columns.get(table, ()), *names])]
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
