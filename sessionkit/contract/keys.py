"""Rules over several rows or tables: unique keys, parents that exist, positions without gaps."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sessionkit.contract.checked import RECORD, Checked
from sessionkit.contract.schemas import Table

FLAG = "__flag"


def check_unique(rows: Checked, table: Table) -> Checked:
    """Sort by the key and part off rows whose key an earlier record of the source already has."""
    key = list(table.key)
    rows = Checked(in_order(rows.accepted, [*key, RECORD], strictly=key), rows.broken)
    repeated = pl.all_horizontal(pl.col(name) == pl.col(name).shift(1) for name in key)
    return rows.rejecting(table.rule("unique").name, repeated, _shown(key))


def check_parents(rows: Checked, table: Table, reference: str, accepted: pl.DataFrame, seen: pl.DataFrame) -> Checked:
    """Part off rows whose parent does not exist (``..._is_known``) or was itself rejected (``..._is_accepted``).

    `accepted` and `seen` hold the keys of the parents that were accepted, and of all that occur in the source.
    """
    known, kept = table.rule("known", reference), table.rule("accepted", reference)
    key = list(known.fields)
    if rows.accepted.is_empty():
        return rows
    orphans = rows.accepted.join(accepted, on=key, how="anti")
    if orphans.is_empty():
        return rows
    rejected = orphans.join(seen, on=key, how="semi").select(RECORD)
    unknown = orphans.join(seen, on=key, how="anti").select(RECORD)
    rows = rows.rejecting(known.name, pl.col(RECORD).is_in(unknown[RECORD].implode()), _shown(key))
    return rows.rejecting(kept.name, pl.col(RECORD).is_in(rejected[RECORD].implode()), _shown(key))


def check_dense(rows: Checked, table: Table, positions: pl.DataFrame | None = None) -> Checked:
    """Part off rows after a gap in the numbering: position k must be the k-th of its session.

    `positions` are the (session, position) pairs to count; by default those of the rows themselves.
    """
    if rows.accepted.is_empty():
        return rows
    rule = table.rule("dense")
    group, position = rule.fields
    counted = rows.accepted if positions is None else positions
    counted = in_order(counted.select(group, position).unique(), [group, position], strictly=[group, position])
    ordinal = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over(group)
    loose = counted.filter(pl.col(position) != ordinal)
    if loose.is_empty():
        return rows
    flagged = rows.accepted.join(
        loose.with_columns(pl.lit(True).alias(FLAG)), on=[group, position], how="left", maintain_order="left"
    )
    parted = Checked(flagged, rows.broken).rejecting(rule.name, pl.col(FLAG), pl.col(position).cast(pl.String))
    return Checked(parted.accepted.drop(FLAG), parted.broken.drop(FLAG, strict=False))


def in_order(frame: pl.DataFrame, by: Sequence[str], strictly: Sequence[str]) -> pl.DataFrame:
    """Return the frame sorted by these columns; a frame whose key already rises strictly is returned as it is."""
    rises = pl.lit(False)
    for name in reversed(strictly):
        now, before = pl.col(name), pl.col(name).shift(1)
        rises = (now > before) | ((now == before) & rises)
    if frame.height < 2 or frame.lazy().select(rises.slice(1).all()).collect().item():
        return frame
    return frame.sort(by)


def _shown(key: Sequence[str]) -> pl.Expr:
    """Return a key as one text, its parts joined by spaces."""
    return pl.concat_str([pl.col(name).cast(pl.String) for name in key], separator=" ")
