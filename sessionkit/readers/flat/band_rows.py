"""What the bands of a flat log hold: rows, and records counted by file; of a log that is taken whole two bands are made at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.readers.flat.bands import MOST, MOST_IN_PLACE, STRIDE, Band, Key, banded, bounds_of, marks_of
from sessionkit.readers.flat.session_order import by_session
from sessionkit.readers.flat.spans import SplitUserError, in_place
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.record_store import ROW_GROUP, room_in
from sessionkit.readers.records import Log
from sessionkit.study.prefetch import in_turn

TABLES = ("queries", "results")
TALLIES = ("merged", "idle", "seen")
Numbers = pl.LazyFrame
"""Records, by RECORD; other columns do not matter."""


@dataclass(frozen=True)
class BandRows:
    """What the records of some whole users or sessions hold.

    Parameters
    ----------
    queries, results
        Unchecked rows, as ``records.py`` wants them; records that cannot be taken apart among the queries.
    merged, idle
        Records that went into rows made of others, and those that say nothing, by a few words on what they are.
    seen
        What is to be counted and noted: a sentence that goes on after the count of queries, such as ``"with an empty
        text"``, to the queries.
    """

    queries: pl.LazyFrame
    results: pl.LazyFrame
    merged: Mapping[str, Numbers] = field(default_factory=dict)
    idle: Mapping[str, Numbers] = field(default_factory=dict)
    seen: Mapping[str, Numbers] = field(default_factory=dict)


Tables = dict[str, pl.DataFrame]
Tallies = dict[str, dict[str, dict[int, int]]]
"""Numbers of records: of which of :data:`TALLIES`, what they are, in which file."""
Summed = dict[str, dict[str, Counter[int]]]
"""The same of several bands."""


def none_tallied() -> Summed:
    """Return the counts before any band was made."""
    return {name: {} for name in TALLIES}


@dataclass
class BandStore:
    """What the bands held so far: tables in memory or in files, counts by file."""

    kept: dict[str, list[pl.DataFrame | Path]] = field(default_factory=lambda: {name: [] for name in TABLES})
    tallies: Summed = field(default_factory=none_tallied)


def bands_of(
    log: Log, files: Sequence[LogFile], read: Callable[[LogFile], pl.LazyFrame], key: Key, *, in_order: bool
) -> tuple[Callable[[], Iterator[Band]], bool]:
    """Return what gives the bands of a log, as often as it is asked, and whether they are no larger than bands should be.

    Parameters
    ----------
    in_order
        Whether lines may be read from where they stand, where they seem to be in the order of users; else they are sorted.
    """
    marks = [marks_of(file, key) for file in files] if log.is_large else []
    if marks and in_order:
        with suppress(SplitUserError):
            found = list(in_place(files, marks, read, key, bounds_of(marks, MOST_IN_PLACE)))
            return lambda: iter(found), True
    bounds = bounds_of(marks, MOST)
    return lambda: banded(log, files, [read(file) for file in files], key, bounds), len(bounds) + 1 < MOST


def held(log: Log, bands: Iterator[Band], make: Callable[[pl.LazyFrame], BandRows], files: int) -> BandStore:
    """Return what these bands hold; two of them are made at a time."""
    so_far, room = BandStore(), log.room
    for tables, tallies in in_turn(partial(of_band, make=make, files=files, is_large=log.is_large), bands):
        if log.is_large:
            room -= sum(int(frame.estimated_size()) for frame in tables.values())
        for name, frames in so_far.kept.items():
            frames.append(tables[name])
            if room < 0:
                paths = [log.workspace / f"{name}-{number:04}.parquet" for number in range(len(frames))]
                so_far.kept[name] = [_on_disk(one, path) for one, path in zip(frames, paths, strict=True)]
        add_up(so_far.tallies, tallies)
    return so_far


def add_up(so_far: Summed, tallies: Tallies) -> None:
    """Add the counts of a band to those so far."""
    for name, tally in tallies.items():
        for words, many in tally.items():
            so_far[name].setdefault(words, Counter()).update(many)


def of_band(
    band: Band, make: Callable[[pl.LazyFrame], BandRows], files: int, *, is_large: bool
) -> tuple[Tables, Tallies]:
    """Return the tables of a band, in the order of sessions in a large log, and its counts by file."""
    made = make(band())
    tables = {name: getattr(made, name).collect() for name in TABLES}
    tallies = {
        name: {words: by_file(records, files) for words, records in getattr(made, name).items()} for name in TALLIES
    }
    return {name: by_session(frame) if is_large else frame for name, frame in tables.items()}, tallies


def _on_disk(rows: pl.DataFrame | Path, path: Path) -> Path:
    """Return the file that has the rows of a band from now on."""
    if isinstance(rows, Path):
        return rows
    with room_in(path.parent):  # with statistics, by which a range of sessions is found without reading the others
        rows.write_parquet(path, compression="lz4", statistics=True, row_group_size=ROW_GROUP)
    return path


def by_file(records: pl.LazyFrame, files: int) -> dict[int, int]:
    """Return the number of records of each of so many files that has any."""
    if files == 1:
        many: int = records.select(pl.len()).collect().item()
        return {0: many} if many else {}
    return dict(records.group_by(pl.col(RECORD) // STRIDE).len().collect().rows())
