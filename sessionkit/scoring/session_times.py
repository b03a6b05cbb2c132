"""When things happened: every event of a session as seconds since it began, and which results were clicked.

The rules, for all measures of time:

- A query was issued, and a result first clicked, so many seconds after the session began: ``elapsed_seconds`` of the
  query, ``click_elapsed_seconds`` of the result, where they are logged; else its time of day (``issued_at``,
  ``clicked_at``) less the session's beginning.
- A session begins at ``started_at``; where that is not logged, at the earliest time of day of its queries and clicks,
  also of those that a measure does not count (`sessionkit.study.session_start`). It ends ``duration_seconds``
  later; where that is not logged, at ``ended_at``, else with the last of its queries and clicks, a click lasting for its
  ``dwell_seconds``.
- An event before the beginning is an error of the log, and taken for not timed.
- A result was clicked if ``clicked`` says so; where that is not logged, if it has ``clicks`` above 0, else if it has a
  time of its click.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.scoring.per_session import per_session, with_session
from sessionkit.study.session_counts import CLICK_TIMES, QUERY_TIMES, lasted, log_column, seconds_into, was_clicked
from sessionkit.study.session_start import session_starts

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


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
