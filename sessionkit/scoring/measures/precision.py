"""Precision and recall of a list, and both as one number: P, R, F, E and MaxF; and the grade from which a document is relevant."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import Measure, QueryMeasure, TermMeasure

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

CLEVERDON = "Cleverdon 1967"
VAN_RIJSBERGEN = "van Rijsbergen, Information Retrieval, 1979, chapter 7"


@dataclass(frozen=True, repr=False, kw_only=True)
class GradeLevelMeasure(Measure):
    """A binary measure that can look at one relevance level, as Järvelin & Kekäläinen do in 2000.

    ``at_least=2`` counts grades of 2 and higher, as ``min_grade=2`` does; ``level=2`` counts grade 2 alone, and no
    document of another grade is relevant then, neither in the list nor in the recall base.

    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> parse_measure("P(level=2)@10")
    P(level=2)@10
    """

    level_: float | None = None
    at_least: float | None = None

    def __post_init__(self) -> None:
        """Refuse more than one way to say what is relevant."""
        super().__post_init__()
        given = [self.min_grade != self.default("min_grade"), self.level_ is not None, self.at_least is not None]
        if sum(given) > 1:
            msg = f"{self.name}: min_grade, level and at_least each say which grades are relevant; give one of them"
            raise MeasureError(msg)

    @property
    def lowest_relevant(self) -> float:
        """Lowest grade of a relevant document."""
        return next(grade for grade in (self.level_, self.at_least, self.min_grade) if grade is not None)

    @property
    def only_grade(self) -> float | None:
        """The parameter ``level``."""
        return self.level_

    def relevant(self, lists: Lists) -> pl.DataFrame:
        """The relevant results: ``list``, ``rank``, ``nth`` (number of the row within its list)."""
        rows = lists.relevant(self.lowest_relevant)
        if self.level_ is not None:
            rows = rows.filter(pl.col("grade") == self.level_)
            rows = rows.with_columns(lists.nth(rows).alias("nth"))
        return rows.select("list", "rank", "nth")

    def relevant_base(self, lists: Lists) -> pl.Series:
        """Number of relevant documents in the recall base of every list."""
        size = lists.base_size(self.lowest_relevant)
        if self.level_ is not None:
            size = size - lists.base_size(float(np.nextafter(self.level_, np.inf)))
        return size


@dataclass(frozen=True, repr=False, kw_only=True)
class Precision(GradeLevelMeasure, TermMeasure):
    """P: the share of relevant results among those looked at.

    Range [0, 1]; higher is better. P@k divides by k, however short the list is, as trec_eval's P_k, ir-measures and
    ranx; without a cutoff P divides by the length of the list, as set_P. ``level=2`` counts documents of exactly grade
    2, ``at_least=2`` those of grade 2 and higher. A query that returned nothing scores 0, and so does one for which
    something is judged but nothing relevant; null where the query's key has no judgments. Jiang's code divides by the
    length of the list where that is below k; see P_jiang2016.

    Two of three results relevant, looked at five: 2/5.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [3, 0, 1]},
    ... )
    >>> sk.score(study, ["P@5", "P(level=3)@5"], per="query").get_column("value").to_list()
    [0.4, 0.2]
    """

    name = "P"
    bounds = "linear"
    formula = "relevant results at ranks 1..k / k; without a cutoff, / length of the list"
    meaning = "share of the results that are relevant"
    source = f"{CLEVERDON}; by relevance level: Järvelin & Kekäläinen, SIGIR 2000"
    undefined_where = "no judgments for their key"

    @property
    def higher_grade_can_lower(self) -> bool:  # type: ignore[override]
        """A document of the one grade that counts can leave it."""
        return self.level_ is not None

    @property
    def highest(self) -> float | None:
        """All results relevant."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """One for every relevant result."""
        return self.relevant(lists).select("list", "rank", term=pl.lit(1.0))

    def divisor(self, lists: Lists) -> pl.Series:
        """The cutoff, or the length of the list; 1 of an empty one."""
        return looked_at(lists, self.cutoff).clip(lower_bound=1)


@dataclass(frozen=True, repr=False, kw_only=True)
class Recall(GradeLevelMeasure, TermMeasure):
    """R: the share of the recall base that the list shows.

    Range [0, 1]; higher is better. The recall base is every document judged relevant for the query's key. ``level`` and
    ``at_least`` as for P. Equals trec_eval's recall_k and set_recall, ir-measures' R and ranx' recall. A query that
    returned nothing scores 0; null where nothing is relevant (0 with ``undefined=zero``, as trec_eval).

    One of two relevant documents shown: 1/2.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [3, 1]},
    ... )
    >>> sk.score(study, ["R@5", "R(at_least=2)@5"], per="query").get_column("value").to_list()
    [0.5, 1.0]
    """

    name = "R"
    bounds = "counted"
    formula = "relevant results at ranks 1..k / relevant documents in the recall base"
    meaning = "share of the relevant documents that are found"
    source = f"{CLEVERDON}; by relevance level: Järvelin & Kekäläinen, SIGIR 2000"
    higher_grade_can_lower = True

    @property
    def highest(self) -> float | None:
        """The whole recall base shown."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """One for every relevant result."""
        return self.relevant(lists).select("list", "rank", term=pl.lit(1.0))

    def divisor(self, lists: Lists) -> pl.Series:
        """Size of the recall base."""
        return self.relevant_base(lists)


@dataclass(frozen=True, repr=False, kw_only=True)
class HarmonicMean(GradeLevelMeasure, TermMeasure):
    """F: the weighted harmonic mean of precision and recall.

    F = (1 + beta^2) P R / (beta^2 P + R), P and R with the same cutoff; ``beta`` (1) above 1 gives recall more weight.
    Range [0, 1]; higher is better. It is 1 only where both are 1. Without a cutoff it equals trec_eval's set_F and
    ir-measures' SetF, whose parameter is beta^2: F(beta=2) is SetF(beta=4); with a cutoff, ranx' f1@k. ``level`` and
    ``at_least`` as for P. A query that returned nothing scores 0; null where nothing is relevant.

    P = 1/2 and R = 1/4: F is 0.4167 for beta 0.5, 0.3333 for 1, 0.2778 for 2.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "x"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [1] * 4},
    ... )
    >>> sk.score(study, ["F(beta=.5)", "F", "F(beta=2)"], per="query").get_column("value").round(4).to_list()
    [0.4167, 0.3333, 0.2778]
    """

    name = "F"
    bounds = "counted"
    formula = "(1 + beta^2) x P x R / (beta^2 x P + R)"
    meaning = "balance of precision and recall"
    source = VAN_RIJSBERGEN
    higher_grade_can_lower = True

    beta: float = 1

    @property
    def highest(self) -> float | None:
        """Precision and recall are both 1."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """1 + beta^2 for every relevant result: with n of them, P = n / k and R = n / base, F is their sum over a divisor."""
        return self.relevant(lists).select("list", "rank", term=pl.lit(1.0 + self.beta**2))

    def divisor(self, lists: Lists) -> pl.Series:
        """beta^2 x recall base + results looked at; 0 where nothing is relevant."""
        base = self.relevant_base(lists)
        counts = pl.DataFrame({"base": base, "looked_at": looked_at(lists, self.cutoff)})
        whole = pl.col("base") * self.beta**2 + pl.col("looked_at")
        return counts.select(pl.when(pl.col("base") > 0).then(whole).otherwise(0.0)).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class Effectiveness(GradeLevelMeasure, QueryMeasure):
    """E: van Rijsbergen's effectiveness, 1 - F.

    Range [0, 1]; lower is better: a query that returned nothing, or nothing relevant, has the worst value, 1. The
    parameters are those of F; null where nothing is relevant. ``undefined=zero`` and ``unjudged_topics=zero`` make such topics
    0, the best value. No tool of those compared has it.

    P = 1/2 and R = 1/4: E is 0.5833 for beta 0.5, 0.6667 for 1, 0.7222 for 2.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "x"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [1] * 4},
    ... )
    >>> sk.score(study, ["E(beta=.5)", "E", "E(beta=2)"], per="query").get_column("value").round(4).to_list()
    [0.5833, 0.6667, 0.7222]
    """

    name = "E"
    bounds = "counted"
    direction = "lower"
    formula = "1 - (1 + beta^2) x P x R / (beta^2 x P + R)"
    meaning = "lack of precision and recall, 1 minus F"
    source = VAN_RIJSBERGEN
    higher_grade_can_lower = True

    beta: float = 1

    @property
    def highest(self) -> float | None:
        """Nothing relevant shown."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """What F leaves of 1."""
        harmonic = HarmonicMean(**{field.name: getattr(self, field.name) for field in fields(self)})
        return 1.0 - harmonic.values(lists)


@dataclass(frozen=True, repr=False, kw_only=True)
class HighestHarmonicMean(GradeLevelMeasure, QueryMeasure):
    """MaxF: the highest F over the ranks of the list, for a searcher who stops at the best rank.

    Range [0, 1]; higher is better. F at rank i is that of the first i results. ``beta``, ``level`` and ``at_least`` as
    for F. A list without a relevant result scores 0, and so does a query that returned nothing; null where nothing is
    relevant. No tool of those compared has it for ranked lists.

    Relevant at 1 and 3 of 4, two relevant in all: F is 2/3, 1/2, 4/5, 2/3.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "c"], "grade": [1, 1]},
    ... )
    >>> sk.score(study, ["MaxF"], per="query").get_column("value").to_list()
    [0.8]
    """

    name = "MaxF"
    bounds = "counted"
    formula = "max over ranks i <= k of F@i"
    meaning = "balance of precision and recall at the list's best rank"
    source = f"{VAN_RIJSBERGEN}, for F; its maximum over ranks is common in evaluation courses"
    higher_grade_can_lower = True

    beta: float = 1

    @property
    def highest(self) -> float | None:
        """The recall base and nothing else at the top."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """The highest F at a relevant result: between two of them it only falls."""
        base = self.relevant_base(lists)
        rows = self.relevant(lists).with_columns(base=base.gather(self.relevant(lists)["list"]))
        found = pl.col("nth") * (1.0 + self.beta**2)
        here = exact.quotient(found, pl.col("base") * self.beta**2 + pl.col("rank"))
        best = rows.group_by("list").agg(best=here.max())
        every = lists.queries.select("list").join(best, on="list", how="left", maintain_order="left")
        return every.select(pl.when(base > 0).then(pl.col("best").fill_null(0.0))).to_series()


def looked_at(lists: Lists, cutoff: int | None) -> pl.Series:
    """How many ranks of every list precision is taken of: the cutoff or, without one, its length."""
    length = lists.queries["length"]
    return length.cast(pl.Int64) if cutoff is None else pl.repeat(cutoff, len(length), dtype=pl.Int64, eager=True)


P = Precision()
R = Recall()
F = HarmonicMean()
E = Effectiveness()
MaxF = HighestHarmonicMean()
FAMILY = (P, R, F, E, MaxF)
