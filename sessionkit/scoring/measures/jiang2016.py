"""DCG, nDCG, P, RBP and GAP as the code of Jiang & Allan 2016 computes them.

All but GAP are means over what was retrieved, not sums over k ranks: they differ from the measures whose names they
carry on lists shorter than the cutoff, which they flatter: a list of one relevant document has P 1, and an nDCG that can
exceed 1. They are here under names of their own so that published values can be reproduced and compared.

That code lets a judgment of -1 gain -0.5 with 2^grade - 1; here, as everywhere in sessionkit, grades below 0 gain 0. It
divides by zero where nothing is relevant; here nDCG is then null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.discounts import discount_expr
from sessionkit.scoring.measures.base import NO_BASE, TermMeasure
from sessionkit.scoring.measures.generalized_precision import base_gain

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

SOURCE = "jiepujiang/ir_metrics, the code of Jiang & Allan, CHIIR 2016 and ECIR 2016"


@dataclass(frozen=True, repr=False, kw_only=True)
class MeanOfRetrieved(TermMeasure):
    """A mean of the gains of the results that were retrieved, weighted by a discount of their ranks."""

    source = SOURCE
    undefined_where = "no judgments for their key"

    gain: str = "binary"

    @property
    def highest(self) -> float | None:
        """All results relevant; of graded gains there is no bound."""
        return 1.0 if self.gain == "binary" else None

    def weight(self) -> pl.Expr:
        """What a result counts in the mean, by its ``rank``."""
        return pl.lit(1.0)

    def terms(self, lists: Lists) -> pl.DataFrame:
        """Every gain times its weight."""
        gains = lists.gaining(self.gain, self.min_grade)
        return gains.select("list", "rank", term=pl.col("gain") * self.weight()).filter(pl.col("term") > 0)

    def divisor(self, lists: Lists) -> pl.Series:
        """The weights of all results of the list; 1 of an empty one, which scores 0."""
        weights = lists.added(lists.every.select("list", term=self.weight()))
        return weights.replace(0.0, 1.0)


@dataclass(frozen=True, repr=False, kw_only=True)
class PrecisionOfRetrieved(MeanOfRetrieved):
    """P_jiang2016: the mean gain of the results retrieved down to rank k: relevant results / min(k, results).

    Higher is better; range [0, 1] with ``gain=binary``, the default. With ``gain=0-0.4-1`` the source's graded
    precision, GP. An empty list scores 0; null where the query's key has no judgments.

    One of the two results that a list has is relevant: P_jiang2016@10 = 1/2, where P@10 is 1/10:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": list("ab"), "grade": [1, 0]},
    ... )
    >>> sk.score(study, ["P_jiang2016@10", "P@10"], per="query").get_column("value").to_list()
    [0.5, 0.1]
    """

    name = "P_jiang2016"
    bounds = "linear"
    formula = "sum of gain(i) / number of results, over the results retrieved at ranks i = 1..k"
    meaning = "mean gain of the results retrieved"


@dataclass(frozen=True, repr=False, kw_only=True)
class RankBiasedPrecisionOfRetrieved(MeanOfRetrieved):
    """RBP_jiang2016: the mean gain of the results retrieved, weighted by p^(i - 1).

    Higher is better; range [0, 1] with ``gain=binary``, the default. With ``gain=0-0.4-1`` the source's graded RBP,
    GRBP. An empty list scores 0; null where the query's key has no judgments.

    Relevant at rank 1 of two, p = 0.8: 1 / (1 + 0.8) = 0.5556, where RBP is 0.2:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": list("ab"), "grade": [1, 0]},
    ... )
    >>> sk.score(study, ["RBP_jiang2016(p=0.8)", "RBP(p=0.8)"], per="query").get_column("value").round(4).to_list()
    [0.5556, 0.2]
    """

    name = "RBP_jiang2016"
    bounds = "linear"
    example = "RBP_jiang2016(p=0.8)@10"
    required = ("p",)
    formula = "sum of gain(i) x p^(i - 1) / sum of p^(i - 1), over the results retrieved at ranks i = 1..k"
    meaning = "mean gain of the results, weighted by chances to be read"

    p: float | None = None

    def weight(self) -> pl.Expr:
        """Persistence to the power of the ranks above."""
        return discount_expr(pl.col("rank"), "geometric", p=self.p)


@dataclass(frozen=True, repr=False, kw_only=True)
class DiscountedGainOfRetrieved(MeanOfRetrieved):
    """DCG_jiang2016: the mean gain of the results retrieved, discounted by rank; not a sum.

    Higher is better; range [0, no bound) but [0, 1] with ``gain=binary``; the discount is 1 / log2(i + 1). An empty list
    scores 0; null where the query's key has no judgments.

    Grades 0, 1: (1 / 1.585) / (1 + 1 / 1.585) = 0.3869, where DCG is 0.6309

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": list("ab"), "grade": [0, 1]},
    ... )
    >>> sk.score(study, ["DCG_jiang2016@10", "DCG(gain=exp2)@10"], per="query").get_column("value").round(4).to_list()
    [0.3869, 0.6309]
    """

    name = "DCG_jiang2016"
    bounds = "linear"
    formula = "sum of gain(i) d(i) / sum of d(i), over the results retrieved at ranks i = 1..k; d = 1 / log2(i + 1)"
    meaning = "mean gain of the results, late ranks counting less"

    gain: str = "exp2"

    def weight(self) -> pl.Expr:
        """Discount by rank."""
        return discount_expr(pl.col("rank"), "burges", 2)


@dataclass(frozen=True, repr=False, kw_only=True)
class NormalizedGainOfRetrieved(MeanOfRetrieved):
    """nDCG_jiang2016: the mean gain of the results retrieved, discounted by rank, over that of the ideal list.

    Higher is better; range [0, no bound): each list is divided by the discounts of its own ranks, so one that is shorter
    than the ideal list can exceed 1. The ideal list are all documents judged for the query's key, best first, down to
    rank k; the discount is 1 / log2(i + 1). An empty list scores 0. Null where nothing is relevant.

    Grades 0, 1 retrieved, of 2, 1, 0 judged, ``gain=exp2``: (1 / 1.585) / (1 + 1 / 1.585) = 0.3869, by the ideal's
    (3 + 1 / 1.585) / (1 + 1 / 1.585 + 1 / 2) = 1.7039: 0.2270, where nDCG is 0.1738

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": list("abc"), "grade": [0, 1, 2]},
    ... )
    >>> sk.score(study, ["nDCG_jiang2016@10", "nDCG(gain=exp2)@10"], per="query").get_column("value").round(4).to_list()
    [0.227, 0.1738]
    """

    name = "nDCG_jiang2016"
    higher_grade_can_lower = True
    formula = "(sum of gain(i) d(i) / sum of d(i), over the results retrieved) / the same of the ideal list; d = 1 / log2(i + 1)"
    meaning = "mean discounted gain of the results, divided by the ideal list's"
    undefined_where = NO_BASE

    gain: str = "exp2"

    @property
    def highest(self) -> float | None:
        """None: a short list can exceed the ideal."""
        return None

    def weight(self) -> pl.Expr:
        """Discount by rank."""
        return discount_expr(pl.col("rank"), "burges", 2)

    def divisor(self, lists: Lists) -> pl.Series:
        """The discounts of all results of the list, times the mean of the ideal list."""
        return super().divisor(lists) * self._ideal(lists)

    def _ideal(self, lists: Lists) -> pl.Series:
        """Mean discounted gain of the ideal list of every list's key; 0 where nothing is relevant."""
        cutoff = self.cutoff if self.cutoff is not None else 2**31
        best = lists.ideal(self.gain, self.min_grade).filter(pl.col("rank") <= cutoff)
        sums = best.group_by("key").agg(total=exact.fixed(pl.col("gain") * self.weight()).sum())
        judged = (lists.base_size(self.min_grade) + lists.base_others(self.min_grade)).clip(upper_bound=cutoff)
        ranks = pl.DataFrame({"rank": pl.int_range(1, int(judged.to_numpy().max(initial=0)) + 1, eager=True)})
        upto = ranks.select(exact.unfixed(exact.fixed(self.weight()).cum_sum())).to_series()
        discounts = pl.concat([pl.Series([0.0]), upto]).gather(judged)
        rows = lists.queries.select("key").join(sums, on="key", how="left", maintain_order="left")
        rows = rows.with_columns(discounts.alias("discounts"), pl.col("total").fill_null(0))
        mean = exact.quotient(exact.unfixed(pl.col("total")), pl.col("discounts")).fill_null(0.0)
        return rows.select(mean).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class SummedGradedAveragePrecision(TermMeasure):
    """GAP_jiang2016: graded average precision in which every result above counts its whole gain.

    GAP counts of a result above only what it shares with the relevant one below; here it counts all of its gain, so that
    there is no bound. Higher is better; range [0, no bound); with
    ``gain=binary`` it is AP. ``gain=0-0.4-1`` are the gains of that code. A query that returned nothing scores 0; null
    where nothing is relevant.

    Grades 2, 1: (2 + (2 + 1) / 2) / 3 = 1.1667, where GAP is 1

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": list("ab"), "grade": [2, 1]},
    ... )
    >>> sk.score(study, ["GAP_jiang2016", "GAP"], per="query").get_column("value").round(4).to_list()
    [1.1667, 1.0]
    """

    name = "GAP_jiang2016"
    higher_grade_can_lower = True
    formula = "sum over ranks i <= k with a gain of (sum over m <= i of g(m)) / i, / sum of g over the recall base"
    meaning = "graded average precision, results above counting their whole gain"
    source = SOURCE

    gain: str = "linear"

    def terms(self, lists: Lists) -> pl.DataFrame:
        """The gains down to every result that gains, by its rank."""
        rows = lists.gaining(self.gain, self.min_grade)
        so_far = exact.unfixed(exact.running(exact.fixed(pl.col("gain"))))
        return rows.select("list", "rank", term=exact.quotient(so_far, pl.col("rank")))

    def divisor(self, lists: Lists) -> pl.Series:
        """Gains of the recall base, added up."""
        return base_gain(lists, self.gain, self.min_grade)


DCG_jiang2016 = DiscountedGainOfRetrieved()
GAP_jiang2016 = SummedGradedAveragePrecision()
nDCG_jiang2016 = NormalizedGainOfRetrieved()  # noqa: N816 - the field's spelling
P_jiang2016 = PrecisionOfRetrieved()
RBP_jiang2016 = RankBiasedPrecisionOfRetrieved()
FAMILY = (DCG_jiang2016, nDCG_jiang2016, P_jiang2016, RBP_jiang2016, GAP_jiang2016)
