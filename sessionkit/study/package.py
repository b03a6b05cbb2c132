"""A study on disk: a directory that is a valid Data Package, Parquet files beside ``datapackage.json``.

The descriptor holds the schema, bytes, sha256 and row count of every resource and, under ``sessionkit``, settings,
sources, facts and notes. Nothing in it depends on when or where it was written: the same study gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sessionkit import __version__
from sessionkit.contract import TABLES, document
from sessionkit.errors import UsageError
from sessionkit.study.pairs import Pairs
from sessionkit.study.places import JUDGMENT, LENGTH, QUERIES, RESULTS, numbered
from sessionkit.study.replacing import built_beside
from sessionkit.study.slices import LOG, ORDER, Slice, slices

if TYPE_CHECKING:
    from sessionkit.study.study import Study

DESCRIPTOR = "datapackage.json"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
LAYOUT = 2
"""Version of what a study directory looks like; a sessionkit refuses layouts above its own."""
ROWS = 2**23
"""Results of one file."""
MEANINGS = {
    QUERIES: "Private: number of the session's queries.",
    RESULTS: "Private: number of the session's results.",
    LENGTH: "Private: number of the query's results.",
    JUDGMENT: "Private: place of the result's judgment among the distinct (judgment_key, doc_id), sorted; from 0.",
}
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


def write_package(
    study: Study,
    directory: Path,
    parts: Iterable[Slice] | None = None,
    finished: Callable[[], Study] | None = None,
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

    Raises
    ------
    UsageError
        `directory` is a file, or a directory with something else in it, or cannot be written.
    """
    refuse_to_replace(directory)
    with built_beside(directory) as draft:
        written = _write_log(slices(study, rows=ROWS) if parts is None else parts, Pairs.of(study.judgments), draft)
        study = study if finished is None else finished()
        for name in ("users", "judgments", "rejected"):
            frame = study.table(name)
            if name != "rejected" or not frame.head(1).collect().is_empty():
                written[name] = [_write(frame.sort(ORDER[name]) if name in ORDER else frame, draft / f"{name}.parquet")]
        resources = [_resource(name, written[name], draft) for name in (*TABLES, "rejected") if name in written]
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


def _write_log(parts: Iterable[Slice], pairs: Pairs, folder: Path) -> dict[str, list[Path]]:
    """Write the log part by part, with its private columns, and return the files of each table."""
    written: dict[str, list[Path]] = {name: [] for name in LOG}
    for number, part in enumerate(parts):
        frames = (part.sessions, part.queries, part.results)
        private = frames if part.numbered else numbered(*frames, pairs)
        for name, frame in zip(LOG, private, strict=True):
            (folder / name).mkdir(exist_ok=True)
            written[name].append(_write(frame.lazy(), folder / name / f"{number:05}.parquet"))
    for name, paths in written.items():
        if len(paths) == 1:
            written[name] = [paths[0].rename(folder / f"{name}.parquet")]
            (folder / name).rmdir()
    return written


def _write(frame: pl.LazyFrame, path: Path) -> Path:
    """Write one file of a table."""
    frame.sink_parquet(path, compression="zstd", statistics=True, row_group_size=2**18, maintain_order=True)
    return path


def _resource(name: str, paths: list[Path], folder: Path) -> dict[str, Any]:
    """Return the resource that describes a table's files."""
    frame = pl.scan_parquet(paths, glob=False)
    relative = [path.relative_to(folder).as_posix() for path in paths]
    return {
        "name": name,
        "path": relative[0] if len(relative) == 1 else relative,
        "title": document(name)["title"],
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "bytes": sum(path.stat().st_size for path in paths),
        "hash": f"sha256:{sha256(*paths)}",
        "rowcount": frame.select(pl.len()).collect().item(),
        "schema": _schema(name, frame.collect_schema()),
    }


def _schema(name: str, columns: pl.Schema) -> dict[str, Any]:
    """Return the table's schema with the columns it has here, extras last."""
    declared = document(name)
    known = {entry["name"]: entry for entry in declared["fields"]}
    fields = [known[column] if column in known else _extra(column, dtype) for column, dtype in columns.items()]
    return {**declared, "fields": fields, "foreignKeys": declared.get("foreignKeys", [])}


def _extra(column: str, dtype: pl.DataType) -> dict[str, Any]:
    """Return the field that describes a column found in the source beside the declared ones."""
    kind = EXTRA_TYPES.get(dtype.base_type(), "any")
    if column in MEANINGS:
        return {"name": column, "type": "integer", "description": MEANINGS[column], "dtype": str(dtype)}
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
