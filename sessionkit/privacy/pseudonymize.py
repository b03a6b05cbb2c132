"""Pseudonymizing a study: its tables with pseudonyms, in the order of the new ids, written part by part."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from sessionkit.arguments import StudyTable, require_seed
from sessionkit.privacy import report
from sessionkit.privacy.columns import ColumnPlan
from sessionkit.privacy.pseudonyms import KEY, Names, RandomOrder, drawn, names_of_keys
from sessionkit.privacy.report import Disclosure, Pseudonymized, notes_of, settings_of, sources_of
from sessionkit.study.batches import ROWS, session_rows, slices
from sessionkit.study.counts import ORDER, session_orders, session_starts, since
from sessionkit.study.descriptor import by_partition
from sessionkit.study.identifiers import LABELS, PrivacyOptions
from sessionkit.study.numbering import QUERIES, RESULTS, counts, repeated
from sessionkit.study.package import TemporaryFolder, open_unhashed, rows_within, write_package
from sessionkit.study.storage import LOG, Partitioned, Storage, StudyBatch
from sessionkit.study.study import Study, guarded_read

ORDERED = {"judge_id"}
"""Columns whose pseudonyms keep the order of the values where judgments are merged by judges in turn."""

REPEATED = ("user_id", "session_id", "query_text")
"""Columns whose pseudonyms topics and systems take that are equal to their values, so that both can still be matched."""


@guarded_read
def pseudonymize(
    study: Study,
    *,
    keep: str | Iterable[str] = (),
    replace: str | Iterable[str] = (),
    drop: str | Iterable[str] = (),
    seed: int | None = None,
    memory: str | int | None = None,
) -> Pseudonymized:
    """Make a copy of a study to share: with pseudonyms for people and queries, without dates and texts of the source.

    By default ids of users, sessions, queries and judges and the texts of queries are replaced by pseudonyms, the same in
    every table; times of day by seconds since the session began. Documents, topics and systems stay, unless one of their values
    repeats a replaced value, whatever its case, spaces and punctuation, or a topic or system contains an id as a word: then all
    topics, systems or documents are replaced. Numbers and very short texts can repeat ids by chance: they stay, and `reading` counts
    them. Additional columns of the source stay if they are numbers or
    true/false; texts, dates, copies of ids and numbers that look like times are left out. So are rejected records, notes on
    the source, names, sizes and hashes of its files, and the study's title.

    Every score stays the same, to the bit, with two exceptions: measures of the words of queries, since only the equality of
    texts is kept, and measures of data that are left out, such as seconds that count from 1970; `reading` names these. Random
    draws of sessions or users (bootstrap, permutations) and sums in comparisons follow another order, which can change their
    last digit.

    The copy is not anonymous. Clicked documents can identify people, and so can rare combinations of their features;
    `reading` counts these.

    Parameters
    ----------
    study
        A study.
    keep
        Also keep: ``users``, ``sessions``, ``queries``, ``judges``, ``times``, ``title``, ``extras`` (every additional column
        of the source) or columns such as ``"condition"`` or ``"sessions.condition"``; a list, or names joined by commas.
        ``topics``, ``systems`` and ``documents`` are kept even if they repeat replaced values.
    replace
        Also replace: ``documents``, ``topics``, ``systems``, or additional columns.
    drop
        Columns to leave out, such as ``"query_text"`` or ``"age"``.
    seed
        A number of 0 or more, to make the same copy again. Anyone who knows it and the ids can undo the pseudonyms. By
        default they come from the system's generator of secrets, and only the mapping undoes them.
    memory
        Memory limit, see `sessionkit.score`. The distinct values that are replaced, and those of documents, must fit in addition.

    Returns
    -------
    Pseudonymized
        ``.study``, ``.table``, ``.reading``, ``.mapping``; ``.save(directory, mapping=file)`` writes it.

    Raises
    ------
    UsageError
        A name is neither a thing nor a column, or is given twice.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     sessions={"session_id": ["a1", "b1"], "user_id": ["ann", "bob"], "topic_id": ["t", "t"]},
    ...     queries={"session_id": ["a1", "b1"], "query_position": [1, 1], "query_text": ["my street 5", "my street 5"]},
    ...     results={"session_id": ["a1", "b1"], "query_position": [1, 1], "rank": [1, 2], "doc_id": ["x", "x"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]},
    ... )
    >>> shared = sk.pseudonymize(study)
    >>> shared.study.queries.collect().rows()
    [('session-0001', 1, 'query0001', 'shown'), ('session-0002', 1, 'query0001', 'shown')]
    >>> sorted(shared.mapping.filter(column="user_id").get_column("pseudonym"))
    ['user-0001', 'user-0002']
    """
    if seed is not None:
        require_seed(seed)
    plan = ColumnPlan.for_study(study, PrivacyOptions.of(study, keep, replace, drop))
    chance = RandomOrder(seed)
    names = {name: _names(study, name, plan, chance) for name in sorted(set(plan.of.values()))}
    for thing, column in (("topics", "topic_id"), ("systems", "system_id")):
        if thing in plan.repeating and column in names:
            names[column] = names[column].taking([names[id_] for id_ in REPEATED if id_ in names])
    sessions = names["session_id"] if "session_id" in names else _as_they_are(study)
    keys = names_of_keys(study, plan.of, names, chance)
    renaming = Renaming(plan, names, sessions, keys, _orders(study, plan))
    users = renaming.users(study)
    known = Disclosure.of(study, plan)
    copy = written(study, renaming, known, users, memory)
    changed = {**names, KEY: _changed(keys)}
    return Pseudonymized(
        copy,
        report.table_of(study, copy, plan, changed),
        report.statements_of(study, copy, plan, changed, known, seeded=seed is not None),
        {name: (one.values, one.labels) for name, one in changed.items()},
        study.path,
    )


def _names(study: Study, name: str, plan: ColumnPlan, chance: RandomOrder) -> Names:
    """Draw pseudonyms for the values of the columns that take those of a column."""
    own = [(table, column) for (table, column), domain in plan.of.items() if domain == name and column == name]
    if name == "session_id":
        own = [("sessions", "session_id")]  # every other session_id is one of these
    every = pl.concat(
        study.table(table).select(pl.col(column).cast(pl.String).alias("value").drop_nulls().unique())
        for table, column in own
    )
    values = every.unique().filter((pl.col("value") != "") | (name != "query_text")).collect(engine="streaming")
    ordered = name in ORDERED and study.settings.merge == "alternate"
    return drawn(values["value"], LABELS.get(name, f"{name}-"), chance, name, ordered=ordered)


def _orders(study: Study, plan: ColumnPlan) -> Names | None:
    """The place of each session in its user's part of the study, where the times that say it are gone."""
    found = session_orders(study) if plan.elapsed and ("sessions", ORDER) not in plan.out else None
    return None if found is None else Names(found["session_id"], found[ORDER])


