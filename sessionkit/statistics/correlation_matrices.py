"""Correlation matrices of what was observed and of draws of units, and Kendall's concordance without looking at each pair."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from itertools import accumulate, combinations_with_replacement
from typing import get_args

import numpy as np

from sessionkit.arguments import Coefficient
from sessionkit.statistics.distributions import AT_ONCE, Codes, Numbers, Resampling, added, magnitude

COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
MOST_PAIRED = 20_000
"""Sessions above which draws of Kendall's coefficient do not compare all pairs."""
MOST_PRODUCTS = 2**26
"""Pairs of units times pairs of columns above which they do not either."""
SURE = 1e-12
"""Share of the variance below which nothing is left of a column."""


class Matrices:
    """Correlation matrices of the columns of some sessions.

    Parameters
    ----------
    columns
        A row per session, a column for each variable; no value is missing.
    codes
        Number of the unit of each session, all from 0 on taken.
    coefficient
        One of `COEFFICIENTS`.

    Attributes
    ----------
    linear
        Whether draws are worked out as linear in how often each unit is drawn.
    """

    def __init__(self, columns: Numbers, codes: Codes, coefficient: str) -> None:
        self.units = int(codes.max()) + 1
        self._codes = codes
        products = (self.units * columns.shape[1]) ** 2
        self.linear = coefficient == "kendall" and (len(columns) > MOST_PAIRED or products > MOST_PRODUCTS)
        self._draw = {"pearson": self._pearson, "spearman": self._spearman, "kendall": self._kendall}[coefficient]
        columns = columns / np.array([magnitude(column) for column in columns.T])  # correlations are the same
        self._columns = columns - columns.mean(axis=0)
        if coefficient == "pearson":
            self._sums = _moments(self._columns, codes)
        elif coefficient == "spearman":
            self._orders = [_Order(column) for column in columns.T]
        elif self.linear:
            self._draw, self._sums = self._linear, _concordance_sums(columns, codes)
        else:
            self._concordance = _concordance(columns, codes, self.units)

    def of(self, weights: Numbers) -> Numbers:
        """Return the matrices of draws: a matrix for each row of weights, nan where a column is constant."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._draw(weights)

    def replicates(self, resampling: Resampling) -> Numbers:
        """Matrices of all draws."""
        return np.concatenate([self.of(weights) for weights in resampling.weights(self.units)])

    def left_out(self) -> Numbers:
        """Matrices without each unit in turn."""
        rows = max(1, AT_ONCE // self.units)
        kept = []
        for start in range(0, self.units, rows):
            number = np.arange(start, min(start + rows, self.units))
            weights = np.ones((len(number), self.units))
            weights[np.arange(len(number)), number] = 0
            kept.append(self.of(weights))
        return np.concatenate(kept)

    def _pearson(self, weights: Numbers) -> Numbers:
        """From the sums of each unit."""
        k = self._columns.shape[1]
        sums = weights @ self._sums
        many, totals, products = sums[:, :1], sums[:, 1 : k + 1], sums[:, k + 1 :].reshape(-1, k, k)
        spread = products - totals[:, :, None] * totals[:, None, :] / many[:, :, None]
        return _scaled(spread, products)

    def _spearman(self, weights: Numbers) -> Numbers:
        """Pearson's of the average ranks that the sessions of a draw have among each other."""
        sessions = len(self._codes)
        rows = max(1, AT_ONCE // (sessions * len(self._orders)))
        found = []
        for start in range(0, len(weights), rows):
            often = weights[start : start + rows][:, self._codes]
            ranks = np.stack([order.centered_ranks(often) for order in self._orders], axis=1)
            spread = np.matmul(ranks * often[:, None, :], ranks.transpose(0, 2, 1))
            found.append(_scaled(spread, spread))
        return np.concatenate(found)

    def _kendall(self, weights: Numbers) -> Numbers:
        """From sums over the pairs of units."""
        k = self._columns.shape[1]
        spread = np.empty((len(weights), k, k))
        for i, j in combinations_with_replacement(range(k), 2):
            spread[:, i, j] = spread[:, j, i] = (weights @ self._concordance[i, j] * weights).sum(axis=1)
        return _scaled(spread, spread)

    def _linear(self, weights: Numbers) -> Numbers:
        """From sums of each unit over its pairs with all sessions."""
        k = self._columns.shape[1]
        spread = ((2 * weights - 1) @ self._sums).reshape(-1, k, k)
        return _scaled(spread, spread)


class _Order:
    """The order of a column's values, from which the ranks in every draw follow."""

    def __init__(self, column: Numbers) -> None:
        self._sorted = np.argsort(column, kind="stable")
        values = column[self._sorted]
        begins = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
        self._group = np.repeat(np.arange(len(begins)), np.diff(np.r_[begins, len(values)]))
        self._begins = begins
        self._back = np.argsort(self._sorted, kind="stable")

    def centered_ranks(self, often: Numbers) -> Numbers:
        """Average rank of each session, less the mean rank, where sessions occur so often."""
        in_group = np.add.reduceat(often[:, self._sorted], self._begins, axis=1)
        through = np.cumsum(in_group, axis=1)
        middle = through - in_group / 2 - through[:, -1:] / 2
        ranks: Numbers = middle[:, self._group][:, self._back]
        return ranks


def partial(matrices: Numbers, held: Iterable[int]) -> Numbers:
    """Correlations of the first columns with the last ones held constant.

    Parameters
    ----------
    matrices
        Correlation matrices, the last two axes.
    held
        Columns to hold constant, one after the other.

    Returns
    -------
    numpy.ndarray
        Matrices of the same shape; nan in the rows of what was held and of what it determines.

    Examples
    --------
    r12 = .5, r13 = .3, r23 = .4: (.5 - .12) / sqrt(.91 * .84) = .4346

    >>> float(partial(np.array([[1, 0.5, 0.3], [0.5, 1, 0.4], [0.3, 0.4, 1]]), [2])[0, 1].round(4))
    0.4346
    """
    left = matrices
    with np.errstate(divide="ignore", invalid="ignore"):
        for column in held:
            beside = left[..., :, column]
            spread = left - beside[..., :, None] * beside[..., None, :]
            spread[..., column, :] = spread[..., :, column] = 0
            left = _scaled(spread, left)
    return left


def _scaled(spread: Numbers, before: Numbers) -> Numbers:
    """Covariances as correlations; nan where nothing is left of the variance there was before."""
    variance = np.diagonal(spread, axis1=-2, axis2=-1)
    had = np.diagonal(before, axis1=-2, axis2=-1)
    root = np.sqrt(np.where(variance > SURE * np.maximum(had, 0), variance, np.nan))
    return np.clip(spread / root[..., :, None] / root[..., None, :], -1, 1)


def _moments(columns: Numbers, codes: Codes) -> Numbers:
    """Of each unit its sessions, sums and sums of products."""
    k = columns.shape[1]
    products = (columns[:, :, None] * columns[:, None, :]).reshape(-1, k * k)
    return added(np.concatenate([np.ones((len(columns), 1)), columns, products], axis=1), codes)


def _concordance(columns: Numbers, codes: Codes, units: int) -> Numbers:
    """For every two columns, in order, and every two units, pairs of sessions in the same order less those in opposite order."""
    many, k = columns.shape
    found = np.zeros((k, k, units, units))
    order = np.argsort(codes, kind="stable")
    columns, codes = columns[order], codes[order]
    begins = np.searchsorted(codes, np.arange(units))
    rows = max(1, AT_ONCE // (many * k))
    for start in range(0, many, rows):
        here = columns[start : start + rows]
        signs = np.sign(here.T[:, :, None] - columns.T[:, None, :])
        for i in range(k):
            for j in range(i, k):
                by_unit = np.add.reduceat(signs[i] * signs[j], begins, axis=1)
                np.add.at(found[i, j], codes[start : start + rows], by_unit)
    return found


def _concordance_sums(columns: Numbers, codes: Codes) -> Numbers:
    """For every two columns and every unit, its sessions' pairs in the same order less those in opposite order."""
    many, k = columns.shape
    found = np.empty((many, k, k))
    for i in range(k):
        found[:, i, i] = others(columns[:, i])
        for j in range(i):
            found[:, i, j] = found[:, j, i] = concordance_of_each(columns[:, i], columns[:, j])
    return added(found.reshape(many, k * k), codes)


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
    return KendallTest(x, y).tau


class KendallTest:
    """Test that two columns are unrelated by Kendall's tau-b, as if rows were independent.

    The score of the columns is the pairs of rows in the same order less those in opposite order. Of at most 33 rows without ties
    its distribution is exact; else it is normal, with the variance that ties leave. `scipy.stats.kendalltau` gives the same p.

    Parameters
    ----------
    x, y
        Two columns of the same length, at least 3, without nan; neither is constant.

    Attributes
    ----------
    tau
        Kendall's tau-b.
    p
        The two-sided p-value.

    Examples
    --------
    Of the 120 orders of five rows one has no inversion: p = 2 / 120.

    >>> test = KendallTest(np.arange(5.0), np.arange(5.0))
    >>> test.tau, round(test.p, 4), test.critical_tau(0.05), test.critical_tau(0.01)
    (1.0, 0.0167, 0.8, None)
    """

    def __init__(self, x: Numbers, y: Numbers) -> None:
        self._n = len(x)
        self._pairs = self._n * (self._n - 1) // 2
        self._score = _score(x, y)
        self._columns = x, y
        self._untied = [float(others(values).sum()) / 2 for values in (x, y)]
        has_ties = min(self._untied) < self._pairs
        few_disagree = self._pairs - abs(self._score) <= 2
        self._is_exact = not has_ties and (self._n <= EXACT_TO or few_disagree)
        self._sd = math.sqrt(_score_variance(x, y))
        self.tau = self._tau(self._score)
        self.p = self._p(abs(self._score))

    def critical_tau(self, alpha: float) -> float | None:
        """Return the largest absolute tau that is not rejected at a level, of columns with these ties; None if all are.

        Where the distribution is normal it is z times the standard deviation, which need not be the tau of any order of the rows.
        """
        x, y = map(np.sort, self._columns)
        largest_score = max(_score(x, y), -_score(x, y[::-1]))
        if self._p(largest_score) > alpha:
            return None
        if self._is_exact and self._n <= EXACT_TO:
            scores = range(self._pairs, -1, -2)
            return self._tau(next(score for score in scores if _exact_p(self._n, score) > alpha))
        from scipy import special

        return self._tau(-float(special.ndtri(alpha / 2)) * self._sd)

    def _tau(self, score: float) -> float:
        tau = score / math.sqrt(self._untied[0] * self._untied[1])
        return min(1.0, max(-1.0, tau))

    def _p(self, score: float) -> float:
        from scipy import special

        if self._is_exact and (self._n <= EXACT_TO or self._pairs - score <= 2):
            return _exact_p(self._n, int(score))
        return float(2 * special.ndtr(-score / self._sd))


def _score(x: Numbers, y: Numbers) -> float:
    """Pairs of rows in the same order by both columns, less those in opposite order."""
    return float(concordance_of_each(x, y).sum()) / 2


def _score_variance(x: Numbers, y: Numbers) -> float:
    """Variance of the score over all orders of one column (Kendall 1970, chapter 4)."""
    n = len(x)
    tied = [np.unique(values, return_counts=True)[1].astype(float) for values in (x, y)]
    pairs, triples, weighted = (
        [float((size * (size - 1) * factor).sum()) for size, factor in zip(tied, factors, strict=True)]
        for factors in ([1.0, 1.0], [size - 2 for size in tied], [2 * size + 5 for size in tied])
    )
    ordered = n * (n - 1.0)
    return (
        (ordered * (2 * n + 5) - sum(weighted)) / 18
        + pairs[0] * pairs[1] / (2 * ordered)
        + triples[0] * triples[1] / (9 * ordered * (n - 2))
    )


def _exact_p(n: int, score: int) -> float:
    """Chance of a score at least this far from 0 among all orders of n rows without ties."""
    inversions = (n * (n - 1) // 2 - score) // 2
    if score == 0:
        return 1.0
    if inversions <= 1:  # also of very many rows: one order has no inversion, n - 1 have one
        return 2 * (1 if inversions == 0 else n) / math.factorial(n)
    return 2 * _orders_with_at_most(n)[inversions] / math.factorial(n)


@cache
def _orders_with_at_most(n: int) -> list[int]:
    """Number of orders of n rows with at most 0, 1, 2, ... inversions.

    The last of k rows adds 0 to k - 1 inversions: of 3 rows 1, 2, 2, 1 orders have 0 to 3.
    """
    orders = [1]
    for rows in range(2, n + 1):
        longer = [0] * (len(orders) + rows - 1)
        for inversions, number in enumerate(orders):
            for inversions_added in range(rows):
                longer[inversions + inversions_added] += number
        orders = longer
    return list(accumulate(orders))


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
