"""The stopping likelihood: how probable it is that searchers leave lists and sessions where they did.

A discount V is taken as the share of searchers who come to a place, V(1) = 1. A list that was left at rank m contributes
V(m) - V(m + 1), one that ended there V(m); a session in the same way with the discount of query positions. With sRBP
this is the likelihood of its searcher's path, (bp)^(results - lists) (p (1 - b))^(lists - sessions) (1 - p)^sessions,
which is largest at p = 1 - sessions / results and b = (results - lists) / (results - sessions) where nothing is censored.

Where ranks are discounted along the session, the share of the searchers of query q who come to rank m is D(m, q) / D(1, q),
and the share of sessions that come to query q is D(1, q).
"""

from __future__ import annotations

import numpy as np

from sessionkit.analysis.calibrate.counts import Stops
from sessionkit.analysis.calibrate.factors import Numbers
from sessionkit.analysis.calibrate.models import DiscountModel


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
