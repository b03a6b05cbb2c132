"""Whether a fit depends on the grid: the ranks and query positions that it is made on.

A searcher model that holds fits alike wherever it is cut off. Distances of shapes that are scaled to the sum 1 need not:
where a discount has no finite sum, as ``log`` has none, every further rank takes weight from the first ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sessionkit.analysis.calibrate.counts import LookCounts, Stops
from sessionkit.analysis.calibrate.factors import Numbers
from sessionkit.analysis.calibrate.fits import LIKELIHOOD, DiscountFit, best_values
from sessionkit.analysis.calibrate.models import DiscountModel
from sessionkit.analysis.calibrate.shares import Looked

FEWEST = 3
"""Ranks, and query positions, of a grid at least."""
SHARES = ((1 / 2, 2 / 3), (1 / 3, 1 / 2), (1 / 6, 2 / 5))
"""Smaller grids, as shares of the ranks and of the query positions."""
MOVED = 0.02
"""A fit depends on the grid where the share that it takes to come to the second place moves by more than this."""


@dataclass(frozen=True, eq=False)
class OnGrid:
    """The best values on so many ranks and query positions."""

    model: DiscountModel
    ranks: int
    queries: int
    values: Numbers

    @property
    def second(self) -> tuple[float, float | None]:
        """The share of lists that come to rank 2, and of sessions that come to query 2, as the fit has it."""
        return second_of(self.model, self.values)


def second_of(model: DiscountModel, values: Numbers) -> tuple[float, float | None]:
    """The share of lists of first queries that come to rank 2, and of sessions that come to query 2."""
    one, two = np.array([1.0]), np.array([2.0])
    rank = float(model.discount(values, two, one)[0])
    return rank, float(model.discount(values, one, two)[0]) if model.query_form else None


def on_grids(fit: DiscountFit, counted: LookCounts, limits: tuple[int | None, int | None]) -> list[OnGrid]:
    """The fit, and those of the same model by the same criterion on other grids.

    Parameters
    ----------
    counted
        The counts, already limited.
    limits
        Where they were cut off: a grid is not made larger than that.
    """
    model = fit.model
    made = [OnGrid(model, counted.ranks, counted.queries, fit.values)]
    for ranks, queries in _grids(fit, (counted.ranks, counted.queries), limits):
        data: Stops | Looked
        if fit.criterion == LIKELIHOOD:
            data = counted.limited(ranks, queries).stops(by_position=model.along)[0]
        else:
            data = Looked(counted.looked()[None]).extended(ranks, queries).for_model(model)
        made.append(OnGrid(model, ranks, queries, best_values(model, fit.criterion, data, fit.at)))
    return made


def moves(grids: Sequence[OnGrid], within: Sequence[tuple[float | None, float | None]]) -> bool:
    """Whether the fit depends on the grid: values leave their intervals, where there are any, and what they mean moves.

    Parameters
    ----------
    within
        The interval of each parameter.
    """
    first = grids[0].second
    return any(
        _leaves(grid.values, within)
        and any(
            abs(own - other) > MOVED
            for own, other in zip(grid.second, first, strict=True)
            if own is not None and other is not None
        )
        for grid in grids[1:]
    )


def _leaves(values: Numbers, within: Sequence[tuple[float | None, float | None]]) -> bool:
    """Whether any value lies outside its interval; an interval without ends is not in its way."""
    known = [
        (value, low, high)
        for value, (low, high) in zip(values, within, strict=True)
        if low is not None or high is not None
    ]
    if not known:
        return True
    return any((low is not None and value < low) or (high is not None and value > high) for value, low, high in known)


def _grids(fit: DiscountFit, size: tuple[int, int], limits: tuple[int | None, int | None]) -> Iterator[tuple[int, int]]:
    """Other grids: smaller and, of distances where nothing was cut off, one twice as large."""
    ranks, queries = size
    grids = [
        tuple(max(FEWEST, int(have * of + 0.5)) for have, of in zip(size, shares, strict=True)) for shares in SHARES
    ]
    if fit.criterion != LIKELIHOOD:
        grids.append((2 * ranks if limits[0] is None else ranks, 2 * queries if limits[1] is None else queries))
    seen = {size}
    for grid in ((rows, columns) for rows, columns in grids if fit.criterion != LIKELIHOOD or (rows <= ranks)):
        if grid not in seen:
            seen.add(grid)
            yield grid
