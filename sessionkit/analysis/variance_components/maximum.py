"""The components at which the restricted likelihood is greatest, none below 0."""

from __future__ import annotations

import numpy as np

from sessionkit.analysis.variance_components.factors import Reduced

STEPS = 200
HALVINGS = 30
ENOUGH = 1e-10
"""Gain in -2 log likelihood below which no further step is made."""
NOTHING = 1e-7
"""Share of the residual below which a component counts as 0."""


def highest(reduced: Reduced, start: np.ndarray, fixed: int | None = None) -> np.ndarray:
    """Return the REML components by Fisher scoring.

    Parameters
    ----------
    reduced
        The values.
    start
        Components to begin at, the residual's last.
    fixed
        A component to keep as it is at the start.
    """
    now, deviance = start.astype(float), reduced.deviance(start)
    for _ in range(STEPS):
        step = _step(*reduced.slopes(now), now, fixed)
        for halving in range(HALVINGS):
            tried = now + step / 2**halving
            tried[:-1] = np.maximum(tried[:-1], 0.0)
            value = reduced.deviance(tried)
            if value < deviance:
                break
        else:
            return now
        gained, now, deviance = deviance - value, tried, value
        if gained < ENOUGH:
            return now
    return now


def estimated(reduced: Reduced, spread: float) -> np.ndarray:
    """Return the REML components of values with this variance: the better of two ascents, from equal shares and from none.

    What is less than a ten-millionth of the residual is 0.
    """
    many = len(reduced.shapes)
    equal = np.full(many, spread / many)
    little = np.full(many, spread * 0.01)
    little[-1] = spread
    found = min((highest(reduced, start) for start in (equal, little)), key=reduced.deviance)
    found[:-1][found[:-1] < NOTHING * found[-1]] = 0.0
    return found


def _step(score: np.ndarray, information: np.ndarray, now: np.ndarray, fixed: int | None) -> np.ndarray:
    """The scoring step; components at 0 that would fall below it stay."""
    moving = np.arange(len(now)) != fixed
    while True:
        step = np.zeros(len(now))
        part = np.flatnonzero(moving)
        step[part] = np.linalg.lstsq(information[np.ix_(part, part)], score[part], rcond=1e-12)[0]
        held = moving & (now <= 0) & (step < 0)
        held[-1] = False
        if not held.any():
            return step
        moving &= ~held
