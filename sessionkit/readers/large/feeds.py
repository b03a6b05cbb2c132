"""The tables of a log side by side, as their records come: whole sessions of all of them at a time.

This goes where every file is in the order of its sessions, so that what has come can be left behind. Where one turns
out not to be, the log is read another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import polars as pl

from sessionkit.readers.raw import Raw
from sessionkit.study.ahead import Ahead

SESSION = "session_id"


class OutOfOrderError(Exception):
    """A file is not in the order of its sessions."""


class Feed:
    """The records of one table that have come and not been taken.

    Parameters
    ----------
    raw
        A source that gives its records in pieces.
    """

    def __init__(self, raw: Raw) -> None:
        assert raw.pieces is not None  # noqa: S101  # others are read at once
        self.raw = raw
        self.records = 0
        self.last: str | None = ""
        self._pieces = raw.pieces()
        self._coming = Ahead(self._pieces)
        self._here: list[pl.DataFrame] = []
        self._sessions: list[pl.Series] = []

    def close(self) -> None:
        """End the reading."""
        self._coming.close()
        self._pieces.close()

    def pull(self) -> None:
        """Take in another piece; `last` is the session it ends with, None where there is no more."""
        piece = next(self._coming, None)
        if piece is None:
            self.last = None
            return
        self.records += piece.height
        sessions = piece[SESSION].fill_null(strategy="forward").fill_null(self.last)
        if not piece.height:
            return
        if not sessions.is_sorted() or sessions[0] < self.last:
            raise OutOfOrderError
        self.last = sessions[-1]
        self._here.append(piece)
        self._sessions.append(sessions)

    def below(self, bound: str | None) -> int:
        """Return how many records of sessions before this one are here; of all sessions where it is None."""
        return sum(_place(sessions, bound) for sessions in self._sessions)

    def take(self, bound: str | None) -> Raw:
        """Take the records of sessions before this one, or all."""
        places = [_place(sessions, bound) for sessions in self._sessions]
        taken = [piece.head(place) for piece, place in zip(self._here, places, strict=True) if place]
        left = [
            (p.slice(n), s.slice(n)) for p, s, n in zip(self._here, self._sessions, places, strict=True) if n < len(s)
        ]
        self._here, self._sessions = [piece for piece, _ in left], [sessions for _, sessions in left]
        frame = _together(taken).lazy() if taken else self.raw.frame
        return replace(self.raw, frame=frame, pieces=None, records=sum(piece.height for piece in taken))


def side_by_side(feeds: Mapping[str, Feed], rows: int) -> Iterator[dict[str, Raw]]:
    """Return the log in parts of about so many records, all of whole sessions.

    Raises
    ------
    OutOfOrderError
        A file is not in the order of its sessions.
    """
    while True:
        waiting = [feed for feed in feeds.values() if feed.last is not None]
        bound = min((feed.last for feed in waiting if feed.last is not None), default=None)
        if waiting and sum(feed.below(bound) for feed in feeds.values()) < rows:
            min(waiting, key=lambda feed: feed.last or "").pull()
            continue
        yield {name: feed.take(bound) for name, feed in feeds.items()}
        if not waiting:
            return


def _together(pieces: list[pl.DataFrame]) -> pl.DataFrame:
    """Return pieces as one; columns that are numbers in some and text in others are text."""
    other = {name for piece in pieces for name, dtype in piece.schema.items() if dtype != pieces[0].schema[name]}
    return pl.concat([piece.with_columns(pl.col(other).cast(pl.String)) if other else piece for piece in pieces])


def _place(sessions: pl.Series, bound: str | None) -> int:
    """Return how many of these sessions, which are in order, come before one."""
    return len(sessions) if bound is None else int(sessions.search_sorted(bound, side="left"))
