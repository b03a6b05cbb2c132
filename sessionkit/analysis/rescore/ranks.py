"""Paired tests of many pairs at once: a column of differences for every pair, NaN where a unit lacks a value.

The p-values are those of `sessionkit.analysis.compare.paired_tests`, without the estimates and intervals that go with them.
"""

from __future__ import annotations

import numpy as np

from sessionkit.analysis.compare.paired_tests import EXACT_TO, signed_rank_p
from sessionkit.analysis.compare.rows import CONSTANT


def wilcoxon_p(differences: np.ndarray) -> np.ndarray:
    """Two-sided p-values of Wilcoxon's signed-rank test, zeros left out; 1 where no difference is left.

    Exact up to 50 differences other than 0, tied or not, else by the normal distribution, without a correction for
    continuity: what `sessionkit.analysis.compare.paired_tests.wilcoxon` gives.

    Parameters
    ----------
    differences
        A row per unit, a column per pair, as `sessionkit.analysis.numeric_ties` settles them.
    """
    from scipy import stats

    d = np.where(np.isfinite(differences), differences, 0.0)
    size = np.abs(d)
    zeros = (size == 0).sum(axis=0)
    n = len(d) - zeros
    ranks = stats.rankdata(size, axis=0) - zeros  # zeros share the lowest ranks
    ranks[size == 0] = 0.0
    plus = (ranks * (d > 0)).sum(axis=0)
    total = n * (n + 1) / 2
    variance = (ranks**2).sum(axis=0) / 4
    z = np.divide(np.abs(plus - total / 2), np.sqrt(variance), out=np.zeros(len(n)), where=variance > 0)
    p: np.ndarray = np.where(n > 0, 2 * stats.norm.sf(z), 1.0)
    for at in np.flatnonzero((n > 0) & (n <= EXACT_TO)):
        p[at] = signed_rank_p(float(plus[at]), ranks[size[:, at] > 0, at])
    return p


def t_p(differences: np.ndarray) -> np.ndarray:
    """Two-sided p-values of the paired t test; 1 where nothing differs, NaN where nothing varies that a difference could be
    judged by.

    Parameters
    ----------
    differences
        A row per unit, a column per pair, as `sessionkit.analysis.numeric_ties` settles them.
    """
    from scipy import stats

    there = np.isfinite(differences)
    n = there.sum(axis=0)
    d = np.where(there, differences, 0.0)
    mean = np.divide(d.sum(axis=0), n, out=np.zeros(len(n)), where=n > 0)
    left = np.where(there, d - mean, 0.0)
    enough = n > 1
    variance = np.divide((left**2).sum(axis=0), n - 1, out=np.zeros(len(n)), where=enough)
    size = np.abs(d).max(axis=0, initial=0.0)
    flat = np.sqrt(variance) <= CONSTANT * size
    t = np.divide(np.abs(mean) * np.sqrt(n), np.sqrt(variance), out=np.zeros(len(n)), where=enough & ~flat)
    p: np.ndarray = 2 * stats.t.sf(t, np.maximum(n - 1, 1))
    return np.where(enough & ~flat, p, np.where(size > 0, np.nan, 1.0))
