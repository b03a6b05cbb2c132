"""The same log under other judgments: every judged pair with another grade, or with none, and nothing read again.

The numbers of the judged pairs stay. A pair whose grade is taken away is pooled but unjudged, as a document is whose
judgment was left out at random (infAP counts on that); every other measure sees a document that was never judged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.graded_pairs import GradedPairs
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.subtopics.grades import SUBTOPIC, Subtopics
from sessionkit.study import Study
from sessionkit.study.judgment_index import PAIR, JudgmentIndex


@dataclass(frozen=True, eq=False)
class Rejudging:
    """The judgments of a study, to be replaced.

    Parameters
    ----------
    judged
        As they are.
    grades
        Grade of every judged pair, in the order of their numbers; NaN where it has none.
    rows
        The judgments as they were given, where a measure reads subtopics, each with the number of its pair
        (``judgment``); None where none does.
    """

    judged: GradedPairs
    grades: np.ndarray
    rows: pl.DataFrame | None = None

    @classmethod
    def of(cls, study: Study, measures: Iterable[Measure]) -> Rejudging:
        """Take the judgments of a study, merged by its settings, for some measures."""
        judged = GradedPairs.of(study)
        rows = _numbered_rows(study, judged) if any(reads_subtopics(measure) for measure in measures) else None
        return cls(judged, judged.grade.cast(pl.Float64).fill_null(np.nan).to_numpy(), rows)

    @property
    def key(self) -> np.ndarray:
        """Number of the key of every pair."""
        found: np.ndarray = self.judged.pairs.pairs.get_column("key").to_numpy()
        return found

    def under(self, grades: np.ndarray) -> GradedPairs:
        """The same pairs with these grades; NaN where a pair has none."""
        grade = pl.Series("grade", grades, dtype=pl.Float64, nan_to_null=True)
        made = GradedPairs(self.judged.pairs, grade, self.judged.whose, self.judged.settings, self._lifted(grade))
        if self.rows is None:
            return made
        left = self.rows.filter(pl.lit(grade.is_not_null()).gather(pl.col("judgment"))).drop("judgment").lazy()
        of_texts = self.judged.pairs if self.judged.pairs.documents is not None else JudgmentIndex.of(self.rows.lazy())
        for lift in (False, True):
            made._subtopics[lift] = Subtopics.of(left, self.judged.settings, of_texts, lift=lift)
        return made

    def _lifted(self, grade: pl.Series) -> pl.Series | None:
        """These grades as ``gain=lifted`` has them: as they were where they are the same, else alike."""
        if self.judged.lifted is None:
            return None
        same = pl.when(grade == self.judged.grade).then(self.judged.lifted).otherwise(grade)
        return pl.select(pl.when(grade.is_not_null()).then(same)).to_series().alias("grade")


def reads_subtopics(measure: Measure) -> bool:
    """Whether a measure reads the grades by subtopic, which stand beside the grade of the document."""
    return SUBTOPIC in (*measure.inner.needs().get("judgments", ()), *measure.inner.may_read.get("judgments", ()))


def under(batch: SessionBatch, judged: GradedPairs) -> SessionBatch:
    """A batch under other grades of the same pairs; what has nothing judged for its key any more has no key."""
    known = judged.keys
    if known.equals(batch.judged.keys):
        return replace(batch, judged=judged)
    there = pl.when(pl.lit(known).gather(pl.col("key"))).then(pl.col("key")).alias("key")
    sessions, queries = (frame.with_columns(there) for frame in (batch.sessions, batch.queries))
    return replace(batch, judged=judged, sessions=sessions, queries=queries)


def only_sessions(batch: SessionBatch, keep: np.ndarray) -> SessionBatch:
    """The part of a batch that some of its sessions make, whose rows are numbered anew."""
    if bool(keep.all()):
        return batch
    kept = pl.Series("keep", keep)
    queries = kept.gather(batch.queries["session"])
    results = queries.gather(batch.results["query"])
    return replace(
        batch,
        sessions=_renumbered(batch.sessions.filter(kept), "session"),
        features=batch.features.filter(kept),
        queries=_renumbered(_moved(batch.queries.filter(queries), "session", keep), "query"),
        results=_moved(batch.results.filter(results), "query", queries.to_numpy()),
    )


def _numbered_rows(study: Study, judged: GradedPairs) -> pl.DataFrame:
    """The judgments as they were given that name a document, with the numbers of their pairs."""
    rows = study.judgments.drop_nulls(PAIR).collect()
    pairs = judged.pairs if judged.pairs.documents is not None else JudgmentIndex.of(rows.lazy())
    return rows.with_columns(pairs.judgment_of(pairs.key_of(rows["judgment_key"]), rows["doc_id"]).alias("judgment"))


def _renumbered(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Rows numbered from 0 in a column that they have."""
    return rows.with_columns(pl.int_range(pl.len(), dtype=pl.UInt32).alias(name))


def _moved(rows: pl.DataFrame, name: str, keep: np.ndarray) -> pl.DataFrame:
    """Rows with the numbers that what they belong to has once only some of it is kept."""
    number = pl.Series("number", np.cumsum(keep) - 1).cast(pl.UInt32, strict=False)
    return rows.with_columns(number.gather(rows[name]).alias(name))
