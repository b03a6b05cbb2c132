"""The ``datapackage.json`` of a saved study: what it says of files, tables and partitions, and the checks before any file is opened."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints
from urllib.parse import quote, unquote

import polars as pl

from sessionkit.errors import DataError, UsageError, suggestion, visible
from sessionkit.study.batches import in_order
from sessionkit.study.facts import Facts
from sessionkit.study.numbering import JUDGMENT, KEY, LENGTH, QUERIES, RESULTS
from sessionkit.study.schema import TABLES, document
from sessionkit.study.settings import Settings
from sessionkit.study.storage import DESCRIPTOR, LOG, Added, Partitioned, StudyBatch, scan_files
from sessionkit.study.study import Source, Study

LAYOUT = 3
"""Version of what a study directory looks like; a sessionkit refuses layouts above its own."""
PARTED = 3
"""Layout from which a descriptor keeps a digest of itself, a hash of every file and a list of the log's parts."""
STUDY_TABLES = (*TABLES, "rejected")
WRITTEN = ("$schema", "name", "title", "resources", "sessionkit")
"""Top-level keys that sessionkit writes. Others, and resources that are no tables of a study, are the user's."""
KINDS = {"reader": str, "settings": dict, "facts": dict, "notes": list, "sources": list}
NUMBERED_FILE = re.compile(r"[0-9]{5,}\.parquet")
"""Names of the files of a table that has several."""
SHA256 = re.compile(r"[0-9a-f]{64}")
UNASKED = (".DS_Store", "Thumbs.db", "desktop.ini")
"""Files that systems put into any folder that somebody looks at."""
SHOWN = 60
"""Characters of a wrong value that a message shows."""


class Part(NamedTuple):
    """One part of a log: its partition's folder, the digest of its judged pairs, and the SHA-256 of each table's file."""

    folder: str
    pairs: str
    sha256: Mapping[str, str]


@dataclass(frozen=True)
class Descriptor:
    """A checked descriptor.

    Parameters
    ----------
    where
        What messages call the descriptor.
    resources
        The resources that are tables of a study, by name.
    settings, facts, sources, reader, notes
        Those of the study.
    pairs
        Digest of the judged pairs by which results carry numbers; empty up to layout 2.
    parts
        The parts of the log, in the order of their files; None where an older layout lists none.
    partitioned
        By what the study is partitioned.
    """

    where: str
    resources: Mapping[str, Mapping[str, Any]]
    settings: Settings
    facts: Facts
    sources: tuple[Source, ...]
    reader: str
    notes: tuple[str, ...]
    pairs: str = ""
    parts: tuple[Part, ...] | None = None
    partitioned: Partitioned | None = None

    def paths(self, table: str) -> list[Any]:
        """Return the names of a table's files."""
        return paths_of(self.resources[table])

    def hashes(self, table: str) -> list[str]:
        """Return the SHA-256 of each of a table's files, or a single one of all; empty where the descriptor has none."""
        if table in LOG and self.parts is not None:
            return [part.sha256[table] for part in self.parts]
        sha256 = hash_of(self.resources[table])
        return [sha256] if sha256 else []


def read_descriptor(text: bytes, where: str, study: str) -> Descriptor:
    """Return what a descriptor says.

    Parameters
    ----------
    where, study
        What messages call the descriptor and the study.

    Raises
    ------
    DataError
        It is no descriptor of a study, was written by a newer sessionkit, was edited since it was written, or has values that
        sessionkit would not write.
    """
    content = _parsed(text, where)
    block = _sessionkit_block(content, where, study)
    _require_digest(content, block, where)
    for name, kind in (KINDS if "parts" not in block else {**KINDS, "pairs": str, "parts": list}).items():
        if not isinstance(block.get(name), kind):
            raise DataError(f"{where}: sessionkit.{name} is missing or of the wrong type; ingest the source again")
    resources = _table_resources(content, where)
    descriptor = Descriptor(
        where=where,
        resources=resources,
        settings=_value_of(Settings, block["settings"], where),
        facts=_value_of(Facts, block["facts"], where),
        sources=tuple(_value_of(Source, source, where) for source in block["sources"]),
        reader=block["reader"],
        notes=tuple(str(note) for note in block["notes"]),
        pairs=block.get("pairs", ""),
        parts=_parts(block, where),
        partitioned=_partitioned(block, where),
    )
    _require_partition_folders(descriptor)
    if descriptor.parts is not None:
        _require_written_names(descriptor, descriptor.parts)
        _require_hashes(descriptor, descriptor.parts)
    return descriptor


