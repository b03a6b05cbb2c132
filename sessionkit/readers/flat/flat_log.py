"""Flat logs: from lines that belong together to what a format hands over, rows of queries and results, and accounts by file.

A format says how the lines of a file become records (``read``), which belong together (a :class:`Key`), and what queries and
results the records of some whole users or sessions hold (``make``). Files of one log, such as those of ten days, are taken
together: a session may begin in one and end in the next.

A large log cannot be seen as a whole. So its lines are first sorted into batches, each a range of users of about the same size,
through temporary files. A small log is one batch, in memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.display.words import counted
from sessionkit.errors import DataError
from sessionkit.readers.io.invalid_bytes import whole, with_undecoded
from sessionkit.readers.io.log_files import DAMAGED, HEAD, LogFile, cut_short, unpacked
from sessionkit.readers.io.record_store import ROW_GROUP, room_in, split, split_off
from sessionkit.readers.raw import OWN, SOURCE, Locate, Raw, as_lines, joined_sources
from sessionkit.readers.records import Log, Taken
from sessionkit.study.prefetch import in_turn

TABLES = ("queries", "results")
TALLIES = ("merged", "idle", "seen")
TEXT, BATCH = "__text", "__batch"
BATCH_BYTES = 8_000_000
"""Bytes of text that a batch should have; up to three batches are in memory at a time."""
MOST = 128
"""Batches at most that lines are sorted into: each is a file that is written at the same time."""
HELD = 2**12
"""Records of a batch that are held before they are written."""
AT_ONCE = 16
"""Files that are read at the same time."""
BLOCK = 1 << 18
"""Bytes of text of which one line is looked at to find batches of like size."""
STRIDE = 2**33
"""Records that a file may have: record 7 of the third file has the number ``2 * STRIDE + 7``."""
Counts = Mapping[str, Mapping[int, int]]
"""Numbers by file: of the rows of each table, or of other records by what they are."""
Read = Callable[[LogFile], pl.LazyFrame]
"""From a file to its records, lazily."""
Numbers = pl.LazyFrame
"""Records, by RECORD; other columns do not matter."""


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


def lines_of(file: LogFile) -> pl.LazyFrame:
    """Return the lines of a file that are not blank, as TEXT with RECORD, their number."""
    lines = pl.scan_lines(str(file.path), name=TEXT, row_index_name=RECORD, row_index_offset=1, glob=False)
    text = pl.col(TEXT).str.strip_chars_end("\r").str.strip_prefix("\ufeff")
    return lines.select(pl.col(RECORD).cast(pl.Int64), text).filter(pl.col(TEXT).str.contains(r"\S"))


@dataclass(frozen=True)
class Kinds:
    """What the accounts call the records of queries and results, and where these count from."""

    queries: str = "query records"
    results: str = "results listed"


@dataclass(frozen=True)
class FlatAccounts:
    """The accounts of a flat log.

    Parameters
    ----------
    files
        Its files.
    kinds
        What its records are called.
    locates
        The way back to the text of the records of each file; none, they are its lines.
    zone
        Zone of times that carry none.
    """

    files: Sequence[LogFile]
    kinds: Kinds
    locates: Sequence[Locate] = ()
    zone: str | None = None

    def sources(self, frames: Mapping[str, pl.LazyFrame], counts: Counts) -> dict[str, Raw]:
        """Return the rows of each table, so many from each file, as its source."""
        return {name: self._raw(name, frame, counts.get(name, {})) for name, frame in frames.items()}

    def told(self, tallies: Mapping[str, Counts]) -> Taken:
        """Return what is to be said of records that were counted beside the rows."""
        seen = [
            f"{source}: {counted(many, 'query')} {words}"
            for (source, words), many in self._named(tallies["seen"]).items()
        ]
        return Taken({}, self._named(tallies["merged"]), self._named(tallies["idle"]), seen)

    def _named(self, tally: Counts) -> dict[tuple[str, str], int]:
        """Return how many records of each file there are, by its name and the words that say what they are."""
        return {
            (file.name, words): many[number]
            for words, many in tally.items()
            for number, file in enumerate(self.files)
            if many.get(number)
        }

    def _raw(self, table: str, frame: pl.LazyFrame, counts: Mapping[int, int]) -> Raw:
        """Return the rows of a table as one source, which may have several files."""
        files, ways = self.files, list(self.locates) or [as_lines(str(file.path), 1) for file in self.files]
        kind, zone = getattr(self.kinds, table), self.zone
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
        return Raw(
            table,
            joined_sources([file.name for file in files]),
            frame,
            sum(counts.values()),
            lambda records: _located(members, records),
            sum(file.bytes for file in files),
            files[0].digest,
            timezone=zone,
            base=base,
            members=tuple((number * STRIDE, member) for number, member in enumerate(members)),
        )


@dataclass(frozen=True)
class FlatRows:
    """What the records of some whole users or sessions hold.

    Parameters
    ----------
    queries, results
        Unchecked rows, as ``records.py`` wants them; records that cannot be taken apart among the queries.
    merged, idle
        Records that went into rows made of others, and those that say nothing, by a few words on what they are.
    seen
        What is to be counted and noted: a sentence that goes on after the count of queries, such as ``"with an empty
        text"``, to the queries.
    """

    queries: pl.LazyFrame
    results: pl.LazyFrame
    merged: Mapping[str, Numbers] = field(default_factory=dict)
    idle: Mapping[str, Numbers] = field(default_factory=dict)
    seen: Mapping[str, Numbers] = field(default_factory=dict)


Make = Callable[[pl.LazyFrame], FlatRows]
"""From the records of some whole users or sessions, in memory, to rows."""
Tables = dict[str, pl.DataFrame]
Tallies = dict[str, dict[str, Counter[int]]]
"""Numbers of records: of which of :data:`TALLIES`, what they are, in which file."""


def take_flat(
    log: Log,
    read: Read,
    key: Key,
    make: Make,
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

    Raises
    ------
    DataError
        A file is cut short, or in another encoding.
    """
    files = log.files if files is None else files
    files = files if locates else [whole(file) for file in files]
    accounts = FlatAccounts(files, kinds, locates, log.config.settings.timezone)
    kept: dict[str, list[pl.DataFrame | Path]] = {name: [] for name in TABLES}
    tallies: Tallies = {name: {} for name in TALLIES}
    room = log.room
    rows_of_batch = partial(_rows_of_batch, make=make, files=len(files), is_large=log.is_large)
    for tables, counts in in_turn(rows_of_batch, _batches(log, files, read, key)):
        room -= sum(int(frame.estimated_size()) for frame in tables.values())
        for name, frames in kept.items():
            frames.append(tables[name])
            if log.is_large and room < 0:
                paths = [log.workspace / f"{name}-{number:04}.parquet" for number in range(len(frames))]
                kept[name] = [_on_disk(one, path) for one, path in zip(frames, paths, strict=True)]
        for name, tally in counts.items():
            for words, many in tally.items():
                tallies[name].setdefault(words, Counter()).update(many)
    rows = {name: _together(frames) for name, frames in kept.items()}
    sources = accounts.sources(rows, {name: _by_file(frame, len(files)) for name, frame in rows.items()})
    told = accounts.told(tallies)
    return replace(told, raws={name: [raw] for name, raw in sources.items()}, notes=[*notes, *told.notes])


