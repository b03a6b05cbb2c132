"""Flat logs, one line per query or click in any number of files: lines, batches of whole users, and lists known from clicks alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.display.numbers import counted
from sessionkit.errors import DataError
from sessionkit.readers.events.sessions import MERGE_QUERIES, merge_queries, with_positions
from sessionkit.readers.format import Glimpse
from sessionkit.readers.format import glimpse as look_at
from sessionkit.readers.io.delimited import whole, with_undecoded
from sessionkit.readers.io.files import DAMAGED, HEAD, LogFile, cut_short, unpacked
from sessionkit.readers.raw import (
    OWN,
    ROW_GROUP,
    SOURCE,
    Locate,
    Raw,
    as_lines,
    joined_sources,
    room_in,
    split,
    split_off,
)
from sessionkit.readers.records import Log, Taken
from sessionkit.study.batches import in_turn
from sessionkit.study.checks import NO_RULE, RECORD, RULE, VALUE, begins

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
    return _read_records(whole(file), read).collect()


def _read_records(file: LogFile, read: Read) -> pl.LazyFrame:
    """Return the records of a file; lines that cannot be decoded break a rule."""
    return with_undecoded(read(file), file.undecoded)


def _batches(log: Log, files: Sequence[LogFile], read: Read, key: Key) -> Iterator[Callable[[], pl.LazyFrame]]:
    """Return what gives each batch of the records of all files, in memory and in their order, once."""
    every = [
        _read_records(file, read).with_columns(pl.col(RECORD) + number * STRIDE) for number, file in enumerate(files)
    ]
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


SPARE = "__spare"
FIRST_FILES = 3
"""Files of a folder that are looked at, as one may be a README."""
OTHER = "lines of a file that is no log of this format"


def fits_text(glimpse: Glimpse, looks: Callable[[str], bool]) -> bool:
    """Return whether a text looks so, or one of the first files of a folder."""
    if not glimpse.is_folder:
        return looks(glimpse.head)
    return any(looks(look_at(glimpse.path / name).head) for name in glimpse.names[:FIRST_FILES])


def those_that_fit(log: Log, fits: Callable[[str], bool]) -> tuple[list[LogFile], dict[tuple[str, str], int]]:
    """Return the files that look like the format, and the lines of the others, such as a README beside them, counted.

    Where none looks like it, or there is only one file, all are returned: reading says what is wrong.
    """
    looks = [fits(file.head.decode("utf-8", errors="replace")) for file in log.files]
    if len(log.files) == 1 or not any(looks):
        return list(log.files), {}
    others = [file for file, fit in zip(log.files, looks, strict=True) if not fit]
    return (
        [file for file, fit in zip(log.files, looks, strict=True) if fit],
        {(file.name, OTHER): _height(file) for file in others},
    )


def _height(file: LogFile) -> int:
    """Return the number of lines of a file of any kind."""
    try:
        height: int = pl.scan_lines(str(file.path), name=TEXT, glob=False).select(pl.len()).collect().item()
    except (pl.exceptions.ComputeError, OSError):  # no text, or packed and damaged: the file itself is counted
        return 1
    return height


def fields_of(
    file: LogFile, names: Sequence[str], allowed: Sequence[int], rule: str, *, header: str | None = None
) -> pl.LazyFrame:
    """Return the fields between tabs of each line; a line without one of the `allowed` numbers of them breaks `rule`.

    Parameters
    ----------
    names
        The fields' names; those that a line has not are null, as are empty ones.
    header
        How a line begins that names the columns; such lines are no records.
    """
    lines = lines_of(file)
    if header is not None:
        lines = lines.filter(~pl.col(TEXT).str.starts_with(header))
    every = [*names, SPARE]
    split = pl.col(TEXT).str.splitn("\t", len(every)).struct.rename_fields(every).alias(TEXT)
    number = pl.sum_horizontal(pl.col(name).is_not_null().cast(pl.Int8) for name in every)
    number += pl.col(SPARE).str.count_matches("\t", literal=True).fill_null(0)
    fit = number.is_in(list(allowed))
    return (
        lines.select(RECORD, split)
        .unnest(TEXT)
        .with_columns(
            *(pl.when(pl.col(name) != "").then(name).alias(name) for name in names),
            pl.when(~fit).then(pl.lit(rule)).alias(RULE),
            pl.when(~fit).then(number).alias(VALUE),
        )
        .with_columns(pl.col(VALUE).cast(pl.String) + pl.lit(" fields"))
        .drop(SPARE)
    )


def breaking(frame: pl.LazyFrame, rule: str, broken: pl.Expr, value: pl.Expr) -> pl.LazyFrame:
    """Return records with those marked that break a rule, unless they broke one before.

    Parameters
    ----------
    broken, value
        Of each record alone: whether it breaks the rule (null: yes), and what is wrong with it.
    """

    def marked(records: pl.DataFrame) -> pl.DataFrame:
        unfit = records.select(pl.col(RULE).is_null() & broken.fill_null(value=True)).to_series()
        if not unfit.any():  # as is mostly so, and nothing has to be said of any
            return records
        return records.with_columns(
            pl.when(unfit).then(pl.lit(rule)).otherwise(RULE).alias(RULE),
            pl.when(unfit).then(value.cast(pl.String).str.slice(0, 200)).otherwise(VALUE).alias(VALUE),
        )

    return frame.map_batches(
        marked, predicate_pushdown=False, projection_pushdown=False, slice_pushdown=False, streamable=True
    )


def sound(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return the records that broke no rule."""
    return frame.filter(pl.col(RULE).is_null()).drop(RULE, VALUE)


