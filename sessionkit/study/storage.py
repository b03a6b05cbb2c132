"""Where a study's tables lie, on this machine or at an address, and what is known of them without reading them."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any, Protocol
from urllib.parse import quote, unquote, urlsplit

import polars as pl
from numpy.typing import NDArray

from sessionkit.arguments import StudyTable, path_of
from sessionkit.errors import DataError, UsageError, suggestion
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
        Digest of the judged pairs by which the results carry numbers, see `sessionkit.study.numbering`.
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
        How deep lists are known, see `sessionkit.study.counts`.
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


DESCRIPTOR_BYTES = 2**28
"""Size up to which a descriptor is read; one of 100,000 files has 50 MB."""
SCHEMES = ("s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss", "adl", "http", "https")
"""Addresses that polars reads."""
DRIVE = re.compile(r"^/(?=[A-Za-z]:/)")
"""The slash before a drive of Windows in an address such as ``file:///C:/study``."""
ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


class Folder(Protocol):
    """Where the files of a study lie."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def descriptor(self) -> str:
        """What messages call its descriptor."""

    def text(self) -> bytes:
        """Read the descriptor."""

    def file(self, name: object) -> Path | str:
        """Return where a file is that the descriptor names."""

    def size(self, file: Path | str) -> int | None:
        """Return the bytes of a file; None where only reading it all would tell."""

    def scan(self, files: Sequence[Path | str]) -> pl.LazyFrame:
        """Scan Parquet files."""


def is_address(text: object) -> bool:
    """Return whether this is an address such as ``s3://bucket/study``, not a path.

    >>> is_address("s3://bucket/study"), is_address("C:/study"), is_address("study")
    (True, False, False)
    """
    return isinstance(text, str) and ADDRESS.match(text) is not None


def folder_at(place: str | PathLike[str], options: Mapping[str, Any] | None = None) -> Folder:
    """Return the folder at a path or an address.

    Raises
    ------
    UsageError
        The address is of no kind that can be read, or the options are given for a path.
    """
    if not isinstance(place, str) or not is_address(place):
        if options:
            raise UsageError(f"storage_options are for addresses such as s3://bucket/study; {place} is a path")
        return Directory(named_in_utf8(path_of("a study's place", place)))
    parts = urlsplit(place)
    scheme = parts.scheme.lower()
    if scheme == "file" and parts.netloc in ("", "localhost"):
        return Directory(Path(DRIVE.sub("", unquote(parts.path))))
    if scheme not in SCHEMES:
        near = suggestion(scheme, SCHEMES)
        raise UsageError(
            f"{scheme}:// is not a supported kind of address; choose from file, {', '.join(SCHEMES)}{near}"
        )
    if "@" in parts.netloc and scheme not in ("abfs", "abfss"):
        raise UsageError(f"{scheme}://... contains credentials; give them as storage_options or in the environment")
    if parts.query or parts.fragment or not parts.netloc:
        shown = f"{scheme}://{parts.hostname or ''}/..."  # a query may hold a secret
        raise UsageError(f"{shown} is not the address of a folder, such as {scheme}://bucket/study, without ? and #")
    return Address(place.rstrip("/"), options)


def named_in_utf8(path: Path) -> Path:
    """Return a path; DataError where its name is no UTF-8, so that polars could not open it."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode(errors="replace")
        raise DataError(f"{shown} cannot be read: its path is not text in UTF-8; rename it") from None
    return path


@dataclass(frozen=True)
class Directory:
    """A directory of this machine."""

    path: Path

    @property
    def name(self) -> str:
        """The path."""
        return str(self.path)

    @property
    def descriptor(self) -> str:
        """The path of the descriptor."""
        return str(self.path / DESCRIPTOR)

    def text(self) -> bytes:
        """Read the descriptor."""
        if not self.path.exists():
            raise DataError(f"{self.path} does not exist; name a study directory, a study.toml or a log file")
        if not self.path.is_dir():
            raise DataError(
                f"{self.path} is a file, not a study directory; `sessionkit ingest {self.path} --out STUDY` makes one "
                "from a log"
            )
        if not (self.path / DESCRIPTOR).is_file():
            raise DataError(
                f"{self.path} is a directory but not a study: it has no {DESCRIPTOR}; "
                "make one with `sessionkit ingest SOURCE --out STUDY`"
            )
        try:
            size = (self.path / DESCRIPTOR).stat().st_size
            if size > DESCRIPTOR_BYTES:
                raise DataError(
                    f"{self.descriptor} has {size:,} bytes; a study's has at most {DESCRIPTOR_BYTES:,}; ingest the source again"
                )
            return (self.path / DESCRIPTOR).read_bytes()
        except OSError as error:
            raise DataError(f"{self.descriptor} cannot be read ({error.strerror or error})") from None

    def file(self, name: object) -> Path:
        """Return the path of a file, which must lie beneath the study's directory."""
        parts = _plain(name, self.descriptor)
        path = self.path.joinpath(*parts)
        if not path.resolve().is_relative_to(self.path.resolve()):
            raise _outside(name, self.descriptor)
        if not path.is_file():
            raise DataError(f"{self.descriptor} names the file {name!r}, which is missing; ingest the source again")
        return path

    def size(self, file: Path | str) -> int:
        """Return the bytes of a file."""
        return Path(file).stat().st_size

    def scan(self, files: Sequence[Path | str]) -> pl.LazyFrame:
        """Scan Parquet files."""
        return scan_files(files)


@dataclass(frozen=True)
class Address:
    """A folder on object storage or a web server, which polars reads; `options` are its ``storage_options``."""

    name: str
    options: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def descriptor(self) -> str:
        """The address of the descriptor."""
        return f"{self.name}/{DESCRIPTOR}"

    def text(self) -> bytes:
        """Read the descriptor."""
        given = dict(self.options) if self.options else None
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*region' not set")  # polars then asks the bucket
                lines = pl.scan_lines(self.descriptor, glob=False, storage_options=given).collect().to_series()
        except (pl.exceptions.PolarsError, OSError, ValueError, TypeError) as error:
            raise DataError(
                f"{self.descriptor} cannot be read ({first_line(error)}); check the address, and the credentials in "
                "storage_options or the environment"
            ) from None
        return "\n".join(lines).encode()

    def file(self, name: object) -> str:
        """Return the address of a file, which is one of the study's own."""
        parts = _plain(name, self.descriptor)
        if any(mark in part for part in parts for mark in "?#*[]"):
            raise _outside(name, self.descriptor)
        path = "/".join(parts)
        return f"{self.name}/{quote(path) if self.name.startswith('http') else path}"

    def size(self, file: Path | str) -> None:  # noqa: ARG002 - another kind of folder knows
        """Nothing: the footers tell whether the files are whole."""
        return

    def scan(self, files: Sequence[Path | str]) -> pl.LazyFrame:
        """Scan Parquet files."""
        return scan_files(list(files), self.options)


def first_line(error: Exception) -> str:
    """Return the beginning of what a library says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def _plain(name: object, where: str) -> tuple[str, ...]:
    """Return the parts of a relative path without anything that leads elsewhere."""
    text = name if isinstance(name, str) else ""
    parts = PurePosixPath(text).parts
    if not text or not text.isprintable() or text.startswith("/") or "\\" in text or ":" in text or ".." in parts:
        raise _outside(name, where)
    return parts


def _outside(name: object, where: str) -> DataError:
    """What is said of a path that leads out of the study."""
    return DataError(f"{where} names the file {name!r}; a study may name only files inside its own directory")
