"""What a session gives a searcher in time: the U-measure and time-biased gain along a whole session.

With the times of the log a document is read when it was clicked; what was not clicked is not read. With modeled times the
searcher reads all lists in order, as the measures of single lists take it (`sessionkit.scoring.measures.time`), and a
session of one query scores what that query does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.choices import ReadingTimes
from sessionkit.errors import MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.graded_pairs import GradeWorth
from sessionkit.scoring.measures.base import Columns, SessionMeasure
from sessionkit.scoring.measures.time import (
    TIME_BY_GRADE,
    SavingMeasure,
    TimeBiasedGain,
    TimedMeasure,
    UMeasure,
    reads_until,
)
from sessionkit.scoring.per_session import exact_sum, per_session, where_judged, with_session
from sessionkit.scoring.session_times import TimedLists
from sessionkit.study.session_counts import CLICK_TIMES, TIMES

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


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
    `sessionkit.scoring.session_times` for the columns that count. With ``times=modeled`` all results down to the cutoff are
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
    `sessionkit.scoring.session_times` for the columns that count. With ``times=modeled`` all results down to the cutoff count,
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
FAMILY = (sU, sTBG)
