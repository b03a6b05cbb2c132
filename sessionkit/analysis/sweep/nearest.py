"""The nearest settings at which a conclusion does not hold: fewest parameters changed, then the least change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sessionkit.analysis.sweep.crossings import Crossing, CrossingSearch, crossings, walkable
from sessionkit.analysis.sweep.grid import Grid, Setting
from sessionkit.analysis.sweep.regions import Holds, Range, on_line
from sessionkit.analysis.sweep.verdicts import Looking, SettingVerdict

METRIC = (
    "fewest parameters changed, then the smallest sum of changes, counted in doublings: of a number above 0, of the logarithm "
    "of a log base, of 1/(1-p) for a persistence p; a changed word counts 1"
)
Checks = dict[str, Callable[[SettingVerdict | None], bool | None]]


@dataclass(frozen=True)
class Nearest:
    """The nearest setting at which a conclusion does not hold.

    Parameters
    ----------
    conclusion
        Which.
    crossing
        The setting, scored, and the last one before it at which the conclusion holds; the base setting where none lies between.
    changes, distance
        How many parameters differ from the base, and the sum of their changes, see `METRIC`.
    """

    conclusion: str
    crossing: Crossing
    changes: int
    distance: float


def edges(looking: Looking, grid: Grid, found: Sequence[Range], checks: Checks) -> dict[tuple[str, int, str], Crossing]:
    """Where the ranges of continuous parameters end, by conclusion, number of the axis, and ``below`` or ``above``."""
    walks: dict[tuple[str, int, str], CrossingSearch] = {}
    for one in found:
        for side, last, beyond in (("below", one.low, one.below), ("above", one.high, one.above)):
            if last is None or beyond is None:
                continue
            start, end = (grid.settings[on_line(grid, one.axis, place)] for place in (last, beyond))
            if walkable(grid, start.values, end.values) and end.measure is not None:
                walks[one.conclusion, one.axis, side] = CrossingSearch(one.conclusion, start.values, end.values)
    crossed = crossings(looking, grid, list(dict.fromkeys(walks.values())), checks)
    return {key: crossed[walk] for key, walk in walks.items() if walk in crossed}


def nearest(
    looking: Looking,
    grid: Grid,
    looks: Sequence[SettingVerdict | None],
    *,
    holds: Mapping[str, Holds],
    edge: Mapping[tuple[str, int, str], Crossing],
    checks: Checks,
) -> list[Nearest]:
    """The nearest setting of each conclusion that does not hold somewhere, those between the grid's among them."""
    base = grid.settings[grid.number(grid.base)]
    chosen: dict[str, Nearest] = {}
    walks: dict[str, CrossingSearch] = {}
    for conclusion, held in holds.items():
        failing = [
            _made(conclusion, grid, base, one, look)
            for one, look, there in zip(grid.settings, looks, held, strict=True)
            if there is False and look is not None
        ]
        failing += [_near(conclusion, grid, crossing) for (of, _, _), crossing in edge.items() if of == conclusion]
        if not failing:
            continue
        best = min(failing, key=lambda one: (one.changes, one.distance))
        chosen[conclusion] = best
        target = best.crossing.fails.values
        if best.changes > 1 and walkable(grid, base.values, target):
            walks[conclusion] = CrossingSearch(conclusion, base.values, target)
    crossed = crossings(looking, grid, list(walks.values()), checks)
    for conclusion, walk in walks.items():
        if walk in crossed:
            chosen[conclusion] = _near(conclusion, grid, crossed[walk])
    return list(chosen.values())


def _made(conclusion: str, grid: Grid, base: Setting, fails: Setting, look: SettingVerdict) -> Nearest:
    """A setting of the grid as it is."""
    return _near(conclusion, grid, Crossing(base, fails, look))


def _near(conclusion: str, grid: Grid, crossing: Crossing) -> Nearest:
    """A crossing with its distance from the base."""
    return Nearest(conclusion, crossing, *grid.distance(crossing.fails.values))
