"""The sections of a report in the order in which they stand."""

from sessionkit.reports.sections.behavior import behavior
from sessionkit.reports.sections.discounts import discounts
from sessionkit.reports.sections.explorer import explorer
from sessionkit.reports.sections.judgments import judgments
from sessionkit.reports.sections.measures import measures
from sessionkit.reports.sections.method import method
from sessionkit.reports.sections.quality import quality
from sessionkit.reports.sections.searchers import searchers
from sessionkit.reports.sections.section_kind import SectionKind
from sessionkit.reports.sections.sensitivity import sensitivity
from sessionkit.reports.sections.sessions import sessions
from sessionkit.reports.sections.study import study
from sessionkit.reports.sections.summary import summary

SECTIONS: tuple[SectionKind, ...] = (
    summary,
    study,
    sessions,
    discounts,
    measures,
    sensitivity,
    behavior,
    searchers,
    judgments,
    explorer,
    quality,
    method,
)
"""What a report consists of."""
