"""Retrieval against what the searcher knew and expected: coverage, novelty, relative recall and recall effort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.choices import AnswerSize
from sessionkit.errors import DataError
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import Columns, QueryMeasure, TermMeasure

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

SHOWN = "shown"
"""Stands for what the session itself shows, where nothing is declared."""
SOURCE = "Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, 1999 [formula from memory], after Korfhage 1997"


@dataclass(frozen=True, repr=False, kw_only=True)
class KnownCoverage(TermMeasure):
    """Coverage: the share of the relevant documents known to the searcher that the list shows.

    Higher is better; range [0, 1]. A document is known where the column ``known`` of the results says so anywhere in the
    session. How many relevant documents the searcher knew is what ``known`` says. ``known=shown``, the default: those that the
    session shows anywhere, at any rank, so that what no query found is not missed; this reading is sessionkit's, for logs
    that cannot tell more. ``known=4``: so many. ``known=relevant_known``: as many as the column of that name says, of the
    queries or, where these have none, of the sessions, such as an answer from before the session. Both as the textbook
    has it, and at least those that the session shows. Null where none was known, or the column says nothing.

    Source: Baeza-Yates & Ribeiro-Neto 1999 (from memory).

    The session shows eight relevant documents that were known, its first query four of them: 4/8

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 8, "query_position": [1] * 4 + [2] * 4, "rank": [1, 2, 3, 4] * 2, "doc_id": list("abcdefgh"),
    ...         "known": [True] * 8,
    ...     },
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 8, "doc_id": list("abcdefgh"), "grade": [1] * 8},
    ... )
    >>> sk.score(study, ["Coverage"], per="query").get_column("value").to_list()
    [0.5, 0.5]

    Two of four that the searcher knew are found:

    >>> found = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"], "known": [True] * 2,
    ...     },
    ...     sessions={"session_id": ["s"], "topic_id": ["t"], "relevant_known": [4]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1] * 2},
    ... )
    >>> sk.score(found, ["Coverage", "Coverage(known=relevant_known)", "Coverage(known=4)"], per="query")["value"].to_list()
    [1.0, 0.5, 0.5]
    """

    name = "Coverage"
    higher_grade_can_lower = True
    formula = "relevant documents known to the searcher in the list / those that the searcher knew, by default those in the session"
    meaning = "share of the relevant documents known to the searcher that are shown"
    source = SOURCE
    undefined_where = "no judgments for their key, or nothing relevant that was known"
    reads: ClassVar[Columns] = {"results": ("known", "doc_id")}

    known: str | int = SHOWN

    def __post_init__(self) -> None:
        """Say which column it reads."""
        super().__post_init__()
        if self._column is not None:
            object.__setattr__(self, "may_read", self.one_of())

    @property
    def _column(self) -> str | None:
        """The column that says how many relevant documents the searcher knew, if one does."""
        return self.known if isinstance(self.known, str) and self.known != SHOWN else None

    @property
    def highest(self) -> float | None:
        """The list shows all that the searcher knew."""
        return 1.0

    def one_of(self) -> Columns:
        """The column of that name, of queries or sessions."""
        return {} if self._column is None else {"queries": (self._column,), "sessions": (self._column,)}

    def terms(self, lists: Lists) -> pl.DataFrame:
        """One for every relevant document that was known."""
        return _told(lists, lists.relevant(self.min_grade)).filter("known").select("list", "rank", term=pl.lit(1.0))

    def divisor(self, lists: Lists) -> pl.Series:
        """Relevant documents of the list's key that the searcher knew: declared, or those known anywhere in its session."""
        selection = type(lists.selection)(grades=lists.selection.grades)
        whole = type(lists)(lists.batch, selection, lists.columns)
        shown = _told(whole, whole.relevant(self.min_grade)).filter("known")
        place = ["session", "key"]
        documents = shown.join(whole.queries.select("list", *place), on="list").unique([*place, "doc_id"])
        counted = documents.group_by(place).agg(known=pl.len().cast(pl.Int64))
        rows = lists.queries.select(place).join(counted, on=place, how="left", maintain_order="left")
        shown_known = rows["known"].fill_null(0)
        if self.known == SHOWN:
            return shown_known
        declared = (
            pl.lit(self.known, pl.Float64) if self._column is None else pl.lit(self._declared(lists, self._column))
        )
        at_least = pl.max_horizontal(declared, pl.lit(shown_known))
        return lists.queries.select(known=pl.when(declared.is_not_null()).then(at_least).otherwise(0)).to_series()

    @staticmethod
    def _declared(lists: Lists, column: str) -> pl.Series:
        """What the column says of every list: that of its query, else that of its session."""
        both = [
            _numbers_of(lists.queries, "queries", column),
            _numbers_of(lists.batch.features, "sessions", column).gather(lists.queries["session"]),
        ]
        return pl.select(pl.coalesce(both)).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class RelevantNovelty(TermMeasure):
    """Novelty: the share of the relevant documents in the list that were new to the searcher.

    Higher is better; range [0, 1]. A document is known where the column ``known`` of the results says so anywhere in the
    session, new where it says the contrary and nowhere so; documents of which it says nothing are left out. Null where
    the list shows no relevant document that is either.

    Source: Baeza-Yates & Ribeiro-Neto 1999 (from memory).

    Relevant documents a (known), b and c (new): 2/3

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd"),
    ...         "known": [True, False, False, False],
    ...     },
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [1, 1, 1, 0]},
    ... )
    >>> round(sk.score(study, ["Novelty"], per="query").get_column("value").item(), 4)
    0.6667
    """

    name = "Novelty"
    higher_grade_can_lower = True
    formula = "relevant documents in the list that were new to the searcher / those that were new or known"
    meaning = "share of the relevant results that were new to the searcher"
    source = SOURCE
    undefined_where = "no judgments for their key, or nothing relevant that was new or known"
    reads: ClassVar[Columns] = {"results": ("known", "doc_id")}

    @property
    def highest(self) -> float | None:
        """Everything relevant is new."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """One for every relevant document that was new."""
        return (
            _told(lists, lists.relevant(self.min_grade))
            .filter(~pl.col("known"))
            .select("list", "rank", term=pl.lit(1.0))
        )

    def divisor(self, lists: Lists) -> pl.Series:
        """Relevant documents of which the log says whether they were known."""
        return lists.per_list(_told(lists, lists.relevant(self.min_grade)))


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedRecall(TermMeasure):
    """RelativeRecall: relevant documents in the list, as a share of those that the searcher expected to find.

    Higher is better; range [0, no bound): a list may show more than was expected. How many were expected is the column
    ``expected`` of the sessions. Null where that is 0 or not given, and where the query's key has no judgments.

    Source: Baeza-Yates & Ribeiro-Neto 1999 (from memory).

    Three relevant documents, four expected: 3/4

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"], "expected": [4]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [1, 1, 0, 1]},
    ... )
    >>> sk.score(study, ["RelativeRecall"], per="query").get_column("value").to_list()
    [0.75]
    """

    name = "RelativeRecall"
    bounds = "rising"
    formula = "relevant documents in the list / relevant documents that the searcher expected"
    meaning = "relevant results, divided by the number that the searcher expected"
    source = SOURCE
    undefined_where = "no judgments for their key, or no relevant documents expected"
    reads: ClassVar[Columns] = {"sessions": ("expected",)}

    def terms(self, lists: Lists) -> pl.DataFrame:
        """One for every relevant document."""
        return lists.relevant(self.min_grade).select("list", "rank", term=pl.lit(1.0))

    def divisor(self, lists: Lists) -> pl.Series:
        """Documents expected in the list's session."""
        return _expected(lists)


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedRecallEffort(QueryMeasure):
    """RecallEffort: relevant documents that the searcher expected, divided by the documents examined to find them.

    Higher is better, as less effort is; range [0, no bound). By default the documents are those of the list, in ranks,
    as the course slides have it (``answer=retrieved``); with ``answer=examined`` those down to the rank where the
    expected number of relevant ones is found, as the textbook does, null where it is not. How many were expected is
    the column ``expected`` of the sessions. Null where that is 0 or not given, the list is empty, or the query's key has no
    judgments.

    Source: Baeza-Yates & Ribeiro-Neto 1999 (from memory).

    Two expected, and found at ranks 1 and 2 of four: 2/4, and 2/2

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"], "expected": [2]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [1, 1, 0, 1]},
    ... )
    >>> sk.score(study, ["RecallEffort", "RecallEffort(answer=examined)"], per="query").get_column("value").to_list()
    [0.5, 1.0]
    """

    name = "RecallEffort"
    formula = "relevant documents that the searcher expected / documents of the list, or examined until they are found"
    meaning = "relevant documents that the searcher expected, per document looked at"
    source = SOURCE
    undefined_where = (
        "no judgments for their key, no relevant documents expected, nothing shown, or fewer found than expected"
    )
    reads: ClassVar[Columns] = {"sessions": ("expected",)}

    answer: AnswerSize = "retrieved"

    def values(self, lists: Lists) -> pl.Series:
        """Recall effort of every list."""
        rows = lists.queries.select("list", "key", "length").with_columns(_expected(lists).alias("expected"))
        through = pl.col("length")
        if self.answer == "examined":
            found = lists.relevant(self.min_grade).join(rows.select("list", "expected"), on="list")
            enough = found.filter(pl.col("nth") >= pl.col("expected")).group_by("list").agg(met=pl.col("rank").min())
            rows = rows.join(enough, on="list", how="left", maintain_order="left")
            through = pl.col("met")
        effort = exact.quotient(pl.col("expected"), through)
        defined = pl.col("key").is_not_null() & (pl.col("expected") > 0)
        return rows.select(value=pl.when(defined).then(effort)).to_series()


