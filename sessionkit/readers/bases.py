"""Ranks and query positions that count from 0: recognised by what most lists do, shifted once for the whole source.

A single 0 in a source that counts from 1 is an error of that record, and rejected.
"""

from __future__ import annotations

import polars as pl

from sessionkit.contract import Checked
from sessionkit.readers.notes import Notes
from sessionkit.readers.parts import LIST, Part


def counts_from_zero(part: Part, column: str, within: list[str]) -> bool:
    """Return whether the smallest number is 0 in more than half of the lists (or sessions)."""
    frames = [checked.accepted.select(*within, column) for checked in (part.rows, part.markers)]
    smallest = pl.concat(frames).drop_nulls().group_by(within).agg(pl.col(column).min())
    return bool(2 * (smallest[column] == 0).sum() > smallest.height)


def shifted_part(part: Part, notes: Notes, *, positions: bool | None = None) -> tuple[Part, list[str]]:
    """Return the source with what counts from 0 shifted to count from 1, and the columns that were.

    `positions` says whether query positions count from 0 where another table has settled that.
    """
    moved = []
    if counts_from_zero(part, "query_position", ["session_id"]) if positions is None else positions:
        moved.append("query_position")
    if part.raw.table == "results" and counts_from_zero(part, "rank", LIST):
        moved.append("rank")
    for column in moved:
        notes.tell(f"{part.raw.source}: {column} counts from 0 and was shifted to count from 1")
    return part.both(lambda rows: _shifted(rows, moved)), moved


def _shifted(rows: Checked, columns: list[str]) -> Checked:
    """Return the rows with 1 added to these columns."""
    more = [pl.col(column) + 1 for column in columns]
    return Checked(rows.accepted.with_columns(more), rows.broken.with_columns(more)) if columns else rows