def _as_they_are(study: Study) -> Names:
    """Session ids that stay."""
    ids = study.sessions.select("session_id").collect().to_series()
    return Names(ids, ids)


def _changed(names: Names) -> Names:
    """Those names that are not the values themselves."""
    other = names.values != names.labels
    return Names(names.values.filter(other), names.labels.filter(other))


PLACE = "__place"
"""Column of sessions: the place of each among all, by its new id; from 0."""


@dataclass(frozen=True, eq=False)
class Renaming:
    """What becomes of every column.

    Parameters
    ----------
    plan
        Which columns are replaced, and which are left out.
    names
        The pseudonyms.
    sessions
        New session ids, of replaced and of kept ones.
    keys
        New judgment keys.
    orders
        The place of sessions in their user's part of the study, where it is found from times, see `sessionkit.study.counts`.
    """

    plan: ColumnPlan
    names: Mapping[str, Names]
    sessions: Names
    keys: Names
    orders: Names | None = None

    def part(self, part: StudyBatch) -> StudyBatch:
        """Some whole sessions with everything replaced.

        Sessions have their `PLACE` and how many queries and results they have; the others have no session_id.
        """
        of = session_rows(part)
        sessions, queries, results = part.sessions, part.queries, part.results
        many = counts(of[0], len(sessions)).alias(QUERIES), counts(of[1], len(sessions)).alias(RESULTS)
        if self.plan.elapsed:
            timed = with_elapsed(sessions, queries, results, of)
            sessions, queries, results = timed.sessions, timed.queries, timed.results
        rows = self.sessions.rows(sessions["session_id"])
        if self.orders is not None:
            found = self.orders.labels.gather(self.orders.rows(sessions["session_id"]))
            sessions = sessions.with_columns(found.alias(ORDER))
        named = self.table(sessions, "sessions").with_columns(
            self.sessions.labels.gather(rows).alias("session_id"), self._places.gather(rows).alias(PLACE), *many
        )
        return StudyBatch(
            named,
            self.table(queries.drop("session_id", strict=False), "queries"),
            self.table(results.drop("session_id", strict=False), "results"),
        )

    def table(self, frame: pl.DataFrame, name: StudyTable) -> pl.DataFrame:
        """A table with its columns replaced or left out."""
        kept = frame.drop([column for column in frame.columns if (name, column) in self.plan.out])
        new = []
        for column in kept.columns:
            of = KEY if column == KEY else self.plan.of.get((name, column))
            if of == "session_id" and column == of:
                continue  # which is found by its row
            if of is not None:
                names = self.keys if of == KEY else self.names[of]
                new.append(names.of(kept[column].cast(pl.String)))
        return kept.with_columns(new)

    def users(self, study: Study) -> pl.DataFrame:
        """The users."""
        return self.table(study.users.collect(), "users").sort("user_id")

    def judgments(self, study: Study) -> pl.DataFrame:
        """The judgments; those of one document by their judges' pseudonyms, unless the order of the file decides which counts.

        That order could tell the judges: many files are sorted by them.
        """
        judgments = self.table(study.judgments.collect(), "judgments")
        judges = ["judge_id"] if "judge_id" in judgments.columns and study.settings.merge != "first" else []
        return judgments.sort(KEY, "doc_id", *judges, maintain_order=True)

    @cached_property
    def _places(self) -> pl.Series:
        """The place of each of the known sessions by its new id."""
        return self.sessions.labels.rank("ordinal").cast(pl.UInt32) - 1


