"""A kind of section: what it asks of the study and what it says; and the section of figures that plugins add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sessionkit.charts.registry import CHARTS
from sessionkit.reports.figures.figure import figures
from sessionkit.reports.parts import Part, Section, Words
from sessionkit.reports.report_data import Material, StudyQuestion

Asked = Callable[[Material], StudyQuestion[Any]]
"""A question, once the material is there."""


@dataclass(frozen=True)
class SectionKind:
    """A section of every report; made by `section`.

    Parameters
    ----------
    name
        Where a link finds it: letters and hyphens.
    title
        Its heading, the same for every study, or one that says what this study has.
    parts
        What it says, in order.
    of_all
        What it asks of all sessions, beside what the material asks for several sections.
    of_shown
        What it asks of the sessions that are looked at one by one: of a large study some, drawn at random.
    details
        Sections that a reader can unfold below it.
    """

    name: str
    title: str | Callable[[Material], str]
    parts: Callable[[Material], Iterable[Part]]
    of_all: tuple[Asked, ...] = ()
    of_shown: tuple[Asked, ...] = ()
    details: tuple[SectionKind, ...] = ()

    def __call__(self, of: Material) -> Section:
        """The section of one report; details without a part are not there."""
        parts = tuple(self.parts(of))
        made = (detail(of) for detail in self.details)
        title = self.title if isinstance(self.title, str) else self.title(of)
        return Section(self.name, title, parts, tuple(detail for detail in made if detail.parts))

    def and_details(self) -> Iterator[SectionKind]:
        """It and its details."""
        yield self
        for detail in self.details:
            yield from detail.and_details()


def section(
    name: str,
    title: str | Callable[[Material], str],
    *,
    of_all: Sequence[Asked] = (),
    of_shown: Sequence[Asked] = (),
    details: Sequence[SectionKind] = (),
) -> Callable[[Callable[[Material], Iterable[Part]]], SectionKind]:
    """Make a section of the function that says what stands in it; parameters are those of `SectionKind`."""
    return lambda parts: SectionKind(name, title, parts, tuple(of_all), tuple(of_shown), tuple(details))


@section("further-figures", "What else is there to see?")
def further_figures(of: Material) -> list[Part]:
    """Every such chart, or why it is not drawn; none on a page from which something is left out, which they know nothing of."""
    kinds = [kind for kind in CHARTS.others() if CHARTS[kind].in_report]
    if not kinds:
        return []
    if of.redaction.kinds:
        return [
            Words((f"Charts of plugins are left out of a page without {' and '.join(sorted(of.redaction.kinds))}.",))
        ]
    drawn = figures(of.shown, of.colored, kinds)
    return [one if one.chart is not None else Words((one.caption,)) for one in drawn]
