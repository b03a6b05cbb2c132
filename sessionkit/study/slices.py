"""A study some whole sessions at a time, so that what is done with it takes no more memory than a slice of it.

Nothing a value depends on lies outside its own session, its judgments apart; so slices can be scored one by one, by
several machines, in any order. Of a saved study only the asked columns of one slice are in memory at a time; of another
its asked columns are, once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.study.places import JUDGMENT, LENGTH, QUERIES, RESULTS, counts, repeated, session_of

if TYPE_CHECKING:
    from sessionkit.study.study import Study

ORDER = {
    "users": ["user_id"],
    "sessions": ["session_id"],
    "queries": ["session_id", "query_position"],
    "results": ["session_id", "query_position", "rank"],
}
ROWS = 2**21
"""Results of a slice where memory allows: larger slices are not faster."""
LOG = ("sessions", "queries", "results")
PLACES = {"sessions": [QUERIES, RESULTS], "queries": ["query_position", LENGTH], "results": ["rank", JUDGMENT]}
"""What is read of a saved study in place of ids."""


@dataclass(frozen=True)
class Stored:
    """Files of some sessions of a saved study, one for each table of the log, sorted, with their private columns."""

    files: Mapping[str, Path]
    folder: str = ""
    """The partition they belong to, such as ``system_id=bm25``; empty without partitions."""


@dataclass(frozen=True, eq=False)
class Slice:
    """Some whole sessions: their rows of the three tables of the log, sorted.

    Parameters
    ----------
    numbered
        Whether the private columns are there (``__queries``, ``__results``, ``__length``, ``__judgment``), and with
        them no ids but those asked for.
    """

    sessions: pl.DataFrame
    queries: pl.DataFrame
    results: pl.DataFrame
    numbered: bool = False


def slices(study: Study, columns: Mapping[str, Sequence[str]] | None = None, rows: int = ROWS) -> Iterator[Slice]:
    """Cut a study into slices of about so many results, each of whole sessions, in the order of session_id.

    Parameters
    ----------
    columns
        Public columns of sessions, queries and results to read; every column if not given. What stands in for ids is
        read in any case.
    rows
        Results of a slice; a session with more of them stays whole.
    """
    if study.stored is not None:
        for stored in study.stored:
            yield from _stored_slices(stored, columns, rows)
        return
    sessions, queries, results = ordered(study, columns)
    session = session_of(queries, sessions["session_id"], "queries")
    asked_in = session_of(results, sessions["session_id"], "results")
    sizes = pl.DataFrame({QUERIES: counts(session, len(sessions)), RESULTS: counts(asked_in, len(sessions))})
    for at, size in _cuts(sizes.lazy(), rows):
        tables = zip((sessions, queries, results), at, size, strict=True)
        of_sessions, of_queries, of_results = (frame.slice(start, length) for frame, start, length in tables)
        yield Slice(of_sessions, of_queries, of_results)


def ordered(
    study: Study, columns: Mapping[str, Sequence[str]] | None = None
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The three tables of the log in memory, each sorted by its key."""
    frames = [getattr(study, name) for name in LOG]
    if columns is not None:
        frames = [
            frame.select(*dict.fromkeys([*ORDER[name], *columns.get(name, ())]))
            for name, frame in zip(LOG, frames, strict=True)
        ]
    sessions, queries, results = pl.collect_all(frames)
    return in_order(sessions, "sessions"), in_order(queries, "queries"), in_order(results, "results")


def in_order(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """A table sorted by its key; as it is where it already is."""
    first, *rest = ORDER[name]
    runs = frame.get_column(first).rle().struct.unnest()
    value = runs.get_column("value")
    run = repeated(pl.int_range(len(runs), dtype=pl.UInt32, eager=True), runs.get_column("len"))
    rises = pl.lit(value=False)
    for column in (*reversed([pl.col(name) for name in rest]), pl.lit(run)):
        rises = (column > column.shift(1)) | ((column == column.shift(1)) & rises)
    if (value > value.shift(1)).slice(1).all() and frame.select(rises.slice(1).all()).item():
        return frame
    return frame.sort(ORDER[name])


def _stored_slices(stored: Stored, columns: Mapping[str, Sequence[str]] | None, rows: int) -> Iterator[Slice]:
    """Slices of one part of a saved study, read as ranges of rows."""
    scans = {name: pl.scan_parquet(path, glob=False) for name, path in stored.files.items()}
    for at, size in _cuts(scans["sessions"].select(QUERIES, RESULTS), rows):
        frames = []
        for name, start, length in zip(LOG, at, size, strict=True):
            scan = scans[name]
            if columns is not None:
                scan = scan.select(*dict.fromkeys([*columns.get(name, ()), *PLACES[name]]))
            frames.append(scan.slice(start, length))
        sessions, queries, results = pl.collect_all(frames)
        yield Slice(sessions, queries, results, numbered=True)


def _cuts(sizes: pl.LazyFrame, rows: int) -> Iterator[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Where each slice begins in the three tables, and how many rows of each it takes."""
    large = pl.max_horizontal(RESULTS, pl.col(QUERIES), 1).cast(pl.Int64)
    number = (large.cum_sum() - 1) // rows
    found = (
        sizes.group_by(slice=number)
        .agg(pl.len().cast(pl.Int64), pl.col(QUERIES, RESULTS).cast(pl.Int64).sum())
        .sort("slice")
        .drop("slice")
        .collect()
    )
    at = (0, 0, 0)
    for size in found.iter_rows() if len(found) else [at]:  # an empty log is one empty slice
        yield at, size
        at = (at[0] + size[0], at[1] + size[1], at[2] + size[2])
