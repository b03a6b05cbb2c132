"""Pages of single sections, so that a browser has less to read."""

from markupsafe import Markup

from sessionkit.charts.files import page
from sessionkit.reports.choices import Redaction, choices_of
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.page import html_sections
from sessionkit.reports.parts import FigureRow, Widget
from sessionkit.reports.report_data import Material
from sessionkit.scoring.measures.grammar import parse_measure


def material(study, measures=(), redact="", by="system_id", declared=None):
    """Return what the sections of a report are made from."""
    asked, redaction = [parse_measure(measure) for measure in measures], Redaction.of(redact)
    choices = choices_of(study, asked or None, redaction=redaction)
    return Material(study, tuple(asked), by, choices, redaction, declared=declared)


def by_name(sections):
    """Every section and detail by its name."""
    found = {}
    for section in sections:
        found |= {section.name: section} | by_name(section.details)
    return found


def figures_in(section):
    """The figures that a section shows, also those side by side."""
    rows = [part.figures if isinstance(part, FigureRow) else (part,) for part in section.parts]
    return [part for row in rows for part in row if isinstance(part, Figure)]


def page_of(section, study, measures=(), redact=""):
    """Return a page of one section."""
    made = section(material(study, measures, redact))
    scripts = [script for part in made.every_part() if isinstance(part, Widget) for script in part.scripts]
    body = Markup("<main><h1>One section</h1>{}</main>").format(html_sections([made]))
    return page("One section", body, style_sheet="reports/report.css", scripts=scripts)
