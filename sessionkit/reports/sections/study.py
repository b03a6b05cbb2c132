"""The study: what was logged, by whom, and how it was designed."""

from __future__ import annotations

from sessionkit.analysis.describe import Description, describe
from sessionkit.display.tables import known, table_of
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.questions import StudyQuestion, ask
from sessionkit.reports.sections.section_kind import section

ROWS = 20
"""Rows shown of each table; a line below says how many more there are."""

NAMELESS = {"Systems": "All sessions", "Sessions by system and topic": "Sessions"}
"""What tables are called without the systems or topics in their titles, where the log names none."""

OF_ONE = ("Judged share of the results", "Result lists")
"""The tables that say something of a single session."""


def description(of: Material) -> StudyQuestion[Description]:
    """What was logged."""
    return ask(describe, of.study)


@section("study", "What was logged", of_all=[description])
def study(of: Material) -> list[Part]:
    """Systems, searchers, topics, lists and judgments in tables."""
    found = description(of).answer()
    if of.study.facts.sessions == 1:
        titled = found.titled_tables()
        return [table_of(one, known(of.redaction.frame(titled[one], of.study))) for one in OF_ONE if one in titled]
    tables = []
    for caption, frame in found.titled_tables().items():
        shown = known(of.redaction.frame(frame, of.study))
        told = caption if shown.width == frame.width else NAMELESS.get(caption, caption)
        tables.append(table_of(told, shown, limit=ROWS))
    compared = of.comparison
    named = f"{found.design}: {found.design_note}" if compared is None else compared.design
    design = Words((of.redaction.note(f"Design: {named}."),))
    return [design, *tables]
