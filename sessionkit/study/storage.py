"""What is known of a study's tables without reading them: their counts, and the files or rows that they lie in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl
from numpy.typing import NDArray

from sessionkit.choices import StudyTable
from sessionkit.errors import UsageError
from sessionkit.study.facts import Facts

DESCRIPTOR = "datapackage.json"
LOG: tuple[StudyTable, ...] = ("sessions", "queries", "results")


def identity_of(directory: Path) -> tuple[int, int, int] | None:
    """What the descriptor's file of a study directory is known by; None where it is not there."""
    try:
        found = (directory / DESCRIPTOR).stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def scan_files(
    files: Sequence[Path | str], options: Mapping[str, Any] | None = None, *, file: str | None = None
) -> pl.LazyFrame:
    """Scan Parquet files by their names, none of which is taken for a pattern.

    Parameters
    ----------
    options
        Those of object storage.
    file
        Column in which to put the name of each row's file.
    """
    given = dict(options) if options else None
    names = [polars_path(name) for name in files]
    return pl.scan_parquet(names, glob=False, hive_partitioning=False, storage_options=given, include_file_paths=file)


def polars_path(name: Path | str) -> str:
    """A path as polars takes it, which looks for one that begins with ~ in the home folder."""
    return f"./{name}" if str(name).startswith("~") else str(name)


@dataclass(frozen=True)
class StoredBatch:
    """Files of some sessions of a saved study, one for each table of the log, sorted, with their private columns.

    Parameters
    ----------
    files
        Path or address of each table's file.
    folder
        The partition they belong to, such as ``system_id=bm25``; empty without partitions.
    sha256
        What each table's file is known by; empty where the study does not say.
    pairs
        Digest of the judged pairs by which the results carry numbers, see `sessionkit.study.judgment_index`.
    numbered
        Whether these are the pairs of the study's judgments; if not, the file is read by its public columns.
    options
        How to get at files on object storage.
    chosen
        For each session of the file whether it takes part; None where all do.
    """

    files: Mapping[str, Path | str]
    folder: str = ""
    sha256: Mapping[str, str] = field(default_factory=dict)
    pairs: str = ""
    numbered: bool = True
    options: Mapping[str, Any] | None = field(default=None, repr=False)
    chosen: pl.Series | None = field(default=None, repr=False)

    def scan(self, name: str) -> pl.LazyFrame:
        """Scan the file of one table."""
        return scan_files([self.files[name]], self.options)


@dataclass(frozen=True, eq=False)
class StudyBatch:
    """Some whole sessions: their rows of the three tables of the log, sorted.

    Parameters
    ----------
    numbered
        Whether the private columns are there (``__queries``, ``__results``, ``__length``, ``__judgment``), and with
        them no ids but those asked for.
    folder
        The partition they belong to, see `Stored`.
    starts
        The first row of every list among the results, where it is known.
    """

    sessions: pl.DataFrame
    queries: pl.DataFrame
    results: pl.DataFrame
    numbered: bool = False
    folder: str = ""
    starts: NDArray[Any] | None = None


@dataclass(frozen=True)
class Added:
    """What came with a partition that was added to a study: so many of its sources, notes and rejected rows.

    They stand in the order in which the partitions were added, after those of the study itself.
    """

    folder: str
    sources: int
    notes: int
    rejected: int


@dataclass(frozen=True)
class Partitioned:
    """By which column of the sessions a study is partitioned, and what was added to it since it was saved."""

    by: str
    added: tuple[Added, ...] = ()


@dataclass(frozen=True, eq=False)
class Storage:
    """What is known of the tables of a study without reading them; each is None or empty where it is not known.

    It belongs to these very tables. A study derived from another by :meth:`sessionkit.study.Study.with_tables` has an empty
    one; one with other settings, sources, reader, notes or place keeps the counts alone, since its files say something else, or
    are others.

    Parameters
    ----------
    facts
        Counts of rows, repeats and unusual queries.
    depths
        How deep lists are known, see `sessionkit.study.depths`.
    stored
        The files of the log, batch by batch, where they know the places of their rows.
    rows
        The log in memory, with the private columns of such files.
    numbered_judgments
        The judgments with the private columns of their file.
    partitioned
        By which column the files of the log are partitioned.
    files
        The files of users and judgments.
    hashes
        SHA-256 of these files, as the descriptor has them.
    identity
        What the descriptor's file was known by when the study was opened from a directory.
    package
        Where all of the study has been written already, in a temporary place.
    tables, description
        What it belongs to, set by the study: its tables, and its settings, sources, reader, notes and place. `tables=None`
        leaves that to the study that takes it.
    """

    facts: Facts | None = None
    depths: pl.DataFrame | None = None
    stored: tuple[StoredBatch, ...] | None = None
    rows: StudyBatch | None = None
    numbered_judgments: pl.LazyFrame | None = None
    partitioned: Partitioned | None = None
    files: Mapping[str, Sequence[Path | str]] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    identity: tuple[int, int, int] | None = None
    package: Path | None = None
    tables: Mapping[str, pl.LazyFrame] | None = field(default=None, repr=False)
    description: tuple[object, ...] = field(default=(), repr=False)

    def bound(self, tables: Mapping[str, pl.LazyFrame], description: tuple[object, ...]) -> Storage:
        """Return what of this holds for a study of these tables and this description.

        Raises
        ------
        UsageError
            It belongs to other tables.
        """
        if self.tables is None:
            return replace(self, tables=tables, description=description)
        for name, frame in tables.items():
            if frame is not self.tables[name]:
                raise UsageError(
                    f"{name} were replaced, but the study's files and counts are those of the old tables; derive a "
                    f"study by study.with_tables({name}=...)"
                )
        if description == self.description:
            return self
        return Storage(facts=self.facts, depths=self.depths, tables=tables, description=description)
