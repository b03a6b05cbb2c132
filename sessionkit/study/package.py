"""A study on disk: a directory that is a valid Data Package, Parquet files beside ``datapackage.json``.

The descriptor holds the schema, bytes, sha256 and row count of every resource and, under ``sessionkit``, settings,
sources, facts and notes. Nothing in it depends on when or where it was written: the same study gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sessionkit import __version__
from sessionkit.contract import TABLES, document
from sessionkit.errors import UsageError
from sessionkit.study.replacing import built_beside

if TYPE_CHECKING:
    from sessionkit.study.study import Study

DESCRIPTOR = "datapackage.json"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
LAYOUT = 1
"""Version of what a study directory looks like; a sessionkit refuses layouts above its own."""
ORDER = {
    "users": ["user_id"],
    "sessions": ["session_id"],
    "queries": ["session_id", "query_position"],
    "results": ["session_id", "query_position", "rank"],
}
LENGTH = "__length"
EXTRA_TYPES: dict[type[pl.DataType], str] = {
    pl.String: "string",
    pl.Boolean: "boolean",
    pl.Date: "date",
    pl.Time: "time",
    pl.Datetime: "datetime",
    pl.Duration: "any",
    pl.List: "array",
    pl.Array: "array",
    pl.Struct: "object",
}


def write_package(study: Study, directory: Path) -> Path:
    """Write the study to `directory` in one step, replacing a study that is there; return the directory.

    Raises
    ------
    UsageError
        `directory` is a file, or a directory with something else in it, or cannot be written.
    """
    refuse_to_replace(directory)
    with built_beside(directory) as draft:
        resources = [_write(study, name, draft) for name in TABLES]
        if not study.rejected.head(1).collect().is_empty():
            resources.append(_write(study, "rejected", draft))
        text = json.dumps(_descriptor(study, resources), indent=2, ensure_ascii=False, allow_nan=False)
        (draft / DESCRIPTOR).write_text(text + "\n", encoding="utf-8", newline="\n")
    return directory


def refuse_to_replace(directory: Path) -> None:
    """Raise UsageError where something stands at `directory` that is neither a study nor an empty directory."""
    if directory.is_dir():
        if any(directory.iterdir()) and not is_study(directory):
            raise UsageError(
                f"{directory} holds something that is no study; it was left alone. Choose another directory"
            )
    elif directory.exists() or directory.is_symlink():
        raise UsageError(f"{directory} is a file, not a directory; it was left alone. Choose another name")


def is_study(directory: Path) -> bool:
    """Return whether a directory's descriptor is one of ours."""
    try:
        descriptor = json.loads((directory / DESCRIPTOR).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(descriptor, dict) and isinstance(descriptor.get("sessionkit"), dict)


def sha256(*paths: Path) -> str:
    """Return the hexadecimal SHA-256 of a file, or of several one after the other."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as stream:
            hashlib.file_digest(stream, lambda: digest)
    return digest.hexdigest()


def _write(study: Study, name: str, folder: Path) -> dict[str, Any]:
    """Write one table and return the resource that describes it."""
    path = folder / f"{name}.parquet"
    frame = with_lengths(study) if name == "queries" else study.table(name)
    by = ORDER.get(name, [])
    if by and not _in_order(frame, by):
        frame = frame.sort(by)
    frame.sink_parquet(path, compression="zstd", statistics=True, row_group_size=2**18, maintain_order=True)
    return {
        "name": name,
        "path": path.name,
        "title": document(name)["title"],
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "bytes": path.stat().st_size,
        "hash": f"sha256:{sha256(path)}",
        "rowcount": pl.scan_parquet(path).select(pl.len()).collect().item(),
        "schema": _schema(name, frame.collect_schema()),
    }


def with_lengths(study: Study) -> pl.LazyFrame:
    """Return the queries with the private column `LENGTH`: how many results each has.

    Scoring counts the results shown to a depth from it, instead of going over them all again.
    """
    by = ["session_id", "query_position"]
    lengths = study.results.group_by(by).agg(pl.len().cast(pl.Int32).alias(LENGTH))
    queries = study.queries.drop(LENGTH, strict=False)
    return queries.join(lengths, on=by, how="left", maintain_order="left").with_columns(pl.col(LENGTH).fill_null(0))


def _in_order(frame: pl.LazyFrame, by: list[str]) -> bool:
    """Return whether the rows already stand in the order of these columns."""
    rises = pl.lit(True)
    for name in reversed(by):
        now, before = pl.col(name), pl.col(name).shift(1)
        rises = (now > before) | ((now == before) & rises)
    return bool(frame.select(rises.slice(1).all()).collect().item())


def _schema(name: str, columns: pl.Schema) -> dict[str, Any]:
    """Return the table's schema with the columns it has here, extras last."""
    declared = document(name)
    known = {entry["name"]: entry for entry in declared["fields"]}
    fields = [known[column] if column in known else _extra(column, dtype) for column, dtype in columns.items()]
    return {**declared, "fields": fields, "foreignKeys": declared.get("foreignKeys", [])}


def _extra(column: str, dtype: pl.DataType) -> dict[str, Any]:
    """Return the field that describes a column found in the source beside the declared ones."""
    kind = EXTRA_TYPES.get(dtype.base_type(), "any")
    if column == LENGTH:
        return {"name": column, "type": "integer", "description": "Number of results; private.", "dtype": str(dtype)}
    if dtype.is_numeric():
        kind = "integer" if dtype.is_integer() else "number"
    return {"name": column, "type": kind, "description": "Found in the source.", "dtype": str(dtype), "extra": True}


def _descriptor(study: Study, resources: list[dict[str, Any]]) -> dict[str, Any]:
    """Return datapackage.json as a value."""
    for resource in resources:
        if not resource["schema"]["foreignKeys"]:
            del resource["schema"]["foreignKeys"]
    title = {"title": study.settings.title} if study.settings.title else {}
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
        },
    }
