"""Measures for judgments that are incomplete: bpref and infAP, as trec_eval defines them.

A document is judged (it has a grade), pooled but unjudged (its grade is among the study's ``unjudged_grades``), or not
in the judgments at all. trec_eval takes every negative grade for pooled but unjudged; here the study declares which are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import TermMeasure

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

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
FAMILY = (bpref, infAP)
