"""Flat logs, from bands of their lines to what a reader takes: rows of queries and results, and accounts by file.

A format says how the lines of a file become records (``read``), which belong together (a :class:`Key`), and what queries
and results the records of some whole users or sessions hold (``make``). Files of one log, such as those of ten days, are
taken together: a session may begin in one and end in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from sessionkit.readers.flat.accounts import FlatAccounts, Kinds
from sessionkit.readers.flat.band_rows import TABLES, BandRows, Tables, bands_of, by_file, held
from sessionkit.readers.flat.band_stream import AT_ONCE, Bands
from sessionkit.readers.flat.bands import Key, Piece, UndecodableError
from sessionkit.readers.flat.spans import SplitUserError
from sessionkit.readers.io.invalid_bytes import whole, with_undecoded
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.large.feeds import OutOfOrderError
from sessionkit.readers.raw import Locate
from sessionkit.readers.records import Log, Taken


def take_flat(
    log: Log,
    read: Callable[[LogFile], pl.LazyFrame],
    key: Key,
    make: Callable[[pl.LazyFrame], BandRows],
    *,
    files: Sequence[LogFile] | None = None,
    kinds: Kinds = Kinds(),  # noqa: B008 - it is immutable
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
    NotAsItComesError
        They cannot be taken so; the next attempt, with the error among ``log.failed``, takes them another way.
    """
    files = list(log.files if files is None else files)
    if UndecodableError in log.failed:  # lines that cannot be decoded break a rule
        files, read = [whole(file) for file in files], partial(_marked, read)
    accounts = FlatAccounts(files, kinds, locates, log.config.settings.timezone)
    in_order = not locates and SplitUserError not in log.failed
    bands, small = bands_of(log, files, read, key, in_order=in_order)
    comes = log.is_large and not locates and OutOfOrderError not in log.failed
    if comes and (sample := _sample(files[0], read, make)) is not None:
        coming = Bands(bands, make, sample, accounts, at_once=AT_ONCE if small else 1)
        return Taken({name: [raw] for name, raw in coming.log.items()}, notes=notes, coming=coming)
    taken = held(log, bands(), make, len(files))
    frames = {name: _together(kept) for name, kept in taken.kept.items()}
    counts = {name: by_file(frame, len(files)) for name, frame in frames.items()}
    raws = {name: [raw] for name, raw in accounts.sources(frames, counts).items()}
    told = accounts.told(taken.tallies)
    return replace(told, raws=raws, notes=[*notes, *told.notes])


def _marked(read: Callable[[LogFile], pl.LazyFrame], file: LogFile) -> pl.LazyFrame:
    """Return the records of a file, some of which could not be decoded."""
    return with_undecoded(read(file), file.undecoded)


def _sample(
    file: LogFile, read: Callable[[LogFile], pl.LazyFrame], make: Callable[[pl.LazyFrame], BandRows]
) -> Tables | None:
    """Return what the first lines of a file hold; None where they cannot be read by themselves."""
    lines = Piece(**vars(file), text=file.head[: file.head.rfind(b"\n") + 1])
    try:
        made = make(read(lines).collect().lazy())
        return {name: getattr(made, name).collect() for name in TABLES}
    except pl.exceptions.ComputeError:  # some cannot be decoded, which is told of where all are read
        return None


def rows_of(file: LogFile, read: Callable[[LogFile], pl.LazyFrame]) -> pl.DataFrame:
    """Return all records of a small file; lines that cannot be decoded break a rule."""
    try:
        return read(file).collect()
    except pl.exceptions.ComputeError:
        mended = whole(file)
        return with_undecoded(read(mended), mended.undecoded).collect()


def _together(kept: Sequence[pl.DataFrame | Path]) -> pl.LazyFrame:
    """Return the rows of all bands; files are scanned as one, which reads few of them at a time."""
    files = [one for one in kept if isinstance(one, Path)]
    if files:
        return pl.scan_parquet(files, glob=False)
    return pl.concat([one.lazy() for one in kept if isinstance(one, pl.DataFrame)])