def digest_of(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 by which changes of a descriptor are found: of all that sessionkit wrote into it but the digest.

    >>> digest_of({"name": "a", "sessionkit": {}}) == digest_of({"sessionkit": {"digest": "x"}, "name": "a"})
    True
    >>> digest_of({"name": "a", "sessionkit": {}}) == digest_of({"licenses": [], "name": "a", "sessionkit": {}})
    True
    """
    covered = {name: content[name] for name in WRITTEN if name in content}
    covered["sessionkit"] = {name: value for name, value in content["sessionkit"].items() if name != "digest"}
    if isinstance(content.get("resources"), list):
        covered["resources"] = [entry for entry in content["resources"] if _is_table(entry)]
    text = json.dumps(covered, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def is_study(directory: Path) -> bool:
    """Return whether a directory's descriptor is one of ours."""
    return _content_at(directory) is not None


def unlisted_files(directory: Path) -> list[str]:
    """Return what lies in a study directory that its descriptor does not list, as paths within it, sorted."""
    return _files_beside(directory, [path for entry in _resources_at(directory) for path in paths_of(entry)])


def foreign_content(directory: Path) -> list[str]:
    """Return what a study directory holds that sessionkit did not write: files, and additions to its descriptor.

    A file that somebody listed in the descriptor is still somebody's.
    """
    content = _content_at(directory)
    if content is None:
        return []
    resources = _resources_at(directory)
    files = _files_beside(
        directory,
        [
            path
            for entry in resources
            if _is_table(entry)
            for path in paths_of(entry)
            if _is_written_name(path, entry["name"])
        ],
    )
    keys = [f"{visible(name)} in {DESCRIPTOR}" for name in content if name not in WRITTEN]
    added = [
        f"the resource {shown_value(entry.get('name'))} in {DESCRIPTOR}" for entry in resources if not _is_table(entry)
    ]
    return [*map(visible, files), *added, *keys]


def paths_of(resource: Mapping[str, Any]) -> list[Any]:
    """Return what a resource names as its files."""
    paths = resource.get("path")
    return paths if isinstance(paths, list) and paths else [paths]


def hash_of(resource: Mapping[str, Any]) -> str:
    """Return the SHA-256 that a resource has; empty where it has none."""
    stored = resource.get("hash")
    return stored.removeprefix("sha256:") if isinstance(stored, str) and stored.startswith("sha256:") else ""


def shown_value(value: object) -> str:
    """Return a value of a descriptor as messages show it."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _content_at(directory: Path) -> dict[str, Any] | None:
    """Return the unchecked descriptor of a study directory; None where it is no study."""
    try:
        content = json.loads((directory / DESCRIPTOR).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and isinstance(content.get("sessionkit"), dict) else None


def _resources_at(directory: Path) -> list[dict[str, Any]]:
    """Return all resources that the unchecked descriptor of a study directory lists."""
    listed = (_content_at(directory) or {}).get("resources")
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def _files_beside(directory: Path, names: Sequence[Any]) -> list[str]:
    """Return what lies in a directory beside its descriptor and files of these names, as paths within it, sorted."""
    expected = {Path(DESCRIPTOR), *(Path(name) for name in names if isinstance(name, str))}
    expected |= {parent for path in expected for parent in path.parents}
    present = (path.relative_to(directory) for path in directory.rglob("*") if path.name not in UNASKED)
    others = {path for path in present if path not in expected}
    return sorted(path.as_posix() for path in others if path.parent not in others)


def _parsed(text: bytes, where: str) -> dict[str, Any]:
    """Return a descriptor as a value."""
    try:
        content = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} cannot be read as JSON ({error}); ingest the source again") from None
    if not isinstance(content, dict):
        raise DataError(f"{where} is not a data package: it is not a JSON object")
    if b"\\ud" in text.lower():  # which also begins a pair of halves, that is one character
        try:
            json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise DataError(
                f"{where} contains half a surrogate pair, which is not text; ingest the source again"
            ) from None
    return content


def _sessionkit_block(content: dict[str, Any], where: str, study: str) -> dict[str, Any]:
    """Return the descriptor's sessionkit block, which must be of a layout that this sessionkit reads."""
    block = content.get("sessionkit")
    if not isinstance(block, dict):
        raise DataError(
            f"{where} is a data package but not a study: it has no sessionkit block; ingest "
            "its tables with a study.toml"
        )
    layout = block.get("layout")
    if isinstance(layout, bool) or not isinstance(layout, int) or layout < 1:
        raise DataError(
            f"{where}: layout is {shown_value(layout)}; it must be a number from 1 to {LAYOUT}; ingest the source again"
        )
    if layout > LAYOUT:
        raise DataError(
            f"{study} was written by sessionkit {str(block.get('version'))[:SHOWN]!r} in layout {shown_value(layout)}; this one reads up "
            f"to {LAYOUT}: upgrade it (pip install --upgrade sessionkit-ir)"
        )
    if layout >= PARTED and "parts" not in block:
        raise DataError(f"{where}: sessionkit.parts is missing; ingest the source again")
    return block


def _require_digest(content: dict[str, Any], block: dict[str, Any], where: str) -> None:
    """Refuse a descriptor that was edited; older layouts, which list no parts, may have no digest."""
    if ("digest" in block or "parts" in block) and block.get("digest") != digest_of(content):
        raise DataError(
            f"{where} was changed after it was written: its digest {'does not match' if 'digest' in block else 'is missing'}; "
            "restore it from a copy, or change the study.toml and ingest the source again"
        )


def _is_table(entry: object) -> bool:
    """Return whether a resource is a table of a study."""
    return isinstance(entry, dict) and entry.get("name") in STUDY_TABLES


def _table_resources(content: dict[str, Any], where: str) -> dict[str, dict[str, Any]]:
    """Return the resources that are tables of a study, by name."""
    listed = content.get("resources")
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise DataError(f"{where} lists no resources; ingest the source again")
    tables = [entry for entry in listed if _is_table(entry)]
    resources = {entry["name"]: entry for entry in tables}
    missing = [name for name in TABLES if name not in resources]
    if missing:
        raise DataError(f"{where} has no resource {', '.join(missing)}; ingest the source again")
    if len(resources) < len(tables):
        raise DataError(f"{where} has several resources for one table; ingest the source again")
    return resources


def _parts(block: dict[str, Any], where: str) -> tuple[Part, ...] | None:
    """Return the parts of the log; None where none are listed, as up to layout 2."""
    if "parts" not in block:
        return None
    if not block["parts"] or not all(_is_part(part) for part in block["parts"]):
        raise DataError(
            f"{where}: sessionkit.parts does not give folder, pairs and sha256 of every file; ingest the source again"
        )
    return tuple(Part(part["folder"], part["pairs"], part["sha256"]) for part in block["parts"])


def _is_part(part: object) -> bool:
    """Return whether a part has a folder, its pairs and a hash of each table of the log."""
    if not isinstance(part, dict) or not all(isinstance(part.get(name), str) for name in ("folder", "pairs")):
        return False
    hashes = part.get("sha256")
    return isinstance(hashes, dict) and all(
        isinstance(hashes.get(name), str) and SHA256.fullmatch(hashes[name]) for name in LOG
    )


def _partitioned(block: dict[str, Any], where: str) -> Partitioned | None:
    """Return by what the study is partitioned."""
    given = block.get("partitioned")
    if given is None:
        return None
    if not isinstance(given, dict) or not isinstance(given.get("added"), list):
        raise DataError(
            f"{where}: sessionkit.partitioned does not have the form that sessionkit writes; ingest the source again"
        )
    added = tuple(_value_of(Added, entry, where) for entry in given["added"])
    partitioned: Partitioned = _value_of(Partitioned, {**given, "added": added}, where)
    return partitioned


def _require_partition_folders(descriptor: Descriptor) -> None:
    """Refuse folders that are none of the partitions, since what is written later goes to folders of these names."""
    partitioned, where = descriptor.partitioned, descriptor.where
    folders = [part.folder for part in descriptor.parts or ()]
    if partitioned is None:
        if folder := next(filter(None, folders), None):
            raise DataError(
                f"{where}: sessionkit.parts has the folder {shown_value(folder)}, but sessionkit.partitioned is missing; ingest the "
                "source again"
            )
        return
    if not folders:
        raise DataError(f"{where}: the study is partitioned, but sessionkit.parts is missing; ingest the source again")
    for folder in (*folders, *(added.folder for added in partitioned.added)):
        if not is_partition_folder(partitioned.by, folder):
            raise DataError(
                f"{where}: {shown_value(folder)} is not a folder of a partition by {shown_value(partitioned.by)}; ingest the source again"
            )
    rejected = descriptor.resources.get("rejected", {}).get("rowcount", 0)
    for kind, total in (("sources", len(descriptor.sources)), ("notes", len(descriptor.notes)), ("rejected", rejected)):
        count = sum(getattr(added, kind) for added in partitioned.added)
        if not isinstance(total, int) or count > total:
            raise DataError(
                f"{where}: sessionkit.partitioned says that {count} {kind} were added, but there are {shown_value(total)}; ingest the "
                "source again"
            )


def _require_written_names(descriptor: Descriptor, parts: tuple[Part, ...]) -> None:
    """Refuse files that are not called as sessionkit calls them, or do not lie in the folder of their part."""
    for table in descriptor.resources:
        paths = descriptor.paths(table)
        folders = [part.folder for part in parts] if table in LOG else [""]
        if len(paths) != len(folders) or len({str(path) for path in paths}) < len(paths):
            raise DataError(
                f"{descriptor.where} names {len(set(map(str, paths)))} files for {table} in place of {len(folders)}; ingest the "
                "source again"
            )
        for path, folder in zip(paths, folders, strict=True):
            if (folders == [""] and path == f"{table}.parquet") or (table in LOG and _is_numbered(path, table, folder)):
                continue
            raise DataError(
                f"{descriptor.where} names the file {shown_value(path)} for {table}; a study may name only files inside its own "
                f"directory, such as {table}.parquet; ingest the source again"
            )


def _is_numbered(path: object, table: str, folder: str) -> bool:
    """Return whether this is a numbered file of a table in the folder of a partition."""
    if not isinstance(path, str):
        return False
    parent, _, name = path.rpartition("/")
    return parent == (f"{table}/{folder}" if folder else table) and NUMBERED_FILE.fullmatch(name) is not None


def _is_written_name(path: object, table: str) -> bool:
    """Return whether sessionkit calls a file of this table so, in whatever partition."""
    if not isinstance(path, str):
        return False
    folder = path.partition("/")[2].rpartition("/")[0]
    return path == f"{table}.parquet" or ("/" not in folder and _is_numbered(path, table, folder))


def _require_hashes(descriptor: Descriptor, parts: tuple[Part, ...]) -> None:
    """Refuse a descriptor that lacks a hash of a file, or has two different ones for it."""
    for table, resource in descriptor.resources.items():
        stored = hash_of(resource)
        if table not in LOG and not SHA256.fullmatch(stored):
            raise DataError(f"{descriptor.where} has no sha256 of {table}; ingest the source again")
        if table in LOG and stored and [stored] != [part.sha256[table] for part in parts]:
            raise DataError(
                f"{descriptor.where}: the hash of {table} is not that of sessionkit.parts; ingest the source again"
            )


def _value_of(kind: type[Any], given: object, where: str) -> Any:  # noqa: ANN401
    """Return a dataclass from a JSON object, refusing objects that do not fit it."""
    names = {field.name for field in fields(kind)}
    label = kind.__name__.lower()
    if not isinstance(given, dict) or not set(given) <= names:
        raise DataError(f"{where}: {label} does not have the form that sessionkit writes; ingest the source again")
    for name, type_ in get_type_hints(kind).items():
        if kind is not Settings and name in given and not _fits(given[name], type_):
            raise DataError(
                f"{where}: {label}.{name} is {shown_value(given[name])}, which is not valid; ingest the source again"
            )
    try:
        return kind(**given)
    except DataError as error:
        raise DataError(f"{where}: {error}") from None
    except TypeError:
        raise DataError(f"{where}: {label} lacks a value; ingest the source again") from None


def _fits(value: object, type_: Any) -> bool:  # noqa: ANN401
    """Return whether a JSON value is of this type; counts are whole, not below 0, and below 2^63."""
    if isinstance(value, tuple):
        return True
    if isinstance(value, bool) or not isinstance(value, type_):
        return False
    return not isinstance(value, int) or 0 <= value < 2**63


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


NULL = "__HIVE_DEFAULT_PARTITION__"
"""What stands for null in the name of a folder."""
LONGEST = 150
"""Characters of a folder's name; longer ones end in a hash."""
MOST = 10_000
"""Partitions of a study: each is at least three files."""
PARTITION = "__partition"
SHORTENED = re.compile(rf"(?P<beginning>[A-Za-z0-9_.~%=-]{{{LONGEST - 33}}})\+[0-9a-f]{{32}}")
"""Names of folders that end in a hash."""


def folder_of(name: str, value: str | None) -> str:
    """Return the name of the folder of a partition; different values have different names.

    Parameters
    ----------
    name
        The column.
    value
        Its value as text; None for null. Everything but letters and digits of ASCII and ``_.-~`` is written as %XX.

    Examples
    --------
    >>> folder_of("system_id", "BM25/a b"), folder_of("system_id", None)
    ('system_id=BM25%2Fa%20b', 'system_id=__HIVE_DEFAULT_PARTITION__')
    """
    text = NULL if value is None else quote(value, safe="")
    if value == NULL:
        text = text.replace("_", "%5F")
    if text.endswith("."):  # which some file systems do not keep
        text = f"{text[:-1]}%2E"
    whole = f"{quote(name, safe='')}={text}"
    if len(whole) > LONGEST:
        whole = f"{whole[: LONGEST - 33]}+{hashlib.sha256(whole.encode()).hexdigest()[:32]}"
    return whole


def is_partition_folder(name: str, folder: str) -> bool:
    """Return whether `folder_of` gives a folder this name for some value of the column.

    >>> is_partition_folder("system_id", "system_id=BM25%2Fa%20b"), is_partition_folder("system_id", "../system_id=a")
    (True, False)
    """
    beginning = f"{quote(name, safe='')}="
    if shortened := SHORTENED.fullmatch(folder):
        return shortened["beginning"].startswith(beginning[: LONGEST - 33])
    value = unquote(folder.removeprefix(beginning))
    return folder in (folder_of(name, value), folder_of(name, None))


def names_folders(dtype: pl.DataType) -> bool:
    """Return whether values of this type can name folders."""
    return not dtype.is_nested() and dtype != pl.Binary


def require_partition_column(study: Study, name: str) -> None:
    """Refuse a column that the sessions do not have, or that has no or too many values to make folders of.

    Raises
    ------
    UsageError
        It is such a column.
    """
    known = study.columns("sessions")
    if name not in known:
        raise UsageError(
            f"partition_by={name}: no such column in sessions; choose from {', '.join(known)}{suggestion(name, known)}"
        )
    dtype = study.sessions.collect_schema()[name]
    if not names_folders(dtype):
        raise UsageError(f"partition_by={name}: it is {dtype}, which cannot name a folder; choose another column")
    many = study.sessions.select(pl.col(name).n_unique()).collect().item()
    if many > MOST:
        raise UsageError(
            f"partition_by={name}: it has {many:,} values, and each would be a folder; choose a column with at most {MOST:,}"
        )


def by_partition(parts: Iterable[StudyBatch], name: str, rows: int) -> Iterator[StudyBatch]:
    """Sort slices with all their columns into partitions, and hand them on in slices of one partition each.

    Parameters
    ----------
    rows
        About how many results are held back until there are enough for a slice.
    """
    kept: dict[tuple[str | None, bool], list[StudyBatch]] = {}
    held: dict[tuple[str | None, bool], int] = {}
    empty = None
    for part in parts:
        if not len(part.sessions):
            empty = part
            continue
        for value, piece in _pieces(part, name):
            key = (value, piece.numbered)
            kept.setdefault(key, []).append(piece)
            held[key] = held.get(key, 0) + len(piece.sessions) + len(piece.queries) + len(piece.results)
        while sum(held.values()) > rows:
            largest = max(held, key=lambda key: held[key])
            del held[largest]
            yield _together(kept.pop(largest), folder_of(name, largest[0]))
            empty = None
    if empty is not None and not kept:  # a study without sessions has one part nevertheless
        yield replace(empty, folder=folder_of(name, None))
    for value, numbered in list(kept):
        yield _together(kept.pop((value, numbered)), folder_of(name, value))


def _pieces(part: StudyBatch, name: str) -> Iterator[tuple[str | None, StudyBatch]]:
    """The sessions of a slice by their value, as text."""
    value = part.sessions.select("session_id", pl.col(name).cast(pl.String).alias(PARTITION))
    if value.get_column(PARTITION).n_unique() == 1:
        yield value.item(0, PARTITION), part
        return
    frames = [
        part.sessions.with_columns(value.get_column(PARTITION)),
        *(
            frame.join(value, on="session_id", how="left", maintain_order="left")
            for frame in (part.queries, part.results)
        ),
    ]
    found = [frame.partition_by(PARTITION, maintain_order=True, as_dict=True, include_key=False) for frame in frames]
    none = [part.queries.clear(), part.results.clear()]
    for key, sessions in found[0].items():
        queries, results = (rows.get(key, empty) for rows, empty in zip(found[1:], none, strict=True))
        yield key[0], StudyBatch(sessions, queries, results, part.numbered)


def _together(pieces: list[StudyBatch], folder: str) -> StudyBatch:
    """Several slices of one partition as one, in order."""
    sessions, queries, results = (in_order(pl.concat([getattr(piece, name) for piece in pieces]), name) for name in LOG)
    return StudyBatch(sessions, queries, results, pieces[0].numbered, folder)
