"""Paired tests of many pairs at once: a column of differences for every pair, NaN where a unit lacks a value.

The p-values are those of `sessionkit.analysis.comparing.paired`, without the estimates and intervals that go with them.
"""

from __future__ import annotations

import numpy as np

from sessionkit.analysis.comparing.paired import EXACT_TO
from sessionkit.analysis.comparing.rows import CONSTANT


def wilcoxon_p(differences: np.ndarray) -> np.ndarray:
    """Two-sided p-values of Wilcoxon's signed-rank test, zeros left out; 1 where no difference is left.

    Exact up to 50 differences without ties or zeros, else by the normal distribution, without a correction for
    continuity: what scipy's ``wilcoxon(zero_method="wilcox")`` gives.

    Parameters
    ----------
    differences
        A row per unit, a column per pair.
    """
    from scipy import stats

    d = np.where(np.isfinite(differences), differences, 0.0)
    missing = (~np.isfinite(differences)).sum(axis=0)
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
    untied = (variance > 0) & (np.abs(4 * variance - n * (n + 1) * (2 * n + 1) / 6) < 0.25)
    exact = untied & (zeros == missing) & (n <= EXACT_TO)
    for many in np.unique(n[exact]):
        at = exact & (n == many)
        chance = _below(int(many))
        p[at] = np.minimum(1.0, 2 * chance[np.minimum(plus, total - plus)[at].astype(int)])
    return p


def t_p(differences: np.ndarray) -> np.ndarray:
    """Two-sided p-values of the paired t test; 1 where nothing differs, NaN where nothing varies that a difference could be
    judged by.

    Parameters
    ----------
    differences
        A row per unit, a column per pair.
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


def _below(n: int) -> np.ndarray:
    """Chance that the sum of the positive ranks of n is at most 0, 1, and so on, where there is no difference."""
    ways = np.zeros(n * (n + 1) // 2 + 1)
    ways[0] = 1
    for rank in range(1, n + 1):
        ways[rank:] += ways[:-rank].copy()
    found: np.ndarray = np.cumsum(ways) / 2.0**n
    return found
