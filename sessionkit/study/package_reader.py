"""Opening a study from disk or object storage: its files must lie beneath it, and be as the descriptor says."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, get_type_hints

import polars as pl

from sessionkit.contract import TABLES, table
from sessionkit.errors import DataError
from sessionkit.study.atomic_files import moved_aside
from sessionkit.study.batches import slices
from sessionkit.study.facts import NO_FACTS, Facts, facts_in_order, facts_of
from sessionkit.study.locations import Address, Directory, Folder, first_line, folder_at
from sessionkit.study.package_writer import LAYOUT, digest_of, foreign_files
from sessionkit.study.resources import sha256
from sessionkit.study.row_index import PRIVATE, public
from sessionkit.study.settings import Settings
from sessionkit.study.source import Source
from sessionkit.study.storage import DESCRIPTOR, LOG, Added, Partitioned, Storage, StoredBatch, identity_of
from sessionkit.study.study import Study, guarded_read, no_rejected

Files = dict[str, list[Path | str]]
TRIES, PAUSE = 20, 0.05
"""How often a study is opened that another process replaces meanwhile, and seconds between two tries."""
DIGESTED = 3
"""Layout from which a descriptor keeps a digest of itself."""


def open_study(directory: str | PathLike[str], storage_options: Mapping[str, Any] | None = None) -> Study:
    """Open a saved study: nothing is read but the descriptor and the footers of the Parquet files.

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
        It is no study, it cannot be read, it was written by a newer sessionkit, it names files outside itself, or a file
        is missing or not of the size, length and columns the descriptor says.
    UsageError
        It is an address that cannot be read.
    """
    return _opened(folder_at(directory, storage_options))


def _opened(folder: Folder) -> Study:
    """Open the study in a folder, and again where another process replaces it meanwhile: what was read may be of two studies."""
    if not isinstance(folder, Directory):
        return _opened_once(folder)
    for _ in range(TRIES):
        identity = identity_of(folder.path)
        aside = None if identity else moved_aside(folder.path)
        try:
            study = _opened_once(folder)
        except (DataError, OSError, pl.exceptions.PolarsError):
            if aside is None and identity_of(folder.path) == identity:
                raise
        else:
            if study.storage.identity == identity_of(folder.path):
                return study
        time.sleep(PAUSE)
    if aside is not None:
        raise DataError(
            f"{folder.name} is not there: another process is replacing it, or was killed while it did. Try again; if that does "
            f"not help, rename {aside}, which is the study that was there, to {folder.path.name}"
        )
    raise DataError(f"{folder.name} is being replaced again and again; try again when the other process has ended")


def _opened_once(folder: Folder) -> Study:
    """Open the study in a folder."""
    identity = identity_of(folder.path) if isinstance(folder, Directory) else None
    descriptor = parsed(folder.text(), folder.descriptor)
    where = folder.descriptor
    ours = ours_of(descriptor, where, folder.name)
    resources = resources_of(descriptor, where)
    files: Files = {name: [folder.file(path) for path in paths_of(resource)] for name, resource in resources.items()}
    scans = {name: _scan(folder, name, resource, files[name]) for name, resource in resources.items()}
    tables: dict[str, Any] = {name: public(scan, name) for name, scan in scans.items()}
    tables.setdefault("rejected", no_rejected())
    return Study(
        **tables,
        settings=value_of(Settings, ours["settings"], where),
        sources=tuple(value_of(Source, source, where) for source in ours["sources"]),
        reader=str(ours["reader"]),
        notes=tuple(str(note) for note in ours["notes"]),
        path=folder.path if isinstance(folder, Directory) else None,
        address=folder.name if isinstance(folder, Address) else None,
        storage=Storage(
            identity=identity,
            facts=value_of(Facts, ours["facts"], where),
            partitioned=partitioned_of(ours, where),
            stored=_stored(folder, files, scans, ours),
            numbered_judgments=_numbered(scans["judgments"]),
            files={name: files[name] for name in ("users", "judgments")},
            hashes={name: hash_of(resources[name]) for name in ("users", "judgments")},
        ),
    )


def _numbered(judgments: pl.LazyFrame) -> pl.LazyFrame | None:
    """Return the judgments with their private columns; None where they lack them."""
    return judgments if set(PRIVATE["judgments"]) <= set(judgments.collect_schema().names()) else None


def hash_of(resource: dict[str, Any]) -> str:
    """Return the sha256 that a resource says; nothing where it says none."""
    kept = resource.get("hash")
    return kept.removeprefix("sha256:") if isinstance(kept, str) and kept.startswith("sha256:") else ""


def _stored(
    folder: Folder, files: Files, scans: dict[str, pl.LazyFrame], ours: dict[str, Any]
) -> tuple[StoredBatch, ...] | None:
    """Return the files of the log part by part; None where they lack the private columns."""
    many = {len(files[name]) for name in LOG}
    if len(many) > 1 or any(not set(PRIVATE[name]) <= set(scans[name].collect_schema().names()) for name in LOG):
        return None
    parts = [dict(zip(LOG, paths, strict=True)) for paths in zip(*(files[name] for name in LOG), strict=True)]
    options = folder.options if isinstance(folder, Address) else None
    said = parts_of(ours, len(parts), folder.descriptor)
    if said is None:
        return tuple(StoredBatch(part, options=options) for part in parts)
    return tuple(
        StoredBatch(
            part,
            entry["folder"],
            {name: entry["sha256"][name] for name in LOG},
            entry["pairs"],
            entry["pairs"] == ours["pairs"],
            options,
        )
        for part, entry in zip(parts, said, strict=True)
    )


@guarded_read
def verify_hashes(study: Study) -> tuple[str, ...]:
    """Return a sentence for all of a study on disk that is not as it was written.

    Every file is held against its SHA-256, the descriptor against its digest, the counts it keeps are counted again, and
    what lies in the directory beside the study's files is named. This reads every byte, and the tables once more.

    Raises
    ------
    DataError
        The study was not opened from disk.
    """
    if study.path is None:
        here = (
            f"{study.address} is not on this machine; copy it to a disk"
            if study.address
            else ("this study was not opened from disk, so there are no files to verify; save it")
        )
        raise DataError(f"{here} first")
    folder = Directory(study.path)
    descriptor = parsed(folder.text(), folder.descriptor)
    ours = ours_of(descriptor, folder.descriptor, folder.name)
    problems = _changed_files(folder, descriptor, ours)
    if (ours["layout"] >= DIGESTED or "digest" in ours) and ours.get("digest") != digest_of(descriptor):
        problems.append(f"{DESCRIPTOR} was changed: its digest does not match")
    problems += [f"{name} is in the study, but {DESCRIPTOR} does not list it" for name in foreign_files(study.path)]
    if not problems:  # what was changed is not counted
        kept, counts = asdict(study.facts), asdict(_counted(study))
        problems += [
            f"{DESCRIPTOR} says {name} = {kept[name]:,}, but the tables have {counts[name]:,}"
            for name in kept
            if kept[name] != counts[name]
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


def _changed_files(folder: Directory, descriptor: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """Return a sentence for each file whose bytes are not those that were written."""
    resources = resources_of(descriptor, folder.descriptor)
    problems: list[str] = []
    for name, resource in resources.items():
        paths = [folder.file(path) for path in paths_of(resource)]
        names = [path.relative_to(folder.path).as_posix() for path in paths]
        if hash_of(resource):
            checked = [(", ".join(names), paths, hash_of(resource))]
        elif name in LOG and (said := parts_of(ours, len(paths), folder.descriptor)) is not None:
            checked = [(one, [path], part["sha256"][name]) for one, path, part in zip(names, paths, said, strict=True)]
        else:
            problems.append(f"{', '.join(names)} cannot be verified: {DESCRIPTOR} keeps no sha256 of it")
            continue
        problems += [
            f"{file} was changed: its sha256 differs from {DESCRIPTOR}"
            for file, on_disk, kept in checked
            if sha256(*on_disk) != kept
        ]
    return problems


def _scan(folder: Folder, name: str, resource: dict[str, Any], files: list[Path | str]) -> pl.LazyFrame:
    """Scan one table after comparing its files with what the descriptor says."""
    sizes = [size for file in files if (size := folder.size(file)) is not None]
    size = resource.get("filesize", resource.get("bytes"))  # "bytes" up to layout 2
    if len(sizes) == len(files) and sum(sizes) != size:
        raise DataError(
            f"{folder.name}: {name} has {sum(sizes)} bytes, but {DESCRIPTOR} says {size}; the file "
            "was changed or cut short"
        )
    try:
        frame = folder.scan(files)
        schema = frame.collect_schema()
        rows = frame.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(
            f"{folder.name}: {name} is not readable as Parquet ({first_line(error)}); ingest the source again"
        ) from None
    if rows != resource.get("rowcount"):
        raise DataError(
            f"{folder.name}: {name} has {rows} rows where {DESCRIPTOR} says {resource.get('rowcount')}; the file was "
            "changed"
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
    return frame


def _with_cells(rejected: pl.LazyFrame) -> tuple[pl.LazyFrame, pl.Schema]:
    """Return rejected rows with the columns that tell of cells, which older studies have not."""
    if "row_kept" not in rejected.collect_schema():
        rejected = rejected.with_columns(column=pl.lit(None, dtype=pl.String), row_kept=pl.lit(value=False))
    return rejected, rejected.collect_schema()


PARTED = 3
"""Layout from which a descriptor says of every part of the log its folder, its pairs and its hashes."""
KINDS = {"reader": str, "settings": dict, "facts": dict, "notes": list, "sources": list}


def parsed(text: bytes, where: str) -> dict[str, Any]:
    """Return the descriptor as a value; `where` is what messages call it."""
    try:
        descriptor = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} cannot be read as JSON ({error}); ingest the source again") from None
    if not isinstance(descriptor, dict):
        raise DataError(f"{where} is not a data package: it is not a JSON object")
    if b"\\ud" in text.lower():  # which also begins a pair of halves, that is one character
        try:
            json.dumps(descriptor, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise DataError(
                f"{where} contains half a surrogate pair, which is not text; ingest the source again"
            ) from None
    return descriptor


def ours_of(descriptor: dict[str, Any], where: str, study: str) -> dict[str, Any]:
    """Return the descriptor's sessionkit block."""
    ours = descriptor.get("sessionkit")
    if not isinstance(ours, dict):
        raise DataError(
            f"{where} is a data package but not a study: it has no sessionkit block; ingest "
            "its tables with a study.toml"
        )
    layout = ours.get("layout")
    if isinstance(layout, bool) or not isinstance(layout, int) or layout < 1:
        raise DataError(
            f"{where}: layout is {layout!r}; it must be a number from 1 to {LAYOUT}; ingest the source again"
        )
    if layout > LAYOUT:
        raise DataError(
            f"{study} was written by sessionkit {ours.get('version')} in layout {layout}; this one reads up "
            f"to {LAYOUT}: upgrade it (pip install --upgrade sessionkit-ir)"
        )
    for name, kind in (KINDS if layout < PARTED else {**KINDS, "pairs": str, "parts": list}).items():
        if not isinstance(ours.get(name), kind):
            raise DataError(f"{where}: sessionkit.{name} is missing or of the wrong type; ingest the source again")
    return ours


