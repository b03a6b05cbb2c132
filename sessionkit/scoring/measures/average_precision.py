"""Precision averaged over relevant documents, over cutoffs and over levels of recall: AP, GAP, SeenAP, Rprec, RR, Success, AvgP, IPrec."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.arguments import RecallRule
from sessionkit.errors import MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import BoundKind, QueryMeasure, TermMeasure
from sessionkit.scoring.measures.generalized_precision import base_gain
from sessionkit.scoring.measures.parameters import PARAMETERS
from sessionkit.scoring.measures.precision import GradeLevelMeasure

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class AveragePrecision(GradeLevelMeasure, TermMeasure):
    """AP: the mean of the precisions at the ranks of the relevant documents; one that is not shown counts 0.

    Range [0, 1]; higher is better. Divided by the number of relevant documents in the recall base, with a cutoff too,
    as trec_eval's map and map_cut_k, ir-measures' AP and ranx' map; other tools divide by min(k, relevant). A query
    that returned nothing scores 0; null where nothing is relevant (0 with ``undefined=zero``, as trec_eval). ``level=2`` counts
    documents of exactly grade 2, ``at_least=2`` those of grade 2 and higher.

    Relevant at ranks 1 and 3, two relevant in all: (1/1 + 2/3) / 2 = 0.8333

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [3, 0, 1]},
    ... )
    >>> round(sk.score(study, ["AP"], per="query").get_column("value").item(), 4)
    0.8333
    """

    name = "AP"
    bounds: ClassVar[BoundKind | None] = "counted"
    higher_grade_can_lower = True
    formula = "sum over relevant ranks i <= k of P@i / relevant documents in the recall base"
    meaning = "mean precision at relevant documents, those not shown counting 0"
    source = "Buckley & Voorhees, SIGIR 2000; trec_eval's map and map_cut"

    @property
    def highest(self) -> float | None:
        """The whole recall base at the top."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """Precision at every relevant result."""
        precision = exact.quotient(pl.col("nth"), pl.col("rank"))
        return self.relevant(lists).select("list", "rank", term=precision)

    def divisor(self, lists: Lists) -> pl.Series:
        """Size of the recall base."""
        return self.relevant_base(lists)


@dataclass(frozen=True, repr=False, kw_only=True)
class SeenAveragePrecision(AveragePrecision):
    """SeenAP: the mean of the precisions at the relevant documents that the list shows.

    What evaluation courses call average precision at seen relevant documents: unlike AP it divides by those that were
    seen, so that a list with one relevant document, at rank 1, scores 1. Range [0, 1]; higher is better. A list that
    shows nothing relevant scores 0, and so does a query that returned nothing; null where nothing is relevant. No tool
    of those compared has it; it is AP x recall base / relevant documents seen.

    Relevant at ranks 1 and 3: (1/1 + 2/3) / 2 = 0.8333, however many more there are.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": ["a", "c", "x", "y"], "grade": [1] * 4},
    ... )
    >>> sk.score(study, ["AP", "SeenAP"], per="query").get_column("value").round(4).to_list()
    [0.4167, 0.8333]
    """

    name = "SeenAP"
    bounds = None
    formula = "sum over relevant ranks i <= k of P@i / relevant results at ranks 1..k"
    meaning = "mean precision at the relevant documents that the list shows"
    source = "Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, 1999, section 3.2.1"

    def defined(self, lists: Lists) -> pl.Series:
        """Where something is relevant."""
        return self.relevant_base(lists) > 0

    def divisor(self, lists: Lists) -> pl.Series:
        """Number of relevant results shown; 1 where there is none."""
        shown = self.relevant(lists).select("list", term=pl.lit(1.0))
        return lists.added(shown).clip(lower_bound=1)


@dataclass(frozen=True, repr=False, kw_only=True)
class GradedAveragePrecision(TermMeasure):
    """GAP: average precision for a searcher whose threshold of relevance is unknown.

    With g(d) the gain of a document, every relevant rank i adds the sum over ranks m <= i of min(g(m), g(i)), divided
    by i: at each threshold it counts in the precision of the documents that pass with it. Divided by all gains of the
    recall base. Range [0, 1]; higher is better; with ``gain=binary`` it is AP. A query that returned nothing scores 0;
    null where nothing is relevant. In the paper g is the probability that a searcher's threshold is at the grade or
    below; ``gain=0-0.4-1`` are those of Jiang & Allan.

    The form is that of Robertson, Kanoulas & Yilmaz, written from memory of their paper. Infer.NET has the same. The
    code of Jiang & Allan adds up g(m) in place of min(g(m), g(i)), which can exceed 1; see GAP_jiang2016.

    Grades 1, 2: (1 + (1 + 2) / 2) / 3 = 0.8333; in the better order (2 + (1 + 1) / 2) / 3 = 1.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1, 1, 2, 2], "rank": [1, 2, 1, 2], "doc_id": list("abba")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 2]},
    ... )
    >>> sk.score(study, ["GAP"], per="query").get_column("value").round(4).to_list()
    [0.8333, 1.0]
    """

    name = "GAP"
    higher_grade_can_lower = True
    formula = "sum over ranks i <= k of (sum over m <= i of min(g(m), g(i))) / i, / sum of g over the recall base"
    meaning = "average precision with partial credit by grade"
    source = "Robertson, Kanoulas & Yilmaz, SIGIR 2010 [formula from memory of the paper]"

    gain: str = "linear"

    @property
    def highest(self) -> float | None:
        """The recall base at the top, the highest grades first."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """What every result that gains adds, threshold by threshold: how many results above it, or it itself, reach the
        threshold that it reaches too.
        """
        rows = lists.gaining(self.gain, self.min_grade).select("list", "rank", gain=exact.fixed(pl.col("gain")))
        together, below = pl.lit(0, pl.Int128), 0
        for gain in rows["gain"].unique().sort():
            reaches = pl.col("gain") >= pl.lit(gain, pl.Int128)
            count = exact.running(reaches.cast(pl.Int128)) * pl.lit(gain - below, pl.Int128)
            together, below = together + pl.when(reaches).then(count).otherwise(0), gain
        term = exact.quotient(exact.unfixed(together), pl.col("rank"))
        return rows.select("list", "rank", term=term)

    def divisor(self, lists: Lists) -> pl.Series:
        """Gains of the recall base, added up."""
        return base_gain(lists, self.gain, self.min_grade)


AP = AveragePrecision()
GAP = GradedAveragePrecision()
SeenAP = SeenAveragePrecision()


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


ELEVEN = tuple(tenth / 10 for tenth in range(11))
"""The standard levels of recall."""


@dataclass(frozen=True, repr=False, kw_only=True)
class InterpolatedPrecision(GradeLevelMeasure, QueryMeasure):
    """IPrec: the highest precision at or below the rank where the list reaches a recall level.

    ``recall`` (0.1) between 0 and 1; ``rule`` says how many of R relevant documents reach it: ``ceil``, the smallest
    whole number of at least recall x R, is the textbooks'; ``trec9``, int(recall x R + 0.9), that of trec_eval up to 9,
    of pytrec_eval and through it of ir-measures' IPrec; ``trec10``, lround(recall x R), that of trec_eval 10: it takes
    one of 14 documents for a recall of 0.1. ``level=2`` counts documents of exactly grade 2, ``at_least=2`` those of grade 2 and
    higher. Range [0, 1]; higher is better. 0 where the list never gets there, as where the query returned nothing; null
    where nothing is relevant (0 with ``undefined=zero``, as trec_eval).

    Three relevant at ranks 3, 8 and 15. Half of them are two: P@8 = 0.25, but 2/8 is more than 3/15.

    >>> import sessionkit as sk
    >>> ranks = list(range(1, 16))
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 15, "query_position": [1] * 15, "rank": ranks, "doc_id": ranks},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": [3, 8, 15], "grade": [1] * 3},
    ... )
    >>> sk.score(study, ["IPrec(recall=0.5)", "IPrec11"], per="query").get_column("value").round(4).to_list()
    [0.25, 0.2621]
    """

    name = "IPrec"
    example = "IPrec(recall=0.5)"
    formula = "max of P@i over ranks i <= k with at least n relevant results, n the documents that make recall x R"
    meaning = "highest precision once a given share of relevant documents is found"
    source = "van Rijsbergen, Information Retrieval, 1979, chapter 7; trec_eval's iprec_at_recall"
    higher_grade_can_lower = True

    recall: float = 0.1
    rule: RecallRule = "ceil"

    @property
    def highest(self) -> float | None:
        """Relevant results alone up to that recall."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Interpolated precision at one level."""
        base = self.relevant_base(lists)
        return precision_at_recall(lists, self.relevant(lists), base, self.rule, [self.recall])[0]


