"""A batch in which what nobody judged has a number too, and the same batch as it would be if all of it had one grade."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from sessionkit.analysis.incomplete.pool import Pool
from sessionkit.scoring.batch import SessionBatch, judged_only
from sessionkit.scoring.execution import query_values, session_values
from sessionkit.scoring.graded_pairs import GradedPairs
from sessionkit.scoring.measures.base import Measure
from sessionkit.study.row_index import keys_of_queries

WORST = -1.0
"""A grade that gains nothing under any measure."""


@dataclass(frozen=True, eq=False)
class Unjudged:
    """A batch whose unjudged results are numbered like the judged ones.

    Parameters
    ----------
    batch
        The batch as it was.
    pool
        The keys and pairs of the study.
    results
        The batch's results with the number of their pair (``judgment``); null only where there is no judgment_key.
    """

    batch: SessionBatch
    pool: Pool
    results: pl.DataFrame
    beside: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What was laid out of it, for whoever else asks for the same."""
    _supposed: dict[float, SessionBatch] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, batch: SessionBatch, pool: Pool) -> Unjudged:
        """Number what is unjudged in a batch that was read with doc_id; made once for all tasks that look at it."""
        if not pool.last or pool.last[0][0] is not batch:
            numbered = batch.results.with_columns(pool.numbered(batch))
            pool.last[:] = [(batch, cls(batch, pool, numbered))]
        made: Unjudged = pool.last[0][1]
        return made

    @property
    def grade(self) -> pl.Series:
        """Grade of every pair; null where it has none."""
        return self.pool.grade

    @property
    def judged(self) -> GradedPairs:
        """The pairs with their numbers."""
        return self.pool.known

    @property
    def unknown(self) -> pl.Series:
        """Whether every pair has no grade, in the order of their numbers."""
        return self.grade.is_null()

    def values(self, measures: Iterable[Measure], by: str) -> dict[Measure, pl.DataFrame]:
        """Values of sessions, or queries, as the batch is; each worked out once."""
        if by == "session":
            return session_values(self.batch, measures)
        known = self.beside.setdefault("values", {})
        known.update(query_values(self.batch, [measure.inner for measure in measures if measure not in known]))
        found: dict[Measure, pl.DataFrame] = known
        return found

    def supposing(self, grade: float) -> SessionBatch:
        """The batch if every unjudged document of the study had this grade; made once for each grade."""
        if grade not in self._supposed:
            self._supposed[grade] = self._under(self.pool.supposing(grade))
        return self._supposed[grade]

    def _under(self, judged: GradedPairs) -> SessionBatch:
        """The batch under these judgments, whose keys are those of the pool."""
        key = judged.pairs.key_of(self.batch.features["judgment_key"])
        own = judged_only(key, judged)
        of_queries = own.gather(self.batch.queries["session"])
        if self.batch.own_keys:
            keys = keys_of_queries(self.batch.features, self.batch.queries, self.batch.queries["session"])
            of_queries = judged_only(judged.pairs.key_of(keys), judged)
        return replace(
            self.batch,
            judged=judged,
            sessions=self.batch.sessions.with_columns(own),
            queries=self.batch.queries.with_columns(of_queries),
            results=self.results,
        )
