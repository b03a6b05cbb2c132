"""Going through a study in batches of whole sessions: within a memory limit, reading ahead, and with progress."""

from __future__ import annotations

import io
import os
import re
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Generic, TypeVar, cast

import polars as pl

from sessionkit.arguments import StudyTable
from sessionkit.errors import DataError, UsageError
from sessionkit.study.numbering import JUDGMENT, LENGTH, QUERIES, RESULTS, counts, public, repeated, session_of
from sessionkit.study.storage import LOG, StoredBatch, StudyBatch, polars_path, scan_files
from sessionkit.study.study import Study

ORDER = {
    "users": ["user_id"],
    "sessions": ["session_id"],
    "queries": ["session_id", "query_position"],
    "results": ["session_id", "query_position", "rank"],
}
ROWS = 2**21
"""Results of a slice where memory allows: larger slices are not faster."""
PLACES = {"sessions": [QUERIES, RESULTS], "queries": ["query_position", LENGTH], "results": ["rank", JUDGMENT]}
"""What is read of a saved study in place of ids."""
IDS: dict[StudyTable, list[str]] = {
    "sessions": ["session_id", "judgment_key"],
    "queries": ["session_id", "query_position", "results_status"],
    "results": ["session_id", "query_position", "rank", "doc_id"],
}
"""What is read where the private columns are not there, or are not those of the study's judgments."""


def slices(
    study: Study,
    columns: Mapping[str, Sequence[str]] | None = None,
    rows: int = ROWS,
    stored: Sequence[StoredBatch] | None = None,
    per_query: int = 0,
) -> Iterator[StudyBatch]:
    """Cut a study into slices of about so many results, each of whole sessions.

    They come in the order of session_id; those of a partitioned study partition by partition, and so within each.

    Parameters
    ----------
    columns
        Public columns of sessions, queries and results to read; every column if not given. What stands in for ids is
        read in any case.
    rows
        Results of a slice; a session with more of them stays whole.
    stored
        Of a saved study, only these of its parts; all if not given.
    per_query
        As how many results more each query counts.

    Raises
    ------
    DataError
        If another study has taken the place of a saved one since it was opened, or it was removed.
    """
    storage = study.storage
    if storage.stored is not None:
        facts = study.facts
        asked = storage.stored if stored is None else stored
        fits = facts.results + (per_query + 1) * facts.queries + facts.sessions <= rows
        at_once = fits and all(
            part.chosen is None for part in asked
        )  # the counts are those of the chosen sessions alone
        with study.reading():
            for parts in _packed(asked, rows, per_query):
                for cut, chosen in _stored_slices(parts, columns, None if at_once else rows, per_query):
                    study.require_unchanged()
                    if cut.numbered:
                        _require_counted(cut, study)
                    yield cut if chosen is None else chosen_rows(cut, chosen)
        return
    if storage.rows is not None:
        yield from _numbered_slices(storage.rows, columns, rows, per_query)
        return
    sessions, queries, results = ordered(study, columns)
    session = session_of(queries, sessions["session_id"], "queries")
    asked_in = session_of(results, sessions["session_id"], "results")
    sizes = pl.DataFrame({QUERIES: counts(session, len(sessions)), RESULTS: counts(asked_in, len(sessions))})
    for at, size in cuts(sizes.lazy(), rows, per_query):
        tables = zip((sessions, queries, results), at, size, strict=True)
        of_sessions, of_queries, of_results = (frame.slice(start, length) for frame, start, length in tables)
        yield StudyBatch(of_sessions, of_queries, of_results)


def chosen_rows(batch: StudyBatch, chosen: pl.Series) -> StudyBatch:
    """The rows of some sessions of a batch, of which `chosen` says for each whether it is one of them."""
    sessions = batch.sessions.filter(chosen)
    if batch.numbered:
        queries = batch.queries.filter(repeated(chosen, batch.sessions[QUERIES]))
        results = batch.results.filter(repeated(chosen, batch.sessions[RESULTS]))
    else:
        queries, results = (
            frame.join(sessions, on="session_id", how="semi", maintain_order="left")
            for frame in (batch.queries, batch.results)
        )
    return replace(batch, sessions=sessions, queries=queries, results=results, starts=None)


