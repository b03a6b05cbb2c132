"""Where a study lies: a directory of this machine, or an address on object storage or a web server.

What a descriptor names is found beneath it and nowhere else.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any, Protocol
from urllib.parse import quote, unquote, urlsplit

import polars as pl

from sessionkit.arguments import path_of
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.study.storage import DESCRIPTOR, scan_files

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
