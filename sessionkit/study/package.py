"""Saved studies: writing a study as a Data Package, opening one from disk or object storage, and temporary ones."""

from __future__ import annotations

import atexit
import json
import math
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, replace
from functools import cache
from itertools import count
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

import polars as pl

from sessionkit import __version__
from sessionkit.display.numbers import first_names
from sessionkit.errors import DataError, SpaceError, UsageError, lack_of_space
from sessionkit.study.batches import ORDER, Ahead, memory_budget, slices
from sessionkit.study.descriptor import (
    LAYOUT,
    Descriptor,
    by_partition,
    digest_of,
    foreign_content,
    hash_of,
    is_study,
    names_folders,
    read_descriptor,
    require_partition_column,
    resource,
    sha256,
    shown_value,
    unlisted_files,
)
from sessionkit.study.facts import NO_FACTS, Facts, facts_in_order, facts_of
from sessionkit.study.files import (
    SETTLED,
    built_beside,
    find_tagged,
    is_left,
    linked,
    make_tagged,
    moved_aside,
    sole_writer,
    try_lock,
)
from sessionkit.study.numbering import PRIVATE, JudgmentIndex, numbered, public
from sessionkit.study.schema import TABLES, table
from sessionkit.study.storage import (
    DESCRIPTOR,
    LOG,
    Address,
    Directory,
    Folder,
    Partitioned,
    Storage,
    StoredBatch,
    StudyBatch,
    first_line,
    folder_at,
    identity_of,
)
from sessionkit.study.study import Study, guarded_read, no_rejected

Files = dict[str, list[Path | str]]
TRIES, PAUSE = 20, 0.05
"""How often a study is opened that another process replaces meanwhile, and seconds between two tries."""
HASHED_BYTES = 64 * 2**20
"""Bytes of a table up to which opening compares its files with their hashes: hashing takes 3% of the time of scoring them."""


def open_study(directory: str | PathLike[str], storage_options: Mapping[str, Any] | None = None) -> Study:
    """Open a saved study: the descriptor and the footers of the Parquet files are read, and small tables hashed.

    The files of a table of up to 64 MB are compared with their SHA-256 in the descriptor. `sessionkit check --verify` does so
    with larger ones too. Files at an address are not hashed, since all of them would have to be fetched.

    If another process replaces the study meanwhile, it is opened again.

    Parameters
    ----------
    directory
        A directory written by ``study.save`` or ``sessionkit ingest``, or the address of one: ``s3://``, ``gs://``,
        ``az://``, ``https://``, ``file://`` and what else polars reads.
    storage_options
        How to get at an address, as ``polars.scan_parquet`` takes them; by default what the environment says.

    Raises
    ------
    DataError
        It is no study, it cannot be read, it was written by a newer sessionkit, its descriptor was edited or names files that
        sessionkit would not write, or a file is missing, was changed, or is not of the size, length and columns that the
        descriptor says.
    UsageError
        It is an address that cannot be read.
    """
    return _opened(folder_at(directory, storage_options), is_hashed=True)


def open_unhashed(directory: str | PathLike[str], storage_options: Mapping[str, Any] | None = None) -> Study:
    """Open a study without hashing its files: they were just written, or are verified elsewhere."""
    return _opened(folder_at(directory, storage_options), is_hashed=False)


def _opened(folder: Folder, *, is_hashed: bool) -> Study:
    """Open the study in a folder, and again where another process replaces it meanwhile: what was read may be of two studies."""
    if not isinstance(folder, Directory):
        return _opened_once(folder, is_hashed=is_hashed)
    for _ in range(TRIES):
        identity = identity_of(folder.path)
        aside = None if identity else moved_aside(folder.path)
        try:
            study = _opened_once(folder, is_hashed=is_hashed)
        except (DataError, OSError, pl.exceptions.PolarsError):
            if aside is None and identity_of(folder.path) == identity:
                raise
        else:
            if study.storage.identity == identity_of(folder.path):
                return study
        time.sleep(PAUSE)
    if aside is not None:
        raise DataError(
            f"{folder.name} is not there: another process is replacing it, or was killed while doing so. Try again; if that does "
            f"not help, rename {aside}, which is the study that was there, to {folder.path.name}"
        )
    raise DataError(f"{folder.name} is being replaced again and again; try again when the other process has ended")


