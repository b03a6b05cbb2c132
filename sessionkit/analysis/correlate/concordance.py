"""Kendall's pairs without looking at each: of every session, how many others it is in order with less how many it is not.

Sessions are sorted by one column and merged by the other, counting as they go, in n log n steps; these counts are all
that draws of very many units need.
"""

from __future__ import annotations

import math

import numpy as np

from sessionkit.analysis.bootstrap import Codes, Numbers

EXACT_TO = 33
"""Rows without ties up to which the p-value of Kendall's coefficient is exact."""


def concordance_of_each(x: Numbers, y: Numbers) -> Numbers:
    """Other sessions in the same order by both columns, less those in opposite order, of each session.

    Parameters
    ----------
    x, y
        Two columns of the same length, without nan.

    Returns
    -------
    numpy.ndarray
        One number per session; their sum is twice the numerator of Kendall's tau. Equal values count for nothing.

    Examples
    --------
    >>> concordance_of_each(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])).tolist()
    [2.0, 0.0, 0.0]
    """
    many = len(x)
    of_x, by_y = (np.unique(values, return_inverse=True)[1].astype(np.int64) for values in (x, y))
    order = np.lexsort((-by_y, of_x))
    less, more = _before(by_y[order])
    # of equal x the larger y stands before, and is no pair
    begins = np.flatnonzero(np.r_[True, np.diff(of_x[order]) != 0])
    size = np.diff(np.r_[begins, many])
    group, sorted_y = np.repeat(np.arange(len(begins)), size), by_y[order]
    here = group * (int(by_y.max()) + 1) - sorted_y
    more_here = np.searchsorted(here, here, "left") - begins[group]
    less_here = begins[group] + size[group] - np.searchsorted(here, here, "right")
    counted = np.sort(by_y)
    more_y = many - np.searchsorted(counted, sorted_y, "right")
    less_y = np.searchsorted(counted, sorted_y, "left")
    found = np.empty(many)
    found[order] = 2 * less - 2 * (more - more_here) + more_y - less_y - more_here + less_here
    return found


def others(x: Numbers) -> Numbers:
    """How many sessions have another value, of each session: what `concordance_of_each` is of a column and itself."""
    _, place, times = np.unique(x, return_inverse=True, return_counts=True)
    found: Numbers = (len(x) - times[place]).astype(np.float64)
    return found


def tau_b(x: Numbers, y: Numbers) -> float:
    """Kendall's tau-b of two columns, neither of them constant.

    >>> round(tau_b(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), 12)  # two pairs agree, one does not: 1 / 3
    0.333333333333
    """
    apart = [float(others(values).sum()) / 2 for values in (x, y)]
    found = float(concordance_of_each(x, y).sum()) / 2 / math.sqrt(apart[0]) / math.sqrt(apart[1])
    return min(1.0, max(-1.0, found))


def p_of_tau(x: Numbers, y: Numbers) -> float:
    """Two-sided p-value of Kendall's tau-b as if rows were independent: normal, with the variance that ties leave.

    Of at most 33 rows without ties, or where hardly a pair disagrees, it is exact; `scipy.stats.kendalltau` says the same.
    """
    from scipy import special

    many = len(x)
    pairs = many * (many - 1) / 2
    tied = [np.bincount(np.unique(values, return_inverse=True)[1]).astype(float) for values in (x, y)]
    one, other = ([float((n * (n - 1) * of).sum()) for of in (0.5, n - 2, 2 * n + 5)] for n in tied)
    agree = float(concordance_of_each(x, y).sum()) / 2
    if one[0] == other[0] == 0 and (many <= EXACT_TO or pairs - abs(agree) <= 2):
        from scipy import stats

        return float(stats.kendalltau(x, y).pvalue)
    m = many * (many - 1.0)
    variance = (
        (m * (2 * many + 5) - one[2] - other[2]) / 18
        + 2 * one[0] * other[0] / m
        + one[1] * other[1] / (9 * m * (many - 2))
    )
    return float(2 * special.ndtr(-abs(agree / math.sqrt(variance))))


def _before(ranks: Codes) -> tuple[Codes, Codes]:
    """Of each number how many before it are less, and how many are more: by merging, all blocks of a size at once."""
    many = len(ranks)
    blocks = 1 << max(many - 1, 0).bit_length()
    top = int(ranks.max()) + 1
    values = np.full(blocks, top, dtype=np.int64)
    values[:many] = ranks
    at = np.arange(blocks)
    less, more = np.zeros(blocks, dtype=np.int64), np.zeros(blocks, dtype=np.int64)
    size = 1
    while size < blocks:
        pairs = blocks // (2 * size)
        halves, places = values.reshape(pairs, 2, size), at.reshape(pairs, 2, size)
        key = np.arange(pairs)[:, None] * (top + 1)
        first, second = (halves[:, 0] + key).ravel(), (halves[:, 1] + key).ravel()
        start = np.repeat(np.arange(pairs) * size, size)
        less[places[:, 1].ravel()] += np.searchsorted(first, second, "left") - start
        more[places[:, 1].ravel()] += size - (np.searchsorted(first, second, "right") - start)
        merged = np.argsort(values.reshape(pairs, -1), axis=1, kind="stable")
        values = np.take_along_axis(values.reshape(pairs, -1), merged, axis=1).ravel()
        at = np.take_along_axis(at.reshape(pairs, -1), merged, axis=1).ravel()
        size *= 2
    return less[:many], more[:many]
