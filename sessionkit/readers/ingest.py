"""The one pipeline: sources of unchecked records, in batches of whole sessions, become a checked study; every record is accounted for.

A small log is one batch, and its tables stay in memory. The batches of a large one (``batches.py``) are checked one after the
other and written to a temporary folder that is there as long as the study is. What only the whole log can decide is decided
before the first batch (``checks/whole_log.py``); what is counted adds up (``totals.py``). Users and judgments must fit in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.contract import TABLES
from sessionkit.readers.batch_sizes import needs_batches, records_within
from sessionkit.readers.batches import batches_of
from sessionkit.readers.checks.assembly import Assembled, assemble
from sessionkit.readers.checks.completion import (
    counts_of,
    finished,
    judged_keys,
    judged_pairs,
    sources_of,
    without_excluded,
)
from sessionkit.readers.checks.counts import AnomalyCounts
from sessionkit.readers.checks.derive import with_users
from sessionkit.readers.checks.log_schemas import LOG, all_columns, log_schemas
from sessionkit.readers.checks.notes import Notes, notice, notice_parts
from sessionkit.readers.checks.rejection import NOTHING, Aside, note_rejected, refuse_all_rejected, refuse_first
from sessionkit.readers.checks.source_checks import CheckedSource, none_excluded, plain_part, typed_part
from sessionkit.readers.checks.unusual import notice_unusual
from sessionkit.readers.checks.whole_log import Decisions, Parts, decide, notice_zones, without_zones
from sessionkit.readers.exclusions import NO_EXCLUSIONS, Exclusions
from sessionkit.readers.questionnaires import SECTION as QUESTIONNAIRES
from sessionkit.readers.questionnaires import Answers
from sessionkit.readers.raw import Raw, Sources
from sessionkit.readers.totals import Totals, Types
from sessionkit.study import Settings, Source, Study
from sessionkit.study.package_reader import open_unhashed
from sessionkit.study.package_writer import write_package
from sessionkit.study.prefetch import Ahead, in_turn
from sessionkit.study.storage import Storage, StudyBatch
from sessionkit.study.temporary import TemporaryFolder


@dataclass(frozen=True)
class Room:
    """Where a log that is too large for memory goes.

    Parameters
    ----------
    memory
        Bytes that may be used.
    workspace
        A directory for files that are needed until the study is written.
    """

    memory: int
    workspace: Path


def ingest(
    sources: Sources,
    settings: Settings,
    *,
    defaults: Mapping[str, Any],
    reader: str,
    strict: bool = False,
    aside: Aside = NOTHING,
    room: Room | None = None,
    answers: Sequence[Answers] = (),
    exclusions: Exclusions = NO_EXCLUSIONS,
) -> Study:
    """Return the study of these sources; what was unusual is noted and, where scores may suffer, warned of.

    Parameters
    ----------
    defaults
        Constants for sessions.
    reader
        The name of the format.
    strict
        Whether to stop at the first record that breaks a rule.
    aside
        What the format found out beside the tables.
    room
        Where the log goes if it needs more memory than there is; None, it stays in memory.
    answers
        Of questionnaires: they become columns of the sessions, or of the users.
    exclusions
        The documents to leave out.

    Raises
    ------
    DataError
        A file is damaged, or (`strict`) a record breaks a rule.
    """
    log = {name: sources[name][0] for name in LOG if name in sources}
    if room is not None and not needs_batches(log.values(), room.memory):
        room = None
    notes = aside.noticed()
    _notice_empty((raw for name in TABLES for raw in sources.get(name, ())), notes)
    for raw in log.values():
        notice_zones(raw, without_zones(raw, all_columns()), notes)
    users = plain_part(sources["users"][0]) if "users" in sources else None
    batches = _whole(log) if room is None else _cut(log, room)
    decided = decide(log, lambda: (batch() for batch in batches()), notes)
    judgments = [exclusions.without_judgments(plain_part(raw)) for raw in sources.get("judgments", ())]
    judged = finished("judgments", *(part.rows.accepted for part in judgments))
    made = _Ingest(
        log,
        users,
        judgments,
        judged,
        settings,
        defaults,
        reader,
        strict,
        aside,
        notes,
        batches,
        decided,
        answers,
        exclusions,
    )
    return made.in_memory() if room is None else made.on_disk(room.workspace)


Batches = Callable[[], Iterable[Callable[[], Parts]]]
"""Gives the batches of a log, in the order of their sessions, as often as it is asked; each is typed when it is called."""


def _whole(log: Mapping[str, Raw]) -> Batches:
    """Return a log as one batch."""
    schemas = log_schemas({name: raw.frame.collect_schema() for name, raw in log.items()})
    typed = {name: typed_part(raw, schemas[name]) for name, raw in log.items()}
    return lambda: [lambda: typed]


def _cut(log: Mapping[str, Raw], room: Room) -> Batches:
    """Return a log in batches that fit in memory, each typed when it is asked for."""
    schemas = log_schemas({name: raw.frame.collect_schema() for name, raw in log.items()})
    cut = batches_of(log, records_within(room.memory, log), room.workspace)

    def typed(batch: Mapping[str, Raw]) -> Parts:
        return {name: typed_part(raw, schemas[name]) for name, raw in batch.items()}

    return lambda: (partial(typed, batch) for batch in cut)


def _notice_empty(raws: Iterable[Raw], notes: Notes) -> None:
    """Warn of sources without records: tables that have only a header, logs without records of some kind."""
    for raw in raws:
        kinds = list(dict.fromkeys(member.kind for _, member in raw.parted if member.kind))
        if not raw.records:
            what = f"no {' and no '.join(kinds)} in it" if kinds else "no records, only a header"
            notes.warn(f"{raw.source} ({raw.table}): {what}")


@dataclass(frozen=True)
class _Ingest:
    """A log on its way to a study: its batches, what the whole of it decided, and what stands beside it, checked."""

    log: Mapping[str, Raw]
    users: CheckedSource | None
    judgments: list[CheckedSource]
    judged: pl.DataFrame
    settings: Settings
    defaults: Mapping[str, Any]
    reader: str
    strict: bool
    aside: Aside
    notes: Notes
    batches: Batches
    decided: Decisions
    answers: Sequence[Answers]
    exclusions: Exclusions

    def in_memory(self) -> Study:
        """Return the study with its tables in memory; the log is one batch."""
        totals, notes = Totals(), deepcopy(self.notes)
        (made,) = self._assembled(totals)
        study = self._study(totals, notes, {name: finished(name, getattr(made, name)).lazy() for name in LOG})
        notes.give_warnings()
        return study

    def on_disk(self, workspace: Path) -> Study:
        """Return the study, written batch by batch to a temporary folder that is there as long as the study is."""
        held = TemporaryFolder()
        types: Types | None = None
        with held.kept_on_success():
            while True:
                totals, notes = Totals(workspace / "rejected"), deepcopy(self.notes)
                written = self._write(held.path / "study", totals, notes, types)
                types = totals.types
                if written == types:
                    break  # else some extras turned out to have other types than the first batch showed
        notes.give_warnings()
        opened = open_unhashed(held.path / "study")
        storage = replace(opened.storage, depths=totals.depths, package=opened.path, tables=None)
        return replace(opened, path=None, storage=storage)

    def _write(self, folder: Path, totals: Totals, notes: Notes, types: Types | None) -> Types:
        """Write the study with extras of these types, None of those that the first batch shows; return the types."""
        written: Types = {} if types is None else types
        whole: list[Study] = []

        def batches() -> Generator[StudyBatch, None, None]:
            for number, made in enumerate(self._assembled(totals)):
                if number == 0 and types is None:
                    written.update(totals.types)
                sessions, queries, results = (
                    finished(name, getattr(made, name), types=written.get(name, {})) for name in LOG
                )
                batch = StudyBatch(sessions, queries, results, starts=made.starts)
                if made.sessions.height:
                    yield batch
            if not totals.counts.facts.sessions:
                yield batch
            whole.append(self._study(totals, notes, {}))  # while the last batch is being written

        with closing(batches()) as made, closing(Ahead(made)) as ahead:
            write_package(self._study_of_judgments, folder, ahead, lambda: whole[0], seen=totals.add_depths)
        return written

    @property
    def _study_of_judgments(self) -> Study:
        """A study of which only the judgments are there."""
        none = pl.LazyFrame()
        return Study(users=none, sessions=none, queries=none, results=none, judgments=self.judged.lazy())

    def _assembled(self, totals: Totals) -> Iterator[Assembled]:
        """Return the checked tables of each batch, and add what was counted in them to the totals; two are made at a time."""
        keys, pairs = judged_keys(self.judged), judged_pairs(self.judged)

        def assembled(batch: Callable[[], Parts]) -> tuple[Assembled, AnomalyCounts]:
            made = assemble(batch(), self.decided, self.defaults, self.settings.missing_positions)
            made = self.exclusions.without_results(made)
            made = replace(made, sessions=self._with_answers(made.sessions))
            return made, counts_of(made, keys, None if totals.counts.met else pairs)

        with closing(in_turn(assembled, iter(self.batches()))) as several:
            for made, counts in several:
                totals.add(made, counts, [one.met(made.sessions) for one in self._of_sessions])
                yield made

    @property
    def _of_sessions(self) -> list[Answers]:
        """The answers that become columns of the sessions."""
        return [one for one in self.answers if not one.of_users]

    def _with_answers(self, sessions: pl.DataFrame) -> pl.DataFrame:
        """Return sessions with the answers that belong to them."""
        return reduce(lambda rows, one: one.joined(rows), self._of_sessions, sessions)

    def _users(self, totals: Totals, notes: Notes) -> pl.DataFrame:
        """Return the users, with their answers; note what answers belong to nothing."""
        users = with_users(self.users.rows.accepted if self.users else None, totals.users, notes)
        of_users = [one for one in self.answers if one.of_users]
        told = [one.unmet([one.met(users)]) for one in of_users]
        told += [one.unmet(met) for one, met in zip(self._of_sessions, totals.answered, strict=True)]
        for sentence in (*(sentence for one in self.answers for sentence in one.warnings), *filter(None, told)):
            notes.warn(sentence, place=QUESTIONNAIRES)
        return reduce(lambda rows, one: one.joined(rows), of_users, users)

    def _study(self, totals: Totals, notes: Notes, log: Mapping[str, pl.LazyFrame]) -> Study:
        """Return the study with these tables of the log, all of which was checked; note what was unusual."""
        facts = replace(totals.counts.facts, judgments=self.judged.height)
        counts = replace(totals.counts, facts=facts)
        notice_parts(counts, self.settings, notes, frames=not all(raw.is_file for raw in self.log.values()))
        left_out = pl.concat([none_excluded(), *(part.excluded for part in self.judgments)])
        self.exclusions.notice(totals.excluded["results"], left_out, notes)
        rejected = totals.rejected(self.users, self.log.values(), self.judgments, self.aside.cells)
        if self.strict:
            refuse_first(rejected)
        sources = self._sources(totals)
        refuse_all_rejected(rejected, sources)
        note_rejected(rejected, notes)
        users = self._users(totals, notes)
        notice(counts, self.judged, self.settings, notes)
        notice_unusual(counts.unusual, notes)
        return replace(
            self._study_of_judgments.with_tables(users=finished("users", users).lazy(), rejected=rejected, **log),
            settings=self.settings,
            sources=sources,
            reader=self.reader,
            notes=tuple(notes.told),
            storage=Storage(facts=facts),
        )

    def _sources(self, totals: Totals) -> tuple[Source, ...]:
        """Return the accounts of all sources."""
        return (
            *(sources_of(self.users) if self.users else ()),
            *(
                source
                for name, raw in self.log.items()
                for source in without_excluded(totals.sources[name], raw.parted, totals.excluded[name])
            ),
            *(
                source
                for part in self.judgments
                for source in without_excluded(sources_of(part), part.raw.parted, part.excluded)
            ),
            *self.aside.sources,
            *((self.exclusions.source,) if self.exclusions.source else ()),
            *(source for one in self.answers for source in one.accounts),
        )
