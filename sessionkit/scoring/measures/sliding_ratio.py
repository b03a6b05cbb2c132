"""The order of a list against the same list in the best order: sliding ratio, satisfaction, frustration and their total."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.scoring.measures.base import QueryMeasure, TermMeasure
from sessionkit.scoring.measures.parameters import SATISFACTION

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

NOTHING_GAINED = "no judgments for their key, or nothing in the list that gains"


@dataclass(frozen=True, repr=False, kw_only=True)
class SlidingGainRatio(TermMeasure):
    """SlidingRatio: the gain of the first k results, as a share of their gain in the best order of the list.

    Higher is better; range [0, 1]. Only what was retrieved counts: the ideal is the whole list that was shown, sorted
    by gain, so a list that finds little is not punished for it, and a longer list has a harder ideal (Research Notes
    2002-2, section 2.4, criticises that). At the end of the list, so without a cutoff, the ratio is 1. With
    the ideal over all relevant documents of the topic (Giuliano & Jones) it is nCG. With ``duplicates=first`` what was
    shown earlier in the session does not gain, at whatever rank it stood. Null where nothing in the list gains.

    Source: Pollack 1968 and Korfhage 1997, as Research Notes 2002-2 describes them.

    Gains 3, 2, 3, 0, 2 of which three are looked at: (3 + 2 + 3) / (3 + 3 + 2) = 1; of which two: 5/6

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 5], "doc_id": list("abcde")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 5, "doc_id": list("abcde"), "grade": [3, 2, 3, 0, 2]},
    ... )
    >>> sk.score(study, ["SlidingRatio@2", "SlidingRatio@3"], per="query").get_column("value").round(4).to_list()
    [0.8333, 1.0]
    """

    name = "SlidingRatio"
    higher_grade_can_lower = True
    example = "SlidingRatio@10"
    formula = "sum of gain(i) for i = 1..k / sum of the k largest gains of the whole list"
    meaning = "gain as a share of the list's own best order"
    source = "Pollack, American Documentation 1968, as Research Notes 2002-2 describes it"
    undefined_where = NOTHING_GAINED

    gain: str = "linear"

    @property
    def highest(self) -> float | None:
        """The list stands in the best order down to rank k."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """What the results down to the cutoff gain."""
        return _within(self._weights(lists.uncut), self.cutoff)

    def divisor(self, lists: Lists) -> pl.Series:
        """What the best results of the whole list gain."""
        return lists.added(_best(lists, self._weights(lists.uncut), self.cutoff))

    def _weights(self, uncut: Lists) -> pl.DataFrame:
        """``list``, ``rank`` and ``term`` of the results that gain."""
        return uncut.gaining(self.gain, self.min_grade).select("list", "rank", term="gain")


@dataclass(frozen=True, repr=False, kw_only=True)
class SatisfactionRatio(SlidingGainRatio):
    """Satisfaction: the sliding ratio of the results that gain at least ``threshold``; the others count 0.

    Higher is better; range [0, 1]. Myaeng and Korfhage describe the measure in prose, this formula is sessionkit's. The
    threshold is one of gains, so with ``gain=0-1-10-100`` one between 1 and 100. Null where no result of the list
    reaches it.

    Source: Myaeng & Korfhage 1990 for the idea; the formula is ours.

    Gains 3, 1, 3, 2 with threshold 2 at rank 2: (3 + 0) / (3 + 3) = 0.5

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [3, 1, 3, 2]},
    ... )
    >>> sk.score(study, ["Satisfaction(threshold=2)@2"], per="query").get_column("value").to_list()
    [0.5]
    """

    name = "Satisfaction"
    example = "Satisfaction(threshold=2)@10"
    formula = "sum of the gains >= threshold at ranks 1..k / sum of the k largest such gains of the whole list"
    meaning = "gain of satisfying results as a share of the list's best order"
    source = (
        "after Myaeng & Korfhage, Information Processing & Management 1990, who give prose; the formula is sessionkit's"
    )
    undefined_where = "no judgments for their key, or nothing in the list that reaches the threshold"

    threshold: float = 1

    def _weights(self, uncut: Lists) -> pl.DataFrame:
        """``list``, ``rank`` and ``term`` of the results that reach the threshold."""
        return SlidingGainRatio._weights(self, uncut).filter(pl.col("term") >= self.threshold)


@dataclass(frozen=True, repr=False, kw_only=True)
class FrustrationRatio(SlidingGainRatio):
    """Frustration: the shortfall of the first k results from ``threshold``, as a share of that in the worst order.

    Lower is better; range [0, 1]. A result that gains less than the threshold frustrates by the difference, one that is
    unjudged, not relevant or shown before by the whole threshold. Myaeng and Korfhage describe the measure in prose,
    this formula is sessionkit's. Null where every result of the list reaches the threshold, or none was shown.

    Source: Myaeng & Korfhage 1990 for the idea; the formula is ours.

    Gains 3, 1, 3, 0 with threshold 2 lack 0, 1, 0, 2; at rank 2: (0 + 1) / (2 + 1) = 0.3333

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [3, 1, 3, 0]},
    ... )
    >>> round(sk.score(study, ["Frustration(threshold=2)@2"], per="query").get_column("value").item(), 4)
    0.3333
    """

    name = "Frustration"
    direction = "lower"
    example = "Frustration(threshold=2)@10"
    without = ("undefined", "unjudged_topics")
    formula = "sum of max(0, threshold - gain(i)) for i = 1..k / sum of its k largest values in the whole list"
    meaning = "shortfall of the results as a share of the list's worst order"
    source = (
        "after Myaeng & Korfhage, Information Processing & Management 1990, who give prose; the formula is sessionkit's"
    )
    undefined_where = "no judgments for their key, or nothing in the list below the threshold"

    threshold: float = 1

    def _weights(self, uncut: Lists) -> pl.DataFrame:
        """``list``, ``rank`` and ``term`` of the results below the threshold."""
        gains = SlidingGainRatio._weights(self, uncut)
        rows = uncut.every.select("list", "rank").join(gains, on=["list", "rank"], how="left", maintain_order="left")
        return rows.with_columns(term=self.threshold - pl.col("term").fill_null(0.0)).filter(pl.col("term") > 0)


@dataclass(frozen=True, repr=False, kw_only=True)
class SatisfactionFrustrationTotal(QueryMeasure):
    """SFT: satisfaction and the lack of frustration, weighted: lambda x Satisfaction + (1 - lambda) x (1 - Frustration).

    Higher is better; range [0, 1]. Myaeng and Korfhage describe the measure in prose, this
    formula is sessionkit's. Not a sum over results, since the lack of frustration is there before any. Null where
    either part is.

    Source: Myaeng & Korfhage 1990 for the idea; the formula is ours.

    Gains 3, 1, 3, 0 with threshold 2 at rank 2: satisfaction 3/6, frustration 1/3: (0.5 + 0.6667) / 2 = 0.5833

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [3, 1, 3, 0]},
    ... )
    >>> round(sk.score(study, ["SFT(threshold=2)@2"], per="query").get_column("value").item(), 4)
    0.5833
    """

    name = "SFT"
    higher_grade_can_lower = True
    example = "SFT(threshold=2)@10"
    formula = "lambda x Satisfaction + (1 - lambda) x (1 - Frustration)"
    meaning = "satisfaction and lack of frustration, weighted together"
    source = (
        "after Myaeng & Korfhage, Information Processing & Management 1990, who give prose; the formula is sessionkit's"
    )
    undefined_where = "no judgments for their key, or results all on one side of the threshold"
    own_parameters = SATISFACTION

    gain: str = "linear"
    threshold: float = 1
    lambda_: float = 0.5

    @property
    def highest(self) -> float | None:
        """The best order down to rank k."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Weighted total of every list."""
        own = {"gain": self.gain, "min_grade": self.min_grade, "threshold": self.threshold, "cutoff": self.cutoff}
        satisfied, frustrated = SatisfactionRatio(**own).values(lists), FrustrationRatio(**own).values(lists)  # type: ignore[arg-type]
        return self.lambda_ * satisfied + (1 - self.lambda_) * (1 - frustrated)


def _within(rows: pl.DataFrame, cutoff: int | None) -> pl.DataFrame:
    """The rows down to the cutoff."""
    return rows if cutoff is None else rows.filter(pl.col("rank") <= cutoff)


def _best(lists: Lists, rows: pl.DataFrame, cutoff: int | None) -> pl.DataFrame:
    """The largest terms of every list, as many as the cutoff says."""
    ranked = rows.sort("list", "term", descending=[False, True])
    return ranked if cutoff is None else ranked.filter(lists.nth(ranked) <= cutoff)


SlidingRatio = SlidingGainRatio()
Satisfaction = SatisfactionRatio()
Frustration = FrustrationRatio()
SFT = SatisfactionFrustrationTotal()
FAMILY = (SlidingRatio, Satisfaction, Frustration, SFT)
