"""Reading ``datapackage.json``, distrustfully: what is not as sessionkit writes it is refused by name."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, get_type_hints

from sessionkit.contract import TABLES
from sessionkit.errors import DataError
from sessionkit.study.package_writer import LAYOUT
from sessionkit.study.settings import Settings
from sessionkit.study.storage import Added, Partitioned

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
        raise DataError(f"{where} is not a data package: it holds no object")
    if b"\\ud" in text.lower():  # which also begins a pair of halves, that is one character
        try:
            json.dumps(descriptor, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise DataError(f"{where} holds half a character, which is no text; ingest the source again") from None
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
        raise DataError(f"{where}: sessionkit.partitioned is not as sessionkit writes it; ingest the source again")
    added = tuple(value_of(Added, entry, where) for entry in given["added"])
    partitioned: Partitioned = value_of(Partitioned, {**given, "added": added}, where)
    return partitioned


def value_of(kind: type[Any], given: object, where: str) -> Any:  # noqa: ANN401
    """Return a dataclass from a JSON object, refusing objects that do not fit it."""
    known = {field.name for field in fields(kind)}
    if not isinstance(given, dict) or not set(given) <= known:
        raise DataError(f"{where}: {kind.__name__.lower()} is not as sessionkit writes it; ingest the source again")
    for name, type_ in get_type_hints(kind).items():
        if kind is not Settings and name in given and not _fits(given[name], type_):
            raise DataError(
                f"{where}: {kind.__name__.lower()}.{name} is {given[name]!r}, which it cannot be; "
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
