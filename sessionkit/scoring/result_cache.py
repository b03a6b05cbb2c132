"""Partial results of a saved study's partitions, kept in a directory so that nothing is computed twice.

What a task makes of a partition depends on the task, the partition's files, the judgments, the settings and this
program; a hash of all that names the file in which it is kept. The files are hashed as they lie on the disk, before they
are read and once more before a part is kept: what datapackage.json says of them is not believed. Files of the cache that
are not what was written are not believed either.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from sessionkit import __version__
from sessionkit.errors import DataError, UsageError
from sessionkit.plugins import is_foreign
from sessionkit.scoring.measures.base import Measure
from sessionkit.study import Study
from sessionkit.study.atomic_files import explained, make_directory, write_whole
from sessionkit.study.resources import sha256
from sessionkit.study.storage import DESCRIPTOR, LOG, StoredBatch

KERNEL = 4
"""Counted up whenever parts of some task become others than they were."""
CACHE_ADVICE = "name a directory for the cache that can be written"
UNSEEN = ("title", "equivalence", "synthetic", "timezone", "missing_positions")
"""Settings that no value depends on."""


class HasColumns(Protocol):
    """Something asked of a study, that says what it reads."""

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of, by table: sessions, users, queries, results."""


def partitions(study: Study) -> dict[str, list[StoredBatch]]:
    """The parts of a saved study by their partition; a study without partitions is one.

    Raises
    ------
    UsageError
        The study is not saved, or was saved before it kept what its files are known by.
    """
    found: dict[str, list[StoredBatch]] = {}
    for part in study.storage.stored or ():
        found.setdefault(part.folder, []).append(part)
    if not found or (study.path is None and study.address is None):
        msg = (
            "a cache needs a saved study: save it, best with partition_by=..., and score the study that save() returns"
        )
        raise UsageError(msg)
    if not all(study.storage.hashes.get(name) for name in ("users", "judgments")) or not all(
        part.sha256 for part in study.storage.stored or ()
    ):
        msg = f"{study.path or study.address} has no hashes of its files, which a cache needs; save it again"
        raise UsageError(msg)
    return found


class FileState(NamedTuple):
    """Files as they were when they were hashed: the hash, and what every write to them changes."""

    sha256: str
    writes: tuple[tuple[int, ...], ...]


def study_files(study: Study) -> list[FileState]:
    """Hash the files that all partitions of a saved study share: users and judgments.

    Raises
    ------
    DataError
        A file is not what the descriptor says, or cannot be read.
    """
    storage = study.storage
    return [_hashed(study, storage.files[name], storage.hashes[name]) for name in ("users", "judgments")]


def partition_files(study: Study, parts: Sequence[StoredBatch]) -> list[FileState]:
    """Hash the files of a partition; errors are those of `study_files`."""
    return [_hashed(study, [part.files[name]], part.sha256[name]) for part in parts for name in LOG]


def _hashed(study: Study, files: Sequence[Path | str], described: str) -> FileState:
    """Hash one table's files. Those at an address are not read for it: they are what the descriptor says."""
    paths = [file for file in files if isinstance(file, Path)]
    if study.path is None or len(paths) != len(files):
        return FileState(described, ())
    with study.reading():
        status = [path.stat() for path in paths]
        state = FileState(
            sha256(*paths), tuple((file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns) for file in status)
        )
    if state.sha256 != described:
        study.require_unchanged()
        names = ", ".join(path.relative_to(study.path).as_posix() for path in paths)
        raise DataError(
            f"{study.path}: {names} was changed: its sha256 differs from {DESCRIPTOR}; ingest the source again"
        )
    return state


