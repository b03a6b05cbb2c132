"""Rank-biased precision with its residual, and measures for incomplete judgments: RBP, RBPResidual, bpref and infAP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.discounts import discount_expr
from sessionkit.scoring.measures.base import QueryMeasure, TermMeasure
from sessionkit.scoring.measures.generalized_precision import top_gain
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


EPSILON = 0.00001
"""What infAP adds to counts so that they are never 0, as trec_eval."""


@dataclass(frozen=True, repr=False, kw_only=True)
class IncompleteMeasure(TermMeasure):
    """A sum over the relevant results, divided by the size R of the recall base."""

    no_bounds = "it has its own rule for unjudged results"
    higher_grade_can_lower = True

    @property
    def highest(self) -> float | None:
        """The recall base above all other judged documents."""
        return 1.0

    def divisor(self, lists: Lists) -> pl.Series:
        """Size of the recall base."""
        return lists.base_size(self.min_grade)

    def counted(self, lists: Lists) -> pl.DataFrame:
        """The pooled results, each document once: ``list``, ``rank``, ``relevant``, and how many ``rel``, ``non`` and
        ``pooled`` ones (relevant, not relevant, pooled but unjudged) stand above each in its list.
        """
        grade = pl.col("grade")
        relevant = (grade >= self.min_grade) & (grade >= 0)
        rows = lists.every.filter("first", grade.is_not_null() | pl.col("pooled"))
        kinds = {
            "rel": relevant.fill_null(value=False),
            "non": (~relevant).fill_null(value=False),
            "pooled": grade.is_null(),
        }
        flags = rows.select("list", "rank", relevant=kinds["rel"], **kinds)
        counts = {name: pl.col(name).cast(pl.Int64) for name in kinds}
        return flags.with_columns(**{name: exact.running(count) - count for name, count in counts.items()})


@dataclass(frozen=True, repr=False, kw_only=True)
class BinaryPreference(IncompleteMeasure):
    """bpref: how rarely judged nonrelevant documents rank above relevant ones; unjudged results are ignored.

    Every relevant result adds 1 - min(n, R) / min(N, R), n the judged non-relevant results above it, N all that are judged
    for the key; 1 where there is none above. Range [0, 1]; higher is better. Equals trec_eval's bpref and ir-measures'
    Bpref where the negative grades are declared unjudged; the paper's bpref-10 has R + 10 below the line. ranx' bpref is
    the same where N > 0. A query that returned nothing scores 0; null where nothing is relevant (0 with
    ``undefined=zero``, as trec_eval).

    Relevant, not, relevant, of R = 2 and N = 1: (1 + (1 - 1/1)) / 2 = 0.5

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [1, 0, 1]},
    ... )
    >>> sk.score(study, ["bpref"], per="query").get_column("value").to_list()
    [0.5]
    """

    name = "bpref"
    needs_nonrelevant = True
    formula = "sum over relevant results of (1 - min(n above it, R) / min(N, R)) / R"
    meaning = "how seldom judged nonrelevant results outrank relevant ones"
    source = "Buckley & Voorhees, SIGIR 2004; trec_eval's m_bpref.c"

    def terms(self, lists: Lists) -> pl.DataFrame:
        """The share of judged non-relevant documents that each relevant result stands above."""
        rows = self.counted(lists).filter("relevant")
        base, others = lists.base_size(self.min_grade), lists.base_others(self.min_grade)
        rows = rows.with_columns(R=base.gather(rows["list"]), N=others.gather(rows["list"]))
        # a searcher's own grade of a document can differ from query to query, so that more stand above than N
        above = pl.min_horizontal("non", "N", "R")
        share = above / pl.min_horizontal("N", "R")
        return rows.select("list", "rank", term=pl.when(above > 0).then(1.0 - share).otherwise(1.0))


@dataclass(frozen=True, repr=False, kw_only=True)
class InferredAveragePrecision(IncompleteMeasure):
    """infAP: average precision estimated where the judgments are a random sample of the pool.

    A relevant result at rank k > 1 adds 1/k + ((k - 1)/k) x (J / (k - 1)) x (rel + e) / (rel + non + 2e), J the pooled
    results above it, rel and non the relevant and non-relevant ones among them, e = 0.00001; at rank 1 it adds 1. Range
    [0, 1]; higher is better. Equals trec_eval's infAP and ir-measures' infAP where the sampled-out documents have
    grades that are declared unjudged; with complete judgments it is AP but for e, where all results are judged. A query
    that returned nothing scores 0; null where nothing is relevant (0 with ``undefined=zero``, as trec_eval).

    A relevant result below one that is pooled but unjudged, R = 1: 1/2 + (1/2) x (1/1) x (e / 2e) = 0.75

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [-1, 1]},
    ...     unjudged_grades=[-1],
    ... )
    >>> sk.score(study, ["infAP", "AP"], per="query").get_column("value").to_list()
    [0.75, 0.5]
    """

    name = "infAP"
    formula = "sum over relevant ranks k of (1/k + ((k - 1)/k) x (J/(k - 1)) x (rel + e)/(rel + non + 2e)) / R"
    meaning = "average precision estimated from a sample of judgments"
    source = "Yilmaz & Aslam, CIKM 2006; trec_eval's m_infap.c"

    def terms(self, lists: Lists) -> pl.DataFrame:
        """Expected precision at each relevant result."""
        above, judged = pl.col("rank").cast(pl.Float64) - 1, pl.col("rel") + pl.col("non")
        pooled = (judged + pl.col("pooled")) / above
        share = (pl.col("rel") + EPSILON) / (judged + 2 * EPSILON)
        expected = 1.0 / (above + 1) + above / (above + 1) * pooled * share
        rows = self.counted(lists).filter("relevant")
        return rows.select("list", "rank", term=pl.when(pl.col("rank") > 1).then(expected).otherwise(1.0))


bpref = BinaryPreference()
infAP = InferredAveragePrecision()  # noqa: N816 - the field's spelling


FAMILY = (RBP, RBPResidual, bpref, infAP)
