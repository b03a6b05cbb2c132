"""Observed examination: of the lists at each query position, the share that was looked at down to each rank.

Of a list that ended at a rank only that much is known, so the share is Kaplan and Meier's product (1958): of the lists that
came to a rank and did not end there, those that were not left there go on to the next.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from sessionkit.analysis.calibrate.calibration import EXAMINED
from sessionkit.analysis.calibrate.counts import LookCounts


def examined(counts: LookCounts, ranks: int | None = None, queries: int | None = None) -> pl.DataFrame:
    """Return how many lists were looked at down to each rank, by query position.

    Parameters
    ----------
    counts
        What was observed.
    ranks, queries
        Last rank and query position; by default the deepest that was looked at.

    Returns
    -------
    polars.DataFrame
        ``query_position``, ``rank``, ``looks`` (lists that were looked at so far; clicks, where only these are counted),
        ``lists`` (those that did not end before; of clicks all lists), ``share``. The share is null where every list that came
        to the rank before ended there; the lists are null where a table counts clicks.
    """
    last, deepest = queries or math.inf, ranks or counts.ranks
    if counts.clicks is not None:
        return _clicked(counts.clicks, counts.lists, deepest, last)
    lists = counts.lists.group_by("query_position", "rank", "ended").agg(pl.col("many").sum())
    parts = [
        _of_position(frame, position, deepest)
        for (position,), frame in sorted(lists.partition_by("query_position", as_dict=True).items())
        if position <= last
    ]
    return pl.concat([pl.DataFrame(schema=EXAMINED), *parts])


def _of_position(lists: pl.DataFrame, position: object, ranks: int) -> pl.DataFrame:
    """The rows of one query position."""
    counts = np.zeros((2, max(ranks, int(lists["rank"].to_numpy().max())) + 1), dtype=np.int64)
    np.add.at(counts, (lists["ended"].cast(pl.Int64).to_numpy(), lists["rank"].to_numpy()), lists["many"].to_numpy())
    stops, ends = counts[0, 1:], counts[1, 1:]
    came = (stops + ends)[::-1].cumsum()[::-1]
    open_ = came - ends
    with np.errstate(invalid="ignore"):
        goes_on = 1 - stops / open_  # 0 / 0, where all ended, is not a number, and nor is any share after it
    share = np.concatenate([[1.0], goes_on.cumprod()[:-1]])
    share[np.logical_or.accumulate(share == 0)] = 0  # where nobody went on, nobody comes later
    before = came[0] - np.concatenate([[0], ends.cumsum()[:-1]])
    made = pl.DataFrame({"looks": came, "lists": before, "share": share}).head(ranks)
    places = {"query_position": pl.lit(position), "rank": pl.int_range(1, pl.len() + 1)}
    made = made.with_columns(pl.col("share").fill_nan(None), **places)
    return made.select(pl.col(name).cast(kind) for name, kind in EXAMINED.items())


def _clicked(clicks: pl.DataFrame, lists: pl.DataFrame, ranks: int, queries: float) -> pl.DataFrame:
    """Clicks at each rank as a share of all lists of the position; a table of clicks does not say how many these are."""
    keys = ["query_position", "rank"]
    looks = clicks.group_by(keys).agg(looks=pl.col("many").sum())
    known = lists.group_by("query_position").agg(lists=pl.col("many").sum())
    positions = pl.concat([looks.select("query_position"), known.select("query_position")]).unique()
    grid = positions.filter(pl.col("query_position") <= queries).join(
        pl.select(rank=pl.int_range(1, ranks + 1, dtype=pl.Int64)), how="cross"
    )
    made = grid.join(looks, on=keys, how="left").join(known, on="query_position", how="left").sort(keys)
    made = made.with_columns(pl.col("looks").fill_null(0)).with_columns(share=pl.col("looks") / pl.col("lists"))
    return made.select(pl.col(name).cast(kind) for name, kind in EXAMINED.items())
