"""Opening a study from disk: its descriptor may name only files beneath itself, and they must be as it says."""

from __future__ import annotations

import json
from dataclasses import fields
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any, get_type_hints

import polars as pl

from sessionkit.contract import TABLES, table
from sessionkit.errors import DataError
from sessionkit.study.facts import Facts
from sessionkit.study.package import DESCRIPTOR, LAYOUT, sha256
from sessionkit.study.places import PRIVATE, public
from sessionkit.study.settings import Settings
from sessionkit.study.slices import LOG, Stored
from sessionkit.study.source import Source
from sessionkit.study.study import Study, no_rejected


def open_study(directory: str | PathLike[str]) -> Study:
    """Open a study directory: nothing is read but the descriptor and the footers of the Parquet files.

    Parameters
    ----------
    directory
        A directory written by ``study.save`` or ``sessionkit ingest``.

    Raises
    ------
    DataError
        It is no study, it was written by a newer sessionkit, it names files outside itself, or a file is missing or not
        of the size, length and columns the descriptor says.
    """
    folder = Path(directory)
    descriptor = _descriptor(folder)
    ours = _ours(descriptor, folder)
    resources = _resources(descriptor, folder)
    tables: dict[str, Any] = {name: public(_scan(folder, name, resource), name) for name, resource in resources.items()}
    tables.setdefault("rejected", no_rejected())
    study = Study(
        **tables,
        settings=_value(Settings, ours["settings"], folder),
        sources=tuple(_value(Source, source, folder) for source in ours["sources"]),
        reader=str(ours["reader"]),
        notes=tuple(str(note) for note in ours["notes"]),
        path=folder,
    )
    study.__dict__["facts"] = _value(Facts, ours["facts"], folder)
    study.__dict__["stored"] = _stored(folder, resources)
    return study


def _stored(folder: Path, resources: dict[str, dict[str, Any]]) -> tuple[Stored, ...] | None:
    """Return the files of the log part by part; None where they lack the private columns."""
    files = {name: _files(folder, resources[name]) for name in LOG}
    if len({len(paths) for paths in files.values()}) > 1:
        return None
    parts = [dict(zip(LOG, paths, strict=True)) for paths in zip(*files.values(), strict=True)]
    known = {name: set(pl.scan_parquet(paths, glob=False).collect_schema().names()) for name, paths in files.items()}
    if any(not set(PRIVATE[name]) <= known[name] for name in LOG):
        return None
    return tuple(Stored(part) for part in parts)


def verify_hashes(study: Study) -> tuple[str, ...]:
    """Return a sentence for each file of a study on disk whose bytes are not those that were written.

    Raises
    ------
    DataError
        The study was not opened from disk.
    """
    if study.path is None:
        raise DataError("this study was not opened from disk, so there are no files to verify; save it first")
    descriptor = _descriptor(study.path)
    resources = _resources(descriptor, study.path).values()
    return tuple(problem for resource in resources if (problem := _changed(study.path, resource)) is not None)


def _changed(folder: Path, resource: dict[str, Any]) -> str | None:
    """Return a sentence where a resource's bytes, or those of its files one after the other, are not as written."""
    paths = _files(folder, resource)
    names = ", ".join(path.relative_to(folder).as_posix() for path in paths)
    kept = resource.get("hash")
    if not isinstance(kept, str) or not kept.startswith("sha256:"):
        return f"{names} cannot be verified: {DESCRIPTOR} keeps no sha256 of it"
    if f"sha256:{sha256(*paths)}" == kept:
        return None
    return f"{names} is not the file that was written: its sha256 differs from {DESCRIPTOR}"


def _descriptor(folder: Path) -> dict[str, Any]:
    """Return datapackage.json as a value."""
    path = folder / DESCRIPTOR
    if not folder.exists():
        raise DataError(f"{folder} does not exist; name a study directory, a study.toml or a log file")
    if not folder.is_dir():
        raise DataError(
            f"{folder} is a file, not a study directory; `sessionkit ingest {folder} --out STUDY` makes one from a log"
        )
    if not path.is_file():
        raise DataError(
            f"{folder} is a directory but not a study: it has no {DESCRIPTOR}; "
            "make one with `sessionkit ingest SOURCE --out STUDY`"
        )
    try:
        descriptor = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read as JSON ({error}); ingest the source again") from None
    if not isinstance(descriptor, dict):
        raise DataError(f"{path} is not a data package: it holds no object")
    return descriptor


