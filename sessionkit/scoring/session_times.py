"""When things happened: every event of a session as seconds since it began, and which results were clicked.

The rules, for all measures of time:

- A query was issued, and a result first clicked, so many seconds after the session began: ``elapsed_seconds`` of the
  query, ``click_elapsed_seconds`` of the result, where they are logged; else its time of day (``issued_at``,
  ``clicked_at``) less the session's beginning.
- A session begins at ``started_at``; where that is not logged, at the earliest time of day of its logged queries and
  clicks, also of those that a measure does not count (`sessionkit.study.session_start`). It ends ``duration_seconds``
  later; where that is not logged, at ``ended_at``, else with the last of its queries and clicks, a click lasting for its
  ``dwell_seconds``.
- An event before the beginning is an error of the log, and taken for not timed.
- A result was clicked if ``clicked`` says so; where that is not logged, if it has ``clicks`` above 0, else if it has a
  time of its click.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.scoring.per_session import per_session, with_session
from sessionkit.study.session_start import AT, session_starts, since

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

CLICKING = ("clicked", "clicks", "clicked_at", "click_elapsed_seconds")
"""Columns of results that say whether a result was clicked; one is enough."""
CLICK_TIMES = ("clicked_at", "click_elapsed_seconds")
QUERY_TIMES = ("issued_at", "elapsed_seconds")
SESSION_TIMES = ("started_at", "ended_at", "duration_seconds")
TIMES = {"sessions": SESSION_TIMES, "queries": QUERY_TIMES, "results": (*CLICKING, "dwell_seconds")}
"""All that is read of times and clicks, by table."""


def was_clicked(columns: Iterable[str]) -> pl.Expr:
    """Whether a result was clicked, from those of the columns that there are."""
    told = {
        "clicked": pl.col("clicked"),
        "clicks": pl.col("clicks") > 0,
        **{name: pl.when(pl.col(name).is_not_null()).then(pl.lit(value=True)) for name in CLICK_TIMES},
    }
    return pl.coalesce(*(told[name] for name in CLICKING if name in columns), pl.lit(value=False))


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
        return self._seconds(self.lists.queries, *QUERY_TIMES)

    @cached_property
    def clicked(self) -> pl.Series:
        """Seconds from the beginning to the first click on each of `results`; null where it was not clicked, or not timed."""
        seconds = self._seconds(self.results, *CLICK_TIMES)
        return pl.select(pl.when(self.results["clicked"]).then(seconds)).to_series()

    @cached_property
    def dwell(self) -> pl.Series:
        """Seconds spent on each of `results`; null where not logged."""
        return _column(self.results, "dwell_seconds", pl.Float64())

    @cached_property
    def ended(self) -> pl.Series:
        """Seconds from the beginning to the end of each session; null where no time is known."""
        features = self.lists.batch.features
        lasted = _column(features, "duration_seconds", pl.Float64())
        told = since(_column(features, "ended_at", AT), self.began)
        left = self.clicked + self.dwell.fill_null(0.0)
        events = pl.concat(
            [
                pl.DataFrame({"session": self.lists.queries["session"], "at": self.issued}),
                pl.DataFrame({"session": self.results["session"], "at": left}),
            ]
        )
        return pl.select(pl.coalesce(lasted, told, per_session(self.lists, events, pl.col("at").max()))).to_series()

    def _seconds(self, frame: pl.DataFrame, time: str, elapsed: str) -> pl.Series:
        """Seconds from the beginning of its session to each row's time."""
        told = _column(frame, elapsed, pl.Float64())
        found = since(_column(frame, time, AT), self.began.gather(frame["session"]))
        return pl.select(pl.coalesce(told, found)).to_series()


def _column(frame: pl.DataFrame, name: str, dtype: pl.DataType) -> pl.Series:
    """A column of the log, nulls where the log does not have it."""
    there = (
        frame[name].cast(dtype)
        if name in frame.columns
        else pl.Series([None], dtype=dtype).new_from_index(0, len(frame))
    )
    return there.alias(name)
