"""Partial results of a saved study's partitions, kept in a directory so that nothing is worked out twice.

What a task makes of a partition depends on the task, the partition's files, the judgments, the settings and this
program; a hash of all that names the file in which it is kept. So a new day is scored alone, and whatever else changes
makes other names. Files that are not what was written are not believed.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl

from sessionkit import __version__
from sessionkit.errors import UsageError
from sessionkit.scoring.measures.base import Measure
from sessionkit.study import Study
from sessionkit.study.atomic_files import explained, make_directory, write_whole
from sessionkit.study.storage import StoredBatch

KERNEL = 4
"""Counted up whenever parts of some task become others than they were."""
UNSEEN = ("title", "synthetic", "timezone", "missing_positions")
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
    if not study.storage.hashes.get("judgments") or not all(part.sha256 for part in study.storage.stored or ()):
        msg = f"{study.path or study.address} has no hashes of its files, which a cache needs; save it again"
        raise UsageError(msg)
    return found


@dataclass(frozen=True, eq=False)
class ResultCache:
    """The directory, which is made when something is kept in it."""

    folder: Path

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
        with explained(self.folder, "name a directory for the cache that can be written"):
            make_directory(self.folder)
        new = write_whole(self.folder / _name(key, content), content)
        for old in self.folder.glob(f"{key}-*.parquet"):
            if old != new:
                old.unlink(missing_ok=True)


def key_of(study: Study, task: HasColumns, parts: Sequence[StoredBatch]) -> str:
    """What the part that a task makes of a partition is kept under: a hash of all it depends on."""
    settings = {name: value for name, value in study.settings.as_dict().items() if name not in UNSEEN}
    depends = {
        "program": [__version__, KERNEL, pl.__version__],
        "task": text_of(task),
        "files": [{**dict(sorted(part.sha256.items())), "chosen": _digest(part.chosen)} for part in parts],
        "judgments": study.storage.hashes["judgments"],
        "users": study.storage.hashes.get("users") if task.columns().get("users") else None,
        "settings": settings,
    }
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()


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
