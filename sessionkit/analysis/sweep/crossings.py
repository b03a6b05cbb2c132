"""Where a conclusion ends to hold between two settings: looked for by scoring between them, until six digits are settled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np

from sessionkit.analysis.sweep.grid import Grid, Setting, setting
from sessionkit.analysis.sweep.verdicts import Looking, SettingVerdict

DIGITS = 6
"""Significant digits of the values that are looked at between settings, so that they can be typed again."""
POINTS = 15
"""Settings that are looked at between two in one round."""
ROUNDS = 12
"""Rounds at most; five or six do."""


@dataclass(frozen=True)
class CrossingSearch:
    """The way from a setting where a conclusion holds to one where it does not; the parameters that differ are continuous.

    Parameters
    ----------
    conclusion
        Which.
    start, end
        Their values.
    """

    conclusion: str
    start: tuple[object, ...]
    end: tuple[object, ...]


@dataclass(frozen=True)
class Crossing:
    """Two settings, next to each other but for the last digit: the conclusion holds at one and not at the other.

    Parameters
    ----------
    holds, fails
        The settings, both scored.
    look
        What the one where it fails shows.
    """

    holds: Setting
    fails: Setting
    look: SettingVerdict


def walkable(grid: Grid, start: Sequence[object], end: Sequence[object]) -> bool:
    """Whether all that differs between two settings is continuous."""
    differ = [axis for axis, a, b in zip(grid.axes, start, end, strict=True) if a != b]
    return bool(differ) and all(axis.continuous for axis in differ)


def crossings(
    looking: Looking,
    grid: Grid,
    walks: Sequence[CrossingSearch],
    checks: dict[str, Callable[[SettingVerdict | None], bool | None]],
) -> dict[CrossingSearch, Crossing]:
    """Find the first setting on each way at which its conclusion does not hold.

    Every round looks at some settings between those that are settled, of all ways at once. Where a conclusion ends and
    begins several times between two looked-at settings, one of these places is found. Ways at whose end nothing can be
    said, or at whose end it holds, have no crossing.
    """
    names = [axis.name for axis in grid.axes]
    ends = {walk: [setting(grid.measure, names, values) for values in (walk.start, walk.end)] for walk in walks}
    found, _ = looking.looks([pair[1].measure for pair in ends.values()])
    looks = dict(zip(walks, found, strict=True))
    open_ = [walk for walk in walks if checks[walk.conclusion](looks[walk]) is False]
    result = list(open_)
    for _round in range(ROUNDS):
        between = {walk: _between(grid, *ends[walk]) for walk in open_}
        open_ = [walk for walk in open_ if between[walk]]
        if not open_:
            break
        every = [one for walk in open_ for one in between[walk]]
        seen, _ = looking.looks([one.measure for one in every])
        shown = iter(seen)
        for walk in open_:
            pairs = [(one, next(shown)) for one in between[walk]]
            first = next(
                (place for place, (_, look) in enumerate(pairs) if checks[walk.conclusion](look) is False), None
            )
            if first is not None:
                ends[walk][1], fails = pairs[first]
                looks[walk] = fails
            before = pairs[: len(pairs) if first is None else first]
            held = [one for one, look in before if checks[walk.conclusion](look) is True]
            if held:
                ends[walk][0] = held[-1]
    return {walk: Crossing(ends[walk][0], ends[walk][1], look) for walk in result if (look := looks[walk]) is not None}


def _between(grid: Grid, start: Setting, end: Setting) -> list[Setting]:
    """Settings between two, evenly by the coordinates of what differs; none where six digits cannot tell them apart."""
    names = [axis.name for axis in grid.axes]
    found: dict[tuple[object, ...], None] = {}
    for share in np.arange(1, POINTS + 1) / (POINTS + 1):
        values: list[object] = []
        for axis, a, b in zip(grid.axes, start.values, end.values, strict=True):
            if a == b or not (isinstance(a, Real) and isinstance(b, Real)):
                values.append(a)
                continue
            one, other = axis.coordinate(a), axis.coordinate(b)
            number = float(f"{axis.value(one + (other - one) * float(share)):.{DIGITS}g}")
            low, high = sorted((float(a), float(b)))
            values.append(axis.parameter.canonical(min(max(number, low), high)))
        found[tuple(values)] = None
    return [setting(grid.measure, names, values) for values in found if values not in (start.values, end.values)]
