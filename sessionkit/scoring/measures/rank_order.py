"""The order of a list against the best one, by ranks: normalized recall and its relatives, rank recall and log precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.choices import TiedResults, UnretrievedPlace
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import Columns, QueryMeasure
from sessionkit.scoring.measures.relevant_ranks import standing

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class NormalizedRecall(QueryMeasure):
    """Rnorm: the share of (relevant, nonrelevant) pairs of documents in the right order; ties count half.

    Higher is better; range [0, 1]. The area under the recall-fallout curve. The pairs are those of the whole
    collection of N documents, so N is a part of the value, which goes to 1 as N grows: the study must declare its
    ``collection_size``. Relevant documents that are not in the list come after all others with ``unretrieved=last``,
    the default, and in the middle of the rest with ``mid``; with ``retrieved`` the list is taken for the whole
    collection. Results with the same score, where the log has scores, are tied; ``ties=none`` takes the order shown as
    strict. Null where nothing is relevant, or everything is.

    Source: Rocchio, ISR-10, 1966, equation 5.20; van Rijsbergen 1979, pages 164 to 166.

    Relevant at ranks 1, 3 and 4 of N = 5: 1 - (8 - 6) / (3 x 2) = 4/6, the pairs in the right order; of N = 100:
    1 - 2 / (3 x 97)

    >>> import sessionkit as sk
    >>> tables = {
    ...     "results": {"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 5], "doc_id": list("abcde")},
    ...     "sessions": {"session_id": ["s"], "topic_id": ["t"]},
    ...     "judgments": {"judgment_key": ["t"] * 3, "doc_id": list("acd"), "grade": [1] * 3},
    ... }
    >>> for size in (5, 100):
    ...     study = sk.from_tables(**tables, collection_size=size)
    ...     print(round(sk.score(study, ["Rnorm"], per="query").get_column("value").item(), 4))
    0.6667
    0.9931
    """

    no_bounds = "it depends on the ranks of all relevant documents, shown or not"
    name = "Rnorm"
    higher_grade_can_lower = True
    formula = "1 - (sum of the ranks of the R relevant documents - R (R + 1) / 2) / (R (N - R))"
    meaning = "share of pairs of relevant and nonrelevant documents in right order"
    source = "Rocchio, ISR-10, 1966, equation 5.20; van Rijsbergen, Information Retrieval, 1979, page 164"
    undefined_where = "no judgments for their key, or nothing or everything relevant"
    may_read: ClassVar[Columns] = {"results": ("score",)}

    ties: TiedResults = "score"
    unretrieved: UnretrievedPlace = "last"

    @property
    def highest(self) -> float | None:
        """All pairs in the right order."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Share of pairs in the right order, of every list."""
        ranks = standing(lists, self, self.unretrieved, self.ties)
        relevant = pl.col("relevant")
        pairs = 2 * relevant * (pl.col("size") - relevant)
        wrong = pl.col("twice") - relevant * (relevant + 1)
        return ranks.select(value=exact.quotient(pairs - wrong, pairs)).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class RankedRecall(QueryMeasure):
    """RankRecall: the sum of the best possible ranks of the relevant documents, divided by the sum of their ranks.

    Higher is better; range [0, 1], 0 excluded. Relevant documents that are not in the list come after all others with
    ``unretrieved=last``, the default, and in the middle of the rest of the collection with ``mid``: both need the
    study's ``collection_size``; with ``retrieved`` only the relevant documents of the list count. Ranks as shown are
    strict. Null where no relevant document counts.

    Source: Rocchio, ISR-10, 1966, page 5-30.

    Relevant at ranks 1, 3 and 4: (1 + 2 + 3) / (1 + 3 + 4) = 0.75

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 5], "doc_id": list("abcde")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": list("acd"), "grade": [1] * 3},
    ...     collection_size=20,
    ... )
    >>> sk.score(study, ["RankRecall"], per="query").get_column("value").to_list()
    [0.75]
    """

    no_bounds = "it depends on the ranks of all relevant documents, shown or not"
    name = "RankRecall"
    higher_grade_can_lower = True
    formula = "R (R + 1) / 2 / sum of the ranks of the R relevant documents"
    meaning = "best possible sum of relevant ranks, divided by the actual sum"
    source = "Rocchio, ISR-10, 1966, page 5-30"

    unretrieved: UnretrievedPlace = "last"

    @property
    def highest(self) -> float | None:
        """Relevant documents at the first ranks."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Rank recall of every list."""
        ranks = standing(lists, self, self.unretrieved)
        relevant = pl.col("relevant")
        return ranks.select(value=exact.quotient(relevant * (relevant + 1), pl.col("twice"))).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class LogarithmicPrecision(QueryMeasure):
    """LogPrecision: the sum of the logarithms of the best possible ranks, divided by that of the ranks of relevant documents.

    Higher is better; range [0, 1]. Weighs early ranks more than rank recall, whose ``unretrieved`` it shares: ``last``
    and ``mid`` need the study's ``collection_size``. Null where no relevant document counts, and where a single one
    does: the best is then ln 1 = 0, wherever that document stands.

    Source: Rocchio, ISR-10, 1966, page 5-31.

    Relevant at ranks 1, 3 and 4: ln(1 x 2 x 3) / ln(1 x 3 x 4) = 1.7918 / 2.4849 = 0.7211

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 5], "doc_id": list("abcde")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": list("acd"), "grade": [1] * 3},
    ...     collection_size=20,
    ... )
    >>> round(sk.score(study, ["LogPrecision"], per="query").get_column("value").item(), 4)
    0.7211
    """

    no_bounds = "it depends on the ranks of all relevant documents, shown or not"
    name = "LogPrecision"
    higher_grade_can_lower = True
    formula = "ln(R!) / ln(product of the ranks of the R relevant documents)"
    meaning = "best possible sum of relevant log ranks, divided by the actual sum"
    source = "Rocchio, ISR-10, 1966, page 5-31"
    undefined_where = "no judgments for their key, or fewer than two relevant documents"

    unretrieved: UnretrievedPlace = "last"

    @property
    def highest(self) -> float | None:
        """Relevant documents at the first ranks."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Log precision of every list."""
        ranks = standing(lists, self, self.unretrieved)
        found = lists.relevant(self.min_grade).select("list", term=pl.col("rank").cast(pl.Float64).log())
        ranks = ranks.with_columns(lists.added(found).alias("logs"), best=_log_sum(ranks["relevant"], first=1, step=1))
        left, size = pl.col("left"), pl.col("size")
        if self.unretrieved == "mid":
            middle = (pl.col("length") + 1 + size).cast(pl.Float64) / 2
            ranks = ranks.with_columns(beyond=left.cast(pl.Float64) * middle.log())
        elif self.unretrieved == "last" and len(ranks):
            ranks = ranks.with_columns(beyond=_log_sum(ranks["left"], first=ranks["size"][0], step=-1))
        else:
            ranks = ranks.with_columns(beyond=0.0)
        value = exact.quotient(pl.col("best"), pl.col("logs") + pl.col("beyond")).clip(upper_bound=1.0)
        return ranks.select(value=pl.when(pl.col("relevant") > 1).then(value)).to_series()


def _log_sum(many: pl.Series, first: int, step: int) -> pl.Series:
    """Sum of the logarithms of so many whole numbers, from the first on up or down; exact at the fixed scale."""
    most = int(many.to_numpy().max(initial=0))
    number = pl.int_range(first, first + step * most, step, dtype=pl.Int64)
    sums = pl.select(exact.unfixed(exact.fixed(number.cast(pl.Float64).log()).cum_sum())).to_series()
    return pl.concat([pl.Series([0.0]), sums]).gather(many)


Rnorm = NormalizedRecall()
RankRecall = RankedRecall()
LogPrecision = LogarithmicPrecision()
FAMILY = (Rnorm, RankRecall, LogPrecision)
