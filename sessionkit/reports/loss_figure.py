"""Judgment loss as a figure: the curve of each measure, with how it was made below the title."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import polars as pl

from sessionkit.analysis.judgment_loss.finding import JudgmentLoss
from sessionkit.charts import judgment_loss

TITLE = "The order of systems as judgments are lost"


def drawn(
    found: JudgmentLoss,
    *,
    colours: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = TITLE,
) -> alt.LayerChart:
    """Draw the curves of judgment loss, with their knees.

    Parameters
    ----------
    found
        What was found.
    colours
        Colour by measure; by default by sorted name.
    synthetic
        Whether to mark the figure as made from synthetic data.
    title
        Title, as plain text.
    """
    draws = "one draw" if found.repeats == 1 else f"mean of {found.repeats} draws"
    if found.repeats > 1 and (found.table.select(pl.col("tau_low", "tau_high").abs() < 1).to_numpy()).any():
        draws += ", band from the least to the most"
    return judgment_loss(
        found.table,
        found.knees,
        threshold=found.threshold,
        colours=colours,
        synthetic=synthetic,
        title=title,
        subtitle=f"groups by {found.by}; {draws}; seed {found.seed}",
    )
