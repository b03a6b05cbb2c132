"""Partitions of a saved study: adding one beside those that are there, and uniting the tables of two studies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.arguments import path_of
from sessionkit.errors import DataError, UsageError, warn
from sessionkit.study.batches import slices
from sessionkit.study.descriptor import folder_of
from sessionkit.study.facts import Facts, facts_of
from sessionkit.study.files import linked, sole_writer
from sessionkit.study.numbering import JudgmentIndex, public
from sessionkit.study.package import (
    finish_package,
    open_study,
    open_unhashed,
    refuse_to_replace,
    rows_within,
    study_draft,
    write_judgments,
    write_log,
)
from sessionkit.study.storage import (
    LOG,
    Added,
    Partitioned,
    Storage,
    StoredBatch,
    StudyBatch,
    identity_of,
    is_address,
    scan_files,
)
from sessionkit.study.study import Study, not_a_study

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


SUFFIX = " of the study that is added"


def conformed(frame: pl.DataFrame, schema: pl.Schema, name: str) -> pl.DataFrame:
    """Return a table with the columns and types of another; columns that are missing are null.

    Raises
    ------
    DataError
        It has a column more, or one of a type that does not fit.
    """
    for column, dtype in frame.schema.items():
        if column not in schema:
            raise DataError(
                f"{name}.{column} is not among the columns of the study: {', '.join(schema.names())}; leave it out, or "
                "write the study again with it"
            )
        if not _fits(frame.get_column(column), schema[column]):
            raise DataError(
                f"{name}.{column} is {dtype} in the added data and {schema[column]} in the study; convert it to that type"
            )
    try:
        return frame.select(
            (pl.col(column) if column in frame.columns else pl.lit(None)).cast(dtype).alias(column)
            for column, dtype in schema.items()
        )
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{name}: {str(error).splitlines()[0]}; convert the column to the study's type") from None


def united_users(saved: pl.DataFrame, new: pl.DataFrame, forgotten: pl.Series) -> pl.DataFrame:
    """Return the users of both, one row each; what only one of them says of a user is kept.

    Parameters
    ----------
    forgotten
        Users of whom only what is replaced knew: what is added may describe them anew; they are left out where neither
        says anything of them.

    Raises
    ------
    DataError
        They describe a user differently.
    """
    bare = pl.all_horizontal(
        [pl.lit(value=True), *(pl.col(name).is_null() for name in saved.columns if name != "user_id")]
    )
    replaced = pl.col("user_id").is_in(forgotten.implode())
    saved = saved.filter(~(replaced & bare))
    new = _like(new, saved, "users")
    both = saved.join(new, on="user_id", how="full", coalesce=True, suffix=SUFFIX)
    shared = [name for name in saved.columns if name != "user_id" and name in new.columns]
    for name in shared:
        other = both.filter(pl.col(name) != pl.col(f"{name}{SUFFIX}"), ~replaced)
        if len(other):
            user, one, two = other.select("user_id", name, f"{name}{SUFFIX}").row(0)
            raise DataError(
                f"users: {name} of {user!r} is {two!r} in the added data and {one!r} in the study; keep one"
            )
    either = {name: (pl.coalesce(f"{name}{SUFFIX}", name), pl.coalesce(name, f"{name}{SUFFIX}")) for name in shared}
    united = [pl.when(replaced).then(anew).otherwise(before).alias(name) for name, (anew, before) in either.items()]
    return both.with_columns(united).select(
        *saved.columns, *(name for name in new.columns if name not in saved.columns)
    )


def united_judgments(saved: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Return the judgments of both: the saved ones, then the new ones that the saved study does not have."""
    new = _like(new, saved, "judgments")
    columns = [*saved.columns, *(name for name in new.columns if name not in saved.columns)]
    both = pl.concat([saved, new], how="diagonal").select(columns)
    known, rest = both.head(len(saved)), both.tail(len(new))
    return pl.concat([known, rest.join(known, on=columns, how="anti", nulls_equal=True, maintain_order="left")])


def tell_of_other_grades(saved: pl.DataFrame, new: pl.DataFrame, merge: str) -> None:
    """Warn where what is added grades a document otherwise than the saved study: both grades stay, and are merged."""
    pair = ["judgment_key", "doc_id"]
    both = new.select(*pair, "grade").join(saved.select(*pair, other="grade"), on=pair)
    other = both.filter(pl.col("grade") != pl.col("other"))
    if len(other):
        key, document, grade, before = other.row(0)
        many = other.select(pair).unique().height
        warn(
            f"judgments: {many} judged documents have another grade in the added data (first: {document!r} for {key!r}: "
            f"{grade:g}, {before:g} in the study); both are kept and merged by merge = {merge!r}. To correct grades, write "
            "the study again"
        )


def _like(frame: pl.DataFrame, other: pl.DataFrame, name: str) -> pl.DataFrame:
    """Bring the columns that another table has too to its types."""
    schema = pl.Schema({column: other.schema.get(column, dtype) for column, dtype in frame.schema.items()})
    return conformed(frame, schema, name)


def _fits(column: pl.Series, dtype: pl.DataType) -> bool:
    """Whether a column can be of a type without losing anything."""
    own = column.dtype
    if own == dtype or column.null_count() == len(column):
        return True
    if own == pl.String:  # such as a value given as text; whether it can be is seen when it is cast
        return False
    return dtype == pl.String or (own.is_integer() and dtype.is_numeric())
