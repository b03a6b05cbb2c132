"""How far a searcher has to go: average and expected search length, and how much they save against a random order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.choices import SearchLengthCount, TiedResults, UnretrievedPlace
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import Columns, QueryMeasure
from sessionkit.scoring.measures.relevant_ranks import levels, standing

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class AverageSearchLength(QueryMeasure):
    """ASL: the mean rank of a relevant document.

    Lower is better; range [1, no bound). Results with the same score, where the log has scores, are tied: each stands
    at the middle of its run of equal scores; ``ties=none`` takes the order shown as strict. Relevant documents that are
    not in the list are left out with ``unretrieved=retrieved``, the default, which flatters lists that find little;
    with ``mid`` they stand in the middle of the rest of the collection, at rank (n + 1 + N) / 2 after a list of n, with
    ``last`` at its end; both need the study's ``collection_size``. Not normalized: the more documents are
    relevant, the longer the best ASL. Null where no relevant document counts.

    Source: Losee 1998 (prose; the formula is from memory, not checked against the text).

    Relevant at ranks 1, 3 and 4: (1 + 3 + 4) / 3 = 2.6667; one more relevant document among the other 15 of 20:
    (8 + 20) / 4 = 7 if it comes last

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 5], "doc_id": list("abcde")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("acdz"), "grade": [1] * 4},
    ...     collection_size=20,
    ... )
    >>> sk.score(study, ["ASL", "ASL(unretrieved=last)"], per="query").get_column("value").round(4).to_list()
    [2.6667, 7.0]
    """

    no_bounds = "it depends on the ranks of all relevant documents, shown or not"
    name = "ASL"
    direction = "lower"
    lowest = 1.0
    higher_grade_can_lower = True
    formula = "sum of the ranks of the relevant documents / their number; tied results at the middle of their ranks"
    meaning = "mean rank of the relevant documents"
    source = "Losee, Text Retrieval and Filtering, 1998 [formula from memory]"
    without = ("undefined", "unjudged_topics")
    may_read: ClassVar[Columns] = {"results": ("score",)}

    ties: TiedResults = "score"
    unretrieved: UnretrievedPlace = "retrieved"

    def values(self, lists: Lists) -> pl.Series:
        """Mean rank of every list's relevant documents."""
        ranks = standing(lists, self, self.unretrieved, self.ties)
        return ranks.select(value=exact.quotient(pl.col("twice"), 2 * pl.col("relevant"))).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class NeedMeasure(QueryMeasure):
    """A measure of what a searcher who needs some relevant documents goes through to have them."""

    no_bounds = "it depends on the ranks of all relevant documents, shown or not"
    higher_grade_can_lower = True
    undefined_where = "no judgments for their key, or fewer relevant documents than needed"
    without = ("undefined", "unjudged_topics")
    may_read: ClassVar[Columns] = {"results": ("score",)}

    need: int = 1
    ties: TiedResults = "score"
    unretrieved: UnretrievedPlace = "retrieved"

    def _length(self, lists: Lists) -> tuple[pl.Series, pl.Series]:
        """Documents not relevant that are expected before the need is met, as a fraction of whole numbers."""
        held = levels(lists, self.min_grade, self.ties)
        reached = pl.col("relevant").cum_sum().over("list")
        met = held.with_columns(before=reached - pl.col("relevant")).filter(
            pl.col("before") < self.need, pl.col("before") + pl.col("relevant") >= self.need
        )
        before, relevant = pl.col("before"), pl.col("relevant")
        others = pl.col("end") - pl.col("start") + 1 - relevant
        above = pl.col("start") - 1 - before
        met = met.select("list", numerator=above * (relevant + 1) + others * (self.need - before), divisor=relevant + 1)
        rows = lists.queries.select("list").join(met, on="list", how="left", maintain_order="left")
        if self.unretrieved != "retrieved":
            rest = _rest(standing(lists, self, self.unretrieved), self.need, self.unretrieved)
            rows = rows.with_columns(pl.coalesce(name, rest[name]) for name in ("numerator", "divisor"))
        return rows["numerator"], rows["divisor"]


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedSearchLength(NeedMeasure):
    """ESL: the expected number of nonrelevant documents that a searcher examines to find ``need`` relevant ones.

    Lower is better; range [0, no bound). Cooper counts documents that are not relevant, the default;
    ``count=examined`` counts the relevant ones too, as Research Notes 2002-2 reads it after Korfhage: ESL + need.
    Results with the same score, where the log has scores, are one level, whose order is random; ``ties=none`` takes the
    order shown as strict. Where the list holds fewer than ``need``: null with ``unretrieved=retrieved``, the default;
    with ``mid`` the rest of the collection is one last level, with ``last`` its relevant documents come after all
    others; both need the study's ``collection_size``. Null where fewer are relevant at all.

    Source: Cooper 1968, as van Rijsbergen 1979 prints it, pages 161 to 163.

    Six tied results, three of them relevant, above five tied ones, two of them relevant; four are needed:
    j = 3, i = 3, r = 2, s = 1: 3 + 3 x 1 / (2 + 1) = 4

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 11, "query_position": [1] * 11, "rank": range(1, 12), "doc_id": list("abcdefghijk"),
    ...         "score": [2.0] * 6 + [1.0] * 5,
    ...     },
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 5, "doc_id": list("aceik"), "grade": [1] * 5},
    ... )
    >>> sk.score(study, ["ESL(need=4)", "ESL(need=4,count=examined)"], per="query").get_column("value").to_list()
    [4.0, 8.0]
    """

    name = "ESL"
    direction = "lower"
    formula = "j + i x s / (r + 1): j not relevant before the level where the need is met, i and r in it not and relevant, s still needed"
    meaning = "nonrelevant results read before enough relevant ones are found"
    source = "Cooper, American Documentation 1968; van Rijsbergen, Information Retrieval, 1979, pages 161-163"

    count: SearchLengthCount = "nonrelevant"

    def values(self, lists: Lists) -> pl.Series:
        """Expected search length of every list."""
        numerator, divisor = self._length(lists)
        examined = self.need if self.count == "examined" else 0
        length = pl.DataFrame([numerator.alias("numerator"), divisor.alias("divisor")])
        value = exact.quotient(pl.col("numerator") + examined * pl.col("divisor"), pl.col("divisor"))
        return length.select(value=value).to_series()


