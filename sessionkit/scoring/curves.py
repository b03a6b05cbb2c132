"""Concatenated Top-X lists: the cumulated gain of a session, and of its ideal, after every slot."""

from __future__ import annotations

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring import fixed
from sessionkit.scoring.ideals import first_query, ideal_list, ideal_places, ideal_slots, longest_list, spread_ideals
from sessionkit.scoring.judging import QUERY, Selection, gain_name, judged_rows
from sessionkit.scoring.layout import layout, require_cutoff, with_offsets
from sessionkit.scoring.measures import GainMeasure, Measure
from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain
from sessionkit.study import Study

SLOT = ["session_id", "slot"]


def session_vectors(study: Study, measure: Measure) -> pl.LazyFrame:
    """Cumulated sums of every session along its concatenated lists.

    Parameters
    ----------
    measure
        A session measure with a cutoff; of nsDCG with the ideal it names, of sDCG with the repeated one.

    Returns
    -------
    polars.LazyFrame
        ``session_id``, ``slot`` (1, 2, 3... without holes), ``query_position`` and ``rank`` (null in a slot of no logged
        query), ``total`` and ``ideal`` (cumulated, at the fixed scale), ``own`` (the session's own last slot), ``end``
        (the last slot here), in the order of sessions and slots. Where the ideal has more queries than the session, the
        session's total is held; where it has fewer, the ideal is. Sessions that occupy no slot have no row.

    Raises
    ------
    MeasureError
        If the measure is not one of whole sessions, has no cutoff, or has no curve.
    """
    measure = require_curve(measure)
    places = layout(study, measure)
    end = (pl.col("offset") + pl.col("size")).max()
    own = places.group_by("session_id").agg(own=end)
    ends = ideal_places(study, measure).group_by("session_id").agg(end=end).join(own, on="session_id", how="left")
    ends = ends.with_columns(pl.col("own").fill_null(0)).with_columns(end=pl.max_horizontal("own", "end"))
    slots = pl.int_ranges(1, pl.col("end") + 1, dtype=pl.Int32)
    every = ends.sort("session_id").with_columns(slot=slots).explode("slot", empty_as_null=False)
    rows = with_offsets(study, judged_rows(study, Selection.of(measure), [measure]), measure)
    gained = rows.select(*QUERY, "rank", total=fixed.fixed(measure.contribution(pl.col(gain_name(measure)))))
    vectors = (
        every.join(_slots(places), on=SLOT, how="left", maintain_order="left")
        .join(gained, on=[*QUERY, "rank"], how="left", maintain_order="left")
        .join(_ideal_by_slot(study, measure), on=SLOT, how="left", maintain_order="left")
    )
    running = {name: _running(pl.col(name).fill_null(0)) for name in ("total", "ideal")}
    return vectors.select(*SLOT, "query_position", "rank", "own", "end", **running)


def _running(added: pl.Expr) -> pl.Expr:
    """Running total within each session, of rows in the order of sessions and slots.

    One pass over all rows, less what had come before the session's first: the sums are integers, so nothing is lost.
    """
    through = added.cum_sum()
    before = pl.when(pl.col("slot") == 1).then(through - added).forward_fill()
    return through - before


def require_curve(measure: Measure) -> GainMeasure:
    """Return the measure if it has a curve, or say what to ask for instead."""
    if not isinstance(measure, GainMeasure) or measure.level != "session":
        msg = f"{measure} has no curve along the session; ask for a session measure such as sDCG@10, or see: sessionkit breakdown"
        raise MeasureError(msg)
    if isinstance(measure, NormalizedSessionGain) and measure.normalize == "query":
        msg = f"{measure} divides query by query and has no curve along the session; leave out normalize=query"
        raise MeasureError(msg)
    require_cutoff(measure)
    return measure


def _slots(places: pl.LazyFrame) -> pl.LazyFrame:
    """One row per slot of each query: ``session_id``, ``slot``, ``query_position``, ``rank``."""
    ranks = pl.int_ranges(1, pl.col("size") + 1, dtype=pl.Int32)
    exploded = places.with_columns(rank=ranks).explode("rank", empty_as_null=False)
    return exploded.select(
        "session_id",
        slot=(pl.col("offset") + pl.col("rank")).cast(pl.Int32),
        query_position="query_position",
        rank="rank",
    )


def _ideal_by_slot(study: Study, measure: GainMeasure) -> pl.LazyFrame:
    """What the ideal adds at each slot of the session, as a fixed-scale sum: ``session_id``, ``slot``, ``ideal``."""
    kind = measure.ideal if isinstance(measure, NormalizedSessionGain) else "repeated"
    if kind == "spread":
        totals = spread_ideals(study, measure, every_prefix=True).sort("slot")
        before = pl.col("ideal").shift(1).over("session_id", "key", order_by="slot").fill_null(0)
        added = (
            totals.group_by("session_id", "key", "slot")
            .agg(pl.col("ideal").max())
            .with_columns(pl.col("ideal") - before)
        )
    else:
        best = ideal_list(study, measure)
        slots = ideal_slots(study, measure, longest_list(best))
        if kind == "once":
            slots = first_query(slots)
        worth = fixed.fixed(measure.contribution(pl.col("gain")))
        added = slots.join(best, on=["key", "rank"]).with_columns(ideal=worth)
    return added.group_by(SLOT).agg(pl.col("ideal").sum()).with_columns(pl.col("slot").cast(pl.Int32))
