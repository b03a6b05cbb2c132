"""The best that could have been shown, slot by slot: ideal lists and sessions, and the gain of concatenated lists beside them."""

from __future__ import annotations

from bisect import insort
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch, gain_name
from sessionkit.scoring.exact import fixed
from sessionkit.scoring.filter import counted_rows, gaining_rows, session_keys, shown, units
from sessionkit.scoring.histogram import require_numbers
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.study.numbering import placed, repeated


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
        ideals = session_ideals(batch, [measure])[measure]
        return batch.sessions.select("session", ideal=ideals), "session"
    return query_ideals(batch, measure.without_query_discount()), "query"


def query_ideals(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Ideal of every query that counts, as a fixed-scale sum: ``query``, ``session``, ``ideal`` (0 where nothing is
    relevant), in order.

    The query's Top-k ideal list takes the query's own place: the same query discount and, with
    ``rank_origin=session``, the same slots.
    """
    ideals = _with_ideals(batch, [measure], _query_places(batch, measure))
    return ideals.select("query", "session", ideal=str(measure))


def session_ideals(batch: SessionBatch, measures: Iterable[GainMeasure]) -> dict[GainMeasure, pl.Series]:
    """Ideal of every session of the batch, in order, as a fixed-scale sum; null or 0 for sessions without any.

    Measures that differ only in their discounts share one pass over the queries of the ideal sessions.
    """
    groups: dict[Hashable, list[GainMeasure]] = {}
    for measure in measures:
        layout_of = (measure.session_ideal, measure.ideal_length, measure.list_slots, measure.ranks_along_session)
        groups.setdefault((measure.selection, gain_name(measure), *layout_of), []).append(measure)
    ideals: dict[GainMeasure, pl.Series] = {}
    for group in groups.values():
        kind = group[0].session_ideal
        if kind == "spread":  # where the documents go depends on the discounts
            several = [(measure, _spread(batch, measure), "ideal") for measure in group]
        else:
            places = _query_places(batch, group[0]) if kind is None else ideal_places(batch, group[0])
            places = first_query(places) if kind == "once" else places
            added = _with_ideals(batch, group, places).group_by("session")
            sums = added.agg(pl.col(str(measure)).sum() for measure in group)
            several = [(measure, sums, str(measure)) for measure in group]
        for measure, sums, column in several:
            ideals[measure] = placed(sums[column], sums["session"], len(batch.sessions))
    return ideals


def _query_places(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """The queries that count, with their slots where ranks run on along the session."""
    return layout(batch, measure) if measure.ranks_along_session else units(batch, measure.selection)


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


def _with_ideals(batch: SessionBatch, measures: Sequence[GainMeasure], places: pl.DataFrame) -> pl.DataFrame:
    """Give each place the discounted sum of its key's ideal list there, in a column for each measure by its text.

    The measures differ only in their discounts. Equal places are worked out once.
    """
    measure = measures[0]
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
    added = [fixed(each.contribution(pl.col("gain"))).sum().alias(str(each)) for each in measures]
    ideals = distinct.join(best, on="key").group_by(of).agg(added)
    found = places.join(ideals, on=of, how="left", maintain_order="left")
    return found.drop("place").with_columns(pl.col(ideals.columns[len(of) :]).fill_null(0))


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


def session_vectors(batch: SessionBatch, measure: Measure) -> pl.DataFrame:
    """Cumulated sums of every session along its concatenated lists.

    Parameters
    ----------
    measure
        A session measure with a cutoff; of nsDCG with the ideal it names, of sDCG with the repeated one.

    Returns
    -------
    polars.DataFrame
        ``session``, ``slot`` (1, 2, 3... without holes), ``query_position`` and ``rank`` (null in a slot of no logged
        query), ``total`` and ``ideal`` (cumulated, at the fixed scale), ``own`` (the session's own last slot), ``end``
        (the last slot here), in the order of sessions and slots. With ``normalize=query`` the total is that of the queries'
        own normalized vectors, each times its query discount (ECIR 2008, section 2.2), and the ideal that of these
        discounts. Where the ideal has more queries than the session, the session's total is held; where it has fewer, the
        ideal is. Sessions that occupy no slot have no row.

    Raises
    ------
    MeasureError
        If the measure is not one of whole sessions, has no cutoff, or has no curve.
    """
    measure = require_curve(measure)
    places = layout(batch, measure)
    extents = _extents(batch, measure, places)
    end = extents["end"]
    start = end.cum_sum() - end  # the row at which each session begins
    many = int(end.sum())
    session = repeated(extents["session"], end)
    slot = (pl.int_range(many, dtype=pl.Int64, eager=True) - repeated(start, end) + 1).cast(pl.Int32)
    lists = _lists(places, start)
    at = lists["at"]
    if measure.normalized_by_query:
        gains, ideals = _shares_by_row(batch, measure, start)
    else:
        gains, ideals = _gains_by_row(batch, measure, places, start), _ideals_by_row(batch, measure, start, end)
    total, ideal = _scattered(many, gains), _scattered(many, ideals)
    own, ends = repeated(extents["own"], end), repeated(end, end)
    position, rank = (placed(lists[name], at, many) for name in ("query_position", "rank"))
    vectors = pl.DataFrame(
        [
            session.alias("session"),
            slot.alias("slot"),
            position.alias("query_position"),
            rank.alias("rank"),
            own.alias("own"),
            ends.alias("end"),
            total.alias("total"),
            ideal.alias("ideal"),
        ]
    )
    return vectors.with_columns(_running("total"), _running("ideal"))


def require_curve(measure: Measure) -> GainMeasure:
    """Return the measure if it has a curve, or say what to ask for instead."""
    if not isinstance(measure, GainMeasure) or measure.level != "session":
        msg = f"{measure} has no curve along the session; ask for a session measure such as sDCG@10, or see: sessionkit breakdown"
        raise MeasureError(msg)
    if measure.normalized_by_query and measure.list_slots != "pad":
        msg = f"{measure} divides each list by its own ideal, which takes as many slots as the cutoff; leave out slots={measure.list_slots}"
        raise MeasureError(msg)
    require_cutoff(measure)
    return measure


def rank_vectors(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Cumulated sums of every query down its list.

    Returns
    -------
    polars.DataFrame
        ``query``, ``session``, ``query_position``, ``key``, ``rank`` (1 to the cutoff), ``total`` (cumulated, at the fixed scale) and,
        of a normalized measure, ``ideal``: that of the query's own best list, without its query discount; of a session measure
        also ``offset`` (slots before the query). In order.
    """
    queries = layout(batch, measure) if measure.level == "session" else units(batch, measure.selection)
    ranks = pl.int_ranges(1, pl.lit(measure.cutoff, pl.Int32) + 1, dtype=pl.Int32)
    places = queries.with_columns(rank=ranks).explode("rank", empty_as_null=False)
    rows = with_offsets(batch, gaining_rows(batch, measure), measure)
    require_numbers(measure, rows)
    gained = rows.select("query", "rank", total=exact.fixed(measure.contribution(pl.col("gain"))))
    built = places.join(gained, on=["query", "rank"], how="left", maintain_order="left")
    sums = ["total"]
    if measure.normalized:
        best = ideal_list(batch, measure).rename({"gain": "best"})
        ideal = exact.fixed(measure.without_query_discount().contribution(pl.col("best")))
        built = built.join(best, on=["key", "rank"], how="left", maintain_order="left").with_columns(ideal=ideal)
        sums.append("ideal")
    filled = built.with_columns(pl.col(sums).fill_null(0))
    return filled.with_columns(_running(name, "rank") for name in sums)


def _extents(batch: SessionBatch, measure: GainMeasure, places: pl.DataFrame) -> pl.DataFrame:
    """Of every session its ``own`` last slot and the ``end``: that of its ideal too."""
    end = (pl.col("offset") + pl.col("size")).max()
    sessions = batch.sessions.select("session")
    for name, laid_out in (("own", places), ("end", ideal_places(batch, measure))):
        ends = laid_out.group_by("session").agg(end.alias(name))
        sessions = sessions.join(ends, on="session", how="left", maintain_order="left")
    return sessions.with_columns(pl.col("own").fill_null(0)).with_columns(end=pl.max_horizontal("own", "end"))


def _lists(places: pl.DataFrame, start: pl.Series) -> pl.DataFrame:
    """The slots of every query: ``at`` (the row), ``query_position`` and ``rank``."""
    size = places["size"]
    first = (size.cum_sum() - size).cast(pl.Int64)
    rank = pl.int_range(int(size.sum()), dtype=pl.Int64, eager=True) - repeated(first, size)
    begins = start.gather(places["session"]) + places["offset"]
    return pl.DataFrame(
        {
            "at": repeated(begins, size) + rank,
            "query_position": repeated(places["query_position"], size),
            "rank": (rank + 1).cast(pl.Int32),
        }
    )


def _gains_by_row(batch: SessionBatch, measure: GainMeasure, places: pl.DataFrame, start: pl.Series) -> pl.DataFrame:
    """What the session's results add, at the fixed scale: ``at`` (the row), ``added``."""
    rows = gaining_rows(batch, measure)
    rows = with_offsets(batch, rows, measure)
    require_numbers(measure, rows)
    offset = placed(places["offset"], places["query"], len(batch.queries)).gather(rows["query"])
    at = start.gather(rows["session"]) + offset + rows["rank"] - 1
    added = exact.fixed(measure.contribution(pl.col("gain")))
    return rows.select(at=at, added=added).drop_nulls()


def _ideals_by_row(batch: SessionBatch, measure: GainMeasure, start: pl.Series, end: pl.Series) -> pl.DataFrame:
    """What the ideal adds, at the fixed scale: ``at`` (the row), ``added``."""
    kind = measure.session_ideal
    if kind == "spread":
        totals = spread_ideals(batch, measure, every_prefix=True).group_by("session", "key", "slot")
        added = totals.agg(pl.col("ideal").max()).sort("session", "key", "slot")
        before = pl.col("ideal").shift(1).over("session", "key").fill_null(0)
        added = added.with_columns(pl.col("ideal") - before)
    else:
        best = ideal_list(batch, measure)
        slots = ideal_slots(batch, measure, longest_list(best))
        if kind == "once":
            slots = first_query(slots)
        worth = exact.fixed(measure.contribution(pl.col("gain")))
        added = slots.join(best, on=["key", "rank"]).with_columns(ideal=worth)
    # an ideal on the first slot of a session that has none stands nowhere
    added = added.filter(pl.col("slot") <= end.gather(added["session"]))
    return added.select(at=start.gather(added["session"]) + added["slot"] - 1, added="ideal")


def _shares_by_row(batch: SessionBatch, measure: GainMeasure, start: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What the queries' own normalized vectors add, and their query discounts, at the fixed scale: ``at`` (the row), ``added``."""
    vectors = rank_vectors(batch, measure)
    share = exact.fixed(exact.quotient(pl.col("total"), pl.col("ideal"))).fill_null(0)
    at = start.gather(vectors["session"]) + vectors["offset"] + vectors["rank"] - 1
    first = pl.col("rank") == 1
    before = pl.when(~first).then(pl.col("share").shift(1)).otherwise(0)
    steps = vectors.with_columns(share=share, at=at)
    gained = steps.select("at", added=pl.col("share") - before)
    reached = steps.filter(first & (pl.col("ideal") > 0))
    return gained, reached.select("at", added=exact.fixed(measure.query_discount_factor()))


def _scattered(many: int, rows: pl.DataFrame) -> pl.Series:
    """A column of so many rows with what is added at each, 0 where nothing is."""
    at, added = rows["at"], rows["added"]
    if at.n_unique() < len(at):
        once = rows.group_by("at").agg(pl.col("added").sum())
        at, added = once["at"], once["added"]
    return placed(added, at, many).fill_null(0)


def _running(name: str, place: str = "slot") -> pl.Expr:
    """Running total within each session, or list, whose rows stand in the order of this place, which begins with 1.

    One pass over all rows, less what had come before the first: the sums are integers, so nothing is lost.
    """
    through = pl.col(name).cum_sum()
    before = pl.when(pl.col(place) == 1).then(through - pl.col(name)).forward_fill()
    return (through - before).alias(name)
