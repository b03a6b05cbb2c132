"""When in the session: curves along sessions, and whether last queries differ from those before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from sessionkit.analysis.breakdown.messages import TOLD
from sessionkit.analysis.breakdown.significance_tests import BreakdownTests
from sessionkit.analysis.groups import EVERYONE, with_groups
from sessionkit.display.numbers import compact
from sessionkit.display.tables import table_of
from sessionkit.display.words import counted, listed
from sessionkit.reports.choices import Choices
from sessionkit.reports.figures.figure import figures
from sessionkit.reports.figures.session_curves import QUESTIONS
from sessionkit.reports.material import Material
from sessionkit.reports.parts import FigureRow, Part, Words
from sessionkit.reports.phrases import NAMED
from sessionkit.reports.questions import StudyQuestion
from sessionkit.reports.sections.section_kind import section
from sessionkit.study import Study

MEANS = ("group", "value", "value_against", "sessions", "left_out_single_query", "left_out_undefined")
TESTED = ("group", "estimate", "low", "high", "p", "users")
HEADINGS = {
    "value": "Last", "value_against": "Earlier", "sessions": "Sessions", "left_out_single_query": "Of one query",
    "left_out_undefined": "Undefined", "low": "95% from", "high": "to", "p": "p", "users": "Users",
}  # fmt: skip
SHOWN = ("session-curve", "last-vs-nonlast")
"""The figures that the section shows."""
ALONE = ("session-curve", "waterfall")
"""Those of a study of one session."""
FOLDED = ("topic-curves", "single-sessions")
"""Those that are folded."""


def parts_of_sessions(of: Material) -> StudyQuestion[BreakdownTests]:
    """Whether the last query of a session is better than those before it."""
    return of.last_queries_question()


def _of_figure(
    question: Callable[[Study, Choices], StudyQuestion[pl.DataFrame]],
) -> Callable[[Material], StudyQuestion[Any]]:
    """What a figure asks, of the sessions that it shows."""
    return lambda of: question(of.shown, of.choices)


@section("last-queries", "Last queries against earlier ones")
def last_queries(of: Material) -> list[Part]:
    """Whether the last query of a session is better than those before it, in full."""
    return [] if of.unjudged is not None or of.study.facts.sessions < 2 else _tested(of)


@section("further-curves", "Curves of one topic, and of single sessions")
def further_curves(of: Material) -> list[Part]:
    """Figures 3 and 4 of ECIR 2008."""
    return (
        [] if of.unjudged is not None or of.study.facts.sessions < 2 else [*figures(of.shown, of.highlighting, FOLDED)]
    )


@section(
    "sessions",
    "When in the session?",
    of_shown=[*map(_of_figure, QUESTIONS), parts_of_sessions],
    details=(last_queries, further_curves),
)
def sessions(of: Material) -> list[Part]:
    """Where along the session gain is made, and whether the last query is the good one."""
    if of.unjudged is not None or not of.study.facts.sessions:
        return []
    if of.study.facts.sessions == 1:
        return [FigureRow(tuple(figures(of.shown, of.choices, ALONE)))]
    return [*of.sampled, *_of_last(of), FigureRow(tuple(figures(of.shown, of.highlighting, SHOWN)))]


def _of_last(of: Material) -> list[Part]:
    """The difference of last and earlier queries of each group, in a sentence."""
    found = of.last_queries
    if isinstance(found, str):
        return []
    tests = with_groups(found.table, [of.choices.by]).filter(pl.col("test") == TOLD[found.units]).drop_nulls("estimate")
    told = []
    for row in tests.head(NAMED).iter_rows(named=True):
        many = counted(row["users"], "user") if found.units == "users" else counted(row["sessions"], "session")
        between = (
            f" (95% interval {compact(row['low'])} to {compact(row['high'])}; {many})"
            if row["low"] is not None
            else f" ({many})"
        )
        group = "" if row["group"] == EVERYONE else f"{row['group']} "
        told.append(f"{group}{'+' if row['estimate'] > 0 else ''}{compact(row['estimate'])}{between}")
    if not told:
        return []
    more = f", and {len(tests) - NAMED} more groups" if len(tests) > NAMED else ""
    names = listed(told)
    line = f"In {of.choices.tested} the last query of a session differs from the ones before it by: {names}{more}."
    return [Words((of.redaction.note(line),))]


def _tested(of: Material) -> list[Part]:
    """Whether the last query of a session is better than those before it."""
    measure, found = of.choices.tested, of.last_queries
    if isinstance(found, str):
        return [Words((f"Last and earlier queries were not tested: {of.redaction.note(found)}.",))]
    named = with_groups(found.table, [of.choices.by])
    means = named.group_by("group", maintain_order=True).last().select(MEANS)
    tests = named.filter((pl.col("test") == TOLD[found.units]) | pl.col("test").is_null()).select(TESTED)
    over = "every user the same" if found.units == "users" else "every session the same"
    headers = {"group": of.choices.legend, "estimate": "Difference", **HEADINGS}
    note = (
        "Last and Earlier are means over sessions, as in the figure; sessions of one query and undefined ones are left out. The "
        f"difference, its interval and p are with {over}."
    )
    shown = means.join(tests, on="group", maintain_order="left")
    table = table_of(
        f"{measure} of last and earlier queries, within sessions", shown, headers=headers, note=note, decimals=4
    )
    return [of.told(found.reading), table]
