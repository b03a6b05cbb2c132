"""Expected reciprocal rank: where a searcher stops who goes down the list until a result satisfies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.scoring.measures.base import TermMeasure
from sessionkit.scoring.measures.grade_scale import top_of_scale

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedReciprocalRank(TermMeasure):
    """ERR: the expected reciprocal of the rank at which the searcher stops, satisfied by a result or not.

    A result of grade g satisfies with probability (2^g - 1) / 2^max_grade, max_grade the measure's, else the study's; a
    measure that has neither is an error that proposes a value, since the value depends on it. Range [0, 1]; higher is
    better. A query that returned nothing, or nothing relevant, scores 0; null where the query's key has no judgments.
    ``max_grade=4`` equals gdeval and ir-measures' ERR (which round to five decimals); the TREC Session track of 2011
    has 3, the code of Jiang & Allan 2.

    Grades 2, 0, 1 on a scale up to 2: 3/4 at rank 1, then 1/4 x 1/4 at rank 3: 0.75 + 0.0625 / 3 = 0.7708

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [2, 0, 1]},
    ...     max_grade=2,
    ... )
    >>> round(sk.score(study, ["ERR@3"], per="query").get_column("value").item(), 4)
    0.7708
    """

    name = "ERR"
    bounds = "rising"
    example = "ERR(max_grade=4)@10"
    formula = "sum over ranks i <= k of s(i) / i x product over j < i of (1 - s(j)), s = (2^grade - 1) / 2^max_grade"
    meaning = "expected 1 / rank at which the searcher stops satisfied"
    source = "Chapelle, Metzler, Zhang & Grinspan, CIKM 2009"
    undefined_where = "no judgments for their key"
    without = ("min_grade",)

    max_grade: float | None = None

    @property
    def highest(self) -> float | None:
        """Approached by the top of a high scale at rank 1."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """Probability that the searcher stops at a result, over its rank."""
        satisfies = pl.col("gain") / 2.0 ** top_of_scale(self, self.max_grade, lists)
        passed_before = (1.0 - satisfies).shift(1, fill_value=1.0).cum_prod().over("list")
        stops = lists.gaining("exp2").with_columns(stops=satisfies * passed_before)
        return stops.select("list", "rank", term=pl.col("stops") / pl.col("rank"))


ERR = ExpectedReciprocalRank()
FAMILY = (ERR,)
