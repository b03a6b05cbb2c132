"""The discounts that are fitted, as shares of searchers who come to each place; likelihood and distances from the counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from sessionkit.errors import MeasureError, UsageError
from sessionkit.robustness.calibrate_counts import LookCounts, Stops
from sessionkit.scoring.discounts import RANK_DISCOUNTS
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import list_measures, parse_measure

ALL = (
    "sDCG@10",
    "sDCG(like=jiang2016)@10",
    "sDCG(like=kanoulas2011)@10",
    "sDCG(like=srbp2019)@10",
    "sDCG(discount=jk2002)@10",
    "sDCG(discount=geometric,p=0.5,query_discount=geometric,pq=0.5)@10",
    "sRBP@10",
    "RBP@10",
)
"""What ``"all"`` stands for, on ten ranks so that they can be compared: forms A to E of sDCG, sRBP and RBP."""


@dataclass(frozen=True)
class DiscountModel:
    """A measure whose discounts are fitted; made by `model_of`.

    Parameters
    ----------
    measure
        The measure, with any values of what is fitted.
    rank_form, query_form
        Forms of its two discounts; ``query_form`` is empty for a measure of queries, which says nothing of sessions.
    free
        The parameters that are fitted, of ranks first.
    canceled
        Parameters that no counts can tell, since they cancel from the shape of the discount.
    """

    measure: Measure
    rank_form: str
    query_form: str
    free: tuple[Free, ...]
    canceled: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The measure's text without the values of what is fitted."""
        return str(self.measure)

    @property
    def form(self) -> str:
        """The forms of both discounts, ranks first."""
        origin = ", ranks along the session" if self.along else ""
        return (f"{self.rank_form} x {self.query_form}" if self.query_form else self.rank_form) + origin

    @property
    def ranks(self) -> int | None:
        """Down to which rank of each list the measure looks."""
        cutoff: int | None = getattr(self.measure, "cutoff", None)
        return cutoff

    @property
    def along(self) -> bool:
        """Whether ranks are discounted along the concatenated lists, so that the two discounts are no product."""
        return self.measure.gain_measure is not None and self.measure.gain_measure.ranks_along_session

    @property
    def linked(self) -> bool:
        """Whether a parameter has to do with both ranks and queries."""
        return self.along or self.rank_form == "rank-biased"

    def by_rank(self, values: Numbers, ranks: Numbers) -> Numbers:
        """Share of searchers of a list who come to each rank; `values` end in a dimension of the parameters."""
        if self.rank_form == "rank-biased":
            return factor("geometric", values[..., 0] * values[..., 1], ranks)
        return factor(self.rank_form, values[..., 0] if self._rank_free else None, ranks)

    def by_query(self, values: Numbers, positions: Numbers) -> Numbers:
        """Share of sessions that come to each query position."""
        if not self.query_form:
            return np.ones(positions.shape)
        if self.query_form == "rank-biased":
            b, p = values[..., 0], values[..., 1]
            return factor("geometric", (p - b * p) / (1 - b * p), positions)
        own = values[..., -1] if len(self.free) > self._rank_free else None
        return factor(self.query_form, own, positions)

    def discount(self, values: Numbers, ranks: Numbers, positions: Numbers) -> Numbers:
        """The discount of pairs of rank and query position, 1 at the first rank of the first query."""
        place = ranks + (positions - 1) * (self.ranks or 0) if self.along else ranks
        return self.by_rank(values, place) * self.by_query(values, positions)

    @property
    def _rank_free(self) -> int:
        """How many parameters the rank discount has of its own."""
        return int(bool(self.free) and self.free[0].name in ("b", "p"))

    def fitted(self, values: Sequence[float]) -> str | None:
        """The text of the measure with these values, rounded to three significant digits; None where it has no such text."""
        given = {free.name: _rounded(value, free) for free, value in zip(self.free, values, strict=True)}
        try:
            return str(self.measure(**given))
        except (MeasureError, UsageError):
            return None


