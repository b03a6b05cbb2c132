"""What of a measure is fitted: its discounts as the share of searchers who come to each rank of each query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from sessionkit.analysis.calibrate.factors import Free, Numbers, factor, free_of
from sessionkit.errors import MeasureError, UsageError
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
