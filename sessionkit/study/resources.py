"""How a descriptor describes the files of one table: schema, size, sha256 and row count."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.contract import document
from sessionkit.study.judgment_index import JUDGMENT, KEY
from sessionkit.study.row_index import LENGTH, QUERIES, RESULTS
from sessionkit.study.storage import scan_files

MEANINGS = {
    QUERIES: "Private: number of the session's queries.",
    RESULTS: "Private: number of the session's results.",
    LENGTH: "Private: number of the query's results.",
    JUDGMENT: "Private: place of the judgment among the distinct (judgment_key, doc_id), sorted; from 0.",
    KEY: "Private: place of the judgment_key among the distinct ones, sorted; from 0.",
}
EXTRA_TYPES: dict[type[pl.DataType], str] = {
    pl.String: "string",
    pl.Boolean: "boolean",
    pl.Date: "date",
    pl.Time: "time",
    pl.Datetime: "datetime",
    pl.Duration: "any",
    pl.List: "any",
    pl.Array: "any",
    pl.Struct: "object",
}
"""Types of columns that no schema of ours declares. A list is no "array", whose values are JSON texts or Python lists."""
MISSING = ["", "nan"]
"""Texts of a missing number: a reader that goes through pandas, as frictionless does, makes nan of a null in Parquet."""


def sha256(*paths: Path) -> str:
    """Return the hexadecimal SHA-256 of a file, or of several one after the other."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as stream:
            hashlib.file_digest(stream, lambda: digest)
    return digest.hexdigest()


def resource(name: str, paths: list[Path], folder: Path, known: str | None = None) -> dict[str, Any]:
    """Return the resource that describes a table's files.

    A resource of one file has its hash; those of several files are kept one by one among the study's parts, so that
    adding a file does not mean reading all others. `known` is the hash where it has been worked out already. The size
    of all files stands in ``filesize``: tools compare the standard ``bytes`` with what they read as text, of which a
    Parquet file has none.
    """
    frame = scan_files(paths)
    relative = [path.relative_to(folder).as_posix() for path in paths]
    alone = len(paths) == 1
    described = {
        "name": name,
        "path": relative[0] if alone else relative,
        "title": document(name)["title"],
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "filesize": sum(path.stat().st_size for path in paths),
        **({"hash": f"sha256:{known or sha256(*paths)}"} if alone else {}),
        "rowcount": frame.select(pl.len()).collect().item(),
        "schema": _schema(name, frame.collect_schema()),
    }
    if not described["schema"]["foreignKeys"]:
        del described["schema"]["foreignKeys"]
    return described


def _schema(name: str, columns: pl.Schema) -> dict[str, Any]:
    """Return the table's schema with the columns it has here, extras last."""
    declared = document(name)
    known = {entry["name"]: entry for entry in declared["fields"]}
    fields = [known[column] if column in known else _extra(column, dtype) for column, dtype in columns.items()]
    return {
        **declared,
        "fields": [_with_missing(field) for field in fields],
        "foreignKeys": declared.get("foreignKeys", []),
    }


def _with_missing(field: dict[str, Any]) -> dict[str, Any]:
    """Return a field that says how a missing number may read, where one may be missing."""
    required = field.get("constraints", {}).get("required")
    return field if required or field["type"] not in {"integer", "number"} else {**field, "missingValues": MISSING}


def _extra(column: str, dtype: pl.DataType) -> dict[str, Any]:
    """Return the field that describes a column found in the source beside the declared ones."""
    kind = EXTRA_TYPES.get(dtype.base_type(), "any")
    if column in MEANINGS:
        return {"name": column, "type": "integer", "description": MEANINGS[column], "dtype": str(dtype)}
    if dtype.is_numeric():
        kind = "integer" if dtype.is_integer() else "number"
    return {"name": column, "type": kind, "description": "Found in the source.", "dtype": str(dtype), "extra": True}
