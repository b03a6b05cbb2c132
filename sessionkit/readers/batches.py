"""The records of a log too large for memory in batches: each is a range of session_id, and has all records of its sessions.

Batch after batch the log is then in the order of its sessions. A table that is roughly in this order already, as most are, is read
range by range (in memory and in order, it is cut); one that is out of order is first repartitioned to disk, a file for each batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.contract.casts import as_text
from sessionkit.readers.io.record_store import ROW_GROUP, room_in, split, split_off
from sessionkit.readers.raw import Raw

SAMPLE = 200_000
"""Records of each table whose sessions are looked at to find ranges of like size."""
SCATTER = 6
"""How often the groups of a file may be read for all batches together before sorting them into files is cheaper."""
OPEN = 16
"""Files of batches that are written at the same time; each takes memory."""
BATCH, PLACE, SESSION = "__batch", "__place", "session_id"


def batches_of(log: Mapping[str, Raw], rows: int, workspace: Path) -> list[dict[str, Raw]]:
    """Cut a log into batches of whole sessions.

    Parameters
    ----------
    log
        The sources of sessions, queries and results, as far as they are given.
    rows
        Records of all tables that a batch should have; a session with more stays whole.
    workspace
        A directory for files of batches.

    Returns
    -------
    list of dict
        The sources of each batch. Ranges of sessions come in order; records without session come last.
    """
    samples = {name: _sample(raw) for name, raw in log.items()}
    bounds = _bounds(list(samples.values()), sum(raw.records for raw in log.values()), rows)
    cut = {name: _cut(raw, samples[name], bounds, rows, workspace / f"batches of {name}") for name, raw in log.items()}
    most = max(len(frames) for frames in cut.values())
    return [
        {
            name: replace(raw, frame=cut[name][number] if number < len(cut[name]) else cut[name][0].clear())
            for name, raw in log.items()
        }
        for number in range(most)
    ]


def _session(raw: Raw) -> pl.Expr:
    """Return the session of a record as the text by which sessions are ordered."""
    return as_text(SESSION, raw.frame.collect_schema()[SESSION])


def _sample(raw: Raw) -> pl.DataFrame:
    """Return the sessions of records at equal distances, each with its place and the records it stands for."""
    step = raw.records // SAMPLE + 1
    chosen = raw.frame.with_row_index(PLACE).filter(pl.col(PLACE) % step == 0)
    return chosen.select(PLACE, _session(raw).alias(SESSION), step=pl.lit(step, dtype=pl.Int64)).collect()


def _bounds(samples: list[pl.DataFrame], records: int, rows: int) -> list[str]:
    """Return the sessions with which batches begin, the first apart, so that batches are of like size."""
    seen = pl.concat(samples).drop_nulls(SESSION).sort(SESSION)
    batches = -(-records // rows)
    batch = (pl.col("step").cum_sum() - 1) * batches // pl.col("step").sum()
    first = seen.filter(batch > batch.shift(1))[SESSION]
    return first.filter(first > seen[SESSION].min()).unique().sort().to_list() if len(first) else []


def _cut(raw: Raw, sample: pl.DataFrame, bounds: list[str], rows: int, folder: Path) -> list[pl.LazyFrame]:
    """Return the records of each range, then those without session, in as many batches as they need."""
    if raw.in_memory and (places := _places(raw, bounds)) is not None:
        return [raw.frame.slice(start, end - start) for start, end in pairwise([0, *places, raw.records])]
    nulls = raw.frame.select(_session(raw).is_null().sum()).collect().item()
    lost = -(-nulls // rows)
    text = raw.frame.collect_schema()[SESSION] == pl.String
    if text and not raw.in_memory and _scatter(sample, bounds) <= SCATTER:
        return _in_place(raw.frame, bounds, lost)
    return _in_files(raw, bounds, lost, folder)


def _places(raw: Raw, bounds: list[str]) -> list[int] | None:
    """Return where the batches begin among records that are in the order of their sessions; None where they are not."""
    sessions = raw.frame.select(_session(raw)).collect().to_series()
    if sessions.null_count() or not sessions.is_sorted():
        return None
    return sessions.search_sorted(pl.Series(bounds, dtype=pl.String)).to_list()


def _scatter(sample: pl.DataFrame, bounds: list[str]) -> float:
    """Return how often each group of records would be read, were batches read from where their records stand."""
    batch = _number(sample[SESSION], bounds)
    groups = sample.select(group=pl.col(PLACE) // ROW_GROUP, batch=batch).drop_nulls()
    return groups.n_unique() / max(groups["group"].n_unique(), 1)


def _in_place(frame: pl.LazyFrame, bounds: list[str], lost: int) -> list[pl.LazyFrame]:
    """Return each batch as a selection from the whole."""
    session = pl.col(SESSION)
    ranges = []
    for lower, upper in zip([None, *bounds], [*bounds, None], strict=True):
        inside = session.is_not_null()
        inside = inside if lower is None else inside & (session >= pl.lit(lower))
        ranges.append(frame.filter(inside if upper is None else inside & (session < pl.lit(upper))))
    return ranges + [frame.filter(session.is_null() & (pl.col(RECORD) % lost == number)) for number in range(lost)]


def _in_files(raw: Raw, bounds: list[str], lost: int, folder: Path) -> list[pl.LazyFrame]:
    """Repartition the records to a file for each batch."""
    number = _session(raw).map_batches(
        lambda sessions: _number(sessions, bounds), return_dtype=pl.Int32, is_elementwise=True
    )
    batch = pl.coalesce(number, (len(bounds) + 1 + pl.col(RECORD) % max(lost, 1)).cast(pl.Int32))
    batches = len(bounds) + 1 + lost
    numbered = raw.frame.with_columns(batch.alias(BATCH))
    for first in range(0, batches, OPEN):
        some = numbered.filter(pl.col(BATCH).is_between(first, first + OPEN - 1))
        with room_in(folder):
            split(some, BATCH, folder, group=ROW_GROUP // 4)
    files = [split_off(folder, BATCH, number) for number in range(batches)]
    return [pl.scan_parquet(written, glob=False) if written else raw.frame.clear() for written in files]


def _number(sessions: pl.Series, bounds: list[str]) -> pl.Series:
    """Return the batch that each session belongs to, null where there is none."""
    if not bounds:
        return sessions.is_not_null().replace_strict({True: 0, False: None}, return_dtype=pl.Int32)
    found = pl.Series(bounds, dtype=pl.String).search_sorted(sessions.fill_null(""), side="right")
    return (
        sessions.to_frame(SESSION)
        .select(pl.when(pl.col(SESSION).is_not_null()).then(pl.Series(found, dtype=pl.Int32)))
        .to_series()
        .alias(BATCH)
    )