def unsound(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return RECORD, RULE and VALUE of those that broke one."""
    return frame.filter(pl.col(RULE).is_not_null()).select(RECORD, RULE, VALUE)


RANKS = 2**20
"""Ranks below are sorted here, which is cheap; others where rows are checked."""
ASK, QUERY = "__ask", "__query"
"""Of each line the row of the first line of its query, from 0; the row of its query among those that are left."""
KINDS = Kinds("queries", "clicked results")
MERGE = replace(
    MERGE_QUERIES,
    meaning="Whether a query sent again (also for the next page of its list) goes into the one before it: same, or an empty "
    "list.",
    default=["same"],
    allowed=("same",),
)
"""The option of these formats; that a query was sent for a further page cannot be told where lists are not logged."""
AGAIN = "queries sent again, or for the next page"


def first_of_query(lines: pl.DataFrame, moment: Sequence[str]) -> pl.Series:
    """Return of each line the row of the first one with its text at its moment, as ASK has it.

    Parameters
    ----------
    lines
        In their order, ``query_text`` among their columns.
    moment
        The columns of which all lines of one moment, which stand together, have the same values.

    Examples
    --------
    >>> lines = pl.DataFrame({"time": [1, 1, 1, 1, 2], "query_text": ["cat", "cat", "dog", "cat", "cat"]})
    >>> first_of_query(lines, ["time"]).to_list()
    [0, 0, 2, 0, 4]
    """
    other = begins(lines, moment)
    new = other | begins(lines, ["query_text"])
    first = np.flatnonzero(new)
    number = other.cumsum()[first]
    again = number[1:] == number[:-1]
    if again.any():  # several texts at one moment: one may come back
        mixed = np.append(again, False) | np.append(False, again)
        texts = lines["query_text"].gather(first[mixed])
        told = pl.DataFrame({"moment": number[mixed], "query_text": texts, ASK: first[mixed]})
        first[mixed] = told.select(pl.col(ASK).first().over("moment", "query_text")).to_series().to_numpy()
    return pl.Series(ASK, first[new.cumsum() - 1])


def queries_and_clicks(
    lines: pl.LazyFrame,
    broken: pl.LazyFrame,
    rules: Sequence[str],
    *,
    of_query: Sequence[str] = (),
    of_click: Sequence[str] = (),
    again_within: str = "session_id",
) -> FlatRows:
    """Return the queries of these lines, and the results that were clicked.

    Parameters
    ----------
    lines
        In the order in which they were asked: RECORD, ``session_id``, ``query_text``, ASK, and ``rank`` and ``doc_id``,
        null where nothing was clicked.
    broken
        RECORD, RULE and VALUE of lines that cannot be read.
    rules
        As :func:`~sessionkit.readers.events.sessions.merge_queries` takes them.
    of_query
        Further columns of queries, taken from the first line of each.
    of_click
        Further columns of results; of several clicks on one the first counts.
    again_within
        The column within which a query sent again goes into the one before it.
    """
    given = lines.collect()
    ask = given[ASK].to_numpy()
    is_first = ask == np.arange(given.height)
    asked = given.select(RECORD, "session_id", "query_text", *of_query).filter(is_first)
    within = given[again_within].filter(is_first).alias("session_id")
    heads = merge_queries(asked.select(RECORD, within, "query_text").lazy(), RECORD, rules).heads.collect()
    stays = (heads["kept"] == heads[RECORD]).to_numpy()
    placed = with_positions(asked.filter(stays).lazy()).collect()
    query = (stays.cumsum() - 1)[is_first.cumsum() - 1][ask]  # the row of each line in placed
    is_click = given.select(pl.col("doc_id").is_not_null() | pl.col("rank").is_not_null()).to_series().to_numpy()
    clicks = given.select(RECORD, "rank", "doc_id", *of_click, "session_id").filter(is_click)
    rows, counts = _once(clicks, query[is_click])
    at = query[is_click][rows]
    results = clicks[rows].with_columns(
        placed["query_position"].gather(at), clicks=pl.Series(counts, dtype=pl.Int32), clicked=pl.lit(value=True)
    )
    again = np.ones(clicks.height, dtype=np.bool_)
    again[rows] = False
    known, lost = placed.lazy().with_columns(NO_RULE, results_status=pl.lit("partly_observed")), broken.collect()
    return FlatRows(
        pl.concat([known, lost.lazy()], how="diagonal_relaxed") if lost.height else known,
        results.lazy(),
        merged={
            "further clicks of a query": _record_numbers(given, ~is_first & is_click),
            "lines that say a query again": _record_numbers(given, ~is_first & ~is_click),
            AGAIN: _record_numbers(heads, ~stays),
            "clicks on a result clicked before": _record_numbers(clicks, again),
        },
        seen={"without a text": placed.lazy().filter(pl.col("query_text").is_null())},
    )


def _once(clicks: pl.DataFrame, query: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of the first clicks on each result of a query, in the order of queries and ranks, and how many each had."""
    several = np.bincount(query)[query] > 1
    repeated = clicks.select("rank", "doc_id").with_columns(pl.Series(QUERY, query)).with_row_index(ASK).filter(several)
    once = repeated.group_by(QUERY, "rank", "doc_id", maintain_order=True).agg(pl.col(ASK).first(), many=pl.len())
    rows = np.concatenate([np.flatnonzero(~several), once[ASK].to_numpy()])
    counts = np.ones(len(rows), dtype=np.int64)
    counts[len(rows) - once.height :] = once["many"].to_numpy()
    rank = clicks["rank"].cast(pl.Int64, strict=False).fill_null(0).clip(0, RANKS - 1).to_numpy()
    order = np.argsort((query * RANKS + rank)[rows], kind="stable")
    return rows[order], counts[order]


def _record_numbers(frame: pl.DataFrame, these: NDArray[np.bool_]) -> pl.LazyFrame:
    """Return the numbers of these records."""
    return frame.lazy().select(RECORD).filter(pl.Series(these))
