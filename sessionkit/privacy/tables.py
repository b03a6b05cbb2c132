"""The tables of a study with pseudonyms for what is replaced, without what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from sessionkit.choices import StudyTable
from sessionkit.privacy.columns import ColumnPlan
from sessionkit.privacy.judgment_keys import KEY
from sessionkit.privacy.pseudonyms import Names
from sessionkit.study.batches import session_rows
from sessionkit.study.row_index import QUERIES, RESULTS, counts
from sessionkit.study.session_order import ORDER
from sessionkit.study.session_start import session_starts, since
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
        The place of sessions in their user's part of the study, where it is found from times, see `sessionkit.study.session_order`.
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
        of = session_rows(part)
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
        """The judgments; those of one document by their judges' pseudonyms, unless the order of the file decides which counts.

        That order could tell the judges: many files are sorted by them.
        """
        judgments = self.table(study.judgments.collect(), "judgments")
        judges = ["judge_id"] if "judge_id" in judgments.columns and study.settings.merge != "first" else []
        return judgments.sort(KEY, "doc_id", *judges, maintain_order=True)

    @cached_property
    def _places(self) -> pl.Series:
        """The place of each of the known sessions by its new id."""
        return self.sessions.labels.rank("ordinal").cast(pl.UInt32) - 1


def with_elapsed(
    sessions: pl.DataFrame, queries: pl.DataFrame, results: pl.DataFrame, of: tuple[pl.Series, pl.Series]
) -> StudyBatch:
    """Put seconds since the session began in place of the times of some whole sessions; scores that read times stay the same.

    The rules are those by which measures of time read a log.

    Parameters
    ----------
    of
        Row number of the session of every query, and of every result.
    """
    began = session_starts(sessions, queries, results, of)
    if "ended_at" in sessions.columns:
        lasted = _told(sessions, "duration_seconds", since(sessions["ended_at"], began))
        sessions = sessions.with_columns(lasted).drop("ended_at")
    if "issued_at" in queries.columns:
        asked = _told(queries, "elapsed_seconds", since(queries["issued_at"], began.gather(of[0])))
        queries = queries.with_columns(asked).drop("issued_at")
    if "clicked_at" in results.columns:
        seconds = _told(results, "click_elapsed_seconds", since(results["clicked_at"], began.gather(of[1])))
        results = results.with_columns(seconds, was_clicked(results.columns)).drop("clicked_at")
    return StudyBatch(sessions.drop("started_at", strict=False), queries, results)


def was_clicked(columns: list[str]) -> pl.Expr:
    """Whether a result was clicked, also where nothing but the time of its click says so, which may come before the session."""
    silent = pl.col("clicked_at").is_not_null()
    if "clicks" in columns:
        silent &= pl.col("clicks").is_null()
    by_time = pl.when(silent).then(pl.lit(value=True))
    return (pl.coalesce("clicked", by_time) if "clicked" in columns else by_time).alias("clicked")


def _told(frame: pl.DataFrame, name: str, found: pl.Series) -> pl.Series:
    """A column of seconds as it was logged, else as found from times of day."""
    told = [frame[name]] if name in frame.columns else []
    return pl.select(pl.coalesce(*told, found).alias(name)).to_series()