def rows_of(file: LogFile, read: Read) -> pl.DataFrame:
    """Return all records of a small file; lines that cannot be decoded break a rule."""
    return _records(whole(file), read).collect()


def _records(file: LogFile, read: Read) -> pl.LazyFrame:
    """Return the records of a file; lines that cannot be decoded break a rule."""
    return with_undecoded(read(file), file.undecoded)


def _batches(log: Log, files: Sequence[LogFile], read: Read, key: Key) -> Iterator[Callable[[], pl.LazyFrame]]:
    """Return what gives each batch of the records of all files, in memory and in their order, once."""
    every = [_records(file, read).with_columns(pl.col(RECORD) + number * STRIDE) for number, file in enumerate(files)]
    groups = [pl.concat(every[first : first + AT_ONCE]) for first in range(0, len(every), AT_ONCE)]
    bounds = bounds_of(files, key) if log.is_large else []
    try:
        if not bounds:
            together = pl.concat([group.collect() for group in groups]).lazy()
            yield lambda: together
            return
        folders = [_split(log.workspace / f"batches {at}", group, key, bounds) for at, group in enumerate(groups)]
    except (pl.exceptions.ComputeError, *DAMAGED):
        for file in files:
            _refuse_damaged(file)
        raise
    for number in range(len(bounds) + 1):
        written = [path for folder in folders for path in split_off(folder, BATCH, number)]
        if written:
            yield partial(_read_once, written)


def _split(folder: Path, records: pl.LazyFrame, key: Key, bounds: Sequence[str]) -> Path:
    """Write records into a file for each batch in a folder; return it."""
    batch = pl.col(key.column).map_batches(
        lambda keys: _numbers(keys, bounds), return_dtype=pl.Int32, is_elementwise=True
    )
    with room_in(folder.parent):
        split(records.with_columns(batch.alias(BATCH)), BATCH, folder, group=HELD, compression="lz4", statistics=False)
    return folder


