"""Least squares on user + topic + group: the difference of groups at equal users and topics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sessionkit.analysis.comparing.effects import noncentrality
from sessionkit.analysis.comparing.findings import Interval, Outcome, Overall, Pair
from sessionkit.analysis.comparing.units import Crossed
from sessionkit.errors import UsageError

MOST = 2_000
"""Users or topics, whichever are fewer, that are taken out at once."""


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of users and topics, which are taken out of columns of numbers before anything else is fitted.

    Parameters
    ----------
    user, topic
        Number of every row's user and topic, from 0.
    """

    user: np.ndarray
    topic: np.ndarray

    def without(self, columns: np.ndarray) -> np.ndarray:
        """Return what is left of columns once the best-fitting sums of a user's and a topic's number are taken away."""
        left: np.ndarray = columns - self._many.T @ (self._many @ columns / self._sizes[:, None])
        fitted = self._few.T @ (self._inverse @ (self._few @ left))
        left = left - (fitted - self._many.T @ (self._many @ fitted / self._sizes[:, None]))
        return left

    @property
    def feasible(self) -> bool:
        """Whether users or topics are few enough."""
        return min(int(self.user.max(initial=0)), int(self.topic.max(initial=0))) < MOST

    @cached_property
    def rank(self) -> int:
        """How many numbers are free: users and topics, less one for every part that shares neither with the others."""
        from scipy.sparse import bmat, csgraph

        between = self._many @ self._few.T
        parts, _ = csgraph.connected_components(bmat([[None, between], [between.T, None]]), directed=False)
        return int(sum(between.shape) - parts)

    @cached_property
    def _many(self):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a sparse matrix
        """Rows' users or topics, whichever are more, as a sparse matrix of ones."""
        return max(_indicator(self.user), _indicator(self.topic), key=lambda matrix: matrix.shape[0])

    @cached_property
    def _few(self):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a sparse matrix
        """The others."""
        users, topics = _indicator(self.user), _indicator(self.topic)
        return topics if topics.shape[0] <= users.shape[0] else users

    @cached_property
    def _sizes(self) -> np.ndarray:
        """Rows of each of the many."""
        return np.asarray(self._many.sum(axis=1)).ravel()

    @cached_property
    def _inverse(self) -> np.ndarray:
        """Pseudo-inverse of the cross products of the few once the many are taken out.

        Raises
        ------
        UsageError
            There are too many of both.
        """
        if not self.feasible:
            users, topics = int(self.user.max()) + 1, int(self.topic.max()) + 1
            msg = (
                f"least squares takes out at most {MOST:,} users or topics, and there are {users:,} and {topics:,}; "
                "test=t with generalise=topics would work"
            )
            raise UsageError(msg)
        between = self._many @ self._few.T
        shares = between.multiply(1 / self._sizes[:, None]).tocsr()
        own = np.diag(np.asarray(self._few.sum(axis=1)).ravel())
        found: np.ndarray = np.linalg.pinv(own - (between.T @ shares).toarray(), hermitian=True)
        return found


@dataclass(frozen=True, eq=False)
class Fit:
    """Columns of values fitted on columns of predictors, users and topics taken out.

    Parameters
    ----------
    coefficients
        A row per predictor, a column per column of values.
    inverse
        Inverse of the predictors' cross products.
    variance
        Residual mean square of every column of values.
    df
        Residual degrees of freedom.
    explained
        Sum of squares that the predictors explain, by column of values.
    """

    coefficients: np.ndarray
    inverse: np.ndarray
    variance: np.ndarray
    df: int
    explained: np.ndarray


def fitted(effects: Effects, predictors: np.ndarray, values: np.ndarray) -> Fit | None:
    """Fit columns of values on columns of predictors by least squares; None where the predictors cannot be told apart."""
    x, y = effects.without(predictors), effects.without(values)
    products = x.T @ x
    scale = (predictors**2).sum(axis=0).mean()
    if np.linalg.matrix_rank(products, tol=1e-9 * scale, hermitian=True) < products.shape[0]:
        return None
    inverse = np.linalg.inv(products)
    coefficients = inverse @ (x.T @ y)
    df = len(y) - effects.rank - x.shape[1]
    explained = ((x @ coefficients) ** 2).sum(axis=0)
    left = ((y - x @ coefficients) ** 2).sum(axis=0)
    return Fit(coefficients, inverse, left / df if df > 0 else np.full(left.shape, np.nan), df, explained)


def indicators(numbers: np.ndarray, many: int) -> np.ndarray:
    """Columns of 0 and 1 for every number from 1, 0 being what the others are compared with."""
    return (numbers[:, None] == np.arange(1, many)[None, :]).astype(float)


def not_told_apart(sessions: int) -> UsageError:
    """Build the error for groups that users and topics leave nothing of."""
    return UsageError(
        f"in these {sessions:,} sessions the groups cannot be told apart from users and topics: users fall into sets that met "
        "different groups, or there are hardly more sessions than users and topics; compare by another column, or fewer groups"
    )


def least_squares(units: Crossed) -> Outcome:
    """Differences of groups at equal users and topics; the effect is the difference over the residual sd.

    It takes the difference of the groups to be the same for every user and topic. An effect that varies with the topic
    is no error for these topics, and makes the test blind to others: see the topic-level t.
    """
    from scipy import stats

    effects = Effects(units.user, units.topic)
    fit = fitted(effects, indicators(units.group, units.groups), units.values[:, None])
    if fit is None or fit.df < 1:
        raise not_told_apart(len(units.values))
    df, sd = fit.df, math.sqrt(float(fit.variance[0]))
    estimates = np.concatenate([[0.0], fit.coefficients[:, 0]])
    inverse = np.pad(fit.inverse, ((1, 0), (1, 0)))

    def pair(first: int, second: int) -> Pair:
        d = float(estimates[second] - estimates[first])
        scale = math.sqrt(float(inverse[first, first] + inverse[second, second] - 2 * inverse[first, second]))
        se = sd * scale
        t = d / se

        def interval(alpha: float) -> Interval:
            half = float(stats.t.isf(alpha / 2, df)) * se
            return d - half, d + half

        def effect_interval(alpha: float) -> Interval:
            low, high = noncentrality(t, df, alpha)
            return low * scale, high * scale

        return Pair(d, float(2 * stats.t.sf(abs(t), df)), interval, t, df, d / sd, effect_interval, se)

    k = units.groups
    f = float(fit.explained[0]) / (k - 1) / float(fit.variance[0])
    overall = Overall("least squares, all groups", f, k - 1, df, float(stats.f.sf(f, k - 1, df)))
    return Outcome({(i, j): pair(i, j) for i in range(k) for j in range(i + 1, k)}, (overall,) if k > 2 else ())


def _indicator(numbers: np.ndarray):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a sparse matrix
    """A sparse matrix with a row for each number and a 1 in each column, at the row's number."""
    from scipy.sparse import csr_matrix

    rows = len(numbers)
    return csr_matrix((np.ones(rows), (numbers, np.arange(rows))), shape=(int(numbers.max(initial=-1)) + 1, rows))
