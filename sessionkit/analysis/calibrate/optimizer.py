"""The highest point of smooth functions of a few coordinates, of many draws at once.

A compass search: of the points one step away in every direction, corners included, the highest is taken; where none is
higher, the step becomes a quarter. The top of the parabola through the points is tried too, which is what gets along
ridges. It needs no derivatives, keeps within bounds, and takes minus infinity for what it is. Each row of points climbs its
own function; all of them together cost as many calls as the slowest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from sessionkit.analysis.calibrate.factors import Numbers

Function = Callable[[Numbers], Numbers]
"""Heights of (rows, points, coordinates): (rows, points)."""
FINE = 1e-9
"""The step at which a search is over."""
FARTHEST = 50
"""Steps that the top of a parabola may lie away."""
FINER = 4
"""How many times shorter the next step is where none is higher: the top of the parabola is that much nearer."""
ROUNDS = 400
POINTS = {1: 80, 2: 33}
"""Points of each coordinate that are looked at first, by the number of coordinates."""


def highest(height: Function, bounds: Sequence[tuple[float, float]]) -> Numbers:
    """The highest point within bounds, of a function that is the same for all rows; one point.

    >>> highest(lambda points: -((points[..., 0] - 0.3) ** 2), [(-1.0, 1.0)]).round(6).tolist()
    [0.3]
    """
    many = POINTS.get(len(bounds), 9)
    grid = np.array(list(product(*(np.linspace(low, high, many) for low, high in bounds))))
    heights = _heights(height, grid[None])[0]
    start = grid[[int(np.argmax(heights))]]
    step = max(high - low for low, high in bounds) / (many - 1)
    found: Numbers = climbed(height, start, bounds, step)[0]
    return found


def climbed(
    height: Function, start: Numbers, bounds: Sequence[tuple[float, float]], step: float, fine: float = FINE
) -> Numbers:
    """Climb from a point in each row: (rows, coordinates) to (rows, coordinates).

    Parameters
    ----------
    height
        Heights of the points of each row.
    start
        Where each row begins.
    bounds
        Lowest and highest value of each coordinate.
    step
        Length of the first step.
    fine
        Length at which it ends.
    """
    low, high = (np.array(ends) for ends in zip(*bounds, strict=True))
    ways = np.array(sorted(product((-1.0, 0.0, 1.0), repeat=len(bounds)), key=lambda way: sum(map(abs, way))))
    at, steps = np.clip(start, low, high), np.full(len(start), step)
    rows = np.arange(len(start))
    for _ in range(ROUNDS):
        points = np.clip(at[:, None, :] + steps[:, None, None] * ways, low, high)
        heights = _heights(height, points)
        top = np.clip(_top(at, steps, ways, heights), low, high)
        points = np.concatenate([points, top[:, None, :]], axis=1)
        heights = np.concatenate([heights, _heights(height, top[:, None, :])], axis=1)
        best = np.argmax(heights, axis=1)  # the first of equals, which is the point itself
        near = np.abs(points[rows, best] - at).max(axis=1) < steps / 2
        steps = np.where(near, steps / FINER, steps)
        at = points[rows, best]
        if (steps < fine).all():
            break
    return at


def _heights(height: Function, points: Numbers) -> Numbers:
    """Heights; what is no number is as low as can be."""
    found = height(points)
    return np.where(np.isnan(found), -np.inf, found)


def _top(at: Numbers, steps: Numbers, ways: Numbers, heights: Numbers) -> Numbers:
    """The top of the parabola through the points around each row's, in one or two coordinates; its point where there is none."""
    many = ways.shape[1]
    if many > 2:
        return at
    of = dict(zip(map(tuple, ways.tolist()), heights.T, strict=True))
    with np.errstate(all="ignore"):
        if many == 1:
            own, up, down = of[0.0,], of[1.0,], of[-1.0,]
            slope, bend = (up - down) / 2, up + down - 2 * own
            move = (-slope / bend)[:, None]
            peak = bend < 0
        else:
            own, right, left, up, down = of[0.0, 0.0], of[1.0, 0.0], of[-1.0, 0.0], of[0.0, 1.0], of[0.0, -1.0]
            slopes = (right - left) / 2, (up - down) / 2
            bends = right + left - 2 * own, up + down - 2 * own
            twist = (of[1.0, 1.0] - of[1.0, -1.0] - of[-1.0, 1.0] + of[-1.0, -1.0]) / 4
            area = bends[0] * bends[1] - twist**2
            across = twist * slopes[1] - bends[1] * slopes[0], twist * slopes[0] - bends[0] * slopes[1]
            move = np.stack([across[0] / area, across[1] / area], axis=1)
            peak = (bends[0] < 0) & (area > 0)
        far = np.abs(move).max(axis=1) > FARTHEST
        usable = peak & np.isfinite(move).all(axis=1) & ~far
        return np.where(usable[:, None], at + steps[:, None] * move, at)
