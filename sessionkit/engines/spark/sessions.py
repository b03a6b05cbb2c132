"""On a worker: Arrow batches of a sorted stream become whole sessions, several of them a block, and a block a part.

A batch may end in the middle of a session. The session that a batch ends with is held back until the next session
begins, as a list of pieces that are joined once: a session of ten million results costs its rows once, not once per
batch. Small sessions are gathered, because a kernel that is called for each of a million sessions does little else than
being called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from sessionkit.engines.spark.checks import checked
from sessionkit.engines.spark.columns import SparkColumn, arrow_schema, handed_back, received, sent_as
from sessionkit.engines.spark.judgments import judged_of
from sessionkit.engines.spark.table_parts import ID, KIND, KINDS, SESSION, StreamLayout
from sessionkit.errors import DataError
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.graded_pairs import GradedPairs
from sessionkit.scoring.score import ScoreReduction
from sessionkit.study import Settings

ROWS = 2_000_000
"""Rows of the stream from which a block is full."""
Piece = dict[str, pa.RecordBatch]
"""Some rows of each table, each with its own columns only."""


@dataclass(frozen=True, eq=False)
class StreamWork:
    """What every worker is sent.

    Parameters
    ----------
    task
        What is asked.
    layout
        Where the columns of the tables stand in the stream.
    settings
        What was declared of the study.
    judged
        The judgments; None where they come with the sessions.
    trusted
        Whether sessionkit wrote the tables, and so checked them.
    finished
        Whether to hand back finished rows, not parts that are still to be put together.
    rows
        Rows of the stream from which a block is full.
    """

    task: ScoreReduction
    layout: StreamLayout
    settings: Settings
    judged: GradedPairs | None
    trusted: bool = False
    finished: bool = False
    rows: int = ROWS

    def answer(self, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
        """Work out what is asked of some whole sessions, whose tables are let go of as soon as they can be."""
        tables = tables if self.trusted else checked(tables)
        judged = self.judged or judged_of(tables["judgments"], self.settings)
        block = SessionBatch.of(tables.pop("sessions"), tables.pop("queries"), tables.pop("results"), judged)
        asked = self.task.columns().get("sessions", ())
        counted = [name for name in asked if name not in block.features.columns]
        part = self.task.part(block.counting(counted) if counted else block)
        return self.task.whole([part]) if self.finished else part

    def answers(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answers about the sessions of a sorted stream."""
        for pieces in blocks(batches, self.layout, self.rows):
            tables = {name: frame([piece[name] for piece in pieces], self.layout, name) for name in self.layout.columns}
            pieces.clear()
            yield from handed_back(self.answer(tables), self.task.schema)

    def nothing(self) -> pl.DataFrame:
        """The answer to no sessions, or the error that the task has in it whatever the sessions."""
        return self.answer({name: frame([], self.layout, name) for name in self.layout.columns})


def blocks(batches: Iterable[pa.RecordBatch], layout: StreamLayout, rows: int = ROWS) -> Iterator[list[Piece]]:
    """Gather the batches of a sorted stream into blocks of whole sessions, each of about so many rows."""
    whole: list[Piece] = []
    last: list[Piece] = []
    in_whole, in_last, current = 0, 0, None
    for batch in batches:
        if not batch.num_rows:
            continue
        ids = batch.column(SESSION)
        if ids.null_count:
            lost = batch.column(KIND).filter(pc.is_null(ids))[0].as_py()
            raise DataError(f"{KINDS[lost]}: a row has no session_id; every row belongs to a session")
        start = pc.index(ids, ids[-1]).as_py()
        if start or ids[-1].as_py() != current:
            whole += [*last, _piece(batch.slice(0, start), layout)] if start else last
            in_whole, in_last, last = in_whole + in_last + start, 0, []
            if in_whole >= rows:
                yield whole
                in_whole, whole = 0, []
        last.append(_piece(batch.slice(start), layout))
        in_last, current = in_last + batch.num_rows - start, ids[-1].as_py()
    whole += last
    last.clear()
    if whole:
        yield whole


def frame(batches: list[pa.RecordBatch], layout: StreamLayout, name: str) -> pl.DataFrame:
    """One table of a block, under our names and in the types of the schemas."""
    columns: dict[str, SparkColumn] = {SESSION: ID, **layout.slots(name)}
    schema = arrow_schema(pl.Schema({slot: sent_as(column) for slot, column in columns.items()}))
    rows = pl.DataFrame(pa.Table.from_batches([batch.cast(schema) for batch in batches], schema))
    return received(rows.rename({slot: column.name for slot, column in columns.items()}), columns.values(), name)


def _piece(batch: pa.RecordBatch, layout: StreamLayout) -> Piece:
    """The rows of each table in a batch, without the slots of the others."""
    kind = batch.column(KIND)
    return {
        name: batch.select([SESSION, *layout.slots(name)]).filter(pc.equal(kind, KINDS.index(name)))
        for name in layout.columns
    }
