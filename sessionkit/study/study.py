"""The study: five lazy tables that were checked together, where they came from, and what was computed from them once."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from threading import Lock, RLock, get_ident
from typing import Any, TypeVar, cast, get_args

import polars as pl

from sessionkit.arguments import TableName, path_of
from sessionkit.display.text import in_html
from sessionkit.errors import ReplacedError, UsageError, suggestion
from sessionkit.study.facts import Facts, facts_of
from sessionkit.study.restriction import Restriction
from sessionkit.study.schema import TABLES, table
from sessionkit.study.settings import Settings
from sessionkit.study.storage import Storage, identity_of
from sessionkit.study.trec import qrels_table, run_table

Verb = TypeVar("Verb", bound=Callable[..., Any])
ENDS = ("records", "rows", "merged", "idle", "rejected", "empty_lists")
ACCOUNTS = {name: name.replace("_", " ") for name in ENDS}
"""What becomes of records, as `Source` calls it and as it is shown."""
MIXTURE = (
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
    ArithmeticError,
    AssertionError,
    LookupError,
    OSError,
    TypeError,
    ValueError,
)
"""Errors to which tables of two studies can lead, `DataError` among them."""


def no_rejected() -> pl.LazyFrame:
    """Return the table of rejected rows without rows."""
    rejected = table("rejected")
    return rejected.empty(rejected.names).lazy()


def not_a_study(given: object) -> UsageError:
    """Return the error for something else where a study is wanted, such as its path."""
    what = (
        f"a path: sk.open_study({os.fspath(given)!r}) opens it" if isinstance(given, str | os.PathLike) else repr(given)
    )
    return UsageError(f"this takes a study, not {what}")


def guarded_read(verb: Verb) -> Verb:
    """Return a function whose first argument is a study, made to say so where the study is replaced while it is read."""

    # a verb that takes a table of scores as well says so in the type of its first parameter
    first = next(iter(inspect.signature(verb).parameters.values()))
    takes_only_studies = first.annotation in ("Study", Study)

    @functools.wraps(verb)
    def guarded(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - what the function returns
        if not given and first.name not in named:
            return verb(**named)  # Python says which argument is missing
        study = given[0] if given else named[first.name]
        if isinstance(study, str | os.PathLike) or (takes_only_studies and not isinstance(study, Study)):
            raise not_a_study(study)
        if not isinstance(study, Study):
            return verb(*given, **named)
        with study.reading():
            return verb(*given, **named)

    return cast("Verb", guarded)


class Memo:
    """Values worked out of one thing, for any thread; and what a caller holds for a while, for that caller's thread.

    A study has one, and each batch of its sessions. It is never sent to another process: what is pickled arrives with an
    empty one.

    Examples
    --------
    >>> memo = Memo()
    >>> memo.once("rows", lambda: 3), memo.once("rows", lambda: 4), memo.find("rows")
    (3, 3, 3)
    >>> with memo.holding("ready"):
    ...     memo.held(str)
    ['ready']
    >>> memo.held(str)
    []
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: dict[Hashable, Any] = {}
        self._making: dict[Hashable, RLock] = {}
        self._held: dict[int, list[object]] = {}

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; the first who asks makes it, others wait for it."""
        if key not in self._values:
            with self._lock:
                making = self._making.setdefault(key, RLock())
            with making:  # one lock for each key: what makes a value may wait for a thread that needs another
                if key not in self._values:
                    self._values[key] = make()
        value: Value = self._values[key]
        return value

    def find(self, key: Hashable) -> Any:  # noqa: ANN401 - whatever was made
        """Return the value of a key; None where none was made."""
        return self._values.get(key)

    def keep(self, key: Hashable, value: object) -> None:
        """Keep the value of a key in place of what was there."""
        self._values[key] = value

    def clear(self) -> None:
        """Forget every value."""
        self._values.clear()

    def share(self, key: Hashable, other: Memo) -> None:
        """Take over the value of a key from another study's memo, if it was made there."""
        if (value := other.find(key)) is not None:
            self._values.setdefault(key, value)

    @contextmanager
    def holding(self, value: object) -> Iterator[None]:
        """Hold a value as long as this lasts: what this thread calls meanwhile finds it by :meth:`held`."""
        thread = get_ident()
        held = self._held.setdefault(thread, [])
        held.append(value)
        try:
            yield
        finally:
            held.remove(value)
            if not held:
                del self._held[thread]

    def held(self, kind: type[Value]) -> list[Value]:
        """Return the values of a class that this thread holds, the first held first."""
        return [value for value in self._held.get(get_ident(), ()) if isinstance(value, kind)]

    def __reduce__(self) -> tuple[type[Memo], tuple[()]]:
        """Return how a copy in another process is made: empty."""
        return Memo, ()


