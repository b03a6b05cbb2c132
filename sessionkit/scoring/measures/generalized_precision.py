"""Measures for graded relevance on a declared scale: gP and gR, and expected reciprocal rank (ERR)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.errors import DataError, MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.gains import NAMES, gain_expr, weights
from sessionkit.scoring.measures.base import TermMeasure
from sessionkit.scoring.measures.precision import looked_at

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists
    from sessionkit.scoring.measures.base import Measure


@dataclass(frozen=True, repr=False, kw_only=True)
class GeneralizedMeasure(TermMeasure):
    """Documents are relevant to the degree r = gain / gain of the top of the grade scale, between 0 and 1.

    The top is ``max_grade``, else the study's; a measure that has neither is an error that proposes a value.
    """

    source = "Kekäläinen & Järvelin, JASIST 2002 [formula from memory of the paper]"

    gain: str = "linear"
    max_grade: float | None = None

    @property
    def highest(self) -> float | None:
        """Every document of the top grade, or the whole recall base shown."""
        return 1.0

    def terms(self, lists: Lists) -> pl.DataFrame:
        """Degree of relevance of every result."""
        top = top_gain(self, self.gain, self.max_grade, lists)
        return lists.gaining(self.gain, self.min_grade).select("list", "rank", term=pl.col("gain") / top)


def top_gain(measure: Measure, gain: str, max_grade: float | None, lists: Lists) -> float:
    """What the top of the scale gains.

    Raises
    ------
    MeasureError
        It gains nothing, or has no weight; and as `top_of_scale` says.
    """
    if gain == "binary":
        return 1.0
    top = top_of_scale(measure, max_grade, lists)
    gained = pl.select(gain_expr(pl.lit(top), gain, measure.min_grade)).item()
    if not gained or (gain not in NAMES and max(weights(gain)[: int(top) + 1]) > gained):
        msg = f"{measure}: with gain={gain} the top of the scale, max_grade={top:g}, must gain the most, and above 0"
        raise MeasureError(msg)
    return float(gained)


def top_of_scale(measure: Measure, max_grade: float | None, lists: Lists) -> float:
    """The ``max_grade`` of a measure, else of the study.

    Raises
    ------
    MeasureError
        Neither is there; the message proposes a value.
    DataError
        A grade lies above it.
    """
    base = lists.judged
    found = base.grade.max()
    highest = float(found) if isinstance(found, int | float) and found > 0 else 0.0
    top = max_grade if max_grade is not None else lists.settings.max_grade
    if top is None:
        proposed = highest or 1.0
        msg = (
            f"{measure} needs the top of the grade scale, which the study does not declare; if it is {proposed:g}, the highest "
            f"of {base.whose}, ask for {measure(max_grade=proposed)} or set max_grade = {proposed:g} "
            "at the top of a study.toml"
        )
        raise MeasureError(msg)
    if highest > top:
        msg = f"{measure}: {base.whose} have grade {highest:g}, above the top of the scale, max_grade={top:g}"
        raise DataError(msg)
    return float(top)


@dataclass(frozen=True, repr=False, kw_only=True)
class GeneralizedPrecision(GeneralizedMeasure):
    """gP: the mean degree of relevance of the results looked at.

    Degrees are grade / max_grade; with ``gain``, gain of the grade / gain of max_grade. Range [0, 1]; higher is better.
    gP@k divides by k, gP by the length of the list; with ``gain=binary`` it is P. A query that returned nothing, or
    nothing relevant, scores 0; null where the query's key has no judgments. `sessionkit.precision_recall` gives it as a function of
    generalized recall. No tool of those compared has it; the GP of Jiang's code divides by the length of the list where that is
    below k.

    Grades 3, 0, 1 on a scale up to 3: (1 + 0 + 1/3) / 3 = 0.4444

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [3, 0, 1]},
    ...     max_grade=3,
    ... )
    >>> round(sk.score(study, ["gP@3"], per="query").get_column("value").item(), 4)
    0.4444
    """

    name = "gP"
    bounds = "linear"
    has_recall_curve = True
    example = "gP(max_grade=3)@10"
    formula = "sum of r(i) for i = 1..k / k, r = gain / gain of max_grade; without a cutoff, / length of the list"
    meaning = "mean degree of relevance of the results"
    undefined_where = "no judgments for their key"

    def divisor(self, lists: Lists) -> pl.Series:
        """The cutoff, or the length of the list; 1 of an empty one."""
        return looked_at(lists, self.cutoff).clip(lower_bound=1)

    def recall_curve(self, lists: Lists, levels: Sequence[float]) -> list[pl.Series]:
        """The highest generalized precision at or below the rank where generalized recall reaches each level."""
        top = top_gain(self, self.gain, self.max_grade, lists)
        # gains, not degrees: a third is no double, so a sum of degrees can miss a level that the gains reach exactly
        base = _fixed_base_gain(lists, self.gain, self.min_grade)
        rows = lists.gaining(self.gain, self.min_grade).select(
            "list", "rank", reached=exact.running(exact.fixed(pl.col("gain")))
        )
        rows = rows.with_columns(
            precision=exact.quotient(exact.unfixed(pl.col("reached")), pl.col("rank") * top),
            base=base.gather(rows["list"]),
        )
        every, columns = lists.queries.select("list"), []
        for level in levels:
            share = Fraction(str(level))  # the level as it is written: 3/10, not 0.299999999999999989
            reached = exact.reaches(pl.col("reached") * share.denominator, pl.col("base") * share.numerator)
            best = rows.filter(reached).group_by("list").agg(pl.col("precision").max())
            found = every.join(best, on="list", how="left", maintain_order="left").with_columns(base=base)
            value = pl.when(pl.col("base") > 0).then(pl.col("precision").fill_null(0.0))
            columns.append(found.select(value.alias("value")).to_series())
        return columns


@dataclass(frozen=True, repr=False, kw_only=True)
class GeneralizedRecall(GeneralizedMeasure):
    """gR: the share of the recall base's total relevance that the list shows.

    Degrees are those of gP. Range [0, 1]; higher is better. The value is the same for every max_grade, which cancels;
    it is asked for all the same, because a grade above the scale is an error in it. With ``gain=binary`` it is R. A
    query that returned nothing scores 0; null where nothing is relevant. No tool of those compared has it.

    Grades 3, 0, 1 shown and one document of grade 2 not shown: 4 / 6.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": ["a", "b", "c", "d"], "grade": [3, 0, 1, 2]},
    ...     max_grade=3,
    ... )
    >>> round(sk.score(study, ["gR@3"], per="query").get_column("value").item(), 4)
    0.6667
    """

    name = "gR"
    example = "gR(max_grade=3)@10"
    formula = "sum of r(i) for i = 1..k / sum of r over the recall base, r = gain / gain of max_grade"
    meaning = "share of all known relevance that the list shows"
    higher_grade_can_lower = True

    def terms(self, lists: Lists) -> pl.DataFrame:
        """Gain of every result: max_grade cancels, and a grade above it is an error."""
        top_gain(self, self.gain, self.max_grade, lists)
        return lists.gaining(self.gain, self.min_grade).select("list", "rank", term="gain")

    def divisor(self, lists: Lists) -> pl.Series:
        """Gains of the recall base, added up."""
        return base_gain(lists, self.gain, self.min_grade)


def base_gain(lists: Lists, gain: str, min_grade: float) -> pl.Series:
    """Gains of every list's recall base, added up exactly; 0 where nothing is relevant."""
    return _fixed_base_gain(lists, gain, min_grade).to_frame().select(exact.unfixed(pl.col("base"))).to_series()


def _fixed_base_gain(lists: Lists, gain: str, min_grade: float) -> pl.Series:
    """The same at the fixed scale."""
    ideal = lists.ideal(gain, min_grade)
    sums = ideal.group_by("key").agg(base=exact.fixed(pl.col("gain")).sum())
    found = lists.queries.select("key").join(sums, on="key", how="left", maintain_order="left")
    return found.get_column("base").fill_null(0)


gP = GeneralizedPrecision()  # noqa: N816 - the field's spelling
gR = GeneralizedRecall()  # noqa: N816


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


FAMILY = (gP, gR, ERR)
