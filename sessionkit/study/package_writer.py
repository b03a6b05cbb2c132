"""A study on disk: a directory that is a valid Data Package, Parquet files beside ``datapackage.json``.

The descriptor holds the schema, size and row count of every resource, the sha256 of every file and, under
``sessionkit``, settings, sources, facts and notes. Nothing in it depends on when or where it was written: the same
study gives the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit import __version__
from sessionkit.contract import TABLES
from sessionkit.display.words import first_names
from sessionkit.errors import DataError, UsageError
from sessionkit.study.atomic_files import built_beside, sole_writer
from sessionkit.study.batches import ORDER, slices
from sessionkit.study.descriptor import LAYOUT, digest_of, foreign_content, is_study
from sessionkit.study.judgment_index import JudgmentIndex
from sessionkit.study.memory_limit import memory_budget
from sessionkit.study.package_reader import open_unhashed
from sessionkit.study.partition_folders import by_partition, require_partition_column
from sessionkit.study.prefetch import Ahead
from sessionkit.study.resources import resource, sha256
from sessionkit.study.row_index import numbered
from sessionkit.study.storage import DESCRIPTOR, LOG, Partitioned, StoredBatch, StudyBatch, identity_of
from sessionkit.study.study import Study

JUDGMENTS = "judgments.parquet"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
ROWS = 2**23
"""Results of one file, where no memory is said to keep to."""
RESULT_BYTES = 250
"""Memory that a result takes while it is sorted and written, with all its columns and what is made of them."""


def rows_within(memory: str | int | None) -> int:
    """Results of one file, so that writing it stays within some memory."""
    return ROWS if memory is None else min(ROWS, memory_budget(memory) // RESULT_BYTES)


def write_package(
    study: Study,
    directory: Path,
    parts: Iterable[StudyBatch] | None = None,
    finished: Callable[[], Study] | None = None,
    *,
    partition_by: str | None = None,
    memory: str | int | None = None,
    seen: Callable[[StudyBatch], None] | None = None,
) -> Path:
    """Write the study to `directory` in one step, replacing a study that is there; return the directory.

    Parameters
    ----------
    parts
        The log in parts of whole sessions, in the order of session_id; by default slices of the study. Each becomes a
        file of sessions, of queries and of results.
    finished
        Called when the parts are written: returns the study with what only then is known of it (users, rejected rows,
        sources, notes, facts). `study` then only has to have the judgments.
    partition_by
        A column of the sessions: those that have one value in it go to files of their own. A study that is partitioned
        stays so if not given.
    memory
        Memory to work within, see `sessionkit.study.memory_limit`; files are smaller with less. By default they are of one
        size on every machine.
    seen
        Given each part of the log, with its private columns, before it is written.

    Raises
    ------
    UsageError
        `directory` is a file, or a directory with something else in it, or cannot be written; or there is no such
        column.
    """
    refuse_to_replace(directory)
    partitioned = study.storage.partitioned
    split = partition_by is not None and (partitioned is None or partitioned.by != partition_by)
    rows = rows_within(memory)
    if parts is None:
        parts = slices(study, rows=rows // 4 if split else rows)
    if partition_by is not None and split:
        require_partition_column(study, partition_by)
        partitioned = Partitioned(partition_by)
        parts = by_partition(parts, partition_by, rows)
    with sole_writer(directory), study_draft(directory) as draft, study.reading():
        pairs = JudgmentIndex.of(study.judgments)
        write_judgments(study, pairs, draft)  # while the first part of the log may still be on its way
        log = write_log(parts, pairs, draft, together=finished is not None, seen=seen)
        finish_package(study if finished is None else finished(), log, pairs, partitioned, draft)
    return directory


def finish_package(
    study: Study, log: list[StoredBatch], pairs: JudgmentIndex, partitioned: Partitioned | None, folder: Path
) -> None:
    """Write what a study directory holds beside its log and judgments: the other tables and the descriptor."""
    written: dict[str, list[Any]] = {name: [part.files[name] for part in log] for name in LOG}
    written["judgments"] = [folder / JUDGMENTS]
    for name in ("users", "rejected"):
        frame = study.table(name)
        if name != "rejected" or not frame.head(1).collect().is_empty():
            written[name] = [_write(frame.sort(ORDER[name]) if name in ORDER else frame, folder / f"{name}.parquet")]
    known: dict[str, str] = {name: log[0].sha256[name] for name in LOG} if len(log) == 1 else {}
    resources = [
        resource(name, written[name], folder, known.get(name)) for name in (*TABLES, "rejected") if name in written
    ]
    descriptor = _descriptor(study, resources, log, pairs, partitioned)
    descriptor["sessionkit"]["digest"] = digest_of(descriptor)
    text = json.dumps(descriptor, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / DESCRIPTOR).write_text(text + "\n", encoding="utf-8", newline="\n")


def write_judgments(study: Study, pairs: JudgmentIndex, folder: Path) -> None:
    """Write the judgments, with their private columns."""
    _write(pairs.numbers_of(study.judgments.collect()).lazy(), folder / JUDGMENTS)


def refuse_to_replace(directory: Path) -> None:
    """Raise UsageError where something stands at `directory` that is neither a study nor an empty directory.

    A study in which other files lie is not replaced either, since they would go with it. Where another process replaces the
    study meanwhile, it is looked at again: files of the new study are not foreign to it.
    """
    while True:
        identity = identity_of(directory)
        try:
            _require_replaceable(directory)
        except (UsageError, OSError):
            if identity_of(directory) == identity:
                raise
        else:
            return


def _require_replaceable(directory: Path) -> None:
    """Raise UsageError where something stands at `directory` that is neither a study nor an empty directory."""
    if directory.is_dir():
        if any(directory.iterdir()) and not is_study(directory):
            raise UsageError(f"{directory} is not empty and not a study; it was left alone. Choose another directory")
        if foreign := foreign_content(directory):
            raise UsageError(
                f"{directory} contains {first_names(foreign)} in addition to the study's files; it was left alone. Move what is not the "
                "study's, or choose another directory"
            )
    elif directory.exists():
        raise UsageError(f"{directory} is a file, not a directory; it was left alone. Choose another name")


@contextmanager
def study_draft(directory: Path) -> Iterator[Path]:
    """Yield an empty directory beside `directory`, whose place it takes afterwards; a study that cannot be opened never does.

    Raises
    ------
    DataError
        What was written cannot be opened.
    UsageError
        The place cannot be written, or holds something that must not be replaced.
    """
    with built_beside(directory, refuse_to_replace) as draft:
        yield draft
        try:
            open_unhashed(draft)
        except DataError as error:
            reason = str(error).replace(str(draft), str(directory))
            raise DataError(
                f"{directory} was not written, since the new study could not be opened; nothing there was changed ({reason})"
            ) from None


def write_log(
    parts: Iterable[StudyBatch],
    pairs: JudgmentIndex,
    folder: Path,
    *,
    together: bool = False,
    seen: Callable[[StudyBatch], None] | None = None,
) -> list[StoredBatch]:
    """Write the log part by part, with its private columns; return its files, partition by partition.

    Parameters
    ----------
    together
        Whether memory is enough for one part to get its private columns while the one before is written.
    seen
        Given each part with its private columns.
    """
    written: list[StoredBatch] = []
    many: Counter[str] = Counter()
    with (
        closing(_with_numbers(parts, pairs, seen)) as numbers,
        closing(Ahead(numbers) if together else numbers) as ready,
    ):
        for part in ready:
            homes = [folder / name / part.folder for name in LOG]
            for home in homes:
                home.mkdir(parents=True, exist_ok=True)
            # where folders of two partitions are one to the file system, their files still are two
            number = next(free for free in count(many[part.folder]) if not (homes[0] / f"{free:05}.parquet").exists())
            many[part.folder] += 1
            files: dict[str, Path] = {
                name: _write(frame.lazy(), home / f"{number:05}.parquet")
                for name, frame, home in zip(LOG, (part.sessions, part.queries, part.results), homes, strict=True)
            }
            hashes = {name: sha256(path) for name, path in files.items()}
            written.append(StoredBatch(files, part.folder, hashes, pairs=pairs.digest))
    if len(written) == 1 and not written[0].folder:
        written = [_alone(written[0], folder)]
    return sorted(written, key=lambda part: part.folder)


def _with_numbers(
    parts: Iterable[StudyBatch], pairs: JudgmentIndex, seen: Callable[[StudyBatch], None] | None
) -> Generator[StudyBatch, None, None]:
    """Parts with their private columns; each is shown to `seen`."""
    for given in parts:
        part = given
        if not part.numbered:
            sessions, queries, results = numbered(part.sessions, part.queries, part.results, pairs, part.starts)
            part = replace(part, sessions=sessions, queries=queries, results=results, numbered=True)
        if seen is not None:
            seen(part)
        yield part


def _alone(part: StoredBatch, folder: Path) -> StoredBatch:
    """Move the only files of a log up beside the other tables."""
    files: dict[str, Path | str] = {}
    for name, path in part.files.items():
        files[name] = Path(path).rename(folder / f"{name}.parquet")
        (folder / name).rmdir()
    return replace(part, files=files)


def _write(frame: pl.LazyFrame, path: Path) -> Path:
    """Write one file of a table."""
    frame.sink_parquet(
        path, compression="zstd", compression_level=1, statistics=True, row_group_size=2**17, maintain_order=True
    )
    return path


def _descriptor(
    study: Study,
    resources: list[dict[str, Any]],
    log: list[StoredBatch],
    pairs: JudgmentIndex,
    partitioned: Partitioned | None,
) -> dict[str, Any]:
    """Return datapackage.json as a value."""
    title = {"title": study.settings.title} if study.settings.title else {}
    partitions = {} if partitioned is None else {"partitioned": asdict(partitioned)}
    return {
        "$schema": PROFILE,
        "name": "sessionkit-study",
        **title,
        "resources": resources,
        "sessionkit": {
            "layout": LAYOUT,
            "version": __version__,
            "reader": study.reader,
            "settings": study.settings.as_dict(),
            "facts": asdict(study.facts),
            "notes": list(study.notes),
            "sources": [asdict(source) for source in study.sources],
            **partitions,
            "pairs": pairs.digest,
            "parts": [{"folder": part.folder, "pairs": part.pairs, "sha256": dict(part.sha256)} for part in log],
        },
    }