def _told(lists: Lists, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows whose document the session says was known or not, with what it says: ``known`` if any of its results does."""
    batch, place = lists.batch, ["session", "doc_id"]
    told = batch.results.select("doc_id", "known", session=batch.queries["session"].gather(batch.results["query"]))
    told = told.drop_nulls("known").group_by(place).agg(pl.col("known").any())
    sessions = lists.queries["session"].gather(rows["list"])
    return rows.drop("known").with_columns(sessions).join(told, on=place, maintain_order="left")


def _expected(lists: Lists) -> pl.Series:
    """Relevant documents that the searcher expected, of every list's session; null where not given."""
    return _numbers_of(lists.batch.features, "sessions", "expected").gather(lists.queries["session"])


def _numbers_of(frame: pl.DataFrame, table: str, column: str) -> pl.Series:
    """Numbers of relevant documents in a column, null where it is not there."""
    if column not in frame.columns:
        return pl.Series([None], dtype=pl.Float64).new_from_index(0, len(frame))
    given = frame[column]
    number = given.cast(pl.Float64, strict=False)
    wrong = given.filter(given.is_not_null() & ~(number.is_finite() & (number >= 0)).fill_null(value=False))
    if len(wrong):
        msg = f"{table}: {column} is {wrong[0]!r}; it must be a number of relevant documents, at least 0"
        raise DataError(msg)
    return number


Coverage = KnownCoverage()
Novelty = RelevantNovelty()
RelativeRecall = ExpectedRecall()
RecallEffort = ExpectedRecallEffort()
FAMILY = (Coverage, Novelty, RelativeRecall, RecallEffort)