def models_of(asked: str | Measure | Sequence[str | Measure]) -> list[DiscountModel]:
    """Read what is asked for.

    Raises
    ------
    UsageError
        Nothing is, or the discounts of such a measure are not fitted.
    """
    given = list_measures(asked)
    if not given:
        msg = "name a model, such as sDCG, sRBP or RBP"
        raise UsageError(msg)
    texts: list[str | Measure] = []
    for one in given:
        texts += ALL if isinstance(one, str) and one.strip() == "all" else [one]
    made = {(model := model_of(text)).text: model for text in texts}
    return list(made.values())


def model_of(asked: str | Measure) -> DiscountModel:
    """What of a measure is fitted.

    >>> model_of("sDCG(like=jiang2016)@10").form
    'shifted x shifted'
    >>> [free.name for free in model_of("sRBP").free]
    ['b', 'p']

    Raises
    ------
    UsageError
        The discounts of such a measure are not fitted, or cannot be without a cutoff.
    """
    measure = parse_measure(asked)
    forms = measure.discount_forms()
    if forms is None:
        msg = f"the discounts of {measure} cannot be fitted; models: sDCG, nsDCG, sRBP, RBP, DCG, nDCG, with any of their forms"
        raise UsageError(msg)
    rank_form, query_form = forms
    if rank_form == "rank-biased":
        both = (Free("b", base=False), Free("p", base=False))
        return DiscountModel(measure(b=None, p=None), rank_form, query_form, both)
    listed = [form for form in forms if form and form not in RANK_DISCOUNTS]
    if listed:
        msg = f"{measure} has no parameter to fit: its discount {listed[0]} is given factor by factor; use discount=log or shifted"
        raise UsageError(msg)
    found = [free_of(rank_form, "b", "p"), free_of(query_form, "bq", "pq")]
    free = tuple(one for one in found if one is not None)
    plain = measure(
        **{one.name: _default(measure, one.name) for one in free if one.base or one.name in measure.required}
    )
    model = DiscountModel(plain, rank_form, query_form, free, ("b",) if rank_form == "burges" else ())
    if model.along and model.ranks is None:
        msg = (
            f"{measure}: rank_origin=session needs a cutoff, the length of each list in the concatenation: {measure}@10"
        )
        raise UsageError(msg)
    if not free:
        why = (
            "the base of discount=burges cancels from its shape" if model.canceled else f"discount={rank_form} has none"
        )
        msg = f"{measure} has no parameter to fit: {why}; use discount=log or shifted"
        raise UsageError(msg)
    return model


def _default(measure: Measure, name: str) -> object:
    """The default of a parameter."""
    return next(field.default for field in fields(measure) if field.name == name)


def _rounded(value: float, free: Free) -> float:
    """A value to three significant digits of how far it is from where its discount stops making sense."""
    from_end = value - 1 if free.base else min(value, 1 - value)
    if from_end <= 0:
        return float(round(value))
    digits = max(2, 2 - int(np.floor(np.log10(from_end))))
    return round(float(value), digits if from_end < 1 else max(0, 2 - int(np.floor(np.log10(from_end)))))


Numbers = np.ndarray[Any, np.dtype[np.float64]]
LEAST_BASE, LARGEST_BASE = 1.0001, 1000.0
"""Bases are looked for between these; ECIR 2008 has 1 < bq < 1000."""
LEAST_SHARE = 1e-6
"""Shares are looked for between this and 1 less this."""


