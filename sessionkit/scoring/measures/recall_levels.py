"""Interpolated precision at levels of recall: IPrec at one of them, IPrec11 the mean over eleven."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.choices import RecallRule
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import QueryMeasure
from sessionkit.scoring.measures.grade_level import GradeLevelMeasure

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

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
FAMILY = (IPrec, IPrec11)
