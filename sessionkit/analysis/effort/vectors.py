"""Cumulated gain and ideal of every list, or session, of a block, place by place, with how much was read up to there."""

from __future__ import annotations

import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.curves import session_vectors
from sessionkit.scoring.ideals import ideal_list
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.base import GainMeasure
from sessionkit.scoring.results_filter import gaining_rows, sessions_with_judgments, units


def unit_vectors(block: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Cumulated sums of every unit that has judgments: sessions of a session measure, lists of one of queries.

    Returns
    -------
    polars.DataFrame
        ``unit``, ``session``, ``slot``, ``total``, ``ideal`` (cumulated, at the fixed scale), ``documents`` and
        ``queries`` (read up to this place; null beyond the unit's own end), ``length`` (results that the unit shows within
        the cutoff).
    """
    vectors = _sessions(block, measure) if measure.level == "session" else _lists(block, measure)
    return vectors.select("unit", "session", "slot", "total", "ideal", "documents", "queries", "length")


def _lengths(block: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """The lists that count: ``query``, ``session``, ``key``, ``length`` and ``before`` (results of the session's earlier
    lists).
    """
    lists = Lists(block, measure.selection).queries.select("query", "session", "key", "length")
    before = (pl.col("length").cum_sum() - pl.col("length")).over("session")
    return lists.with_columns(before=before)


def _sessions(block: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Vectors of sessions."""
    known = sessions_with_judgments(block, measure.selection)
    vectors = session_vectors(block, measure)
    vectors = vectors.filter(known.gather(vectors["session"]))
    lengths = _lengths(block, measure)
    places = lengths.with_columns(block.queries["query_position"].gather(lengths["query"]))
    places = places.select("session", "query_position", "before", "length")
    whole = lengths.group_by("session").agg(pl.col("length").sum().alias("shown"))
    found = vectors.join(places, on=["session", "query_position"], how="left", maintain_order="left")
    found = found.join(whole, on="session", how="left", maintain_order="left")
    own = pl.col("slot") <= pl.col("own")
    return found.with_columns(
        unit="session",
        documents=pl.when(own).then(pl.col("before") + pl.min_horizontal(pl.col("rank"), pl.col("length"))),
        queries=pl.when(own).then(pl.col("query_position")).cast(pl.Int64),
        length=pl.col("shown").fill_null(0),
    )


def _lists(block: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Vectors of lists."""
    lists = _lengths(block, measure).filter(pl.col("key").is_not_null())
    cutoff = int(measure.cutoff or 0)
    slots = pl.int_ranges(1, pl.lit(cutoff, pl.Int32) + 1, dtype=pl.Int32)
    places = lists.with_columns(slot=slots).explode("slot", empty_as_null=False)
    gained = gaining_rows(block, measure).select(
        "query", slot=pl.col("rank").cast(pl.Int32), total=exact.fixed(measure.contribution(pl.col("gain")))
    )
    best = ideal_list(block, measure).filter(pl.col("rank") <= cutoff)
    best = best.select("key", "rank", ideal=exact.fixed(measure.contribution(pl.col("gain"))))
    best = best.rename({"rank": "slot"})
    found = places.join(gained, on=["query", "slot"], how="left", maintain_order="left")
    found = found.join(best, on=["key", "slot"], how="left", maintain_order="left")
    sums = [pl.col(name).fill_null(0).cum_sum().over("query") for name in ("total", "ideal")]
    own = pl.col("slot") <= pl.col("length")
    return found.with_columns(
        *sums,
        unit="query",
        documents=pl.when(own).then(pl.col("slot")).cast(pl.Int64),
        queries=pl.when(own).then(1).cast(pl.Int64),
    )


def plateaus(block: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Where the ideal of every unit stops rising: ``unit``, ``plateau`` (documents that gain in the recall base of its
    key; of a session the key of its first list).
    """
    best = ideal_list(block, measure).group_by("key").agg(plateau=pl.col("rank").max().cast(pl.Int64))
    of = units(block, measure.selection).filter(pl.col("key").is_not_null())
    if measure.level == "session":
        of = of.sort("query").unique("session", keep="first", maintain_order=True)
    name = "session" if measure.level == "session" else "query"
    found = of.select(pl.col(name).alias("unit"), "key").join(best, on="key", how="inner")
    return found.select("unit", "plateau")
