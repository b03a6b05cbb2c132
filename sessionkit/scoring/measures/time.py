"""What a list gives a searcher in time: the U-measure and time-biased gain, from modeled reading times.

Both walk down the list; a gap in the ranks takes the time, or length, of an unjudged result that nothing is known about.
The same of whole sessions, from the times that a log has, are session measures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.gains import weights
from sessionkit.scoring.measures.base import Columns, Measure, TermMeasure

TIME_BY_GRADE = "the time on a result depends on its grade, so a higher grade can lower what comes after it"
"""Why measures of time have no bounds under missing judgments."""

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class TimedMeasure(TermMeasure):
    """A measure of gains that are discounted by time."""

    higher_grade_can_lower = True
    undefined_where = "no judgments for their key"
    may_read: ClassVar[Columns] = {"results": ("words",)}

    words: float = 500
    seconds: str | None = None

    def cost(self) -> pl.Expr:
        """What a result takes, from its ``grade`` and ``length`` in words."""
        return pl.col("length") if self.seconds is None else self.by_grade(self.seconds)

    def by_grade(self, listed: str) -> pl.Expr:
        """The entry for a result's grade: the first below min_grade and unjudged, the last for all grades beyond."""
        values = weights(listed)
        step = (pl.col("grade") - self.min_grade).floor() + 1
        place = step.fill_null(0.0).clip(0, len(values) - 1).cast(pl.Int64)
        return place.replace_strict(range(len(values)), values, return_dtype=pl.Float64)

    def timed(self, lists: Lists) -> pl.DataFrame:
        """All results: ``list``, ``rank``, ``grade``, ``first``, and ``before`` and ``after``, the time when the searcher comes
        to them and goes on.
        """
        known = pl.col("words") if "words" in lists.every.columns else pl.lit(None, pl.Float64)
        rows = lists.every.with_columns(length=known.cast(pl.Float64).fill_null(float(self.words)))
        rows = rows.with_columns(lists.nth(rows), cost=self.cost())
        unknown = pl.DataFrame({"grade": [None], "length": [float(self.words)]}, schema_overrides={"grade": pl.Float64})
        of_gap = unknown.select(self.cost()).item()
        # a running sum of integers, so that a list's times do not depend on the lists before it
        unit = exact.fixed(pl.col("cost"))
        gaps = (pl.col("rank").cast(pl.Int64) - pl.col("nth")).cast(pl.Float64) * of_gap
        after = exact.unfixed(unit.cum_sum().over("list")) + gaps
        rows = rows.with_columns(after=after, before=exact.unfixed((unit.cum_sum() - unit).over("list")) + gaps)
        return rows.select("list", "rank", "grade", "first", "before", "after")


@dataclass(frozen=True, repr=False, kw_only=True)
class UMeasure(TimedMeasure):
    """U: the sum of gains, discounted by the position in text or time at which each document ends; 0 beyond the horizon.

    Higher is better; range [0, no bound). The trail is the text that the searcher reads, all documents down to the rank
    in full: t is the number of words up to the end of the document, ``horizon`` (required) the number of words where
    reading ends. Lengths are those of the column ``words`` of the results; where the log has none, ``words`` each. With
    ``seconds``, a list of times by grade such as ``9.8-23-37.6``, the trail is one of time, and t and ``horizon`` are
    seconds: the first entry is for grades below ``min_grade`` and unjudged results, the last for all grades beyond.
    Gains are not divided by the highest possible one. Null where the query's key has no judgments.

    Source: Sakai & Dou, SIGIR 2013 (from memory, not checked against the text; there, positions are characters and the
    trail may be one of snippets); times by grade as the code of Jiang & Allan 2016 has them.

    Relevant at ranks 1 and 3, documents of 500 words, 2000 in all: (1 - 500/2000) + (1 - 1500/2000) = 1

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 3, "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": list("abc"), "grade": [1, 0, 1]},
    ... )
    >>> sk.score(study, ["U(horizon=2000)"], per="query").get_column("value").to_list()
    [1.0]
    """

    name = "U"
    no_bounds = TIME_BY_GRADE
    example = "U(horizon=5000)@10"
    required = ("horizon",)
    formula = "sum of gain(i) x max(0, 1 - t(i) / horizon); t(i): words, or seconds, up to the end of document i"
    meaning = "gain of a result list, fading with the text or time read"
    source = "Sakai & Dou, SIGIR 2013 [from memory]"

    gain: str = "linear"
    horizon: float | None = None

    def clock(self) -> str | None:
        """How far the searcher reads before the horizon."""
        return reads_until(self.horizon, "words" if self.seconds is None else "s")

    def terms(self, lists: Lists) -> pl.DataFrame:
        """Every gain times what is left of the trail at the end of its document."""
        gains = lists.gaining(self.gain, self.min_grade).select("list", "rank", "gain")
        rows = gains.join(self.timed(lists), on=["list", "rank"], maintain_order="left")
        left = 1.0 - exact.quotient(pl.col("after"), pl.lit(self.horizon))
        return rows.select("list", "rank", term=pl.col("gain") * left).filter(pl.col("term") > 0)


