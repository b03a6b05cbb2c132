"""The best parameters of a discount by each criterion: search, intervals, and what the counts cannot determine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from sessionkit.robustness.calibrate_counts import EXPECTED, FITS, GRIDS, PARAMETERS, LookCounts, Stops, drawn
from sessionkit.robustness.calibrate_models import DiscountModel, Looked, Numbers, distance, expected, log_likelihood
from sessionkit.statistics.distributions import FEWEST, BootstrapInterval, Resampling

LIKELIHOOD = "likelihood"
CRITERIA = (LIKELIHOOD, "TSE", "KL")
"""By what parameters are fitted."""
AT_END = 0.02
"""A coordinate nearer than this to the end of its range is at the end."""
ASIDE = 0.5
"""How far to either side, in coordinates, it is looked whether a criterion is flat."""
LEVEL = {LIKELIHOOD: 1e-6, "TSE": 1e-10, "KL": 1e-10}
"""Differences of criteria below which they are flat."""
HALVINGS = 40


FLAT, OPEN = "other values fit equally well", "the interval has no end on either side"
"""Why a parameter is not identifiable."""


class State(StrEnum):
    """Whether counts tell a parameter."""

    told = ""
    flat = f"not identifiable: {FLAT}"
    low = "at its lower end"
    high = "at its upper end"
    open_ = f"not identifiable: {OPEN}"
    open_low = "no lower limit"
    open_high = "no upper limit"

    @property
    def usable(self) -> bool:
        """Whether to score with such an estimate."""
        return self in (State.told, State.open_low, State.open_high)


@dataclass(frozen=True)
class DiscountFit:
    """Parameters fitted by one criterion.

    Parameters
    ----------
    model, criterion
        What was fitted, and by which of `CRITERIA`.
    at
        The coordinates of the best values.
    best
        The log-likelihood, or the distance.
    intervals
        Of each parameter, the ends of its profile likelihood interval; None where there are none.
    states
        Of each parameter, whether the counts tell it.
    """

    model: DiscountModel
    criterion: str
    at: Numbers
    best: float
    intervals: tuple[tuple[float | None, float | None], ...]
    states: tuple[State, ...]

    @property
    def values(self) -> Numbers:
        """The best values."""
        return values_of(self.model, self.at)

    @property
    def usable(self) -> bool:
        """Whether to score with it."""
        return all(state.usable for state in self.states)


def values_of(model: DiscountModel, at: Numbers) -> Numbers:
    """Values of parameters from their coordinates, the last dimension."""
    made = np.empty(at.shape)
    for place, free in enumerate(model.free):
        made[..., place] = free.value(at[..., place])
    return made


def height_of(model: DiscountModel, criterion: str, data: Stops | Looked) -> Function:
    """A criterion as a function of coordinates that is highest where the fit is best."""

    def height(at: Numbers) -> Numbers:
        values = values_of(model, at)
        if isinstance(data, Stops):
            return log_likelihood(model, data, values)
        return -distance(criterion, model, data, values)

    return height


def fitted(model: DiscountModel, criterion: str, data: Stops | Looked, cut: float | None = None) -> DiscountFit:
    """Fit a model to counts of one draw.

    Parameters
    ----------
    data
        Stops for the likelihood, looks for a distance.
    cut
        By how much the log-likelihood falls at the ends of an interval; None for no intervals.
    """
    height = height_of(model, criterion, data)
    bounds = [free.bounds for free in model.free]
    at = highest(height, bounds)
    best = float(height(at[None, None])[0, 0])
    ends: list[tuple[float | None, float | None]] = []
    states = []
    for place in range(len(bounds)):
        profile = _Profile(height, bounds, at, place, criterion != LIKELIHOOD or model.linked)
        state = _state(profile, best, LEVEL[criterion])
        low, high = profile.interval(best - cut) if cut is not None and state is not State.flat else (None, None)
        if cut is not None and state is State.told:
            state = _openness(low, high)
        free = model.free[place]
        ends.append(tuple(None if end is None else float(free.value(np.array(end))) for end in (low, high)))  # type: ignore[arg-type]
        states.append(state)
    return DiscountFit(model, criterion, at, best if criterion == LIKELIHOOD else -best, tuple(ends), tuple(states))


def best_values(model: DiscountModel, criterion: str, data: Stops | Looked, near: Numbers) -> Numbers:
    """The best values alone, looked for from those of a similar fit on."""
    bounds = [free.bounds for free in model.free]
    return values_of(model, climbed(height_of(model, criterion, data), near[None], bounds, ASIDE, 1e-7)[0])


@dataclass(frozen=True, eq=False)
class _Profile:
    """The best that can be had where one parameter is held."""

    height: Function
    bounds: list[tuple[float, float]]
    at: Numbers
    place: int
    others_move: bool

    def heights(self, held: Numbers) -> Numbers:
        """The best height for each value of the coordinate."""
        rest = [place for place in range(len(self.bounds)) if place != self.place]
        start = np.repeat(self.at[None, rest], len(held), axis=0)

        def of_rest(points: Numbers) -> Numbers:
            whole = np.empty((*points.shape[:2], len(self.bounds)))
            whole[..., rest] = points
            whole[..., self.place] = held[:, None]
            return self.height(whole)

        if rest and self.others_move:
            start = climbed(of_rest, start, [self.bounds[place] for place in rest], 0.5, 1e-7)
        return of_rest(start[:, None, :])[:, 0]

    def interval(self, level: float) -> tuple[float | None, float | None]:
        """Where the profile falls to a level below and above the best; None where it does not before the range ends."""
        outside = np.array(self.bounds[self.place])
        inside = np.full(2, self.at[self.place])
        falls = self.heights(outside) < level
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            within = self.heights(middle) >= level
            inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
        low, high = (float(end) if fallen else None for end, fallen in zip(inside, falls, strict=True))
        return low, high


def _state(profile: _Profile, best: float, level: float) -> State:
    """Whether a criterion is flat around the best value, or best at an end of its range."""
    low, high = profile.bounds[profile.place]
    own = profile.at[profile.place]
    aside = np.clip(np.array([own - ASIDE, own + ASIDE]), low, high)
    moved = np.abs(aside - own) > AT_END
    if (np.abs(best - profile.heights(aside)) <= level)[moved].any():
        return State.flat
    if own - low < AT_END:
        return State.low
    return State.high if high - own < AT_END else State.told


def _openness(low: float | None, high: float | None) -> State:
    """On which sides an interval has no end."""
    if low is None and high is None:
        return State.open_
    if low is None:
        return State.open_low
    return State.open_high if high is None else State.told


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
                second = {"reach_rank_2": as_stored(rank), "reach_query_2": as_stored(query)}
                rows.append({**about, "parameter": free.name, "estimate": as_stored(float(value)), **second})
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
            "estimate": as_stored(float(fit.values[place])),
            "identified": state.usable,
        }
        row |= {"profile_low": as_stored(low), "profile_high": as_stored(high), "note": str(state) or None}
        if drawn is not None:
            row |= {"low": as_stored(drawn.low), "high": as_stored(drawn.high), "interval": kind}
        elif fit.criterion == LIKELIHOOD and (low is not None or high is not None):
            row |= {"low": as_stored(low), "high": as_stored(high), "interval": PROFILE}
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
    return finite | {"reach_rank_2": as_stored(rank), "reach_query_2": as_stored(query)}


def as_stored(value: float | None) -> float | None:
    """A number as tables show it."""
    return None if value is None else round(value, DIGITS)


def _frame(rows: list[dict[str, Any]], schema: pl.Schema) -> pl.DataFrame:
    """Rows as a table; what a row does not have is null."""
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)


FEWEST_GRID_PLACES = 3
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
        tuple(max(FEWEST_GRID_PLACES, int(have * of + 0.5)) for have, of in zip(size, shares, strict=True))
        for shares in SHARES
    ]
    if fit.criterion != LIKELIHOOD:
        grids.append((2 * ranks if limits[0] is None else ranks, 2 * queries if limits[1] is None else queries))
    seen = {size}
    for grid in ((rows, columns) for rows, columns in grids if fit.criterion != LIKELIHOOD or (rows <= ranks)):
        if grid not in seen:
            seen.add(grid)
            yield grid


Function = Callable[[Numbers], Numbers]
"""Heights of (rows, points, coordinates): (rows, points)."""
SEARCH_TOLERANCE = 1e-9
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
    height: Function, start: Numbers, bounds: Sequence[tuple[float, float]], step: float, fine: float = SEARCH_TOLERANCE
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


STEP, INTERVAL_TOLERANCE = 0.25, 1e-5
CELLS = 3_000
"""Pairs of rank and query position above which distances are not drawn: that would take minutes."""
AT_ONCE = 2**21
"""Numbers made in one go."""


def intervals(fit: DiscountFit, counted: LookCounts, resampling: Resampling) -> list[BootstrapInterval | None]:
    """An interval for each parameter; None where there are too few units, or too many places for a distance.

    Parameters
    ----------
    fit
        What was fitted to all units.
    counted
        The counts, already limited as the fit has it.
    """
    units = len(counted.unit_codes)
    if not counted.units or units < FEWEST:
        return [None] * len(fit.model.free)
    replicates = _replicates(fit, counted, resampling)
    if replicates is None:
        return [None] * len(fit.model.free)
    left_out = np.zeros(units)
    return [
        resampling.says(replicates[:, place], float(fit.values[place]), left_out) if state.usable else None
        for place, state in enumerate(fit.states)
    ]


def _replicates(fit: DiscountFit, counted: LookCounts, resampling: Resampling) -> Numbers | None:
    """The values of every draw: (draws, parameters)."""
    model, bounds = fit.model, [free.bounds for free in fit.model.free]
    if fit.criterion == LIKELIHOOD:
        each = counted.stops(by_position=model.along)[1]
        cells = max(each.list_stops.shape[1], each.session_stops.shape[1])
    else:
        if counted.ranks * counted.queries > CELLS:
            return None
        looks = counted.looked_by_unit()
        cells = looks.shape[1] * looks.shape[2]
    rows = max(1, AT_ONCE // (3 ** len(bounds) * cells))
    made = []
    for weights in resampling.weights(len(counted.unit_codes)):
        for start in range(0, len(weights), rows):
            some = weights[start : start + rows]
            if fit.criterion == LIKELIHOOD:
                height = height_of(model, fit.criterion, drawn(each, some))
            else:
                counts = np.tensordot(some, looks, axes=1)
                height = height_of(model, fit.criterion, Looked(counts).for_model(model))
            begin = np.repeat(fit.at[None], len(some), axis=0)
            made.append(values_of(model, climbed(height, begin, bounds, STEP, INTERVAL_TOLERANCE)))
    return np.concatenate(made)
