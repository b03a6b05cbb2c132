"""Values of any size: a power of two by which they are divided, so that their squares neither overflow nor vanish.

The square of 1e200 is no double, and that of 1e-200 is 0. Tests and correlations are the same for values in other units, and
division by a power of two is exact. So what squares values works on such multiples, and its results are multiplied back.
"""

from __future__ import annotations

import math

import numpy as np

from sessionkit.errors import DataError

LARGEST = 1e300
"""Size above which differences and intervals of values may exceed the largest double, 1.8e308."""
ORDINARY = 200
"""Binary exponents from -200 to 200 (1e-60 to 1e60): the fourth powers of such values, which Welch's degrees of freedom take, are
doubles."""


def magnitude(values: np.ndarray) -> float:
    """Return the power of two just above the largest value if it is unusual, else 1; values may hold NaN.

    >>> magnitude(np.array([0.5, 3.0])), magnitude(np.zeros(2)), magnitude(np.array([3e300])) == 2.0**999
    (1.0, 1.0, True)
    """
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    exponent = math.frexp(largest)[1]
    return 1.0 if abs(exponent) <= ORDINARY else math.ldexp(1.0, exponent)


def require_magnitude(measure: str, values: np.ndarray) -> None:
    """Refuse values whose differences may not be doubles.

    Raises
    ------
    DataError
        A value is larger than `LARGEST`.
    """
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    if largest > LARGEST:
        raise DataError(
            f"{measure}: a value is {largest:.3g}, and at most {LARGEST:g} can be compared: differences of larger ones may exceed the "
            "largest number; divide the values by 1e10"
        )


def require_squares(measure: str, values: np.ndarray) -> None:
    """Refuse values whose variance may not be a double, where it is part of the result.

    Raises
    ------
    DataError
        The largest value is no ordinary size.
    """
    scale = magnitude(values)
    if scale != 1.0:
        largest = float(np.abs(values[np.isfinite(values)]).max())
        raise DataError(
            f"{measure}: the largest value is {largest:.3g}, and variances of such values cannot be computed; "
            f"{'divide' if scale > 1 else 'multiply'} the values so that it is about 1, which changes no test"
        )
