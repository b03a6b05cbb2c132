"""What is compared: blocks that met every group, separate groups, or the sessions of a crossover."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from sessionkit.analysis.compare.projection import Effects, LeastSquares, LeastSquaresFit, indicators
from sessionkit.analysis.numeric_ties import differences


@dataclass(frozen=True, eq=False)
class Blocked:
    """Units that each met every group: one row per unit, one column per group."""

    values: np.ndarray
    layout = "blocked"

    @property
    def counts(self) -> list[int]:
        """Units of every group."""
        return [len(self.values)] * self.values.shape[1]

    @property
    def means(self) -> np.ndarray:
        """Mean of every group."""
        return self.values.mean(axis=0) if len(self.values) else np.full(self.values.shape[1], np.nan)

    def differences(self, first: int, second: int) -> np.ndarray:
        """Of every unit the second group's value less the first's, ties made the same, see `sessionkit.analysis.numeric_ties`."""
        return differences(self.values[:, first], self.values[:, second])


@dataclass(frozen=True, eq=False)
class Separate:
    """Units that each met one group: their values, group by group."""

    values: tuple[np.ndarray, ...]
    layout = "separate"

    @property
    def counts(self) -> list[int]:
        """Units of every group."""
        return [len(values) for values in self.values]

    @property
    def means(self) -> np.ndarray:
        """Mean of every group."""
        return np.array([values.mean() if len(values) else np.nan for values in self.values])


@dataclass(frozen=True, eq=False)
class Crossed:
    """Sessions of a crossover: value, group, user and topic of each, the last three as numbers from 0.

    A `model` of these users, topics and groups that other values were fitted on saves half of the work.
    """

    values: np.ndarray
    group: np.ndarray
    user: np.ndarray
    topic: np.ndarray
    groups: int
    model: LeastSquares | None = None
    layout = "crossed"

    @cached_property
    def fit(self) -> LeastSquaresFit | None:
        """The values by least squares on user + topic + group; None where the groups cannot be told apart."""
        model = self.model or LeastSquares(Effects(self.user, self.topic), indicators(self.group, self.groups))
        return model.fit(self.values[:, None])

    @cached_property
    def by_user(self) -> np.ndarray:
        """Mean of every user's sessions with every group."""
        return mean_cells(self.values, self.user, self.group, self.groups)

    @cached_property
    def by_user_adjusted(self) -> np.ndarray:
        """The same of sessions less the mean of their topic plus the mean of all, as no user searched a topic with two groups."""
        if not len(self.values):
            return self.by_user
        of_topic = mean_cells(self.values, self.topic, np.zeros_like(self.topic), 1)[:, 0]
        return mean_cells(self.values - of_topic[self.topic] + self.values.mean(), self.user, self.group, self.groups)

    @property
    def counts(self) -> list[int]:
        """Users who met each group."""
        return [int(many) for many in np.isfinite(self.by_user).sum(axis=0)]

    @property
    def means(self) -> np.ndarray:
        """Mean of every group's sessions."""
        found: np.ndarray = mean_cells(self.values, np.zeros_like(self.group), self.group, self.groups, 1)[0]
        return found


Units = Blocked | Separate | Crossed


def coded(column: pl.Series) -> tuple[np.ndarray, pl.Series]:
    """Numbers from 0 in the order of the names, and the names; nulls are -1."""
    if not column.null_count() and (column.slice(1) > column.head(len(column) - 1)).all():
        return np.arange(len(column)), column.alias("name")  # ids of sessions, in their order
    names = column.drop_nulls().unique().sort().alias("name")
    numbers = names.to_frame().with_row_index("number")
    found = column.alias("name").to_frame().join(numbers, on="name", how="left", maintain_order="left")
    return found.get_column("number").cast(pl.Int64).fill_null(-1).to_numpy(), names


def mean_cells(
    values: np.ndarray, unit: np.ndarray, group: np.ndarray, groups: int, units: int | None = None
) -> np.ndarray:
    """Mean of the finite values of every unit with every group; NaN where there is none."""
    units = int(unit.max(initial=-1)) + 1 if units is None else units
    finite = np.isfinite(values)
    cell = unit[finite] * groups + group[finite]
    size = np.bincount(cell, minlength=units * groups)
    total = np.bincount(cell, weights=values[finite], minlength=units * groups)
    means = np.divide(total, size, out=np.full(total.shape, np.nan), where=size > 0)
    return means.reshape(units, groups)
