"""The expected-session family: what a searcher gains on average who may leave a list, or the session, anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from sessionkit.arguments import Truncation
from sessionkit.errors import MeasureError
from sessionkit.scoring.filter import sessions_with_judgments
from sessionkit.scoring.measures.base import NO_BASE, SessionMeasure
from sessionkit.scoring.measures.cumulated_gain import RankDiscount
from sessionkit.scoring.searcher import Chances, Searcher

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists
    from sessionkit.scoring.scan_paths import PathValue
    from sessionkit.scoring.searcher import Walk


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedMeasure(SessionMeasure):
    """The expectation of what a scan path is worth, over all paths of a searcher through the session's lists.

    In every list the searcher reads the first document, goes down after each with probability ``pdown`` and leaves
    otherwise; after a list asks the next query with probability ``pref``; ranks that show nothing known are read too. The
    path is what was read, list after list. The chance to go on beyond the end of a list, or after the last query, is that
    of stopping there (``truncate=absorb``) or is spread over all ranks, or queries, in proportion
    (``truncate=renormalise``). A path without any document is worth 0.

    With ``duplicates=first`` a document gains where the path reads it for the first time, which is where it was first
    shown only if the searcher came so far.
    """

    required = ("pdown", "pref")
    source = "Kanoulas, Carterette, Clough & Sanderson, SIGIR 2011, from memory; paths as sampled by the code of Jiang & Allan, CHIIR 2016"
    undefined_where = "no judgments for their key"

    over: ClassVar[str] = "nothing"

    pdown: float | None = None
    pref: float | None = None
    truncate: Truncation = "absorb"

    def searcher(self) -> tuple[Searcher, str]:
        """The one who walks."""
        walk = Searcher(Chances("geometric", p=self.pdown), Chances("geometric", p=self.pref))
        return walk, f"goes down with probability {self.pdown:g} and from list to list with {self.pref:g}"

    @property
    def walk(self) -> Walk:
        """The searcher."""
        from sessionkit.scoring.searcher import Walk

        self.require_parameters()
        return Walk(float(self.pdown or 0), float(self.pref or 0), self.truncate)

    def worth(self) -> PathValue:
        """What a path is worth."""
        from sessionkit.scoring.scan_paths import PathValue

        return PathValue("binary", self.min_grade, "none", over=self.over)

    def values(self, lists: Lists) -> pl.Series:
        """Expectation for every session; null where nothing is judged for it or, where that is needed, relevant."""
        from sessionkit.scoring.scan_paths import expectations

        return self._defined(lists, expectations(lists, self.walk, self.worth()))

    def variances(self, lists: Lists) -> pl.DataFrame:
        """Expectation (``value``) and ``variance`` of what a path is worth, for every session.

        Raises
        ------
        MeasureError
            If documents gain only the first time they are read.
        """
        from sessionkit.scoring.scan_paths import expectations, squares

        if self.duplicates == "first":
            msg = f"{self}: the variance needs documents that gain every time they are read; leave out duplicates=first"
            raise MeasureError(msg)
        value = expectations(lists, self.walk, self.worth())
        spread = np.maximum(squares(lists, self.walk, self.worth()) - value**2, 0.0)
        return pl.DataFrame([self._defined(lists, value), self._defined(lists, spread).alias("variance")])

    def _defined(self, lists: Lists, found: np.ndarray) -> pl.Series:
        """As a column, null where the measure has no value."""
        judged = sessions_with_judgments(lists.batch, lists.selection)
        value = pl.Series("value", found).fill_nan(None)
        return pl.select(pl.when(judged).then(value).alias("value")).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedGain(RankDiscount, ExpectedMeasure):
    """esDCG: the expected DCG of a scan path, discounted by the place in the path.

    Range [0, no bound); higher is better. The searcher reads the first document of a list, goes down after each with
    probability ``pdown`` and leaves otherwise; after a list asks the next query with probability ``pref``; both are
    required. The end of a list, or of the session, stops whoever comes there (``truncate=absorb``), or the chances of
    all ranks, and of all queries, are made to add up to 1 (``truncate=renormalise``, the truncated geometric
    distributions of SIGIR 2011, from memory). Exact, without sampling; the variance over paths: `path_variance`. With
    ``duplicates=first`` a document gains where the path reads it for the first time. Null where the session's key has
    no judgments at all.

    One list <1, 1>, then <1>; pdown=0.5, pref=0.5, no discount: 1.5 documents of the first list, and one more with
    chance 0.5:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1, 1, 2], "rank": [1, 2, 1], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [1, 1, 1]},
    ... )
    >>> sk.score(study, "esDCG(discount=none,pdown=0.5,pref=0.5)").get_column("value").item()
    2.0
    """

    name = "esDCG"
    bounds = "rising"
    sums_queries = True
    example = "esDCG(pdown=0.7,pref=0.9)@10"
    formula = "E[sum over places i of the path of gain(i) x d(i)]; d by default 1 / log2(i + 1)"
    meaning = "expected gain of a random reading path, late documents counting less"

    gain: str = "linear"

    def __post_init__(self) -> None:
        """Check that a geometric discount has its persistence."""
        super().__post_init__()
        self.require_persistence()

    def worth(self) -> PathValue:
        """The discounted sum of gains."""
        from sessionkit.scoring.scan_paths import PathValue

        return PathValue(self.gain, self.min_grade, self.discount, self.b, self.p)


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedNormalizedGain(RankDiscount, ExpectedMeasure):
    """esnDCG: the expected nDCG of a scan path, its ideal cut where the path ends.

    Every path is divided by the DCG of as many documents of the recall base, the best first, whichever query they are
    for; a path without documents is worth 0. Range [0, 1] with ``duplicates=first``; otherwise a good document that is
    shown again can make a path better than its ideal, so that there is no bound. Higher is better. Parameters and paths
    are those of esDCG; ``like=jiang2016`` is what the code of Jiang & Allan samples. Null where nothing is relevant (0
    with ``undefined=zero``).

    One list <0, 2> of the recall base {2, 1}, pdown=0.5: half of the paths read nothing good, half gain 2 / log2(3) of
    2 + 1 / log2(3): 0.5 x 0.4796

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("ss"), "query_position": [1, 1], "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [0, 2, 1]},
    ... )
    >>> round(sk.score(study, "esnDCG(pdown=0.5,pref=0.5)").get_column("value").item(), 4)
    0.2398
    """

    name = "esnDCG"
    example = "esnDCG(pdown=0.7,pref=0.9)@10"
    formula = "E[DCG of the path / DCG of the best path of as many documents]"
    meaning = "expected share of a random reading path's best discounted gain"
    undefined_where = NO_BASE
    higher_grade_can_lower = True
    over = "best"

    gain: str = "linear"

    @property
    def highest(self) -> float | None:
        """1 where a document gains once in a path."""
        return 1.0 if self.duplicates == "first" else None

    def __post_init__(self) -> None:
        """Check that a geometric discount has its persistence, and that the discount falls."""
        super().__post_init__()
        self.require_persistence()
        self.require_falling_discount("places", "best path")

    def worth(self) -> PathValue:
        """The discounted sum of gains, as a share of the best."""
        from sessionkit.scoring.scan_paths import PathValue

        return PathValue(self.gain, self.min_grade, self.discount, self.b, self.p, self.over)


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedNormalizedCumulatedGain(ExpectedMeasure):
    """esnCG: the expected nCG of a scan path, its ideal cut where the path ends; esnDCG without discount.

    Range [0, 1] with ``duplicates=first``; otherwise a good document that is shown again can make a path better than its
    ideal, so that there is no bound. Higher is better. Parameters and paths are those of esDCG. Null where nothing is
    relevant (0 with ``undefined=zero``).

    One list <0, 2> of the recall base {2, 1}, pdown=0.5: half of the paths read nothing good, half gain 2 of 3:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("ss"), "query_position": [1, 1], "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [0, 2, 1]},
    ... )
    >>> round(sk.score(study, "esnCG(pdown=0.5,pref=0.5)").get_column("value").item(), 4)
    0.3333
    """

    name = "esnCG"
    example = "esnCG(pdown=0.7,pref=0.8)@10"
    formula = "E[CG of the path / CG of the best path of as many documents]"
    meaning = "expected share of a random reading path's best gain"
    undefined_where = NO_BASE
    higher_grade_can_lower = True
    over = "best"

    gain: str = "linear"

    @property
    def highest(self) -> float | None:
        """1 where a document gains once in a path."""
        return 1.0 if self.duplicates == "first" else None

    def worth(self) -> PathValue:
        """The sum of gains."""
        from sessionkit.scoring.scan_paths import PathValue

        return PathValue(self.gain, self.min_grade, "none", over=self.over)


esDCG = ExpectedGain()  # noqa: N816 - the field's spelling
esnDCG = ExpectedNormalizedGain()  # noqa: N816
esnCG = ExpectedNormalizedCumulatedGain()  # noqa: N816


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedPrecision(ExpectedMeasure):
    """esP: the expected share of relevant documents in a scan path.

    Range [0, 1]; higher is better. A path without documents has precision 0. Parameters and paths are those of esDCG.
    Null where the session's key has no judgments at all.

    One list <0, 1>, pdown=0.5: half of the paths have precision 0, half 1/2:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("ss"), "query_position": [1, 1], "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [0, 2]},
    ... )
    >>> sk.score(study, "esP(pdown=0.5,pref=0.5)").get_column("value").item()
    0.25
    """

    name = "esP"
    bounds = "rising"
    example = "esP(pdown=0.7,pref=0.9)@10"
    formula = "E[relevant documents of the path / documents of the path]"
    meaning = "expected share of relevant documents on a random reading path"
    over = "length"

    @property
    def highest(self) -> float | None:
        """Every document relevant."""
        return 1.0


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedAveragePrecision(ExpectedMeasure):
    """esAP: the expected average precision of a scan path.

    Of a path, the precisions at its relevant documents are added up and divided by the number R of relevant documents of
    the recall base. Range [0, 1] with ``duplicates=first``; otherwise a relevant document that is shown again counts
    again, so that there is no bound. Higher is better. Parameters and paths are those of esDCG. Null where nothing is
    relevant (0 with ``undefined=zero``).

    One list <0, 1>, R=2, pdown=0.5: half of the paths find nothing, half one document with precision 1/2:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("ss"), "query_position": [1, 1], "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [0, 2, 1]},
    ... )
    >>> sk.score(study, "esAP(pdown=0.5,pref=0.5)").get_column("value").item()
    0.125
    """

    name = "esAP"
    example = "esAP(pdown=0.7,pref=0.9)@10"
    formula = "E[sum over relevant documents of the path of relevant so far / documents so far] / R"
    meaning = "expected average precision of a random reading path"
    undefined_where = NO_BASE
    higher_grade_can_lower = True
    over = "base"

    @property
    def highest(self) -> float | None:
        """1 where a document counts once in a path."""
        return 1.0 if self.duplicates == "first" else None

    def worth(self) -> PathValue:
        """The sum of precisions at relevant documents."""
        from sessionkit.scoring.scan_paths import PathValue

        return PathValue("binary", self.min_grade, None, over=self.over)


esP = ExpectedPrecision()  # noqa: N816 - the field's spelling
esAP = ExpectedAveragePrecision()  # noqa: N816


FAMILY = (esDCG, esnDCG, esnCG, esP, esAP)
