"""Two courses that a large log can take from its files to parts of whole sessions.

:class:`Streamed`: records are taken from the files as they come, and do not stay. It asks for files in the order of
their sessions, and for nothing that only the whole log can decide.

:class:`Staged`: the records lie in temporary files, can be looked through as often as it takes, and be sorted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Lock

from sessionkit.readers.checks.bases import moved_columns, say_zero
from sessionkit.readers.checks.decisions import Decisions, Parts, decide
from sessionkit.readers.checks.log_schemas import log_schemas
from sessionkit.readers.checks.notes import Notes
from sessionkit.readers.checks.small_log import all_columns
from sessionkit.readers.checks.source_checks import CheckedSource, typed_part
from sessionkit.readers.checks.time_zones import notice_zones, without_zones
from sessionkit.readers.large.ranges import parts_of
from sessionkit.readers.large.sizes import records_within
from sessionkit.readers.raw import Raw
from sessionkit.readers.stream import NotAsItComesError, Sources, StreamedLog

Course = Generator[Callable[[], Sequence[Parts]], None, None]
"""What gives the typed parts of a log, some at a time; sessions rise from part to part."""


class UnsettledError(NotAsItComesError):
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
        self.decided = decide(log, self._typed, self._notes)

    def parts(self) -> Course:
        """Return the typed parts of the log."""
        yield from (partial(self._of, part) for part in self._parts)

    def notice(self, notes: Notes) -> None:
        """Note what was unusual before anything was put together."""
        notes.take(self._notes)

    def _typed(self) -> Iterator[Parts]:
        """Return the typed parts one after the other."""
        return (one for part in self.parts() for one in part())

    def _of(self, part: Sources) -> Sequence[Parts]:
        """Return a part, typed."""
        return [{name: typed_part(raw, self._schemas[name]) for name, raw in part.items()}]


class Streamed:
    """A log that is taken as it comes.

    Parameters
    ----------
    coming
        Where it comes from.
    budget
        Bytes of memory that may be used.

    Raises
    ------
    UnsettledError
        The whole log has to decide something.
    """

    def __init__(self, coming: StreamedLog, budget: int) -> None:
        self._coming, self._budget = coming, budget
        self._schemas, self._lock = log_schemas(self.log), Lock()
        self._zones: dict[str, Counter[str]] = {}
        derived = "results" in self.log and not {"queries", "sessions"} & set(self.log)
        if derived and "judgment_key" in self.log["results"].frame.collect_schema():
            raise UnsettledError
        self.decided = Decisions(self._moved(Notes()))

    @property
    def log(self) -> Sources:
        """Its sources."""
        return self._coming.log

    def parts(self) -> Course:
        """Return the typed parts of the log; taking them raises UnsettledError where something counts from 0 of which nobody said so."""
        self._zones = {name: Counter() for name in self.log}
        with closing(self._coming.parts(self._budget)) as parts:
            for part in parts:
                yield partial(self._of, part)

    def notice(self, notes: Notes) -> None:
        """Note what was unusual before anything was put together, after the last part."""
        for name, raw in self.log.items():
            notice_zones(raw, self._zones[name], notes)
        self._moved(notes)

    def _of(self, part: Callable[[], Sequence[Sources]]) -> Sequence[Parts]:
        """Return some parts, typed."""
        return [{name: self._typed(name, raw) for name, raw in sources.items()} for sources in part()]

    def _typed(self, name: str, raw: Raw) -> CheckedSource:
        """Return a table of a part, typed."""
        settled = {*raw.base, *(["query_position"] if name == "results" and "queries" in self.decided.moved else [])}
        if set(say_zero(raw, self._schemas[name])) - settled:
            raise UnsettledError
        zones = without_zones(raw, all_columns())
        with self._lock:
            self._zones[name].update(zones)
        return typed_part(raw, self._schemas[name])

    def _moved(self, notes: Notes) -> dict[str, list[str]]:
        """Return the columns that are declared to count from 0."""
        moved: dict[str, list[str]] = {}
        for name in ("queries", "results"):
            if name in self.log:
                settled = "query_position" in moved["queries"] if name == "results" and "queries" in moved else None
                moved[name] = moved_columns(self.log[name], {}, notes, positions=settled)
        return moved
