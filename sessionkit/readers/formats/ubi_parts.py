"""The queries of a User Behavior Insights log in the order of their sessions, a large log in parts of whole sessions.

A query then goes by its number in that order. Results are many: of a large log they are made from one part after the other,
so that memory holds those of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.readers.events.result_lists import AT, FILE, KEY, PLACE
from sessionkit.readers.formats.ubi_queries import SIZE
from sessionkit.readers.formats.ubi_records import QUERY, WHAT
from sessionkit.readers.io.record_store import room_in, split, split_off
from sessionkit.readers.records import Log

ROWS = 400_000
"""Results and events of a part, unless one session has more."""
GROUP = 2**12
"""Rows that each file of a part collects before they are written, while all of these files are open."""
PART, AT_PLACE = "__part", "__place"


@dataclass(frozen=True)
class UbiBatch:
    """Queries, the lists of hits of those that have any, and events on results: KEY is the number of their query."""

    queries: pl.LazyFrame
    hits: pl.LazyFrame
    marks: pl.LazyFrame


def in_parts(
    queries: pl.LazyFrame, records: pl.LazyFrame, marks: pl.LazyFrame, log: Log
) -> tuple[UbiBatch, Iterator[UbiBatch]]:
    """Return the whole log, and its parts one after the other, in memory.

    Parameters
    ----------
    queries
        As ``ubi_queries.py`` has them.
    records
        All records, of which those of queries have hits.
    marks
        Events on results; KEY is the query_id.
    """
    place = (pl.col(FILE).cast(pl.Int64) * 2**40 + pl.col(RECORD)).alias(AT_PLACE)
    order = queries.select(KEY, place, "session_id", AT, *PLACE, SIZE).sort("session_id", AT, *PLACE, nulls_last=True)
    part = ((pl.col(SIZE).cast(pl.Int64) + 1).cum_sum() - 1) // ROWS
    begins = pl.col("session_id").ne_missing(pl.col("session_id").shift(1))
    number = pl.int_range(pl.len(), dtype=pl.Int64).alias("__number")
    numbers = order.select(KEY, AT_PLACE, number, pl.when(begins).then(part).forward_fill().alias(PART))
    numbers = log.keep(numbers)
    has_hits = (pl.col(WHAT) == QUERY) & (pl.col("hits").list.len() > 0)
    at_place, by_name = numbers.drop(KEY), numbers.drop(AT_PLACE)
    frames = [
        queries.drop(SIZE).with_columns(place).join(at_place, on=AT_PLACE, how="left").drop(AT_PLACE),
        records.filter(has_hits).select(*PLACE, "hits", place).join(at_place, on=AT_PLACE).drop(AT_PLACE),
        marks.join(by_name, on=KEY, how="left"),
    ]
    numbered = [frame.with_columns(pl.col("__number").alias(KEY)).drop("__number") for frame in frames]
    if not log.is_large:
        whole = UbiBatch(*(log.keep(frame.drop(PART)) for frame in numbered))
        return whole, iter([whole])
    parts = numbers.select(pl.col(PART).unique().sort()).collect().to_series().to_list() or [0]
    folders = [(_split(frame, log.workspace), frame) for frame in numbered]
    whole = UbiBatch(*(_rows(folder, frame) for folder, frame in folders))
    return whole, (
        UbiBatch(*(_rows(folder, frame, part).sort(*PLACE).collect().lazy() for folder, frame in folders))
        for part in parts
    )


def _split(rows: pl.LazyFrame, workspace: Path) -> Path:
    """Write rows to files by their part, in a folder that is returned."""
    folder = workspace / f"parts{len(list(workspace.iterdir()))}"
    folder.mkdir()
    with room_in(workspace):
        split(rows, PART, folder, group=GROUP)
    return folder


def _rows(folder: Path, like: pl.LazyFrame, part: int | None = None) -> pl.LazyFrame:
    """Return the rows of a part, or those of all."""
    files = split_off(folder, PART, "*" if part is None else part)
    if not files:
        return pl.LazyFrame(schema=like.drop(PART).collect_schema())
    return pl.scan_parquet(files, glob=False)
