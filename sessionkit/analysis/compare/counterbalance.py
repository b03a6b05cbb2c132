"""Which contrasts of levels a counterbalanced study tells within its users, and which only between their sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-8
"""Below this length of a column of 0 and 1 nothing but rounding is left."""
Cells = tuple[tuple[int, int], ...]
"""The levels in which a user has a value, in order, and with which of two groups: 0 or 1."""


@dataclass(frozen=True, eq=False)
class UserSequence:
    """Users who met the same groups in the same levels, such as S1 on topics 1 and 3 and S2 on topics 2 and 4.

    Parameters
    ----------
    cells
        The levels and groups that they met.
    values
        A row per user, a column per cell.
    """

    cells: Cells
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class BetweenContrast:
    """A contrast of levels that only the means of users tell, and with it how users of different sequences differ.

    Parameters
    ----------
    weights
        What the contrast takes of each sequence's mean over users.
    minus, plus
        The levels whose difference of groups counts against it and for it; empty where levels count with several weights.
    """

    weights: np.ndarray
    minus: tuple[int, ...]
    plus: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Counterbalancing:
    """What the sequences of a study tell of the interaction of two groups with its levels.

    The mean of a sequence in a level is the sequence's own mean + the level's + the difference of the groups where it met the second
    group + this level's departure from that difference. The departures are the interaction. What least squares leaves of
    their columns, once the other effects are taken out, are the contrasts that users tell by themselves: their weights add
    up to 0 within each user, so that it does not matter how users of different sequences differ.

    Parameters
    ----------
    n_levels
        How many levels there are.
    within
        For each sequence a row per cell and a column per contrast: the weights of a user's values.
    between
        The contrast that is left for the means of users, if there is exactly one.
    """

    n_levels: int
    within: list[np.ndarray]
    between: BetweenContrast | None

    @property
    def n_within(self) -> int:
        """How many contrasts of levels users tell by themselves."""
        return self.within[0].shape[1]


def read_counterbalancing(sequences: Sequence[UserSequence], n_levels: int) -> Counterbalancing:
    """Find the contrasts that sequences of users tell.

    Examples
    --------
    Users search four topics, half with the systems A B A B and half with B A B A. They tell topic 1 from 3 and topic 2 from 4.
    Topics 1 and 3 against 2 and 4 is the difference of the two halves.

    >>> halves = [UserSequence(tuple(enumerate(groups)), np.zeros((10, 4))) for groups in ((0, 1, 0, 1), (1, 0, 1, 0))]
    >>> contrasts = read_counterbalancing(halves, 4)
    >>> contrasts.n_within, contrasts.between.minus, contrasts.between.plus
    (2, (0, 2), (1, 3))
    """
    number = np.repeat(np.arange(len(sequences)), [len(sequence.cells) for sequence in sequences])
    level, second = np.array([cell for sequence in sequences for cell in sequence.cells]).T
    # means of sequences of more users count more, as their variances are smaller
    root = np.sqrt([len(sequence.values) for sequence in sequences])[number][:, None]
    in_level = np.eye(n_levels)[level]
    nuisance = _orthonormal(root * np.column_stack([np.eye(len(sequences))[number], in_level, second]))
    departures = root * in_level * second[:, None]
    left = _orthonormal(departures - nuisance @ (nuisance.T @ departures))
    within = [left[number == place] for place in range(len(sequences))]
    return Counterbalancing(n_levels, within, _between(sequences, n_levels, left.T @ departures))


def _between(sequences: Sequence[UserSequence], n_levels: int, told_within: np.ndarray) -> BetweenContrast | None:
    """The contrast of users' means that tells something new; None where there is none, or several.

    Means of users are compared where all searched every level once, so that levels themselves cancel out.
    """
    levels = list(range(n_levels))
    if any([level for level, _ in sequence.cells] != levels for sequence in sequences):
        return None
    second = np.array([[group for _, group in sequence.cells] for sequence in sequences], dtype=float)
    # contrasts of sequences that leave out their common mean and the difference of the groups
    nuisance = _orthonormal(np.column_stack([np.ones(len(sequences)), second.sum(axis=1)]))
    free = _orthonormal(np.eye(len(sequences)) - nuisance @ nuisance.T)
    departures = free.T @ second / n_levels
    rows = _orthonormal(told_within.T)
    directions, lengths, _ = np.linalg.svd(departures - departures @ rows @ rows.T, full_matrices=False)
    new = directions[:, lengths > TOLERANCE]
    if new.shape[1] != 1:
        return None
    weights = free @ new[:, 0]
    of_levels = weights @ second / n_levels
    of_levels[np.abs(of_levels) < TOLERANCE] = 0
    turned = -1.0 if of_levels[np.flatnonzero(of_levels)[0]] > 0 else 1.0  # the first level counts against
    scale = turned / of_levels[of_levels > 0].sum()  # a mean over some levels minus a mean over others
    of_levels, weights = of_levels * scale, weights * scale
    minus, plus = np.flatnonzero(of_levels < 0), np.flatnonzero(of_levels > 0)
    if np.ptp(of_levels[minus]) + np.ptp(of_levels[plus]) > TOLERANCE:
        return BetweenContrast(weights, (), ())
    return BetweenContrast(weights, tuple(minus.tolist()), tuple(plus.tolist()))


def _orthonormal(columns: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the same space."""
    vectors, lengths, _ = np.linalg.svd(columns, full_matrices=False)
    basis: np.ndarray = vectors[:, lengths > TOLERANCE * max(1.0, lengths.max(initial=0.0))]
    return basis
