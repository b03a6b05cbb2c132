"""What the batches of a log leave behind: counts that add up, and rejected records."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from sessionkit.contract import RECORD, table
from sessionkit.readers.checks.assembly import Assembled
from sessionkit.readers.checks.completion import ColumnTexts, sources_of
from sessionkit.readers.checks.counts import AnomalyCounts
from sessionkit.readers.checks.log_schemas import LOG
from sessionkit.readers.checks.rejection import beside, described, none_rejected, rejected_rows
from sessionkit.readers.checks.source_checks import CheckedSource, none_excluded
from sessionkit.readers.io.record_store import room_in
from sessionkit.readers.raw import Raw
from sessionkit.study import Source
from sessionkit.study.depths import depths_in, summed
from sessionkit.study.progress import count
from sessionkit.study.storage import StudyBatch

Types = dict[str, dict[str, pl.DataType]]
"""For each table of the log the types of its extras that are text in the source."""
BATCH = 500_000
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
        bounds = rejects.select(RECORD).collect().to_series().sort()[::BATCH].to_list()
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
