"""Slots of concatenated lists: which each query's list occupies in its session, and which of an ideal session are the best."""

from __future__ import annotations

from bisect import insort
from dataclasses import replace

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.results_filter import counted_rows, shown, units

WHOLE_SESSION = 0
"""Prefix number that stands for all slots of a session."""


def layout(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Slots of each query that counts.

    Returns
    -------
    polars.DataFrame
        ``query``, ``session``, ``query_position``, ``key``, ``size`` (slots of the query; Int64) and ``offset`` (slots
        before it; Int64), in order. With ``slots=pad`` query q begins after (q - 1) x cutoff slots; otherwise after
        what the queries before it occupy.

    Raises
    ------
    MeasureError
        If the measure has no cutoff, so that a query has no definite number of slots.
    """
    require_cutoff(measure)
    queries = units(batch, measure.selection)
    slots = measure.list_slots
    if slots == "pad":
        size = pl.lit(measure.cutoff, pl.Int64)
        return queries.with_columns(size=size, offset=(pl.col("query_position").cast(pl.Int64) - 1) * size)
    # what was shown decides, however far the searcher looked; a gap in the ranks is a slot of unknown content
    every = replace(measure.selection, cutoff=None, depth="all", duplicates="all")
    rows = shown(batch, every) if every.unjudged == "zero" else counted_rows(batch, every)
    lengths = rows.group_by("query").agg(size=pl.min_horizontal(pl.col("rank").max(), pl.lit(measure.cutoff)))
    size = pl.col("size").fill_null(0).cast(pl.Int64)
    least = slots if isinstance(slots, int) else 0
    sized = queries.join(lengths, on="query", how="left", maintain_order="left").with_columns(
        size=pl.max_horizontal(size, pl.lit(least, pl.Int64))
    )
    return sized.with_columns(offset=(pl.col("size").cum_sum() - pl.col("size")).over("session"))


def with_offsets(batch: SessionBatch, rows: pl.DataFrame, measure: GainMeasure) -> pl.DataFrame:
    """Give each row the number of slots before its query, where the measure's discount runs on along the session."""
    if not measure.ranks_along_session:
        return rows
    return rows.join(layout(batch, measure).select("query", "offset"), on="query", maintain_order="left")


def require_cutoff(measure: Measure) -> None:
    """Refuse a measure without a cutoff where slots are needed."""
    if measure.cutoff is None:
        msg = f"{measure} needs a cutoff, the number of slots of each query; for example {measure @ 10}"
        raise MeasureError(msg)


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
