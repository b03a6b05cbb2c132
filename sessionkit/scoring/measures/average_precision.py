"""Precision averaged over the relevant documents: AP, its graded form GAP, and SeenAP of those that were seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import BoundKind, TermMeasure
from sessionkit.scoring.measures.generalized_precision import base_gain
from sessionkit.scoring.measures.grade_level import GradeLevelMeasure

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
FAMILY = (AP, GAP, SeenAP)