@dataclass(frozen=True, eq=False)
class Study:
    """The tables of one study; made by ``sk.read``, ``sk.open_study``, ``sk.from_tables`` or ``sk.from_run``, which check them.

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
    restriction
        Which sessions take part, where not all do; see `sessionkit.study.restriction`.
    unrestricted
        The study with all of its sessions, where not all take part: a user's previous session may be one that does not.
    storage
        What is known of the tables without reading them, the files they lie in among it.
    memo
        What was worked out of the study since; never given, never pickled.
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
    restriction: Restriction | None = None
    unrestricted: Study | None = field(default=None, repr=False)
    storage: Storage = field(default_factory=Storage, repr=False)
    memo: Memo = field(default_factory=Memo, init=False, repr=False)

    def table(self, name: TableName) -> pl.LazyFrame:
        """Return a table by its name.

        Raises
        ------
        UsageError
            There is no such table.
        """
        known: tuple[TableName, ...] = get_args(TableName)
        if name not in known:
            raise UsageError(f"a study has no table {name!r}{suggestion(name, known)}; tables: {', '.join(known)}")
        frame: pl.LazyFrame = getattr(self, name)
        return frame

    def columns(self, name: TableName) -> tuple[str, ...]:
        """Return the names of a table's columns, the declared ones first."""
        table = self.table(name)
        return self.memo.once(("columns", name), lambda: tuple(table.collect_schema().names()))

    def __post_init__(self) -> None:
        """Take what is known of the tables where it belongs to them; `dataclasses.replace` passes on that of others."""
        tables = {name: getattr(self, name) for name in (*TABLES, "rejected")}
        description = (self.settings, self.sources, self.reader, self.notes, self.path, self.address)
        object.__setattr__(self, "storage", self.storage.bound(tables, description))

    def with_tables(self, **tables: pl.LazyFrame) -> Study:
        """Return a study with other tables in place of some; nothing that is known of this one's tables is known of it.

        Parameters
        ----------
        **tables
            The new ones by name: users, sessions, queries, results, judgments, rejected. They are not checked again.

        Raises
        ------
        UsageError
            There is no such table.
        """
        for name in tables:
            self.table(name)  # type: ignore[arg-type]  # which refuses a name that is none
        return replace(self, storage=Storage(), **tables)  # type: ignore[arg-type]  # names of tables alone

    @property
    def facts(self) -> Facts:
        """Counts of rows, repeats and unusual queries, computed at most once."""
        known = self.storage.facts
        if known is None:
            return self.memo.once("facts", lambda: facts_of(self.sessions, self.queries, self.results, self.judgments))
        return known

    @property
    def fingerprint(self) -> str | None:
        """The SHA-256 of what the study was read from: the hashes of its source files, and its settings.

        The same for a study read from its sources and opened from disk, whichever sessions take part; None where a table
        came from memory.
        """
        if not self.sources or any(source.sha256 is None for source in self.sources):
            return None
        files = [[source.table, source.sha256, source.rows] for source in self.sources]
        content = json.dumps([self.reader, self.settings.as_dict(), files], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def depths(self) -> pl.DataFrame:
        """How deep lists are known, computed at most once; see `sessionkit.study.counts`."""
        from sessionkit.study.counts import depths_of  # it cuts studies into slices

        known = self.storage.depths
        return self.memo.once("depths", lambda: depths_of(self)) if known is None else known

    def require_unchanged(self) -> None:
        """Raise ReplacedError where another study has taken the place of the one that was opened, or it is gone."""
        if self.storage.identity is None or self.path is None:
            return
        found = identity_of(self.path)
        if found is None:
            raise ReplacedError(f"{self.path} was removed after it was opened and can no longer be read") from None
        if found != self.storage.identity:
            raise ReplacedError(
                f"{self.path} was replaced after it was opened; open it again, or run the command again"
            ) from None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Raise DataError where a saved study was replaced or removed since it was opened: what was read may be of two studies."""
        with self.explaining_replacement():
            yield
        self.require_unchanged()

    @contextmanager
    def explaining_replacement(self) -> Iterator[None]:
        """Raise DataError in place of an error that is due to a replaced or removed study; let everything else pass."""
        try:
            yield
        except UsageError:
            raise
        except MIXTURE:
            self.require_unchanged()
            raise

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
        from sessionkit.study.package import (
            copy_package,
            open_unhashed,  # these three take studies
            write_package,
        )

        target = path_of("directory", directory)
        if self.storage.package is not None and partition_by is None:
            saved = open_unhashed(copy_package(self.storage.package, target))
            depths = self.storage.depths if self.storage.depths is not None else self.memo.find("depths")
            return replace(saved, storage=replace(saved.storage, depths=depths))
        return open_unhashed(write_package(self, target, partition_by=partition_by, memory=memory))

    def to_run(self) -> pl.DataFrame:
        r"""Return the results as a TREC run: query_id, iteration, doc_id, rank, score, tag.

        ``query_id`` is session_id, an underscore and query_position, ``tag`` the system. ``score`` is that of the results where it
        orders every list as its ranks do, else -rank. Queries without results are in no run. ``sk.from_run`` reads it back with
        ``sessions=r"(?P<session>.+)_(?P<position>\d+)"``, and ``order="rank"`` where ranks have gaps.

        Examples
        --------
        >>> import sessionkit as sk
        >>> sk.read("examples/clinic/study.toml").to_run().row(0)
        ('c001_1', 'Q0', 'doc-21582', 1, -1.0, 'S1')
        """
        with self.reading():
            return run_table(self.sessions, self.results)

    def to_qrels(self) -> pl.DataFrame:
        """Return the judgments of every logged query as TREC qrels: query_id, iteration, doc_id, grade.

        ``query_id`` is that of `to_run`; the judgments of a topic come with each of its queries. A row is one judgment, as it was
        made: where there are several of a document, ``iteration`` is the subtopic or the judge, else it is 0. ``grade`` is an integer
        where all are whole.

        Raises
        ------
        DataError
            The grades are whole, but the study merges them by ``mean`` and a mean is not: integer qrels cannot say it.

        Examples
        --------
        >>> import sessionkit as sk
        >>> sk.read("examples/clinic/study.toml").to_qrels().row(0)
        ('c001_1', '0', 'doc-00466', 0)
        """
        with self.reading():
            return qrels_table(self.sessions, self.queries, self.judgments, self.settings.merge)

    def __repr__(self) -> str:
        """Return the shape of the study in one line."""
        named = f" {self.settings.title!r}" if self.settings.title else ""
        return f"<Study{named}: {self.facts.in_words}>"

    def _repr_html_(self) -> str:
        """Return the study as a notebook shows it; no table is read for it."""
        return in_html(*words_and_tables(self))


def words_and_tables(study: Study) -> tuple[list[str], dict[str, pl.DataFrame]]:
    """Return what is shown of a study: words, and tables by title."""
    declared = {name: value for name, value in asdict(study.settings).items() if value not in (None, (), False, {})}
    title = declared.pop("title", "Study")
    rejected = sum(source.rejected for source in study.sources)
    words = [
        f"{title} (synthetic)" if declared.pop("synthetic", False) and "synthetic" not in title.lower() else title,
        f"Read as {study.reader}. Declared: {', '.join(f'{name} {_plain(value)}' for name, value in declared.items())}.",
        *(["1 record was rejected, see study.rejected."] if rejected == 1 else []),
        *([f"{rejected:,} records were rejected, see study.rejected."] if rejected > 1 else []),
        *study.notes,
    ]
    return words, {"Tables": _tables(study), **({"Sources": _sources(study)} if study.sources else {})}


def _plain(value: object) -> str:
    """Return a declared value as people write it."""
    if isinstance(value, tuple):
        return ", ".join(map(_plain, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {text}" for name, text in value.items())
    return f"{value:g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _tables(study: Study) -> pl.DataFrame:
    """Return rows and columns of the tables; those of users are not counted anywhere."""
    rows = []
    for name in TABLES:
        columns = [column for column in study.columns(name) if column[:1] != "_"]
        rows.append((name, getattr(study.facts, name, None), ", ".join(columns)))
    return pl.DataFrame(rows, schema={"table": pl.String, "rows": pl.Int64, "columns": pl.String}, orient="row")


def _sources(study: Study) -> pl.DataFrame:
    """Return what became of the records of each source; kinds of end that no record met are left out."""
    rows = [
        {"source": source.path, "as": source.kind or source.table}
        | {shown: getattr(source, name) for name, shown in ACCOUNTS.items()}
        for source in study.sources
    ]
    frame = pl.DataFrame(
        rows, schema={"source": pl.String, "as": pl.String, **dict.fromkeys(ACCOUNTS.values(), pl.Int64)}
    )
    met = [name for name in ACCOUNTS.values() if name in ("records", "rows") or frame.get_column(name).sum()]
    return frame.select("source", "as", *met)


Value = TypeVar("Value")


EXCLUDED = " of excluded documents"
"""What the kind of records ends in that were left out with their documents, after the name of their table."""


@dataclass(frozen=True)
class Source:
    """One kind of record in one source; ``records == rows + merged + idle + rejected + empty_lists`` always.

    Parameters
    ----------
    path
        The file as it was named (relative to study.toml), or what stands for it when the table came as a frame.
    bytes, sha256
        Size and hash of the file as it lay on disk; None for frames.
    table
        The table it was read for; empty where its records became rows of none.
    records
        Records in the source, the header not counted.
    rows
        Records that became rows of the table.
    rejected
        Records kept aside in ``study.rejected``.
    empty_lists
        Records that only said that a query returned nothing.
    kind
        What its records are, such as ``query records``, where one file holds several kinds; else empty.
    merged
        Records that went into rows made of other records, such as clicks into the results clicked, by the rule that
        `kind` names.
    idle
        Records that carry nothing for any table, by the nature of the format or because their documents are excluded.
    """

    path: str
    table: str
    records: int
    rows: int
    rejected: int = 0
    empty_lists: int = 0
    bytes: int | None = None
    sha256: str | None = None
    kind: str = ""
    merged: int = 0
    idle: int = 0

    @property
    def is_excluded(self) -> bool:
        """Whether these are the records that were left out with their documents."""
        return self.kind.endswith(EXCLUDED)
