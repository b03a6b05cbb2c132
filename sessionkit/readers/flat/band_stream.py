"""A large flat log as it comes: the rows of its bands go on to be checked, and no band stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from threading import Lock

import polars as pl

from sessionkit.readers.flat.accounts import FlatAccounts
from sessionkit.readers.flat.band_rows import TABLES, BandRows, Tables, add_up, by_file, none_tallied, of_band
from sessionkit.readers.flat.bands import Band
from sessionkit.readers.flat.session_order import cuts
from sessionkit.readers.large.sizes import records_within
from sessionkit.readers.records import Taken
from sessionkit.readers.stream import Sources

RECORDS = 2**18
"""Records of a part at most, of all tables together; a session with more stays whole."""
AT_ONCE = 3
"""Bands that are made and put together at a time, if they are small: now and then one waits, for others or for its turn."""
AS_MANY = 2
"""A part may have so many times the records that parts should have: the band it is cut from is there anyway."""


class Bands:
    """A large flat log, band by band.

    Parameters
    ----------
    bands
        Gives its bands, each whole users or sessions, in their order.
    make
        From the records of a band to rows.
    sample
        Some rows of each table.
    accounts
        What is said of its records.
    at_once
        How many bands may be in memory at a time.
    """

    def __init__(
        self,
        bands: Callable[[], Iterator[Band]],
        make: Callable[[pl.LazyFrame], BandRows],
        sample: Tables,
        accounts: FlatAccounts,
        *,
        at_once: int,
    ) -> None:
        self._bands, self._make, self._accounts, self.at_once = bands, make, accounts, at_once
        self._columns = {name: rows.clear().lazy() for name, rows in sample.items()}
        self._empty = accounts.sources(self._columns, {})
        self._sample = {
            name: replace(self._empty[name], frame=rows.lazy(), records=rows.height) for name, rows in sample.items()
        }
        self._lock = Lock()
        self._begin()

    @property
    def log(self) -> Sources:
        """The sources of queries and results, without a row, and how many came so far."""
        return self._accounts.sources(self._columns, self._rows)

    @property
    def told(self) -> Taken:
        """What is to be said of the records that came so far, beside the rows."""
        return self._accounts.told(self._tallies)

    def parts(self, budget: int) -> Generator[Callable[[], Sequence[Sources]], None, None]:
        """Return the log band by band, each in parts of no more rows than the memory takes."""
        self._begin()
        rows = min(RECORDS, AS_MANY * records_within(budget, self._sample))
        for band in self._bands():
            yield partial(self._parts_of, band, rows)

    def _begin(self) -> None:
        """Count from nothing."""
        self._rows: dict[str, Counter[int]] = {name: Counter() for name in TABLES}
        self._tallies = none_tallied()

    def _parts_of(self, band: Band, rows: int) -> Sequence[Sources]:
        """Return a band in parts."""
        files = len(self._accounts.files)
        tables, tallies = of_band(band, self._make, files, is_large=True)
        counts = {name: by_file(frame.lazy(), files) for name, frame in tables.items()}
        with self._lock:
            add_up(self._tallies, tallies)
            for name, many in counts.items():
                self._rows[name].update(many)
        ends = cuts(tables, rows)
        cut = {name: [tables[name][start:end] for start, end in pairwise([0, *ends[name]])] for name in TABLES}
        return [
            {
                name: replace(self._empty[name], frame=one.lazy(), records=one.height)
                for name, one in zip(cut, part, strict=True)
            }
            for part in zip(*cut.values(), strict=True)
        ]
