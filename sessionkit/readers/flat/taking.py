"""Flat logs, from bands of their lines to what a reader takes: rows of queries and results, and accounts by file.

A format says how the lines of a file become records (``read``), which belong together (a :class:`Key`), and what queries
and results the records of some whole users or sessions hold (``make``). Files of one log, such as those of ten days, are
taken together: a session may begin in one and end in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.readers.files.opening import LogFile
from sessionkit.readers.files.undecoded import whole, with_undecoded
from sessionkit.readers.flat.bands import STRIDE, Key, UndecodableError
from sessionkit.readers.flat.making import Made, by_file, held_in
from sessionkit.readers.raw import OWN, SOURCE, Locate, Raw, as_lines
from sessionkit.readers.records import Log, Taken
from sessionkit.showing.words import counted


@dataclass(frozen=True)
class Kinds:
    """What the accounts call the records of queries and results, and where these count from."""

    queries: str = "query records"
    results: str = "results listed"


def take_flat(
    log: Log,
    read: Callable[[LogFile], pl.LazyFrame],
    key: Key,
    make: Callable[[pl.LazyFrame], Made],
    *,
    files: Sequence[LogFile] | None = None,
    kinds: Kinds = Kinds(),
    notes: Sequence[str] = (),
    locates: Sequence[Locate] = (),
) -> Taken:
    """Take a flat log apart.

    Parameters
    ----------
    read
        From a file to its records, lazily: RECORD, RULE and VALUE, the column of `key`, and what `make` needs.
    make
        From the records of some whole users or sessions, in memory, to rows.
    files
        Those to read; by default all of the log.
    kinds, notes
        For the accounts.
    locates
        The way back to the text of the records of each file; by default they are its lines.
    """
    files = list(log.files if files is None else files)
    try:
        held = held_in(log, files, read, key, make, by_line=not locates)
    except UndecodableError:  # lines that cannot be decoded break a rule
        mended = [whole(file) for file in files]
        held = held_in(
            log, mended, lambda file: with_undecoded(read(file), file.undecoded), key, make, by_line=not locates
        )
    kept, tallies, parting = held.kept, held.tallies, held.parting
    ways = list(locates) or [as_lines(str(file.path), 1) for file in files]
    zone = log.config.settings.timezone
    raws = {
        name: _raw(name, _together(frames), files, ways, kind=getattr(kinds, name), zone=zone)
        for name, frames in kept.items()
    }
    told = [
        f"{source}: {counted(many, 'query')} {words}"
        for (source, words), many in _named(tallies["seen"], files).items()
    ]
    parted = {name: [replace(raw, parts=parting.of(name))] for name, raw in raws.items()}
    return Taken(parted, _named(tallies["merged"], files), _named(tallies["idle"], files), [*notes, *told])


def rows_of(file: LogFile, read: Callable[[LogFile], pl.LazyFrame]) -> pl.DataFrame:
    """Return all records of a small file; lines that cannot be decoded break a rule."""
    try:
        return read(file).collect()
    except pl.exceptions.ComputeError:
        mended = whole(file)
        return with_undecoded(read(mended), mended.undecoded).collect()


def _named(tally: Mapping[str, Mapping[int, int]], files: Sequence[LogFile]) -> dict[tuple[str, str], int]:
    """Return how many records of each file there are, by its name and the words that say what they are."""
    return {
        (file.name, words): many[number]
        for words, many in tally.items()
        for number, file in enumerate(files)
        if many.get(number)
    }


def _together(kept: Sequence[pl.DataFrame | Path]) -> pl.LazyFrame:
    """Return the rows of all bands; files are scanned as one, which reads few of them at a time."""
    files = [one for one in kept if isinstance(one, Path)]
    if files:
        return pl.scan_parquet(files, glob=False)
    return pl.concat([one.lazy() for one in kept if isinstance(one, pl.DataFrame)])


def _raw(
    table: str,
    frame: pl.LazyFrame,
    files: Sequence[LogFile],
    ways: Sequence[Locate],
    *,
    kind: str,
    zone: str | None,
) -> Raw:
    """Return rows of a table from several files as one source."""
    counts = by_file(frame, len(files))
    base = {"queries": {"query_position": 1}, "results": {"query_position": 1, "rank": 1}}[table]
    members = [
        Raw(
            table,
            file.name,
            frame if len(files) == 1 else frame.clear(),
            counts.get(number, 0),
            way,
            file.bytes,
            file.digest,
            timezone=zone,
            base=base,
            kind=kind,
        )
        for number, (file, way) in enumerate(zip(files, ways, strict=True))
    ]
    if len(files) == 1:
        return members[0]
    names = [file.name for file in files]
    return Raw(
        table,
        " and ".join(names) if len(names) < 3 else f"{names[0]} and {len(names) - 1} more files",
        frame,
        sum(counts.values()),
        lambda records: _located(members, records),
        sum(file.bytes for file in files),
        files[0].digest,
        timezone=zone,
        base=base,
        members=tuple((number * STRIDE, member) for number, member in enumerate(members)),
    )


def _located(members: Sequence[Raw], records: pl.Series) -> pl.DataFrame:
    """Return where records stand in their own files."""
    found = []
    for number in (records // STRIDE).unique().sort():
        own = records.filter(records // STRIDE == number) - number * STRIDE
        located = members[number].locate(own)
        source = pl.lit(members[number].source).alias(SOURCE)
        found.append(located.with_columns(source, pl.col(RECORD).alias(OWN), pl.col(RECORD) + number * STRIDE))
    return pl.concat(found, how="vertical_relaxed")