def _opened_once(folder: Folder, *, is_hashed: bool) -> Study:
    """Open the study in a folder."""
    identity = identity_of(folder.path) if isinstance(folder, Directory) else None
    descriptor = read_descriptor(folder.text(), folder.descriptor, folder.name)
    files: Files = {name: [folder.file(path) for path in descriptor.paths(name)] for name in descriptor.resources}
    sizes = {name: _require_size(folder, name, descriptor, files[name]) for name in files}
    if is_hashed:
        _require_unchanged(folder, descriptor, files, [name for name, size in sizes.items() if size <= HASHED_BYTES])
    scans = {name: _scan(folder, name, descriptor, files[name]) for name in files}
    _require_partition_column(descriptor, scans["sessions"])
    tables: dict[str, Any] = {name: public(scan, name) for name, scan in scans.items()}
    tables.setdefault("rejected", no_rejected())
    return Study(
        **tables,
        settings=descriptor.settings,
        sources=descriptor.sources,
        reader=descriptor.reader,
        notes=descriptor.notes,
        path=folder.path if isinstance(folder, Directory) else None,
        address=folder.name if isinstance(folder, Address) else None,
        storage=Storage(
            identity=identity,
            facts=descriptor.facts,
            partitioned=descriptor.partitioned,
            stored=_stored(folder, files, scans, descriptor),
            numbered_judgments=scans["judgments"] if _has_private_columns(scans, ["judgments"]) else None,
            files={name: files[name] for name in ("users", "judgments")},
            hashes={name: hash_of(descriptor.resources[name]) for name in ("users", "judgments")},
        ),
    )


def _has_private_columns(scans: Mapping[str, pl.LazyFrame], names: Iterable[str]) -> bool:
    """Return whether tables have their private columns, which older layouts lack."""
    return all(set(PRIVATE[name]) <= set(scans[name].collect_schema().names()) for name in names)


def _stored(
    folder: Folder, files: Files, scans: Mapping[str, pl.LazyFrame], descriptor: Descriptor
) -> tuple[StoredBatch, ...] | None:
    """Return the files of the log part by part; None where an older layout lacks the private columns."""
    options = folder.options if isinstance(folder, Address) else None
    if descriptor.parts is None and (
        len({len(files[name]) for name in LOG}) > 1 or not _has_private_columns(scans, LOG)
    ):
        return None
    parts = [dict(zip(LOG, paths, strict=True)) for paths in zip(*(files[name] for name in LOG), strict=True)]
    if descriptor.parts is None:
        return tuple(StoredBatch(part, options=options) for part in parts)
    return tuple(
        StoredBatch(part, entry.folder, entry.sha256, entry.pairs, entry.pairs == descriptor.pairs, options)
        for part, entry in zip(parts, descriptor.parts, strict=True)
    )


@guarded_read
def verify_hashes(study: Study) -> tuple[str, ...]:
    """Return a sentence for all of a study on disk that is not as it was written.

    Every file is compared with its SHA-256, the counts in the descriptor are counted again, and what lies in the directory
    beside the study's files is named. This reads every byte, and the tables once more.

    Raises
    ------
    DataError
        The study was not opened from disk, or its descriptor was edited or removed since.
    """
    if study.path is None:
        reason = (
            f"{study.address} is not on this machine; copy it to a disk"
            if study.address
            else ("this study was not opened from disk, so there are no files to verify; save it")
        )
        raise DataError(f"{reason} first")
    folder = Directory(study.path)
    descriptor = read_descriptor(folder.text(), folder.descriptor, folder.name)
    files: Files = {name: [folder.file(path) for path in descriptor.paths(name)] for name in descriptor.resources}
    problems = [
        f"{file} was changed: its sha256 differs from {DESCRIPTOR}" for file in _changed_files(descriptor, files)
    ]
    problems += [
        f"{', '.join(descriptor.paths(name))} cannot be verified: {DESCRIPTOR} has no sha256 of it"
        for name in files
        if not descriptor.hashes(name)
    ]
    problems += [f"{name} is in the study, but {DESCRIPTOR} does not list it" for name in unlisted_files(study.path)]
    if not problems:  # what was changed is not counted
        stated, counts = asdict(study.facts), asdict(_counted(study))
        problems += [
            f"{DESCRIPTOR} says {name} = {stated[name]:,}, but the tables have {counts[name]:,}"
            for name in stated
            if stated[name] != counts[name]
        ]
    return tuple(problems)


