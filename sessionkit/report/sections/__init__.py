"""The sections of a report, one file each, in the order in which they stand; a new one is a file and a line here."""

from collections.abc import Callable

from sessionkit.report.material import Material
from sessionkit.report.parts import Section
from sessionkit.report.sections.behaviour import behaviour
from sessionkit.report.sections.discounts import discounts
from sessionkit.report.sections.explorer import explorer
from sessionkit.report.sections.judgments import judgments
from sessionkit.report.sections.measures import measures
from sessionkit.report.sections.method import method
from sessionkit.report.sections.quality import quality
from sessionkit.report.sections.searchers import searchers
from sessionkit.report.sections.sensitivity import sensitivity
from sessionkit.report.sections.sessions import sessions
from sessionkit.report.sections.study import study
from sessionkit.report.sections.summary import summary

SECTIONS: tuple[Callable[[Material], Section], ...] = (
    summary,
    study,
    sessions,
    discounts,
    measures,
    sensitivity,
    behaviour,
    searchers,
    judgments,
    explorer,
    quality,
    method,
)
"""What a report consists of."""
