"""Where each query's list lies in the session's concatenation: the slots it occupies and how many come before it."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.results_filter import counted_rows, shown, units


def layout(block: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
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
    queries = units(block, measure.selection)
    slots = measure.list_slots
    if slots == "pad":
        size = pl.lit(measure.cutoff, pl.Int64)
        return queries.with_columns(size=size, offset=(pl.col("query_position").cast(pl.Int64) - 1) * size)
    # what was shown decides, however far the searcher looked; a gap in the ranks is a slot of unknown content
    every = replace(measure.selection, cutoff=None, depth="all", duplicates="all")
    rows = shown(block, every) if every.unjudged == "zero" else counted_rows(block, every)
    lengths = rows.group_by("query").agg(size=pl.min_horizontal(pl.col("rank").max(), pl.lit(measure.cutoff)))
    size = pl.col("size").fill_null(0).cast(pl.Int64)
    least = slots if isinstance(slots, int) else 0
    sized = queries.join(lengths, on="query", how="left", maintain_order="left").with_columns(
        size=pl.max_horizontal(size, pl.lit(least, pl.Int64))
    )
    return sized.with_columns(offset=(pl.col("size").cum_sum() - pl.col("size")).over("session"))


def with_offsets(block: SessionBatch, rows: pl.DataFrame, measure: GainMeasure) -> pl.DataFrame:
    """Give each row the number of slots before its query, where the measure's discount runs on along the session."""
    if not measure.ranks_along_session:
        return rows
    return rows.join(layout(block, measure).select("query", "offset"), on="query", maintain_order="left")


def require_cutoff(measure: Measure) -> None:
    """Refuse a measure without a cutoff where slots are needed."""
    if measure.cutoff is None:
        msg = f"{measure} needs a cutoff here, which says how many slots each query has; for example {measure @ 10}"
        raise MeasureError(msg)
