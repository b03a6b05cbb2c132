"""How long searchers took: the duration of a session, the time to its first click, the time spent on documents.

Which columns count where several tell the time is said in `sessionkit.scoring.session_times`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.scoring.measures.base import Columns, SessionMeasure
from sessionkit.scoring.measures.behavior import GRADING
from sessionkit.scoring.per_session import exact_sum, per_session
from sessionkit.scoring.session_times import TimedLists
from sessionkit.study.session_counts import CLICK_TIMES, CLICKING, QUERY_TIMES, SESSION_TIMES, TIMES

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

TIMED = (*GRADING, "cutoff", "depth")


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionDuration(SessionMeasure):
    """Duration: seconds from the beginning of a session to its end.

    Unit: seconds. Range [0, no bound). A measure of effort: shorter is taken for better. The session's
    ``duration_seconds`` where it is logged, else from ``started_at`` to ``ended_at`` where these are. A beginning that is
    not logged is the earliest time of a query or click, also of a query whose list was not logged. An end that is not
    logged is the latest query or click, a click lasting for its ``dwell_seconds``: the duration is then what was seen of the
    session, and 0 for a single event.
    An end before the beginning is an error of the log, and taken for not logged. Null where no time is known, or no query was
    logged. Needs one column of times.

    Two queries and a click on the second list, 4 seconds after the session's 30th:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     queries={"session_id": ["s"] * 2, "query_position": [1, 2], "elapsed_seconds": [2.0, 30.0]},
    ...     results={
    ...         "session_id": ["s"], "query_position": [2], "rank": [1], "doc_id": ["a"],
    ...         "click_elapsed_seconds": [34.0], "dwell_seconds": [8.5],
    ...     },
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    ... )
    >>> sk.score(study, ["Duration", "TimeToFirstClick", "Dwell"]).get_column("value").to_list()
    [42.5, 32.0, 8.5]
    """

    name = "Duration"
    unit = "s"
    bounds = "fixed"
    direction = "lower"
    formula = "end - beginning"
    meaning = "seconds per session"
    source = "OURS; the task time of user studies"
    without = TIMED
    may_read: ClassVar[Columns] = TIMES
    needs_one: ClassVar[Columns] = {"sessions": SESSION_TIMES, "queries": QUERY_TIMES, "results": CLICK_TIMES}
    of_lists = False
    every_query = True
    undefined_where = "no times, or no logged query"

    def values(self, lists: Lists) -> pl.Series:
        """Seconds that every session took."""
        return TimedLists(lists).ended


@dataclass(frozen=True, repr=False, kw_only=True)
class FirstClickTime(SessionMeasure):
    """TimeToFirstClick: seconds from a session's first logged query to its first click on a result.

    Unit: seconds. Range [0, no bound). A measure of effort: shorter is taken for better. The time of the first query is
    that of the earliest logged query that has one; where none has, the beginning of the session. Null where no click is
    timed, or the first is before the query. Needs ``clicked_at`` or ``click_elapsed_seconds`` in the results. See
    `Duration` for an example.
    """

    name = "TimeToFirstClick"
    unit = "s"
    bounds = "fixed"
    direction = "lower"
    formula = "time of the first click - time of the first query"
    meaning = "seconds from the first query to the first click"
    source = "OURS; the time to first click of log studies, there of single queries"
    without = TIMED
    may_read: ClassVar[Columns] = TIMES
    needs_one: ClassVar[Columns] = {"results": CLICK_TIMES}
    of_lists = False
    every_query = True
    undefined_where = "no timed click, or one before the first query"

    def values(self, lists: Lists) -> pl.Series:
        """Seconds to the first click of every session."""
        timed = TimedLists(lists)
        queries = lists.queries.select("session").with_columns(timed.issued.alias("at"))
        clicks = timed.results.select("session").with_columns(timed.clicked.alias("at"))
        asked = per_session(lists, queries, pl.col("at").min()).fill_null(0.0)
        waited = per_session(lists, clicks, pl.col("at").min()) - asked
        return pl.select(pl.when(waited >= 0).then(waited)).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class DwellTime(SessionMeasure):
    """Dwell: total seconds spent on the clicked results of a session's logged queries.

    Unit: seconds. Range [0, no bound); more is taken for better, as time on documents goes with satisfaction (Fox et al.,
    TOIS 2005 [MEMORY]). Clicks whose ``dwell_seconds`` are not logged add nothing; 0 for a session that clicked nothing;
    null for one that clicked and has no dwell time at all, or without a logged query. Needs ``dwell_seconds`` in the
    results. See `Duration` for an example.
    """

    name = "Dwell"
    unit = "s"
    bounds = "fixed"
    formula = "sum of dwell_seconds of all results"
    meaning = "seconds spent on results in the session"
    source = "OURS; a sum"
    without = TIMED
    reads: ClassVar[Columns] = {"results": ("dwell_seconds",)}
    may_read: ClassVar[Columns] = {"results": CLICKING}
    of_lists = False
    every_query = True
    undefined_where = "no dwell time of any click"

    def values(self, lists: Lists) -> pl.Series:
        """Dwell time of every session."""
        rows = TimedLists(lists).results
        spent = per_session(lists, rows, exact_sum(pl.col("dwell_seconds").cast(pl.Float64)))
        clicked = per_session(lists, rows, pl.col("clicked").any()).fill_null(value=False)
        return pl.select(pl.coalesce(spent, pl.when(~clicked).then(0.0))).to_series()


Duration = SessionDuration()
TimeToFirstClick = FirstClickTime()
Dwell = DwellTime()
FAMILY = (Duration, TimeToFirstClick, Dwell)
