"""What the whole of a source decides, before any batch is assembled: where it counts from 0, whose keys these are.

Times without zone need ``timezone`` in study.toml, or count as UTC with a warning.

Ranks and query positions that count from 0: as ``base`` in study.toml says, else recognized by what most lists do.

They are shifted once for the whole source. A single 0 in a source that counts from 1 is an error of that record, and
rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import polars as pl

from sessionkit.contract import CheckedRows, Table
from sessionkit.contract.casts import cast, without_zone
from sessionkit.display.words import counted
from sessionkit.readers.checks.derive import says_one_thing
from sessionkit.readers.checks.log_schemas import log_schemas
from sessionkit.readers.checks.notes import AT_THE_TOP, Notes
from sessionkit.readers.checks.source_checks import LIST, CheckedSource
from sessionkit.readers.raw import Raw, read_through

WITHIN = {"query_position": ["session_id"], "rank": LIST}
"""The columns that count, and within what they do."""


@dataclass(frozen=True)
class Zeros:
    """How often a column that counts says 0.

    Parameters
    ----------
    rows
        Rows that say 0.
    first
        Lists (or sessions) whose smallest number is 0; counted where any row says 0.
    of
        Lists (or sessions) in all; counted where any row says 0.
    """

    rows: int = 0
    first: int = 0
    of: int = 0

    def __add__(self, other: Zeros) -> Zeros:
        """Return the counts of two parts that have no session in common."""
        return Zeros(self.rows + other.rows, self.first + other.first, self.of + other.of)


def counting(table: str) -> tuple[str, ...]:
    """Return the columns of a table that count."""
    return {"queries": ("query_position",), "results": ("query_position", "rank")}.get(table, ())


def zeros(part: CheckedSource, column: str) -> Zeros:
    """Count zeros in every number that could be read, in rejected records too."""
    names = [*WITHIN[column], column]
    frames = [frame for rows in (part.rows, part.markers) for frame in (rows.accepted, rows.broken)]
    numbers = pl.concat([frame.select(names) for frame in frames if set(names) <= set(frame.columns)]).drop_nulls()
    smallest = numbers.group_by(WITHIN[column]).agg(pl.col(column).min())
    return Zeros(int((numbers[column] == 0).sum()), int((smallest[column] == 0).sum()), smallest.height)


def say_zero(raw: Raw, schema: Table) -> list[str]:
    """Return the columns that count in which any record says 0."""
    types = raw.frame.collect_schema()
    columns = [column for column in counting(raw.table) if column in types]
    if not columns:
        return []
    said = [(cast(schema.by_name[column], types[column]) == 0).any().alias(column) for column in columns]
    with read_through(raw.source):
        found = raw.frame.select(said).collect().row(0)
    return [column for column, any_is in zip(columns, found, strict=True) if any_is]


def moved_columns(raw: Raw, found: dict[str, Zeros], notes: Notes, *, positions: bool | None = None) -> list[str]:
    """Return the columns that count from 0: as declared, as settled elsewhere, as most lists (or sessions) do.

    `positions` says whether query positions count from 0 where another table has settled that.
    """
    moved = [
        column
        for column in counting(raw.table)
        if _is_moved(raw, column, found.get(column, Zeros()), notes, positions if column != "rank" else None)
    ]
    for column in moved:
        notes.tell(f"{raw.source}: {column} counts from 0 and was shifted to count from 1")
    return moved


def shifted(part: CheckedSource, columns: list[str]) -> CheckedSource:
    """Return the source with 1 added to these columns."""
    more = [pl.col(column) + 1 for column in columns]

    def shift(rows: CheckedRows) -> CheckedRows:
        return CheckedRows(rows.accepted.with_columns(more), rows.broken.with_columns(more))

    return part.both(shift) if columns else part


def _is_moved(raw: Raw, column: str, found: Zeros, notes: Notes, settled: bool | None) -> bool:
    """Return whether a column counts from 0."""
    if column in raw.base:
        return raw.base[column] == 0
    if settled is not None:
        return settled
    if 2 * found.first > found.of:
        return True
    if found.rows:
        remedy = "add 1 to all of them"
        if raw.is_file:
            is_table = not any(member.kind for _, member in raw.parted)
            remedy = f"say {f'base = {{ {column} = 0 }}' if is_table else f'{column}_base = 0'} in study.toml"
        notes.warn(f"{raw.source}: {counted(found.rows, column)} of 0; if the log counts from 0, {remedy}", place=None)
    return False


Parts = Mapping[str, CheckedSource]
"""The typed tables of a log, or of some sessions of it, by name."""


@dataclass(frozen=True)
class Decisions:
    """What holds for every part of a log.

    Parameters
    ----------
    moved
        For each table the columns that count from 0.
    key_of_queries
        Whether, where both are derived, queries have a judgment_key of their own, as it differs within a session.
    """

    moved: Mapping[str, list[str]] = field(default_factory=dict)
    key_of_queries: bool = False


def decide(raws: Mapping[str, Raw], parts: Callable[[], Iterable[Parts]], notes: Notes) -> Decisions:
    """Decide from all parts of a log.

    Parameters
    ----------
    raws
        The sources, by table.
    parts
        Gives the typed parts of the log; asked once for each question that their columns raise.
    """
    found = _zeros(raws, parts)
    moved: dict[str, list[str]] = {}
    if "queries" in raws:
        moved["queries"] = moved_columns(raws["queries"], found["queries"], notes)
    if "results" in raws:
        settled = "query_position" in moved["queries"] if "queries" in raws else None
        moved["results"] = moved_columns(raws["results"], found["results"], notes, positions=settled)
    derived = "results" in raws and not {"queries", "sessions"} & set(raws)
    if not derived or "judgment_key" not in raws["results"].frame.collect_schema():
        return Decisions(moved)
    seen = (shifted(part["results"], moved["results"]).seen("judgment_key") for part in parts())
    return Decisions(moved, key_of_queries=not all(says_one_thing(rows, "judgment_key") for rows in seen))


def _zeros(raws: Mapping[str, Raw], parts: Callable[[], Iterable[Parts]]) -> dict[str, dict[str, Zeros]]:
    """Return the zeros of each column that counts, for each table; most logs have none, and nothing is counted."""
    schemas = log_schemas({name: raw.frame.collect_schema() for name, raw in raws.items()})
    asked = {name: say_zero(raws[name], schemas[name]) for name in ("queries", "results") if name in raws}
    found: dict[str, dict[str, Zeros]] = {name: dict.fromkeys(columns, Zeros()) for name, columns in asked.items()}
    for part in parts() if any(asked.values()) else ():
        for name, columns in asked.items():
            for column in columns:
                found[name][column] += zeros(part[name], column)
    return found


def without_zones(raw: Raw, schema: Table) -> dict[str, int]:
    """Return how many times carry no zone, for each column of times, where none was declared for them."""
    types = raw.frame.collect_schema()
    names = [field.name for field in schema.fields if field.type == "datetime" and field.name in types]
    if raw.timezone is not None or not names:
        return {}
    with read_through(raw.source):
        counts = raw.frame.select(without_zone(name, types[name]).sum().alias(name) for name in names).collect().row(0)
    return dict(zip(names, counts, strict=True))


def notice_zones(raw: Raw, counts: Mapping[str, int], notes: Notes) -> None:
    """Warn of times without zone."""
    where = AT_THE_TOP if raw.is_file else "as from_tables takes it"
    for name, count in counts.items():
        if count:
            notes.warn(
                f"{raw.source}: {counted(count, 'time')} without zone in {name}, taken as UTC; set timezone = "
                f'"Europe/Vienna" (or what it is) {where}',
                place=None,
            )
