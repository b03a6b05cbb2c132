"""Sessions from events that come without them: a session ends where a user is idle for longer than a gap."""

from __future__ import annotations

import math
import re
from functools import partial

import polars as pl

from sessionkit.errors import UsageError
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
    within: str | None = None,
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
    within
        A column of sessions the source knows, such as those of a browser that never closes, which are cut further; a new
        one begins a session, too.
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
    cut = partial(_cut, user=user, time=time, length=seconds(gap), within=within, name=name)
    schema = pl.Schema({**events.collect_schema(), name: pl.String()})
    # whole, as a part of it knows nothing of the events before
    return events.map_batches(
        cut, predicate_pushdown=False, projection_pushdown=False, slice_pushdown=False, schema=schema
    )


def _cut(events: pl.DataFrame, *, user: str, time: str, length: float, within: str | None, name: str) -> pl.DataFrame:
    """Return events with the session of each, sorted by user and time."""
    who, when, inside = _in_order_of(events[user]), events[time], () if within is None else (within,)
    if when.null_count():
        filled = events.select(pl.col(time).forward_fill().over(who.alias(WHO), *inside))
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
    if within is not None:
        begins |= events.select(pl.col(within).ne_missing(pl.col(within).shift(1))).to_series()
    first = events.select(pl.col(user).filter(begins), within_group(keys[WHO].filter(begins)).alias(ORDINAL))
    sessions = first.rechunk().select(pl.format("{}-{}", user, ORDINAL)).to_series()  # polars 2.1 fails at empty chunks
    return events.with_columns(sessions.gather(begins.cum_sum() - 1).alias(name))


def _in_order_of(values: pl.Series) -> pl.Series:
    """Return numbers in the order of these values, 0 for null; texts are sorted once for all rows that stand together."""
    runs = values.rle().struct.unnest()
    return repeated(runs["value"].rank("dense").fill_null(0), runs["len"])


def with_positions(queries: pl.LazyFrame, *, name: str = "query_position") -> pl.LazyFrame:
    """Return queries with their place within their session, from 1, in the order in which they stand.

    >>> with_positions(pl.LazyFrame({"session_id": ["a", "b", "a"]})).collect()["query_position"].to_list()
    [1, 1, 2]
    """
    place = pl.col("session_id").map_batches(within_group, return_dtype=pl.Int64())
    return queries.with_columns(place.alias(name))


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
