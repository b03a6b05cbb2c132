"""Least squares once the effects of users and of topics are taken out; what does not depend on the values is worked out once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sessionkit.errors import UsageError

MOST = 2_000
"""Users or topics, whichever are fewer, that are taken out at once."""
NULL = 1e-11
"""Share of the largest eigenvalue of cross products below which one is 0: one eigenvalue is, for each part that shares no user or
topic with the others, and comes out as some 1e-15. numpy's own limit for `pinv`, 1e-15, keeps some of these and inverts rounding."""


@dataclass(frozen=True, eq=False)
class Members:
    """Which rows belong together, such as those of a user.

    Parameters
    ----------
    number
        Number of every row's user, from 0.
    many
        How many users there are.
    """

    number: np.ndarray
    many: int

    @classmethod
    def of(cls, number: np.ndarray) -> Members:
        """As many as the largest number says."""
        return cls(number, int(number.max(initial=-1)) + 1)

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many rows each has."""
        return np.bincount(self.number, minlength=self.many).astype(float)

    def sums(self, columns: np.ndarray) -> np.ndarray:
        """Sum of each one's rows: a row for each, a column for each column.

        >>> Members.of(np.array([1, 0, 1])).sums(np.array([[1.0], [2.0], [4.0]])).tolist()
        [[2.0], [5.0]]
        """
        made = np.empty((self.many, columns.shape[1]))
        for place, column in enumerate(columns.T):
            made[:, place] = np.bincount(self.number, weights=column, minlength=self.many)
        return made

    def means(self, columns: np.ndarray) -> np.ndarray:
        """Of every row the mean of the rows that it belongs to."""
        found: np.ndarray = (self.sums(columns) / self.sizes[:, None])[self.number]
        return found


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
        left: np.ndarray = columns - self._many.means(columns)
        fitted = (self._inverse @ self._few.sums(left))[self._few.number]
        left = left - (fitted - self._many.means(fitted))
        return left

    @property
    def feasible(self) -> bool:
        """Whether users or topics are few enough."""
        return min(int(self.user.max(initial=0)), int(self.topic.max(initial=0))) < MOST

    @cached_property
    def rank(self) -> int:
        """How many numbers are free: users and topics, less one for every part that shares neither with the others."""
        users, topics = int(self.user.max(initial=-1)) + 1, int(self.topic.max(initial=-1)) + 1
        without_rows = users - len(np.unique(self.user))
        return users + topics - without_rows - _parts(self.user, self.topic)

    @cached_property
    def _many(self) -> Members:
        """Rows' users or topics, whichever are more."""
        return max(Members.of(self.user), Members.of(self.topic), key=lambda members: members.many)

    @cached_property
    def _few(self) -> Members:
        """The others."""
        users, topics = Members.of(self.user), Members.of(self.topic)
        return topics if topics.many <= users.many else users

    @cached_property
    def _inverse(self) -> np.ndarray:
        """Pseudo-inverse of the cross products of the few once the many are taken out.

        Raises
        ------
        UsageError
            There are too many of both.
        """
        from scipy.sparse import csr_matrix

        if not self.feasible:
            users, topics = int(self.user.max()) + 1, int(self.topic.max()) + 1
            msg = (
                f"least squares adjusts for at most {MOST:,} users or topics, and there are {users:,} and {topics:,}; "
                "test=t with population=topics would work"
            )
            raise UsageError(msg)
        many, few = self._many, self._few
        between = csr_matrix((np.ones(len(few.number)), (many.number, few.number)), shape=(many.many, few.many))
        shares = between.multiply(1 / many.sizes[:, None]).tocsr()
        products = np.diag(few.sizes) - (between.T @ shares).toarray()
        inverse: np.ndarray = np.linalg.pinv(products, rcond=NULL, hermitian=True)
        return inverse


@dataclass(frozen=True, eq=False)
class LeastSquaresFit:
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


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Users, topics and columns of predictors, on which any values of the same rows are fitted.

    Parameters
    ----------
    effects
        The users and topics of the rows.
    predictors
        A column per predictor.
    """

    effects: Effects
    predictors: np.ndarray

    def fit(self, values: np.ndarray) -> LeastSquaresFit | None:
        """Fit columns of values by least squares; None where the predictors cannot be told apart."""
        if self._inverse is None:
            return None
        x, y, inverse = self._left, self.effects.without(values), self._inverse
        coefficients = inverse @ (x.T @ y)
        df = len(y) - self.effects.rank - x.shape[1]
        explained = ((x @ coefficients) ** 2).sum(axis=0)
        left = ((y - x @ coefficients) ** 2).sum(axis=0)
        return LeastSquaresFit(
            coefficients, inverse, left / df if df > 0 else np.full(left.shape, np.nan), df, explained
        )

    @property
    def separable(self) -> bool:
        """Whether users and topics leave enough of the predictors to tell them apart."""
        return self._inverse is not None

    @cached_property
    def _left(self) -> np.ndarray:
        """What users and topics leave of the predictors."""
        return self.effects.without(self.predictors)

    @cached_property
    def _inverse(self) -> np.ndarray | None:
        """Inverse of the cross products of what is left; None where it does not exist."""
        products = self._left.T @ self._left
        scale = (self.predictors**2).sum(axis=0).mean()
        if np.linalg.matrix_rank(products, tol=1e-9 * scale, hermitian=True) < products.shape[0]:
            return None
        inverse: np.ndarray = np.linalg.inv(products)
        return inverse


def indicators(numbers: np.ndarray, many: int) -> np.ndarray:
    """Columns of 0 and 1 for every number from 1, 0 being what the others are compared with."""
    return (numbers[:, None] == np.arange(1, many)[None, :]).astype(float)


def _parts(user: np.ndarray, topic: np.ndarray) -> int:
    """How many parts there are that share neither a user nor a topic, a topic without rows being one.

    Every part is named by a topic of its own, which gives way to the least one that it shares a user with.

    >>> _parts(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2]))
    2
    """
    part = np.arange(int(topic.max(initial=-1)) + 1)
    while True:
        least = np.full(int(user.max(initial=-1)) + 1, len(part))
        np.minimum.at(least, user, part[topic])
        into = np.arange(len(part))
        np.minimum.at(into, part[topic], least[user])
        if (into[part] == part).all():
            return len(np.unique(part))
        while (into != into[into]).any():
            into = into[into]
        part = into[part]
