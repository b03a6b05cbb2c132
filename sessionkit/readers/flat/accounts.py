"""What the accounts say of a flat log: from which file its rows are, what became of the other records, where each stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.display.words import counted
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.raw import OWN, SOURCE, Locate, Raw, as_lines
from sessionkit.readers.records import Taken

STRIDE = 2**33
"""Records that a file may have: record 7 of the third file has the number ``2 * STRIDE + 7``."""
Counts = Mapping[str, Mapping[int, int]]
"""Numbers by file: of the rows of each table, or of other records by what they are."""


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
