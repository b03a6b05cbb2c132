"""By how much each unjudged document would move the value of every session, if it alone turned out to gain the most."""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.incompleteness.kinds import best_grade, kind_of
from sessionkit.analysis.incompleteness.shares import Shares, shares
from sessionkit.analysis.incompleteness.unjudged import Unjudged
from sessionkit.scoring import fixed
from sessionkit.scoring.judging import every_gain
from sessionkit.scoring.layout import with_offsets
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures import GainMeasure, Measure, TermMeasure
from sessionkit.scoring.measures.aggregates import LAST, Aggregate
from sessionkit.scoring.selection import Selection
from sessionkit.scoring.values import query_values, session_values


def moves(unjudged: Unjudged, measure: Measure, top: float | None) -> pl.DataFrame:
    """What documents would move.

    Parameters
    ----------
    measure
        One for which `sessionkit.analysis.incompleteness.kinds.movable` holds.

    Returns
    -------
    polars.DataFrame
        ``session``, ``key`` (of the pool), ``judgment`` (null: any unjudged document of the key, also one that the
        session does not show, by raising its ideal), ``move``; only sessions, and queries, that have a score.
    """
    inner = measure.inner
    best = best_grade(inner, top)
    if kind_of(measure) == "share" and isinstance(inner, GainMeasure):
        by_unit = _of_shares(shares(unjudged, inner, best))
    else:
        by_unit = _of_sums(unjudged, inner, best)
    block = unjudged.block
    if not isinstance(measure, Aggregate):
        if inner.level == "session" and "query" in by_unit.columns:
            by_unit = by_unit.with_columns(session=block.queries["session"].gather(by_unit["query"]))
        scored = session_values(block, [measure])[measure]["value"].is_not_null()
        return by_unit.filter(scored.gather(by_unit["session"])).select("session", "key", "judgment", "move")
    values = query_values(block, [inner])[inner]
    weight = measure.weights(pl.col("value"), LAST).over("session").alias("weight")
    weights = values.select("query", "session", weight, "value").filter(pl.col("value").is_not_null())
    found = by_unit.drop("session", strict=False).join(weights, on="query", how="inner")
    return found.select("session", "key", "judgment", move=pl.col("move") * pl.col("weight")).filter(
        pl.col("move") != 0
    )


def _of_sums(unjudged: Unjudged, inner: Measure, best: float) -> pl.DataFrame:
    """Terms of unjudged results at their best: ``query``, ``key``, ``judgment``, ``move``."""
    block = unjudged.supposing(best)
    unknown = unjudged.unknown
    if isinstance(inner, GainMeasure):
        rows = every_gain(block, inner).filter(pl.col("judgment").is_not_null())
        rows = with_offsets(block, rows.filter(unknown.gather(rows["judgment"])), inner)
        found = rows.select("query", "judgment", move=inner.contribution(pl.col("gain")))
    elif isinstance(inner, TermMeasure):
        lists = Lists(block, Selection.of(inner))
        terms = inner.terms(lists)
        divisor = inner.divisor(lists)
        if divisor is not None:
            terms = terms.with_columns(term=fixed.quotient(pl.col("term"), pl.lit(divisor.gather(terms["list"]))))
        rows = lists.every.filter(pl.col("judgment").is_not_null())
        rows = rows.filter(unknown.gather(rows["judgment"]), pl.col("first")).select("list", "rank", "judgment")
        rows = rows.join(terms.select("list", "rank", "term"), on=["list", "rank"], how="inner")
        found = rows.select(lists.queries["query"].gather(rows["list"]), "judgment", move="term")
    else:
        msg = f"{inner} is no sum over results"
        raise TypeError(msg)
    key = unjudged.judged.pairs.pairs["key"].gather(found["judgment"])
    return found.with_columns(key).filter(pl.col("move") > 0)


def _of_shares(found: Shares) -> pl.DataFrame:
    """Moves of quotients: ``query`` or ``session``, ``key``, ``judgment``, ``move``.

    With N and I as they are and I' the ideal with one document more of the key, an own document of weight w moves the
    share by (N + Gw) / I' - N / I: N / I' - N / I for any document of the key, and Gw / I' for being shown.
    """
    parts, part = found.parts, found.part
    ideal, more = parts.ideals()
    sums = {"known": parts.added(parts.known), "ideal": parts.added(ideal)}
    units = {name: value[parts.unit] for name, value in sums.items()}
    table = part.with_row_index("part").with_columns(
        **{name: pl.Series(value) for name, value in units.items()}, with_one=pl.Series(units["ideal"] + more)
    )
    defined = table.filter(pl.col("ideal") > 0)
    any_ = defined.select(
        pl.col("unit").alias(found.by),
        "key",
        judgment=pl.lit(None, pl.UInt32),
        move=fixed.quotient(pl.col("known"), pl.col("with_one")) - fixed.quotient(pl.col("known"), pl.col("ideal")),
    ).filter(pl.col("move") != 0)
    gain = float(parts.heights.sum())
    own = found.own.join(defined, on="part", how="inner").select(
        pl.col("unit").alias(found.by),
        "key",
        "judgment",
        move=fixed.quotient(gain * pl.col("weight"), pl.col("with_one")),
    )
    return pl.concat([any_, own.filter(pl.col("move") > 0)])
