"""A list against its best order and against what the searcher knew: sliding ratio, half-life, relative relevance, coverage, novelty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.arguments import AnswerSize, MedianLimit, RelevanceScores
from sessionkit.errors import DataError, MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.batch import GradeWorth
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.measures.base import Columns, QueryMeasure, TermMeasure
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


@dataclass(frozen=True, repr=False, kw_only=True)
class RankedHalfLife(QueryMeasure):
    """RHL: the median rank of the list's gain, interpolated as the median of grouped data.

    Lower is better; range (0, no bound). The median class is the first rank where the cumulated gain reaches half of
    the list's total n: RHL = L + (n / 2 - gain cumulated before it) / its gain. L is the rank above, rank - 1, with
    ``limit=above``, the default, as the paper has it; ``limit=real`` is the real limit of statistics books,
    rank - 0.5. Only what the list has counts, not what it lacks: a cutoff changes n and with it the median. Null where
    nothing in the list gains.

    Source: Borlund & Ingwersen, SIGIR 1998 (the formula is from memory, not checked against the text; Research Notes
    2002-2 call it the median point of accumulated relevance).

    Gains 3, 2, 3, 0, 0, 1, 2, 2, 3: n = 16, the median class is rank 3: 2 + (8 - 5) / 3 = 3

    >>> import sessionkit as sk
    >>> grades = [3, 2, 3, 0, 0, 1, 2, 2, 3]
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 9, "query_position": [1] * 9, "rank": range(1, 10), "doc_id": list("abcdefghi")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 9, "doc_id": list("abcdefghi"), "grade": grades},
    ... )
    >>> sk.score(study, ["RHL@9", "RHL(limit=real)@9"], per="query").get_column("value").to_list()
    [3.0, 3.5]
    """

    name = "RHL"
    direction = "lower"
    higher_grade_can_lower = True
    formula = (
        "L + (n / 2 - gain above the median class) / gain of the median class; n: gain of the list, L: its rank - 1"
    )
    meaning = "rank at which half of the list's gain is reached"
    source = "Borlund & Ingwersen, SIGIR 1998 [formula from memory]"
    undefined_where = "no judgments for their key, or nothing in the list that gains"
    without = ("undefined", "unjudged_topics")

    gain: str = "linear"
    limit: MedianLimit = "above"

    def values(self, lists: Lists) -> pl.Series:
        """Half life of every list."""
        unit = exact.fixed(pl.col("gain"))
        rows = lists.gaining(self.gain, self.min_grade).select("list", "rank", unit=unit).sort("list", "rank")
        rows = rows.with_columns(upto=pl.col("unit").cum_sum().over("list"), all=pl.col("unit").sum().over("list"))
        above = pl.col("upto") - pl.col("unit")
        median = rows.filter(exact.reaches(2 * pl.col("upto"), pl.col("all")), ~exact.reaches(2 * above, pl.col("all")))
        inside = exact.quotient(pl.col("all") - 2 * above, 2 * pl.col("unit"))
        limit = pl.col("rank") - (1.0 if self.limit == "above" else 0.5)
        found = median.select("list", value=limit + inside)
        return lists.queries.select("list").join(found, on="list", how="left", maintain_order="left")["value"]


RHL = RankedHalfLife()


@dataclass(frozen=True, repr=False, kw_only=True)
class RelevanceComparison(QueryMeasure):
    """A measure of the scores s and the gains u of a list's results; with ``scores=user`` s are the gains of the searcher's grades."""

    source = "Borlund & Ingwersen, SIGIR 1998"
    higher_grade_can_lower = True
    undefined_where = "no judgments for their key, or no result with a score or a gain above 0"
    reads: ClassVar[Columns] = {"results": ("score",)}

    gain: str = "linear"
    scores: RelevanceScores = "logged"

    def __post_init__(self) -> None:
        """Refuse to compare a searcher's grades with themselves."""
        super().__post_init__()
        if self.scores == self.grades == "user":
            msg = f"{self.name}: scores=user and grades=user are the same grades; leave out one of them"
            raise MeasureError(msg)

    def needs(self) -> Columns:
        """The column of the scores."""
        return {"results": ("user_grade", "doc_id")} if self.scores == "user" else self.reads

    def _pairs(self, lists: Lists) -> pl.DataFrame:
        """``list``, ``s`` and ``u`` of every result that has a score; an unjudged one gains 0."""
        gains = lists.gaining(self.gain, self.min_grade).select("list", "rank", u="gain")
        score = pl.col("score").cast(pl.Float64) if self.scores == "logged" else self._own_gain(lists)
        rows = lists.every.select("list", "rank", s=score).filter(pl.col("s").is_finite())
        return rows.join(gains, on=["list", "rank"], how="left", maintain_order="left").with_columns(
            pl.col("u").fill_null(0.0)
        )

    def _own_gain(self, lists: Lists) -> pl.Expr:
        """What the searcher's own grade of a result gains; null where there is none."""
        lists.batch.base("user").gain(
            GradeWorth(self.gain, self.min_grade)
        )  # refuses grades that the gain does not cover
        grade = pl.col("user_grade").cast(pl.Float64)
        return pl.when(grade.is_not_null()).then(gain_expr(grade, self.gain, self.min_grade))

    def _sums(self, lists: Lists, pairs: pl.DataFrame, **terms: pl.Expr) -> pl.DataFrame:
        """Exact sums by list of what the results make."""
        sums = {name: lists.added(pairs.select("list", term=term)) for name, term in terms.items()}
        return pl.DataFrame(sums).with_columns(lists.queries["key"].is_not_null().alias("known"))