def with_elapsed(
    sessions: pl.DataFrame, queries: pl.DataFrame, results: pl.DataFrame, of: tuple[pl.Series, pl.Series]
) -> StudyBatch:
    """Put seconds since the session began in place of the times of some whole sessions; scores that read times stay the same.

    The rules are those by which measures of time read a log.

    Parameters
    ----------
    of
        Row number of the session of every query, and of every result.
    """
    began = session_starts(sessions, queries, results, of)
    if "ended_at" in sessions.columns:
        lasted = _told(sessions, "duration_seconds", since(sessions["ended_at"], began))
        sessions = sessions.with_columns(lasted).drop("ended_at")
    if "issued_at" in queries.columns:
        asked = _told(queries, "elapsed_seconds", since(queries["issued_at"], began.gather(of[0])))
        queries = queries.with_columns(asked).drop("issued_at")
    if "clicked_at" in results.columns:
        seconds = _told(results, "click_elapsed_seconds", since(results["clicked_at"], began.gather(of[1])))
        results = results.with_columns(seconds, was_clicked(results.columns)).drop("clicked_at")
    return StudyBatch(sessions.drop("started_at", strict=False), queries, results)


def was_clicked(columns: list[str]) -> pl.Expr:
    """Whether a result was clicked, also where nothing but the time of its click says so, which may come before the session."""
    silent = pl.col("clicked_at").is_not_null()
    if "clicks" in columns:
        silent &= pl.col("clicks").is_null()
    by_time = pl.when(silent).then(pl.lit(value=True))
    return (pl.coalesce("clicked", by_time) if "clicked" in columns else by_time).alias("clicked")


def _told(frame: pl.DataFrame, name: str, found: pl.Series) -> pl.Series:
    """A column of seconds as it was logged, else as found from times of day."""
    told = [frame[name]] if name in frame.columns else []
    return pl.select(pl.coalesce(*told, found).alias(name)).to_series()


