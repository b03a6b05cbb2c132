"""The result lists of a batch as measures see them that compute their own values: rows by list, times, and values per session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.batch import GradedPairs, GradeWorth, SessionBatch
from sessionkit.scoring.filter import Selection, counted_rows, every_row, relevant_rows, shown, units
from sessionkit.scoring.gains import gain_expr
from sessionkit.study import Settings
from sessionkit.study.counts import (
    CLICK_TIMES,
    QUERY_TIMES,
    lasted,
    log_column,
    seconds_into,
    session_starts,
    was_clicked,
)
from sessionkit.study.numbering import counts, sums, where
from sessionkit.study.study import Memo

ROW = ("list", "rank", "judgment", "grade")


@dataclass(frozen=True, eq=False)
class Lists:
    """The result lists of a batch under a selection.

    Parameters
    ----------
    batch
        Some whole sessions.
    selection
        Which of their results count.
    columns
        Columns of queries and results, by table, to put beside what is there always, where the batch has them; those of
        sessions are in ``batch.features``.
    memo
        What was made of them.
    """

    batch: SessionBatch
    selection: Selection
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    memo: Memo = field(default_factory=Memo, repr=False)

    @property
    def settings(self) -> Settings:
        """What was declared of the study: the top of its grade scale, the size of its collection."""
        return self.batch.judged.settings

    @property
    def judged(self) -> GradedPairs:
        """Whose grades count: the judgments, or the searchers' own."""
        return self.batch.base(self.selection.grades)

    @property
    def queries(self) -> pl.DataFrame:
        """The lists in order: ``list`` (UInt32, the row's number), ``query``, ``session``, ``query_position``, ``key`` (null
        where nothing is judged for it), ``length`` (the last rank shown within the cutoff; gaps are slots) and columns
        of the log.
        """
        return self.memo.once("queries", self._queries)

    def _queries(self) -> pl.DataFrame:
        found = units(self.batch, self.selection)
        number = pl.int_range(len(found), dtype=pl.UInt32, eager=True).alias("list")
        length = self._lengths().gather(found["query"]).alias("length")
        own = [self.batch.queries[name].gather(found["query"]) for name in self._extra("queries", self.batch.queries)]
        return pl.DataFrame([number, *found.get_columns(), length, *own])

    @property
    def every(self) -> pl.DataFrame:
        """All results that count within the cutoff, by list and rank: ``list``, ``rank``, ``judgment``, ``grade`` (Float64, null
        where unjudged), ``first`` (not a document that was shown before and gains once), ``pooled`` (pooled, but
        unjudged) and columns of the log. Ranks are closed up where unjudged results are removed.
        """
        return self.memo.once("every", self._every)

    def _every(self) -> pl.DataFrame:
        rows = every_row(self.batch, self.selection)
        pooled = pl.col("judgment").is_not_null() & pl.col("grade").is_null()
        return self._rows(rows.with_columns(pooled=pooled), "first", "pooled")

    @property
    def uncut(self) -> Lists:
        """The lists as deep as they were shown, whatever the cutoff."""
        whole = replace(self.selection, cutoff=None)
        return self.memo.once("uncut", lambda: Lists(self.batch, whole, self.columns))

    def relevant(self, min_grade: float = 1) -> pl.DataFrame:
        """The results of at least this grade, each document once: the columns of `every` but ``pooled``, and ``nth``, the
        number of the row within its list.
        """
        return self.memo.once(
            ("relevant", min_grade), lambda: self._gaining(GradeWorth("binary", min_grade)).drop("gain")
        )

    def gaining(self, gain: str, min_grade: float = 1) -> pl.DataFrame:
        """The results that gain something, as `relevant` has them, with their ``gain``."""
        return self.memo.once(("gaining", gain, min_grade), lambda: self._gaining(GradeWorth(gain, min_grade)))

    def base_size(self, min_grade: float = 1) -> pl.Series:
        """R of every list: how many documents of its key's recall base have at least this grade (Int64); 0 without any."""
        return self._of_keys(("size", min_grade), lambda: self.judged.gain(GradeWorth("binary", min_grade)) > 0)

    def base_others(self, min_grade: float = 1) -> pl.Series:
        """How many documents judged for each list's key are not relevant (Int64)."""

        def others() -> pl.Series:
            return self.judged.grade.is_not_null() & ~(self.judged.gain(GradeWorth("binary", min_grade)) > 0)

        return self._of_keys(("others", min_grade), others)

    def ideal(self, gain: str, min_grade: float = 1) -> pl.DataFrame:
        """The recall base of every key in the best order: ``key``, ``rank`` (from 1), ``gain`` (above 0, falling)."""
        return self.judged.ideal_list(GradeWorth(gain, min_grade))

    def added(self, terms: pl.DataFrame) -> pl.Series:
        """Exact sum of the column ``term`` by ``list``, of every list in order; 0 where it has none.

        Every term is rounded once, see `sessionkit.scoring.exact`, so that their order does not matter.
        """
        sums = terms.lazy().group_by("list").agg(total=exact.fixed(pl.col("term")).sum()).collect()
        total = sums["total"].gather(where(sums["list"], len(self.queries)))
        return total.to_frame().select(exact.unfixed(pl.col("total").fill_null(0)).alias("value")).to_series()

    def nth(self, frame: pl.DataFrame) -> pl.Series:
        """Number from 1 of each row within its list (Int64), of a frame sorted by ``list``."""
        of_list = frame.get_column("list").to_numpy()
        place = np.arange(len(of_list))
        begins = np.concatenate([[True], of_list[1:] != of_list[:-1]]) if len(of_list) else np.zeros(0, dtype=bool)
        return pl.Series("nth", place - np.maximum.accumulate(np.where(begins, place, 0)) + 1, dtype=pl.Int64)

    def per_list(self, rows: pl.DataFrame) -> pl.Series:
        """How many of some rows each list has (Int64), of every list in order."""
        return counts(rows["list"], len(self.queries)).cast(pl.Int64)

    def _extra(self, table: str, frame: pl.DataFrame) -> list[str]:
        """The columns asked for that a table of the batch has."""
        return [name for name in self.columns.get(table, ()) if name in frame.columns]

    def _lengths(self) -> pl.Series:
        """Last rank shown within the cutoff, of every query of the batch."""
        cutoff, queries = self.selection.cutoff, self.batch.queries
        if self.selection.depth == "all" and self.selection.unjudged == "zero" and not self.batch.gaps:
            length = queries["length"]
        else:
            uncut = replace(self.selection, cutoff=None)
            rows = shown(self.batch, uncut) if uncut.unjudged == "zero" else counted_rows(self.batch, uncut)
            last = rows.group_by("query").agg(length=pl.col("rank").max())
            length = last["length"].gather(where(last["query"], len(queries))).fill_null(0)
        length = length.cast(pl.Int64)
        return length if cutoff is None else length.clip(upper_bound=cutoff)

    def _rows(self, rows: pl.DataFrame, *more: str) -> pl.DataFrame:
        """Rows of the batch's results under the numbers of their lists; those of lists that do not count are left out."""
        number = where(self.queries["query"], len(self.batch.queries)).cast(pl.UInt32)
        rows = rows.with_columns(number.gather(rows["query"]).alias("list"))
        if number.null_count():
            rows = rows.filter(pl.col("list").is_not_null())
        names = [*ROW, *more, *self._extra("results", rows)]
        return rows.select(*dict.fromkeys(names))

    def _gaining(self, worth: GradeWorth) -> pl.DataFrame:
        """The results that gain something, each document once."""
        gain = gain_expr(pl.col("grade"), worth.gain, worth.min_grade)
        every: pl.DataFrame | None = self.memo.find("every")
        if every is not None:
            self.judged.gain(worth)  # refuses grades that the gain does not cover
            rows = every.filter(pl.col("first"), gain > 0).drop("first", "pooled")
        else:
            counted = counted_rows(self.batch, self.selection)
            rows = self._rows(relevant_rows(self.batch, self.selection, [worth], counted))
        return rows.with_columns(self.nth(rows), gain=gain)

    def _of_keys(self, what: tuple[object, ...], which: Callable[[], pl.Series]) -> pl.Series:
        """How many of the judged pairs are such, by the key of every list."""

        def count() -> pl.Series:
            keys = self.judged.pairs.pairs.filter(which())["key"]
            per_key = counts(keys, len(self.judged.pairs.keys)).cast(pl.Int64)
            return per_key.gather(self.queries["key"]).fill_null(0)

        return self.memo.once(what, count)


