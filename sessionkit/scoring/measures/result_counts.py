"""What searchers were shown, counted: how many documents, how often the same ones, how many of them judged, relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.choices import Duplicates
from sessionkit.scoring.measures.base import Columns, SessionMeasure
from sessionkit.scoring.measures.behavior import GRADING, NO_LIST
from sessionkit.scoring.per_session import per_session, rows_per_session, share, where_judged, with_session

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

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
FAMILY = (UniqueDocs, Repeats, Judged, RelevantSeen)
