"""What searchers did and were shown, counted and timed: queries, results, clicks, repeats, durations, dwell and reformulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.arguments import Duplicates
from sessionkit.scoring import exact
from sessionkit.scoring.lists import (
    TimedLists,
    exact_sum,
    lists_per_session,
    per_session,
    rows_per_session,
    share,
    where_judged,
    with_session,
)
from sessionkit.scoring.measures.base import Columns, SessionMeasure
from sessionkit.study.counts import CLICK_TIMES, CLICKING, QUERY_TIMES, SESSION_TIMES, TIMES, clicks

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
    `sessionkit.scoring.lists` for what says so). Needs one of ``clicked``, ``clicks``, ``clicked_at``,
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


SHOWN = {"results": ("doc_id",)}


@dataclass(frozen=True, repr=False, kw_only=True)
class DocumentsShown(SessionMeasure):
    """UniqueDocs: the number of different documents that a session's logged queries showed, each list down to the cutoff.

    Unit: documents. Range [0, no bound); more is taken for better, since more of the collection came into view. Null
    for a session of which no list was logged. See `Queries` for an example.
    """

    name = "UniqueDocs"
    bounds = "fixed"
    formula = "number of different documents at ranks 1..k of all queries"
    meaning = "different documents shown per session"
    undefined_where = NO_LIST
    source = "OURS; a count"
    without = GRADING
    reads: ClassVar[Columns] = SHOWN

    def values(self, lists: Lists) -> pl.Series:
        """Number of documents of every session."""
        rows = with_session(lists, lists.every)
        return per_session(lists, rows, pl.col("doc_id").n_unique()).fill_null(0)


@dataclass(frozen=True, repr=False, kw_only=True)
class RepeatedResults(SessionMeasure):
    """Repeats: the number of results of a session that repeat an earlier document, each list down to the cutoff.

    Unit: results. Range [0, no bound); fewer is taken for better. Equals Results less UniqueDocs of the same parameters.
    Null for a session of which no list was logged. See `Queries` for an example.
    """

    name = "Repeats"
    bounds = "fixed"
    direction = "lower"
    formula = "results shown at ranks 1..k of all queries - different documents among them"
    meaning = "results of the session that were shown before"
    undefined_where = NO_LIST
    source = "OURS; a count"
    without = GRADING
    reads: ClassVar[Columns] = SHOWN

    def values(self, lists: Lists) -> pl.Series:
        """Number of repeated results of every session."""
        rows = with_session(lists, lists.every)
        again = pl.len().cast(pl.Int64) - pl.col("doc_id").n_unique().cast(pl.Int64)
        return per_session(lists, rows, again).fill_null(0)


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgedShare(SessionMeasure):
    """Judged: the share of a session's results, each list down to the cutoff, that have a grade.

    Unit: share. Range [0, 1]; higher is better: the scores beside it rest on more. Pooled documents without a judgment
    have no grade. Null for a session that showed nothing.

    Of two results shown, one is judged:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [0]},
    ... )
    >>> sk.score(study, ["Judged@10"]).get_column("value").to_list()
    [0.5]
    """

    name = "Judged"
    no_bounds = "it measures the judged share itself"
    formula = "results with a grade at ranks 1..k of all queries / results shown there"
    meaning = "share of the results that have a grade"
    source = "OURS; Judged@k of single lists in other tools"
    without = ("min_grade", "duplicates", "unjudged", "undefined", "unjudged_topics")
    undefined_where = "no result was shown"

    @property
    def highest(self) -> float | None:
        """All judged."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Judged share of every session."""
        judged = rows_per_session(lists, lists.every.filter(pl.col("grade").is_not_null()))
        return share(judged, rows_per_session(lists, lists.every))


