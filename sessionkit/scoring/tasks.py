"""What is asked of a study: a task makes a part of every block, and parts add up to the whole, exactly.

A part holds integers wherever something is added, so that the whole is the same bits however the sessions were cut into
blocks, in whatever order and on whichever machine the parts were made. The blocks of this process and those of a
cluster run the same task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import polars as pl

from sessionkit.scoring.blocks import Block, blocks
from sessionkit.study import Study
from sessionkit.study.memory import memory_budget
from sessionkit.study.slices import ROWS

RESULT_BYTES = 250
"""Memory that a result of a block takes while it is scored, all that is made of it included."""
FEWEST = 1_000
"""Results of a block at least, however little memory there is."""


class Task(Protocol):
    """Something asked of a study."""

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every block is made of, by table: sessions, users, queries, results."""

    def part(self, block: Block) -> pl.DataFrame:
        """What a block contributes; its columns have types that Arrow, Parquet and Spark know."""

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """What parts of all sessions come to."""


def run(study: Study, tasks: Sequence[Task], memory: str | int | None = None) -> list[pl.DataFrame]:
    """Do several tasks in one pass over a study; the whole of each.

    Parameters
    ----------
    memory
        Memory to stay within, see `sessionkit.study.memory`; a quarter of the machine's if not given.
    """
    made: list[list[pl.DataFrame]] = [[] for _ in tasks]
    for parts in parts_of(study, tasks, memory):
        for kept, part in zip(made, parts, strict=True):
            kept.append(part)
    return [task.whole(kept) for task, kept in zip(tasks, made, strict=True)]


def parts_of(study: Study, tasks: Sequence[Task], memory: str | int | None = None) -> Iterator[list[pl.DataFrame]]:
    """The parts that each block of a study contributes to some tasks, block by block in the order of session_id."""
    columns: dict[str, list[str]] = {}
    for task in tasks:
        for table, names in task.columns().items():
            columns[table] = [*dict.fromkeys([*columns.get(table, ()), *names])]
    rows = max(FEWEST, min(ROWS, memory_budget(memory) // RESULT_BYTES))
    for block in blocks(study, columns, rows):
        yield [task.part(block) for task in tasks]