@dataclass(frozen=True, repr=False, kw_only=True)
class ElevenPointPrecision(GradeLevelMeasure, QueryMeasure):
    """IPrec11: the mean of the interpolated precisions at recall 0, 0.1, ... 1.

    ``rule``, ``level`` and ``at_least`` as for IPrec; ``trec9`` equals trec_eval's 11pt_avg up to 9 and pytrec_eval's.
    Range [0, 1]; higher is better. A query that returned nothing scores 0; null where nothing is relevant (0 with ``undefined=zero``, as
    trec_eval). `sessionkit.precision_recall` gives the curve itself.

    Relevant at 1 and 4, two in all: 1 up to recall 0.5, then 1/2: (6 x 1 + 5 x 0.5) / 11 = 0.7727

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "d"], "grade": [1, 1]},
    ... )
    >>> round(sk.score(study, ["IPrec11"], per="query").get_column("value").item(), 4)
    0.7727
    """

    name = "IPrec11"
    formula = "(IPrec(recall=0) + IPrec(recall=0.1) + ... + IPrec(recall=1)) / 11"
    meaning = "mean of the highest precisions at eleven levels of recall"
    source = "Salton & McGill, Introduction to Modern Information Retrieval, 1983; trec_eval's 11pt_avg"
    higher_grade_can_lower = True
    has_recall_curve = True

    rule: RecallRule = "ceil"

    @property
    def highest(self) -> float | None:
        """The recall base at the top."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Exact mean over the levels."""
        curve = self.recall_curve(lists, ELEVEN)
        points = pl.DataFrame([point.alias(str(number)) for number, point in enumerate(curve)])
        total = pl.sum_horizontal(exact.fixed(pl.col(name)) for name in points.columns)
        points = points.with_columns(total=exact.unfixed(total))
        mean = exact.quotient(pl.col("total"), pl.lit(len(ELEVEN)))
        return points.select(pl.when(pl.col("0").is_not_null()).then(mean).alias("value")).to_series()

    def recall_curve(self, lists: Lists, levels: Sequence[float]) -> list[pl.Series]:
        """Interpolated precision at some levels of recall."""
        return precision_at_recall(lists, self.relevant(lists), self.relevant_base(lists), self.rule, levels)


