"""Data with published fits: lme4's Dyestuff and Dyestuff2 (Davies 1947; Box and Tiao 1973), six batches of five."""

import numpy as np

from sessionkit.statistics.variance_components import Factors

DYESTUFF = np.array(
    [
        [1545, 1440, 1440, 1520, 1580],
        [1540, 1555, 1490, 1560, 1495],
        [1595, 1550, 1605, 1510, 1560],
        [1445, 1440, 1595, 1465, 1545],
        [1595, 1630, 1515, 1635, 1625],
        [1520, 1455, 1450, 1480, 1445],
    ],
    dtype=float,
).ravel()
"""lme4 (its vignette): batch 1764.05, residual 2451.25, mean 1527.5 with standard error 19.383, REML criterion 319.6543."""
DYESTUFF2 = np.array(
    [
        [7.298, 3.846, 2.434, 9.566, 7.990],
        [5.220, 6.556, 0.608, 11.788, -0.892],
        [0.110, 10.386, 13.434, 5.510, 8.166],
        [2.212, 4.852, 7.092, 9.288, 4.980],
        [0.282, 9.014, 4.458, 9.446, 7.198],
        [1.722, 4.782, 8.106, 0.758, 3.758],
    ]
).ravel()
"""lme4: batch 0, residual 13.806, mean 5.6656 with standard error 0.6784, REML criterion 161.8283."""


def batches():
    """One group, a factor of six batches."""
    return Factors(np.zeros(30, dtype=int), 1, ("batch",), (np.repeat(np.arange(6), 5),))
