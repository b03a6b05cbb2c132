"""The tables of a study with pseudonyms for what is replaced, without what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from sessionkit.choices import StudyTable
from sessionkit.privacy.clock import ORDER, sessions_of, with_elapsed
from sessionkit.privacy.columns import ColumnPlan
from sessionkit.privacy.judgment_keys import KEY
from sessionkit.privacy.pseudonyms import Names
from sessionkit.study.row_index import QUERIES, RESULTS, counts
from sessionkit.study.storage import StudyBatch
from sessionkit.study.study import Study

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
        The place of sessions in their user's part of the study, where it is found from times, see `clock.orders`.
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
        of = sessions_of(part)
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
        """The judgments; those of one document stay in their order, which some ways to merge them go by."""
        return self.table(study.judgments.collect(), "judgments").sort(KEY, "doc_id", maintain_order=True)

    @cached_property
    def _places(self) -> pl.Series:
        """The place of each of the known sessions by its new id."""
        return self.sessions.labels.rank("ordinal").cast(pl.UInt32) - 1
