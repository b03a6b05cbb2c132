"""Correlation matrices: of what was observed, of draws of units, and without each unit in turn; and what is left of a
correlation when others are held constant.

Pearson's and Spearman's coefficients and Kendall's tau-b. Draws are worked out from how often each unit was drawn: Pearson
from sums per unit, Spearman from weighted average ranks, tau-b from sums over pairs of units, so that no draw is ever
laid out as sessions. Where pairs of units or of sessions are too many, the sums of pairs in a draw are taken as linear in
how often each unit is drawn (Hoeffding's projection), which leaves out a share of about 1 / units.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations_with_replacement
from typing import get_args

import numpy as np

from sessionkit.analysis.bootstrap import AT_ONCE, Codes, Numbers, Resampling, added
from sessionkit.analysis.correlate.concordance import concordance_of_each, others
from sessionkit.analysis.magnitude import magnitude
from sessionkit.choices import Coefficient

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
