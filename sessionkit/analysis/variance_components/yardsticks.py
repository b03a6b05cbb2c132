"""What a contrast of groups' means is judged by: mean squares of the factors that vary what groups do."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sessionkit.analysis.variance_components.factors import NEGLIGIBLE, Factors, Reduced
from sessionkit.analysis.variance_components.group_means import GroupMeans


@dataclass(frozen=True)
class Contrast:
    """A difference of two groups' means with its standard error.

    Parameters
    ----------
    estimate
        The second group's mean less the first's.
    se, df
        Standard error, and degrees of freedom of t; 0 where the mean square that judges is 0.
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
        own = factors.reach[:, factors.blocks[k]]
        scale = float(np.linalg.norm(own.T @ weight @ own, 2))
        if coarser:
            out = np.hstack([factors.reach[:, factors.blocks[j]] for j in coarser])
            weighted = weight @ out
            between = out.T @ weighted
            weight = weight - weighted @ _inverse(between, float(np.linalg.norm(between, 2)))[0] @ weighted.T
        inner = own.T @ weight @ own
        inverse, df = _inverse(inner, scale)
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
    means: GroupMeans,
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

    Where a study is not balanced some of the variance is that of factors that do not contain the groups, such as users of
    whom some met one group only. It has its degrees of freedom, and in its share a component counts as 0 if it is below:
    without that 12 users, 8 of them with one group, and 4 topics gave 7 to 9% rejections of true nulls; with it 5 to 6%.
    """
    first, second = pair
    loads = means.loads
    of = loads[:, first, first] + loads[:, second, second] - 2 * loads[:, first, second]
    estimate = float(means.values[second] - means.values[first])
    reml = float(of @ components)
    if not sticks:
        own_residual = float(of[-1]) * reduced.left / reduced.df
        variance = reml + own_residual - float(of[-1] * components[-1])
        parts = [(own_residual, reduced.df), *_crossed(factors, of, components)]
        return Contrast(estimate, math.sqrt(max(0.0, variance)), _freedom(variance, parts), (), math.sqrt(reml))
    crossed = _crossed(factors, of, components)
    share = sum(value for value, _ in crossed) / reml
    lifted = [share * max(0.0, -stick.component) for stick in sticks]
    own = [(float(of[stick.factor]) * (stick.ceiling + up), stick) for stick, up in zip(sticks, lifted, strict=True)]
    variance = reml + sum(
        float(of[stick.factor]) * (stick.component + up - components[stick.factor])
        for stick, up in zip(sticks, lifted, strict=True)
    )
    most, longest = max(own, key=lambda each: each[0])
    if variance <= most:
        by: tuple[str, ...] = (factors.names[longest.factor],)
        return Contrast(estimate, math.sqrt(most), longest.df, by, math.sqrt(reml))
    parts = [*((value, stick.df) for value, stick in own), *crossed]
    by = tuple(factors.names[stick.factor] for stick in sticks)
    return Contrast(estimate, math.sqrt(variance), _freedom(variance, parts), by, math.sqrt(reml))


def _crossed(factors: Factors, of: np.ndarray, components: np.ndarray) -> list[tuple[float, int]]:
    """What is in a contrast's variance of the factors that do not contain the groups, and their degrees of freedom."""
    others = [k for k in range(len(factors.names)) if k not in factors.containing]
    return [(float(of[k] * components[k]), factors.sizes[k] - 1) for k in others]


def _freedom(variance: float, parts: list[tuple[float, int]]) -> float:
    """Degrees of freedom of a variance that is made of parts, each with its own, by Satterthwaite; the first is there always."""
    told = [parts[0], *(part for part in parts[1:] if part[0] > NEGLIGIBLE * variance)]
    if len(told) == 1:
        return parts[0][1]
    return variance**2 / sum(value**2 / free for value, free in told)


def _inverse(matrix: np.ndarray, scale: float) -> tuple[np.ndarray, int]:
    """Pseudo-inverse and rank of a matrix whose numbers are as exact as numbers of this scale are."""
    value, vector = np.linalg.eigh(matrix)
    kept = value > NEGLIGIBLE * max(1e-300, scale)
    return (vector[:, kept] / value[kept]) @ vector[:, kept].T, int(kept.sum())
