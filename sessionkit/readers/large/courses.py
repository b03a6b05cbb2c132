"""Two courses that a large log can take from its files to parts of whole sessions.

:class:`Streamed`: records are taken from the files as they come, and never come again. It asks for files in the order of
their sessions, and for nothing that only the whole log can decide.

:class:`Staged`: the records lie in temporary files, can be looked through as often as it takes, and be sorted.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from sessionkit.readers.checking.bases import moved_columns, say_zero
from sessionkit.readers.checking.decisions import Decisions, Parts, decide
from sessionkit.readers.checking.notes import Notes
from sessionkit.readers.checking.parts import typed_part
from sessionkit.readers.checking.whole import all_columns
from sessionkit.readers.checking.widening import log_schemas
from sessionkit.readers.checking.zones import notice_zones, without_zones
from sessionkit.readers.large.feeds import Feed, side_by_side
from sessionkit.readers.large.ranges import parts_of
from sessionkit.readers.large.sizes import records_within
from sessionkit.readers.raw import Raw


class UnsettledError(Exception):
    """Only the whole log can decide what its records mean."""


class Staged:
    """A log in temporary files.

    Parameters
    ----------
    log
        The sources of sessions, queries and results, as far as they are given.
    budget
        Bytes of memory that may be used.
    workspace
        A directory for more temporary files.
    """

    def __init__(self, log: Mapping[str, Raw], budget: int, workspace: Path) -> None:
        self.log, self._schemas = dict(log), log_schemas(log)
        self._parts = parts_of(log, records_within(budget, log), workspace)
        self._notes = Notes()
        for raw in log.values():
            notice_zones(raw, without_zones(raw, all_columns()), self._notes)
        self.decided = decide(log, self.parts, self._notes)

    def parts(self) -> Generator[Parts, None, None]:
        """Return the typed parts of the log; sessions rise from part to part."""
        for part in self._parts:
            yield {name: typed_part(raw, self._schemas[name]) for name, raw in part.items()}

    def notice(self, notes: Notes) -> None:
        """Note what was unusual before anything was put together."""
        notes.take(self._notes)


class Streamed:
    """A log in files that give their records in pieces, in the order of sessions.

    Parameters
    ----------
    log
        The sources of sessions, queries and results, as far as they are given.
    budget
        Bytes of memory that may be used.

    Raises
    ------
    UnsettledError
        The whole log has to decide something.
    """

    def __init__(self, log: Mapping[str, Raw], budget: int) -> None:
        self.log, self._schemas, self._budget = dict(log), log_schemas(log), budget
        self._zones: dict[str, dict[str, int]] = {}
        derived = "results" in log and not {"queries", "sessions"} & set(log)
        if derived and "judgment_key" in log["results"].frame.collect_schema():
            raise UnsettledError
        self.decided = Decisions(self._moved(Notes()))

    def parts(self) -> Generator[Parts, None, None]:
        """Return the typed parts of the log, once; sessions rise from part to part.

        Raises
        ------
        UnsettledError
            Something counts from 0 of which nobody said that it does.
        """
        feeds = {name: Feed(raw) for name, raw in self.log.items()}
        zones: dict[str, dict[str, int]] = {name: {} for name in feeds}
        with ExitStack() as open_feeds:
            for feed in feeds.values():
                open_feeds.enter_context(closing(feed))
            for part in side_by_side(feeds, self._budget):
                for name, raw in part.items():
                    if set(say_zero(raw, self._schemas[name])) - set(self._settled(name)):
                        raise UnsettledError
                    for column, count in without_zones(raw, all_columns()).items():
                        zones[name][column] = zones[name].get(column, 0) + count
                yield {name: typed_part(raw, self._schemas[name]) for name, raw in part.items()}
        self.log = {name: replace(feed.raw, records=feed.records) for name, feed in feeds.items()}
        self._zones = zones

    def notice(self, notes: Notes) -> None:
        """Note what was unusual before anything was put together, after the last part."""
        for name, raw in self.log.items():
            notice_zones(raw, self._zones[name], notes)
        self._moved(notes)

    def _moved(self, notes: Notes) -> dict[str, list[str]]:
        """Return the columns that are declared to count from 0."""
        moved: dict[str, list[str]] = {}
        for name in ("queries", "results"):
            if name in self.log:
                settled = "query_position" in moved["queries"] if name == "results" and "queries" in moved else None
                moved[name] = moved_columns(self.log[name], {}, notes, positions=settled)
        return moved

    def _settled(self, name: str) -> list[str]:
        """Return the columns of a table of which it is known whether they count from 0."""
        return [*self.log[name].base, *(["query_position"] if name == "results" and "queries" in self.log else [])]
