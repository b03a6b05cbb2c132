"""Logs that are taken from their files some whole sessions at a time, as they are asked for, and are never there as a whole."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from sessionkit.readers.raw import Raw

if TYPE_CHECKING:
    from sessionkit.readers.records import Taken

Sources = Mapping[str, Raw]
"""Sources of sessions, queries and results, as far as they are given, by table."""


class NotAsItComesError(Exception):
    """A log cannot be taken as it comes; it has to be taken some other way."""


class StreamedLog(Protocol):
    """A log on its way."""

    at_once: int
    """How many parts are best taken and put together at a time, where memory is no matter."""

    @property
    def log(self) -> Sources:
        """Its sources, without a record; how many there were is known after the last part."""

    def parts(self, budget: int) -> Generator[Callable[[], Sequence[Sources]], None, None]:
        """Return the log some whole sessions at a time, in the order of their names.

        Each is returned as a function that takes them from their files where that is still to be done, in any thread.

        Parameters
        ----------
        budget
            Bytes of memory that may be used.

        Raises
        ------
        NotAsItComesError
            The log cannot be taken so, which may show after some parts.
        """


class AccountedStream(StreamedLog, Protocol):
    """A log on its way that says in the end what it merged, and what carries nothing."""

    @property
    def told(self) -> Taken:
        """What there is to say beside the rows, as far as these came."""