@dataclass(frozen=True, eq=False)
class ResultCache:
    """The directory, which is made when something is kept in it."""

    folder: Path

    def require_outside(self, study: Study) -> None:
        """Raise UsageError where the directory is that of a study, which holds the files of the study alone."""
        with explained(self.folder, CACHE_ADVICE):
            place = self.folder.resolve()
            inside = study.path is not None and place.is_relative_to(study.path.resolve())
            inside = inside or (place / DESCRIPTOR).exists()
        if inside:
            raise UsageError(
                f"the cache {self.folder} would lie in a study, which holds only its own files; name a directory outside of it"
            )

    def find(self, key: str) -> pl.DataFrame | None:
        """What is kept under a key; None where nothing is, or not what was written."""
        for path in self.folder.glob(f"{key}-*.parquet"):
            try:
                content = path.read_bytes()
                if path.name == _name(key, content):
                    return pl.read_parquet(io.BytesIO(content))
            except (OSError, pl.exceptions.PolarsError):
                continue
        return None

    def keep(self, key: str, part: pl.DataFrame) -> None:
        """Keep a part in place of what else is there under its key.

        Raises
        ------
        UsageError
            The directory cannot be written.
        """
        stream = io.BytesIO()
        part.write_parquet(stream, compression="zstd")
        content = stream.getvalue()
        if pl.read_parquet(io.BytesIO(content)).schema != part.schema:
            return  # a type that does not come back from a file: it is worked out each time
        with explained(self.folder, CACHE_ADVICE):
            make_directory(self.folder)
        new = write_whole(self.folder / _name(key, content), content)
        for old in self.folder.glob(f"{key}-*.parquet"):
            if old != new:
                old.unlink(missing_ok=True)


def key_of(study: Study, task: HasColumns, parts: Sequence[StoredBatch]) -> str | None:
    """Return a hash of all that the part depends on which a task makes of a partition, whose files were hashed.

    None where some of it has no hash: the code of a measure that is not sessionkit's own can change, and so can what it calls.
    """
    if any(is_foreign(type(measure)) for measure in _measures_of(task)):
        return None
    settings = {name: value for name, value in study.settings.as_dict().items() if name not in UNSEEN}
    facts = study.storage.facts
    depends = {
        "program": [__version__, KERNEL, pl.__version__, np.__version__],
        "task": text_of(task),
        # files at an address are not hashed, so what is kept of them is for this address alone
        "address": study.address,
        "files": [
            {**dict(sorted(part.sha256.items())), "chosen": _digest(part.chosen), "numbered": part.numbered}
            for part in parts
        ],
        "judgments": study.storage.hashes["judgments"],
        "users": study.storage.hashes.get("users") if task.columns().get("users") else None,
        "settings": settings,
        # what the descriptor says of the lists decides how they are read; without facts the files themselves tell
        "lists": None if facts is None else [bool(facts.lists_with_gaps), bool(facts.repeats_in_lists)],
    }
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()


def _measures_of(value: object) -> Iterator[Measure]:
    """Yield all measures in a task, those inside of others too."""
    if isinstance(value, Measure):
        yield value
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.compare:  # as text_of has it
                yield from _measures_of(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for item in (*value.keys(), *value.values()):
            yield from _measures_of(item)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for item in value:
            yield from _measures_of(item)


def text_of(value: Any) -> str:  # noqa: ANN401 - whatever a task is made of
    """The canonical text of a task: its kind and all it was given, in order, but for fields that are not compared.

    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> text_of((parse_measure("sDCG(b=2)@10"), 3, {"system_id": pl.String()}))
    "[Measure 'sDCG@10', 3, {'system_id': type 'String'}]"

    Raises
    ------
    TypeError
        It holds something that has no text.
    """
    if value is None or isinstance(value, (str, bool, int, float)):
        return repr(value)
    if isinstance(value, Measure):
        return f"Measure {str(value)!r}"
    if isinstance(value, (pl.DataType, type)):
        return f"type {str(value)!r}"
    if is_dataclass(value):
        given = (f"{field.name}={text_of(getattr(value, field.name))}" for field in fields(value) if field.compare)
        return f"{type(value).__name__}({', '.join(given)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{text_of(name)}: {text_of(one)}' for name, one in value.items())}}}"
    if isinstance(value, Sequence):
        return f"[{', '.join(text_of(one) for one in value)}]"
    msg = f"a {type(value).__name__} has no text by which a task could be known"
    raise TypeError(msg)


def _digest(chosen: pl.Series | None) -> str | None:
    """What the sessions of a file that take part are known by; None where all do."""
    return None if chosen is None else hashlib.sha256(np.packbits(chosen.to_numpy()).tobytes()).hexdigest()


def _name(key: str, content: bytes) -> str:
    """Name of the file with this content."""
    return f"{key}-{hashlib.sha256(content).hexdigest()[:32]}.parquet"