@dataclass(frozen=True, repr=False, kw_only=True)
class CosineRelevance(RelevanceComparison):
    """RelevanceCosine: the cosine between the scores and the gains of a list's results.

    Higher is better; range [-1, 1], [0, 1] where no score is negative. ``grades=user`` compares with the searcher's own
    grades, the default with the judgments; an unjudged result gains 0 (``unjudged=skip`` leaves it out), one without
    a score is left out. The order of the results does not matter, nor does the unit of scores or gains. Needs the
    column ``score`` of the results. Null where all scores or all gains of a list are 0.

    ``scores=user`` takes the searcher's own grades in place of the scores, by the same gain, so that they are compared with
    those of the panel that made the judgments; a result that the searcher did not grade is left out. System with
    panel, system with searcher (``grades=user``) and searcher with panel are the three comparisons of Borlund & Ingwersen.

    Source: Borlund & Ingwersen, SIGIR 1998; the cosine after Borlund 2000 as Research Notes 2002-2 has it.

    Scores .9, .7, .5, .3 and grades 1, 0, .5, .5:
    (.9 + .25 + .15) / sqrt((.81 + .49 + .25 + .09) x (1 + .25 + .25)) = 1.3 / sqrt(1.64 x 1.5) = 0.8288

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd"),
    ...         "score": [0.9, 0.7, 0.5, 0.3], "user_grade": [1, 0, 0.5, 0.5], "topic_id": ["t"] * 4,
    ...     },
    ... )
    >>> round(sk.score(study, ["RelevanceCosine(grades=user)"], per="query").get_column("value").item(), 4)
    0.8288
    """

    name = "RelevanceCosine"
    lowest = -1.0
    formula = "sum of s(i) u(i) / sqrt(sum of s(i)^2 x sum of u(i)^2); s: score, u: gain"
    meaning = "agreement of the results' scores with their gains, as a cosine"
    source = "Borlund & Ingwersen, SIGIR 1998; cosine after Borlund 2000 as Research Notes 2002-2 has it"

    @property
    def highest(self) -> float | None:
        """Gains in proportion to scores."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Cosine of every list."""
        pairs = self._pairs(lists)
        # a cosine has no unit: in that of the list's largest, squares neither overflow nor vanish
        largest = pl.col("s", "u").abs().max().over("list")
        pairs = pairs.with_columns(largest.name.suffix("_top")).select(
            "list", *(exact.quotient(pl.col(name), pl.col(f"{name}_top")).fill_null(0.0) for name in ("s", "u"))
        )
        s, u = pl.col("s"), pl.col("u")
        sums = self._sums(lists, pairs, both=s * u, system=s * s, user=u * u)
        cosine = exact.quotient(pl.col("both"), (pl.col("system") * pl.col("user")).sqrt()).clip(-1.0, 1.0)
        return sums.select(value=pl.when("known").then(cosine)).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class JaccardRelevance(RelevanceComparison):
    """RelevanceJaccard: the Jaccard coefficient of scores and gains, their overlap divided by their union.

    Higher is better; range [0, 1]. Both must lie between 0 and 1: scores beyond are refused, and so are gains: take
    ``gain=binary`` or weights by grade such as ``gain=0-0.5-1``. ``grades``, ``scores``, ``unjudged`` and missing scores are as
    for `CosineRelevance`. Needs the column ``score`` of the results. Null where all scores or all gains of a list are 0.

    Source: Borlund & Ingwersen, SIGIR 1998 (the form for graded values is from memory, not checked against the text).

    Scores .9, .7, .5, .3 and grades 1, 0, .5, .5: 1.3 / (2.4 + 2 - 1.3) = 0.4194

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd"),
    ...         "score": [0.9, 0.7, 0.5, 0.3], "user_grade": [1, 0, 0.5, 0.5], "topic_id": ["t"] * 4,
    ...     },
    ... )
    >>> round(sk.score(study, ["RelevanceJaccard(grades=user)"], per="query").get_column("value").item(), 4)
    0.4194
    """

    name = "RelevanceJaccard"
    example = "RelevanceJaccard(gain=binary)@10"
    formula = "sum of s(i) u(i) / (sum of s(i) + sum of u(i) - sum of s(i) u(i)); s: score, u: gain"
    meaning = "overlap of scores and gains as a share of their union"
    source = "Borlund & Ingwersen, SIGIR 1998 [graded form from memory]"

    @property
    def highest(self) -> float | None:
        """Scores and gains all 1."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Jaccard coefficient of every list."""
        pairs = self._pairs(lists)
        for name, what, better in (
            ("s", "scores", "rescale the scores, or use RelevanceCosine, which has no such range"),
            ("u", "gains", "use gain=binary, or weights by grade such as gain=0-0.5-1"),
        ):
            beyond = pairs.filter(~pl.col(name).is_between(0, 1))[name]
            if len(beyond):
                msg = f"{self} compares numbers between 0 and 1, but the {what} have {beyond[0]:g}; {better}"
                raise DataError(msg)
        s, u = pl.col("s"), pl.col("u")
        sums = self._sums(lists, pairs, both=s * u, system=s, user=u)
        either = pl.col("system") + pl.col("user") - pl.col("both")
        some = pl.col("known") & (pl.col("system") > 0) & (pl.col("user") > 0)
        return sums.select(value=pl.when(some).then(exact.quotient(pl.col("both"), either))).to_series()


