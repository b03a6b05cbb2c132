"""Figures of steps: what came after each query of a session."""

from __future__ import annotations

import polars as pl

from sessionkit import charts
from sessionkit.charts.encodings import SHAPES
from sessionkit.charts.kinds.effort_gain import BANDED
from sessionkit.charts.kinds.reformulation_flow import MOST, STOPPED, UNKNOWN
from sessionkit.charts.registry import CHARTS
from sessionkit.display.labels import natural_sort
from sessionkit.display.numbers import counted
from sessionkit.errors import UsageError
from sessionkit.reports.choices import NAMED, TOP, Choices, first_of
from sessionkit.reports.figures.figure import Figure, by_group, without_condition
from sessionkit.reports.figures.session_curves import cut_at_usual
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.sessions.effort import Effort, effort
from sessionkit.sessions.timeline import reformulations
from sessionkit.sessions.timeline import session_survival as survival
from sessionkit.statistics.bands import grouped_sessions, with_groups
from sessionkit.study import Study
from sessionkit.study.counts import MANY, has_list, logged_queries


def session_survival(study: Study, choices: Choices) -> Figure:
    """How many sessions go on to each query, as far as other curves are drawn."""
    frame = survival(study, choices.by)
    if not frame.filter(pl.col("query_position") > 1, pl.col("sessions") > 0).height:
        raise UsageError("session-survival draws sessions of two queries or more, and there is none")
    lengths = logged_queries(study, ["session_id"]).get_column(MANY)
    shown, cut = cut_at_usual(frame, lengths.filter(lengths > 0))
    title = "Sessions that go on"
    chart = charts.session_survival(
        shown, colors=choices.curve_colors, synthetic=choices.synthetic, title=title, legend=choices.legend
    )
    intervals = _interval_sentence("Vertical lines", "sessions") if len(choices.colors) <= len(SHAPES) else ""
    caption = f"Share of sessions with at least so many logged queries.{intervals}{cut}"
    return Figure("session-survival", title, chart, caption)


def effort_gain(study: Study, choices: Choices) -> Figure:
    """What a gain costs."""
    measure = choices.exact or parse_measure(CHARTS["effort-gain"].measures[0])
    measure = measure @ (measure.cutoff or TOP) if measure.has_ranks else measure
    found = effort(study, measure, choices.by, gain=choices.gain)
    if found.spent.is_empty() and measure.gain_measure is not None:
        raise UsageError(f"there is nothing to draw: no judged document of these sessions gains anything by {measure}")
    if found.spent.is_empty():
        raise UsageError(f"effort-gain draws gains along a list, and {measure} has none here; ask for sDCG@10 or CG@10")
    return effort_figure(found, study, choices)


def effort_figure(found: Effort, study: Study, choices: Choices) -> Figure:
    """What a gain costs, from what was found of it.

    Raises
    ------
    UsageError
        The measure is of queries, and the gain is to be drawn along sessions.
    """
    title, measure, along = "What a gain costs", parse_measure(found.measure), choices.along or "results"
    if measure.inner.level == "query" and along != "results":
        raise UsageError(
            f"{measure} is a measure of queries, whose gains are drawn along results, not along {along}; leave --along out, or ask "
            "for a measure of sessions, such as sDCG@10"
        )
    chart = charts.effort_gain(
        without_condition(found),
        along=along,
        colors=choices.curve_colors,
        synthetic=choices.synthetic,
        title=title,
        legend=choices.legend,
    )
    ends = with_groups(found.spent.filter(pl.col("along") == along), [choices.by]).sort("amount").group_by("group")
    last = natural_sort(ends.agg(pl.col("reached", "units").last()), "group")
    units = "lists" if measure.inner.level == "query" else "sessions"
    every = grouped_sessions(study, choices.by).select("session_id")
    if units == "lists":
        lists = study.queries.filter(has_list()).select("session_id").collect()
        every = lists.join(every, on="session_id", how="semi")
    missing = len(every) - int(last.get_column("units").sum())
    why = (
        "no time of a query, or no judged document that gains"
        if along == "minutes"
        else "no judged document gains there"
    )
    left = f" {counted(missing, units[:-1])} left out: {why}." if missing else ""
    reached = first_of([f"{group} {n:,} of {of:,}" for group, n, of in last.rows()], NAMED)
    what = {
        "results": "results looked at", "queries": "queries asked",
        "minutes": "minutes until the query that brought it was asked; sessions whose queries all have a time",
    }[along]  # fmt: skip
    given = "" if found.gain_source is None else f", {found.gain_source}"
    own = " before it is normalized" if measure.gain_measure is not None and measure.gain_measure.normalized else ""
    bands = _interval_sentence("Bands", units) if len(last) <= BANDED else ""
    others = "" if last.get_column("reached").sum() == last.get_column("units").sum() else "; the others never had it"
    caption = (
        f"Share of {units} with a gain of {found.gain:g} or more ({measure}{own}){given}, by {what}."
        f"{bands} In the end: {reached}{others}.{left}"
    )
    return Figure("effort-gain", title, chart, caption)


def _interval_sentence(marks: str, units: str) -> str:
    """A sentence of a caption on the intervals of shares."""
    return f" {marks} are 95% Wilson intervals, which take {units} to be independent of each other."


def reformulation_flow(study: Study, choices: Choices) -> Figure:
    """Kinds of reformulation, and the ends of sessions, by position."""
    frame = flow(study, choices.by)
    title = "What came after each query"
    chart = charts.reformulation_flow(frame, synthetic=choices.synthetic, title=title)
    begun = natural_sort(frame.filter(pl.col("position") == 1).group_by("group").agg(pl.col("n").sum()), "group")
    longest = frame.get_column("position").max()
    first = (
        f" The first {MOST} of at most {longest} queries are shown."
        if isinstance(longest, int) and longest > MOST
        else ""
    )
    caption = (
        "Shares of the sessions that came to their first, second, ... logged query, by what came next: the next query, "
        "whose set of terms adds to the last one's (specialization), leaves some out (generalization), replaces some "
        "(substitution), shares none (new) or is the same (repeat), or the end of the session. The number above a bar is "
        f"that of its sessions: {by_group(begun.rows())} at first.{first}"
    )
    return Figure("reformulation-flow", title, chart, caption)


def flow(study: Study, by: str) -> pl.DataFrame:
    """Count what came after each logged query: ``group``, ``position``, ``next``, ``n``."""
    groups = grouped_sessions(study, by)
    steps = reformulations(study, None).select("session_id", "query_position", "reformulation")
    place = pl.col("query_position").rank("ordinal").over("session_id").cast(pl.Int64)
    went = steps.select("session_id", position=place, next=pl.col("reformulation").fill_null(UNKNOWN))
    lengths = logged_queries(study, ["session_id"]).filter(pl.col(MANY) > 0)
    ends = lengths.select("session_id", position=MANY, next=pl.lit(STOPPED))
    both = pl.concat([went, ends.select(went.columns)]).join(groups, on="session_id", how="inner")
    counts = both.group_by("group", "position", "next").agg(n=pl.len().cast(pl.Int64))
    return counts.sort("group", "position", "next")
