"""Intervals and tests of correlations where sessions are independent units: by Fisher's z, and for the difference of two
correlations with the same variable by Williams' t and Steiger's z.

Pearson's interval is Fisher's; Spearman's has the variance (1 + r^2 / 2) / (n - 3) of Bonett and Wright (2000), and
Kendall's .437 / (n - 4) of Fieller, Hartley and Pearson (1957) on the same scale. Of partial correlations each variable
held constant takes one from n. Williams' t (1959) and Steiger's z with pooled correlations (1980) are for Pearson's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sessionkit.analysis.distribution_tails import t_at, t_beyond
from sessionkit.errors import UsageError


@dataclass(frozen=True)
class Apart:
    """A test of a difference between two correlations.

    Parameters
    ----------
    name
        The test.
    statistic, df, p
        Its statistic, degrees of freedom (None for z) and two-sided p-value.
    low, high
        The interval of the difference that holds 0 exactly where the test does not reject at 1 - confidence.
    """

    name: str
    statistic: float
    df: int | None
    p: float
    low: float
    high: float


def interval(coefficient: str, value: float, n: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """Interval of a correlation of independent units.

    Parameters
    ----------
    coefficient
        ``"pearson"``, ``"spearman"`` or ``"kendall"``.
    value
        The correlation.
    n
        Units, less the variables held constant.
    confidence
        Confidence of the interval.

    Returns
    -------
    tuple of float or None
        None where there are too few units.

    Examples
    --------
    >>> low, high = interval("spearman", 0.8699639, 15)
    >>> round(low, 4), round(high, 4)
    (0.5841, 0.9638)
    """
    from scipy import special

    variance = {
        "pearson": (1.0, n - 3),
        "spearman": (1 + value**2 / 2, n - 3),
        "kendall": (0.437, n - 4),
    }[coefficient]
    if variance[1] < 1:
        return None
    half = float(special.ndtri(0.5 + confidence / 2)) * math.sqrt(variance[0] / variance[1])
    z = _z(value)
    return math.tanh(z - half), math.tanh(z + half)


def p_of_r(value: float, n: int) -> float | None:
    """Two-sided p-value of Pearson's or Spearman's coefficient by t with n - 2 degrees of freedom, n less the variables
    held constant.
    """
    if n < 3:
        return None
    if abs(value) >= 1:
        return 0.0
    return 2 * t_beyond(abs(value) * math.sqrt((n - 2) / (1 - value**2)), n - 2)


def williams(r12: float, r13: float, r23: float, n: int, confidence: float = 0.95) -> Apart:
    """Do 2 and 3 differ in their Pearson correlation with 1: Williams' t (1959), as Steiger (1980) recommends it.

    Parameters
    ----------
    r12, r13, r23
        Correlations of the three variables in the same independent units.
    n
        Units, 4 or more.
    confidence
        Confidence of the interval.

    Raises
    ------
    UsageError
        If there are too few units, or the correlations leave no room for a difference.

    Examples
    --------
    >>> found = williams(0.4, 0.5, 0.1, 103)
    >>> round(found.statistic, 4), round(found.p, 4)
    (-0.8913, 0.3749)
    """
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    if n < 4:
        msg = f"Williams' t needs at least 4 units, not {n}"
        raise UsageError(msg)
    spread = 2 * max(determinant, 0.0) * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    room = (n - 1) * (1 + r23)
    if spread <= 0 or room <= 0:
        raise _no_room()
    error = math.sqrt(spread / room)
    t = (r12 - r13) / error
    half = t_at(0.5 - confidence / 2, n - 3) * error
    return Apart("Williams t", t, n - 3, 2 * t_beyond(abs(t), n - 3), r12 - r13 - half, r12 - r13 + half)


def steiger(r12: float, r13: float, r23: float, n: int, confidence: float = 0.95) -> Apart:
    """Do 2 and 3 differ in their Pearson correlation with 1: Steiger's z with pooled correlations (1980).

    The interval is that of the difference of the z values, taken back to correlations around their middle.

    Parameters
    ----------
    r12, r13, r23
        Correlations of the three variables in the same independent units.
    n
        Units, 4 or more.
    confidence
        Confidence of the interval.

    Raises
    ------
    UsageError
        If there are too few units, or the correlations leave no room for a difference.

    Examples
    --------
    >>> round(steiger(0.401, 0.350, 0.9, 80).statistic, 4)
    1.0846
    """
    from scipy import special

    if n < 4:
        msg = f"Steiger's z needs at least 4 units, not {n}"
        raise UsageError(msg)
    mean = (r12 + r13) / 2
    if abs(mean) >= 1 or abs(r12) >= 1 or abs(r13) >= 1:
        raise _no_room()
    shared = (r23 * (1 - 2 * mean**2) - mean**2 * (1 - 2 * mean**2 - r23**2) / 2) / (1 - mean**2) ** 2
    if shared >= 1:
        raise _no_room()
    error = math.sqrt((2 - 2 * shared) / (n - 3))
    apart = _z(r12) - _z(r13)
    z = apart / error
    half = float(special.ndtri(0.5 + confidence / 2)) * error
    middle = (_z(r12) + _z(r13)) / 2
    low, high = (math.tanh(middle + at / 2) - math.tanh(middle - at / 2) for at in (apart - half, apart + half))
    return Apart("Steiger z", z, None, float(2 * special.ndtr(-abs(z))), low, high)


def _z(value: float) -> float:
    """Fisher's z."""
    return math.copysign(math.inf, value) if abs(value) >= 1 else float(np.arctanh(value))


def _no_room() -> UsageError:
    """Build the error where a correlation is 1 or the three determine each other."""
    return UsageError(
        "the correlations are 1, or determine each other: no variance is left to test a difference against"
    )
