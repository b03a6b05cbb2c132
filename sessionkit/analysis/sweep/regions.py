"""Where a conclusion holds: the share of the grid, the region connected with the base setting, ranges of each parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessionkit.analysis.sweep.axes import Axis
from sessionkit.analysis.sweep.grid import Grid

Holds = Sequence[bool | None]
"""Of every setting whether the conclusion holds there; None where nothing can be said."""


@dataclass(frozen=True)
class Region:
    """Where one conclusion holds.

    Parameters
    ----------
    conclusion
        Which.
    settings, known
        All settings, and those where something can be said.
    holds
        Those where it holds.
    connected
        Numbers of those that steps from value to neighboring value of one parameter reach from the base setting without
        leaving the region.
    """

    conclusion: str
    settings: int
    known: int
    holds: int
    connected: frozenset[int]

    @classmethod
    def of(cls, conclusion: str, grid: Grid, holds: Holds) -> Region:
        """Count, and walk from the base setting."""
        known = sum(held is not None for held in holds)
        return cls(conclusion, len(holds), known, sum(held is True for held in holds), _connected(grid, holds))


@dataclass(frozen=True)
class Range:
    """One parameter, all others at the base setting.

    Parameters
    ----------
    conclusion, axis
        Of what, and of which parameter.
    holds, fails
        Places of values where the conclusion holds, and where it does not.
    low, high
        Places of the first and the last value of the unbroken run around the base value; None of words.
    below, above
        Places of the values just beyond that run, where the conclusion does not hold (or nothing can be said); None where the
        grid ends.
    """

    conclusion: str
    axis: int
    holds: tuple[int, ...]
    fails: tuple[int, ...]
    low: int | None = None
    high: int | None = None
    below: int | None = None
    above: int | None = None


def ranges(conclusion: str, grid: Grid, holds: Holds) -> list[Range]:
    """The range of every parameter."""
    return [_range(conclusion, number, axis, _line(grid, holds, number)) for number, axis in enumerate(grid.axes)]


def on_line(grid: Grid, axis: int, place: int) -> int:
    """Number of the setting with this value of one parameter and the base values of all others."""
    return grid.number([place if number == axis else at for number, at in enumerate(grid.base)])


def _line(grid: Grid, holds: Holds, axis: int) -> list[bool | None]:
    """Whether a conclusion holds at each value of one parameter."""
    return [holds[on_line(grid, axis, place)] for place in range(grid.shape[axis])]


def _range(conclusion: str, number: int, axis: Axis, line: list[bool | None]) -> Range:
    """The range of one parameter."""
    there = tuple(place for place, held in enumerate(line) if held is True)
    not_there = tuple(place for place, held in enumerate(line) if held is False)
    if not axis.ordered or line[axis.base] is not True:
        return Range(conclusion, number, there, not_there)
    low = high = axis.base
    while low > 0 and line[low - 1] is True:
        low -= 1
    while high + 1 < len(line) and line[high + 1] is True:
        high += 1
    below, above = low - 1 if low else None, high + 1 if high + 1 < len(line) else None
    return Range(conclusion, number, there, not_there, low, high, below, above)


def _connected(grid: Grid, holds: Holds) -> frozenset[int]:
    """Settings of the region that can be reached from the base setting."""
    start = grid.number(grid.base)
    if holds[start] is not True:
        return frozenset()
    reached, ahead = {start}, [start]
    while ahead:
        place = grid.place(ahead.pop())
        for number, axis in enumerate(grid.axes):
            at = place[number]
            beside = [at - 1, at + 1] if axis.ordered else range(len(axis.values))
            for other in beside:
                if 0 <= other < len(axis.values):
                    found = grid.number((*place[:number], other, *place[number + 1 :]))
                    if holds[found] is True and found not in reached:
                        reached.add(found)
                        ahead.append(found)
    return frozenset(reached)
