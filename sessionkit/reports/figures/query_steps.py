"""Figures of steps: what came after each query of a session."""

from __future__ import annotations

import polars as pl

from sessionkit import charts
from sessionkit.analysis.groups import grouped_sessions
from sessionkit.analysis.reformulations import reformulations
from sessionkit.analysis.session_survival import session_survival as survival
from sessionkit.charts.kinds.reformulation_flow import MOST, STOPPED, UNKNOWN
from sessionkit.reports.choices import Choices
from sessionkit.reports.figures.figure import Figure, by_group
from sessionkit.study import Study


def session_survival(study: Study, choices: Choices) -> Figure:
    """How many sessions go on to each query, as far as 95% of them went or two went on."""
    frame = survival(study, choices.by)
    all_of = frame.group_by("query_position").agg(pl.col("sessions").sum(), pl.col("of").sum()).sort("query_position")
    usual = all_of.filter(pl.col("sessions") >= 0.05 * pl.col("of"))["query_position"].to_list()[-1]
    shown = frame.filter(pl.col("query_position") <= usual)
    title = "Sessions that go on"
    chart = charts.session_survival(
        shown, colors=choices.colors, synthetic=choices.synthetic, title=title, legend=choices.legend
    )
    cut = "" if len(shown) == len(frame) else f" Drawn to query {usual}, which 5% of sessions reach."
    caption = (
        "Share of sessions with at least so many logged queries. Bands are 95% Wilson intervals, which take sessions to be "
        f"independent of each other.{cut}"
    )
    return Figure("session-survival", title, chart, caption)


def reformulation_flow(study: Study, choices: Choices) -> Figure:
    """Kinds of reformulation, and the ends of sessions, by position."""
    frame = flow(study, choices.by)
    title = "What came after each query"
    chart = charts.reformulation_flow(frame, synthetic=choices.synthetic, title=title)
    begun = frame.filter(pl.col("position") == 1).group_by("group").agg(pl.col("n").sum()).sort("group")
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
    logged = study.queries.filter(pl.col("results_status") != "not_logged").group_by("session_id")
    ends = logged.agg(position=pl.len().cast(pl.Int64)).collect().with_columns(next=pl.lit(STOPPED))
    both = pl.concat([went, ends.select(went.columns)]).join(groups, on="session_id", how="inner")
    counts = both.group_by("group", "position", "next").agg(n=pl.len().cast(pl.Int64))
    return counts.sort("group", "position", "next")