RelevanceCosine = CosineRelevance()
RelevanceJaccard = JaccardRelevance()


SHOWN = "shown"
"""Stands for what the session itself shows, where nothing is declared."""
SOURCE = "Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, 1999 [formula from memory], after Korfhage 1997"


@dataclass(frozen=True, repr=False, kw_only=True)
class KnownCoverage(TermMeasure):
    """Coverage: the share of the relevant documents known to the searcher that the list shows.

    Higher is better; range [0, 1]. A document is known where the column ``known`` of the results says so anywhere in the
    session. How many relevant documents the searcher knew is what ``known`` says. ``known=shown``, the default: those that the
    session shows anywhere, at any rank, so that what no query found is not missed; this reading is sessionkit's, for logs
    that cannot tell more. ``known=4``: so many. ``known=relevant_known``: as many as the column of that name says, of the
    queries or, where these have none, of the sessions, such as an answer from before the session. Both as the textbook
    has it, and at least those that the session shows. Null where none was known, or the column says nothing.

    Source: Baeza-Yates & Ribeiro-Neto 1999 (from memory).

    The session shows eight relevant documents that were known, its first query four of them: 4/8

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 8, "query_position": [1] * 4 + [2] * 4, "rank": [1, 2, 3, 4] * 2, "doc_id": list("abcdefgh"),
    ...         "known": [True] * 8,
    ...     },
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 8, "doc_id": list("abcdefgh"), "grade": [1] * 8},
    ... )
    >>> sk.score(study, ["Coverage"], per="query").get_column("value").to_list()
    [0.5, 0.5]

    Two of four that the searcher knew are found:

    >>> found = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"], "known": [True] * 2,
    ...     },
    ...     sessions={"session_id": ["s"], "topic_id": ["t"], "relevant_known": [4]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1] * 2},
    ... )
    >>> sk.score(found, ["Coverage", "Coverage(known=relevant_known)", "Coverage(known=4)"], per="query")["value"].to_list()
    [1.0, 0.5, 0.5]
    """

    name = "Coverage"
    higher_grade_can_lower = True
    formula = "relevant documents known to the searcher in the list / those that the searcher knew, by default those in the session"
    meaning = "share of the relevant documents known to the searcher that are shown"
    source = SOURCE
    undefined_where = "no judgments for their key, or nothing relevant that was known"
    reads: ClassVar[Columns] = {"results": ("known", "doc_id")}

    known: str | int = SHOWN

    def __post_init__(self) -> None:
        """Say which column it reads."""
        super().__post_init__()
        if self._column is not None:
            object.__setattr__(self, "may_read", self.one_of())

    @property
    def _column(self) -> str | None:
        """The column that says how many relevant documents the searcher knew, if one does."""
        return self.known if isinstance(self.known, str) and self.known != SHOWN else None

    @property
    def highest(self) -> float | None:
        """The list shows all that the searcher knew."""
        return 1.0

    def one_of(self) -> Columns:
        """The column of that name, of queries or sessions."""
        return {} if self._column is None else {"queries": (self._column,), "sessions": (self._column,)}

    def terms(self, lists: Lists) -> pl.DataFrame:
        """One for every relevant document that was known."""
        return _told(lists, lists.relevant(self.min_grade)).filter("known").select("list", "rank", term=pl.lit(1.0))

    def divisor(self, lists: Lists) -> pl.Series:
        """Relevant documents of the list's key that the searcher knew: declared, or those known anywhere in its session."""
        selection = type(lists.selection)(grades=lists.selection.grades)
        whole = type(lists)(lists.batch, selection, lists.columns)
        shown = _told(whole, whole.relevant(self.min_grade)).filter("known")
        place = ["session", "key"]
        documents = shown.join(whole.queries.select("list", *place), on="list").unique([*place, "doc_id"])
        counted = documents.group_by(place).agg(known=pl.len().cast(pl.Int64))
        rows = lists.queries.select(place).join(counted, on=place, how="left", maintain_order="left")
        shown_known = rows["known"].fill_null(0)
        if self.known == SHOWN:
            return shown_known
        declared = (
            pl.lit(self.known, pl.Float64) if self._column is None else pl.lit(self._declared(lists, self._column))
        )
        at_least = pl.max_horizontal(declared, pl.lit(shown_known))
        return lists.queries.select(known=pl.when(declared.is_not_null()).then(at_least).otherwise(0)).to_series()

    @staticmethod
    def _declared(lists: Lists, column: str) -> pl.Series:
        """What the column says of every list: that of its query, else that of its session."""
        both = [
            _numbers_of(lists.queries, "queries", column),
            _numbers_of(lists.batch.features, "sessions", column).gather(lists.queries["session"]),
        ]
        return pl.select(pl.coalesce(both)).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class RelevantNovelty(TermMeasure):
    """Novelty: the share of the relevant documents in the list that were new to the searcher.

    Higher is better; range [0, 1]. A document is known where the column ``known`` of the results says so anywhere in the
    session, new where it says the contrary and nowhere so; documents of which it says nothing are left out. Null where
    the list shows no relevant document that is either.

    Source: Baeza-Yates & Ribeiro-Neto 1999 (from memory).

    Relevant documents a (known), b and c (new): 2/3

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd"),
    ...         "known": [True, False, False, False],
    ...     },
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [1, 1, 1, 0]},
    ... )
    >>> round(sk.score(study, ["Novelty"], per="query").get_column("value").item(), 4)
    0.6667
    """

    name = "Novelty"
    higher_grade_can_lower = True
    formula = "relevant documents in the list that were new to the searcher / those that were new or known"
    meaning = "share of the relevant results that were new to the searcher"
    source = SOURCE
    undefined_where = "no judgments for their key, or nothing relevant that was new or known"
    reads: ClassVar[Columns] = {"results": ("known", "doc_id")}

    @property
    def highest(self) -> float | None:
        """Everything relevant is new."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """One for every relevant document that was new."""
        return (
            _told(lists, lists.relevant(self.min_grade))
            .filter(~pl.col("known"))
            .select("list", "rank", term=pl.lit(1.0))
        )

    def divisor(self, lists: Lists) -> pl.Series:
        """Relevant documents of which the log says whether they were known."""
        return lists.per_list(_told(lists, lists.relevant(self.min_grade)))


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedRecall(TermMeasure):
    """RelativeRecall: relevant documents in the list, as a share of those that the searcher expected to find.

    Higher is better; range [0, no bound): a list may show more than was expected. How many were expected is the column
    ``expected`` of the sessions. Null where that is 0 or not given, and where the query's key has no judgments.

    Source: Baeza-Yates & Ribeiro-Neto 1999 (from memory).

    Three relevant documents, four expected: 3/4

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"], "expected": [4]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [1, 1, 0, 1]},
    ... )
    >>> sk.score(study, ["RelativeRecall"], per="query").get_column("value").to_list()
    [0.75]
    """

    name = "RelativeRecall"
    bounds = "rising"
    formula = "relevant documents in the list / relevant documents that the searcher expected"
    meaning = "relevant results, divided by the number that the searcher expected"
    source = SOURCE
    undefined_where = "no judgments for their key, or no relevant documents expected"
    reads: ClassVar[Columns] = {"sessions": ("expected",)}

    def terms(self, lists: Lists) -> pl.DataFrame:
        """One for every relevant document."""
        return lists.relevant(self.min_grade).select("list", "rank", term=pl.lit(1.0))

    def divisor(self, lists: Lists) -> pl.Series:
        """Documents expected in the list's session."""
        return _expected(lists)


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedRecallEffort(QueryMeasure):
    """RecallEffort: relevant documents that the searcher expected, divided by the documents examined to find them.

    Higher is better, as less effort is; range [0, no bound). By default the documents are those of the list, in ranks,
    as the course slides have it (``answer=retrieved``); with ``answer=examined`` those down to the rank where the
    expected number of relevant ones is found, as the textbook does, null where it is not. How many were expected is
    the column ``expected`` of the sessions. Null where that is 0 or not given, the list is empty, or the query's key has no
    judgments.

    Source: Baeza-Yates & Ribeiro-Neto 1999 (from memory).

    Two expected, and found at ranks 1 and 2 of four: 2/4, and 2/2

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"], "expected": [2]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [1, 1, 0, 1]},
    ... )
    >>> sk.score(study, ["RecallEffort", "RecallEffort(answer=examined)"], per="query").get_column("value").to_list()
    [0.5, 1.0]
    """

    name = "RecallEffort"
    formula = "relevant documents that the searcher expected / documents of the list, or examined until they are found"
    meaning = "relevant documents that the searcher expected, per document looked at"
    source = SOURCE
    undefined_where = (
        "no judgments for their key, no relevant documents expected, nothing shown, or fewer found than expected"
    )
    reads: ClassVar[Columns] = {"sessions": ("expected",)}

    answer: AnswerSize = "retrieved"

    def values(self, lists: Lists) -> pl.Series:
        """Recall effort of every list."""
        rows = lists.queries.select("list", "key", "length").with_columns(_expected(lists).alias("expected"))
        through = pl.col("length")
        if self.answer == "examined":
            found = lists.relevant(self.min_grade).join(rows.select("list", "expected"), on="list")
            enough = found.filter(pl.col("nth") >= pl.col("expected")).group_by("list").agg(met=pl.col("rank").min())
            rows = rows.join(enough, on="list", how="left", maintain_order="left")
            through = pl.col("met")
        effort = exact.quotient(pl.col("expected"), through)
        defined = pl.col("key").is_not_null() & (pl.col("expected") > 0)
        return rows.select(value=pl.when(defined).then(effort)).to_series()


