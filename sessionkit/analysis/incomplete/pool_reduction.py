"""Which documents that sessions show nobody judged: the first look at a study, which keeps what a second one needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from sessionkit.analysis.incomplete.document_reduction import OverDocuments
from sessionkit.analysis.incomplete.text_numbers import Numbering
from sessionkit.analysis.incomplete.totals import places
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.reduction import Reduction
from sessionkit.study.row_index import keys_of_queries

SHOWN = pl.Schema({"pair": pl.UInt64(), "judgment": pl.UInt32()})
"""Unjudged pairs: the numbers of key and document as one, and of those that are pooled that of their judgment."""
KEY = 2**32
"""What the number of a key is multiplied by in a pair."""
HELD = 100
"""Bytes that a kept result takes, and what is made of it while its batch is looked at."""


@dataclass(frozen=True, eq=False)
class PoolTexts:
    """Numbers of the texts of keys and of unjudged documents."""

    keys: Numbering = field(default_factory=Numbering)
    documents: Numbering = field(default_factory=Numbering)


def key_codes(batch: SessionBatch, texts: PoolTexts) -> pl.Series:
    """The number that the judgment_key of every query has among the texts."""
    if batch.own_keys:
        return texts.keys.of(keys_of_queries(batch.features, batch.queries, batch.queries["session"]))
    return texts.keys.of(batch.features["judgment_key"]).gather(batch.queries["session"])


def unjudged_rows(batch: SessionBatch) -> pl.DataFrame:
    """The results without a grade: ``row``, ``query``, ``doc_id`` and ``judgment``, null where it is not pooled either."""
    rows = batch.results.select("query", "doc_id", "judgment").with_row_index("row")
    grade = batch.judged.grade
    without = pl.col("judgment").is_null()
    if grade.null_count():
        without = without | pl.lit(grade.is_null()).gather(pl.col("judgment")).fill_null(value=False)
    return rows.filter(without)


def unjudged_pairs(batch: SessionBatch, texts: PoolTexts) -> pl.DataFrame:
    """The results without a grade: ``row``, ``pair`` (numbers of key and document), ``judgment`` (null: not pooled either)."""
    rows = unjudged_rows(batch)
    pair = pl.DataFrame(
        [key_codes(batch, texts).gather(rows["query"]).alias("key"), texts.documents.of(rows["doc_id"])]
    )
    found = pair.select(pair=pl.col("key").cast(pl.UInt64) * KEY + pl.col("doc_id").cast(pl.UInt64))
    return found.with_columns(rows["row"], rows["judgment"]).filter(pl.col("pair").is_not_null())


class UnjudgedRows(NamedTuple):
    """A batch, its unjudged pairs, each once, and of every unjudged result its row and the place of its pair."""

    batch: SessionBatch
    pairs: np.ndarray
    row: np.ndarray
    place: np.ndarray


@dataclass(eq=False)
class BatchRoom:
    """The batches of a study that is small enough to be looked at twice without being read twice.

    Parameters
    ----------
    room
        How many results there is room for.
    batches
        The batches, in order; None once there was no room.
    """

    room: int
    batches: list[UnjudgedRows] | None = field(default_factory=list)

    def add(self, held: UnjudgedRows) -> None:
        """Keep a batch, if there is room."""
        self.room -= len(held.batch.results)
        if self.room < 0:
            self.batches = None
        if self.batches is not None:
            self.batches.append(held)

    def of(self, batch: SessionBatch) -> UnjudgedRows | None:
        """What was kept of a batch."""
        return next((held for held in self.batches or () if held.batch is batch), None)

    def run(self, tasks: Sequence[Reduction]) -> list[pl.DataFrame]:
        """Do several tasks with what was kept; the whole of each."""
        made: list[list[pl.DataFrame]] = [[] for _ in tasks]
        for held in self.batches or ():
            for task, parts in zip(tasks, made, strict=True):
                parts.append(task.part(held.batch))
            held.batch.memo.clear()
        return [task.whole(parts) for task, parts in zip(tasks, made, strict=True)]


@dataclass(frozen=True, eq=False)
class PoolReduction(OverDocuments):
    """The documents shown that have no grade: a row per key and document.

    Parameters
    ----------
    texts
        Where texts have their numbers.
    kept
        Where batches are kept for the tasks that come after it.
    """

    texts: PoolTexts
    kept: BatchRoom

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """The batch's."""
        rows = unjudged_pairs(batch, self.texts)
        place, first = places(rows["pair"].to_numpy())
        distinct = rows[first].select("pair", "judgment").cast(dict(SHOWN))  # type: ignore[arg-type]
        named = "doc_id" in self.reads.get("results", ())
        lean = replace(batch, results=batch.results if named else batch.results.drop("doc_id"))
        row = rows["row"].to_numpy()
        self.kept.add(UnjudgedRows(lean, distinct["pair"].to_numpy(), row, place.astype(np.uint32)))
        return distinct

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one, in the order of the pairs."""
        if len(parts) == 1:
            return parts[0]
        rows = pl.concat([SHOWN.to_frame(), *parts])
        return rows[places(rows["pair"].to_numpy())[1]]

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The same."""
        return self.added([*parts])
