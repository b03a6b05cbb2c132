"""Does the measure match what searchers said: measures against the ratings that the log has."""

from __future__ import annotations

from typing import Any

import polars as pl

from sessionkit.analysis.correlate.correlate import Correlations
from sessionkit.analysis.phrases import level_text
from sessionkit.charts import correlation_forest
from sessionkit.display.numbers import P_IS_BOUND
from sessionkit.display.tables import table_of
from sessionkit.display.words import capital
from sessionkit.errors import UsageError
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.figures.scores import scatter_of
from sessionkit.reports.material import ALPHA, Material
from sessionkit.reports.parts import Part
from sessionkit.reports.phrases import correlation_text
from sessionkit.reports.sections.section_kind import section

CORRELATED = {
    "measure": "Measure",
    "covariate": "With",
    "coefficient": "Coefficient",
    "n": "n",
    "units": "Units",
    "value": "Estimate",
    "low": "95% from",
    "high": "to",
    "p": "p",
    "p_independent": "p if independent",
}
CORRELATIONS = "Correlations and their intervals"


@section("correlations", "All correlations")
def correlations(of: Material) -> list[Part]:
    """Every correlation, and the reading in full."""
    found = of.rated
    if not isinstance(found, Correlations):
        return []
    shown = found.table.select([name for name in CORRELATED if name in found.table.columns])
    return [
        *([_forest(of, found)] if len(found.with_) == 1 else []),
        table_of("Measures and ratings", shown, headers=CORRELATED, decimals=3, p_is_bound=found.table[P_IS_BOUND]),
        of.told(found.reading, listed=True),
    ]


@section("ratings", "Does the measure match what searchers said?", details=(correlations,))
def ratings(of: Material) -> list[Part]:
    """The correlation of the primary measure with each rating; a figure of its sessions by the one rating, or of all correlations."""
    found = of.rated
    if found is None:
        return []
    if isinstance(found, str):
        return [of.told(found)]
    spearman = found.table.filter(pl.col("coefficient") == "spearman", pl.col("measure") == str(of.primary))
    told = " ".join(f"{correlation_text(row, found)}{_good(of, row)}" for row in spearman.iter_rows(named=True))
    try:
        drawn = (
            scatter_of(of.study, spearman.row(0, named=True), of.choices) if len(spearman) == 1 else _forest(of, found)
        )
    except UsageError as error:  # such as a rating that no session with a value has
        drawn = Figure("rating-scatter", CORRELATIONS, None, f"Not drawn: {error}.")
    return [of.paragraph(told), drawn]


def _good(of: Material, row: dict[str, Any]) -> str:
    """Whether better values of the measure go with better ones of the rating, where the study says which are better and it is shown."""
    better = of.study.settings.better.get(row["covariate"])
    if better is None or not of.direction().is_known or row["p"] is None or row["p"] > ALPHA:
        return ""
    alike = (row["value"] > 0) == (better == of.direction().better)
    return f" {capital(better)} values of {row['covariate']} are better: the two {'agree' if alike else 'disagree'}."


def _forest(of: Material, found: Correlations) -> Figure:
    """The rank correlations of all measures with each rating."""
    rows = found.table.filter(coefficient="spearman")
    try:
        chart = correlation_forest(rows, synthetic=of.choices.synthetic, title=CORRELATIONS)
    except UsageError as error:  # no correlation has a value
        return Figure("correlation-forest", CORRELATIONS, None, f"Not drawn: {error}.")
    caption = (
        f"Rank correlations (Spearman's) of measures with ratings of sessions, with {level_text(1 - found.confidence)} intervals over "
        f"{found.units}, not adjusted for their number."
    )
    return Figure("correlation-forest", CORRELATIONS, chart, caption)
