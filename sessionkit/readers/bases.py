"""Ranks and query positions that count from 0: as ``base`` in study.toml says, else recognised by what most lists do.

They are shifted once for the whole source. A single 0 in a source that counts from 1 is an error of that record, and
rejected.
"""

from __future__ import annotations

import polars as pl

from sessionkit.contract import Checked
from sessionkit.readers.notes import Notes, counted
from sessionkit.readers.parts import LIST, Part

WITHIN = {"query_position": ["session_id"], "rank": LIST}
"""The columns that count, and within what they do."""


def counts_from_zero(numbers: pl.DataFrame, column: str) -> bool:
    """Return whether the smallest number is 0 in more than half of the lists (or sessions)."""
    smallest = numbers.group_by(WITHIN[column]).agg(pl.col(column).min())
    return bool(2 * (smallest[column] == 0).sum() > smallest.height)


def shifted_part(part: Part, notes: Notes, *, positions: bool | None = None) -> tuple[Part, list[str]]:
    """Return the source with what counts from 0 shifted to count from 1, and the columns that were.

    `positions` says whether query positions count from 0 where another table has settled that.
    """
    columns = ["query_position", "rank"] if part.raw.table == "results" else ["query_position"]
    moved = [column for column in columns if _is_moved(part, column, notes, positions if column != "rank" else None)]
    for column in moved:
        notes.tell(f"{part.raw.source}: {column} counts from 0 and was shifted to count from 1")
    return part.both(lambda rows: _shifted(rows, moved)), moved


def _is_moved(part: Part, column: str, notes: Notes, settled: bool | None) -> bool:
    """Return whether a column counts from 0: as declared, as settled elsewhere, as most lists do."""
    if column in part.raw.base:
        return part.raw.base[column] == 0
    if settled is not None:
        return settled
    numbers = _readable(part, column)
    if counts_from_zero(numbers, column):
        return True
    if zeros := int((numbers[column] == 0).sum()):
        remedy = f"say base = {{ {column} = 0 }} in study.toml" if part.raw.is_file else "add 1 to all of them"
        notes.warn(f"{part.raw.source}: {counted(zeros, column)} of 0; if the log counts from 0, {remedy}")
    return False


def _readable(part: Part, column: str) -> pl.DataFrame:
    """Return every number that could be read, in rejected records too, with the list or session it belongs to."""
    names = [*WITHIN[column], column]
    frames = [frame for rows in (part.rows, part.markers) for frame in (rows.accepted, rows.broken)]
    return pl.concat([frame.select(names) for frame in frames if set(names) <= set(frame.columns)]).drop_nulls()


def _shifted(rows: Checked, columns: list[str]) -> Checked:
    """Return the rows with 1 added to these columns."""
    more = [pl.col(column) + 1 for column in columns]
    return Checked(rows.accepted.with_columns(more), rows.broken.with_columns(more)) if columns else rows
