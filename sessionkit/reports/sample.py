"""Which sessions a page shows one by one where it cannot hold all, and their rows from the batches of a study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from sessionkit.arguments import StudyTable
from sessionkit.errors import UsageError
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.reduction import run
from sessionkit.study import Study
from sessionkit.study.batches import in_order
from sessionkit.study.numbering import JUDGMENT, LENGTH, QUERIES, RESULTS, counts, sums
from sessionkit.study.selection import picked, with_sessions
from sessionkit.study.storage import LOG

SEED = 20080330
"""Of the draw; fixed, so that the same study has the same page."""


def drawn(study: Study, many: int) -> pl.DataFrame:
    """Draw sessions at random, each with the same chance: ``session_id``, in the order drawn.

    The first ones of a draw are a draw of fewer sessions. All sessions, in any order, where there are no more.

    Parameters
    ----------
    study
        The study.
    many
        Sessions to draw, at least 0.
    """
    ids = study.sessions.select("session_id").collect().to_series().sort()
    order = np.random.Generator(np.random.PCG64(SEED)).permutation(len(ids))[:many]
    return ids.gather(order).to_frame()


def only(study: Study, sessions: pl.DataFrame) -> Study:
    """The study with these sessions alone, in the order of their ids; the study itself where these are all and so ordered."""
    if len(sessions) == study.facts.sessions and study.storage.partitioned is None:
        return study
    if study.storage.rows is not None:
        return with_sessions(study, sessions["session_id"])

    def kept(table: pl.LazyFrame) -> pl.LazyFrame:
        return table.join(sessions.lazy(), on="session_id", how="semi")

    return study.with_tables(sessions=kept(study.sessions), queries=kept(study.queries), results=kept(study.results))


def in_memory(study: Study) -> Study:
    """The same study, its log read once as a stream and kept."""
    if study.storage.rows is not None:
        return study
    orders: dict[StudyTable, list[str]] = {"sessions": ["session_id"], "queries": ["session_id", "query_position"]}
    orders["results"] = [*orders["queries"], "rank"]
    read = pl.collect_all([study.table(name) for name in orders], engine="streaming")
    tables = {name: frame.sort(order).lazy() for (name, order), frame in zip(orders.items(), read, strict=True)}
    return study.with_tables(**tables)


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


MOST = 20_000
"""Sessions held at most."""
SMALL = 2_000
"""Sessions up to which a study counts as small, and its page too."""
ROOM = {True: 600_000, False: 2_800_000}
"""Bytes that the explorer may take, in the page of a small study and of others."""
SESSION, QUERY, RESULT = 45, 55, 13
"""Bytes that one of each takes, as a first guess."""


def room_of(study: Study) -> int:
    """Bytes that the explorer may take."""
    return ROOM[study.facts.sessions <= SMALL]


def fitting(drawn_from: Study, ids: pl.DataFrame, cutoff: int, room: int) -> pl.DataFrame:
    """Find which of some sessions should fit into a page: ``session_id``, the first ones until they fill it.

    Parameters
    ----------
    drawn_from
        A study that has the sessions.
    ids
        Their ``session_id``, in the order drawn.
    cutoff
        Ranks that are shown of every list.
    room
        Bytes that they may take, see `room_of`.
    """
    ids = ids.with_row_index("nth")
    some = only(drawn_from, ids)
    results = some.results.filter(pl.col("rank") <= cutoff).group_by("session_id").agg(results=pl.len()).collect()
    queries = some.queries.group_by("session_id").agg(queries=pl.len()).collect()
    sized = ids.join(results, on="session_id", how="left").join(queries, on="session_id", how="left").sort("nth")
    size = SESSION + QUERY * pl.col("queries").fill_null(0) + RESULT * pl.col("results").fill_null(0)
    return sized.filter(size.cum_sum() <= room).select("session_id")