@dataclass(frozen=True, repr=False, kw_only=True)
class RelevantDocumentsSeen(SessionMeasure):
    """RelevantSeen: the number of different relevant documents that a session showed, each list down to the cutoff.

    Unit: documents. Range [0, no bound); higher is better. Relevant is what has at least ``min_grade``. ``depth=last_click``
    and ``depth=examined`` count only what the searcher is taken to have looked at. Null where nothing is judged for the
    session. See `Queries` for an example.
    """

    name = "RelevantSeen"
    bounds = "rising"
    sums_queries = True
    formula = "number of different relevant documents at ranks 1..k of all queries"
    meaning = "different relevant documents shown per session"
    source = "OURS; a count"
    duplicates: Duplicates = "first"
    without = ("duplicates",)
    undefined_where = "no judgments for their key"

    def values(self, lists: Lists) -> pl.Series:
        """Number of relevant documents of every session."""
        return where_judged(lists, rows_per_session(lists, lists.relevant(self.min_grade)))


UniqueDocs = DocumentsShown()
Repeats = RepeatedResults()
Judged = JudgedShare()
RelevantSeen = RelevantDocumentsSeen()


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


KINDS = ("repeat", "specialization", "generalization", "substitution", "new")
"""What a query can be to the one before it."""
WORDING = ("min_grade", "depth", "duplicates", "unjudged", "grades", "unjudged_topics", "cutoff")
"""Parameters of measures of results and judgments, which a measure of query texts does not have."""


KNOWN = pl.when(pl.col("query_text") != "").then(pl.col("query_text"))
"""The text of a query; an empty one is unknown, as where a log is read."""


def terms_of(query_text: pl.Expr) -> pl.Expr:
    """The distinct terms of a query's text, in their order (list of strings); null where the text is.

    >>> pl.select(terms_of(pl.lit("Oslo to  OSLO-airport?"))).item().to_list()
    ['oslo', 'to', 'airport']
    """
    plain = query_text.str.normalize("NFKC").str.to_lowercase().str.replace_all(r"\p{Cf}", "")
    return plain.str.extract_all(r"[\p{L}\p{M}\p{N}]+").list.unique(maintain_order=True)


def compared(before: pl.Series, terms: pl.Series) -> pl.DataFrame:
    """What queries have in common with those before them, from the terms of both.

    Returns
    -------
    polars.DataFrame
        ``terms``, ``previous_terms`` and ``shared`` (how many the query has, the one before, both), ``overlap`` (Jaccard: shared
        terms as a share of those in either; 1 where there are none) and ``kind``, one of `KINDS`; null where the terms of
        either are. ``repeat``: the same terms; ``new``: none in common; ``specialization``: all that were there and
        others; ``generalization``: only terms that were there, not all; ``substitution``: some kept, some replaced.

    >>> before, terms = pl.Series([["jaguar"], ["jaguar"]]), pl.Series([["jaguar", "speed"], ["panther"]])
    >>> compared(before, terms).select("shared", "overlap", "kind").rows()
    [(1, 0.5, 'specialization'), (0, 0.0, 'new')]
    """
    steps = pl.DataFrame({"before": before, "terms": terms}).with_row_index("step")
    # joined term by term: polars 2.1 can go out of bounds where it intersects lists of a part of a column
    each = [steps.select("step", term=name).explode("term").drop_nulls() for name in ("before", "terms")]
    both = each[0].join(each[1], on=["step", "term"]).group_by("step").agg(shared=pl.len().cast(pl.Int64))
    known = pl.col("before").is_not_null() & pl.col("terms").is_not_null()
    found = steps.join(both, on="step", how="left", maintain_order="left").select(
        terms=pl.col("terms").list.len().cast(pl.Int64),
        previous_terms=pl.col("before").list.len().cast(pl.Int64),
        shared=pl.when(known).then(pl.col("shared").fill_null(0)),
    )
    had, has, shared = pl.col("previous_terms"), pl.col("terms"), pl.col("shared")
    either = had + has - shared
    all_kept, none_added = shared == had, shared == has
    kind = (
        pl.when(all_kept & none_added)
        .then(pl.lit("repeat"))
        .when(shared == 0)
        .then(pl.lit("new"))
        .when(all_kept)
        .then(pl.lit("specialization"))
        .when(none_added)
        .then(pl.lit("generalization"))
        .when(shared > 0)
        .then(pl.lit("substitution"))
    )
    overlap = pl.when(either == 0).then(1.0).otherwise(exact.quotient(shared, either))
    return found.with_columns(overlap=overlap, kind=kind)