def in_new_order(parts: Iterable[StudyBatch], sessions: int, many: int, workspace: Path) -> Iterator[StudyBatch]:
    """Hand on the sessions of some parts in the order of their `PLACE`.

    Parameters
    ----------
    parts
        Whole sessions as `Renaming.part` returns them.
    sessions
        How many sessions there are in all.
    many
        In how many parts they are handed on, 1 or more; with 1 nothing is laid aside.
    workspace
        A directory for files that are needed until the last part is handed on.
    """
    if many == 1:
        made = list(parts)
        yield gathered({name: [getattr(part, name) for part in made] for name in LOG})
        return
    size = -(-sessions // many)
    for number, part in enumerate(parts):
        lay_aside(arranged(part), size, number, workspace)
    for folder in sorted(workspace.iterdir()):
        yield gathered({name: [pl.read_parquet(piece) for piece in sorted(folder.glob(f"*.{name}"))] for name in LOG})


def arranged(part: StudyBatch) -> StudyBatch:
    """The sessions of a part in the order of their places, with their queries and results."""
    order = part.sessions[PLACE].arg_sort()
    return StudyBatch(
        part.sessions[order],
        part.queries[rows_of(part.sessions[QUERIES], order)],
        part.results[rows_of(part.sessions[RESULTS], order)],
    )


def rows_of(many: pl.Series, order: pl.Series) -> pl.Series:
    """The rows of things that have so many each, the things taken in another order.

    >>> rows_of(pl.Series([2, 1, 2]), pl.Series([2, 0, 1])).to_list()
    [3, 4, 0, 1, 2]
    """
    length = many.to_numpy().astype(np.int64)
    start = length.cumsum() - length
    taken = length[order.to_numpy()]
    shift = start[order.to_numpy()] - (taken.cumsum() - taken)
    return pl.Series(np.repeat(shift, taken) + np.arange(taken.sum()), dtype=pl.UInt32)


def gathered(pieces: dict[str, list[pl.DataFrame]]) -> StudyBatch:
    """Pieces of the three tables as one part in its new order."""
    sessions, queries, results = (pl.concat(pieces[name]) for name in LOG)
    return finished(arranged(StudyBatch(sessions, queries, results)))


def lay_aside(part: StudyBatch, size: int, number: int, workspace: Path) -> None:
    """Write the pieces of an arranged part that come among the first, second... so many sessions of all."""
    if not len(part.sessions):
        return
    batch = part.sessions[PLACE] // size
    runs = batch.rle().struct.unnest()
    at = [0, 0, 0]
    for which, length in zip(runs["value"].to_list(), runs["len"].to_list(), strict=True):
        own = part.sessions.slice(at[0], length)
        lengths = [length, own[QUERIES].sum(), own[RESULTS].sum()]
        folder = workspace / f"{which:06}"
        folder.mkdir(exist_ok=True)
        for place, name in enumerate(LOG):
            piece = getattr(part, name).slice(at[place], lengths[place])
            piece.write_parquet(folder / f"{number:06}.{name}", compression="lz4", statistics=False)
            at[place] += lengths[place]


def finished(part: StudyBatch) -> StudyBatch:
    """A part whose queries and results have the ids of their sessions, without what was needed on the way."""
    ids = part.sessions["session_id"]
    row = pl.int_range(len(ids), dtype=pl.UInt32, eager=True)
    queries, results = (
        frame.insert_column(0, ids.gather(repeated(row, part.sessions[many])))
        for frame, many in ((part.queries, QUERIES), (part.results, RESULTS))
    )
    return StudyBatch(part.sessions.drop(PLACE, QUERIES, RESULTS), queries, results)


def written(
    study: Study, renaming: Renaming, known: Disclosure, users: pl.DataFrame, memory: str | int | None
) -> Study:
    """Write the copy to a temporary folder that is there until Python ends; return it as a study of no directory.

    A study that is partitioned stays so, unless the column is gone.
    """
    described = Study(
        users=users.lazy(),
        sessions=study.sessions,
        queries=study.queries,
        results=study.results,
        judgments=renaming.judgments(study).lazy(),
        settings=settings_of(study, renaming.plan),
        sources=sources_of(study),
        reader=study.reader,
        notes=notes_of(study, renaming.plan, known),
        storage=Storage(facts=study.facts),
    )
    rows = rows_within(memory)
    held = TemporaryFolder()
    with held.kept_on_success():
        parts = log_of(study, renaming, rows, held)
        by = None if study.storage.partitioned is None else study.storage.partitioned.by
        if by is not None and not renaming.plan.loses("sessions", by):
            described = replace(described, storage=replace(described.storage, partitioned=Partitioned(by)))
            parts = by_partition(parts, by, rows)
        opened = open_unhashed(write_package(described, held.path / "study", parts, memory=memory))
        shutil.rmtree(held.path / "aside")
    return replace(opened, path=None, storage=replace(opened.storage, package=opened.path, tables=None))


def log_of(study: Study, renaming: Renaming, rows: int, held: TemporaryFolder) -> Iterator[StudyBatch]:
    """The log of the copy in parts of about so many results."""
    facts = study.facts
    many = max(1, -(-(facts.results + facts.queries) // rows))
    aside = held.path / "aside"
    aside.mkdir()
    columns: dict[str, Sequence[str]] = {name: study.columns(name) for name in LOG}
    at_once = min(rows, ROWS) if many > 1 else max(rows, facts.results + facts.queries + facts.sessions)
    parts = slices(study, columns, at_once)
    return in_new_order((renaming.part(part) for part in parts), facts.sessions, many, aside)
