"""The Study: five lazy tables that were checked together, plus the rows that were kept aside."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import polars as pl

from sessionkit.contract import TABLES, table
from sessionkit.display.text import in_html
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.study.batches import StoredBatch
from sessionkit.study.facts import Facts, facts_of
from sessionkit.study.overview import words_and_tables
from sessionkit.study.package import DESCRIPTOR, write_package
from sessionkit.study.partition_folders import Partitioned
from sessionkit.study.settings import Settings
from sessionkit.study.source import Source
from sessionkit.study.temporary import copy_package

if TYPE_CHECKING:
    from sessionkit.study.session_subset import SessionSubset

Verb = TypeVar("Verb", bound=Callable[..., Any])


def no_rejected() -> pl.LazyFrame:
    """Return the table of rejected rows without rows."""
    rejected = table("rejected")
    return rejected.empty(rejected.names).lazy()


def identity_of(directory: Path) -> tuple[int, int, int] | None:
    """What the descriptor's file of a study directory is known by; None where it is not there."""
    try:
        found = (directory / DESCRIPTOR).stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def guarded_read(verb: Verb) -> Verb:
    """Return a function whose first argument is a study, made to say so where the study is replaced while it is read."""

    @functools.wraps(verb)
    def guarded(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - what the function returns
        study = given[0] if given else named.get("study")
        if not isinstance(study, Study):
            return verb(*given, **named)
        with study.reading():
            found = verb(*given, **named)
        study.require_unchanged()  # else some of it may be of another
        return found

    return cast("Verb", guarded)


@dataclass(frozen=True, eq=False)
class Study:
    """The tables of one study; made by ``sk.read``, ``sk.open_study`` or ``sk.from_tables``, which check them.

    Parameters
    ----------
    users, sessions, queries, results, judgments
        The tables, in the order of their keys; in a partitioned study partition by partition. ``sessions`` always has
        user_id, system_id, topic_id and judgment_key (null where unknown), ``queries`` results_status; other declared
        columns are there when they were given, extras always.
    rejected
        Records that broke a rule, with source, record number, line, rule, value and raw text; and, where ``row_kept`` is
        true, values of a ``column`` that broke one, which are missing in their rows.
    settings
        What the experimenter declared.
    sources
        The files the tables came from.
    reader
        The name of the reader.
    notes
        What was unusual when the source was read, one sentence each.
    path
        The study's directory when it was opened from disk.
    address
        The study's address when it was opened from object storage.
    """

    users: pl.LazyFrame
    sessions: pl.LazyFrame
    queries: pl.LazyFrame
    results: pl.LazyFrame
    judgments: pl.LazyFrame
    rejected: pl.LazyFrame = field(default_factory=no_rejected)
    settings: Settings = field(default_factory=Settings)
    sources: tuple[Source, ...] = ()
    reader: str = "tables"
    notes: tuple[str, ...] = ()
    path: Path | None = None
    address: str | None = None

    def table(self, name: str) -> pl.LazyFrame:
        """Return a table by its name.

        Raises
        ------
        UsageError
            There is no such table.
        """
        known = (*TABLES, "rejected")
        if name not in known:
            raise UsageError(f"a study has no table {name!r}{suggestion(name, known)}; tables: {', '.join(known)}")
        frame: pl.LazyFrame = getattr(self, name)
        return frame

    def columns(self, name: str) -> tuple[str, ...]:
        """Return the names of a table's columns, the declared ones first."""
        if name not in self._columns:
            self._columns[name] = tuple(self.table(name).collect_schema().names())
        return self._columns[name]

    @cached_property
    def facts(self) -> Facts:
        """Counts of rows, repeats and unusual queries, computed at most once."""
        return facts_of(self)

    @cached_property
    def depths(self) -> pl.DataFrame:
        """How deep lists are known, computed at most once; see `sessionkit.study.depths`."""
        from sessionkit.study.depths import depths_of  # it cuts studies into slices

        return depths_of(self)

    @cached_property
    def stored(self) -> tuple[StoredBatch, ...] | None:
        """Where the log lies in files that know the places of their rows; None unless it was opened from such files.

        A study made from this one by ``dataclasses.replace`` has other tables, and no such files.
        """
        return None

    @cached_property
    def picked(self) -> SessionSubset | None:
        """What the tables were picked from, with their row numbers; None unless they were.

        A study made from this one by ``dataclasses.replace`` has other tables, and no such numbers.
        """
        return None

    @cached_property
    def numbered_judgments(self) -> pl.LazyFrame | None:
        """The judgments with the private columns of their file; None unless they were opened from one that has them."""
        return None

    @cached_property
    def identity(self) -> tuple[int, int, int] | None:
        """What the descriptor's file was known by when the study was opened from a directory."""
        return None

    def require_unchanged(self) -> None:
        """Raise DataError where another study has taken the place of the one that was opened, or it is gone."""
        if self.identity is None or self.path is None:
            return
        found = identity_of(self.path)
        if found is None:
            raise DataError(
                f"{self.path} was removed since it was opened; nothing of it can be read any more"
            ) from None
        if found != self.identity:
            raise DataError(f"{self.path} was written anew since it was opened; open it again") from None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Raise DataError where a saved study cannot be read because it was replaced or removed."""
        try:
            yield
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
            self.require_unchanged()
            raise

    @cached_property
    def partitioned(self) -> Partitioned | None:
        """By which column the files of the log are partitioned; None where they are not, or there are none."""
        return None

    @cached_property
    def hashes(self) -> Mapping[str, str]:
        """SHA-256 of the files of users and judgments, as the study's descriptor has them; empty without files."""
        return {}

    def save(
        self, directory: str | PathLike[str], *, partition_by: str | None = None, memory: str | int | None = None
    ) -> Study:
        """Write the study to a directory, whole or not at all, and return it as opened from there.

        An existing study in that place is replaced in one step; anything else is left alone.

        Parameters
        ----------
        directory
            Where to write it.
        partition_by
            A column of the sessions, such as ``"system_id"``: sessions that have one value in it lie in a folder of
            their own, ``sessions/system_id=bm25`` and so on. What is worked out for one partition can be kept while
            others are added, see `sessionkit.score`. A study that was opened with partitions keeps them.
        memory
            Memory to work within where the study is on disk already; see `sessionkit.score`.

        Raises
        ------
        UsageError
            The directory holds something that is no study, or cannot be written, or the sessions have no such column.
        """
        from sessionkit.study.access import open_study  # it makes studies

        if self.package is not None and partition_by is None:
            saved = open_study(copy_package(self.package, Path(directory)))
            if "depths" in vars(self):
                saved.__dict__["depths"] = self.depths
            return saved
        return open_study(write_package(self, Path(directory), partition_by=partition_by, memory=memory))

    @cached_property
    def package(self) -> Path | None:
        """Where all of the study has been written already, in a temporary place; None unless it was.

        A study made from this one by ``dataclasses.replace`` has other tables, and no such place.
        """
        return None

    @cached_property
    def _columns(self) -> dict[str, tuple[str, ...]]:
        """Names of columns already looked up."""
        return {}

    def __repr__(self) -> str:
        """Return the shape of the study in one line."""
        named = f" {self.settings.title!r}" if self.settings.title else ""
        return f"<Study{named}: {self.facts.in_words}>"

    def _repr_html_(self) -> str:
        """Return the study as a notebook shows it; no table is read for it."""
        return in_html(*words_and_tables(self))