def _ours(descriptor: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the descriptor's sessionkit block."""
    ours = descriptor.get("sessionkit")
    if not isinstance(ours, dict):
        raise DataError(
            f"{folder / DESCRIPTOR} is a data package but not a study: it has no sessionkit block; ingest "
            "its tables with a study.toml"
        )
    layout = ours.get("layout")
    if isinstance(layout, bool) or not isinstance(layout, int) or layout < 1:
        raise DataError(
            f"{folder / DESCRIPTOR}: layout is {layout!r}; it must be a number from 1 to {LAYOUT}; ingest the source again"
        )
    if layout > LAYOUT:
        raise DataError(
            f"{folder} was written by sessionkit {ours.get('version')} in layout {layout}; this one reads up "
            f"to {LAYOUT}: upgrade sessionkit"
        )
    kinds = {"reader": str, "settings": dict, "facts": dict, "notes": list, "sources": list}
    for name, kind in kinds.items():
        if not isinstance(ours.get(name), kind):
            raise DataError(
                f"{folder / DESCRIPTOR}: sessionkit.{name} is missing or of the wrong type; ingest the source again"
            )
    return ours


def _resources(descriptor: dict[str, Any], folder: Path) -> dict[str, dict[str, Any]]:
    """Return the resources that are tables of a study, by name."""
    listed = descriptor.get("resources")
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise DataError(f"{folder / DESCRIPTOR} lists no resources; ingest the source again")
    resources = {entry.get("name"): entry for entry in listed if entry.get("name") in (*TABLES, "rejected")}
    missing = [name for name in TABLES if name not in resources]
    if missing:
        raise DataError(f"{folder / DESCRIPTOR} has no resource {', '.join(missing)}; ingest the source again")
    return resources


def _beneath(folder: Path, name: object) -> Path:
    """Return the path of a resource, which must lie beneath the study's directory."""
    text = name if isinstance(name, str) else ""
    plain = text and not text.startswith("/") and "\\" not in text and ":" not in text
    parts = PurePosixPath(text).parts
    path = folder.joinpath(*parts)
    if not plain or ".." in parts or not path.resolve().is_relative_to(folder.resolve()):
        raise DataError(
            f"{folder / DESCRIPTOR} names the file {name!r}; a study may name only files beneath its own directory"
        )
    if not path.is_file():
        raise DataError(f"{folder / DESCRIPTOR} names the file {name!r}, which is not there; ingest the source again")
    return path


def _files(folder: Path, resource: dict[str, Any]) -> list[Path]:
    """Return the files of a resource."""
    named = resource.get("path")
    return [_beneath(folder, part) for part in (named if isinstance(named, list) and named else [named])]


def _scan(folder: Path, name: str, resource: dict[str, Any]) -> pl.LazyFrame:
    """Scan one table after comparing its files with what the descriptor says."""
    paths = _files(folder, resource)
    size = sum(path.stat().st_size for path in paths)
    if size != resource.get("bytes"):
        raise DataError(
            f"{folder}: {name} has {size} bytes where {DESCRIPTOR} says {resource.get('bytes')}; the file "
            "was changed or cut short"
        )
    try:
        frame = pl.scan_parquet(paths, glob=False)
        schema = frame.collect_schema()
        rows = frame.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(
            f"{folder}: {name} is not readable as Parquet ({str(error).splitlines()[0]}); ingest the source again"
        ) from None
    if rows != resource.get("rowcount"):
        raise DataError(
            f"{folder}: {name} has {rows} rows where {DESCRIPTOR} says {resource.get('rowcount')}; the file was changed"
        )
    declared = table(name)
    for field in declared.fields:
        if field.required and field.name not in schema:
            raise DataError(f"{folder}: {name} has no column {field.name}; found {', '.join(schema.names())}")
        if field.name in schema and schema[field.name] != field.dtype:
            raise DataError(
                f"{folder}: {name}.{field.name} is {schema[field.name]} where the schema says {field.dtype}; "
                "ingest the source again"
            )
    return frame


def _value(kind: type[Any], given: object, folder: Path) -> Any:  # noqa: ANN401
    """Return a dataclass from a JSON object, refusing objects that do not fit it."""
    known = {field.name for field in fields(kind)}
    if not isinstance(given, dict) or not set(given) <= known:
        raise DataError(
            f"{folder / DESCRIPTOR}: {kind.__name__.lower()} is not as sessionkit writes it; ingest the source again"
        )
    for name, type_ in get_type_hints(kind).items():
        if kind is not Settings and name in given and not _fits(given[name], type_):
            raise DataError(
                f"{folder / DESCRIPTOR}: {kind.__name__.lower()}.{name} is {given[name]!r}, which it cannot be; "
                "ingest the source again"
            )
    try:
        return kind(**given)
    except DataError as error:
        raise DataError(f"{folder / DESCRIPTOR}: {error}") from None
    except TypeError:
        raise DataError(
            f"{folder / DESCRIPTOR}: {kind.__name__.lower()} lacks a value; ingest the source again"
        ) from None


def _fits(value: object, type_: Any) -> bool:  # noqa: ANN401
    """Return whether a JSON value is of this type; counts are whole and not below 0."""
    if isinstance(value, bool) or not isinstance(value, type_):
        return False
    return not isinstance(value, int) or value >= 0
