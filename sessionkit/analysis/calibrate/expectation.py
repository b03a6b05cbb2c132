"""What a fit expects: how often each rank of each query position would be looked at."""

from __future__ import annotations

import numpy as np

from sessionkit.analysis.calibrate.counts import LookCounts, Stops
from sessionkit.analysis.calibrate.factors import Numbers
from sessionkit.analysis.calibrate.models import DiscountModel


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
