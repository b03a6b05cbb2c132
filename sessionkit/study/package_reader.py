"""Opening a study from disk or object storage: its files must lie beneath it, and be as the descriptor says."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.contract import table
from sessionkit.display.words import first_names
from sessionkit.errors import DataError
from sessionkit.study.atomic_files import moved_aside
from sessionkit.study.batches import slices
from sessionkit.study.descriptor import Descriptor, hash_of, read_descriptor, shown_value, unlisted_files
from sessionkit.study.facts import NO_FACTS, Facts, facts_in_order, facts_of
from sessionkit.study.locations import Address, Directory, Folder, first_line, folder_at
from sessionkit.study.partition_folders import names_folders
from sessionkit.study.resources import sha256
from sessionkit.study.row_index import PRIVATE, public
from sessionkit.study.storage import DESCRIPTOR, LOG, Storage, StoredBatch, identity_of
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
