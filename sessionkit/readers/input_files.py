"""The files of a log, for formats other than tables: those the user named, and those in folders the user named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sessionkit.errors import DataError
from sessionkit.readers.batch_sizes import is_large
from sessionkit.readers.config import Config
from sessionkit.readers.io.limits import refuse_odd_lines
from sessionkit.readers.io.log_files import LogFile, is_packed, open_log, paths_in
from sessionkit.readers.sniffer import hidden

BLANKS = b" \t\r\n\xef\xbb\xbf"
"""Blanks, ends of lines and the mark of UTF-8 at the beginning of a file."""
FEW_BYTES = 64
"""A file of more bytes is not looked at to see whether it holds blanks alone."""


def inputs(config: Config, copies: Path, memory: int, *, parquet: bool = False) -> list[LogFile]:
    """Return the files the user named and those in the folders the user named, in order.

    Parameters
    ----------
    copies
        A directory for copies of files that are not UTF-8.
    memory
        Bytes that may be used.
    parquet
        Whether the format reads Parquet as well.

    Raises
    ------
    DataError
        There are none, or one is missing, unreadable or empty, is Parquet and should not be, or has a line that is too long.
    """
    found = _found(config, copies, memory)
    if not parquet:
        _refuse_parquet(found, config)
    by_line = [file for file in found if file.kind == "text" and not file.head.startswith((b"<", b"["))]
    large = bool(by_line) and is_large(found, memory)
    for file in by_line:
        if not (large and is_packed(file.path)):  # to unpack much once more takes long
            refuse_odd_lines(file, memory)
    return found


def _found(config: Config, copies: Path, memory: int) -> list[LogFile]:
    """Return the files the user named and those in the folders the user named, opened."""
    as_is = config.options.get("encoding") is not None  # the format reads it itself
    found: list[LogFile] = []
    for name in config.paths:
        place = config.folder / name
        if not place.is_dir():
            found += [
                open_log(path, config.folder, copies, encoding=config.encoding, as_is=as_is, memory=memory)
                for path in filled(paths_in(name, config.folder), config.folder)
            ]
            continue
        found += [
            open_log(
                str(Path(name) / path.relative_to(place)),
                config.folder,
                copies,
                encoding=config.encoding,
                as_is=as_is,
                memory=memory,
                is_beside=True,
            )
            for path in _files_at(name, config.folder)
            if not _is_empty(path)
        ]
    if config.encoding is not None and found and all(file.kind == "parquet" for file in found):
        raise DataError(
            f"{config.name}: encoding = {config.encoding!r} is set for {found[0].name}, which is Parquet and has its "
            "own encoding; leave encoding out"
        )
    if not found:
        named = ", ".join(config.paths)
        raise DataError(
            f"{named}: it contains no file that is not empty"
            if named
            else f"{config.name} names no log: path is missing"
        )
    return found


def filled(names: Sequence[str], base: Path) -> list[str]:
    """Return the files that are not empty; all of them where all are, to be refused."""
    return [name for name in names if not _is_empty(base / name)] or list(names)


def empty_inputs(config: Config) -> list[str]:
    """Return the names of the files that a study.toml names, by a folder or a pattern too, and that are empty."""
    tables = [one["path"] for one in (*config.tables.values(), *config.questionnaires)]
    given = [*config.paths, *(name for path in tables for name in ([path] if isinstance(path, str) else path))]
    places = [place for name in given for place in _files_at(name, config.folder)]
    return list(dict.fromkeys(place.name for place in places if _is_empty(place)))


def _files_at(name: str, base: Path) -> list[Path]:
    """Return the files in a folder, or those that a name or a pattern says."""
    place = base / name
    if not place.is_dir():
        return [base / path for path in paths_in(name, base)]
    return sorted(path for path in place.rglob("*") if path.is_file() and not hidden(path.relative_to(place)))


def _is_empty(path: Path) -> bool:
    """Return whether a file is there and holds no record: no bytes, or blanks alone."""
    if not path.is_file():
        return False
    size = path.stat().st_size
    return not size or (size <= FEW_BYTES and not path.read_bytes().strip(BLANKS))


def _refuse_parquet(files: Sequence[LogFile], config: Config) -> None:
    """Raise DataError where the user named a Parquet file, or there is nothing else, for a format of text."""
    tables = [file.name for file in files if file.kind == "parquet"]
    named = tables[:1] if len(tables) == len(files) else [one for one in tables if one in config.paths]
    if named:
        raise DataError(
            f"{named[0]} is Parquet, which format {config.format} does not read; write it as text (polars: "
            'scan_parquet("FILE").sink_csv("NEW"), or sink_ndjson), or describe its columns in study.toml, as format tables or events'
        )