@dataclass(frozen=True)
class Free:
    """A parameter that is fitted.

    Parameters
    ----------
    name
        As in the measure's text.
    base
        Whether it is a base of a logarithm, above 1; if not, it is a share between 0 and 1.
    high
        The largest base.
    """

    name: str
    base: bool
    high: float = LARGEST_BASE

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest coordinate."""
        ends = (LEAST_BASE, self.high) if self.base else (LEAST_SHARE, 1 - LEAST_SHARE)
        low, high = self.coordinate(np.array(ends))
        return float(low), float(high)

    def coordinate(self, value: Numbers) -> Numbers:
        """Where a value lies on a scale without ends: ln ln of a base, the logit of a share."""
        made: Numbers = np.log(np.log(value)) if self.base else np.log(value) - np.log1p(-value)
        return made

    def value(self, coordinate: Numbers) -> Numbers:
        """The value that lies there."""
        made: Numbers = np.exp(np.exp(coordinate)) if self.base else 1 / (1 + np.exp(-coordinate))
        return made


def free_of(form: str, base: str, share: str) -> Free | None:
    """The parameter of a form that its shape depends on; None for forms that have none.

    >>> free_of("shifted", "b", "p"), free_of("burges", "b", "p")
    (Free(name='b', base=True, high=1000.0), None)
    """
    if form in ("log", "shifted", "jk2002"):
        return Free(base, base=True)
    if form == "rn2002":
        return Free(base, base=True, high=2.0)  # above it the discount rises, and is no share of searchers
    return Free(share, base=False) if form == "geometric" else None


def factor(form: str, value: Numbers | None, place: Numbers) -> Numbers:
    """Share of searchers who come to each place.

    Parameters
    ----------
    form
        One of the forms of `sessionkit.scoring.discounts`.
    value
        Values of its parameter, of any shape; None for a form without one.
    place
        Ranks or query positions.

    Returns
    -------
    numpy.ndarray
        Of the shape of `value`, with one dimension more: the places.

    >>> factor("log", np.array([2.0]), np.array([1, 2, 4])).round(4).tolist()
    [[1.0, 0.5, 0.3333]]
    """
    i = place.astype(np.float64)
    if value is None:
        made: Numbers = {
            "burges": lambda: np.log(2.0) / np.log(i + 1),
            "reciprocal": lambda: 1 / i,
            "none": lambda: np.ones_like(i),
        }[form]()
        return made
    of = value[..., None]
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        if form == "log":
            base = np.log(of)
            return np.asarray(base / (base + np.log(i)))
        if form == "shifted":
            return np.asarray(np.log(of) / np.log(i + (of - 1)))
        if form == "jk2002":
            return np.asarray(np.where(i < of, 1.0, np.log(of) / np.log(i)))
        if form == "rn2002":
            return np.asarray(np.where(i == 1, 1.0, np.log(of) / np.log(i)))
        return np.asarray(of ** (i - 1))


def expected(model: DiscountModel, values: Numbers, counted: LookCounts) -> Numbers:
    """Looks that a model expects of as many sessions: (ranks, query positions).

    Sessions times discount, less what ended otherwise: of those who came to a place without stopping there, the share
    that ended is taken out of all that follows (the product-limit estimate of ends), alike for every position of ranks.
    Of each position only the share counts that had a list to look at. Of counts of clicks: their sum, spread as the
    discount is.

    Parameters
    ----------
    model, values
        The discounts.
    counted
        The counts, already limited.
    """
    ranks, queries = np.arange(1.0, counted.ranks + 1), np.arange(1.0, counted.queries + 1)
    rows, columns = (one.ravel() for one in np.meshgrid(ranks, queries, indexing="ij"))
    cells = model.discount(values, rows, columns).reshape(len(ranks), len(queries))
    if counted.clicks is not None:
        made: Numbers = counted.looked().sum() * cells / cells.sum()
        return made
    stops, _ = counted.stops(by_position=False)
    of_ranks = remaining(stops.ranks, stops.list_stops[0], stops.list_ends[0], len(ranks))
    of_queries = remaining(stops.lasts, stops.session_stops[0], stops.session_ends[0], len(queries))
    if not model.query_form:  # nothing is said of sessions: as many lists at each position as there were
        return np.asarray(counted.looked()[0] * of_ranks[:, None] * cells)
    sessions = stops.session_stops[0] + stops.session_ends[0]
    came = np.array([sessions[stops.lasts >= position].sum() for position in queries])
    listed = counted.looked()[0] / came
    return np.asarray(sessions.sum() * cells * of_ranks[:, None] * of_queries * listed)


def remaining(places: Numbers, stopped: Numbers, ended: Numbers, last: int) -> Numbers:
    """Share that has not ended otherwise before each place from 1 to the last.

    Ten lists: two stop at rank 1, four end there, so half of those that go on are never seen at rank 2:

    >>> remaining(np.array([1.0, 2.0]), np.array([2.0, 4.0]), np.array([4.0, 0.0]), 2).tolist()
    [1.0, 0.5]
    """
    stop, end = np.zeros(last + 1), np.zeros(last + 1)
    at = places.astype(np.int64) - 1
    np.add.at(stop, at, stopped)
    np.add.at(end, at, ended)
    there = (stop + end)[::-1].cumsum()[::-1]
    going = there - stop
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(going > 0, 1 - end / going, 1.0)
    made: Numbers = np.concatenate([[1.0], np.cumprod(share)[: last - 1]])
    return made


def reached(stops: Stops) -> tuple[float | None, float | None]:
    """Observed share of lists that come to rank 2 and of sessions that come to query 2, of those that could be seen to."""

    def second(places: Numbers, stopped: Numbers, ended: Numbers) -> float | None:
        at_first = places == 1
        known = stopped.sum() + ended[~at_first].sum()
        return float(1 - stopped[at_first].sum() / known) if known else None

    return (
        second(stops.ranks, stops.list_stops[0], stops.list_ends[0]),
        second(stops.lasts, stops.session_stops[0], stops.session_ends[0]),
    )


def log_likelihood(model: DiscountModel, stops: Stops, values: Numbers) -> Numbers:
    """Logarithm of the stopping likelihood.

    Parameters
    ----------
    model
        The discounts.
    stops
        Counts of some draws.
    values
        Parameters to try with each draw: (draws, tries, parameters), or (1, tries, parameters) for all.

    Returns
    -------
    numpy.ndarray
        (draws, tries); minus infinity where what was observed cannot happen.
    """
    if model.along:
        first = model.discount(values, np.ones_like(stops.ranks), stops.positions)
        here = model.discount(values, stops.ranks, stops.positions) / first
        beyond = model.discount(values, stops.ranks + 1, stops.positions) / first
    else:
        here, beyond = model.by_rank(values, stops.ranks), model.by_rank(values, stops.ranks + 1)
    total = _contribution(here, beyond, stops.list_stops, stops.list_ends)
    if model.query_form:
        one = np.ones_like(stops.lasts)
        reached, next_ = model.discount(values, one, stops.lasts), model.discount(values, one, stops.lasts + 1)
        total = total + _contribution(reached, next_, stops.session_stops, stops.session_ends)
    return total


def _contribution(here: Numbers, beyond: Numbers, stopped: Numbers, ended: Numbers) -> Numbers:
    """What places contribute at which so many stopped and so many ended."""
    with np.errstate(divide="ignore", invalid="ignore"):
        left, came = np.log(here - beyond), np.log(here)
        many, more = stopped[:, None, :], ended[:, None, :]
        both = np.where(many > 0, many * left, 0.0) + np.where(more > 0, more * came, 0.0)
    found: Numbers = np.where(np.isnan(both), -np.inf, both).sum(axis=-1)
    return found


CRITERIA = ("TSE", "TAE", "KL")


@dataclass(frozen=True, eq=False)
class Looked:
    """Counts of looks, of some draws.

    Parameters
    ----------
    counts
        (draws, ranks, query positions).
    """

    counts: Numbers

    @cached_property
    def shares(self) -> Numbers:
        """The counts of each draw as shares of their sum; nan of a draw without looks, whose fit stays where it begins."""
        with np.errstate(invalid="ignore"):
            shares: Numbers = self.counts / self.counts.sum(axis=(1, 2), keepdims=True)
        return shares

    @cached_property
    def edges(self) -> tuple[Numbers, Numbers]:
        """The shares of ranks, and of query positions: (draws, 1, places)."""
        return self.shares.sum(axis=2)[:, None, :], self.shares.sum(axis=1)[:, None, :]

    @cached_property
    def squares(self) -> Numbers:
        """The sum of squared shares: (draws, 1)."""
        return np.asarray((self.shares**2).sum(axis=(1, 2))[:, None])

    @cached_property
    def information(self) -> Numbers:
        """The sum of shares times their logarithms, in bits: (draws, 1)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(self.shares > 0, self.shares * np.log2(self.shares), 0.0)
        return np.asarray(each.sum(axis=(1, 2))[:, None])

    def for_model(self, model: DiscountModel) -> Looked:
        """The counts that a model speaks of: of a measure of queries those of ranks alone."""
        return self if model.query_form else Looked(self.counts.sum(axis=2, keepdims=True))

    def extended(self, ranks: int, queries: int) -> Looked:
        """The counts on another grid, cut off or with zeros added."""
        draws, have_ranks, have_queries = self.counts.shape
        made = np.zeros((draws, ranks, queries))
        rows, columns = min(ranks, have_ranks), min(queries, have_queries)
        made[:, :rows, :columns] = self.counts[:, :rows, :columns]
        return Looked(made)


