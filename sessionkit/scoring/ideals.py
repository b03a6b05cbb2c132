"""The best that could have been shown: recall bases in ideal order, and the ideal sums that normalized measures
divide by.
"""

from __future__ import annotations

import polars as pl

from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.exact import fixed
from sessionkit.scoring.measures.base import GainMeasure
from sessionkit.scoring.results_filter import session_keys, units
from sessionkit.scoring.slots import best_slots, layout, require_cutoff


def ideal_list(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """The recall base of every key in the best order: ``key``, ``rank`` (from 1), ``gain`` (above 0, falling)."""
    return batch.base(measure.grades).ideal_list(measure)


def longest_list(best: pl.DataFrame) -> int:
    """Length of the longest of some ideal lists."""
    longest = best.get_column("rank").max()
    return longest if isinstance(longest, int) else 0


def own_ideals(batch: SessionBatch, measure: GainMeasure) -> tuple[pl.DataFrame, str]:
    """What each contribution of a normalized measure is divided by, and the column that it belongs to.

    The ideal of the session for nsDCG; of the query, without its query discount, for nsDCG with ``normalize=query`` and
    for query measures.
    """
    if measure.normalized_by_session:
        return session_ideals(batch, measure), "session"
    return query_ideals(batch, measure.without_query_discount()), "query"


def query_ideals(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Ideal of every query that counts, as a fixed-scale sum: ``query``, ``session``, ``ideal`` (0 where nothing is
    relevant), in order.

    The query's Top-k ideal list takes the query's own place: the same query discount and, with
    ``rank_origin=session``, the same slots.
    """
    places = layout(batch, measure) if measure.ranks_along_session else units(batch, measure.selection)
    return _with_ideals(batch, measure, places).select("query", "session", "ideal")


def session_ideals(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Ideal of every session, as a fixed-scale sum: ``session``, ``ideal``; sessions without any are absent or 0."""
    if measure.session_ideal is None:
        places = query_ideals(batch, measure)
    elif measure.session_ideal == "spread":
        return _spread(batch, measure)
    elif measure.session_ideal == "repeated":
        places = _with_ideals(batch, measure, ideal_places(batch, measure))
    else:
        places = _with_ideals(batch, measure, first_query(ideal_places(batch, measure)))
    return places.group_by("session").agg(pl.col("ideal").sum())


def ideal_places(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """The queries of each ideal session: the session's own, or those at positions 1 to ``ideal_queries``.

    A position that the session did not log has the session's key and a full list of slots: its own with ``slots=pad``,
    otherwise slots after the session's last.
    """
    columns = ["session", "query_position", "key", *(["size", "offset"] if measure.cutoff is not None else [])]
    laid_out = layout(batch, measure) if measure.cutoff is not None else units(batch, measure.selection)
    own = laid_out.select(columns)
    many = measure.ideal_length
    if many is None:
        return own
    place = ["session", "query_position"]
    positions = pl.DataFrame({"query_position": pl.int_range(1, many + 1, dtype=pl.Int32, eager=True)})
    missing = session_keys(batch, measure.selection).join(positions, how="cross").join(own, on=place, how="anti")
    if measure.cutoff is not None:
        size = pl.lit(measure.cutoff, pl.Int64)
        if measure.list_slots == "pad":
            missing = missing.with_columns(offset=(pl.col("query_position").cast(pl.Int64) - 1) * size)
        else:
            end = own.group_by("session").agg(end=(pl.col("offset") + pl.col("size")).max())
            nth = pl.col("query_position").rank("ordinal").over("session").cast(pl.Int64) - 1
            missing = missing.join(end, on="session", how="left")
            missing = missing.with_columns(offset=pl.col("end").fill_null(0) + nth * size)
        missing = missing.with_columns(size=size)
    return pl.concat([own.filter(pl.col("query_position") <= many), missing.select(columns)])


def _with_ideals(batch: SessionBatch, measure: GainMeasure, places: pl.DataFrame) -> pl.DataFrame:
    """Give each place the discounted sum of its key's ideal list there (``ideal``), worked out once for equal places."""
    best = ideal_list(batch, measure)
    if measure.cutoff is not None:
        best = best.filter(pl.col("rank") <= measure.cutoff)
    if measure.level == "query":
        place = pl.col("key").cast(pl.UInt64)
    else:
        place = pl.col("key").cast(pl.UInt64) * 2**32 + pl.col("query_position").cast(pl.UInt64)
    places = places.with_columns(place=place)
    of = ["place", *(["offset"] if measure.ranks_along_session else [])]
    distinct = places.select(*of, "key", "query_position").drop_nulls().unique(of)
    ideals = distinct.join(best, on="key").group_by(of).agg(ideal=fixed(measure.contribution(pl.col("gain"))).sum())
    found = places.join(ideals, on=of, how="left", maintain_order="left")
    return found.drop("place").with_columns(pl.col("ideal").fill_null(0))


def first_query(places: pl.DataFrame) -> pl.DataFrame:
    """The one perfect query of an ideal session: its first, with its key, in the place of query 1."""
    first = places.filter(pl.col("query_position") == pl.col("query_position").min().over("session"))
    return first.with_columns(query_position=pl.lit(1, pl.Int32), offset=pl.lit(0, pl.Int64))


def _spread(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """The best documents once each, the best of them in the slots that count most; per key where a session has
    several.
    """
    if measure.ranks_along_session:
        require_cutoff(measure)
    return spread_ideals(batch, measure, every_prefix=False).group_by("session").agg(pl.col("ideal").sum())


def spread_ideals(batch: SessionBatch, measure: GainMeasure, *, every_prefix: bool) -> pl.DataFrame:
    """Totals of the best documents in the best slots: ``session``, ``key``, ``slot`` (the prefix's last),
    ``ideal``.
    """
    best = ideal_list(batch, measure)
    longest = longest_list(best)
    shaped, slots = best_slots(measure, ideal_slots(batch, measure, longest), longest, every_prefix=every_prefix)
    totals = (
        shaped.select("key", "shape")
        .unique()
        .join(best.rename({"rank": "nth"}), on="key")
        .join(slots, on=["shape", "nth"])
        .group_by("key", "shape", "slot")
        .agg(ideal=fixed(measure.contribution(pl.col("gain"))).sum())
    )
    return shaped.join(totals, on=["key", "shape"]).select("session", "key", "slot", "ideal")


def ideal_slots(batch: SessionBatch, measure: GainMeasure, longest: int) -> pl.DataFrame:
    """Every slot of each ideal session.

    Parameters
    ----------
    longest
        Number of documents in the longest recall base: no query needs more slots.

    Returns
    -------
    polars.DataFrame
        ``session``, ``key``, ``query_position``, ``rank``, ``offset`` and ``slot``: its place in the session's
        concatenation. Of a query whose list occupies fewer slots than the ideal list has ranks, the rest of the ideal
        stands on the query's last slot, so that a curve ends at the session's value.
    """
    ranks = pl.int_ranges(1, min(measure.cutoff or longest, longest) + 1, dtype=pl.Int32)
    places = ideal_places(batch, measure)
    if measure.cutoff is None:
        places = places.with_columns(offset=pl.lit(0, pl.Int64), size=pl.lit(longest, pl.Int64))
        start = (pl.col("query_position").cast(pl.Int64) - 1) * longest
    else:
        start = pl.col("offset")
    end = (start + pl.col("size")).max().over("session")
    at = pl.min_horizontal(pl.col("rank").cast(pl.Int64), pl.max_horizontal("size", pl.lit(1, pl.Int64)))
    slots = places.with_columns(start=start, end=end, rank=ranks).explode("rank", empty_as_null=False)
    # an ideal whose queries occupy no slot at all stands on the session's first
    slot = pl.max_horizontal(pl.min_horizontal(pl.col("start") + at, pl.col("end")), pl.lit(1, pl.Int64))
    return slots.select("session", "key", "query_position", "rank", "offset", slot=slot)
