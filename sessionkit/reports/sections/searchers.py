"""How far searchers looked, what discounts that makes, and what effort a gain took."""

from __future__ import annotations

from dataclasses import replace

from sessionkit.analysis.calibrate.calibrate import calibrate
from sessionkit.analysis.effort.effort import effort
from sessionkit.charts import discount_fit
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.figures.figure import Figure, figures, without_condition
from sessionkit.reports.figures.query_steps import effort_figure
from sessionkit.reports.figures.robustness import DRAWS, FITTED, LOOKED
from sessionkit.reports.material import LARGE, Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.sections.section_kind import section


@section("searchers", "How far searchers looked")
def searchers(of: Material) -> list[Part]:
    """The discount of the first measure, fitted to how far searchers looked."""
    if of.study.facts.sessions == 1:
        return []  # one session shows no searchers' habits
    if of.large:
        return [Words((f"Not computed for more than {LARGE:,} sessions.",))]
    try:
        found = calibrate(of.study, of.choices.measure, draws=DRAWS)
        chart = discount_fit(without_condition(found), synthetic=of.choices.synthetic, title=FITTED)
    except (DataError, MeasureError, UsageError) as error:
        return [Words((f"Discounts were not fitted to the searchers: {of.redaction.note(str(error))}.",))]
    caption = (
        f"Share of sessions that look at each rank of each query: as observed, and as the discounts of {of.choices.measure} expect that "
        "are fitted to it. Intervals (95%, Wilson) take sessions to be independent of each other."
    )
    looked = [
        replace(one, caption=LOOKED)
        for one in figures(of.study, of.choices, ["examination-heatmap"])
        if one.chart is not None
    ]
    return [*looked, Figure("discount-fit", FITTED, chart, caption), of.told(found.reading, listed=True)]


@section("effort", "What effort a gain took")
def effort_of_gain(of: Material) -> list[Part]:
    """What it took to gain what the ideal gains."""
    if of.unjudged is not None or of.study.facts.sessions == 1:
        return []
    if of.large:
        return [Words((f"Not computed for more than {LARGE:,} sessions.",))]
    try:
        found = effort(of.study, of.choices.measure, of.choices.by)
    except (DataError, MeasureError, UsageError) as error:
        return [Words((f"No effort was worked out: {of.redaction.note(str(error))}.",))]
    drawn = [] if found.spent.is_empty() else [effort_figure(found, of.study, of.highlighting)]
    return [*drawn, of.told(found.reading, listed=True)]