def distance(criterion: str, model: DiscountModel, looked: Looked, values: Numbers) -> Numbers:
    """Distance of a discount from the counts.

    Parameters
    ----------
    criterion
        One of `CRITERIA`.
    model, looked
        The discounts and the counts of some draws.
    values
        Parameters to try with each draw: (draws, tries, parameters), or (1, tries, parameters) for all.

    Returns
    -------
    numpy.ndarray
        (draws, tries).
    """
    shares = looked.shares
    _, ranks, queries = shares.shape
    places, positions = np.arange(1.0, ranks + 1), np.arange(1.0, queries + 1)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        if model.along or criterion == "TAE":
            rows, columns = (one.ravel() for one in np.meshgrid(places, positions, indexing="ij"))
            cells = model.discount(values, rows, columns)
            return _of_cells(criterion, shares.reshape(len(shares), 1, -1), cells / cells.sum(axis=-1, keepdims=True))
        v = _of_each(model.by_rank(values, places), (*values.shape[:2], ranks))
        u = _of_each(model.by_query(values, positions), (*values.shape[:2], queries))
        v, u = v / v.sum(axis=-1, keepdims=True), u / u.sum(axis=-1, keepdims=True)
        if criterion == "KL":
            of_ranks, of_queries = looked.edges
            return np.asarray(looked.information - _weighted_log(of_ranks, v) - _weighted_log(of_queries, u))
        across = (np.matmul(v, shares) * u).sum(axis=-1)
        return np.asarray(looked.squares - 2 * across + (v**2).sum(axis=-1) * (u**2).sum(axis=-1))


def _of_each(discount: Numbers, shape: tuple[int, int, int]) -> Numbers:
    """A discount of every try; one that nothing is tried of is the same for all."""
    return discount if discount.shape == shape else np.broadcast_to(discount, shape)


def _of_cells(criterion: str, observed: Numbers, expected: Numbers) -> Numbers:
    """A distance added up over cells, the last dimension."""
    if criterion == "TSE":
        return np.asarray(((observed - expected) ** 2).sum(axis=-1))
    if criterion == "TAE":
        return np.asarray(np.abs(observed - expected).sum(axis=-1))
    return np.asarray(np.where(observed > 0, observed * np.log2(observed / expected), 0.0).sum(axis=-1))


def _weighted_log(weights: Numbers, of: Numbers) -> Numbers:
    """Sum of logarithms, each as often as its weight says."""
    return np.asarray(np.where(weights > 0, weights * np.log2(of), 0.0).sum(axis=-1))
