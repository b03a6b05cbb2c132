"""What a contrast of groups' means is judged by: mean squares of the factors that vary what groups do."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sessionkit.analysis.components.factors import NEGLIGIBLE, Factors, Reduced
from sessionkit.analysis.components.fixed import Means


@dataclass(frozen=True)
class Contrast:
    """A difference of two groups' means with its standard error.

    Parameters
    ----------
    estimate
        The second group's mean less the first's.
    se, df
        Standard error, and degrees of freedom of t.
    by
        Factors that it is judged by; none: the residual.
    reml
        The standard error that the REML components give, cut off at 0.
    """

    estimate: float
    se: float
    df: float
    by: tuple[str, ...]
    reml: float


@dataclass(frozen=True)
class Yardstick:
    """The mean square of one factor that contains the groups.

    Parameters
    ----------
    factor
        Number of the factor.
    component
        The component that the mean square says the factor has; it may be below 0.
    ceiling
        The same were there nothing else in the mean square.
    df
        Its degrees of freedom.
    """

    factor: int
    component: float
    ceiling: float
    df: int


def yardsticks(factors: Factors, reduced: Reduced, components: np.ndarray) -> list[Yardstick]:
    """Return the mean squares of all factors that contain the groups.

    Each is worked out with coarser factors taken out, and the other factors and the residual as random as their
    components say: with them known the mean square is expected to be 1 + c x component.
    """
    found = []
    for k in factors.containing:
        coarser = [j for j in range(len(factors.names)) if j != k and factors.finer(k, j)]
        others = components.copy()
        others[[k, *coarser]] = 0.0
        weight = np.linalg.inv(np.tensordot(others, reduced.shapes, 1))
        if coarser:
            out = np.hstack([factors.reach[:, factors.blocks[j]] for j in coarser])
            weighted = weight @ out
            weight = weight - weighted @ _inverse(out.T @ weighted)[0] @ weighted.T
        own = factors.reach[:, factors.blocks[k]]
        inner = own.T @ weight @ own
        inverse, df = _inverse(inner)
        if not df:
            continue
        seen = own.T @ (weight @ reduced.seen)
        square = float(seen @ inverse @ seen) / df
        c = float(np.trace(inner)) / df
        found.append(Yardstick(k, (square - 1) / c, square / c, df))
    return found


def contrast(
    factors: Factors,
    reduced: Reduced,
    means: Means,
    components: np.ndarray,
    *,
    sticks: list[Yardstick],
    pair: tuple[int, int],
) -> Contrast:
    """Return a difference of means with an error that keeps its nominal size where topics and users are few.

    Its variance is made of components, those of the factors that contain the groups from their mean squares, not cut off
    at 0, and never less than any of these alone gives (a quasi-F; degrees of freedom by Satterthwaite 1946). The standard
    error of a REML fit, cut off at 0, does not keep its size with 4 topics, neither with z nor with Satterthwaite's df
    from the information matrix. Where no factor contains the groups the residual's mean square judges, as in a paired t.
    """
    first, second = pair
    loads = means.loads
    of = loads[:, first, first] + loads[:, second, second] - 2 * loads[:, first, second]
    estimate = float(means.values[second] - means.values[first])
    reml = float(of @ components)
    if not sticks:
        own_residual = reml + float(of[-1]) * (reduced.left / reduced.df - components[-1])
        return Contrast(estimate, math.sqrt(own_residual), reduced.df, (), math.sqrt(reml))
    own = [(float(of[stick.factor]) * stick.ceiling, stick) for stick in sticks]
    variance = reml + sum(float(of[each.factor]) * (each.component - components[each.factor]) for each in sticks)
    most, longest = max(own, key=lambda each: each[0])
    if variance <= most:
        by: tuple[str, ...] = (factors.names[longest.factor],)
        return Contrast(estimate, math.sqrt(most), longest.df, by, math.sqrt(reml))
    df = variance**2 / sum(value**2 / stick.df for value, stick in own)
    by = tuple(factors.names[stick.factor] for stick in sticks)
    return Contrast(estimate, math.sqrt(variance), df, by, math.sqrt(reml))


def _inverse(matrix: np.ndarray) -> tuple[np.ndarray, int]:
    """Pseudo-inverse and rank."""
    value, vector = np.linalg.eigh(matrix)
    kept = value > NEGLIGIBLE * max(1e-300, float(value.max(initial=0)))
    return (vector[:, kept] / value[kept]) @ vector[:, kept].T, int(kept.sum())