def resources_of(descriptor: dict[str, Any], where: str) -> dict[str, dict[str, Any]]:
    """Return the resources that are tables of a study, by name."""
    listed = descriptor.get("resources")
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise DataError(f"{where} lists no resources; ingest the source again")
    resources = {entry.get("name"): entry for entry in listed if entry.get("name") in (*TABLES, "rejected")}
    missing = [name for name in TABLES if name not in resources]
    if missing:
        raise DataError(f"{where} has no resource {', '.join(missing)}; ingest the source again")
    return resources


def paths_of(resource: dict[str, Any]) -> list[Any]:
    """Return what a resource says are its files."""
    named = resource.get("path")
    return named if isinstance(named, list) and named else [named]


def parts_of(ours: dict[str, Any], many: int, where: str) -> list[dict[str, Any]] | None:
    """Return what is said of each of the log's parts, of which there are so many; None where nothing is said."""
    listed = ours.get("parts")
    if listed is None:
        return None
    whole = isinstance(listed, list) and len(listed) == many and isinstance(ours.get("pairs"), str)
    if not whole or not all(_is_part(part) for part in listed):
        raise DataError(
            f"{where}: sessionkit.parts does not say folder, pairs and sha256 of every file; ingest the source again"
        )
    return list(listed)


def _is_part(part: object) -> bool:
    """Return whether a part says its folder, its pairs and a hash of each table of the log."""
    if not isinstance(part, dict) or not all(isinstance(part.get(name), str) for name in ("folder", "pairs")):
        return False
    hashes = part.get("sha256")
    return isinstance(hashes, dict) and all(
        isinstance(hashes.get(name), str) for name in ("sessions", "queries", "results")
    )