def _read_once(written: Sequence[Path]) -> pl.LazyFrame:
    """Return the records of a batch from its files, which are then gone."""
    batch = pl.read_parquet(list(written), glob=False)
    for path in written:
        path.unlink()
    return (batch if batch[RECORD].is_sorted() else batch.sort(RECORD)).lazy()


def _rows_of_batch(
    batch: Callable[[], pl.LazyFrame], make: Make, files: int, *, is_large: bool
) -> tuple[Tables, dict[str, dict[str, dict[int, int]]]]:
    """Return the tables of a batch, in the order of sessions in a large log, and its counts by file."""
    made = make(batch())
    tables = {name: getattr(made, name).collect() for name in TABLES}
    tallies = {
        name: {words: _by_file(records, files) for words, records in getattr(made, name).items()} for name in TALLIES
    }
    if is_large:
        tables = {
            name: frame.sort("session_id", nulls_last=True, maintain_order=True) for name, frame in tables.items()
        }
    return tables, tallies


def _on_disk(rows: pl.DataFrame | Path, path: Path) -> Path:
    """Return the file that has the rows of a batch from now on."""
    if isinstance(rows, Path):
        return rows
    with room_in(path.parent):  # with statistics, by which a range of sessions is found without reading the others
        rows.write_parquet(path, compression="lz4", statistics=True, row_group_size=ROW_GROUP)
    return path


def _together(kept: Sequence[pl.DataFrame | Path]) -> pl.LazyFrame:
    """Return the rows of all batches; files are scanned as one, which reads few of them at a time."""
    files = [one for one in kept if isinstance(one, Path)]
    if files:
        return pl.scan_parquet(files, glob=False)
    return pl.concat([one.lazy() for one in kept if isinstance(one, pl.DataFrame)])


def _by_file(records: pl.LazyFrame, files: int) -> dict[int, int]:
    """Return the number of records of each of so many files that has any."""
    if files == 1:
        many: int = records.select(pl.len()).collect().item()
        return {0: many} if many else {}
    return dict(records.group_by(pl.col(RECORD) // STRIDE).len().collect().rows())


def bounds_of(files: Sequence[LogFile], key: Key) -> list[str]:
    """Return the keys with which batches of like size begin, the first apart, from lines of the files at equal distances.

    Raises
    ------
    DataError
        A file is cut short.
    """
    seen = sorted(found for file in files for found in _sampled(file, key))
    batches = min(MOST, -(-len(seen) * BLOCK // BATCH_BYTES))
    return sorted({seen[number * len(seen) // batches] for number in range(1, batches)} - {seen[0]}) if seen else []


def _sampled(file: LogFile, key: Key) -> Iterator[str]:
    """Return the keys of lines of a file at equal distances, from its second line on."""
    try:
        with unpacked(file.path) as stream:
            while block := stream.read(BLOCK):
                after = block.find(b"\n") + 1
                found = key.pattern.search(block, after, after + HEAD) if after else None
                if found is not None and found[1].strip():
                    yield found[1].decode(errors="replace")
    except DAMAGED as error:
        raise cut_short(file.name, error) from None


def _numbers(keys: pl.Series, bounds: Sequence[str]) -> pl.Series:
    """Return the batch of each key."""
    found = pl.Series(bounds, dtype=pl.String).search_sorted(keys.fill_null(""), side="right")
    return pl.Series(BATCH, found, dtype=pl.Int32)


def _refuse_damaged(file: LogFile) -> None:
    """Raise DataError where the text of a file cannot be read."""
    try:
        pl.scan_lines(str(file.path), name=TEXT, glob=False).select(pl.col(TEXT).str.len_bytes().sum()).collect()
    except pl.exceptions.ComputeError as error:
        raise DataError(f"{file.name} cannot be read ({str(error).splitlines()[0]})") from None
    except DAMAGED as error:
        raise cut_short(file.name, error) from None


def _located(members: Sequence[Raw], records: pl.Series) -> pl.DataFrame:
    """Return where records stand in their own files."""
    found = []
    for number in (records // STRIDE).unique().sort():
        own = records.filter(records // STRIDE == number) - number * STRIDE
        located = members[number].locate(own)
        source = pl.lit(members[number].source).alias(SOURCE)
        found.append(located.with_columns(source, pl.col(RECORD).alias(OWN), pl.col(RECORD) + number * STRIDE))
    return pl.concat(found, how="vertical_relaxed")
