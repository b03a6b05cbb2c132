"""The best parameters of a model by a criterion, intervals from the profile likelihood, and what cannot be told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sessionkit.analysis.calibrate.counts import Stops
from sessionkit.analysis.calibrate.factors import Numbers
from sessionkit.analysis.calibrate.likelihood import log_likelihood
from sessionkit.analysis.calibrate.models import DiscountModel
from sessionkit.analysis.calibrate.optimizer import Function, climbed, highest
from sessionkit.analysis.calibrate.shares import Looked, distance

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


class State(StrEnum):
    """Whether counts tell a parameter."""

    told = ""
    flat = "not identifiable: other values fit equally well"
    low = "at its lower end"
    high = "at its upper end"
    open_ = "not identifiable: the interval has no end on either side"
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