@dataclass(frozen=True, repr=False, kw_only=True)
class MeanQueryTerms(SessionMeasure):
    """QueryTerms: the mean number of distinct terms in a session's logged queries.

    Unit: terms per query. Range [0, no bound); it describes and does not rate, so no direction is better.
    A query that is logged without its text is left out; null where none has one. Needs ``query_text``. What a term is:
    runs of letters, marks and digits, in lower case [OURS].

    "oslo" has one term, "oslo airport" two:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     queries={"session_id": ["s", "s"], "query_position": [1, 2], "query_text": ["oslo", "Oslo airport"]},
    ...     results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    ... )
    >>> sk.score(study, ["QueryTerms", "QueryOverlap"]).get_column("value").to_list()
    [1.5, 0.5]
    """

    name = "QueryTerms"
    direction = "unknown"
    bounds = "fixed"
    formula = "distinct terms of all logged queries, each query's counted apart / number of these queries"
    meaning = "distinct terms per query"
    source = "OURS; query length as in Jansen, Booth & Spink, JASIST 2009 [MEMORY]"
    without = WORDING
    reads: ClassVar[Columns] = {"queries": ("query_text",)}
    of_lists = False
    every_query = True
    undefined_where = "no logged query with a text"

    def values(self, lists: Lists) -> pl.Series:
        """Mean number of terms of every session."""
        return _mean(lists, lists.queries.select("session", value=terms_of(KNOWN).list.len()))


@dataclass(frozen=True, repr=False, kw_only=True)
class MeanQueryOverlap(SessionMeasure):
    """QueryOverlap: the mean Jaccard coefficient of the terms of consecutive logged queries of a session.

    Unit: share. Range [0, 1]; it describes and does not rate: 1 repeats, 0 starts anew each time. Queries without a text
    are taken out first; null where fewer than two remain. Two queries without any term overlap by 1. Needs ``query_text``.
    See `QueryTerms` for an example.
    """

    name = "QueryOverlap"
    direction = "unknown"
    needs_several_queries = True
    bounds = "fixed"
    formula = "mean over consecutive queries of |terms in both| / |terms in either|"
    meaning = "share of terms that consecutive queries have in common"
    source = "OURS; the Jaccard coefficient"
    without = WORDING
    reads: ClassVar[Columns] = {"queries": ("query_text",)}
    of_lists = False
    every_query = True
    undefined_where = "fewer than two logged queries with a text"

    @property
    def highest(self) -> float | None:
        """The same terms every time."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Mean overlap of every session."""
        texts = lists.queries.filter(KNOWN.is_not_null())
        terms = texts.select("session", terms=terms_of(KNOWN))
        pairs = terms.with_columns(before=pl.col("terms").shift(1)).filter(
            pl.col("session") == pl.col("session").shift(1)
        )
        overlap = compared(pairs["before"], pairs["terms"]).get_column("overlap")
        return _mean(lists, pairs.select("session", value=overlap))


def _mean(lists: Lists, values: pl.DataFrame) -> pl.Series:
    """Exact mean of the values of every session, null where it has none."""
    means = values.drop_nulls().group_by("session").agg(exact.mean(pl.col("value").cast(pl.Float64)))
    sessions = lists.batch.sessions.select("session")
    return sessions.join(means, on="session", how="left", maintain_order="left").get_column("value")


QueryTerms = MeanQueryTerms()
QueryOverlap = MeanQueryOverlap()


FAMILY = (
    Queries,
    Results,
    Clicks,
    DeepestClick,
    Abandoned,
    UniqueDocs,
    Repeats,
    Judged,
    RelevantSeen,
    Duration,
    TimeToFirstClick,
    Dwell,
    QueryTerms,
    QueryOverlap,
)
