"""Intervals of components: the values at which the profiled restricted likelihood is not significantly lower."""

from __future__ import annotations

import numpy as np

from sessionkit.analysis.components.factors import Reduced
from sessionkit.analysis.components.maximum import highest

FARTHEST = 1e8
"""Multiple of the total variance beyond which an interval is said to have no end."""
STEP = 3.0


def interval(reduced: Reduced, found: np.ndarray, component: int, alpha: float) -> tuple[float, float | None]:
    """Return the ends of a component's profile likelihood interval; the upper one None where there is no end.

    The deviance with the component held, the others free, is compared with chi-squared of 1 degree of freedom. Where the
    component is truly 0 the interval covers it more often than 1 - alpha.
    """
    from scipy import optimize, stats

    lowest = reduced.deviance(found)
    critical = float(stats.chi2.isf(alpha, 1))
    at = float(found[component])
    warm = {"at": np.where(found > 0, found, found.sum() * 1e-3)}

    def above(value: float) -> float:
        start = warm["at"].copy()
        start[component] = value
        best = highest(reduced, start, fixed=component)
        return reduced.deviance(best) - lowest - critical

    total = float(found.sum())
    low = at
    residual = component == len(found) - 1
    if residual:
        while above(low / STEP) <= 0:
            low /= STEP
        low = float(optimize.brentq(above, low / STEP, low, xtol=1e-9 * total))
    elif at > 0:
        low = float(optimize.brentq(above, 0.0, at, xtol=1e-9 * total)) if above(0.0) > 0 else 0.0
    high = max(at, 1e-3 * total)
    while above(high) <= 0:
        high *= STEP
        if high > FARTHEST * total:
            return low, None
    return low, float(optimize.brentq(above, max(at, high / STEP) if high > at else at, high, xtol=1e-9 * total))
