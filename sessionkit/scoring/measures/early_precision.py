"""How soon relevant documents come: Rprec, RR, Success, and AvgP, the average of precisions at cutoffs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.base import TermMeasure
from sessionkit.scoring.measures.parameters import PARAMETERS

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class RPrecision(TermMeasure):
    """Rprec: the precision at rank R, R being the number of relevant documents.

    Range [0, 1]; higher is better. At that rank precision and recall are equal. Equals trec_eval's Rprec, ir-measures'
    Rprec and ranx' r-precision. A query that returned nothing scores 0; null where nothing is relevant (0 with
    ``undefined=zero``, as trec_eval).

    Three relevant documents, at ranks 1, 3 and 4: two of the first three, 2/3.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "c", "d"], "grade": [1] * 3},
    ... )
    >>> round(sk.score(study, ["Rprec"], per="query").get_column("value").item(), 4)
    0.6667
    """

    name = "Rprec"
    no_bounds = "more relevant documents also change the rank that it looks at"
    higher_grade_can_lower = True
    formula = "relevant results at ranks 1..R / R, R relevant documents in the recall base"
    meaning = "precision at as many ranks as there are relevant documents"
    source = "trec_eval's Rprec; Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, 1999, section 3.2.1"

    @property
    def highest(self) -> float | None:
        """The recall base at the top."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """One for every relevant result among the first R."""
        rows = lists.relevant(self.min_grade)
        early = rows.filter(rows["rank"] <= lists.base_size(self.min_grade).gather(rows["list"]))
        return early.select("list", "rank", term=pl.lit(1.0))

    def divisor(self, lists: Lists) -> pl.Series:
        """Size of the recall base."""
        return lists.base_size(self.min_grade)


@dataclass(frozen=True, repr=False, kw_only=True)
class ReciprocalRank(TermMeasure):
    """RR: one over the rank of the first relevant result.

    Range [0, 1]; higher is better; its mean over queries is MRR. Equals trec_eval's recip_rank, ir-measures' RR and
    ranx' mrr. A list without a relevant result scores 0, and so does a query that returned nothing; null where the
    query's key has no judgments.

    First relevant result at rank 2: 1/2.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["b", "x"], "grade": [1, 1]},
    ... )
    >>> sk.score(study, ["RR", "RR@1"], per="query").get_column("value").to_list()
    [0.5, 0.0]
    """

    name = "RR"
    bounds = "rising"
    formula = "1 / rank of the first relevant result, if that is at most k, else 0"
    meaning = "1 divided by the rank of the first relevant result"
    source = "Kantor & Voorhees, Information Retrieval 2000; trec_eval's recip_rank"
    undefined_where = "no judgments for their key"

    @property
    def highest(self) -> float | None:
        """A relevant document at rank 1."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """The reciprocal of the first relevant rank."""
        return _first(lists, self.min_grade).select("list", "rank", term=1.0 / pl.col("rank"))


@dataclass(frozen=True, repr=False, kw_only=True)
class SuccessAtCutoff(TermMeasure):
    """Success: whether the list shows a relevant document.

    1 or 0; higher is better. Equals trec_eval's success_k, ir-measures' Success@k and ranx' hit_rate@k. A query that
    returned nothing scores 0; null where the query's key has no judgments.

    First relevant result at rank 2:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["b", "x"], "grade": [1, 1]},
    ... )
    >>> sk.score(study, ["Success@1", "Success@5"], per="query").get_column("value").to_list()
    [0.0, 1.0]
    """

    name = "Success"
    bounds = "rising"
    formula = "1 if a result at ranks 1..k is relevant, else 0"
    meaning = "whether a result is relevant, 1 or 0"
    source = "trec_eval's success"
    undefined_where = "no judgments for their key"

    @property
    def highest(self) -> float | None:
        """A relevant document is shown."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """One for the first relevant result."""
        return _first(lists, self.min_grade).select("list", "rank", term=pl.lit(1.0))


@dataclass(frozen=True, repr=False, kw_only=True)
class AveragedPrecision(TermMeasure):
    """AvgP: the weighted mean of precisions at some document cutoffs.

    ``cutoffs=5-10-15`` and ``weights=1-1-1`` are the defaults; there is a weight for each cutoff, equal weights fit
    themselves to the number of cutoffs. Range [0, 1]; higher is better. Each precision divides by its cutoff, as P@k. A
    query that returned nothing, or nothing relevant, scores 0; null where the query's key has no judgments. No tool of
    those compared has it.

    Relevant at ranks 1, 3 and 6: (2/5 + 3/10 + 3/15) / 3 = 0.3.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 6, "query_position": [1] * 6, "rank": list(range(1, 7)), "doc_id": list("abcdef")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "c", "f"], "grade": [1] * 3},
    ... )
    >>> sk.score(study, ["AvgP", "AvgP(cutoffs=1-2,weights=3-1)"], per="query").get_column("value").round(4).to_list()
    [0.3, 0.875]
    """

    name = "AvgP"
    bounds = "linear"
    example = "AvgP(cutoffs=5-10-20,weights=3-2-1)"
    formula = "sum over cutoffs k of weight(k) x P@k / sum of the weights"
    meaning = "weighted mean of the precisions at several depths"
    source = (
        "evaluation courses; Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, 1999, for precision at cutoffs"
    )
    undefined_where = "no judgments for their key"
    without = ("cutoff",)

    cutoffs: str = "5-10-15"
    weights: str = "1-1-1"

    def __post_init__(self) -> None:
        """Fit equal weights to the cutoffs, refuse others of which there are too few or too many."""
        super().__post_init__()
        many, weights = self.cutoffs.count("-") + 1, self.weights.split("-")
        if len(set(weights)) == 1:
            object.__setattr__(self, "weights", PARAMETERS["weights"].canonical([1] * many))
        elif len(weights) != many:
            msg = (
                f"{self.name}: cutoffs={self.cutoffs} needs {many} weights, not {len(weights)} (weights={self.weights})"
            )
            raise MeasureError(msg)

    @property
    def highest(self) -> float | None:
        """Every result down to the last cutoff relevant."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """Weight / cutoff, in units of one over what all cutoffs divide, of every cutoff that a result lies within."""
        rows = lists.relevant(self.min_grade).select("list", "rank")
        shares = [
            pl.when(pl.col("rank") <= k).then(weight * (self._unit // k)).otherwise(0.0) for k, weight in self._weighted
        ]
        return rows.with_columns(term=pl.sum_horizontal(shares)).filter(pl.col("term") > 0)

    def divisor(self, lists: Lists) -> pl.Series:
        """Sum of the weights, in the same units."""
        whole = sum(weight for _, weight in self._weighted) * self._unit
        return pl.repeat(float(whole), len(lists.queries), dtype=pl.Float64, eager=True)

    @property
    def _weighted(self) -> list[tuple[int, float]]:
        """Every cutoff with its weight."""
        both = zip(self.cutoffs.split("-"), self.weights.split("-"), strict=True)
        return [(int(cutoff), float(weight)) for cutoff, weight in both]

    @property
    def _unit(self) -> int:
        """The least number that all cutoffs divide: sums of its parts are exact where the weights are whole numbers."""
        return math.lcm(*(cutoff for cutoff, _ in self._weighted))


def _first(lists: Lists, min_grade: float) -> pl.DataFrame:
    """The first relevant result of every list."""
    return lists.relevant(min_grade).filter(pl.col("nth") == 1)


Rprec = RPrecision()
RR = ReciprocalRank()
Success = SuccessAtCutoff()
AvgP = AveragedPrecision()
FAMILY = (Rprec, RR, Success, AvgP)