ROWS_COUNTED = 2**20
"""Results that are counted at a time."""
COUNTED = {
    "sessions": ["session_id"],
    "queries": ["session_id", "query_position", "results_status"],
    "results": ["session_id", "query_position", "rank", "doc_id"],
}
"""What counts are made of."""


def _counted(study: Study) -> Facts:
    """Return the counts of a study on disk, of some sessions at a time."""
    if study.storage.stored is None:
        return facts_of(study.sessions, study.queries, study.results, study.judgments)
    facts = replace(NO_FACTS, judgments=study.judgments.select(pl.len()).collect().item())
    for cut in slices(study, COUNTED, rows=ROWS_COUNTED):
        facts += facts_in_order(cut.sessions.height, cut.queries, cut.results, 0)
    return facts


def _require_size(folder: Folder, name: str, descriptor: Descriptor, files: Sequence[Path | str]) -> float:
    """Return the bytes of a table, which must be as many as its descriptor says; infinity where they are not known."""
    sizes = [size for file in files if (size := folder.size(file)) is not None]
    if len(sizes) < len(files):
        return math.inf
    resource = descriptor.resources[name]
    stated = resource.get("filesize", resource.get("bytes"))  # "bytes" up to layout 2
    if sum(sizes) != stated:
        raise DataError(
            f"{folder.name}: {name} has {sum(sizes)} bytes, but {DESCRIPTOR} says {shown_value(stated)}; the file "
            "was changed or cut short"
        )
    return sum(sizes)


def _require_unchanged(folder: Folder, descriptor: Descriptor, files: Files, names: Sequence[str]) -> None:
    """Refuse tables of these names whose files are not those that were written."""
    changed = _changed_files(descriptor, {name: files[name] for name in names})
    if changed:
        raise DataError(
            f"{folder.name}: {first_names(changed)} {'was' if len(changed) == 1 else 'were'} changed after the study was written (the "
            f"sha256 differs from {DESCRIPTOR}); restore the study from a copy, or ingest the source again"
        )


def _changed_files(descriptor: Descriptor, files: Files) -> list[str]:
    """Return the names of files whose bytes are not those that were written."""
    groups: list[tuple[str, Sequence[Path | str], str]] = []
    for name, paths in files.items():
        named, hashes = descriptor.paths(name), descriptor.hashes(name)
        if len(hashes) == len(paths):
            groups += zip(named, ([path] for path in paths), hashes, strict=True)
        elif hashes:
            groups.append((", ".join(named), paths, hashes[0]))
    try:
        with ThreadPoolExecutor() as pool:  # hashing leaves Python's lock to the others
            actual = list(pool.map(lambda group: sha256(*map(Path, group[1])), groups))
    except OSError as error:
        raise DataError(f"{error.filename} cannot be read ({error.strerror or error})") from None
    return [file for (file, _, stated), computed in zip(groups, actual, strict=True) if computed != stated]


def _scan(folder: Folder, name: str, descriptor: Descriptor, files: Sequence[Path | str]) -> pl.LazyFrame:
    """Scan one table after comparing its rows and columns with what the descriptor says."""
    try:
        frame = folder.scan(files)
        schema = frame.collect_schema()
        rows = frame.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(
            f"{folder.name}: {name} is not readable as Parquet ({first_line(error)}); ingest the source again"
        ) from None
    stated = descriptor.resources[name].get("rowcount")
    if rows != stated:
        raise DataError(
            f"{folder.name}: {name} has {rows} rows where {DESCRIPTOR} says {shown_value(stated)}; the file was changed"
        )
    if name == "rejected":
        frame, schema = _with_cells(frame)
    declared = table(name)
    for field in declared.fields:
        if field.required and field.name not in schema:
            raise DataError(f"{folder.name}: {name} has no column {field.name}; found {', '.join(schema.names())}")
        if field.name in schema and schema[field.name] != field.dtype:
            raise DataError(
                f"{folder.name}: {name}.{field.name} is {schema[field.name]} where the schema says {field.dtype}; "
                "ingest the source again"
            )
    for column in PRIVATE.get(name, ()):
        dtype = schema.get(column)
        if (dtype is None and descriptor.parts is not None) or (dtype is not None and not dtype.is_integer()):
            raise DataError(f"{folder.name}: {name}.{column} is missing or no integer; ingest the source again")
    return frame


