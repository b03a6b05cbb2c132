"""Corrections for many comparisons, and the error rate at which intervals match them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

CORRECTIONS = ("holm", "bonferroni", "bh", "none")


def adjusted(p: Sequence[float], correction: str = "holm") -> list[float]:
    """Adjust p-values for their number.

    Parameters
    ----------
    p
        P-values, each 0 to 1.
    correction
        ``"holm"`` (Holm 1979, steps down, controls the chance of any false finding), ``"bonferroni"``, ``"bh"``
        (Benjamini and Hochberg 1995, controls the expected share of false findings) or ``"none"``.

    Examples
    --------
    Sorted .01, .02, .03: Holm 3 x .01, 2 x .02, then no less than the one before; BH 3/1 x .01, 3/2 x .02, .03.

    >>> adjusted([0.02, 0.01, 0.03])
    [0.04, 0.03, 0.04]
    >>> adjusted([0.02, 0.01, 0.03], "bh")
    [0.03, 0.03, 0.03]
    """
    values = np.asarray(p, dtype=float)
    m = len(values)
    if correction == "none" or not m:
        return [float(value) for value in values]
    if correction == "bonferroni":
        return [float(value) for value in np.minimum(1, m * values)]
    order = np.argsort(values, kind="stable")
    place = np.arange(m)
    if correction == "holm":
        stepped = np.maximum.accumulate((m - place) * values[order])
    else:
        stepped = np.minimum.accumulate((m / (place + 1) * values[order])[::-1])[::-1]
    found = np.empty(m)
    found[order] = np.minimum(1, stepped)
    return [float(value) for value in found]


def interval_rate(p: Sequence[float], correction: str, alpha: float) -> float:
    """Error rate of each interval that goes with a correction.

    Without one, alpha: each interval for itself. With Holm's and Bonferroni's, alpha / m: all m intervals hold at once.
    With Benjamini and Hochberg's, alpha R / m with R findings (at least 1): the expected share of selected intervals
    that miss is at most alpha (Benjamini and Yekutieli 2005).

    >>> interval_rate([0.001, 0.02, 0.03, 0.8], "bh", 0.05)  # three findings of four
    0.037500000000000006
    """
    m = max(1, len(p))
    if correction == "none":
        return alpha
    if correction == "bh":
        return alpha * max(1, sum(value <= alpha for value in adjusted(p, "bh"))) / m
    return alpha / m
