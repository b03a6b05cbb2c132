"""Rank-biased precision: what a searcher gains who goes on to the next rank with probability p, and what stays open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.scoring.discounts import discount_expr
from sessionkit.scoring.measures.base import QueryMeasure, TermMeasure
from sessionkit.scoring.measures.grade_scale import top_gain
from sessionkit.scoring.searcher import Chances, Searcher

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class RankBiasedPrecision(TermMeasure):
    """RBP: the expected gain per result of a searcher who goes on from each rank to the next with probability p.

    ``p`` is required. Relevance is binary by default; with another ``gain`` a result counts gain / gain of max_grade
    (the measure's, else the study's), so that the range stays [0, 1]. Higher is better; 1 would take an endless list of
    relevant results. A query that returned nothing, or nothing relevant, scores 0; null where the query's key has no
    judgments. The binary form equals ir-measures' RBP(rel=1) and ranx' rbp of binary judgments; ranx weights with the
    raw grade, which can exceed 1; trec_eval 10 stretches grades from the lowest to the highest to [0, 1]; the code of
    Jiang & Allan divides by the sum of the weights, see RBP_jiang2016.

    Relevant at ranks 1 and 3, p = 0.8: 0.2 x (1 + 0.64) = 0.328; graded 3 and 1 of 3: 0.2 x (1 + 0.64 / 3) = 0.2427

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [3, 0, 1]},
    ... )
    >>> asked = ["RBP(p=0.8)", "RBP(gain=linear,max_grade=3,p=0.8)"]
    >>> sk.score(study, asked, per="query").get_column("value").round(4).to_list()
    [0.328, 0.2427]
    """

    name = "RBP"
    bounds = "linear"
    example = "RBP(p=0.8)@10"
    required = ("p",)
    formula = "(1 - p) x sum of r(i) x p^(i - 1) for i = 1..k, r = gain / gain of max_grade"
    meaning = "gain per result for a searcher who may stop at any rank"
    source = "Moffat & Zobel, TOIS 2008"
    undefined_where = "no judgments for their key"

    gain: str = "binary"
    max_grade: float | None = None
    p: float | None = None

    @property
    def highest(self) -> float | None:
        """All results relevant, for ever."""
        return 1.0

    def discount_forms(self) -> tuple[str, str]:
        """Geometric by rank."""
        return "geometric", ""

    def searcher(self) -> tuple[Searcher, str]:
        """One who goes on with probability p."""
        return Searcher(
            Chances("geometric", p=self.p)
        ), f"goes on from each rank to the next with probability {self.p:g}"

    def terms(self, lists: Lists) -> pl.DataFrame:
        """The gain of every result times the share of searchers who look there and no further."""
        relevance = pl.col("gain") / top_gain(self, self.gain, self.max_grade, lists)
        return lists.gaining(self.gain, self.min_grade).select("list", "rank", term=relevance * _stopping(self.p))


@dataclass(frozen=True, repr=False, kw_only=True)
class RankBiasedResidual(QueryMeasure):
    """RBPResidual: the uncertainty of RBP due to results that were not judged or not shown.

    The weight of all ranks but those of judged results: unjudged results, gaps in the ranks and everything after the end
    of the list or after the cutoff. RBP lies between its value and its value + residual, whatever further judgments
    say. ``p`` is required. Range [0, 1]; lower is better. A query that returned nothing scores 1, the worst; null
    where the query's key has no judgments, of which ``unjudged_topics=zero`` makes 0, the best value. cwl_eval calls it the
    residual of RBP.

    Five judged results, p = 0.8: 0.8^5 = 0.32768. With the second unjudged: 0.32768 + 0.2 x 0.8 = 0.48768

    >>> import sessionkit as sk
    >>> results = {"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 5], "doc_id": list("abcde")}
    >>> study = sk.from_tables(
    ...     results=results | {"topic_id": ["t"] * 5},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("acde"), "grade": [1, 1, 1, 0]},
    ... )
    >>> round(sk.score(study, ["RBPResidual(p=0.8)"], per="query").get_column("value").item(), 5)
    0.48768
    """

    name = "RBPResidual"
    no_bounds = "it measures the unjudged share itself"
    example = "RBPResidual(p=0.8)@10"
    required = ("p",)
    direction = "lower"
    formula = "1 - (1 - p) x sum of p^(i - 1) over the judged results at ranks i <= k"
    meaning = "how much RBP unjudged results could add"
    source = "Moffat & Zobel, TOIS 2008, section 4"
    undefined_where = "no judgments for their key"
    without = ("min_grade",)

    p: float | None = None

    @property
    def highest(self) -> float | None:
        """Nothing shown is judged."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """What the ranks of judged results leave of 1."""
        judged = lists.every.filter(pl.col("grade").is_not_null())
        decided = lists.added(judged.select("list", term=_stopping(self.p)))
        open_ = pl.DataFrame({"key": lists.queries["key"], "decided": decided})
        left = (1.0 - pl.col("decided")).clip(lower_bound=0.0)
        return open_.select(pl.when(pl.col("key").is_not_null()).then(left).alias("value")).to_series()


def _stopping(p: float | None) -> pl.Expr:
    """Share of searchers who look at a rank and no further."""
    return (1.0 - (p or 0.0)) * discount_expr(pl.col("rank"), "geometric", p=p)


RBP = RankBiasedPrecision()
RBPResidual = RankBiasedResidual()
FAMILY = (RBP, RBPResidual)