def ordered(
    study: Study, columns: Mapping[str, Sequence[str]] | None = None
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The three tables of the log in memory, each sorted by its key."""
    frames = [getattr(study, name) for name in LOG]
    if columns is not None:
        frames = [
            frame.select(*dict.fromkeys([*ORDER[name], *columns.get(name, ())]))
            for name, frame in zip(LOG, frames, strict=True)
        ]
    sessions, queries, results = pl.collect_all(frames)
    return in_order(sessions, "sessions"), in_order(queries, "queries"), in_order(results, "results")


def in_order(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """A table sorted by its key; as it is where it already is."""
    first, *rest = ORDER[name]
    runs = frame.get_column(first).rle().struct.unnest()
    value = runs.get_column("value")
    run = repeated(pl.int_range(len(runs), dtype=pl.UInt32, eager=True), runs.get_column("len"))
    rises = pl.lit(value=False)
    for column in (*reversed([pl.col(name) for name in rest]), pl.lit(run)):
        rises = (column > column.shift(1)) | ((column == column.shift(1)) & rises)
    if (value > value.shift(1)).slice(1).all() and frame.select(rises.slice(1).all()).item():
        return frame
    return frame.sort(ORDER[name])


def _packed(stored: Sequence[StoredBatch], rows: int, per_query: int) -> Iterator[list[StoredBatch]]:
    """Neighbors among the parts of a saved study that are small enough to be sliced as one."""
    for _, alike in groupby(stored, key=lambda part: (part.folder, part.numbered)):
        parts = [*alike]
        if len(parts) == 1:
            yield parts
            continue
        sizes = scan_files([part.files["sessions"] for part in parts], parts[0].options, file="__file")
        known = dict(sizes.group_by("__file", maintain_order=True).agg(_weight(per_query).sum()).collect().iter_rows())
        packed, held = list[StoredBatch](), 0
        for part in parts:
            weight = known.get(polars_path(part.files["sessions"]), 0)  # a part without sessions has no row
            if packed and held + weight > rows:
                yield packed
                packed, held = [], 0
            packed, held = [*packed, part], held + weight
        yield packed


def _stored_slices(
    parts: Sequence[StoredBatch], columns: Mapping[str, Sequence[str]] | None, rows: int | None, per_query: int
) -> Iterator[tuple[StudyBatch, pl.Series | None]]:
    """Slices of some parts of a saved study that lie in one folder, read as ranges of rows; all as one without `rows`.

    Beside each stands which of its sessions take part, where not all do; a slice of which none does is empty.
    """
    stored = parts[0]
    given = [part.chosen for part in parts if part.chosen is not None]
    every = pl.concat(given) if given else None
    scans = {name: scan_files([part.files[name] for part in parts], stored.options) for name in LOG}
    beside = PLACES if stored.numbered else IDS
    whole = [((0, 0, 0), (None, None, None))]
    for at, size in cuts(scans["sessions"].select(QUERIES, RESULTS), rows, per_query) if rows else whole:
        chosen = None if every is None else every.slice(at[0], size[0])
        nothing = chosen is not None and not chosen.any()
        frames = []
        for name, start, length in zip(LOG, at, (0, 0, 0) if nothing else size, strict=True):
            scan = scans[name] if stored.numbered else public(scans[name], name)
            if columns is not None:
                scan = scan.select(*dict.fromkeys([*columns.get(name, ()), *beside[name]]))
            frames.append(scan.slice(start, length))
        sessions, queries, results = pl.collect_all(frames)
        yield StudyBatch(sessions, queries, results, stored.numbered, stored.folder), None if nothing else chosen


def _numbered_slices(
    whole: StudyBatch, columns: Mapping[str, Sequence[str]] | None, rows: int, per_query: int
) -> Iterator[StudyBatch]:
    """Slices of a log in memory that has its private columns."""
    tables = [getattr(whole, name) for name in LOG]
    if columns is not None:
        names = ([*dict.fromkeys([*columns.get(name, ()), *PLACES[name]])] for name in LOG)
        tables = [frame.select(wanted) for frame, wanted in zip(tables, names, strict=True)]
    for at, size in cuts(whole.sessions.lazy().select(QUERIES, RESULTS), rows, per_query):
        cut = [frame.slice(start, length) for frame, start, length in zip(tables, at, size, strict=True)]
        yield StudyBatch(cut[0], cut[1], cut[2], numbered=True)


def _require_counted(cut: StudyBatch, study: Study) -> None:
    """Raise DataError where the private counts do not add up to the rows that were read."""
    counted = (
        (cut.sessions, QUERIES, cut.queries),
        (cut.sessions, RESULTS, cut.results),
        (cut.queries, LENGTH, cut.results),
    )
    for frame, name, rows in counted:
        column = frame.get_column(name)
        if column.cast(pl.Int64).sum() != len(rows) or column.null_count() or (column < 0).any():
            raise DataError(
                f"{study.path or study.address}: the counts of rows in {name} do not fit the rows, so a file of the study was "
                "changed; sessionkit check --verify shows which"
            )


def cuts(sizes: pl.LazyFrame, rows: int, per_query: int) -> Iterator[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Where each slice begins in the three tables, and how many rows of each it takes."""
    number = (_weight(per_query).cum_sum() - 1) // rows
    found = (
        sizes.group_by(slice=number)
        .agg(pl.len().cast(pl.Int64), pl.col(QUERIES, RESULTS).cast(pl.Int64).sum())
        .sort("slice")
        .drop("slice")
        .collect()
    )
    at = (0, 0, 0)
    for size in found.iter_rows() if len(found) else [at]:  # an empty log is one empty slice
        yield at, size
        at = (at[0] + size[0], at[1] + size[1], at[2] + size[2])


def _weight(per_query: int) -> pl.Expr:
    """As how many results a session counts; it counts as one at least."""
    results, queries = pl.col(RESULTS).cast(pl.Int64), pl.col(QUERIES).cast(pl.Int64)
    return pl.max_horizontal(results + per_query * queries, queries, 1)


def session_rows(part: StudyBatch) -> tuple[pl.Series, pl.Series]:
    """Row number of the session of every query, and of every result, of some whole sessions."""
    ids = part.sessions["session_id"]
    if part.numbered:
        row = pl.int_range(len(ids), dtype=pl.UInt32, eager=True)
        return repeated(row, part.sessions[QUERIES]), repeated(row, part.sessions[RESULTS])
    return session_of(part.queries, ids, "queries"), session_of(part.results, ids, "results")


Given = TypeVar("Given")
Made = TypeVar("Made")
END = object()


class Ahead(Iterator[Made], Generic[Made]):
    """The same things, made in a thread of its own before they are asked for.

    Parameters
    ----------
    things
        Where they come from. Nobody else may ask it, or close it, until :meth:`close` was called or all were handed out.
    many
        How many are made before they are asked for, 1 or more.

    Examples
    --------
    >>> list(Ahead(iter("ab")))
    ['a', 'b']
    """

    def __init__(self, things: Iterator[Made], many: int = 1) -> None:
        self._things, self._worker = things, ThreadPoolExecutor(max_workers=1)
        self._coming: deque[Future[object]] = deque()
        try:
            self._coming.extend(self._worker.submit(next, things, END) for _ in range(many))
        except BaseException:  # an interrupt: nobody has it yet, who could close it
            self.close()
            raise

    def __next__(self) -> Made:
        """Return the next thing."""
        if not self._coming:
            raise StopIteration
        try:
            thing = self._coming.popleft().result()
        except BaseException:
            self.close()
            raise
        if thing is END:
            self.close()
            raise StopIteration
        self._coming.append(self._worker.submit(next, self._things, END))
        return thing  # type: ignore[return-value]

    def close(self) -> None:
        """Hand out no more; wait for what is being made, after which the thread is over."""
        self._coming.clear()
        self._worker.shutdown(cancel_futures=True)


def in_turn(make: Callable[[Given], Made], of: Iterator[Given], threads: int = 2) -> Generator[Made, None, None]:
    """What is made of each thing, in their order; so many are being made at a time.

    >>> list(in_turn(str.upper, iter("abc")))
    ['A', 'B', 'C']
    """
    with ThreadPoolExecutor(max_workers=threads) as workers:
        coming = deque(workers.submit(make, thing) for thing in islice(of, threads))
        while coming:
            made = coming.popleft().result()
            coming.extend(workers.submit(make, thing) for thing in islice(of, 1))
            yield made


FLOOR = 400_000_000
"""Bytes that the interpreter and the libraries take whatever the log: a process keeps to its budget plus these."""
MINIMUM = 50_000_000
"""The smallest budget, in bytes; with less, every part of a log would be smaller than what handling it costs."""
SHARE = 4
"""By default work may use one part in this many of the machine's memory."""
UNKNOWN = 4_000_000_000
"""What a machine is taken to have that does not say."""
CONTAINER = Path("/sys/fs/cgroup/memory.max")
UNITS = {"": 1, "b": 1} | {
    f"{letter}{ending}": base**power
    for power, letter in enumerate("kmgt", start=1)
    for ending, base in (("b", 1000), ("ib", 1024))
}
FORM = re.compile(r"(\d{1,20}(?:\.\d{1,20})?|\.\d{1,20}) ?([a-z]*)")


def memory_budget(given: str | int | None = None) -> int:
    """Return a memory budget in bytes.

    The process that works within it needs up to `FLOOR` (400 MB) more, for the interpreter and the libraries.

    Parameters
    ----------
    given
        ``"4GB"``, ``"500MB"``, ``"1.5GiB"``, a number of bytes, or None for a quarter of the machine's memory (of the
        container's, where it has less). kB, MB, GB, TB are powers of 1,000, KiB, MiB, GiB, TiB powers of 1,024.

    Raises
    ------
    UsageError
        It is none of these, or below 50 MB.

    Examples
    --------
    >>> memory_budget("1.5GB")
    1500000000
    >>> memory_budget("64 MiB")
    67108864
    """
    if given is None:
        return max(MINIMUM, _machine() // SHARE)
    found = FORM.fullmatch(str(given).strip().lower()) if not isinstance(given, bool) else None
    if found is None or found[2] not in UNITS:
        raise UsageError(
            f"memory is {given!r}; give a size such as 4GB, 500MB or 1.5GiB, or a number of bytes "
            f"(units: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)"
        )
    budget = int(float(found[1]) * UNITS[found[2]])
    if budget < MINIMUM:
        raise UsageError(f"memory is {given!r}, which is too little; give at least {MINIMUM // 10**6}MB")
    return budget


def _machine() -> int:
    """Return the bytes of memory this machine has, or may use where it is a container with less."""
    try:
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        there = UNKNOWN
    try:
        limit = int(CONTAINER.read_text(encoding="ascii"))
    except (OSError, ValueError):  # no container, or one without a limit, which says "max"
        return there
    return min(there, limit)


ROOM = 1 << 16
BYTES = "bytes"


@dataclass
class Progress:
    """What is done so far.

    Parameters
    ----------
    done
        How many, by what they are: ``bytes`` read, ``rows``, ``rejected`` records, ``sessions``, ``scorings``.
    of
        How many there are to be, where that is known.

    >>> str(Progress({"bytes": 3_000_000, "rows": 1200, "rejected": 0})), str(Progress({"scorings": 12}, {"scorings": 340}))
    ('3 MB read, 1,200 rows', '12 of 340 scorings')
    """

    done: dict[str, int] = field(default_factory=dict)
    of: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return what is done, in a few words; what there is none of is left out."""
        parts = []
        for things in dict.fromkeys([*self.of, *self.done]):
            unit, name = (1_000_000, "MB read") if things == BYTES else (1, things)
            many, whole = self.done.get(things, 0) // unit, self.of.get(things, 0) // unit
            if whole or many:
                parts.append(f"{many:,} of {whole:,} {name}" if whole else f"{many:,} {name}")
        return ", ".join(parts)

    @property
    def share(self) -> float | None:
        """The share that is done of what has come least far; None where no end is known."""
        shares = [self.done.get(things, 0) / whole for things, whole in self.of.items() if whole]
        return min(1.0, *shares) if shares else None


WATCHED: list[Progress] = []
"""What is counted for whoever watches; empty where nobody does."""


@contextmanager
def watched() -> Iterator[Progress]:
    """Count what is done from here on."""
    progress = Progress()
    WATCHED.append(progress)
    try:
        yield progress
    finally:
        WATCHED.remove(progress)


def expect(things: str, many: int) -> None:
    """So many more are to come."""
    for progress in WATCHED:
        progress.of[things] = progress.of.get(things, 0) + many


def count(things: str, many: int = 1) -> None:
    """So many more are done."""
    for progress in WATCHED:
        progress.done[things] = progress.done.get(things, 0) + many


def count_bytes(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream whose bytes are counted, where somebody watches."""
    return cast("IO[bytes]", io.BufferedReader(_Counted(stream), ROOM)) if WATCHED else stream


class _Counted(io.RawIOBase):
    """Passes on what it reads, and counts it."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read into a buffer and return how much."""
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        count(BYTES, len(data))
        return len(data)

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()
        super().close()
