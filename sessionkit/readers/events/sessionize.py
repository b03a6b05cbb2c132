"""Sessions cut at pauses: of events that come without sessions, and of tables whose sessions are long."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from sessionkit.contract import table
from sessionkit.contract.casts import as_text, cast
from sessionkit.display.words import counted
from sessionkit.errors import DataError, UsageError
from sessionkit.readers.io.record_store import Keep
from sessionkit.readers.raw import Raw
from sessionkit.study.row_index import repeated

GAP = 1800.0
"""Seconds of inactivity that end a session by default: half an hour, the custom of log analysis."""
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*")
WHO, WHEN, ORDINAL = "__who", "__when", "__ordinal"


def seconds(gap: str | float) -> float:
    """Return a gap in seconds.

    Parameters
    ----------
    gap
        A number of seconds, or text such as ``"30m"``, ``"1h"``, ``"90s"``, ``"2d"``.

    Raises
    ------
    UsageError
        It is neither, or not above 0.

    Examples
    --------
    >>> seconds("30m"), seconds("1.5h"), seconds(90)
    (1800.0, 5400.0, 90.0)
    """
    if isinstance(gap, int | float) and not isinstance(gap, bool):
        found = float(gap)
    else:
        parts = TIME.fullmatch(gap) if isinstance(gap, str) else None
        found = float(parts[1]) * UNITS[parts[2] or "s"] if parts else math.nan
    if not (found > 0 and math.isfinite(found)):
        raise UsageError(f"a session gap is {gap!r}; give seconds or a time above 0 such as 30m, 1h or 90s")
    return found


def with_sessions(
    events: pl.LazyFrame,
    *,
    user: str = "user_id",
    time: str = "issued_at",
    gap: str | float = GAP,
    name: str = "session_id",
) -> pl.LazyFrame:
    """Return events with the session each belongs to, sorted by user and time.

    A session is ``user-1``, ``user-2``, ... in time order. Events of one time keep the order they came in. An event
    without a time belongs to the session of the event before it, in the order they came in; one without a user has no
    session.

    Parameters
    ----------
    events
        Rows with a user and a time: a datetime, or a number of seconds.
    user, time
        The names of these columns.
    gap
        Inactivity that ends a session, as :func:`seconds` takes it; a pause as long as the gap does not end it.
    name
        What the column of sessions is called.

    Raises
    ------
    UsageError
        The gap is no time.

    Examples
    --------
    >>> events = pl.LazyFrame({"user_id": ["u", "u", "u"], "issued_at": [5000, 0, 1800]})
    >>> with_sessions(events, gap="30m").collect()["session_id"].to_list()
    ['u-1', 'u-1', 'u-2']
    """
    cut = partial(_cut, user=user, time=time, length=seconds(gap), name=name)
    schema = pl.Schema({**events.collect_schema(), name: pl.String()})
    # whole, as a part of it knows nothing of the events before
    return events.map_batches(
        cut, predicate_pushdown=False, projection_pushdown=False, slice_pushdown=False, schema=schema
    )


def _cut(events: pl.DataFrame, *, user: str, time: str, length: float, name: str) -> pl.DataFrame:
    """Return events with the session of each, sorted by user and time."""
    who, when = _in_order_of(events[user]), events[time]
    if when.null_count():
        filled = events.select(pl.col(time).forward_fill().over(who.alias(WHO)))
        when = filled.to_series()
    keys = pl.DataFrame({WHO: who, WHEN: when})
    later = (pl.col(WHO) > pl.col(WHO).shift(1)) | (
        (pl.col(WHO) == pl.col(WHO).shift(1)) & (pl.col(WHEN) >= pl.col(WHEN).shift(1))
    )
    if not keys.select(later.fill_null(value=False).slice(1).all()).item():
        place = keys.select(pl.arg_sort_by(WHO, WHEN, maintain_order=True)).to_series()
        events, keys = (frame.select(pl.all().gather(place)) for frame in (events, keys))
    pause = pl.col(WHEN) - pl.col(WHEN).shift(1)
    idle = pause.dt.total_microseconds() / 1e6 if when.dtype.is_temporal() else pause
    new = (pl.col(WHO) != pl.col(WHO).shift(1)).fill_null(value=True) | (idle > length).fill_null(value=False)
    begins = keys.select(new).to_series()
    first = events.select(pl.col(user).filter(begins), within_group(keys[WHO].filter(begins)).alias(ORDINAL))
    sessions = first.rechunk().select(pl.format("{}-{}", user, ORDINAL)).to_series()  # polars 2.1 fails at empty chunks
    return events.with_columns(sessions.gather(begins.cum_sum() - 1).alias(name))


def _in_order_of(values: pl.Series) -> pl.Series:
    """Return numbers in the order of these values, 0 for null; texts are sorted once for all rows that stand together."""
    runs = values.rle().struct.unnest()
    return repeated(runs["value"].rank("dense").fill_null(0), runs["len"])


def with_positions(queries: pl.LazyFrame) -> pl.LazyFrame:
    """Return queries with their place within their session, from 1, in the order in which they stand.

    >>> with_positions(pl.LazyFrame({"session_id": ["a", "b", "a"]})).collect()["query_position"].to_list()
    [1, 1, 2]
    """
    place = pl.col("session_id").map_batches(within_group, return_dtype=pl.Int64())
    return queries.with_columns(place.alias("query_position"))


def within_group(groups: pl.Series) -> pl.Series:
    """Return the place of every row among those of its group, from 1; rows of a group mostly stand together.

    >>> within_group(pl.Series(["a", "b", "a"])).to_list()
    [1, 1, 2]
    """
    runs = groups.rle().struct.unnest()
    if runs["value"].n_unique() < len(runs):
        place = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("group")
        return groups.to_frame("group").select(place).to_series()
    return pl.int_range(1, len(groups) + 1, eager=True) - repeated(runs["len"].cum_sum() - runs["len"], runs["len"])


Tables = dict[str, list[Raw]]
"""The sources of each table."""
SESSION, POSITION, ISSUED = "session_id", "query_position", "issued_at"
NUMBER, MOVED, PART, LAST = "__number", "__moved", "__part", "__last"
"""Of a query: its position in the session and in its part, the number of the part, and that of the last part of the session."""


@dataclass(frozen=True)
class CutTables:
    """Tables whose sessions are cut at pauses.

    Parameters
    ----------
    raws
        The sources of each table.
    notes
        What is to be said of it.
    """

    raws: Tables
    notes: list[str]


def cut_tables(raws: Mapping[str, Sequence[Raw]], gap: str | float, keep: Keep) -> CutTables:
    """Cut sessions of tables where the times of two queries are further apart than a gap.

    A session is ``s-1``, ``s-2``, ... as those of events are. Results and clicks go with their query, whose position counts
    from the first query of its part. What [sessions] says of a session stands in each of its parts: a started_at only in the
    first, an ended_at only in the last, no session_order where there are several parts. A query without a time belongs to the
    part of the query before it. A judgment_key stays as it is.

    Parameters
    ----------
    raws
        Sources under our names, not yet checked.
    gap
        As :func:`seconds` takes it.
    keep
        Where the records stay.

    Raises
    ------
    DataError
        No query has a time.
    UsageError
        The gap is no time.
    """
    log = [raw for name in ("queries", "results") for raw in raws.get(name, ())]
    parts = keep(_parts_of(log, seconds(gap)))
    cut = {name: [_cut_source(raw, parts, keep) for raw in given] for name, given in raws.items() if name != "users"}
    ends = parts.group_by(SESSION).agg(pl.col(PART).max()).sort(SESSION)
    several = ends.filter(pl.col(PART) > 1).collect()
    sessions = ends.select(pl.len()).collect().item()
    notes = [f"sessions cut by {gap} of inactivity: {several.height:,} of {counted(sessions, 'session')}"]
    if several.height:
        first, number = several.row(0)
        notes[0] += f" in several parts, such as {first!r} in {number} ({f'{first}-1'!r}, ...)"
    return CutTables({**{name: list(given) for name, given in raws.items()}, **cut}, notes)


def _parts_of(log: Sequence[Raw], length: float) -> pl.LazyFrame:
    """Return for each query, by its session and position, its part, and the parts that the session has.

    For a gap of 30 minutes and queries 1 to 4 at 10:00, 10:05, 11:00 and 11:02 these are parts 1, 1, 2 and 2 of 2.
    """
    timed = [raw for raw in log if ISSUED in raw.frame.collect_schema()]
    queries = table("queries").by_name
    rows = []
    for raw in log:
        types = raw.frame.collect_schema()
        time = (
            cast(queries[ISSUED], types[ISSUED], raw.timezone)
            if raw in timed
            else pl.lit(None, pl.Datetime("us", "UTC"))
        )
        rows.append(_keyed(raw).select(SESSION, NUMBER, time.alias(ISSUED)))
    places = pl.concat(rows).drop_nulls([SESSION, NUMBER]).group_by(SESSION, NUMBER).agg(pl.col(ISSUED).min()).collect()
    if places[ISSUED].null_count() == places.height:
        said = "no value of issued_at is a time" if timed else "there is no issued_at"
        raise DataError(
            f"{log[0].source}: cut_sessions needs the times of queries, but {said}; name their column, as in "
            'columns = { issued_at = "..." }, or leave cut_sessions out'
        )
    pause = pl.col(ISSUED).forward_fill().diff().over(SESSION)
    begins = (pause.dt.total_microseconds() / 1e6 > length).fill_null(value=False)
    part = places.sort(SESSION, NUMBER).with_columns((begins.cast(pl.Int64).cum_sum().over(SESSION) + 1).alias(PART))
    starts = part.group_by(SESSION).agg(pl.col(NUMBER).min())[NUMBER]
    base = _declared_base(log)
    if base is None:
        base = int(2 * (starts == 0).sum() <= len(starts))
    first = pl.when(pl.col(PART) > 1).then(pl.col(NUMBER).min().over(SESSION, PART)).otherwise(base)
    return part.select(
        SESSION,
        NUMBER,
        PART,
        (pl.col(NUMBER) - first + base).alias(MOVED),
        pl.col(PART).max().over(SESSION).alias(LAST),
    ).lazy()


def _declared_base(log: Sequence[Raw]) -> int | None:
    """Return what query positions are declared to count from; None where nothing is declared."""
    return next((raw.base[POSITION] for raw in log if POSITION in raw.base), None)


def _keyed(raw: Raw) -> pl.LazyFrame:
    """Return the records of a source with their session as text and the number of their query, null where it is none."""
    types = raw.frame.collect_schema()
    number = pl.lit(None, pl.Int64)
    if POSITION in types:
        number = cast(table("queries").by_name[POSITION], types[POSITION]).cast(pl.Int64)
    return raw.frame.with_columns(number.alias(NUMBER), as_text(SESSION, types[SESSION]).alias(SESSION))


def _cut_source(raw: Raw, parts: pl.LazyFrame, keep: Keep) -> Raw:
    """Return a source with the parts of its sessions in place of these."""
    types = raw.frame.collect_schema()
    if POSITION in types:
        rows = _keyed(raw).join(parts, on=[SESSION, NUMBER], how="left", maintain_order="left")
        moved = pl.coalesce(pl.col(MOVED).cast(pl.String), as_text(POSITION, types[POSITION])).alias(POSITION)
    else:
        each = parts.select(SESSION, PART, LAST).unique().sort(SESSION, PART)
        rows = _keyed(raw).join(each, on=SESSION, how="left", maintain_order="left_right")
        rows = rows.with_columns(pl.coalesce(PART, pl.lit(1, pl.Int64)).alias(PART))
        moved = pl.col(SESSION)
    name = pl.coalesce(pl.format("{}-{}", SESSION, PART), SESSION).alias(SESSION)
    holds = {
        "started_at": pl.col(PART) == 1,
        "ended_at": pl.col(PART) == pl.col(LAST),
        "session_order": pl.col(LAST) == 1,
    }
    within = [
        pl.when(holds[column].fill_null(value=True)).then(column).alias(column) for column in holds if column in types
    ]
    frame = keep(rows.with_columns(name, *within).with_columns(moved).select(types.names()))
    if POSITION in types:
        return replace(raw, frame=frame)
    return replace(raw, frame=frame, records=frame.select(pl.len()).collect().item(), kind="parts of sessions")
