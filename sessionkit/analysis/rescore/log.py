"""The log of a study, read once where it fits in memory, and scored as often as asked, each time under other grades."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.analysis.compare.session_values import grouping_columns, no_column
from sessionkit.errors import MeasureError
from sessionkit.scoring.alternative_judgments import Rejudging, only_sessions, under
from sessionkit.scoring.batch import SessionBatch, batches
from sessionkit.scoring.execution import session_values
from sessionkit.scoring.graded_pairs import GradedPairs
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.reduction import COLUMN_BYTES, FEWEST, RESULT_BYTES
from sessionkit.scoring.score import score_task, session_measures
from sessionkit.study import Study
from sessionkit.study.batches import ROWS
from sessionkit.study.memory_limit import memory_budget
from sessionkit.study.progress import count
from sessionkit.study.row_index import counts

KEYS = ("session_id", "user_id", "topic_id")


@dataclass(frozen=True, eq=False)
class Scoring:
    """One scoring of the log.

    Parameters
    ----------
    grades
        Makes the grade of every judged pair, in the order of their numbers; NaN where it has none.
    measures
        Numbers of the measures.
    groups
        Numbers of the groups whose sessions are scored; None, all that have one.
    """

    grades: Callable[[], np.ndarray]
    measures: tuple[int, ...]
    groups: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class RescoredLog:
    """The log of a study and its judgments.

    Parameters
    ----------
    study, measures
        What is scored, by what.
    rejudging
        The judgments.
    sessions
        ``session_id``, ``user_id``, ``topic_id``, ``group`` (text, null where unknown), ``queries`` (logged ones),
        ``results`` and ``deepest`` (rank) of every session, in the order of the batches.
    kept
        The one batch that the log is, where it is no more; else it is read again for every few scorings.
    """

    study: Study
    measures: tuple[Measure, ...]
    rejudging: Rejudging
    sessions: pl.DataFrame
    kept: SessionBatch | None
    by: str
    memory: str | int | None

    @classmethod
    def of(
        cls, study: Study, measures: str | Measure | Sequence[str | Measure], by: str, memory: str | int | None
    ) -> RescoredLog:
        """Read the log of a study for some measures of sessions.

        Raises
        ------
        UsageError
            There is no such column to group by.
        MeasureError
            A measure does not exist.
        """
        known = grouping_columns(study)
        if by not in known:
            raise no_column(by, known)
        asked = session_measures(study, measures)
        frames: list[pl.DataFrame] = []
        kept: list[SessionBatch] = []
        for batch in _batches(study, asked, by, memory):
            frames.append(_sessions(batch, by))
            kept = [*kept[:1], batch] if len(kept) < 2 else kept
        one = kept[0] if len(kept) == 1 else None
        return cls(study, asked, Rejudging.of(study, asked), pl.concat(frames), one, by, memory)

    def each(self) -> Iterator[SessionBatch]:
        """The batches of the log."""
        return iter([self.kept]) if self.kept is not None else _batches(self.study, self.measures, self.by, self.memory)

    def values(self, scorings: Sequence[Scoring], group: np.ndarray) -> Iterator[np.ndarray]:
        """Score the log.

        Parameters
        ----------
        scorings
            How, each time.
        group
            Number of every session's group, in the order of `sessions`; sessions below 0 are left out.

        Yields
        ------
        numpy.ndarray
            For each scoring a row per session of its groups, in the order of `sessions`, and a column per measure; NaN
            where undefined.
        """
        if self.kept is not None:
            for values in self._batch_values(self.kept, scorings, group):
                count("scorings")
                yield values
            return
        width = max(1, len(group)) * max(1, len(self.measures)) * 8
        together = max(1, memory_budget(self.memory) // (4 * width))
        for first in range(0, len(scorings), together):
            some = scorings[first : first + together]
            parts: list[list[np.ndarray]] = [[] for _ in some]
            begin = 0
            for batch in self.each():
                end = begin + len(batch.sessions)
                for number, values in enumerate(self._batch_values(batch, some, group[begin:end])):
                    parts[number].append(values)
                begin = end
            for several in parts:
                count("scorings")
                yield np.concatenate(several)

    def _batch_values(self, batch: SessionBatch, some: Sequence[Scoring], group: np.ndarray) -> Iterator[np.ndarray]:
        """Values of the sessions of one batch; its part with some groups is made once for scorings in a row."""
        known: tuple[int, ...] | None = ()
        part = batch
        for scoring in some:
            if scoring.groups != known:
                known = scoring.groups
                part = only_sessions(batch, group >= 0 if known is None else np.isin(group, known))
            judged: GradedPairs = self.rejudging.under(scoring.grades())
            measures = [self.measures[number] for number in scoring.measures]
            found = session_values(under(part, judged), measures)
            columns = [found[measure]["value"].cast(pl.Float64).fill_null(np.nan).to_numpy() for measure in measures]
            yield np.column_stack(columns) if columns else np.empty((len(part.sessions), 0))


def require_judgments(measures: Sequence[Measure]) -> None:
    """Refuse columns of the log where judgments are changed."""
    for measure in measures:
        if measure.of_sessions:
            raise MeasureError(
                f"{measure} reads no judgments, so other judgments cannot change it; name measures of results"
            )


def _batches(study: Study, measures: Sequence[Measure], by: str, memory: str | int | None) -> Iterator[SessionBatch]:
    """The batches of a study, with what the measures read and what sessions are grouped and matched by."""
    task = score_task(study, measures, per="session")
    read = {table: [*names] for table, names in task.columns().items()}
    of_users = by in study.columns("users") and by not in study.columns("sessions")
    read["sessions"] = [*dict.fromkeys([*read["sessions"], *KEYS, *([] if of_users else [by])])]
    read["users"] = [*dict.fromkeys([*read.get("users", ()), *([by] if of_users else [])])]
    rows = max(FEWEST, min(ROWS, memory_budget(memory) // (RESULT_BYTES + COLUMN_BYTES * task.columns_made)))
    return batches(study, read, rows, per_query=task.slots)


def _sessions(batch: SessionBatch, by: str) -> pl.DataFrame:
    """What is known of the sessions of a batch."""
    many = len(batch.sessions)
    session = batch.queries["session"].gather(batch.results["query"])
    of_results = pl.DataFrame([session.alias("session"), batch.results["rank"]])
    deepest = of_results.group_by("session").agg(pl.col("rank").max().cast(pl.Int64).alias("deepest"))
    logged = batch.queries.filter("logged")["session"]
    counted = [
        counts(logged, many).alias("queries").cast(pl.Int64),
        counts(session, many).alias("results").cast(pl.Int64),
    ]
    frame = batch.features.select(pl.col(KEYS).cast(pl.String), pl.col(by).cast(pl.String).alias("group"))
    rows = frame.with_columns(*counted, session=pl.int_range(pl.len(), dtype=pl.UInt32))
    return rows.join(deepest, on="session", how="left", maintain_order="left").drop("session")