def partitioned_of(ours: dict[str, Any], where: str) -> Partitioned | None:
    """Return by what the study is partitioned."""
    given = ours.get("partitioned")
    parts = ours.get("parts")
    split = isinstance(parts, list) and any(isinstance(part, dict) and part.get("folder") for part in parts)
    if given is None and not split:
        return None
    if not isinstance(given, dict) or not isinstance(given.get("added"), list):
        raise DataError(
            f"{where}: sessionkit.partitioned does not have the form that sessionkit writes; ingest the source again"
        )
    added = tuple(value_of(Added, entry, where) for entry in given["added"])
    partitioned: Partitioned = value_of(Partitioned, {**given, "added": added}, where)
    return partitioned


def value_of(kind: type[Any], given: object, where: str) -> Any:  # noqa: ANN401
    """Return a dataclass from a JSON object, refusing objects that do not fit it."""
    known = {field.name for field in fields(kind)}
    if not isinstance(given, dict) or not set(given) <= known:
        raise DataError(
            f"{where}: {kind.__name__.lower()} does not have the form that sessionkit writes; ingest the source again"
        )
    for name, type_ in get_type_hints(kind).items():
        if kind is not Settings and name in given and not _fits(given[name], type_):
            raise DataError(
                f"{where}: {kind.__name__.lower()}.{name} is {given[name]!r}, which is not valid; "
                "ingest the source again"
            )
    try:
        return kind(**given)
    except DataError as error:
        raise DataError(f"{where}: {error}") from None
    except TypeError:
        raise DataError(f"{where}: {kind.__name__.lower()} lacks a value; ingest the source again") from None


def _fits(value: object, type_: Any) -> bool:  # noqa: ANN401
    """Return whether a JSON value is of this type; counts are whole, not below 0, and below 2^63."""
    if isinstance(value, tuple):
        return True
    if isinstance(value, bool) or not isinstance(value, type_):
        return False
    return not isinstance(value, int) or 0 <= value < 2**63
