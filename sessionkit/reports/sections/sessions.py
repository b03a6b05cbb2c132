"""Sessions: their curves, and whether last queries differ from those before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from sessionkit.analysis.breakdown.messages import TOLD
from sessionkit.analysis.breakdown.significance_tests import BreakdownTests, breakdown_tests
from sessionkit.analysis.groups import with_groups
from sessionkit.display.tables import table_of
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.choices import Choices
from sessionkit.reports.figures.figure import figures
from sessionkit.reports.figures.session_curves import QUESTIONS
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.questions import StudyQuestion, ask
from sessionkit.reports.sections.section_kind import section
from sessionkit.study import Study

MEANS = ("group", "value", "value_against", "sessions", "left_out_single_query", "left_out_undefined")
TESTED = ("group", "difference", "low", "high", "p", "users")
HEADINGS = {
    "value": "Last", "value_against": "Earlier", "sessions": "Sessions", "left_out_single_query": "Of one query",
    "left_out_undefined": "Undefined", "low": "95 % from", "high": "to", "p": "p", "users": "Users",
}  # fmt: skip
DRAWS = 2_000
"""Draws of users, for the intervals of the differences that are not Student's; in large studies there are none."""


def parts_of_sessions(of: Material) -> StudyQuestion[BreakdownTests]:
    """Whether the last query of a session is better than those before it."""
    return ask(breakdown_tests, of.shown, of.choices.tested, by=of.choices.by)


def _of_figure(
    question: Callable[[Study, Choices], StudyQuestion[pl.DataFrame]],
) -> Callable[[Material], StudyQuestion[Any]]:
    """What a figure asks, of the sessions that it shows."""
    return lambda of: question(of.shown, of.choices)


@section("sessions", "Sessions", of_shown=[*map(_of_figure, QUESTIONS), parts_of_sessions])
def sessions(of: Material) -> list[Part]:
    """Figures 1 to 4, with the test that belongs to the first."""
    if of.unjudged is not None:
        return [Words((of.unjudged,))]
    drawn = figures(of.shown, of.choices)
    first = next(number for number, one in enumerate(drawn) if one.kind == "last-vs-nonlast")
    parts: list[Part] = [*drawn]
    parts[first + 1 : first + 1] = _tested(of)
    return [*of.sampled, *parts]


def _tested(of: Material) -> list[Part]:
    """Whether the last query of a session is better than those before it."""
    measure = of.choices.tested
    try:
        found = parts_of_sessions(of).answer(draws=0 if of.large else DRAWS)
    except (DataError, MeasureError, UsageError) as error:
        return [Words((f"Last and earlier queries were not tested: {of.redaction.note(str(error))}.",))]
    named = with_groups(found.table, [of.choices.by])
    means = named.group_by("group", maintain_order=True).last().select(MEANS)
    tests = named.filter((pl.col("test") == TOLD[found.units]) | pl.col("test").is_null()).select(TESTED)
    over = "every user the same" if found.units == "users" else "every session the same"
    headers = {"group": of.choices.legend, "difference": "Difference", **HEADINGS}
    note = (
        "Last and Earlier are means over sessions, as in the figure; sessions of one query and undefined ones are left out. The "
        f"difference, its interval and p are with {over}."
    )
    shown = means.join(tests, on="group", maintain_order="left")
    table = table_of(
        f"{measure} of last and earlier queries, within sessions", shown, headers=headers, note=note, decimals=4
    )
    return [of.told(found.reading), table]
