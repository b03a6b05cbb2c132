"""The sections of a report in the order in which they stand, each a question; what a reader can unfold stands with each."""

from sessionkit.reports.sections.behavior import behavior
from sessionkit.reports.sections.measures import ratings
from sessionkit.reports.sections.method import method
from sessionkit.reports.sections.robustness import robustness
from sessionkit.reports.sections.section_kind import SectionKind, further_figures
from sessionkit.reports.sections.sessions import every_session, sessions
from sessionkit.reports.sections.summary import summary
from sessionkit.reports.sections.topics import topics

SECTIONS: tuple[SectionKind, ...] = (
    summary,
    topics,
    sessions,
    behavior,
    ratings,
    robustness,
    further_figures,
    every_session,
    method,
)
"""What a report consists of."""
