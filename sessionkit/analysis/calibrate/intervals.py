"""Intervals from draws of users: how much a fit would differ had other users been observed."""

from __future__ import annotations

import numpy as np

from sessionkit.analysis.bootstrap import FEWEST, BootstrapInterval, Resampling
from sessionkit.analysis.calibrate.counts import LookCounts, drawn
from sessionkit.analysis.calibrate.factors import Numbers
from sessionkit.analysis.calibrate.fits import LIKELIHOOD, DiscountFit, height_of, values_of
from sessionkit.analysis.calibrate.optimizer import climbed
from sessionkit.analysis.calibrate.shares import Looked

STEP, FINE = 0.25, 1e-5
CELLS = 3_000
"""Pairs of rank and query position above which distances are not drawn: that would take minutes."""
AT_ONCE = 2**21
"""Numbers made in one go."""


def intervals(fit: DiscountFit, counted: LookCounts, resampling: Resampling) -> list[BootstrapInterval | None]:
    """An interval for each parameter; None where there are too few units, or too many places for a distance.

    Parameters
    ----------
    fit
        What was fitted to all units.
    counted
        The counts, already limited as the fit has it.
    """
    units = len(counted.unit_codes)
    if not counted.units or units < FEWEST:
        return [None] * len(fit.model.free)
    replicates = _replicates(fit, counted, resampling)
    if replicates is None:
        return [None] * len(fit.model.free)
    left_out = np.zeros(units)
    return [
        resampling.says(replicates[:, place], float(fit.values[place]), left_out) if state.usable else None
        for place, state in enumerate(fit.states)
    ]


def _replicates(fit: DiscountFit, counted: LookCounts, resampling: Resampling) -> Numbers | None:
    """The values of every draw: (draws, parameters)."""
    model, bounds = fit.model, [free.bounds for free in fit.model.free]
    if fit.criterion == LIKELIHOOD:
        each = counted.stops(by_position=model.along)[1]
        cells = max(each.list_stops.shape[1], each.session_stops.shape[1])
    else:
        if counted.ranks * counted.queries > CELLS:
            return None
        looks = counted.looked_by_unit()
        cells = looks.shape[1] * looks.shape[2]
    rows = max(1, AT_ONCE // (3 ** len(bounds) * cells))
    made = []
    for weights in resampling.weights(len(counted.unit_codes)):
        for start in range(0, len(weights), rows):
            some = weights[start : start + rows]
            if fit.criterion == LIKELIHOOD:
                height = height_of(model, fit.criterion, drawn(each, some))
            else:
                counts = np.tensordot(some, looks, axes=1)
                height = height_of(model, fit.criterion, Looked(counts).for_model(model))
            begin = np.repeat(fit.at[None], len(some), axis=0)
            made.append(values_of(model, climbed(height, begin, bounds, STEP, FINE)))
    return np.concatenate(made)
