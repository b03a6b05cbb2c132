"""REML: the components at which the restricted likelihood is greatest, none below 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sessionkit.analysis.variance_components.factors import Factors, Reduced

STEPS = 500
HALVINGS = 30
CLOSE = 1e-11
"""Step, as a share of all components, below which the maximum is reached."""
ROUNDING = 1e-13
"""Share of the deviance by which a step may seem to raise it."""
NOTHING = 1e-7
"""Share of the residual below which a component counts as 0."""


@dataclass(frozen=True, eq=False)
class MixedFit:
    """A mixed model fitted.

    Parameters
    ----------
    components
        Variance of every factor and, last, of the residual.
    log_likelihood
        Restricted log likelihood.
    converged
        Whether the maximum was reached.
    """

    components: np.ndarray
    log_likelihood: float
    converged: bool


def fitted(factors: Factors, values: np.ndarray) -> MixedFit:
    """Fit by REML, to values as multiples of their sd: a fit does not depend on their scale."""
    sd = float(values.std())
    reduced = factors.reduced((values - values.mean()) / sd)
    found = estimated(reduced, 1.0)
    converged = bool(np.abs(_step(reduced, found)).max() <= NOTHING * found.sum())
    # of X'X, which is diagonal, the determinant is the product of the groups' sizes
    free = len(values) - factors.groups
    constant = free * float(np.log(2 * np.pi * sd**2)) + float(np.log(factors.counts).sum())
    return MixedFit(found * sd**2, -(reduced.deviance(found) + constant) / 2, converged)


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
        step = _step(reduced, now, fixed)
        for halving in range(HALVINGS):
            tried = now + step / 2**halving
            tried[:-1] = np.maximum(tried[:-1], 0.0)
            value = reduced.deviance(tried)
            if value <= deviance + ROUNDING * abs(deviance):
                break
        else:
            return now
        moved, now, deviance = float(np.abs(tried - now).max()), tried, value
        if moved <= CLOSE * float(now.sum()):
            return now
    return now


def _step(reduced: Reduced, now: np.ndarray, fixed: int | None = None) -> np.ndarray:
    """The scoring step; components at 0 that would fall below it stay."""
    score, information = reduced.slopes(now)
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
