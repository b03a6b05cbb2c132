"""A page of figures of sessions with the explorer below them: a click on a session in a figure opens it there."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from sessionkit.charts.page import page
from sessionkit.charts.scripts import script
from sessionkit.display.labels import shortened
from sessionkit.display.templates import rendered
from sessionkit.errors import DataWarning
from sessionkit.reports.choices import choices_of
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.html import html_sections
from sessionkit.reports.material import Material
from sessionkit.reports.page import BANNER
from sessionkit.reports.parts import Section, Widget
from sessionkit.reports.redaction import Redaction
from sessionkit.reports.sections.explorer import explorer, explorer_parts
from sessionkit.scoring.measures.base import Measure
from sessionkit.study import Study

ROOM = 12_000_000
"""Bytes that the explorer may take: a click on any of a few thousand sessions opens it."""


def session_page(study: Study, figures: Sequence[Figure], measure: Measure, *, by: str = "system_id") -> str:
    """Return a page of figures above an explorer of the study's sessions.

    A click on a mark whose datum has a ``session_id`` opens that session in the explorer.

    Parameters
    ----------
    study
        The study that the figures are of.
    figures
        One or more figures.
    measure
        The measure of the table of sessions; the explorer draws the sum of gains with its parameters.
    by
        Column of sessions or users that makes the groups.
    """
    material = Material(study, (measure,), by, choices_of(study, [measure], by=by), Redaction())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the figures warned of the same
        sections = [
            Section("figures", figures[0].title, tuple(figures)),
            Section("explorer", str(explorer.title), tuple(explorer_parts(material, ROOM))),
        ]
    widgets = [part for section in sections for part in section.parts if isinstance(part, Widget)]
    title = study.settings.title or figures[0].title
    body = rendered(
        "reports/session_page.html",
        title=title,
        about=study.facts.in_words,
        banner=BANNER if study.settings.synthetic else "",
        sections=html_sections(sections),
    )
    scripts = [script("reports/sections.js"), *(text for widget in widgets for text in widget.scripts)]
    return page(shortened(title), body, style_sheet="reports/report.css", scripts=scripts)