def rows_per_session(lists: Lists, rows: pl.DataFrame) -> pl.Series:
    """How many of these rows, which have a ``list``, each session has (Int64)."""
    return sums(counts(rows["list"], len(lists.queries)), lists.queries["session"], len(lists.batch.sessions))


def lists_per_session(lists: Lists) -> pl.Series:
    """How many lists that count each session has (Int64)."""
    return counts(lists.queries["session"], len(lists.batch.sessions)).cast(pl.Int64)


def with_session(lists: Lists, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with a ``list``, and the ``session`` of that list."""
    return rows.with_columns(lists.queries["session"].gather(rows["list"]).alias("session"))


def per_session(lists: Lists, rows: pl.DataFrame, value: pl.Expr) -> pl.Series:
    """An aggregate of the rows of each session, which have a ``session``; null where it has no row.

    A sum of fractions must be an exact one, see `sessionkit.scoring.exact`.
    """
    found = rows.group_by("session").agg(value.alias("value"))
    sessions = lists.batch.sessions.select("session")
    return sessions.join(found, on="session", how="left", maintain_order="left").get_column("value")


def exact_sum(value: pl.Expr) -> pl.Expr:
    """Sum of a Float64 expression, the same bits in any order; null over no value."""
    return pl.when(value.count() > 0).then(exact.unfixed(exact.fixed(value).sum()))


def share(part: pl.Series, whole: pl.Series) -> pl.Series:
    """One number as a share of another, row by row; null where the other is 0 or null."""
    both = pl.DataFrame({"part": part, "whole": whole})
    return both.select(exact.quotient(pl.col("part"), pl.col("whole"))).to_series()


def judged_sessions(lists: Lists) -> pl.Series:
    """For every session whether anything is judged for the key of any of its lists, or its own if it has no list."""
    own = lists.batch.sessions["key"].is_not_null()
    of_lists = per_session(lists, lists.queries, pl.col("key").is_not_null().any())
    return pl.select(pl.coalesce(of_lists, own)).to_series()


def where_judged(lists: Lists, values: pl.Series) -> pl.Series:
    """The values of sessions for which anything is judged, null of the others."""
    return pl.select(pl.when(judged_sessions(lists)).then(values)).to_series().cast(pl.Float64)


@dataclass(frozen=True, eq=False)
class TimedLists:
    """The lists of a batch with their times; columns as the log has them, see the rules above."""

    lists: Lists

    @cached_property
    def results(self) -> pl.DataFrame:
        """`Lists.every` with ``session`` and whether each result was ``clicked``."""
        rows = with_session(self.lists, self.lists.every)
        return rows.with_columns(was_clicked(rows.columns).alias("clicked"))

    @cached_property
    def began(self) -> pl.Series:
        """Time of day at which each session began; null where none is known. The same whatever results are selected."""
        batch = self.lists.batch
        of_queries = batch.queries["session"]
        of = of_queries, of_queries.gather(batch.results["query"])
        return session_starts(batch.features, batch.queries, batch.results, of)

    @cached_property
    def issued(self) -> pl.Series:
        """Seconds from the beginning to each list's query; null where not timed."""
        queries = self.lists.queries
        return seconds_into(queries, *QUERY_TIMES, self.began.gather(queries["session"]))

    @cached_property
    def clicked(self) -> pl.Series:
        """Seconds from the beginning to the first click on each of `results`; null where it was not clicked, or not timed."""
        seconds = seconds_into(self.results, *CLICK_TIMES, self.began.gather(self.results["session"]))
        return pl.select(pl.when(self.results["clicked"]).then(seconds)).to_series()

    @cached_property
    def dwell(self) -> pl.Series:
        """Seconds spent on each of `results`; null where not logged."""
        return log_column(self.results, "dwell_seconds")

    @cached_property
    def ended(self) -> pl.Series:
        """Seconds from the beginning to the end of each session; null where no time is known."""
        left = self.clicked + self.dwell.fill_null(0.0)
        events = pl.concat(
            [
                pl.DataFrame({"session": self.lists.queries["session"], "at": self.issued}),
                pl.DataFrame({"session": self.results["session"], "at": left}),
            ]
        )
        return lasted(self.lists.batch.features, self.began, per_session(self.lists, events, pl.col("at").max()))
