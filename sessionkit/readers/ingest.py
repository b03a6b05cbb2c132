"""The one pipeline from unchecked records to a study: batches of whole sessions within the memory, and every record accounted for."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.readers.checks.cells import LOG, all_columns, log_schemas
from sessionkit.readers.checks.completion import (
    ColumnTexts,
    counts_of,
    finished,
    judged_keys,
    judged_pairs,
    notice_unusual,
    sources_of,
    without_excluded,
)
from sessionkit.readers.checks.derived import (
    Assembled,
    Decisions,
    Parts,
    assemble,
    decide,
    notice_zones,
    with_users,
    without_zones,
)
from sessionkit.readers.checks.rows import (
    NOTHING,
    AnomalyCounts,
    Aside,
    CheckedSource,
    Notes,
    beside,
    described,
    none_excluded,
    none_rejected,
    note_rejected,
    notice,
    notice_parts,
    plain_part,
    refuse_all_rejected,
    refuse_first,
    rejected_rows,
    typed_part,
)
from sessionkit.readers.exclusions import NO_EXCLUSIONS, Exclusions
from sessionkit.readers.io.files import VALUE, LogFile, is_packed
from sessionkit.readers.questionnaires import SECTION as QUESTIONNAIRES
from sessionkit.readers.questionnaires import Answers
from sessionkit.readers.raw import ROW_GROUP, Raw, Sources, room_in, split, split_off
from sessionkit.study import Settings, Source, Study
from sessionkit.study.batches import Ahead, count, in_turn
from sessionkit.study.checks import RECORD, as_text
from sessionkit.study.counts import depths_in, summed
from sessionkit.study.package import TemporaryFolder, open_unhashed, write_package
from sessionkit.study.schema import TABLES, table
from sessionkit.study.storage import Storage, StudyBatch


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
    batches = _whole(log) if room is None else _cut_log(log, room)
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


def _cut_log(log: Mapping[str, Raw], room: Room) -> Batches:
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


Types = dict[str, dict[str, pl.DataType]]
"""For each table of the log the types of its extras that are text in the source."""
REJECTED_PER_BATCH = 500_000
"""Rejected records whose raw text is looked up at a time."""


@dataclass
class Totals:
    """What is known of the batches so far.

    Parameters
    ----------
    folder
        A directory for the rejected records; None, they stay in memory.
    counts
        What was unusual.
    sources
        What became of the records of each table.
    texts
        For each table what the texts of its extras say about their types.
    answered
        For each questionnaire of sessions the ids of those that have answers, batch by batch.
    excluded
        For each table the records that were left out with their documents.
    """

    folder: Path | None = None
    counts: AnomalyCounts = field(default_factory=AnomalyCounts)
    sources: dict[str, tuple[Source, ...]] = field(default_factory=dict)
    texts: dict[str, dict[str, ColumnTexts]] = field(default_factory=lambda: {name: {} for name in LOG})
    answered: list[list[pl.DataFrame]] = field(default_factory=list)
    excluded: dict[str, pl.DataFrame] = field(default_factory=lambda: {name: none_excluded() for name in LOG})
    _rejects: dict[str, list[pl.LazyFrame]] = field(default_factory=lambda: {name: [] for name in LOG})
    _users: list[pl.DataFrame] = field(default_factory=lambda: [table("users").empty(("user_id",))])
    _depths: list[pl.DataFrame] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with an empty folder."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)

    def add(self, made: Assembled, counts: AnomalyCounts, answered: Sequence[pl.DataFrame] = ()) -> None:
        """Add what has come of one batch, what was counted in it, and the ids of its sessions that have answers."""
        self.answered = self.answered or [[] for _ in answered]
        for met, ids in zip(self.answered, answered, strict=True):
            met.append(ids)
        self.counts += counts
        self._users.append(made.sessions.select(pl.col("user_id").drop_nulls().unique()))
        if sum(map(len, self._users[1:])) > len(self._users[0]):  # so that none is brought together often
            self._users = [self.users]
        for part in made.parts:
            self._add_source(part)
        for name in LOG:
            frame: pl.DataFrame = getattr(made, name)
            for column in frame.columns:
                if frame[column].dtype == pl.String and column not in table(name).names:
                    before = self.texts[name].get(column, ColumnTexts())
                    filled = before.filled or frame[column].null_count() < frame.height
                    now = ColumnTexts.of(frame[column]) if before.open else replace(before, filled=filled)
                    self.texts[name][column] = before + now

    @property
    def users(self) -> pl.DataFrame:
        """The user_id of every user of the sessions so far."""
        return pl.concat(self._users).unique()

    def add_depths(self, part: StudyBatch) -> None:
        """Count how deep the lists of a batch are known, where some are observed in part; see `Study.depths`."""
        if (part.queries["results_status"] == "partly_observed").any():
            self._depths.append(depths_in(part))

    @property
    def depths(self) -> pl.DataFrame | None:
        """How deep the lists of all parts are known; None where that was not counted in all of them."""
        depths = summed(self._depths) if self._depths else None
        return depths if depths is not None and depths["n"].sum() == self.counts.facts.queries else None

    @property
    def types(self) -> Types:
        """The types of the extras, as far as the batches so far say."""
        return {name: {column: text.dtype for column, text in texts.items()} for name, texts in self.texts.items()}

    def _add_source(self, part: CheckedSource) -> None:
        """Add what became of the records of a part of one source, and keep what was rejected or set aside."""
        name, new = part.raw.table, sources_of(part)
        before = self.sources.get(name, tuple(replace(one, rows=0, rejected=0, empty_lists=0) for one in new))
        self.sources[name] = tuple(
            replace(
                old,
                rows=old.rows + one.rows,
                rejected=old.rejected + one.rejected,
                empty_lists=old.empty_lists + one.empty_lists,
            )
            for old, one in zip(before, new, strict=True)
        )
        self.excluded[name] = pl.concat([self.excluded[name], part.excluded])
        count("rows", part.rows.accepted.height)
        count("rejected", part.broken.height)
        if (rejects := part.rejects).height:
            self._rejects[name].append(self._kept(rejects))

    def rejected(
        self,
        users: CheckedSource | None,
        log: Iterable[Raw],
        judgments: Sequence[CheckedSource],
        cells: Sequence[pl.DataFrame] = (),
    ) -> pl.LazyFrame:
        """Return what was rejected or set aside, of users and judgments too, in the order of sources and records.

        `cells` are those that the format set aside.
        """
        found = [self._kept(rejected_rows([users] if users else []))]
        found += [self._kept(frame) for raw in log for frame in self._of_source(raw)]
        found.append(self._kept(rejected_rows(judgments)))
        found.append(self._kept(beside(pl.concat(found), cells)))
        whole = pl.concat(found)
        return whole.collect().lazy() if self.folder is None else whole

    def _of_source(self, raw: Raw) -> Iterator[pl.DataFrame]:
        """Return the rejected records of a source, in their order, some at a time."""
        if not self._rejects[raw.table]:
            return
        rejects = pl.concat(self._rejects[raw.table])
        bounds = rejects.select(RECORD).collect().to_series().sort()[::REJECTED_PER_BATCH].to_list()
        for first, end in zip(bounds, [*bounds[1:], None], strict=True):
            inside = pl.col(RECORD) >= first
            inside = inside if end is None else inside & (pl.col(RECORD) < end)
            rows = described(raw, rejects.filter(inside).collect())
            yield pl.concat([none_rejected(), rows], how="vertical_relaxed")

    def _kept(self, frame: pl.DataFrame) -> pl.LazyFrame:
        """Return a frame that stays in memory or, where there is a folder, in a file of it."""
        if self.folder is None:
            return frame.lazy()
        path = self.folder / f"{len(list(self.folder.iterdir())):06}.parquet"
        with room_in(self.folder):
            frame.write_parquet(path)
        return pl.scan_parquet(path, glob=False)


SAMPLE = 200_000
"""Records of each table whose sessions are looked at to find ranges of like size."""
SCATTER = 6
"""How often the groups of a file may be read for all batches together before sorting them into files is cheaper."""
OPEN = 16
"""Files of batches that are written at the same time; each takes memory."""
BATCH_COLUMN, PLACE, SESSION = "__batch", "__place", "session_id"


def batches_of(log: Mapping[str, Raw], rows: int, workspace: Path) -> list[dict[str, Raw]]:
    """Cut a log into batches of whole sessions.

    Parameters
    ----------
    log
        The sources of sessions, queries and results, as far as they are given.
    rows
        Records of all tables that a batch should have; a session with more stays whole.
    workspace
        A directory for files of batches.

    Returns
    -------
    list of dict
        The sources of each batch. Ranges of sessions come in order; records without session come last.
    """
    samples = {name: _sample(raw) for name, raw in log.items()}
    bounds = _bounds(list(samples.values()), sum(raw.records for raw in log.values()), rows)
    cut = {
        name: _cut_source(raw, samples[name], bounds, rows, workspace / f"batches of {name}")
        for name, raw in log.items()
    }
    most = max(len(frames) for frames in cut.values())
    return [
        {
            name: replace(raw, frame=cut[name][number] if number < len(cut[name]) else cut[name][0].clear())
            for name, raw in log.items()
        }
        for number in range(most)
    ]


def _session(raw: Raw) -> pl.Expr:
    """Return the session of a record as the text by which sessions are ordered."""
    return as_text(SESSION, raw.frame.collect_schema()[SESSION])


def _sample(raw: Raw) -> pl.DataFrame:
    """Return the sessions of records at equal distances, each with its place and the records it stands for."""
    step = raw.records // SAMPLE + 1
    chosen = raw.frame.with_row_index(PLACE).filter(pl.col(PLACE) % step == 0)
    return chosen.select(PLACE, _session(raw).alias(SESSION), step=pl.lit(step, dtype=pl.Int64)).collect()


def _bounds(samples: list[pl.DataFrame], records: int, rows: int) -> list[str]:
    """Return the sessions with which batches begin, the first apart, so that batches are of like size."""
    seen = pl.concat(samples).drop_nulls(SESSION).sort(SESSION)
    batches = -(-records // rows)
    batch = (pl.col("step").cum_sum() - 1) * batches // pl.col("step").sum()
    first = seen.filter(batch > batch.shift(1))[SESSION]
    return first.filter(first > seen[SESSION].min()).unique().sort().to_list() if len(first) else []


def _cut_source(raw: Raw, sample: pl.DataFrame, bounds: list[str], rows: int, folder: Path) -> list[pl.LazyFrame]:
    """Return the records of each range, then those without session, in as many batches as they need."""
    if raw.in_memory and (places := _places(raw, bounds)) is not None:
        return [raw.frame.slice(start, end - start) for start, end in pairwise([0, *places, raw.records])]
    nulls = raw.frame.select(_session(raw).is_null().sum()).collect().item()
    lost = -(-nulls // rows)
    text = raw.frame.collect_schema()[SESSION] == pl.String
    if text and not raw.in_memory and _scatter(sample, bounds) <= SCATTER:
        return _in_place(raw.frame, bounds, lost)
    return _in_files(raw, bounds, lost, folder)


def _places(raw: Raw, bounds: list[str]) -> list[int] | None:
    """Return where the batches begin among records that are in the order of their sessions; None where they are not."""
    sessions = raw.frame.select(_session(raw)).collect().to_series()
    if sessions.null_count() or not sessions.is_sorted():
        return None
    return sessions.search_sorted(pl.Series(bounds, dtype=pl.String)).to_list()


def _scatter(sample: pl.DataFrame, bounds: list[str]) -> float:
    """Return how often each group of records would be read, were batches read from where their records stand."""
    batch = _number(sample[SESSION], bounds)
    groups = sample.select(group=pl.col(PLACE) // ROW_GROUP, batch=batch).drop_nulls()
    return groups.n_unique() / max(groups["group"].n_unique(), 1)


def _in_place(frame: pl.LazyFrame, bounds: list[str], lost: int) -> list[pl.LazyFrame]:
    """Return each batch as a selection from the whole."""
    session = pl.col(SESSION)
    ranges = []
    for lower, upper in zip([None, *bounds], [*bounds, None], strict=True):
        inside = session.is_not_null()
        inside = inside if lower is None else inside & (session >= pl.lit(lower))
        ranges.append(frame.filter(inside if upper is None else inside & (session < pl.lit(upper))))
    return ranges + [frame.filter(session.is_null() & (pl.col(RECORD) % lost == number)) for number in range(lost)]


def _in_files(raw: Raw, bounds: list[str], lost: int, folder: Path) -> list[pl.LazyFrame]:
    """Repartition the records to a file for each batch."""
    number = _session(raw).map_batches(
        lambda sessions: _number(sessions, bounds), return_dtype=pl.Int32, is_elementwise=True
    )
    batch = pl.coalesce(number, (len(bounds) + 1 + pl.col(RECORD) % max(lost, 1)).cast(pl.Int32))
    batches = len(bounds) + 1 + lost
    numbered = raw.frame.with_columns(batch.alias(BATCH_COLUMN))
    for first in range(0, batches, OPEN):
        some = numbered.filter(pl.col(BATCH_COLUMN).is_between(first, first + OPEN - 1))
        with room_in(folder):
            split(some, BATCH_COLUMN, folder, group=ROW_GROUP // 4)
    files = [split_off(folder, BATCH_COLUMN, number) for number in range(batches)]
    return [pl.scan_parquet(written, glob=False) if written else raw.frame.clear() for written in files]


def _number(sessions: pl.Series, bounds: list[str]) -> pl.Series:
    """Return the batch that each session belongs to, null where there is none."""
    if not bounds:
        return sessions.is_not_null().replace_strict({True: 0, False: None}, return_dtype=pl.Int32)
    found = pl.Series(bounds, dtype=pl.String).search_sorted(sessions.fill_null(""), side="right")
    return (
        sessions.to_frame(SESSION)
        .select(pl.when(pl.col(SESSION).is_not_null()).then(pl.Series(found, dtype=pl.Int32)))
        .to_series()
        .alias(BATCH_COLUMN)
    )


EXPANSION = {"text": 8.0, "ndjson": 3.0, "xml": 2.2, "workbook": 40.0}
"""Bytes of memory for one of a file; XML is mostly tags, which are not kept; a workbook is packed."""
PACKED = 8.0
"""Bytes of text in one of a packed file."""
ENOUGH = 200_000_000
"""Bytes of memory that reading takes at most, however much there is: with more it is little faster."""
FAST = 900_000_000
"""Bytes of memory that batches take at most, however much there is: with more they are no faster."""
AT_ONCE = 4
"""Batches that are in memory at the same time: two being checked, one being written, what is left of a fourth."""
LOOK = 20_000
"""Records whose length is measured."""


def need(file: LogFile) -> float:
    """Return about how many bytes of memory it takes to read the records of a file all at once."""
    if file.kind == "parquet":
        frame = pl.scan_parquet(file.path, glob=False)
        try:
            return float(frame.select(pl.len()).collect().item() * _weight(frame))
        except (pl.exceptions.PolarsError, OSError):  # the reader says what is wrong with it
            return 0.0
    size = file.path.stat().st_size  # that of the text, where it had to be brought into UTF-8
    kind = "xml" if file.head.lstrip().startswith(b"<") else file.kind
    return size * EXPANSION[kind] * (PACKED if is_packed(file.path) else 1)


def fits(files: Iterable[LogFile], budget: int) -> bool:
    """Return whether the records of these files, all read, fit in memory."""
    return sum(need(file) for file in files) <= budget


def is_large(files: Iterable[LogFile], budget: int) -> bool:
    """Return whether these files, read all at once, need more memory than there is or than serves speed."""
    return sum(need(file) for file in files) > min(budget, ENOUGH)


def records_within(budget: int, log: Mapping[str, Raw]) -> int:
    """Return how many records, of all tables together, a batch may have within so many bytes of memory."""
    records = sum(raw.records for raw in log.values())
    weight = sum(raw.records * weight_of(raw) for raw in log.values()) / max(1, records)
    return max(1, int(min(budget, FAST) / AT_ONCE / max(1.0, weight)))


def needs_batches(log: Iterable[Raw], budget: int) -> bool:
    """Return whether a log, put together all at once, needs more memory than there is or than serves speed."""
    return sum(raw.records * weight_of(raw) for raw in log) > min(budget, ENOUGH)


def weight_of(raw: Raw) -> float:
    """Return about how many bytes one record takes while its table is put together, long texts included."""
    return _weight(raw.frame)


def _weight(frame: pl.LazyFrame) -> float:
    """Return the same of a frame."""
    first = frame.head(LOOK).collect()
    return VALUE * len(first.columns) + 2 * first.estimated_size() / max(1, len(first))
