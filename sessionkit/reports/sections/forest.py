"""The forest of the first screen: each difference with its interval, in units of its measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from sessionkit.analysis.compare.comparison import Comparison
from sessionkit.analysis.phrases import level_text
from sessionkit.charts.kinds.differences import differences
from sessionkit.errors import UsageError
from sessionkit.reports.figures.figure import Figure, without_condition

WIDE = 620
"""Width of the plot of a figure that has the page to itself."""
TITLE = "Differences and their intervals"


def forest(families: Sequence[Comparison], *, synthetic: bool) -> Figure:
    """Draw the differences of two groups by every measure; measures of one family were corrected together.

    Parameters
    ----------
    families
        Comparisons of the same groups by different measures.
    synthetic
        Whether to mark the figure as made from synthetic data.
    """
    drawn = replace(
        families[0],
        table=pl.concat([family.table for family in families]),
        no_verdict=pl.concat([family.no_verdict for family in families]),
        directions={measure: better for family in families for measure, better in family.directions.items()},
        equivalence={measure: width for family in families for measure, width in family.equivalence.items()},
    )
    try:
        chart = differences(without_condition(drawn), synthetic=synthetic, title=TITLE, width=WIDE)
    except UsageError as error:
        return Figure("differences", TITLE, None, f"Not drawn: {error}.")
    together = [family for family in families if family.family.number > 1]
    others = "the other measures" if len(families) > 1 else "the measures"
    hold = "".join(f"; intervals of {others} hold together{family.family.told}" for family in together)
    caption = f"Each difference with its {level_text(drawn.alpha)} interval{hold}."
    return Figure("differences", TITLE, chart, caption)