def _told(lists: Lists, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows whose document the session says was known or not, with what it says: ``known`` if any of its results does."""
    batch, place = lists.batch, ["session", "doc_id"]
    told = batch.results.select("doc_id", "known", session=batch.queries["session"].gather(batch.results["query"]))
    told = told.drop_nulls("known").group_by(place).agg(pl.col("known").any())
    sessions = lists.queries["session"].gather(rows["list"])
    return rows.drop("known").with_columns(sessions).join(told, on=place, maintain_order="left")


def _expected(lists: Lists) -> pl.Series:
    """Relevant documents that the searcher expected, of every list's session; null where not given."""
    return _numbers_of(lists.batch.features, "sessions", "expected").gather(lists.queries["session"])


def _numbers_of(frame: pl.DataFrame, table: str, column: str) -> pl.Series:
    """Numbers of relevant documents in a column, null where it is not there."""
    if column not in frame.columns:
        return pl.Series([None], dtype=pl.Float64).new_from_index(0, len(frame))
    given = frame[column]
    number = given.cast(pl.Float64, strict=False)
    wrong = given.filter(given.is_not_null() & ~(number.is_finite() & (number >= 0)).fill_null(value=False))
    if len(wrong):
        msg = f"{table}: {column} is {wrong[0]!r}; it must be a number of relevant documents, at least 0"
        raise DataError(msg)
    return number


Coverage = KnownCoverage()
Novelty = RelevantNovelty()
RelativeRecall = ExpectedRecall()
RecallEffort = ExpectedRecallEffort()


FAMILY = (
    SlidingRatio,
    Satisfaction,
    Frustration,
    SFT,
    RHL,
    RelevanceCosine,
    RelevanceJaccard,
    Coverage,
    Novelty,
    RelativeRecall,
    RecallEffort,
)