def precision_at_recall(
    lists: Lists, relevant: pl.DataFrame, base: pl.Series, rule: str, levels: Sequence[float]
) -> list[pl.Series]:
    """Interpolated precision of every list at some levels of recall, one column for each; null where nothing is relevant.

    Parameters
    ----------
    relevant
        The relevant results: ``list``, ``rank``, ``nth``.
    base
        Number of relevant documents in the recall base of every list.
    """
    precision = exact.quotient(pl.col("nth"), pl.col("rank"))
    rows = relevant.select("list", precision=precision)
    # the best precision from each relevant result down to the end of its list
    best = rows.select(pl.col("precision").cum_max(reverse=True).over("list")).to_series()
    shown = lists.per_list(rows)
    begins = shown.cum_sum() - shown
    columns = []
    for level in levels:
        places = pl.DataFrame({"base": base, "shown": shown, "begins": begins})
        places = places.with_columns(needed=needed(pl.col("base"), level, rule).clip(lower_bound=1))
        place = places.select(
            pl.when(pl.col("needed") <= pl.col("shown")).then(pl.col("begins") + pl.col("needed") - 1)
        ).to_series()
        found = places.with_columns(best.gather(place).fill_null(0.0).alias("value"))
        columns.append(found.select(pl.when(pl.col("base") > 0).then(pl.col("value")).alias("value")).to_series())
    return columns


def needed(base: pl.Expr, recall: float, rule: str) -> pl.Expr:
    """How many of so many relevant documents make a recall, by one of the rules.

    >>> counts = pl.DataFrame({"R": [3, 10, 14, 15]})
    >>> [counts.select(needed(pl.col("R"), 0.1, rule)).to_series().to_list() for rule in ("ceil", "trec9", "trec10")]
    [[1, 1, 2, 2], [1, 1, 2, 2], [0, 1, 1, 2]]
    """
    if rule == "trec9":
        return (base * recall + 0.9).floor().cast(pl.Int64)
    if rule == "trec10":
        return (base * recall + 0.5).floor().cast(pl.Int64)
    share = Fraction(str(recall))  # the number as it is written: 0.07 x 100 is 7, not 7.000000000000001
    whole = base.cast(pl.Int128) * pl.lit(share.numerator, pl.Int128) + pl.lit(share.denominator - 1, pl.Int128)
    return (whole // pl.lit(share.denominator, pl.Int128)).cast(pl.Int64)


IPrec = InterpolatedPrecision()
IPrec11 = ElevenPointPrecision()


FAMILY = (AP, GAP, SeenAP, Rprec, RR, Success, AvgP, IPrec, IPrec11)
