"""Whole sessions in memory, as the kernel takes them: row numbers in place of ids.

The row of a session is its number, the row of a query its number; a result knows the number of its query and, where
it is judged, of its judgment. What belongs to a result's query or session is looked up by number, not joined by text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

import polars as pl

from sessionkit.errors import DataError
from sessionkit.scoring.graded_pairs import GradedPairs
from sessionkit.study import Study
from sessionkit.study.batches import IDS, ROWS, in_order, slices
from sessionkit.study.judgment_index import JUDGMENT, JudgmentIndex
from sessionkit.study.memo import Memo
from sessionkit.study.prefetch import Ahead
from sessionkit.study.row_index import LENGTH, QUERIES, counts, key_numbers, query_of, repeated, session_of
from sessionkit.study.session_counts import reads, with_counts
from sessionkit.study.storage import StoredBatch, StudyBatch

OWN = {
    "queries": ("query", "session", "query_position", "key", "logged", "length", "results_status", "judgment_key"),
    "results": ("query", "rank", "judgment"),
}
"""Columns of queries and results that every batch has."""


@dataclass(frozen=True, eq=False)
class SessionBatch:
    """Some whole sessions.

    Parameters
    ----------
    judged
        The judgments of the whole study.
    sessions
        ``session`` (UInt32, the row's number), ``session_id``, ``key`` (number of its judgment_key; null where nothing
        is judged for it).
    features
        The sessions' columns that were read, and those of their users, under the log's own names, in the same order.
    queries
        ``query`` (UInt32, the row's number), ``session``, ``query_position``, ``key`` (its own, else the session's),
        ``logged`` and ``length`` (results).
    results
        ``query``, ``rank``, ``judgment`` (UInt32, null where unjudged) and what else was read, sorted by query and rank.
    own_keys
        Whether queries can have keys of their own.
    gaps, repeats
        Whether a list can have gaps in its ranks; whether it can show a document twice.
    memo
        What was worked out of it: the last `sessionkit.scoring.gain_histogram.GainHistogram`, the values of its sessions,
        the searchers' own grades. A batch made by `replace` has a memo of its own.
    """

    judged: GradedPairs
    sessions: pl.DataFrame
    features: pl.DataFrame
    queries: pl.DataFrame
    results: pl.DataFrame
    own_keys: bool = False
    gaps: bool = True
    repeats: bool = True
    memo: Memo = field(default_factory=Memo, init=False, repr=False)

    @classmethod
    def of(
        cls,
        sessions: pl.DataFrame,
        queries: pl.DataFrame,
        results: pl.DataFrame,
        judged: GradedPairs,
        *,
        gaps: bool = True,
        repeats: bool = True,
    ) -> SessionBatch:
        """Number the rows of whole sessions that have their ids.

        Parameters
        ----------
        sessions, queries, results
            The columns of `IDS` and any others; ``judgment_key`` of queries where they have one. In any order.

        Raises
        ------
        DataError
            If a row's session or query is not there.
        """
        sessions, queries, results = (
            in_order(frame, name)
            for frame, name in ((sessions, "sessions"), (queries, "queries"), (results, "results"))
        )
        session = session_of(queries, sessions["session_id"], "queries")
        placed = queries.select("query_position", session=session)
        asked_in = session_of(results, sessions["session_id"], "results")
        query = query_of(asked_in, results["query_position"], placed, len(sessions))
        key = key_numbers(judged.pairs, sessions, queries, session)
        judgment = judged.pairs.judgment_of(key.gather(query), results["doc_id"])
        return cls._made(
            judged,
            sessions,
            queries.with_columns(session=session, length=counts(query, len(queries))),
            results.drop("session_id", "query_position").with_columns(query=query, judgment=judgment),
            gaps=gaps,
            repeats=repeats,
        )

    @classmethod
    def of_slice(
        cls, part: StudyBatch, judged: GradedPairs, *, gaps: bool = True, repeats: bool = True
    ) -> SessionBatch:
        """Make the batch of a slice, whose private columns stand in for the ids."""
        if not part.numbered:
            return cls.of(part.sessions, part.queries, part.results, judged, gaps=gaps, repeats=repeats)
        last = part.results[JUDGMENT].max()
        highest = -1 if last is None else int(str(last))
        if highest >= len(judged.pairs.pairs):
            raise DataError(
                f"results refer to judgment {highest}, but there are only {len(judged.pairs.pairs)} (numbered from 0): a file of the "
                "study was changed; sessionkit check --verify shows which"
            )
        session = repeated(pl.int_range(len(part.sessions), dtype=pl.UInt32, eager=True), part.sessions[QUERIES])
        query = repeated(pl.int_range(len(part.queries), dtype=pl.UInt32, eager=True), part.queries[LENGTH])
        return cls._made(
            judged,
            part.sessions,
            part.queries.with_columns(session=session).rename({LENGTH: "length"}),
            part.results.rename({JUDGMENT: "judgment"}).with_columns(query=query),
            gaps=gaps,
            repeats=repeats,
        )

    @classmethod
    def _made(
        cls,
        judged: GradedPairs,
        sessions: pl.DataFrame,
        queries: pl.DataFrame,
        results: pl.DataFrame,
        *,
        gaps: bool,
        repeats: bool,
    ) -> SessionBatch:
        """Give sessions and queries their numbers and the numbers of their keys."""
        own = judged_only(judged.pairs.key_of(sessions["judgment_key"]), judged)
        number = pl.int_range(len(sessions), dtype=pl.UInt32, eager=True)
        numbered = pl.DataFrame([number.alias("session"), sessions["session_id"], own])
        key = own.gather(queries["session"])
        own_keys = "judgment_key" in queries.columns
        if own_keys:
            other = judged_only(judged.pairs.key_of(queries["judgment_key"]), judged)
            given = queries["judgment_key"].is_not_null()
            key = pl.select(pl.when(given).then(other).otherwise(key)).to_series()
        queries = queries.with_columns(
            query=pl.int_range(pl.len(), dtype=pl.UInt32),
            key=key,
            logged=pl.col("results_status") != "not_logged",
        )
        return cls(judged, numbered, sessions, queries, results, own_keys, gaps, repeats)

    def reading(self, columns: Mapping[str, Sequence[str]]) -> SessionBatch:
        """The same batch without what nobody asked for: of queries and results only these columns, beside `OWN`.

        Both have one memo. Columns that others read cost a task nothing then, as every filter of rows moves all their
        columns.
        """
        tables = {"queries": self.queries, "results": self.results}
        asked = {name: {*own, *columns.get(name, ())} for name, own in OWN.items()}
        if all(asked[name].issuperset(frame.columns) for name, frame in tables.items()):
            return self
        kept = {
            name: frame.select(one for one in frame.columns if one in asked[name]) for name, frame in tables.items()
        }
        narrow = replace(self, queries=kept["queries"], results=kept["results"])
        object.__setattr__(narrow, "memo", self.memo)  # the rows are the same
        return narrow

    def counting(self, names: Sequence[str]) -> SessionBatch:
        """The same batch with what is counted of its sessions among their columns, see `sessionkit.study.session_counts`."""
        of = self.queries["session"], self.queries["session"].gather(self.results["query"])
        return replace(self, features=with_counts(names, self.features, self.queries, self.results, of))

    def base(self, grades: str) -> GradedPairs:
        """Whose grades count: the judgments, or the searchers' own, the highest per session and document."""
        return self.judged if grades == "judgments" else self.memo.once("own grades", self._own_grades)

    def _own_grades(self) -> GradedPairs:
        """The searchers' own grades: of several for a document of a session the highest."""
        rows = self.results.filter(pl.col("user_grade").is_not_null())
        rows = rows.select("doc_id", "user_grade", key=self.queries["session"].gather(rows["query"]))
        best = rows.group_by("key", "doc_id").agg(grade=pl.col("user_grade").max().cast(pl.Float64)).sort("key")
        document = pl.int_range(pl.len(), dtype=pl.UInt32)
        pairs = best.select("key", document=document, judgment=document)
        keys = pl.DataFrame({"key": pl.int_range(len(self.sessions), dtype=pl.UInt32, eager=True)})
        numbered = JudgmentIndex(keys, best.select("doc_id"), pairs)
        return GradedPairs(numbered, best["grade"], "the searchers' own grades", self.judged.settings)


