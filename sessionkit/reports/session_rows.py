"""The rows of some sessions, picked from the batches of a study while it is read for something else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from sessionkit.errors import UsageError
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.reduction import run
from sessionkit.study import Study
from sessionkit.study.batches import in_order
from sessionkit.study.judgment_index import JUDGMENT
from sessionkit.study.row_index import LENGTH, QUERIES, RESULTS, counts, sums
from sessionkit.study.session_subset import picked
from sessionkit.study.storage import LOG

TAKEN = {
    "sessions": {QUERIES, RESULTS},
    "queries": {"session", "query", "key", "length", "logged", LENGTH},
    "results": {"query", "judgment", JUDGMENT},
}
"""Columns that a batch makes itself; a log that has one of its own cannot be picked from batches."""
PLACES = {"sessions": (), "queries": ("session_id",), "results": ("session_id", "query_position")}
"""Columns that need not be read, as batches know them otherwise."""


@dataclass(frozen=True, eq=False)
class SessionRowsReduction:
    """Pick the rows of some sessions from one table of the log, all columns of it.

    Parameters
    ----------
    table
        ``"sessions"``, ``"queries"`` or ``"results"``.
    names
        The table's public columns, in order.
    many
        How many sessions; which they are follows from the study.
    ids
        Their ids, by which a task is not known.
    """

    table: str
    names: tuple[str, ...]
    many: int
    ids: pl.Series = field(compare=False)

    slots = 0

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return {self.table: [name for name in self.names if name not in PLACES[self.table]]}

    @property
    def columns_made(self) -> int:
        """As many as are read of the results, when memory is reckoned."""
        return len(self.names) if self.table == "results" else 1

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """The rows of a batch."""
        chosen = batch.sessions["session_id"].is_in(self.ids.implode())
        of_query = chosen.gather(batch.queries["session"])
        if self.table == "sessions":
            return self._sessions(batch, chosen)
        return self._queries(batch, of_query) if self.table == "queries" else self._results(batch, of_query)

    def _sessions(self, batch: SessionBatch, chosen: pl.Series) -> pl.DataFrame:
        """Sessions with their numbers of queries and results."""
        session, many = batch.queries["session"], len(batch.sessions)
        queries, results = counts(session, many), sums(batch.queries["length"], session, many)
        every = batch.features.select(self.names).with_columns(queries.alias(QUERIES), results.alias(RESULTS))
        return every.filter(chosen)

    def _queries(self, batch: SessionBatch, chosen: pl.Series) -> pl.DataFrame:
        """Queries with the lengths of their lists."""
        rows = batch.queries.filter(chosen)
        ids = batch.sessions["session_id"].gather(rows["session"])
        return rows.with_columns(ids).select(*self.names, pl.col("length").alias(LENGTH))

    def _results(self, batch: SessionBatch, chosen: pl.Series) -> pl.DataFrame:
        """Results with the numbers of their judgments."""
        rows = batch.results.filter(chosen.gather(batch.results["query"]))
        ids = batch.sessions["session_id"].gather(batch.queries["session"].gather(rows["query"]))
        rows = rows.with_columns(ids, batch.queries["query_position"].gather(rows["query"]))
        return rows.select(*self.names, pl.col("judgment").alias(JUDGMENT))

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        return pl.concat(parts)

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The rows of all sessions that were picked, in order."""
        return in_order(self.added([*parts]), self.table)


def pick_tasks(study: Study, ids: pl.Series) -> list[SessionRowsReduction]:
    """What `pick` asks of a study.

    Parameters
    ----------
    ids
        Ids of the sessions: of as many always the same ones of a study, as tasks are known by their number.

    Raises
    ------
    UsageError
        The log has a column that batches make themselves.
    """
    for name in LOG:
        if taken := TAKEN[name] & {*study.columns(name)}:
            raise UsageError(
                f"{name} have a column {min(taken)!r}, which stands for something else while they are read"
            )
    return [SessionRowsReduction(name, study.columns(name), len(ids), ids) for name in LOG]


def pick(study: Study, ids: pl.Series, memory: str | int | None = None) -> Study:
    """A study of some sessions alone, in memory; parameters, and errors, as `pick_tasks` has them."""
    sessions, queries, results = run(study, pick_tasks(study, ids), memory)
    return picked(study, sessions, queries, results)