@dataclass(frozen=True, repr=False, kw_only=True)
class SavingMeasure(Measure):
    """A measure of the documents that searchers click and save before they stop, by the model of Smucker & Clarke."""

    click: str = "0.39-0.64"
    save: str = "0-0.77"
    scan: float = 4.4
    open: float = 7.8
    per_word: float = 0.018
    halflife: float = 224

    def __post_init__(self) -> None:
        """Refuse probabilities above 1."""
        super().__post_init__()
        for name, listed in (("click", self.click), ("save", self.save)):
            if max(weights(listed)) > 1:
                msg = f"{self.name}: {name} must be probabilities by grade, from 0 to 1, not {listed}"
                raise MeasureError(msg)

    def clock(self) -> str:
        """How long half of the searchers stay, and all on average."""
        half = float(self.halflife)
        return f"stops within {half:g} s with probability 1/2, and stays {half / math.log(2):.1f} s on average (half life / ln 2)"

    def left(self) -> pl.Expr:
        """The share of searchers who are left when the document is reached, at ``before``."""
        return pl.lit(2.0).pow(-exact.quotient(pl.col("before"), pl.lit(float(self.halflife))))


@dataclass(frozen=True, repr=False, kw_only=True)
class TimeBiasedGain(SavingMeasure, TimedMeasure):
    """TBG: the expected number of relevant documents that a searcher saves before stopping.

    Higher is better; range [0, no bound). A result is clicked with a probability ``click`` and, once clicked, found
    relevant and saved with a probability ``save``, both by grade: the first entry is for grades below ``min_grade`` and
    unjudged results, the last for all grades beyond. Each rank takes ``scan`` seconds, a click ``open`` seconds more and
    ``per_word`` seconds for each word of the document: of the column ``words`` of the results, or, where the log has
    none, ``words`` each. ``seconds``, a list of times by grade, stands in for all of that. Of all searchers, half are
    left after ``halflife`` seconds. A document shown before gains once and takes its time again; an unjudged one takes
    its time and gains nothing. Null where the query's
    key has no judgments.

    Source: Smucker & Clarke, SIGIR 2012 (the defaults are from memory, not checked against the text); times by grade as
    the code of Jiang & Allan 2016 has them.

    Relevant at ranks 1 and 2, 500 words each: a rank with a relevant document takes 4.4 + 0.64 x (7.8 + 9) = 15.152 s;
    0.64 x 0.77 x (1 + 2^(-15.152/224)) = 0.963

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": list("ab"), "grade": [1, 1]},
    ... )
    >>> round(sk.score(study, ["TBG"], per="query").get_column("value").item(), 4)
    0.963
    """

    name = "TBG"
    no_bounds = TIME_BY_GRADE
    formula = "sum of click(i) x save(i) x 2^(-t(i) / halflife); t(i): seconds of the ranks above, scan + click x (open + per_word x words)"
    meaning = "relevant documents that a searcher is expected to save before stopping"
    source = "Smucker & Clarke, SIGIR 2012 [constants from memory]"

    def cost(self) -> pl.Expr:
        """Seconds that a rank takes."""
        if self.seconds is not None:
            return TimedMeasure.cost(self)
        return self.scan + self.by_grade(self.click) * (self.open + self.per_word * pl.col("length"))

    def terms(self, lists: Lists) -> pl.DataFrame:
        """The chance that a result is clicked and saved, among the searchers who come to it in time."""
        saved = self.by_grade(self.click) * self.by_grade(self.save)
        judged = self.timed(lists).filter(pl.col("first"), pl.col("grade").is_not_null())
        rows = judged.select("list", "rank", term=saved * self.left())
        return rows.filter(pl.col("term") > 0)


def reads_until(horizon: float | None, unit: str) -> str | None:
    """How far a searcher reads who may stop anywhere before a horizon."""
    if horizon is None:
        return None
    return f"may stop anywhere before {horizon:g} {unit}, each place as likely, and reads {horizon / 2:g} {unit} on average"


U = UMeasure()
TBG = TimeBiasedGain()
FAMILY = (U, TBG)
