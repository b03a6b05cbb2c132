"""When in the session: curves along sessions, and whether last queries differ from those before them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl

from sessionkit.analysis.breakdown.messages import TOLD
from sessionkit.analysis.breakdown.significance_tests import BreakdownTests
from sessionkit.analysis.groups import EVERYONE, with_groups
from sessionkit.display.natural_order import natural_sort
from sessionkit.display.numbers import MINUS, p_statistic
from sessionkit.display.tables import table_of
from sessionkit.display.words import counted, listed
from sessionkit.reports.choices import Choices
from sessionkit.reports.figures.figure import figures
from sessionkit.reports.figures.session_curves import QUESTIONS, curves_of_all, difference_of, usual_length
from sessionkit.reports.material import Material
from sessionkit.reports.parts import FigureRow, Part, Words
from sessionkit.reports.phrases import NAMED
from sessionkit.reports.questions import StudyQuestion
from sessionkit.reports.sections.section_kind import section
from sessionkit.reports.sections.single_session import gain_over_session
from sessionkit.scoring.measures.words import interval_text, value_text
from sessionkit.study import Study

TESTED = (
    "group", "value", "value_against", "estimate", "low", "high", "p", "users", "sessions", "left_out_single_query", "left_out_undefined",
)  # fmt: skip
HEADINGS = {
    "value": "Last", "value_against": "Earlier", "sessions": "Sessions", "left_out_single_query": "Of one query",
    "left_out_undefined": "Undefined", "low": "95% from", "high": "to", "p": "p", "users": "Users",
}  # fmt: skip
FOLDED = ("session-curve", "topic-curves", "single-sessions")
"""Figures that are folded."""


def parts_of_sessions(of: Material) -> StudyQuestion[BreakdownTests]:
    """Whether the last query of a session differs from those before it."""
    return of.last_queries_question()


def _of_figure(
    question: Callable[[Study, Choices], StudyQuestion[pl.DataFrame]],
) -> Callable[[Material], StudyQuestion[Any]]:
    """What a figure asks, of the sessions that it shows."""
    return lambda of: question(of.shown, of.choices)


@section("last-queries", "Tests of last queries against earlier ones")
def last_queries(of: Material) -> list[Part]:
    """Return the tests of last queries against earlier ones, in full."""
    if of.unjudged is not None or of.study.facts.sessions < 2:
        return []
    return _tested(of)


@section("differences-along", "Difference along the session")
def differences_along(of: Material) -> list[Part]:
    """Return how far one of two groups is ahead after every slot, with intervals."""
    if of.unjudged is not None or of.study.facts.sessions < 2 or of.apart is None:
        return []
    return [difference_of(of.apart, of.choices.ratio, of.study, of.choices)]


@section("further-curves", "Normalized curves, and curves of one topic and of single sessions")
def further_curves(of: Material) -> list[Part]:
    """Return Figures 2 to 4 of ECIR 2008."""
    if of.unjudged is not None or of.study.facts.sessions < 2:
        return []
    return [*figures(of.shown, of.highlighting, FOLDED)]


def curves_of_gain(study: Study, choices: Choices) -> StudyQuestion[pl.DataFrame]:
    """Curves of gain beside its ideal, which is not divided by it."""
    return curves_of_all(study, _of_gain(choices))


def _of_gain(choices: Choices) -> Choices:
    """The choices, for curves of the sum of gains."""
    return replace(choices, exact=choices.measure)


@section(
    "sessions",
    "When in the session?",
    of_shown=[*map(_of_figure, (*QUESTIONS, curves_of_gain)), parts_of_sessions],
    details=(last_queries, differences_along, further_curves),
)
def sessions(of: Material) -> list[Part]:
    """Return whether the last query is the best one, and how gain grows along the session beside that of the ideal session."""
    if of.unjudged is not None or not of.study.facts.sessions:
        return []
    if of.study.facts.sessions == 1:
        return [FigureRow(tuple(gain_over_session(of)))]
    (parts,), (curves,) = (
        figures(of.shown, choices, [kind])
        for kind, choices in (("last-vs-nonlast", of.highlighting), ("session-curve", _of_gain(of.highlighting)))
    )
    ahead = [] if of.apart is None else [of.paragraph(_ahead(of.apart, of))]
    along = _along(of) if curves.chart is not None else []
    last = parts if parts.chart is not None else Words((f"Last and earlier queries. {parts.caption}",))
    return [*of.sampled, *_of_last(of), last, *along, *ahead, curves]


def _ahead(found: pl.DataFrame, of: Material) -> str:
    """How far one of two groups is ahead at the ends of queries, and at which of them surely."""
    means = found.filter(pl.min_horizontal("n_a", "n_b") > 1).drop_nulls("estimate")
    ends = usual_length(means, of.study)[0].group_by("query_position", maintain_order=True).last()
    known = [
        f"{'+' if value > 0 else ''}{value_text(str(of.choices.ratio), value)} after query {query}"
        for value, query in ends.select("estimate", "query_position").rows()
    ]
    along = known[0] if len(known) == 1 else f"from {known[0]} to {known[-1]}"
    told = f"{found.item(0, 'b')} {MINUS} {found.item(0, 'a')} in {of.choices.ratio}: {along}."
    if not ends["low"].count():
        return told
    sure = ends.filter((pl.col("low") > 0) | (pl.col("high") < 0))["query_position"].to_list()
    where = f"after {'query' if len(sure) == 1 else 'queries'} {listed([str(one) for one in sure])}" if sure else ""
    if not where:
        return f"{told} The 95% interval of each query by itself includes 0 after every query."
    return f"{told} The 95% interval of each query by itself excludes 0 {where}."


def _along(of: Material) -> list[Part]:
    """The mean of each group, or between which those of many lie, after the first and the last query that are drawn; and the ideal."""
    question = curves_of_gain(of.shown, of.highlighting)
    means = with_groups(question.answer(), [of.choices.by]).drop_nulls("value")
    if means.is_empty():
        return []
    shown = usual_length(means, of.shown)[0]
    ends = natural_sort(shown.group_by("group", "query_position", maintain_order=True).last(), "group")
    told, measure = [], question.given[0]
    first, *later = ends["query_position"].unique().sort().to_list()
    for query in [first, *later[-1:]]:
        here = ends.filter(query_position=query)
        values = here["value"].sort()
        each = [
            f"{value_text(str(measure), value)}{'' if group == EVERYONE else f' with {of.named(group)}'}"
            for group, value in here.select("group", "value").rows()
        ]
        known = (
            listed(each)
            if len(each) <= NAMED
            else f"{value_text(str(measure), values[0])} to {value_text(str(measure), values[-1])} by group"
        )
        told.append(f"{known} after query {query}")
    ideals = ends.filter(pl.col("query_position") == pl.col("query_position").max())["ideal"].drop_nulls()
    ideal = ""
    if len(ideals):
        low, high = (value_text(str(measure), float(end)) for end in (ideals.min(), ideals.max()))  # type: ignore[arg-type]  # numbers
        ideal = f" The ideal sessions reach {low if low == high else f'{low} to {high} by group'}."
    return [of.paragraph(f"Mean {measure} along the session: {'; '.join(told)}.{ideal}")]


def _of_last(of: Material) -> list[Part]:
    """The difference of last and earlier queries of each group, or in how many of many groups it is known, in a sentence."""
    found = of.last_queries
    if isinstance(found, str):
        return []
    tests = with_groups(found.table, [of.choices.by]).filter(pl.col("test") == TOLD[found.units]).drop_nulls("estimate")
    tests = natural_sort(tests, "group")
    if tests.is_empty():
        return []
    what = f"Last minus earlier queries of a session, by {of.choices.tested}"
    reasons = with_groups(found.no_verdict, [of.choices.by]).select("group", "why")
    tests = tests.join(reasons, on="group", how="left", maintain_order="left")
    if len(tests) > NAMED:
        tested = tests.drop_nulls("low").filter(pl.col("why").is_null())
        if tested.is_empty():
            return [of.paragraph(f"{what}: too few {found.units} of every group have both for a verdict.")]
        higher, lower = int((tested["low"] > 0).sum()), int((tested["high"] < 0).sum())
        sides = f"above 0 in {higher:,} of {counted(len(tested), 'group')}, below 0 in {lower:,}"
        return [of.paragraph(f"{what}: the 95% interval, which is of each group by itself, is {sides}.")]
    told, measure = [], str(of.choices.tested)
    for row in tests.iter_rows(named=True):
        many = counted(row["users"], "user") if found.units == "users" else counted(row["sessions"], "session")
        ends = None if row["low"] is None else interval_text(measure, row["low"], row["high"], of_difference=True)
        interval = "" if ends is None else f"95% CI {ends}, "
        chance = "" if row["p"] is None else f"{p_statistic(row['p'])}, "
        between = f" ({interval}{chance}n = {many})"
        group = "" if row["group"] == EVERYONE else f"{of.named(row['group'])} "
        told.append(f"{group}{'+' if row['estimate'] > 0 else ''}{value_text(measure, row['estimate'])}{between}")
    why = tests.drop_nulls("why").select("group", "why").rows()
    limits = [f" {reason if group == EVERYONE else f'{of.named(group)}: {reason}'}." for group, reason in why]
    if len(tests) > 1:
        what += f", each {of.choices.legend.lower()} by itself"
    return [of.paragraph(f"{what}: {listed(told)}.{''.join(limits)}")]


def _tested(of: Material) -> list[Part]:
    """Whether the last query of a session differs from those before it."""
    measure, found = of.choices.tested, of.last_queries
    if isinstance(found, str):
        return [Words((f"Last and earlier queries were not tested: {of.redaction.note(found)}.",))]
    named = with_groups(found.table, [of.choices.by])
    shown = named.filter((pl.col("test") == TOLD[found.units]) | pl.col("test").is_null()).select(TESTED)
    over = "users, each of whose sessions are averaged first" if found.units == "users" else "sessions"
    headers = {"group": of.choices.legend, "estimate": "Difference", **HEADINGS}
    note = (
        f"Last and Earlier are means over {over}; sessions of one query and undefined ones are left out. The figure has means over "
        "sessions, at each rank."
    )
    table = table_of(
        f"{measure} of last and earlier queries, within sessions", shown, headers=headers, note=note, decimals=4
    )
    return [of.told(found.reading), table]
