"""A fitted discount as a figure: its first model, by the stopping likelihood where there is one."""

from __future__ import annotations

import altair as alt

from sessionkit.analysis.calibrate.calibration import Calibration
from sessionkit.charts import discount_surface

TITLE = "Fitted discount, and what was looked at"
DRAWS = 200
"""Draws for the intervals that a caption gives."""


def drawn(found: Calibration, *, synthetic: bool = False) -> alt.LayerChart:
    """Draw the first fit of a calibration.

    Parameters
    ----------
    found
        A calibration.
    synthetic
        Whether to mark the figure as made from synthetic data.
    """
    first = found.fits.row(0, named=True)
    fit = found.expected.filter(model=first["model"], criterion=first["criterion"])
    name = first["measure"] or first["model"]
    return discount_surface(fit, measure=name, synthetic=synthetic, title=TITLE)
