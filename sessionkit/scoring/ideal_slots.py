"""The slots of an ideal session in the order of their worth, for ideals that spread the best documents over them."""

from __future__ import annotations

from bisect import insort

import polars as pl

from sessionkit.scoring.measures.base import GainMeasure

WHOLE_SESSION = 0
"""Prefix number that stands for all slots of a session."""


def best_slots(
    measure: GainMeasure, places: pl.DataFrame, longest: int, *, every_prefix: bool = False
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Find the best slots of every distinct sequence of queries.

    Parameters
    ----------
    places
        The slots of each ideal session: ``session``, ``key``, ``query_position``, ``rank``, ``offset`` and
        ``slot`` (order of time).
    longest
        Number of documents in the longest recall base; no ideal needs more slots.
    every_prefix
        Also for the slots up to each that changes the choice, instead of only for the whole session.

    Returns
    -------
    tuple of polars.DataFrame
        First ``session``, ``key``, ``shape``: the sequence that each session's slots of a key form. Then per
        ``shape`` and ``slot`` (the last of the prefix, `WHOLE_SESSION` for all) the best slots, best first: ``nth``
        (from 1), ``query_position``, ``rank``, ``offset``.
    """
    sequence = pl.struct("slot", "query_position", "rank", "offset").sort_by("slot")
    sessions = places.filter(pl.col("key").is_not_null()).group_by("session", "key").agg(slots=sequence)
    shapes = sessions.select(pl.col("slots").unique(maintain_order=True)).with_row_index("shape")
    slots = shapes.explode("slots").unnest("slots").with_columns(worth=measure.contribution(pl.lit(1.0)))
    if every_prefix:
        chosen = (
            pl.concat([_prefixes(shape, longest) for shape in slots.partition_by("shape")])
            if len(slots)
            else slots.with_columns(nth=1)
        )
    else:
        nth = pl.col("worth").rank("ordinal", descending=True).over("shape")
        chosen = slots.with_columns(nth=nth, slot=pl.lit(WHOLE_SESSION, pl.Int64)).filter(pl.col("nth") <= longest)
    columns = ["shape", "slot", pl.col("nth").cast(pl.Int32), "query_position", "rank", "offset"]
    return sessions.join(shapes, on="slots").select("session", "key", "shape"), chosen.select(columns)


def _prefixes(slots: pl.DataFrame, longest: int) -> pl.DataFrame:
    """The best slots among the first 1, 2, 3... slots of one shape, for each prefix that changes them."""
    best: list[tuple[float, int]] = []
    after: dict[int, list[int]] = {}
    for place, (slot, worth) in enumerate(slots.select("slot", "worth").iter_rows()):
        if len(best) < longest or (longest and -best[-1][0] < worth):
            insort(best, (-worth, place))
            del best[longest:]
            after[slot] = [at for _, at in best]
    chosen = [place for best_places in after.values() for place in best_places]
    nth = [place for best_places in after.values() for place in range(1, len(best_places) + 1)]
    last = [slot for slot, best_places in after.items() for _ in best_places]
    return slots[chosen].with_columns(slot=pl.Series(last, dtype=pl.Int64), nth=pl.Series(nth, dtype=pl.Int64))
