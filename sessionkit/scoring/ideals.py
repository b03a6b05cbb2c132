"""The best that could have been shown: recall bases in ideal order, and the ideal sums that normalised measures
divide by.
"""

from __future__ import annotations

import polars as pl

from sessionkit.scoring.fixed import fixed
from sessionkit.scoring.judging import QUERY, SESSION, Selection, gain_name, gains, session_keys, units
from sessionkit.scoring.layout import layout, require_cutoff, runs_on
from sessionkit.scoring.measures import GainMeasure
from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain
from sessionkit.scoring.measures.measure import SessionMeasure
from sessionkit.scoring.slots import best_slots
from sessionkit.study import Study


def ideal_list(study: Study, measure: GainMeasure) -> pl.LazyFrame:
    """The recall base of every key in the best order: ``key``, ``rank`` (from 1), ``gain`` (above 0, falling)."""
    name = gain_name(measure)
    base = gains(study, [measure], measure.grades).filter(pl.col(name) > 0).select("key", gain=name)
    rank = pl.col("gain").rank("ordinal", descending=True).over("key").cast(pl.Int32)
    return base.with_columns(rank=rank)


def longest_list(best: pl.LazyFrame) -> int:
    """Length of the longest of some ideal lists."""
    return best.select(pl.col("rank").max()).collect().item() or 0


def own_ideals(study: Study, measure: GainMeasure) -> tuple[pl.LazyFrame, list[str]]:
    """What each contribution of a normalised measure is divided by, and the columns that it belongs to.

    The ideal of the session for nsDCG; of the query, without its query discount, for nsDCG with ``normalize=query`` and
    for query measures.
    """
    if isinstance(measure, NormalizedSessionGain):
        if measure.normalize == "session":
            return session_ideals(study, measure), SESSION
        return query_ideals(study, measure(query_discount="none")), QUERY
    return query_ideals(study, measure), QUERY


def query_ideals(study: Study, measure: GainMeasure) -> pl.LazyFrame:
    """Ideal of every query that counts, as a fixed-scale sum: ``session_id``, ``query_position``, ``ideal`` (0 where
    nothing is relevant).

    The query's Top-k ideal list takes the query's own place: the same query discount and, with
    ``rank_origin=session``, the same slots.
    """
    places = layout(study, measure) if runs_on(measure) else units(study, Selection.of(measure))
    return places.join(_ideals_by_place(study, measure, places), on=_place(measure), how="left").select(
        *QUERY, pl.col("ideal").fill_null(0)
    )


def session_ideals(study: Study, measure: GainMeasure) -> pl.LazyFrame:
    """Ideal of every session, as a fixed-scale sum: ``session_id``, ``ideal``; sessions without any are absent."""
    if not isinstance(measure, NormalizedSessionGain):
        return query_ideals(study, measure).group_by(SESSION).agg(pl.col("ideal").sum())
    if measure.ideal == "spread":
        return _spread(study, measure)
    places = ideal_places(study, measure) if measure.ideal == "repeated" else first_query(ideal_places(study, measure))
    return (
        places.join(_ideals_by_place(study, measure, places), on=_place(measure))
        .group_by(SESSION)
        .agg(pl.col("ideal").sum())
    )


def ideal_places(study: Study, measure: GainMeasure) -> pl.LazyFrame:
    """The queries of each ideal session: the session's own, or those at positions 1 to ``ideal_queries``.

    A position that the session did not log has the session's key and a full list of slots: its own with ``slots=pad``,
    otherwise slots after the session's last.
    """
    columns = [*QUERY, "key", "size", "offset"] if measure.cutoff is not None else [*QUERY, "key"]
    own = (layout(study, measure) if measure.cutoff is not None else units(study, Selection.of(measure))).select(
        columns
    )
    if not isinstance(measure, NormalizedSessionGain) or measure.ideal_queries == "session":
        return own
    many = int(measure.ideal_queries)
    everyone = session_keys(study, Selection.of(measure))
    positions = pl.int_ranges(1, pl.lit(many + 1), dtype=pl.Int32)
    missing = everyone.with_columns(query_position=positions).explode("query_position").join(own, on=QUERY, how="anti")
    if measure.cutoff is not None:
        size = pl.lit(measure.cutoff, pl.Int64)
        if isinstance(measure, SessionMeasure) and measure.slots == "pad":
            missing = missing.with_columns(offset=(pl.col("query_position").cast(pl.Int64) - 1) * size)
        else:
            end = own.group_by(SESSION).agg(end=(pl.col("offset") + pl.col("size")).max())
            nth = pl.col("query_position").rank("ordinal").over("session_id").cast(pl.Int64) - 1
            missing = missing.join(end, on="session_id", how="left")
            missing = missing.with_columns(offset=pl.col("end").fill_null(0) + nth * size)
        missing = missing.with_columns(size=size)
    return pl.concat([own.filter(pl.col("query_position") <= many), missing.select(columns)])


