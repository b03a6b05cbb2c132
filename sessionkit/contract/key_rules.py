"""Rules over several rows or tables: unique keys, parents that exist, positions within reach."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.contract.checks import FLAG, RECORD, CheckedRows
from sessionkit.contract.schemas import Table

REACH = 100
"""How many positions of a session may be missing, however few it has."""


def check_unique(rows: CheckedRows, table: Table) -> CheckedRows:
    """Sort by the key and part off rows whose key an earlier record of the source already has."""
    key = list(table.key)
    if _rises(rows, key):
        return rows
    if not rises(rows.accepted, [*key, RECORD]):
        rows = CheckedRows(rows.accepted.sort([*key, RECORD]), rows.broken)
    repeated = pl.all_horizontal(pl.col(name) == pl.col(name).shift(1) for name in key)
    return rows.rejecting(table.rule("unique").name, repeated, _shown(key))


def check_parents(
    rows: CheckedRows, table: Table, reference: str, accepted: pl.DataFrame, seen: pl.DataFrame
) -> CheckedRows:
    """Part off rows whose parent does not exist (``..._is_known``) or was itself rejected (``..._is_accepted``).

    `accepted` and `seen` hold the keys of the parents that were accepted, and of all that occur in the source.
    """
    known, kept = table.rule("known", reference), table.rule("accepted", reference)
    key = list(known.fields)
    if rows.accepted.is_empty():
        return rows
    own = keys_of(rows, key)
    if own.equals(accepted.select(key)):  # which is so in most logs, and cheaper to see than what is missing
        return rows
    if len(key) == 2 and _all_numbered(own, accepted.select(key)):
        return rows
    orphans = own.join(accepted, on=key, how="anti")
    if orphans.is_empty():
        return rows
    seen = seen.select(key).unique().with_columns(pl.lit(True).alias(FLAG))
    orphans = orphans.join(seen, on=key, how="left").with_columns(pl.col(FLAG).fill_null(value=False))
    flagged = CheckedRows(rows.accepted.join(orphans, on=key, how="left", maintain_order="left"), rows.broken)
    parted = flagged.rejecting(known.name, ~pl.col(FLAG), _shown(key))
    parted = parted.rejecting(kept.name, pl.col(FLAG), _shown(key))
    return CheckedRows(parted.accepted.drop(FLAG), parted.broken.drop(FLAG, strict=False))


def check_reach(rows: CheckedRows, table: Table, positions: pl.DataFrame | None = None) -> CheckedRows:
    """Part off rows so far on in the numbering that the positions missing before them cannot be meant.

    Up to the k-th position of a session :data:`REACH` may be missing, or k where that is more: a time or an id taken for a
    position would make rows without end. `positions` are the (session, position) pairs to count; by default those of the
    rows themselves.
    """
    if rows.accepted.is_empty():
        return rows
    rule = table.rule("near")
    group, position = rule.fields
    counted = keys_of(rows, [group, position]) if positions is None else distinct(positions, [group, position])
    if counted.is_empty() or counted[position].max() <= REACH + 1 or is_dense(counted):  # type: ignore[operator]
        return rows
    ordinal = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(group)
    missing = pl.col(position).cast(pl.Int64) - ordinal
    beyond = (missing > pl.max_horizontal(ordinal, REACH)).cum_max().over(group)
    far = in_order(counted).filter(beyond)
    if far.is_empty():
        return rows
    flagged = rows.accepted.join(
        far.with_columns(pl.lit(True).alias(FLAG)), on=[group, position], how="left", maintain_order="left"
    )
    parted = CheckedRows(flagged, rows.broken).rejecting(rule.name, pl.col(FLAG), pl.col(position).cast(pl.String))
    return CheckedRows(parted.accepted.drop(FLAG), parted.broken.drop(FLAG, strict=False))


def is_dense(keys: pl.DataFrame) -> bool:
    """Return whether position k is the k-th of its group in all of these distinct (group, position) pairs, in any order.

    >>> is_dense(pl.DataFrame({"s": ["b", "a", "a"], "p": [1, 2, 1]})), is_dense(pl.DataFrame({"s": ["a", "a"], "p": [1, 3]}))
    (True, False)
    """
    group, position = keys.columns
    first = (pl.col(group) != pl.col(group).shift(1)).fill_null(value=True)
    due = pl.when(first).then(1).otherwise(pl.col(position).shift(1) + 1)
    dense = (pl.col(position) == due).all()
    # each key is there once: where all are due as they stand, no group stands in two places
    return bool(keys.lazy().select(dense).collect().item() or in_order(keys).select(dense).item())


def _all_numbered(own: pl.DataFrame, accepted: pl.DataFrame) -> bool:
    """Return whether all of these keys are accepted, as is cheap to see where the accepted count from 1 in each group."""
    group, number = own.columns
    runs, mine = (keys[group].rle().struct.unnest() for keys in (accepted, own))
    first, times = (runs["len"].cum_sum() - runs["len"]).to_numpy(), runs["len"].to_numpy()
    if not (accepted[number].to_numpy() == np.arange(1, accepted.height + 1) - np.repeat(first, times)).all():
        return False
    found = mine.join(runs, on="value", how="left", maintain_order="left")
    if found.height != mine.height or found["len_right"].null_count():
        return False
    most = np.repeat(found["len_right"].to_numpy(), mine["len"].to_numpy())
    return bool(own[number].is_between(1, pl.Series(most)).all())


def rises(frame: pl.DataFrame, key: Sequence[str]) -> bool:
    """Return whether the key of every row is above that of the row before; its columns have no nulls."""
    if frame.height < 2:
        return True
    first, *rest = (frame[name] for name in key)
    now, before = first[1:], first[:-1]
    new = now != before
    # texts are compared but once, and by order only where they change; numbers are compared cheaply
    if not (now.filter(new) > before.filter(new)).all():
        return False
    above = pl.Series([False]).new_from_index(0, len(new))
    for column in reversed(rest):
        now, before = column[1:], column[:-1]
        above = (now > before) | ((now == before) & above)
    return bool((new | above).all())


def _rises(rows: CheckedRows, key: Sequence[str]) -> bool:
    """Return what :func:`rises` does of the accepted rows; what :func:`keys_of` is asked for later is found on the way."""
    *group, last = key
    values = rows.accepted[last]
    if not group or values.null_count():
        return rises(rows.accepted, key)
    starts = starts_of(rows, group)
    keys = rows.accepted.select(group)[starts]
    if not rises(keys, group):
        return False
    rows.known[tuple(group)] = keys
    above = np.ones(len(values), dtype=np.bool_)
    above[1:] = (values[1:] > values[:-1]).to_numpy()
    above[starts] = True
    return bool(above.all())


def in_order(keys: pl.DataFrame) -> pl.DataFrame:
    """Return distinct keys sorted by all their columns; keys that already rise are returned as they are."""
    return keys if rises(keys, keys.columns) else keys.sort(keys.columns)


def distinct(rows: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """Return every key of these rows once; rows of one key mostly stand together, which makes it cheap."""
    return _once(rows.select(key)[np.flatnonzero(begins(rows, key))])


def keys_of(rows: CheckedRows, key: Sequence[str]) -> pl.DataFrame:
    """Return every key of the accepted rows once, as :func:`distinct` does; what was found is found but once.

    A key that is the first part of one that was asked for before is found among these, which are fewer.
    """
    known = rows.known
    if (wanted := tuple(key)) not in known:
        longer = next((keys for name, keys in known.items() if name[: len(wanted)] == wanted), None)
        if longer is None:
            known[wanted] = _once(rows.accepted.select(key)[starts_of(rows, key)])
        else:
            known[wanted] = distinct(longer, key)
    return known[wanted]


def starts_of(rows: CheckedRows, key: Sequence[str]) -> NDArray[np.intp]:
    """Return which accepted rows have another key than the row before, the first one among them; found but once."""
    if (wanted := tuple(key)) not in rows.starts:
        rows.starts[wanted] = np.flatnonzero(begins(rows.accepted, key))
    return rows.starts[wanted]


def _once(keys: pl.DataFrame) -> pl.DataFrame:
    """Return every key once."""
    return keys if rises(keys, keys.columns) else keys.unique()


def begins(rows: pl.DataFrame, key: Sequence[str]) -> NDArray[np.bool_]:
    """Return for every row whether its key is another than that of the row before, as the first one's is; null is a value.

    >>> begins(pl.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "y"]}), ["a"]).tolist()
    [True, False, True]
    """
    new = np.ones(rows.height, dtype=np.bool_)
    # what a null is unlike is asked only where there are nulls: it takes half as long again
    unlike = (
        rows[name][1:].ne_missing(rows[name][:-1]) if rows[name].null_count() else rows[name][1:] != rows[name][:-1]
        for name in key
    )
    new[1:] = functools.reduce(operator.or_, unlike).to_numpy()
    return new


def any_twice(hashes: NDArray[np.uint64]) -> bool:
    """Return whether any of these numbers is there twice."""
    ordered = np.sort(hashes)
    return bool((ordered[1:] == ordered[:-1]).any())


def changes(names: Sequence[str]) -> pl.Expr:
    """Return whether any of these columns has another value than in the row before; true in the first row."""
    return pl.any_horizontal(
        pl.int_range(pl.len()) == 0, *(pl.col(name).ne_missing(pl.col(name).shift(1)) for name in names)
    )


def _shown(key: Sequence[str]) -> pl.Expr:
    """Return a key as one text, its parts joined by spaces."""
    return pl.concat_str([pl.col(name).cast(pl.String) for name in key], separator=" ")
