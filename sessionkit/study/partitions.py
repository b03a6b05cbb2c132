"""Adding a partition to a saved study: one new day beside the days that are there, whose files stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.arguments import path_of
from sessionkit.errors import DataError, UsageError
from sessionkit.study.atomic_files import linked, sole_writer
from sessionkit.study.batches import slices
from sessionkit.study.facts import Facts, facts_of
from sessionkit.study.judgment_index import JudgmentIndex
from sessionkit.study.locations import is_address
from sessionkit.study.package_reader import open_study, open_unhashed
from sessionkit.study.package_writer import (
    finish_package,
    refuse_to_replace,
    rows_within,
    study_draft,
    write_judgments,
    write_log,
)
from sessionkit.study.partition_folders import folder_of
from sessionkit.study.row_index import public
from sessionkit.study.storage import LOG, Added, Partitioned, Storage, StoredBatch, StudyBatch, identity_of, scan_files
from sessionkit.study.study import Study, not_a_study
from sessionkit.study.union import conformed, tell_of_other_grades, united_judgments, united_users

SPENT = ("title", "primary", "labels", "better", "equivalence", "missing_positions")
"""Settings that may differ: no score depends on the others, and reading alone uses the last."""


def add_partition(
    directory: str | PathLike[str],
    study: Study,
    name: str,
    value: str | None,
    *,
    memory: str | int | None = None,
) -> Study:
    """Add a study to a saved study as one of its partitions; return the saved study.

    An existing partition of that value is replaced. The other partitions keep their files and their cached results, see
    ``cache`` of `sessionkit.score`. Users and judgments are merged; accounts, rejected records and notes are added. All of
    it happens in one step, or not at all.

    Parameters
    ----------
    directory
        The saved study, partitioned by ``name``.
    study
        The study whose sessions are added; its settings must be those of the saved one, but for title,
        primary measure, labels, directions and bands of equivalence, and ``missing_positions``, which only reading uses.
    name, value
        The column of the sessions and its value in all added sessions; None is null. Sessions without the column
        get it.
    memory
        Memory limit if the added study is on disk; see `sessionkit.score`.

    Raises
    ------
    UsageError
        The saved study is not partitioned by that column, is not on this machine, or was changed meanwhile.
    DataError
        A session is already in another partition, a user has other values there, or settings or columns differ.

    Examples
    --------
    >>> import tempfile
    >>> import sessionkit as sk
    >>> def log(system, session):
    ...     rows = {"session_id": [session], "query_position": [1], "rank": [1], "doc_id": ["a"], "system_id": [system]}
    ...     return sk.from_tables(rows)
    >>> place = tempfile.TemporaryDirectory()
    >>> saved = log("S1", "s1").save(f"{place.name}/study", partition_by="system_id")
    >>> add_partition(saved.path, log("S2", "s2"), "system_id", "S2").facts.sessions
    2
    >>> place.cleanup()
    """
    if is_address(directory):
        raise UsageError(f"{directory} is not on this machine; partitions are added to a study on disk")
    if not isinstance(study, Study):
        raise not_a_study(study)
    target = path_of("directory", directory)
    saved = open_study(target)
    with sole_writer(target):
        if identity_of(target) != saved.storage.identity:  # another process wrote while this one waited
            saved = open_study(target)
        return _added(saved, study, name, value, rows_within(memory))


def _added(saved: Study, study: Study, name: str, value: str | None, rows: int) -> Study:
    """Add to the saved study, which nobody else writes meanwhile."""
    target = saved.path
    assert target is not None  # noqa: S101  # it was opened from a directory
    refuse_to_replace(target)
    partitioned = _require_partitioned(saved, name)
    _require_same_settings(saved, study)
    typed = _typed(value, name, saved.sessions.collect_schema()[name])
    change = _Change.of(saved, partitioned, folder_of(name, typed.cast(pl.String).item()))
    change.require_new_sessions(study)
    old, new = saved.judgments.collect(), study.judgments.collect()
    judgments = united_judgments(old, new)
    tell_of_other_grades(old, new, saved.settings.merge)
    users = united_users(saved.users.collect(), study.users.collect(), change.forgotten_users())
    whole = change.added(study, users, judgments)
    pairs = JudgmentIndex.of(whole.judgments)
    with study_draft(target) as draft:
        write_judgments(whole, pairs, draft)
        kept = [_linked(part, target, draft) for part in change.kept]
        written = write_log(_conformed(study, saved, typed, change.folder, rows), pairs, draft)
        log = sorted([*kept, *written], key=lambda part: part.folder)
        finish_package(whole, log, pairs, change.partitioned(study), draft)
        if identity_of(target) != saved.storage.identity:  # where there are no locks
            raise UsageError(f"{target} was changed while the partition was being added; it was left alone. Try again")
    return open_unhashed(target)


@dataclass(frozen=True, eq=False)
class _Change:
    """What becomes of a saved study: which of its parts stay, and which go."""

    saved: Study
    before: Partitioned
    folder: str
    kept: tuple[StoredBatch, ...]
    gone: tuple[StoredBatch, ...]

    @classmethod
    def of(cls, saved: Study, before: Partitioned, folder: str) -> _Change:
        """Tell the parts of the partition that is replaced from the others."""
        stored = saved.storage.stored or ()
        kept = tuple(part for part in stored if part.folder != folder)
        return cls(saved, before, folder, kept, tuple(part for part in stored if part.folder == folder))

    def require_new_sessions(self, study: Study) -> None:
        """Refuse sessions that another partition has."""
        new = study.sessions.select("session_id").collect()
        for part in self.kept:
            known = part.scan("sessions").select("session_id").collect()
            twice = known.join(new, on="session_id", how="semi").get_column("session_id")
            if len(twice):
                raise DataError(
                    f"session {twice.sort()[0]!r} is already in the partition {part.folder} ({len(twice):,} such sessions); "
                    "give sessions unique ids"
                )

    def forgotten_users(self) -> pl.Series:
        """Users of whom only the replaced partition's sessions knew."""
        none = pl.LazyFrame(schema={"user_id": pl.String})
        gone, kept = (
            pl.concat([none, *(part.scan("sessions").select("user_id") for part in parts)]).unique()
            for parts in (self.gone, self.kept)
        )
        return gone.join(kept, on="user_id", how="anti").drop_nulls().collect().get_column("user_id")

    def added(self, study: Study, users: pl.DataFrame, judgments: pl.DataFrame) -> Study:
        """What the whole study says beside its log."""
        saved, facts = self.saved, study.facts
        counts = zip(astuple(saved.facts), astuple(self._facts_gone()), astuple(facts), strict=True)
        whole = saved.with_tables(
            users=users.lazy(),
            judgments=judgments.lazy(),
            rejected=pl.concat([self._stay(saved.rejected.collect(), "rejected"), study.rejected.collect()]).lazy(),
        )
        summed = Facts(*(was - gone + new for was, gone, new in counts))
        return replace(
            whole,
            sources=(*self._stay(saved.sources, "sources"), *study.sources),
            notes=(*self._stay(saved.notes, "notes"), *study.notes),
            storage=Storage(facts=replace(summed, judgments=judgments.height)),
        )

    def partitioned(self, study: Study) -> Partitioned:
        """What is kept of what was added."""
        new = Added(self.folder, len(study.sources), len(study.notes), study.rejected.select(pl.len()).collect().item())
        return replace(self.before, added=(*(one for one in self.before.added if one.folder != self.folder), new))

    def _stay(self, rows: Any, kind: str) -> Any:  # noqa: ANN401 - a frame or a tuple, and the same of it
        """What did not come with the partition that is replaced."""
        came = [(one.folder, getattr(one, kind)) for one in self.before.added]
        at = len(rows) - sum(many for _, many in came)
        stay = [rows[: max(0, at)]]
        for folder, many in came:
            if folder != self.folder:
                stay.append(rows[max(0, at) : at + many])
            at += many
        return pl.concat(stay) if isinstance(rows, pl.DataFrame) else tuple(chain(*stay))

    def _facts_gone(self) -> Facts:
        """Counts of the partition that is replaced."""
        if not self.gone:
            return Facts(*(0 for _ in astuple(self.saved.facts)))
        sessions, queries, results = (
            public(scan_files([part.files[name] for part in self.gone]), name) for name in LOG
        )
        return facts_of(sessions, queries, results, self.saved.judgments)