def _place(measure: GainMeasure) -> list[str]:
    """The columns that an ideal list's discounted sum depends on."""
    if measure.level == "query":
        return ["key"]
    return ["key", "query_position", *(["offset"] if runs_on(measure) else [])]


def _ideals_by_place(study: Study, measure: GainMeasure, places: pl.LazyFrame) -> pl.LazyFrame:
    """Discounted sum of each distinct ideal list at each distinct place."""
    best = ideal_list(study, measure)
    if measure.cutoff is not None:
        best = best.filter(pl.col("rank") <= measure.cutoff)
    distinct = places.select(_place(measure)).unique()
    return (
        distinct.join(best, on="key")
        .group_by(_place(measure))
        .agg(ideal=fixed(measure.contribution(pl.col("gain"))).sum())
    )


def first_query(places: pl.LazyFrame) -> pl.LazyFrame:
    """The one perfect query of an ideal session: its first, with its key, in the place of query 1."""
    first = places.filter(pl.col("query_position") == pl.col("query_position").min().over("session_id"))
    return first.with_columns(query_position=pl.lit(1, pl.Int32), offset=pl.lit(0, pl.Int64))


def _spread(study: Study, measure: NormalizedSessionGain) -> pl.LazyFrame:
    """The best documents once each, the best of them in the slots that count most; per key where a session has
    several.
    """
    if runs_on(measure):
        require_cutoff(measure)
    return spread_ideals(study, measure, every_prefix=False).group_by(SESSION).agg(pl.col("ideal").sum())


def spread_ideals(study: Study, measure: GainMeasure, *, every_prefix: bool) -> pl.LazyFrame:
    """Totals of the best documents in the best slots: ``session_id``, ``key``, ``slot`` (the prefix's last),
    ``ideal``.
    """
    best = ideal_list(study, measure)
    longest = longest_list(best)
    shaped, slots = best_slots(measure, ideal_slots(study, measure, longest), longest, every_prefix=every_prefix)
    totals = (
        shaped.select("key", "shape")
        .unique()
        .join(best.rename({"rank": "nth"}), on="key")
        .join(slots, on=["shape", "nth"])
        .group_by("key", "shape", "slot")
        .agg(ideal=fixed(measure.contribution(pl.col("gain"))).sum())
    )
    return shaped.join(totals, on=["key", "shape"]).select("session_id", "key", "slot", "ideal")


def ideal_slots(study: Study, measure: GainMeasure, longest: int) -> pl.LazyFrame:
    """Every slot of each ideal session.

    Parameters
    ----------
    longest
        Number of documents in the longest recall base: no query needs more slots.

    Returns
    -------
    polars.LazyFrame
        ``session_id``, ``key``, ``query_position``, ``rank``, ``offset`` and ``slot``: its place in the session's
        concatenation. Of a query whose list occupies fewer slots than the ideal list has ranks, the rest of the ideal
        stands on the query's last slot, so that a curve ends at the session's value.
    """
    ranks = pl.int_ranges(1, min(measure.cutoff or longest, longest) + 1, dtype=pl.Int32)
    places = ideal_places(study, measure)
    if measure.cutoff is None:
        places = places.with_columns(offset=pl.lit(0, pl.Int64), size=pl.lit(longest, pl.Int64))
        start = (pl.col("query_position").cast(pl.Int64) - 1) * longest
    else:
        start = pl.col("offset")
    end = (start + pl.col("size")).max().over("session_id")
    at = pl.min_horizontal(pl.col("rank").cast(pl.Int64), pl.max_horizontal("size", pl.lit(1, pl.Int64)))
    slots = places.with_columns(start=start, end=end, rank=ranks).explode("rank", empty_as_null=False)
    # an ideal whose queries occupy no slot at all stands on the session's first
    slot = pl.max_horizontal(pl.min_horizontal(pl.col("start") + at, pl.col("end")), pl.lit(1, pl.Int64))
    return slots.select("session_id", "key", "query_position", "rank", "offset", slot=slot)
