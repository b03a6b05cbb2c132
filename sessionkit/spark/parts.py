"""On a worker: parts of a saved study or of a sorted stream become whole sessions, with the judgments they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from sessionkit.errors import DataError, UsageError
from sessionkit.scoring.batch import GradedPairs, SessionBatch
from sessionkit.scoring.reduction import parts_of
from sessionkit.scoring.score import ScoreReduction
from sessionkit.spark.tables import (
    ID,
    KEY,
    KIND,
    KINDS,
    SESSION,
    SparkColumn,
    StreamLayout,
    arrow_schema,
    checked,
    handed_back,
    received,
    sent_as,
    valued,
)
from sessionkit.study import Settings, Study
from sessionkit.study.package import open_unhashed
from sessionkit.study.schema import TABLES, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as SparkFrame
    from pyspark.sql import SparkSession

    from sessionkit.spark.tables import SparkSource

PART = "id"


@dataclass(frozen=True, eq=False)
class FileWork:
    """What every worker is sent.

    Parameters
    ----------
    task
        What is asked.
    place
        The study's directory or address, under which every worker finds it.
    chosen
        For each part into which its log is cut on disk, which of its sessions take part; None where all do.
    finished
        Whether to hand back finished rows, not parts that are still to be put together.
    options
        How to get at an address.
    """

    task: ScoreReduction
    place: Path | str
    chosen: tuple[pl.Series | None, ...]
    finished: bool = False
    options: Mapping[str, Any] | None = field(default=None, repr=False)

    def answers(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answers about the parts whose numbers are sent.

        Raises
        ------
        DataError
            The study is not there, or not the one that the driver saw.
        """
        for batch in batches:
            study = open_unhashed(self.place, self.options)
            stored = study.storage.stored or ()
            if len(stored) != len(self.chosen):
                raise DataError(
                    f"{self.place} has {len(stored)} parts for a worker and {len(self.chosen)} for the driver; share one"
                )
            numbered = batch.column(PART).to_pylist()
            given = tuple(replace(stored[number], chosen=self.chosen[number]) for number in numbered)
            study = replace(study, storage=replace(study.storage, stored=given))
            for (part,) in parts_of(study, [self.task]):
                yield from handed_back(self.task.whole([part]) if self.finished else part, self.task.schema)


def numbers(spark: SparkSession, parts: int, partitions: int) -> SparkFrame:
    """The numbers of the parts, spread over at most so many partitions."""
    return spark.range(0, parts, 1, max(1, min(parts, partitions)))


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


ROW = 16
"""Bytes of a judgment beside its texts."""


def judged_on_driver(source: SparkSource, limit: int) -> GradedPairs | None:
    """The judgments, made ready to be sent to every worker; None where they are larger than `limit` bytes.

    Raises
    ------
    UsageError
        They are merged by their order in a file, and are a table of Spark's, which has none.
    """
    study = source.study
    if source.trusted:
        if _size(study) <= limit or needs_order(study):
            return GradedPairs.of(study)
        return None
    if needs_order(study):
        raise UsageError(
            f"merge={study.settings.merge} depends on the order of the judgments in their file, which a Spark table "
            "does not keep; choose max, sum, mean, median or majority"
        )
    frame, columns = source.judgments()
    if _spark_size(frame) > limit:
        return None
    rows = received(pl.DataFrame(frame.toArrow()), columns, "judgments")
    return GradedPairs.of(rowless(study.settings, valued(rows, "judgments").lazy()))


def needs_order(study: Study) -> bool:
    """Whether judgments are merged by their order in the file."""
    merge = study.settings.merge
    return merge == "first" or (merge == "alternate" and "judge_id" not in study.columns("judgments"))


def _size(study: Study) -> int:
    """Bytes of a study's judgments: their texts, and a little for each."""
    texts = sum((pl.col(name).str.len_bytes().cast(pl.Int64).sum() for name in (KEY, "doc_id")), start=pl.lit(0))
    return int(study.judgments.select(texts + ROW * pl.len().cast(pl.Int64)).collect().item())


def _spark_size(judgments: SparkFrame) -> int:
    """Bytes of a Spark table of judgments, counted likewise."""
    from pyspark.sql import functions as f

    texts = f.octet_length(KEY) + f.octet_length("doc_id") + f.lit(ROW)
    row = judgments.agg(f.sum(texts.cast("bigint")).alias("bytes")).first()
    return int((row and row["bytes"]) or 0)


def with_sessions(judgments: SparkFrame, sessions: SparkFrame, queries: SparkFrame) -> SparkFrame:
    """Every judgment of the keys of a session and of its queries, beside the session's id."""
    pairs = sessions.select(SESSION, KEY)
    if KEY in queries.columns:
        pairs = pairs.unionByName(queries.select(SESSION, KEY))
    return pairs.dropna(subset=[KEY]).distinct().join(judgments, KEY)


def judged_of(judgments: pl.DataFrame, settings: Settings) -> GradedPairs:
    """The judgments that came with the sessions of a batch, each once, merged by the study's settings."""
    first = pl.col(SESSION) == pl.col(SESSION).min().over(KEY)
    once = judgments.filter(first).drop(SESSION)
    return GradedPairs.of(rowless(settings, once.lazy()))


def rowless(settings: Settings, judgments: pl.LazyFrame) -> Study:
    """A study that has judgments and nothing else."""
    users, sessions, queries, results = (table(name).empty(table(name).names).lazy() for name in TABLES[:4])
    return Study(users, sessions, queries, results, judgments, settings=settings)