def _rest(ranks: pl.DataFrame, need: int, unretrieved: str) -> pl.DataFrame:
    """The length of lists where the need is met in the rest of the collection, as `NeedMeasure` has it."""
    length, found, left, size = (pl.col(name) for name in ("length", "found", "left", "size"))
    if unretrieved == "mid":
        others = size - length - left
        divisor = left + 1
        numerator = (length - found) * divisor + others * (need - found)
    else:
        divisor = pl.lit(1, pl.Int64)
        numerator = size - pl.col("relevant")
    can = pl.col("relevant") >= need
    return ranks.select(numerator=pl.when(can).then(numerator), divisor=pl.when(can).then(divisor))


@dataclass(frozen=True, repr=False, kw_only=True)
class SearchLengthReduction(NeedMeasure):
    """SLRF: the share of a random order's expected search length that the list saves (search length reduction factor).

    Higher is better; range (no bound, 1]: 1 where nothing irrelevant comes before the need is met, 0 for what chance
    does, below 0 for worse. A random order of the N documents of the collection, R of them relevant, has the expected
    length need x (N - R) / (R + 1). Always counts documents that are not relevant, and needs the study's
    ``collection_size``; the other parameters are those of ESL. Null where ESL is, and where all documents are relevant.

    Source: van Rijsbergen 1979, page 163.

    Relevant at ranks 1 and 3 of N = 20 documents with R = 4, two are needed: ESL = 1; a random order has
    2 x 16 / 5 = 6.4; (6.4 - 1) / 6.4 = 0.84375

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 3, "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("acyz"), "grade": [1] * 4},
    ...     collection_size=20,
    ... )
    >>> sk.score(study, ["SLRF(need=2)"], per="query").get_column("value").to_list()
    [0.84375]
    """

    name = "SLRF"
    lowest = None
    formula = "(need x (N - R) / (R + 1) - ESL) / (need x (N - R) / (R + 1))"
    meaning = "share of a random order's search length that is saved"
    source = "Cooper, American Documentation 1968; van Rijsbergen, Information Retrieval, 1979, page 163"

    @property
    def highest(self) -> float | None:
        """The need is met before anything that is not relevant."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Reduction of every list."""
        numerator, divisor = self._length(lists)
        ranks = standing(lists, self, "last")
        rows = ranks.with_columns(numerator.alias("numerator"), divisor.alias("divisor"))
        others = pl.col("size") - pl.col("relevant")
        random = self.need * others * pl.col("divisor")
        saved = random - pl.col("numerator") * (pl.col("relevant") + 1)
        return rows.select(value=exact.quotient(saved, random)).to_series()


ASL = AverageSearchLength()
ESL = ExpectedSearchLength()
SLRF = SearchLengthReduction()
FAMILY = (ASL, ESL, SLRF)