def _require_partitioned(saved: Study, name: str) -> Partitioned:
    """Refuse a study that is not partitioned by this column."""
    if (
        saved.storage.partitioned is not None
        and saved.storage.partitioned.by == name
        and saved.storage.stored is not None
    ):
        return saved.storage.partitioned
    by = (
        f"partitioned by {saved.storage.partitioned.by}" if saved.storage.partitioned is not None else "not partitioned"
    )
    raise UsageError(
        f"{saved.path} is {by}, not by {name}; save it again with save(..., partition_by={name!r}), then add to it"
    )


def _require_same_settings(saved: Study, study: Study) -> None:
    """Refuse a study that was declared otherwise, since no value could be worked out for both."""
    ours, theirs = saved.settings.as_dict(), study.settings.as_dict()
    for name, value in ours.items():
        if name not in SPENT and (theirs[name] or None) != (value or None):  # nothing declared, or that there is none
            raise DataError(
                f"{name} is {theirs[name]!r} in the added data and {value!r} in {saved.path}; declare the same for both"
            )


def _typed(value: str | None, name: str, dtype: pl.DataType) -> pl.Series:
    """The value in the column's own type."""
    if value is not None and not isinstance(value, str):
        raise UsageError(f"the value of {name} must be a text, as it is written in the name of a folder, not {value!r}")
    text = pl.Series(name, [value], dtype=pl.String)
    try:
        if dtype == pl.Boolean and value is not None:
            return pl.Series(name, [{"true": True, "false": False}[value.lower()]])
        if isinstance(dtype, (pl.Date, pl.Datetime, pl.Time)):
            return text.str.strptime(dtype)
        return text.cast(dtype)
    except (pl.exceptions.PolarsError, KeyError):
        raise DataError(f"{name}={value} is not a value of the column {name}, which is {dtype} in the study") from None


