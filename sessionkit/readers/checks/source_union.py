"""Several sources of one table as one: their records one source after the other, each with a way back to its own.

That two of them are the same file is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import polars as pl

from sessionkit.contract import CELLS, RECORD
from sessionkit.errors import DataError
from sessionkit.readers.raw import LINE, OF_SHEET, OWN, RAW, SOURCE, Raw, joined_sources


def together(raws: Sequence[Raw]) -> Raw:
    """Return these sources of one table, which agree in timezone, base and text of empty lists, as one.

    Where two of them have a row of one key, the earlier source has it first.
    """
    if len(raws) == 1:
        return raws[0]
    members: list[tuple[int, Raw]] = []
    frames, start = [], 0
    for raw in raws:
        members += [(start + inner, member) for inner, member in raw.parted]
        frames.append(_further(raw.frame, start))
        start += raw.frame.select(pl.col(RECORD).max()).collect().item() or 0
    names = list(dict.fromkeys(member.source for _, member in members))
    return replace(
        raws[0],
        source=joined_sources(names),
        frame=pl.concat(frames, how="diagonal_relaxed"),
        records=sum(raw.records for raw in raws),
        locate=lambda records: _located(members, records),
        kind="",
        members=tuple(members),
    )


def _further(frame: pl.LazyFrame, start: int) -> pl.LazyFrame:
    """Return records numbered after `start` others."""
    moved = [pl.col(RECORD).cast(pl.Int64) + start]
    if CELLS in frame.collect_schema():
        cell = pl.element().struct
        moved.append(pl.col(CELLS).list.eval(cell.with_fields(cell.field(RECORD) + start)))
    return frame.with_columns(moved)


def twins(raws: Iterable[Raw]) -> list[str]:
    """Return what is to be said of files with the same content, all of which were read: their records count as often."""
    members = {raw.source: raw for one in raws for _, raw in one.parted if raw.is_file}
    sizes = Counter(raw.bytes for raw in members.values())
    alike: dict[str | None, list[str]] = {}
    for source, raw in members.items():
        if sizes[raw.bytes] > 1:
            alike.setdefault(raw.sha256, []).append(source)
    return [
        f"{' and '.join(names)} are identical; their records are read once for each"
        for names in alike.values()
        if len({name.partition(OF_SHEET)[0] for name in names})
        > 1  # sheets of one workbook are no copies of each other
    ]


def _located(members: list[tuple[int, Raw]], records: pl.Series) -> pl.DataFrame:
    """Return where these records stand in their own sources."""
    types = {RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String, SOURCE: pl.String, OWN: pl.Int64}
    found = [pl.DataFrame(schema=types)]
    ends = [start for start, _ in members[1:]] + [None]
    for (start, raw), end in zip(members, ends, strict=True):
        inside = records > start if end is None else (records > start) & (records <= end)
        own = records.filter(inside) - start
        if len(own):
            located = raw.locate(own).with_columns(pl.lit(raw.source).alias(SOURCE), pl.col(RECORD).alias(OWN))
            found.append(located.with_columns(pl.col(RECORD) + start).select(list(types)))
    return pl.concat(found, how="vertical_relaxed")


def refuse_shared(queries: Sequence[Raw]) -> None:
    """Raise DataError where two files have a session of one number, since each file counts its own."""
    if len(queries) < 2:
        return
    own = [raw.frame.select("session_id", source=pl.lit(raw.source)).drop_nulls().unique() for raw in queries]
    sessions = pl.concat(own, how="vertical_relaxed")
    both = sessions.group_by("session_id").agg(pl.col("source").sort()).filter(pl.col("source").list.len() > 1)
    shared = both.sort("session_id").head(1).collect()
    if len(shared):
        session, (first, second, *_) = shared.row(0)
        raise DataError(
            f"{first} and {second} both have a session {session!r}, and number their sessions separately; read one at a time"
        )
