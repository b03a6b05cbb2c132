"""The tables of a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from sessionkit.analysis.power.chances import RANGE
from sessionkit.analysis.power.finding import COMPONENTS, POWER, SMALLEST
from sessionkit.analysis.power.ladder import Rung, Smallest
from sessionkit.analysis.power.noise import Noise
from sessionkit.analysis.power.sizes import Size

EMPTY = Size(None, None, None)


def power_table(rungs: Sequence[Rung], titles: Mapping[str, str], target: float) -> pl.DataFrame:
    """Power by claim and size."""
    rows = [
        (
            rung.claim,
            titles[rung.claim],
            *vars(rung.size).values(),
            *vars(rung.chance).values(),
            rung.chance.power >= target,
        )
        for rung in rungs
    ]
    return pl.DataFrame(rows, schema=POWER, orient="row")


def smallest_table(smallest: Sequence[Smallest]) -> pl.DataFrame:
    """The smallest sizes by claim and number of topics."""
    rows = []
    for found in smallest:
        size, sure = found.size or Size(None, found.topics, None), found.sure or EMPTY
        limit = found.limit.power if found.limit is not None else None
        more = (_more(size.users, found.now.users), _more(size.topics, found.now.topics))
        rows.append(
            (found.claim, *vars(size).values(), *more, sure.users, sure.topics, sure.sessions, found.most, limit)
        )
    return pl.DataFrame(rows, schema=SMALLEST, orient="row")


def _more(then: int | None, now: int | None) -> int | None:
    """How many more it takes than there are."""
    return None if then is None or now is None else then - now


def component_table(noise: Noise) -> pl.DataFrame:
    """The components, as sds."""
    rows = []
    for name in noise.names:
        estimate, draws = noise.of(name)
        low, high = np.quantile(np.sqrt(draws), [(1 - RANGE) / 2, (1 + RANGE) / 2])
        rows.append((name, estimate**0.5, float(low), float(high)))
    return pl.DataFrame(rows, schema=COMPONENTS, orient="row")
