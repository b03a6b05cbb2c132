"""Searchers: how far they looked, what discounts that makes, what goes with their ratings, what gain cost them."""

from __future__ import annotations

from sessionkit.analysis.calibrate.calibrate import calibrate
from sessionkit.analysis.correlate.correlate import correlate
from sessionkit.analysis.effort.effort import effort
from sessionkit.charts import discount_surface
from sessionkit.contract import table
from sessionkit.display.tables import table_of
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.figures.figure import Figure, without_condition
from sessionkit.reports.figures.robustness import DRAWS as FITS
from sessionkit.reports.figures.robustness import FITTED
from sessionkit.reports.material import LARGE, Material
from sessionkit.reports.parts import Heading, Part, Words
from sessionkit.reports.sections.section_kind import section

DRAWS = 1_000
"""Draws of users behind the intervals of correlations."""
RATINGS = 3
"""Columns of ratings that are correlated with, at most."""
CORRELATED = {
    "measure": "Measure",
    "covariate": "With",
    "coefficient": "Coefficient",
    "n": "n",
    "units": "Units",
    "value": "Estimate",
    "low": "95 % from",
    "high": "to",
    "p": "p",
    "p_independent": "p_independent",
}


@section("searchers", "Searchers")
def searchers(of: Material) -> list[Part]:
    """The discounts that fit what was looked at, correlations with ratings, and the effort that a gain takes."""
    if of.large:
        words = "sessionkit calibrate, correlate and effort say it."
        return [Words((f"Not worked out for more than {LARGE:,} sessions: {words}",))]
    return [*_fitted(of), *_rated(of), *_effort(of)]


def _fitted(of: Material) -> list[Part]:
    """The discount of the first measure, fitted to how far searchers looked."""
    about = Heading("How far searchers looked")
    try:
        found = calibrate(of.study, of.choices.measure, draws=FITS)
        chart = discount_surface(without_condition(found), synthetic=of.choices.synthetic, title=FITTED)
    except (DataError, MeasureError, UsageError) as error:
        return [about, Words((f"Discounts were not fitted to the searchers: {of.redaction.note(str(error))}.",))]
    caption = f"The discounts of {of.choices.measure} fitted to how far searchers looked, by rank and query position, beside what was seen."
    return [
        about,
        Figure("discount-surface", FITTED, chart, caption),
        of.told(found.reading, listed=True),
    ]


def _rated(of: Material) -> list[Part]:
    """Measures against what searchers said, where the log has it."""
    known = {*table("sessions").names}
    columns = of.study.sessions.collect_schema()
    ratings = [name for name, dtype in columns.items() if dtype.is_numeric() and name not in known][:RATINGS]
    if not ratings:
        return []
    about = Heading("Measures and what searchers said")
    if of.valueless is not None:
        return [about, Words((of.valueless,))]
    try:
        found = correlate(of.study, list(of.measures), ratings, draws=DRAWS)
    except (DataError, MeasureError, UsageError) as error:
        return [about, Words((f"No correlations with {', '.join(ratings)}: {of.redaction.note(str(error))}.",))]
    shown = found.table.select([name for name in CORRELATED if name in found.table.columns])
    return [
        about,
        table_of("Measures and ratings", shown, headers=CORRELATED, decimals=3),
        of.told(found.reading, listed=True),
    ]


def _effort(of: Material) -> list[Part]:
    """What it took to gain what the ideal gains."""
    about = Heading("What a gain took")
    if of.unjudged is not None:
        return [about, Words((of.unjudged,))]
    try:
        found = effort(of.study, of.choices.measure, of.choices.by)
    except (DataError, MeasureError, UsageError) as error:
        return [about, Words((f"No effort was worked out: {of.redaction.note(str(error))}.",))]
    return [about, of.told(found.reading, listed=True)]
