"""Intervals of components: the values at which the profiled restricted likelihood is not significantly lower."""

from __future__ import annotations

import numpy as np

from sessionkit.analysis.variance_components.factors import Reduced
from sessionkit.analysis.variance_components.reml import highest

FARTHEST = 1e8
"""Multiple of the total variance beyond which an interval has no end; and share of 1 below which one of the residual begins at 0."""
STEP = 3.0
LITTLE = 1e-2
"""Share of the residual that a component of 0 is tried at first."""


def interval(reduced: Reduced, found: np.ndarray, component: int, alpha: float) -> tuple[float, float | None]:
    """Return the ends of a component's profile likelihood interval; the upper one None where there is no end.

    The deviance with the component held, the others free, is compared with chi-squared of 1 degree of freedom. Where the
    component is truly 0 the interval covers it more often than 1 - alpha.
    """
    from scipy import optimize, stats

    lowest = reduced.deviance(found)
    critical = float(stats.chi2.isf(alpha, 1))
    at, residual = float(found[component]), float(found[-1])
    warm = np.where(found > 0, found, residual * LITTLE)

    def above(value: float) -> float:
        start = warm.copy()
        start[component] = value
        best = highest(reduced, start, fixed=component)
        return reduced.deviance(best) - lowest - critical

    def crossing(one: float, other: float) -> float:
        return float(optimize.brentq(above, one, other, xtol=1e-6 * residual, rtol=1e-8))

    low = 0.0
    if component == len(found) - 1:
        within, low = at, at / STEP
        while low > at / FARTHEST and above(low) <= 0:
            within, low = low, low / STEP
        low = crossing(low, within) if low > at / FARTHEST else 0.0
    elif at > 0 and above(0.0) > 0:
        low = crossing(0.0, at)
    within, high = at, max(at * STEP, residual * LITTLE)
    while above(high) <= 0:
        within, high = high, high * STEP
        if high > FARTHEST * float(found.sum()):
            return low, None
    return low, crossing(within, high)
