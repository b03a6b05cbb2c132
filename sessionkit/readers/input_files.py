"""The files of a log, for formats other than tables: those the user named, and those in folders the user named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sessionkit.errors import DataError
from sessionkit.readers.batch_sizes import is_large
from sessionkit.readers.config import Config
from sessionkit.readers.io.limits import refuse_long_line
from sessionkit.readers.io.log_files import LogFile, is_packed, open_log
from sessionkit.readers.sniffer import hidden


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
    found = _found(config, copies)
    if not parquet:
        _refuse_parquet(found, config)
    by_line = [file for file in found if file.kind == "text" and not file.head.startswith((b"<", b"["))]
    large = bool(by_line) and is_large(found, memory)
    for file in by_line:
        if not (large and is_packed(file.path)):  # to unpack much once more takes long
            refuse_long_line(file, memory)
    return found


def _found(config: Config, copies: Path) -> list[LogFile]:
    """Return the files the user named and those in the folders the user named, opened."""
    as_is = config.options.get("encoding") is not None  # the format reads it itself
    found: list[LogFile] = []
    for name in config.paths:
        place = config.folder / name
        if not place.is_dir():
            found.append(open_log(name, config.folder, copies, encoding=config.encoding, as_is=as_is))
            continue
        inside = sorted(path for path in place.rglob("*") if path.is_file() and not hidden(path.relative_to(place)))
        found += [
            open_log(
                str(Path(name) / path.relative_to(place)),
                config.folder,
                copies,
                encoding=config.encoding,
                as_is=as_is,
                is_beside=True,
            )
            for path in inside
            if path.stat().st_size
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


def _refuse_parquet(files: Sequence[LogFile], config: Config) -> None:
    """Raise DataError where the user named a Parquet file, or there is nothing else, for a format of text."""
    tables = [file.name for file in files if file.kind == "parquet"]
    named = tables[:1] if len(tables) == len(files) else [one for one in tables if one in config.paths]
    if named:
        raise DataError(
            f"{named[0]} is Parquet, which format {config.format} does not read; write it as text (polars: "
            'scan_parquet("FILE").sink_csv("NEW"), or sink_ndjson), or describe its columns in study.toml, as format tables or events'
        )
