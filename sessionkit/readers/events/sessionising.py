"""Sessions from events that come without them: a session ends where a user is idle for longer than a gap."""

from __future__ import annotations

import math
import re

import polars as pl

from sessionkit.errors import UsageError

GAP = 1800.0
"""Seconds of inactivity that end a session by default: half an hour, the custom of log analysis."""
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*")
NEW, ORDINAL = "__new", "__ordinal"


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
    length = seconds(gap)
    came, at = "__came", "__at"
    kind = events.collect_schema()[time]
    ordered = events.with_row_index(came)
    times = pl.col(time).forward_fill().over(user) if within is None else pl.col(time).forward_fill().over(user, within)
    ordered = ordered.with_columns(times.alias(at)).sort(user, at, came)
    pause = pl.col(at) - pl.col(at).shift(1)
    idle = pause.dt.total_microseconds() / 1e6 if kind.is_temporal() else pause
    same = pl.col(user) == pl.col(user).shift(1)
    new = ~same.fill_null(value=False) | (idle > length).fill_null(value=False)
    if within is not None:
        new |= pl.col(within).ne_missing(pl.col(within).shift(1))
    ordinal = pl.col(NEW).cast(pl.Int64).cum_sum().over(user).alias(ORDINAL)
    session = pl.format("{}-{}", pl.col(user), pl.col(ORDINAL)).alias(name)
    return ordered.with_columns(new.alias(NEW)).with_columns(ordinal).with_columns(session).drop(NEW, ORDINAL, came, at)


def with_positions(queries: pl.LazyFrame, *, name: str = "query_position") -> pl.LazyFrame:
    """Return queries with their place within their session, from 1, in the order in which they stand.

    >>> with_positions(pl.LazyFrame({"session_id": ["a", "b", "a"]})).collect()["query_position"].to_list()
    [1, 1, 2]
    """
    return queries.with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("session_id").alias(name))
