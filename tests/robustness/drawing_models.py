"""Looks drawn from searchers who behave as a discount says."""

import numpy as np
import polars as pl

from sessionkit.robustness.calibrate_counts import PLACES, LookCounts
from sessionkit.robustness.calibrate_models import model_of


def depths(random, reach, most):
    """Draw how far searchers come who reach place i with probability reach[i - 1]: an array of `most` of them."""
    return (random.random((most, 1)) < np.asarray(reach)).sum(axis=1)


def drawn_counts(text, values, sessions, *, seed=0, length=60, users=None):
    """Sessions of searchers with this discount, each list of `length` results; as `Counted`."""
    model, random = model_of(text), np.random.Generator(np.random.PCG64(seed))
    values, places = np.array(values), np.arange(1.0, length + 1)
    queries = depths(random, model.by_query(values, places), sessions) if model.query_form else np.ones(sessions, int)
    position = np.concatenate([np.arange(1, many + 1) for many in queries])
    unit = np.repeat(np.arange(sessions) % (users or sessions), queries)
    rank = depths(random, model.by_rank(values, places), len(position))
    return counted(
        pl.DataFrame({"unit": unit, "query_position": position, "rank": rank, "ended": rank >= length}),
        pl.DataFrame(
            {"unit": np.arange(sessions) % (users or sessions), "query_position": queries, "ended": queries >= length}
        ),
    )


def counted(lists, sessions, units="users"):
    """Rows that count once each, as `Counted`."""

    def typed(frame):
        return frame.select(pl.col(name).cast(PLACES[name]) for name in frame.columns).with_columns(
            many=pl.lit(1, pl.Int64)
        )

    return LookCounts(typed(lists), typed(sessions), None, units)
