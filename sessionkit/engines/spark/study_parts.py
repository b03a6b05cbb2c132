"""On a worker: parts of a saved study, read from its own files.

A study on disk is already cut between sessions, sorted and numbered: what Spark would do to a table of results for most
of its time, moving every row to where its session is, is done. So a worker is sent the number of a part, not its rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa

from sessionkit.engines.spark.columns import handed_back
from sessionkit.errors import DataError
from sessionkit.scoring.reduction import parts_of
from sessionkit.scoring.score import ScoreReduction
from sessionkit.study.package_reader import open_unhashed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as SparkFrame
    from pyspark.sql import SparkSession

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
