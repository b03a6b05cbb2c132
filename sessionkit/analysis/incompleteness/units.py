"""Score and bounds of every query, or session, of a block under any measure that has bounds.

A unit without a score (nothing is judged for its key, or nothing relevant) may have bounds all the same: those of the
score that it would have if further judgments gave it one.
"""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.incompleteness.counted import counted_bounds
from sessionkit.analysis.incompleteness.kinds import best_grade, kind_of
from sessionkit.analysis.incompleteness.means import mean_bounds
from sessionkit.analysis.incompleteness.shares import shares
from sessionkit.analysis.incompleteness.unjudged import WORST, Unjudged
from sessionkit.scoring import fixed
from sessionkit.scoring.blocks import Block
from sessionkit.scoring.measures import GainMeasure, JudgedMeasure, Measure
from sessionkit.scoring.measures.aggregates import Aggregate
from sessionkit.scoring.values import query_values, session_values

BOUNDS = ("score", "lower", "upper")


def session_bounds(unjudged: Unjudged, measure: Measure, top: float | None) -> pl.DataFrame:
    """Score and bounds of every session of a block, in order: ``score``, ``lower``, ``upper``.

    Parameters
    ----------
    measure
        One of sessions.
    top
        The best grade of the scale, see `sessionkit.analysis.incompleteness.kinds.best_grade`.
    """
    inner, block = measure.inner, unjudged.block
    kind = kind_of(measure, own_keys=block.own_keys)
    score = session_values(block, [measure])[measure]["value"].alias("score")
    if kind is None:
        nothing = pl.lit(None, pl.Float64)
        return pl.DataFrame({"score": score}).with_columns(lower=nothing, upper=nothing)
    if kind == "fixed":
        return pl.DataFrame({"score": score}).with_columns(lower="score", upper="score")
    if isinstance(measure, Aggregate):
        bounds = _aggregated(unjudged, measure, query_bounds(unjudged, inner, top))
    elif kind == "share" and isinstance(inner, GainMeasure):
        best = best_grade(inner, top)
        found = shares(unjudged, inner, best).bounds()
        bounds = block.sessions.select(unit="session").join(found, on="unit", how="left", maintain_order="left")
        bounds = bounds.select("lower", "upper")
    else:
        bounds = _all_at_once(unjudged, measure, best_grade(inner, top), "session")
    return _finished(pl.DataFrame([score, *bounds.get_columns()]), measure)


def query_bounds(unjudged: Unjudged, measure: JudgedMeasure, top: float | None) -> pl.DataFrame:
    """Score and bounds of every query that counts: ``query``, ``session``, ``query_position``, ``key`` (its number in the
    pool), ``score``, ``lower``, ``upper``.
    """
    kind = kind_of(measure)
    found = query_values(unjudged.block, [measure])[measure]
    found = found.select("query", "session", "query_position", pl.col("value").alias("score"))
    best = best_grade(measure, top) if kind else WORST
    keys = unjudged.supposing(best).queries["key"]
    found = found.with_columns(keys.gather(found["query"]))
    if kind == "share" and isinstance(measure, GainMeasure):
        bounds = shares(unjudged, measure, best).bounds().rename({"unit": "query"})
    elif kind == "counted":
        bounds = counted_bounds(unjudged, measure, best)
    elif kind is not None:
        bounds = _all_at_once(unjudged, measure, best, "query")
    else:
        bounds = found.select("query", lower=pl.lit(None, pl.Float64), upper=pl.lit(None, pl.Float64))
    found = found.join(bounds, on="query", how="left", maintain_order="left")
    return found.select("query", "session", "query_position", "key", *_finished(found, measure).get_columns())


def _all_at_once(unjudged: Unjudged, measure: Measure, best: float, by: str) -> pl.DataFrame:
    """Bounds of a measure that can only rise: its values if all that is unjudged gained nothing, or the most."""

    def value(block: Block) -> pl.DataFrame:
        if by == "session":
            return session_values(block, [measure])[measure].select("value")
        return query_values(block, [measure.inner])[measure.inner].select("query", "value")

    lower, upper = (value(unjudged.supposing(grade)) for grade in (WORST, best))
    found = lower.rename({"value": "lower"}).with_columns(upper["value"].alias("upper"))
    return found


def _finished(bounds: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """``score``, ``lower``, ``upper``: rounding never puts the score outside, and what cannot be exceeded is not."""
    lower, upper = pl.col("lower"), pl.col("upper")
    if measure.highest is not None:
        upper = pl.min_horizontal(upper, pl.lit(measure.highest))
    known = lower.is_not_null() & upper.is_not_null()
    both = bounds.select(
        "score",
        lower=pl.when(known).then(pl.min_horizontal(lower, "score")),
        upper=pl.when(known).then(pl.max_horizontal(upper, "score")),
    )
    if measure.inner.undefined != "zero":
        return both
    # what has no value is 0, and may stay so
    return both.with_columns(
        lower=pl.when(pl.col("score") == 0).then(0.0).otherwise(pl.col("lower")), upper=pl.col("upper").fill_null(0.0)
    )


def _aggregated(unjudged: Unjudged, measure: Aggregate, queries: pl.DataFrame) -> pl.DataFrame:
    """Bounds of every session from those of its queries: ``lower``, ``upper``."""
    kept = queries.filter(pl.col("lower").is_not_null())
    kept = kept.with_columns(open=pl.col("score").is_null())
    # queries of one key get their first judgment together: where a session has no other, all of them count
    keys = kept.filter("open").group_by("session").agg(pl.col("key").n_unique().alias("keys"))
    kept = kept.join(keys, on="session", how="left").with_columns(some=(~pl.col("open")).any().over("session"))
    kept = kept.with_columns(open=pl.col("open") & (pl.col("some") | (pl.col("keys") > 1))).sort("query")
    position, last = pl.col("query_position"), queries.group_by("session").agg(last=pl.col("query_position").max())
    first = queries.group_by("session").agg(first=pl.col("query_position").min())
    kept = kept.join(last, on="session").join(first, on="session").sort("query")
    name = measure.name
    if name in ("first", "last"):
        found = kept.filter(position == pl.col(name)).group_by("session").agg(pl.col("lower", "upper").first())
    elif name in ("mean", "nonlast"):
        found = mean_bounds(kept if name == "mean" else kept.filter(position != pl.col("last")), ["session"])
    else:
        sure, lower, upper = ~pl.col("open"), pl.col("lower"), pl.col("upper")
        added = [fixed.unfixed(fixed.fixed(value).sum()) for value in (lower.filter(sure), upper)]
        some = sure.any()
        ends = {
            "sum": (pl.when(some).then(added[0]).otherwise(lower.min()), added[1]),
            "max": (pl.when(some).then(lower.filter(sure).max()).otherwise(lower.min()), upper.max()),
            "min": (lower.min(), pl.when(some).then(upper.filter(sure).min()).otherwise(upper.max())),
        }[name]
        found = kept.group_by("session").agg(lower=ends[0], upper=ends[1])
    sessions = unjudged.block.sessions.select("session")
    return sessions.join(found, on="session", how="left", maintain_order="left").select("lower", "upper")
