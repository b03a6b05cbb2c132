"""Concatenated Top-X lists: the cumulated gain of a session, and of its ideal, after every slot."""

from __future__ import annotations

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.gain_histogram import require_numbers
from sessionkit.scoring.ideals import first_query, ideal_list, ideal_places, ideal_slots, longest_list, spread_ideals
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.results_filter import gaining_rows, units
from sessionkit.scoring.slots import layout, require_cutoff, with_offsets
from sessionkit.study.row_index import placed, repeated


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
