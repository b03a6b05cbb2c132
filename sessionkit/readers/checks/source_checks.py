"""One source on its way through the checks: its rows, and the records that only say that a list was empty."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import polars as pl

from sessionkit.contract import CELL, RECORD, CheckedRows, Table, check_types, check_unique, check_values, table
from sessionkit.contract.casts import as_text
from sessionkit.readers.checks.counts import NONE, Found
from sessionkit.readers.raw import EMPTY, MARK, WORDED, Raw, read_through

LIST = ["session_id", "query_position"]
KEPT = "__kept"
"""Private column: whether only a cell of the record was set aside."""
LISTED = "__listed"
"""Private column of records left out: whether the list of excluded documents has them."""


def none_excluded() -> pl.DataFrame:
    """Return the records left out of a source from which none was."""
    return pl.DataFrame(schema={RECORD: pl.Int64, LISTED: pl.Boolean})


@dataclass(frozen=True)
class CheckedSource:
    """A source's rows and markers of empty lists, parted into accepted and broken.

    `worded` has the numbers of the records that are results although a column has the text that marks empty lists, `excluded` those of
    accepted rows that were left out with their documents, and LISTED (``readers/exclusions.py``).
    """

    raw: Raw
    rows: CheckedRows
    markers: CheckedRows
    worded: tuple[int, ...] = ()
    excluded: pl.DataFrame = field(default_factory=none_excluded)

    def both(self, check: Callable[[CheckedRows], CheckedRows]) -> CheckedSource:
        """Return the part with a check applied to rows and markers alike."""
        return replace(self, rows=check(self.rows), markers=check(self.markers))

    def seen(self, *columns: str) -> pl.DataFrame:
        """Return every row and marker whose session and query are readable, rejected or not.

        `columns` are those to return beside RECORD and LIST, as far as they are there.
        """
        frames = [
            frame.lazy()
            .select(RECORD, *LIST, *(name for name in dict.fromkeys(columns) if name in frame.columns))
            .filter(pl.col("session_id").is_not_null() & (pl.col("query_position") >= 1))
            for part in (self.rows, self.markers)
            for frame in (part.accepted, part.broken)
            if set(LIST) <= set(frame.columns) and (len(frame) or frame is self.rows.accepted)
        ]
        return pl.concat(frames, how="diagonal_relaxed").collect()

    @property
    def kept_as_results(self) -> int:
        """How many of the accepted rows are results although a column has the text that marks empty lists."""
        return self.rows.accepted.filter(pl.col(RECORD).is_in(self.worded)).height if self.worded else 0

    @property
    def rankless(self) -> Found:
        """How many rows are taken as empty lists for want of a rank that have something in doc_id, and the first such text."""
        if self.raw.empty_list is None or self.raw.empty_list.strip() or "doc_id" not in self.markers.accepted.columns:
            return NONE
        found = self.markers.accepted.sort(RECORD).get_column("doc_id").drop_nulls()
        return (len(found), found[0]) if len(found) else NONE

    @property
    def unplaced(self) -> pl.DataFrame:
        """The sessions of rejected rows that do not say of which query they are."""
        nowhere = ~(pl.col("query_position") >= 1).fill_null(value=False)
        frames = [part.broken for part in (self.rows, self.markers) if set(LIST) <= set(part.broken.columns)]
        return pl.concat([frame.filter(nowhere).select(pl.col("session_id").drop_nulls()) for frame in frames]).unique()

    @property
    def is_whole(self) -> bool:
        """Whether all that was seen are accepted rows: nothing was rejected, and there are no markers."""
        return self.rows.broken.is_empty() and self.markers.accepted.is_empty() and self.markers.broken.is_empty()

    @property
    def broken(self) -> pl.DataFrame:
        """All that was rejected."""
        return pl.concat([self.rows.broken, self.markers.broken], how="diagonal_relaxed")

    @property
    def rejects(self) -> pl.DataFrame:
        """The rejected records, and the cells set aside of others (KEPT): RECORD, COLUMN, RULE, VALUE."""
        none = pl.DataFrame(schema={**dict(CELL), KEPT: pl.Boolean})
        found = [(rows.broken, False) for rows in (self.rows, self.markers)]
        found += [(rows.cells, True) for rows in (self.rows, self.markers)]
        frames = [frame.with_columns(pl.lit(kept).alias(KEPT)) for frame, kept in found if len(frame)]
        there = [frame.select(name for name in none.columns if name in frame.columns) for frame in frames]
        return pl.concat([none, *there], how="diagonal_relaxed")


def typed_part(raw: Raw, schema: Table) -> CheckedSource:
    """Return a source, which is read here, with its columns typed, the markers of empty lists set apart."""
    with read_through(raw.source):
        return _typed(raw, schema)


def _typed(raw: Raw, schema: Table) -> CheckedSource:
    """Return a source with its columns typed, the markers of empty lists set apart."""
    if raw.empty_list is None:
        rows = check_types(raw.frame, schema, timezone=raw.timezone)
        return CheckedSource(raw, rows, CheckedRows(rows.accepted.clear(), rows.broken.clear()))
    empty = pl.col(MARK).eq_missing(EMPTY)
    return CheckedSource(
        raw,
        check_types(raw.frame.filter(~empty).drop(MARK), schema, timezone=raw.timezone),
        check_types(
            _markers(raw.frame.filter(empty).drop(MARK), schema, raw.empty_list),
            schema,
            timezone=raw.timezone,
            required=LIST,
        ),
        tuple(raw.frame.filter(pl.col(MARK) == WORDED).select(RECORD).collect().to_series()),
    )


def _markers(frame: pl.LazyFrame, schema: Table, text: str) -> pl.LazyFrame:
    """Return markers of empty lists without rank, and without the text where a value of another type belongs."""
    types = frame.collect_schema()
    typed = [field.name for field in schema.fields if field.type != "string" and field.name in types]
    said = {name: as_text(name, types[name]).str.strip_chars() for name in typed}
    kept = [pl.when(said[name] != text.strip()).then(name).alias(name) for name in typed if name not in LIST]
    return frame.with_columns(*kept).with_columns(rank=pl.lit(None, dtype=pl.String))


def valued_part(part: CheckedSource, schema: Table, *, shifted: Iterable[str] = ()) -> CheckedSource:
    """Return a typed source with values checked and, where its table has a key, one row per key."""
    checked = part.both(lambda rows: check_values(rows, schema, shifted=shifted))
    return replace(checked, rows=check_unique(checked.rows, schema)) if schema.key else checked


def plain_part(raw: Raw) -> CheckedSource:
    """Return a source of a table that nothing is derived from, with all its own checks done."""
    schema = table(raw.table)
    return valued_part(typed_part(raw, schema), schema)
