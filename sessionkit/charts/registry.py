"""The registry of charts: what each shows, its measures unless others are asked for, its own options, and who makes its figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sessionkit.arguments import FigureUnit
from sessionkit.errors import UsageError
from sessionkit.plugins import Registry

if TYPE_CHECKING:
    import altair as alt

    from sessionkit.scoring.measures.base import Measure
    from sessionkit.study import Study

    Draw = Callable[[Study, Sequence[Measure], str], alt.LayerChart | alt.FacetChart | alt.Chart]

SUMMARY = ("sDCG@10", "nsDCG@10", "mean(nDCG@10)", "last(nDCG@10)", "nonlast(nDCG@10)")
"""What a report scores, and what charts of several measures draw, unless measures are asked for."""


HELPERS = {
    "colors_of": "charts.theme", "data": "charts.files", "each": "reports.single_figures", "save": "charts.files",
    "spec_of": "charts.files", "themed": "charts.theme",
}  # fmt: skip
"""Names of ``sk.charts`` that are no charts, and the modules of sessionkit that have them."""


@dataclass(frozen=True)
class ChartKind:
    """A kind of chart.

    Parameters
    ----------
    shows
        What it shows, in a line.
    figure
        Who makes it from a study: the module of ``sessionkit.reports.figures`` that has a function of the chart's name, or, of a
        chart of others, a function of the study, the measures to draw and the column that makes the groups, which returns an
        Altair chart. The chart's ``description`` is its caption.
    measures
        What it draws unless something is asked for, a tuple; several where it can draw several, none where it draws no measure.
    options
        What can be asked for beside the measure; all other options choose the sessions that it shows, or are refused.
    in_report
        Whether every report has it, of a chart of others.
    each
        What one figure of it can be about, so that `each` draws a file for every one: ``"session"``, ``"user"``, ``"topic"``; not of
        a chart of others.
    """

    shows: str
    figure: str | Draw
    measures: tuple[str, ...] = ("sDCG@10",)
    options: tuple[str, ...] = ()
    in_report: bool = False
    each: tuple[FigureUnit, ...] = ()


def accepted(name: str, given: object) -> ChartKind:
    """Return what is given for a name as a kind of chart that others draw.

    Raises
    ------
    UsageError
        It is none, or the name is none of a command.
    """
    if not isinstance(given, ChartKind) or not callable(given.figure):
        raise UsageError(f"{given!r:.80} is no chart; give sk.bases.ChartKind(what it shows, a function that draws it)")
    if not re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise UsageError(
            f"a chart cannot be called {name!r}; use small letters, digits and hyphens, such as query-bars"
        )
    if function_of(name) in HELPERS:
        raise UsageError(
            f"sk.charts.{function_of(name)} is something of sessionkit itself; give your chart another name"
        )
    if given.each:
        raise UsageError(
            f"the chart {name} says each={given.each!r:.40}, which only charts of sessionkit can; leave it out"
        )
    if given.options:
        raise UsageError(
            f"the chart {name} asks for options ({', '.join(given.options)}), which only charts of sessionkit have"
        )
    return replace(given, measures=(given.measures,)) if isinstance(given.measures, str) else given


OWN_CHARTS = {
    "last-vs-nonlast": ChartKind(
        "gain by rank of the last query of sessions and of those before it (Figure 1 of Järvelin et al. 2008)",
        "session_curves", ("nDCG@10",), ("average",), each=("user", "topic")
    ),
    "session-curve": ChartKind(
        "normalized gain along the session, averaged by system (Figure 2 of Järvelin et al. 2008)",
        "session_curves", ("nsDCG@10",), ("normalize",), each=("user", "topic")
    ),
    "difference-curve": ChartKind(
        "how far one system is ahead of another along the session, with the interval at every slot",
        "session_curves", ("nsDCG@10",), ("against",), each=("user", "topic")
    ),
    "topic-curves": ChartKind(
        "gain along the sessions of one topic, all and those with at least n queries (Figure 3 of Järvelin et al. 2008)",
        "session_curves", options=("long", "normalize"), each=("topic",)
    ),
    "single-sessions": ChartKind(
        "every session of one system and topic, with its stopping point (Figure 4 of Järvelin et al. 2008)",
        "session_curves", each=("topic",)
    ),
    "session-wall": ChartKind(
        "a small panel for every session: its gain up to its ideal, queries, clicks, judged share and score",
        "session_wall", ("nsDCG@10",), ("sort",), each=("user", "topic")
    ),
    "sweep-map": ChartKind(
        "the leading system at each setting of a measure, and where the conclusion ends",
        "robustness", ("nsDCG@10",), ("vary",),
    ),
    "discount-fit": ChartKind(
        "how far searchers looked in each query: observed, and as a fitted discount expects", "robustness"
    ),
    "examination-heatmap": ChartKind(
        "the share of lists that searchers looked at down to each rank, by query", "robustness", ()
    ),
    "judgment-loss": ChartKind(
        "Kendall's tau of the order of systems by the share of judgments kept, with its knee",
        "robustness", ("nsDCG@10",),
    ),
    "verdict-curves": ChartKind(
        "verdicts on pairs by the share of judgments kept: accuracy, g-mean (SIGIR 2007, Figure 2) and differences missed",
        "robustness", ("mean(nDCG(gain=binary))", "mean(bpref)", "mean(infAP)"),
    ),
    "tipping-point": ChartKind(
        "a difference as scored, with unjudged results skipped, and its bounds; with judged shares and what reverses it",
        "robustness", ("sDCG@10",),
    ),
    "power-curve": ChartKind(
        "power to detect a declared difference, by numbers of users and topics",
        "robustness", options=("difference",),
    ),
    "judge-noise": ChartKind(
        "how often judges' errors change the winner or the verdict, by the size of the difference",
        "robustness", SUMMARY,
    ),
    "discriminative-power": ChartKind(
        "the sorted p-values of all pairs of systems, by measure (Sakai 2006)", "robustness", SUMMARY
    ),
    "differences": ChartKind("differences between systems by each measure, with their intervals", "scores", SUMMARY),
    "group-means": ChartKind(
        "means of groups with their intervals, and which are not shown to differ", "scores", ("nsDCG@10",)
    ),
    "slopes": ChartKind(
        "of every user, or topic, a line from its value with one system to that with the other", "scores", ("nsDCG@10",)
    ),
    "topic-means": ChartKind(
        "means of groups on each topic, the topics in the order of their means", "scores", ("nsDCG@10",)
    ),
    "user-topic-heatmap": ChartKind(
        "the mean score of each user on each topic, and with which system", "scores", ("nsDCG@10",)
    ),
    "gain-vectors": ChartKind(
        "CG, DCG, nCG and nDCG by rank, with their ideal (TOIS 2002, Figures 1 to 4)",
        "vectors", ("CG", "DCG", "nCG", "nDCG"), ("normalize",),
    ),
    "precision-recall": ChartKind(
        "interpolated precision, or generalized (gP), at eleven points of recall, by system and topic",
        "vectors", ("IPrec11",), each=("user", "topic"),
    ),
    "rprecision-histogram": ChartKind(
        "the difference of two systems in R-precision, by topic",
        "vectors", ("mean(Rprec)",), ("against",),
    ),
    "score-distribution": ChartKind("scores of sessions by system: box and strip", "scores", ("nsDCG@10",), each=("user", "topic")),
    "session-card": ChartKind(
        "one session on a page: its queries with added and removed terms, lists with grades and clicks, gain, and time",
        "one_session", ("nsDCG@10",), ("session",), each=("session",),
    ),
    "waterfall": ChartKind(
        "what each document and query adds to the value of one session", "one_session", options=("session",), each=("session",)
    ),
    "session-timeline": ChartKind(
        "queries, result lists, clicks and dwell of one session in time", "one_session", (), ("session",), each=("session",)
    ),
    "session-pair": ChartKind(
        "two sessions of one topic side by side: their lists with grades, clicks and what each result adds",
        "one_session", options=("sessions",), each=("topic",)
    ),
    "correlation-forest": ChartKind(
        "correlations of measures with ratings, with their intervals", "scores", SUMMARY, ("with",)
    ),
    "rating-scatter": ChartKind(
        "the score of sessions by a searcher's rating, with the mean of each rating", "scores", ("nsDCG@10",), ("with",)
    ),
    "effort-gain": ChartKind(
        "the share of sessions that reached a gain, by results looked at, queries asked or minutes",
        "query_steps", ("sDCG(discount=none,query_discount=none)@10",), ("gain", "along"), each=("user", "topic")
    ),
    "session-survival": ChartKind(
        "the share of sessions that go on to each query, by system; needs no judgments", "query_steps", (), each=("user", "topic")
    ),
    "reformulation-flow": ChartKind(
        "what came after each query: a kind of reformulation, or the session's end", "query_steps", (), each=("user", "topic")
    ),
}  # fmt: skip
"""The charts of sessionkit."""
CHARTS: Registry[ChartKind] = Registry("chart", "sessionkit.charts", OWN_CHARTS, accepted)
"""The charts by the names that the command line knows them by; functions have underscores in place of hyphens."""


class ChartTexts(Mapping[str, str]):
    """What each chart shows, by its name."""

    def __getitem__(self, kind: str) -> str:
        """What a chart shows."""
        return CHARTS[kind].shows

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(CHARTS)

    def __len__(self) -> int:
        """How many there are."""
        return len(CHARTS)

    def __repr__(self) -> str:
        """As a dictionary."""
        return repr(dict(self))


KINDS = ChartTexts()
"""What each shows."""


def function_of(kind: str) -> str:
    """Return the name of the functions that draw a chart from a table, and make its figure from a study."""
    return kind.replace("-", "_")
