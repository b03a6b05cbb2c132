"""Fits of all models by all criteria, as the rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from sessionkit.analysis.bootstrap import BootstrapInterval, Resampling
from sessionkit.analysis.calibrate.calibration import EXPECTED, FITS, GRIDS, PARAMETERS
from sessionkit.analysis.calibrate.counts import LookCounts, Stops
from sessionkit.analysis.calibrate.expectation import expected
from sessionkit.analysis.calibrate.factors import Numbers
from sessionkit.analysis.calibrate.fits import CRITERIA, LIKELIHOOD, DiscountFit, State, best_values, fitted
from sessionkit.analysis.calibrate.intervals import intervals
from sessionkit.analysis.calibrate.likelihood import log_likelihood
from sessionkit.analysis.calibrate.models import DiscountModel
from sessionkit.analysis.calibrate.shares import Looked, distance

DIGITS = 6
"""Decimals of estimates: their last bits are not the same on every machine."""
PROFILE = "profile likelihood"


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A model fitted by one criterion, with all that is told of it.

    Parameters
    ----------
    fit
        The fit.
    counted
        The counts it was made on, as far as its limits.
    drawn
        Of each parameter, an interval from draws; None where there is none.
    grids
        The fit on this grid and on others.
    """

    fit: DiscountFit
    counted: LookCounts
    drawn: tuple[BootstrapInterval | None, ...]
    grids: tuple[OnGrid, ...]

    @property
    def measure(self) -> str | None:
        """The text to score with."""
        return self.fit.model.fitted([float(value) for value in self.fit.values]) if self.fit.usable else None

    @property
    def depends(self) -> bool:
        """Whether the fit depends on the grid."""
        drawn = [None if one is None else (one.low, one.high) for one in self.drawn]
        within = [own if one is None else one for one, own in zip(drawn, self.fit.intervals, strict=True)]
        return moves(self.grids, within)


def made_of(
    model: DiscountModel, whole: LookCounts, limits: tuple[int | None, int | None], resampling: Resampling
) -> list[FittedModel]:
    """Fit a model by every criterion that the counts allow."""
    from scipy import special

    counted = whole.limited(*limits)
    cut = float(special.gammaincinv(0.5, resampling.confidence))  # half of chi-squared with 1 df
    found = []
    for criterion in CRITERIA:
        if criterion != LIKELIHOOD:
            fit = fitted(model, criterion, Looked(counted.looked()[None]).for_model(model))
        elif counted.clicks is None:
            fit = fitted(model, criterion, counted.stops(by_position=model.along)[0], cut)
        else:
            continue
        found.append(
            FittedModel(fit, counted, tuple(intervals(fit, counted, resampling)), tuple(on_grids(fit, counted, limits)))
        )
    return found


def parameters_table(found: Sequence[FittedModel], kind: str) -> pl.DataFrame:
    """A row per model, criterion and parameter."""
    rows = [row for made in found for row in _parameters(made, kind)]
    return _frame(rows, PARAMETERS)


def fits_table(found: Sequence[FittedModel]) -> pl.DataFrame:
    """A row per model and criterion."""
    return _frame([_fit(made) for made in found], FITS)


def grids_table(found: Sequence[FittedModel]) -> pl.DataFrame:
    """A row per model, criterion, grid and parameter."""
    rows = []
    for made in found:
        for grid in made.grids:
            rank, query = grid.second
            for free, value in zip(grid.model.free, grid.values, strict=True):
                about = {
                    "model": made.fit.model.text,
                    "criterion": made.fit.criterion,
                    "ranks": grid.ranks,
                    "queries": grid.queries,
                }
                second = {"reach_rank_2": _known(rank), "reach_query_2": _known(query)}
                rows.append({**about, "parameter": free.name, "estimate": _known(float(value)), **second})
    return _frame(rows, GRIDS)


def expected_table(found: Sequence[FittedModel]) -> pl.DataFrame:
    """A row per model, criterion, rank and query position."""
    parts = []
    for made in found:
        observed = made.counted.looked()
        ranks, queries = np.indices(observed.shape) + 1
        parts.append(
            pl.DataFrame(
                {
                    "model": [made.fit.model.text] * observed.size,
                    "criterion": [made.fit.criterion] * observed.size,
                    "rank": ranks.ravel(),
                    "query_position": queries.ravel(),
                    "observed": observed.ravel().astype(np.int64),
                    "expected": expected(made.fit.model, made.fit.values, made.counted).ravel(),
                },
                schema=EXPECTED,
            )
        )
    return pl.concat(parts).with_columns(pl.col("expected").round(DIGITS))


def _parameters(made: FittedModel, kind: str) -> list[dict[str, Any]]:
    """Rows of one fit: what was fitted, then what cancels."""
    fit, model = made.fit, made.fit.model
    about = {"model": model.text, "form": model.form, "criterion": fit.criterion}
    rows: list[dict[str, Any]] = []
    for place, free in enumerate(model.free):
        state, drawn = fit.states[place], made.drawn[place]
        low, high = fit.intervals[place]
        row = {
            **about,
            "parameter": free.name,
            "estimate": _known(float(fit.values[place])),
            "identified": state.usable,
        }
        row |= {"profile_low": _known(low), "profile_high": _known(high), "note": str(state) or None}
        if drawn is not None:
            row |= {"low": _known(drawn.low), "high": _known(drawn.high), "interval": kind}
        elif fit.criterion == LIKELIHOOD and (low is not None or high is not None):
            row |= {"low": _known(low), "high": _known(high), "interval": PROFILE}
        if state is State.flat:
            row["estimate"] = None
        rows.append(row)
    canceled = "not identifiable: it cancels from the shape of the discount and scales every score by the same factor"
    rows += [{**about, "parameter": name, "identified": False, "note": canceled} for name in model.canceled]
    return rows


def _fit(made: FittedModel) -> dict[str, Any]:
    """The row of one fit."""
    fit, model, counted = made.fit, made.fit.model, made.counted
    values = fit.values[None, None]
    looked = Looked(counted.looked()[None]).for_model(model)
    rank, query = second_of(model, fit.values)
    row: dict[str, Any] = {"model": model.text, "form": model.form, "criterion": fit.criterion, "measure": made.measure}
    row |= {name: float(distance(name, model, looked, values)[0, 0]) for name in ("TSE", "TAE", "KL")}
    if counted.clicks is None:
        height = float(log_likelihood(model, counted.stops(by_position=model.along)[0], values)[0, 0])
        row |= {"log_likelihood": height, "aic": 2 * len(model.free) - 2 * height}
    row |= {"ranks": counted.ranks, "queries": counted.queries, "depends_on_grid": made.depends}
    finite = {
        name: value if not isinstance(value, float) or np.isfinite(value) else None for name, value in row.items()
    }
    return finite | {"reach_rank_2": _known(rank), "reach_query_2": _known(query)}


def _known(value: float | None) -> float | None:
    """A number as tables show it."""
    return None if value is None else round(value, DIGITS)


def _frame(rows: list[dict[str, Any]], schema: pl.Schema) -> pl.DataFrame:
    """Rows as a table; what a row does not have is null."""
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)


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