def _require_partition_column(descriptor: Descriptor, sessions: pl.LazyFrame) -> None:
    """Refuse a column of partitions that the sessions do not have, or that cannot name a folder."""
    if descriptor.partitioned is None:
        return
    dtype = sessions.collect_schema().get(descriptor.partitioned.by)
    if dtype is None or not names_folders(dtype):
        raise DataError(
            f"{descriptor.where}: sessionkit.partitioned.by is {shown_value(descriptor.partitioned.by)}, which is not a column of "
            "sessions that can name a folder; ingest the source again"
        )


def _with_cells(rejected: pl.LazyFrame) -> tuple[pl.LazyFrame, pl.Schema]:
    """Return rejected rows with the columns that tell of cells, which older studies have not."""
    if "row_kept" not in rejected.collect_schema():
        rejected = rejected.with_columns(column=pl.lit(None, dtype=pl.String), row_kept=pl.lit(value=False))
    return rejected, rejected.collect_schema()


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
        Memory to work within, see `sessionkit.study.batches`; files are smaller with less. By default they are of one
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


PREFIX, SUFFIX = "sessionkit-", ".temporary"
"""How the names of folders begin and end."""
MARK = ".sessionkit-temporary"
"""The file in each that its process has locked."""


class TemporaryFolder:
    """A folder that is removed when the process that made it ends, or earlier when it is told to.

    In a ``with`` statement it is its path, and is removed at the end.
    """

    def __init__(self) -> None:
        clear_leftovers(Path(tempfile.gettempdir()))
        self.owner = os.getpid()
        try:
            parent = Path(tempfile.gettempdir())
            self.path, _ = make_tagged(parent, PREFIX, SUFFIX, lambda path: path.mkdir(mode=0o700))
            self._mark = os.open(self.path / MARK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            if (lack := lack_of_space(error)) is None:
                raise
            raise no_room(Path(tempfile.gettempdir()), lack) from None
        try_lock(self._mark)
        atexit.register(self.remove)

    def remove(self) -> None:
        """Remove it, unless this is a process that was forked from the one that made it."""
        if os.getpid() == self.owner and self._mark >= 0:
            atexit.unregister(self.remove)
            os.close(self._mark)
            self._mark = -1
            _remove(self.path)

    @contextmanager
    def kept_on_success(self) -> Iterator[Path]:
        """Yield its path; remove it where what is done meanwhile fails."""
        with ExitStack() as stack:
            stack.push(self)
            yield self.path
            stack.pop_all()

    def __enter__(self) -> Path:
        """Return the path."""
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove it; say so where there was no room in it."""
        self.remove()
        if isinstance(error, (OSError, pl.exceptions.PolarsError)) and (lack := lack_of_space(error)):
            raise no_room(self.path.parent, lack) from None


def no_room(folder: Path, lack: str) -> SpaceError:
    """Return the error for temporary files that find no room in a folder."""
    return SpaceError(
        f"no room for temporary files in {folder}: {lack}; free some space, or set TMPDIR to another folder"
    )


@cache
def clear_leftovers(directory: Path) -> None:
    """Remove folders of processes that were killed: nobody has their mark locked, or they have none and are empty and old.

    Once in a process: a look at every folder of it costs more than a small log takes to read. What is left by a process that
    is killed later is removed by the next one.
    """
    for folder in find_tagged(directory, PREFIX, SUFFIX):
        try:
            held = os.open(folder / MARK, os.O_RDWR)
        except FileNotFoundError:
            with suppress(OSError):  # it is another user's, or not empty
                if time.time() - folder.stat().st_mtime > SETTLED:  # else it may be about to get its mark
                    folder.rmdir()
            continue
        except OSError:  # it is another user's
            continue
        try:
            if is_left(held):
                _remove(folder)
        finally:
            os.close(held)


def _remove(folder: Path) -> None:
    """Remove a folder, its mark last: by that the next process finds it, should this one be killed meanwhile."""
    with suppress(OSError):  # somebody has removed it
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != MARK:
                path.unlink(missing_ok=True)
        (folder / MARK).unlink(missing_ok=True)
        folder.rmdir()


def copy_package(package: Path, directory: Path) -> Path:
    """Put a copy of a written study at `directory` in one step; return the directory.

    The files are linked where both lie on one disk, and copied elsewhere.

    Raises
    ------
    UsageError
        The place cannot be written, or holds something else than a study.
    """
    refuse_to_replace(directory)
    with sole_writer(directory), study_draft(directory) as draft:
        for path in sorted(package.rglob("*")):
            place = draft / path.relative_to(package)
            if path.is_dir():
                place.mkdir()
            else:
                linked(path, place)
    return directory