@dataclass(frozen=True, eq=False)
class CachedBatches:
    """All batches of a study, in order, with the columns by table that were read for them."""

    columns: Mapping[str, Sequence[str]]
    batches: Sequence[SessionBatch]


def judged_only(key: pl.Series, judged: GradedPairs) -> pl.Series:
    """Numbers of keys, null where nothing is judged for them."""
    if not len(judged.keys):
        return pl.Series("key", [None] * len(key), dtype=pl.UInt32)
    return pl.select(pl.when(judged.keys.gather(key)).then(key)).to_series().alias("key")


def batches(
    study: Study,
    columns: Mapping[str, Sequence[str]],
    rows: int = ROWS,
    stored: Sequence[StoredBatch] | None = None,
    per_query: int = 0,
) -> Iterator[SessionBatch]:
    """Cut a study into batches of about so many results.

    Parameters
    ----------
    columns
        What to read beside what every batch needs, by table; columns of ``users`` are put beside their sessions, and so is
        what is counted of sessions, which stands among their columns.
    rows, per_query
        Results of a batch, and as how many more each query counts, see `sessionkit.study.batches`.
    stored
        Of a saved study, only these of its parts; all if not given.
    """
    for cached in study.memo.held(CachedBatches) if stored is None else ():
        # a measure may name columns of judgments too, which no batch holds: they are in GradedPairs
        if all({*cached.columns[name]}.issuperset(columns.get(name, ())) for name in cached.columns):
            yield from (batch.reading(columns) for batch in cached.batches)
            return
    own = study.columns("sessions")
    counted = [name for name in columns.get("sessions", ()) if name not in own]
    beneath = reads(study, counted) if counted else {}
    read: dict[str, list[str]] = {name: [*columns.get(name, ()), *beneath.get(name, ())] for name in IDS}
    read["sessions"] = [name for name in read["sessions"] if name not in counted]
    read["sessions"] += ["session_id", "judgment_key", *(["user_id"] if columns.get("users") else [])]
    read["queries"] += ["results_status", *(["judgment_key"] if "judgment_key" in study.columns("queries") else [])]
    if study.storage.stored is None and study.storage.rows is None:
        read = {name: [*IDS[name], *read[name]] for name in IDS}
    of_users = [name for name in columns.get("users", ()) if name != "user_id"]
    users = study.users.select("user_id", *of_users).collect() if of_users else None
    with closing(Ahead(slices(study, read, rows, stored, per_query))) as parts:
        judged, facts = GradedPairs.of(study), study.facts
        for part in parts:
            if users is not None:
                beside = part.sessions.join(users, on="user_id", how="left", maintain_order="left")
                part = replace(part, sessions=beside)  # noqa: PLW2901 - the same slice, with more columns
            gaps, repeats = bool(facts.lists_with_gaps), bool(facts.repeats_in_lists)
            batch = SessionBatch.of_slice(part, judged, gaps=gaps, repeats=repeats)
            yield batch.counting(counted) if counted else batch
