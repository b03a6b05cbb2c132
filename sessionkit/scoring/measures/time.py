"""What a list or a session gives a searcher in time: the U-measure and time-biased gain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.arguments import ReadingTimes
from sessionkit.errors import MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.batch import GradeWorth
from sessionkit.scoring.gains import gain_expr, weights
from sessionkit.scoring.lists import TimedLists, exact_sum, per_session, where_judged, with_session
from sessionkit.scoring.measures.base import Columns, Measure, SessionMeasure, TermMeasure
from sessionkit.study.counts import CLICK_TIMES, TIMES

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

TIME_BY_GRADE = "the time on a result depends on its grade, so a higher grade can lower what comes after it"
"""Why measures of time have no bounds under missing judgments."""


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


MODELED = ("words", "seconds", "per_query", "click", "scan", "open", "per_word")
"""Parameters of the model of a searcher, without effect where times are logged."""


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionTimed(SessionMeasure):
    """A measure of a session's gains that are discounted by time."""

    higher_grade_can_lower = True
    undefined_where = "no judgments for their key, or no time of any click"
    may_read: ClassVar[Columns] = {**TIMES, "results": (*TIMES["results"], "words")}

    words: float = 500
    seconds: str | None = None
    times: ReadingTimes = "logged"
    per_query: float = 0

    def __post_init__(self) -> None:
        """Refuse parameters of modeled times where times are logged."""
        super().__post_init__()
        for name, value in self.parameters().items():
            if self.times == "logged" and name in MODELED and value != self.default(name):
                msg = f"{self.name}: {name} has no effect on times=logged; leave it out, or add times=modeled"
                raise MeasureError(msg)

    @property
    def of_list(self) -> TimedMeasure:
        """The measure of single lists whose times are taken where they are modeled."""
        msg = f"{self} has no measure of lists"
        raise MeasureError(msg)

    def worth(self) -> pl.Expr:
        """What a document is worth that is read at once, from its ``grade``."""
        msg = f"{self} says not what a document is worth"
        raise MeasureError(msg)

    def left(self) -> pl.Expr:
        """What of that is left of one that is read from ``before`` to ``after``."""
        msg = f"{self} says not what is left with time"
        raise MeasureError(msg)

    def values(self, lists: Lists) -> pl.Series:
        """Sum of what every session's documents are worth when they are read."""
        logged = self.times == "logged"
        rows = self.logged(lists) if logged else self.modeled(lists)
        worth = rows.with_columns(term=self.worth() * self.left()).filter(pl.col("term") > 0)
        value = per_session(lists, worth, exact_sum(pl.col("term"))).fill_null(0.0)
        value = where_judged(lists, value)
        if logged:
            clicks = TimedLists(lists)
            told = clicks.results.select("session", "clicked", timed=clicks.clicked.is_not_null())
            lost = per_session(lists, told, pl.col("clicked").any() & ~pl.col("timed").any()).fill_null(value=False)
            value = pl.select(pl.when(~lost).then(value)).to_series()
        return value

    def one_of(self) -> Columns:
        """The times of clicks, where these are to be the logged ones."""
        return {"results": CLICK_TIMES} if self.times == "logged" else {}

    def logged(self, lists: Lists) -> pl.DataFrame:
        """The clicked documents: ``session``, ``grade``, and ``before`` and ``after`` in seconds since the session began."""
        timed = TimedLists(lists)
        times = timed.results.with_columns(before=timed.clicked, after=timed.clicked + timed.dwell.fill_null(0.0))
        times = times.filter(pl.col("before").is_not_null()).sort("before", "list", "rank")
        again = pl.col("judgment").cum_count().over("session" if self.duplicates == "first" else "list", "judgment") > 1
        return times.filter(~again)  # a document that nothing is known of is not counted, and stays

    def modeled(self, lists: Lists) -> pl.DataFrame:
        """All documents: ``session``, ``grade``, and ``before`` and ``after`` along the session."""
        rows = self.of_list.timed(lists)
        taken = rows.group_by("list").agg(taken=exact.fixed(pl.col("after").max()))
        of_list = with_session(lists, lists.queries.select("list")).join(
            taken, on="list", how="left", maintain_order="left"
        )
        unit = pl.col("taken").fill_null(0) + exact.fixed(pl.lit(float(self.per_query)))
        begins = of_list.with_columns(begins=exact.unfixed((unit.cum_sum() - unit).over("session")))
        rows = with_session(lists, rows.filter("first")).join(begins.select("list", "begins"), on="list")
        return rows.with_columns(pl.col("before", "after") + pl.col("begins"))


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionU(SessionTimed):
    """sU: the sum of a session's gains, discounted by the time at which each document was read; 0 after the horizon.

    Range [0, no bound); higher is better. With ``times=logged``, the default, t is the time in seconds from the beginning of
    the session to a document's click plus its dwell, where that is logged; only clicked documents gain; see
    `sessionkit.scoring.lists` for the columns that count. With ``times=modeled`` all results down to the cutoff are
    read in order, list after list, and t runs along the session in the unit of `U <UMeasure>`: words, or seconds where
    ``seconds`` by grade are given; a further query takes ``per_query``. A session of one query then has the U of that
    query. ``horizon`` (required) is in the same unit. 0 for a session that clicked nothing; null where nothing is judged
    for it, or no click is timed although there are clicks. Unit: gain.

    Source: Sakai & Dou, SIGIR 2013, who build the trail of a session from its clicks [MEMORY]; times in place of
    characters as the code of Jiang & Allan 2016 has them for lists; the session form is OURS.

    A relevant document clicked 30 seconds into the session and read for 30, with a horizon of 240: 1 - 60/240

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"],
    ...         "click_elapsed_seconds": [30], "dwell_seconds": [30],
    ...     },
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    ... )
    >>> sk.score(study, ["sU(horizon=240)"]).get_column("value").to_list()
    [0.75]
    """

    name = "sU"
    no_bounds = TIME_BY_GRADE
    sums_queries = True
    example = "sU(horizon=600)@10"
    required = ("horizon",)
    formula = "sum of gain(i) x max(0, 1 - t(i) / horizon); t(i): session time when document i has been read"
    meaning = "gain of the session, fading with the time of reading"
    source = "Sakai & Dou, SIGIR 2013 [MEMORY]; session form OURS"

    gain: str = "linear"
    horizon: float | None = None

    def clock(self) -> str | None:
        """How long the searcher reads before the horizon."""
        return reads_until(self.horizon, "s")

    @property
    def of_list(self) -> TimedMeasure:
        """U with the same parameters."""
        return UMeasure(
            min_grade=self.min_grade, words=self.words, seconds=self.seconds, gain=self.gain, horizon=self.horizon
        )

    def values(self, lists: Lists) -> pl.Series:
        """Sum of what is left of every session's gains."""
        lists.judged.gain(GradeWorth(self.gain, self.min_grade))  # refuses grades that the gain does not cover
        return SessionTimed.values(self, lists)

    def worth(self) -> pl.Expr:
        """The gain."""
        return gain_expr(pl.col("grade"), self.gain, self.min_grade).fill_null(0.0)

    def left(self) -> pl.Expr:
        """What is left of the horizon when the document has been read."""
        return (1.0 - exact.quotient(pl.col("after"), pl.lit(float(self.horizon or 0)))).clip(lower_bound=0.0)


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionTimeBiasedGain(SavingMeasure, SessionTimed):
    """sTBG: the expected number of relevant documents that the searchers of a session save before stopping.

    Half of them stop every ``halflife`` seconds.

    Range [0, no bound); higher is better. With ``times=logged``, the default, every clicked document counts by its chance to
    be saved (``save``, by grade: the first entry is for grades below ``min_grade`` and unjudged results), times
    2^(-t / halflife), where t is the time in seconds from the beginning of the session to its click; see
    `sessionkit.scoring.lists` for the columns that count. With ``times=modeled`` all results down to the cutoff count,
    list after list, by ``click`` x ``save``, and t is what the results before take by the model of `TBG
    <TimeBiasedGain>`, whose parameters these are, and ``per_query`` seconds for each further query; a session of one
    query then has the TBG of that query. 0 for a session that clicked nothing; null where nothing is judged for it, or
    no click is timed although there are clicks. Unit: documents.

    Source: Smucker & Clarke, SIGIR 2012 [constants MEMORY]; the session form is OURS.

    A relevant document clicked after 224 seconds, by when half have stopped: .77 / 2

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "click_elapsed_seconds": [224]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    ... )
    >>> sk.score(study, ["sTBG"]).get_column("value").to_list()
    [0.385]
    """

    name = "sTBG"
    no_bounds = TIME_BY_GRADE
    sums_queries = True
    formula = "sum of save(i) x 2^(-t(i) / halflife) over clicked documents; t(i): session time of the click"
    meaning = "relevant documents expected to be saved before the session's searchers stop"
    source = "Smucker & Clarke, SIGIR 2012 [constants MEMORY]; session form OURS"

    @property
    def of_list(self) -> TimedMeasure:
        """TBG with the same parameters."""
        shared = ("min_grade", "words", "seconds", "click", "save", "scan", "open", "per_word", "halflife")
        return TimeBiasedGain(**{name: getattr(self, name) for name in shared})

    def worth(self) -> pl.Expr:
        """The chance that a document is saved; where clicks are modeled, times that of a click."""
        saved = self.of_list.by_grade(self.save)
        return saved if self.times == "logged" else self.of_list.by_grade(self.click) * saved


sU = SessionU()  # noqa: N816 - the field's spelling
sTBG = SessionTimeBiasedGain()  # noqa: N816 - the field's spelling


FAMILY = (U, TBG, sU, sTBG)
