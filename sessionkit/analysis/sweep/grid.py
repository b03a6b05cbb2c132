"""The grid: every combination of the values of some parameters, each a measure, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from sessionkit.analysis.sweep.axes import Axis
from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring.measures.base import Measure

MOST = 20_000
"""Settings of one sweep."""


@dataclass(frozen=True)
class Setting:
    """One combination.

    Parameters
    ----------
    values
        A value for each axis.
    measure
        The measure with these values; None where they do not go together.
    refused
        Why they do not.
    """

    values: tuple[object, ...]
    measure: Measure | None
    refused: str = ""


@dataclass(frozen=True)
class Grid:
    """All settings, the last axis changing fastest.

    Parameters
    ----------
    measure
        The base setting.
    axes
        What is varied.
    settings
        One for each combination, in the order of `itertools.product`.
    """

    measure: Measure
    axes: tuple[Axis, ...]
    settings: tuple[Setting, ...]

    @classmethod
    def of(cls, measure: Measure, axes: tuple[Axis, ...]) -> Grid:
        """Make every setting.

        Raises
        ------
        UsageError
            There are too many.
        """
        many = math.prod(len(axis.values) for axis in axes)
        if many > MOST:
            each = " x ".join(f"{len(axis.values)} values of {axis.name}" for axis in axes)
            msg = f"{each} are {many:,} settings; at most {MOST:,} are swept at once; give fewer steps or fewer parameters"
            raise UsageError(msg)
        names = [axis.name for axis in axes]
        settings = (setting(measure, names, values) for values in product(*(axis.values for axis in axes)))
        return cls(measure, axes, tuple(settings))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each axis has."""
        return tuple(len(axis.values) for axis in self.axes)

    @property
    def base(self) -> tuple[int, ...]:
        """Place of the base setting on each axis."""
        return tuple(axis.base for axis in self.axes)

    def number(self, place: Iterable[int]) -> int:
        """Number of the setting at a place."""
        found = 0
        for at, many in zip(place, self.shape, strict=True):
            found = found * many + at
        return found

    def place(self, number: int) -> tuple[int, ...]:
        """Place of a setting, by its number."""
        found = []
        for many in reversed(self.shape):
            number, at = divmod(number, many)
            found.append(at)
        return tuple(reversed(found))

    def distance(self, values: Iterable[object]) -> tuple[int, float]:
        """How far a setting is from the base: how many parameters differ, then the sum of their distances."""
        apart = [axis.distance(value, axis.values[axis.base]) for axis, value in zip(self.axes, values, strict=True)]
        return sum(far > 0 for far in apart), sum(apart)


def setting(measure: Measure, names: Iterable[str], values: Iterable[object]) -> Setting:
    """The setting of a measure with these values.

    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> setting(parse_measure("nsDCG@10"), ["b", "cutoff"], [3, 5]).measure
    nsDCG(b=3)@5
    >>> setting(parse_measure("nsDCG@10"), ["discount", "b"], ["rn2002", 4]).refused.partition(",")[0]
    'nsDCG: discount=rn2002 with b=4 boosts the ranks 2 to b-1'
    """
    given = tuple(values)
    try:
        return Setting(given, measure.vary(dict(zip(names, given, strict=True))))
    except MeasureError as error:
        return Setting(given, None, str(error))
