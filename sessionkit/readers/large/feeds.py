"""The tables of a log side by side, as their records come: whole sessions of all of them at a time.

This goes where every file is in the order of its sessions, so that what has come can be left behind. Where one turns
out not to be, the log is read another way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial

import polars as pl

from sessionkit.readers.io.record_store import joined
from sessionkit.readers.large.sizes import records_streamed
from sessionkit.readers.raw import Raw
from sessionkit.readers.stream import NotAsItComesError, Sources
from sessionkit.study.prefetch import Ahead

SESSION = "session_id"
AHEAD = 2
"""Pieces of a file that are read before they are asked for."""


class OutOfOrderError(NotAsItComesError):
    """A file is not in the order of its sessions."""


class SideBySide:
    """A log of tables in files that are in the order of their sessions; it begins to come at once, until it is closed.

    Parameters
    ----------
    log
        Sources that give their records in pieces.
    """

    at_once = 1

    def __init__(self, log: Sources) -> None:
        self.log = dict(log)
        self._feeds = {name: Feed(raw) for name, raw in log.items()}

    def close(self) -> None:
        """End the reading, unless the parts were asked for, which end it themselves."""
        for feed in self._feeds.values():
            feed.close()

    def parts(self, budget: int) -> Generator[Callable[[], Sequence[Sources]], None, None]:
        """Return the parts of the log, which are there already."""
        feeds, self._feeds = self._feeds or {name: Feed(raw) for name, raw in self.log.items()}, {}
        with ExitStack() as open_feeds:
            for feed in feeds.values():
                open_feeds.enter_context(closing(feed))
            for part in side_by_side(feeds, records_streamed(budget, self.log)):
                yield partial(list, [part])
        self.log = {name: replace(feed.raw, records=feed.records) for name, feed in feeds.items()}


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
        self._coming = Ahead(_with_ends(self._pieces), AHEAD)
        self._here: list[pl.DataFrame] = []
        self._sessions: list[pl.Series] = []

    def close(self) -> None:
        """End the reading."""
        self._coming.close()
        self._pieces.close()

    def pull(self) -> None:
        """Take in another piece; `last` is the session it ends with, None where there is no more."""
        piece, more = next(self._coming, (None, False))
        if piece is not None and piece.height:
            self.records += piece.height
            sessions = piece[SESSION].fill_null(strategy="forward").fill_null(self.last)
            if not sessions.is_sorted() or sessions[0] < self.last:
                raise OutOfOrderError
            self.last = sessions[-1]
            self._here.append(piece)
            self._sessions.append(sessions)
        if not more:
            self.last = None

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
        frame = joined(taken).lazy() if taken else self.raw.frame
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


def _with_ends(pieces: Iterator[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, bool]]:
    """Return each piece with whether there are more."""
    piece = next(pieces, None)
    while piece is not None:
        following = next(pieces, None)
        yield piece, following is not None
        piece = following


def _place(sessions: pl.Series, bound: str | None) -> int:
    """Return how many of these sessions, which are in order, come before one."""
    if bound is None or sessions[-1] < bound:
        return len(sessions)
    return int(sessions.search_sorted(bound, side="left")) if sessions[0] < bound else 0
