"""Relative relevance: how alike the system's scores and the assessor's grades of the same results are, whatever their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.choices import RelevanceScores
from sessionkit.errors import DataError, MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.graded_pairs import GradeWorth
from sessionkit.scoring.measures.base import Columns, QueryMeasure

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


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
FAMILY = (RelevanceCosine, RelevanceJaccard)