def _conformed(study: Study, saved: Study, value: pl.Series, folder: str, rows: int) -> Iterator[StudyBatch]:
    """Slices of what is added, with the columns and types of the saved study."""
    name, text = value.name, value.cast(pl.String).item()
    schemas = {table: saved.table(table).collect_schema() for table in LOG}
    for part in slices(study, rows=rows):
        sessions = part.sessions
        if name not in sessions.columns:
            sessions = sessions.with_columns(value.new_from_index(0, len(sessions)))
        frames = {"sessions": sessions, "queries": part.queries, "results": part.results}
        made = {table: conformed(public(frames[table].lazy(), table).collect(), schemas[table], table) for table in LOG}
        others = made["sessions"].filter(pl.col(name).cast(pl.String).ne_missing(pl.lit(text, pl.String)))
        if len(others):
            raise DataError(
                f"sessions.{name} is {others.item(0, name)!r} in session {others.item(0, 'session_id')!r}; in data "
                f"added as {name}={text} every session must have that value, or the column must be absent"
            )
        yield StudyBatch(made["sessions"], made["queries"], made["results"], folder=folder)


def _linked(part: StoredBatch, folder: Path, draft: Path) -> StoredBatch:
    """Give the files of a part that stays a name in the draft as well, or copy them where that cannot be."""
    files: dict[str, Path | str] = {}
    for name, path in part.files.items():
        place = draft / Path(path).relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        linked(path, place)
        files[name] = place
    return replace(part, files=files)
