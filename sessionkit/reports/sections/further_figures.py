"""Figures of others: charts that a plugin wants in every report."""

from __future__ import annotations

from sessionkit.charts.registry import CHARTS
from sessionkit.reports.figures.figure import figures
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.sections.section_kind import section


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
