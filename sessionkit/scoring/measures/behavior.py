"""What searchers did, counted: the queries, results and clicks of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.scoring.measures.base import Columns, SessionMeasure
from sessionkit.scoring.per_session import lists_per_session, per_session, rows_per_session
from sessionkit.scoring.session_times import TimedLists
from sessionkit.study.session_counts import CLICKING, clicks

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

GRADING = ("min_grade", "duplicates", "unjudged", "grades", "undefined", "unjudged_topics")
"""Parameters of measures of grades, which a count does not have."""
NO_QUERY = "no logged query"
NO_LIST = "no list was logged"


@dataclass(frozen=True, repr=False, kw_only=True)
class NumberOfQueries(SessionMeasure):
    """Queries: the number of logged queries of a session, also those that returned nothing or whose list was not logged.

    Unit: queries. Range [0, no bound). A count of effort: fewer is taken for better. Null for a session without a logged
    query: what it did is not known.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     queries={"session_id": ["s"] * 2, "query_position": [1, 2]},
    ...     results={
    ...         "session_id": list("sss"), "query_position": [1, 1, 2], "rank": [1, 2, 1], "doc_id": list("aba"),
    ...         "clicked": [False, True, True],
    ...     },
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    ... )
    >>> counted = ["Queries", "Results", "Clicks", "UniqueDocs", "Repeats", "DeepestClick", "Abandoned", "RelevantSeen"]
    >>> sk.score(study, counted).get_column("value").to_list()
    [2.0, 3.0, 2.0, 2.0, 1.0, 2.0, 0.0, 1.0]
    """

    name = "Queries"
    bounds = "fixed"
    direction = "lower"
    formula = "number of logged queries"
    meaning = "queries per session"
    undefined_where = NO_QUERY
    source = "OURS; a count"
    without = (*GRADING, "cutoff", "depth")
    of_lists = False
    every_query = True

    def values(self, lists: Lists) -> pl.Series:
        """Number of queries of every session."""
        return lists_per_session(lists)


@dataclass(frozen=True, repr=False, kw_only=True)
class NumberOfResults(SessionMeasure):
    """Results: the number of results that a session's logged queries showed, each list down to the cutoff.

    Unit: results. Range [0, no bound). A count of effort: fewer is taken for better. A document that is shown again
    counts again; a rank whose result was not logged does not count. With ``depth=last_click`` or ``depth=examined``,
    only down to the last click or examined result. Null for a session of which no list was logged. See `Queries` for an example.
    """

    name = "Results"
    bounds = "fixed"
    direction = "lower"
    formula = "number of results shown at ranks 1..k of all queries"
    meaning = "results shown per session"
    undefined_where = NO_LIST
    source = "OURS; a count"
    without = GRADING

    def values(self, lists: Lists) -> pl.Series:
        """Number of results of every session."""
        return rows_per_session(lists, lists.every)


@dataclass(frozen=True, repr=False, kw_only=True)
class NumberOfClicks(SessionMeasure):
    """Clicks: the number of clicks on results of a session's logged queries, each list down to the cutoff.

    Unit: clicks. Range [0, no bound). No direction is better: a click costs effort, and shows that something was found. The
    column ``clicks`` says how often a result was clicked; where it is not logged, a result that was clicked counts once (see
    `sessionkit.scoring.session_times` for what says so). Needs one of ``clicked``, ``clicks``, ``clicked_at``,
    ``click_elapsed_seconds`` in the results. A query whose list was not logged has no click. Null for a session without a logged
    query. See `Queries` for an example.
    """

    name = "Clicks"
    bounds = "fixed"
    direction = "unknown"
    formula = "number of clicks on results at ranks 1..k of all queries"
    meaning = "clicks per session"
    undefined_where = NO_QUERY
    source = "OURS; a count"
    without = (*GRADING, "depth")
    may_read: ClassVar[Columns] = {"results": CLICKING}
    needs_one: ClassVar[Columns] = may_read
    of_lists = False
    every_query = True

    def values(self, lists: Lists) -> pl.Series:
        """Number of clicks of every session."""
        rows = TimedLists(lists).results
        return per_session(lists, rows.with_columns(clicks(rows)), pl.col("clicks").sum()).fill_null(0)


@dataclass(frozen=True, repr=False, kw_only=True)
class DeepestClickedRank(SessionMeasure):
    """DeepestClick: the deepest rank clicked in any list of a session.

    Unit: rank. Range [1, no bound); a small one, high up in the list, is taken for better. Null for a session that clicked
    nothing down to the cutoff. Needs what `Clicks` needs. See `Queries` for an example.
    """

    name = "DeepestClick"
    bounds = "fixed"
    direction = "lower"
    lowest = 1.0
    formula = "max of the ranks <= k of clicked results of all queries"
    meaning = "deepest rank clicked in the session"
    source = "OURS; the click depth of log studies"
    without = (*GRADING, "depth")
    may_read: ClassVar[Columns] = {"results": CLICKING}
    needs_one: ClassVar[Columns] = may_read
    undefined_where = "no result was clicked"
    of_lists = False
    every_query = True

    def values(self, lists: Lists) -> pl.Series:
        """Deepest clicked rank of every session."""
        return per_session(lists, TimedLists(lists).results.filter("clicked"), pl.col("rank").max())


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionAbandonment(SessionMeasure):
    """Abandoned: 1 for a session if none of its queries has a click on a result down to the cutoff, 0 for others.

    Unit: 0 or 1, so that a mean is the share of abandoned sessions; fewer is taken for better, although a searcher whom
    the list itself has answered abandons too. Every logged query counts, also one whose list was not logged: it has no click.
    Null where clicks are not logged at all (no column that `Clicks` needs), and for a session without a logged query. See
    `Queries` for an example.
    """

    name = "Abandoned"
    bounds = "fixed"
    direction = "lower"
    formula = "1 if no result at ranks 1..k of any query was clicked, else 0"
    meaning = "share of sessions without a click"
    source = "OURS; abandonment as in studies of click logs, there of single queries"
    without = (*GRADING, "depth")
    may_read: ClassVar[Columns] = {"results": CLICKING}
    undefined_where = f"{NO_QUERY}, or clicks that were not logged at all"
    of_lists = False
    every_query = True

    @property
    def highest(self) -> float | None:
        """Abandoned."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Whether every session clicked nothing."""
        if not {*CLICKING} & {*lists.batch.results.columns}:
            return pl.repeat(None, len(lists.batch.sessions), dtype=pl.Float64, eager=True)
        clicked = rows_per_session(lists, TimedLists(lists).results.filter("clicked"))
        return (clicked == 0).cast(pl.Float64)


Queries = NumberOfQueries()
Results = NumberOfResults()
Clicks = NumberOfClicks()
DeepestClick = DeepestClickedRank()
Abandoned = SessionAbandonment()
FAMILY = (Queries, Results, Clicks, DeepestClick, Abandoned)
