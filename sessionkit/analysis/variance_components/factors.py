"""Sessions as a mixed model sees them: cross products of groups (fixed) and of random factors, which is all that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

NEGLIGIBLE = 1e-9
"""Share of the largest eigenvalue below which one counts as 0."""
MOST_LEVELS = 1_500
"""Levels of all factors that are worked with."""


@dataclass(frozen=True, eq=False)
class Factors:
    """The group of every session, and its levels of random factors.

    Parameters
    ----------
    group
        Number of every session's group, from 0.
    groups
        How many there are.
    names
        Names of the random factors.
    levels
        By factor, number of every session's level, from 0 without gaps.
    """

    group: np.ndarray
    groups: int
    names: tuple[str, ...]
    levels: tuple[np.ndarray, ...]

    def kept(self, which: Sequence[int]) -> Factors:
        """The same with some of its factors."""
        return replace(self, names=tuple(self.names[k] for k in which), levels=tuple(self.levels[k] for k in which))

    def finer(self, one: int, other: int) -> bool:
        """Whether every level of one factor lies within one level of another."""
        pairs = self.levels[one] * self.sizes[other] + self.levels[other]
        return len(np.unique(pairs)) == self.sizes[one]

    @cached_property
    def containing(self) -> tuple[int, ...]:
        """Factors that contain the groups: every level of theirs has one group only, so that they vary what groups do."""
        return tuple(
            k for k, of in enumerate(self.levels) if len(np.unique(of * self.groups + self.group)) == self.sizes[k]
        )

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Levels of every factor."""
        return tuple(int(of.max()) + 1 for of in self.levels)

    @cached_property
    def blocks(self) -> tuple[slice, ...]:
        """Where every factor's levels stand among those of all."""
        ends = np.cumsum([0, *self.sizes])
        return tuple(slice(int(a), int(b)) for a, b in pairwise(ends))

    @cached_property
    def counts(self) -> np.ndarray:
        """Sessions of every group, X'X."""
        return np.bincount(self.group, minlength=self.groups).astype(float)

    @cached_property
    def of_groups(self) -> np.ndarray:
        """Sessions of every level with every group, Z'X."""
        parts = [
            np.bincount(of * self.groups + self.group, minlength=many * self.groups).reshape(many, self.groups)
            for of, many in zip(self.levels, self.sizes, strict=True)
        ]
        return np.vstack([np.zeros((0, self.groups)), *parts])

    @cached_property
    def of_levels(self) -> np.ndarray:
        """Sessions that two levels have in common, Z'Z."""
        found = np.zeros((sum(self.sizes), sum(self.sizes)))
        for one, rows, high in zip(self.levels, self.blocks, self.sizes, strict=True):
            for other, columns, wide in zip(self.levels, self.blocks, self.sizes, strict=True):
                found[rows, columns] = np.bincount(one * wide + other, minlength=high * wide).reshape(high, wide)
        return found

    @cached_property
    def within(self) -> np.ndarray:
        """Z'MZ, cross products of levels once groups are taken out."""
        found: np.ndarray = self.of_levels - self.of_groups / self.counts @ self.of_groups.T
        return found

    @cached_property
    def products(self) -> np.ndarray:
        """Products (traces) of the covariances that components give, the residual's last; singular where two are alike."""
        many = len(self.names)
        found = np.empty((many + 1, many + 1))
        for k, rows in enumerate(self.blocks):
            found[k, :many] = [(self.within[rows, columns] ** 2).sum() for columns in self.blocks]
            found[k, -1] = found[-1, k] = np.trace(self.within[rows, rows])
        found[-1, -1] = len(self.group) - self.groups
        return found

    def sums(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums of values over every group, and over every level: X'y and Z'y."""
        of = [
            np.bincount(each, weights=values, minlength=many)
            for each, many in zip(self.levels, self.sizes, strict=True)
        ]
        return np.bincount(self.group, weights=values, minlength=self.groups), np.concatenate([np.zeros(0), *of])

    def beyond(self, values: np.ndarray) -> tuple[np.ndarray, float]:
        """Z'My, sums of values over levels once groups are taken out, and the sum of squares that is left of values."""
        left = self._without_groups(values)
        return self.sums(left)[1], float(left @ left)

    @cached_property
    def basis(self) -> np.ndarray:
        """Columns E such that E'Z'M has orthonormal rows that span all that levels can explain beyond groups."""
        value, vector = np.linalg.eigh(self.within)
        kept = value > NEGLIGIBLE * max(1.0, float(value.max(initial=0)))
        found: np.ndarray = vector[:, kept] / np.sqrt(value[kept])
        return found

    @cached_property
    def reach(self) -> np.ndarray:
        """What a level adds to the reduced values: a column per level."""
        found: np.ndarray = self.basis.T @ self.within
        return found

    @cached_property
    def shapes(self) -> np.ndarray:
        """By factor and, last, for the residual, the covariance that a variance of 1 gives to the reduced values."""
        r = self.basis.shape[1]
        found = np.empty((len(self.names) + 1, r, r))
        for number, block in enumerate(self.blocks):
            found[number] = self.reach[:, block] @ self.reach[:, block].T
        found[-1] = np.eye(r)
        return found

    def reduced(self, values: np.ndarray) -> Reduced:
        """Return values without what groups explain: as many numbers as levels can explain, and the squares left beyond."""
        rest = self._without_groups(values)
        seen = self.basis.T @ self.sums(rest)[1]
        # the squares of what is left, as the squares of all less those explained lose half of their digits
        of_levels = self.basis @ seen
        explained = sum(of_levels[block][of] for block, of in zip(self.blocks, self.levels, strict=True))
        rest = rest - self._without_groups(np.zeros(len(values)) + explained)
        return Reduced(self.shapes, seen, float(rest @ rest), len(values) - self.groups - len(seen))

    def _without_groups(self, values: np.ndarray) -> np.ndarray:
        """Return values less the mean of their group."""
        by_group = np.bincount(self.group, weights=values, minlength=self.groups)
        left: np.ndarray = values - (by_group / self.counts)[self.group]
        return left


@dataclass(frozen=True, eq=False)
class Reduced:
    """All that the restricted likelihood (REML) needs of values: their variance matrix is linear in the components.

    Parameters
    ----------
    shapes
        By component, the residual last, its covariance at a variance of 1.
    seen
        What levels can explain of the values.
    left
        Sum of squares beyond.
    df
        Its degrees of freedom.
    """

    shapes: np.ndarray
    seen: np.ndarray
    left: float
    df: int

    def deviance(self, components: np.ndarray) -> float:
        """-2 log restricted likelihood, but for a constant; infinite where the variances are impossible."""
        residual = float(components[-1])
        if not residual > 0:
            return float("inf")
        try:
            half = np.linalg.cholesky(np.tensordot(components, self.shapes, 1))
        except np.linalg.LinAlgError:
            return float("inf")
        inner = np.linalg.solve(half, self.seen)
        logs = 2 * float(np.log(np.diag(half)).sum()) + self.df * float(np.log(residual))
        return logs + float(inner @ inner) + self.left / residual

    def slopes(self, components: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Score (slope of the log restricted likelihood) and expected information of the components."""
        inverse = np.linalg.inv(np.tensordot(components, self.shapes, 1))
        of = inverse @ self.shapes
        weights = inverse @ self.seen
        score = 0.5 * (np.einsum("kij,i,j->k", self.shapes, weights, weights) - np.trace(of, axis1=1, axis2=2))
        turned = of.transpose(0, 2, 1).reshape(len(of), -1)
        information = 0.5 * of.reshape(len(of), -1) @ turned.T
        residual = components[-1]
        score[-1] += 0.5 * (self.left / residual - self.df) / residual
        information[-1, -1] += 0.5 * self.df / residual**2
        return score, information
