"""Flat logs in bands: all lines of some users (or sessions) at a time, however they lie in the files.

What belongs together in a flat log, the lines of a user or of a session, has to be seen together; a large log cannot be
seen as a whole. So it is seen in bands, each a range of users of about the same size. Where its lines are in the order of
users already, a band is read from where they stand (``spans.py``); else the lines are first sorted into bands, through
temporary files. A small log is one band, in memory.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from sessionkit.contract import RECORD
from sessionkit.errors import DataError
from sessionkit.readers.io.invalid_bytes import is_undecodable
from sessionkit.readers.io.log_files import DAMAGED, HEAD, LogFile, cut_short, unpacked
from sessionkit.readers.io.record_store import room_in, split, split_off
from sessionkit.readers.records import Log
from sessionkit.readers.stream import NotAsItComesError

Band = Callable[[], pl.LazyFrame]
"""Gives the records of a band, in memory and in their order, once."""
TEXT = "__text"
BAND = "__band"
STRIDE = 2**33
"""Records that a file may have: record 7 of the third file has the number ``2 * STRIDE + 7``."""
BAND_BYTES = 8_000_000
"""Bytes of text that a band should have; up to three bands are in memory at a time."""
MOST = 128
"""Bands at most that lines are sorted into: each is a file that is written at the same time."""
MOST_IN_PLACE = 1024
"""Bands at most that are read from where they stand."""
HELD = 2**12
"""Records of a band that are held before they are written."""
AT_ONCE = 16
"""Files that are read at the same time."""
BLOCK = 1 << 18
"""Bytes of text of which one line is looked at to find bands of like size."""
NEW_LINE = ord("\n")


class UndecodableError(NotAsItComesError):
    """Some lines of the files have bytes that are no text."""


@dataclass(frozen=True)
class Key:
    """What says which lines belong together.

    Parameters
    ----------
    column
        The column of users or sessions.
    pattern
        Finds it, in its first group, in a line of the file.
    """

    column: str
    pattern: re.Pattern[bytes]


@dataclass(frozen=True)
class Piece(LogFile):
    """Some lines of a file that stand together, and the number of the first of them."""

    text: bytes = b""
    first: int = 1


@dataclass(frozen=True)
class Mark:
    """A line of a file that is about a block after the one before: where it begins, its number from 0, and its key."""

    place: int
    line: int
    key: str


def lines_of(file: LogFile) -> pl.LazyFrame:
    """Return the lines of a file, or of a piece of it, that are not blank, as TEXT with RECORD, their number."""
    source, first = (file.text, file.first) if isinstance(file, Piece) else (str(file.path), 1)
    lines = pl.scan_lines(source, name=TEXT, row_index_name=RECORD, row_index_offset=first, glob=False)
    text = pl.col(TEXT).str.strip_chars_end("\r").str.strip_prefix("\ufeff")
    return lines.select(pl.col(RECORD).cast(pl.Int64), text).filter(pl.col(TEXT).str.contains(r"\S"))


def numbered(frame: pl.LazyFrame, file: int) -> pl.LazyFrame:
    """Return records of a file with numbers that tell it."""
    return frame.with_columns(pl.col(RECORD) + file * STRIDE)


def banded(
    log: Log, files: Sequence[LogFile], frames: Sequence[pl.LazyFrame], key: Key, bounds: Sequence[str]
) -> Iterator[Band]:
    """Return the bands of all files, however their lines lie.

    Parameters
    ----------
    files, frames
        Each file and its records, with the key's column and RECORD.
    bounds
        The keys with which bands begin, the first apart; without any all is one band.

    Raises
    ------
    DataError
        A file is cut short.
    UndecodableError
        A file has lines with bytes that are not UTF-8; nothing was returned yet.
    """
    every = [numbered(frame, number) for number, frame in enumerate(frames)]
    groups = [pl.concat(every[first : first + AT_ONCE]) for first in range(0, len(every), AT_ONCE)]
    try:
        if not bounds:
            whole = pl.concat([group.collect() for group in groups]).lazy()
            yield lambda: whole
            return
        folders = [
            _sorted_into(log.workspace / f"bands {number}", group, key, bounds) for number, group in enumerate(groups)
        ]
    except (pl.exceptions.ComputeError, *DAMAGED) as error:
        if is_undecodable(error):
            raise UndecodableError from None
        for file in files:
            _refuse_damaged(file)
        raise
    for number in range(len(bounds) + 1):
        written = [path for folder in folders for path in split_off(folder, BAND, number)]
        if written:
            yield partial(_read, written)


def _read(written: Sequence[Path]) -> pl.LazyFrame:
    """Return the records of a band from its files, which are then gone."""
    band = pl.read_parquet(list(written), glob=False)
    for path in written:
        path.unlink()
    return (band if band[RECORD].is_sorted() else band.sort(RECORD)).lazy()


def _sorted_into(folder: Path, frame: pl.LazyFrame, key: Key, bounds: Sequence[str]) -> Path:
    """Write records into a file for each band in a folder; return it."""
    band = pl.col(key.column).map_batches(
        lambda keys: _numbers(keys, bounds), return_dtype=pl.Int32, is_elementwise=True
    )
    shutil.rmtree(folder, ignore_errors=True)  # what is left where the bands are asked for once more
    with room_in(folder.parent):
        split(frame.with_columns(band.alias(BAND)), BAND, folder, group=HELD, compression="lz4", statistics=False)
    return folder


def marks_of(file: LogFile, key: Key) -> list[Mark]:
    """Return lines of a file at equal distances, from its second line on.

    Raises
    ------
    DataError
        It is cut short.
    """
    marks: list[Mark] = []
    place = line = 0
    try:
        with unpacked(file.path) as stream:
            while block := stream.read(BLOCK):
                after = block.find(b"\n") + 1
                found = key.pattern.search(block, after, after + HEAD) if after else None
                if found is not None and found[1].strip():
                    begin = block.rfind(b"\n", 0, found.start()) + 1
                    user = found[1].decode(errors="replace")
                    marks.append(Mark(place + begin, line + block.count(b"\n", 0, begin), user))
                place += len(block)
                line += int(np.count_nonzero(np.frombuffer(block, np.uint8) == NEW_LINE))
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    return marks


def bounds_of(marks: Sequence[Sequence[Mark]], most: int) -> list[str]:
    """Return the keys with which bands of files with these marks begin, the first apart; no more bands than so many."""
    seen = sorted(mark.key for lines in marks for mark in lines)
    bands = min(most, -(-len(seen) * BLOCK // BAND_BYTES))
    return sorted({seen[number * len(seen) // bands] for number in range(1, bands)} - {seen[0]}) if seen else []


def _numbers(keys: pl.Series, bounds: Sequence[str]) -> pl.Series:
    """Return the band of each key."""
    found = pl.Series(bounds, dtype=pl.String).search_sorted(keys.fill_null(""), side="right")
    return pl.Series(BAND, found, dtype=pl.Int32)


def _refuse_damaged(file: LogFile) -> None:
    """Raise DataError where the text of a file cannot be read."""
    try:
        pl.scan_lines(str(file.path), name=TEXT, glob=False).select(pl.col(TEXT).str.len_bytes().sum()).collect()
    except pl.exceptions.ComputeError as error:
        raise DataError(f"{file.name} cannot be read ({str(error).splitlines()[0]})") from None
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
