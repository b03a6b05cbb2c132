"""Vector arithmetic of the papers: average vector, normalized vector, average position; and ``avgpos`` of every
session.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sessionkit.errors import UsageError
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.curves import session_vectors
from sessionkit.scoring.measures.aggregates import AveragePosition
from sessionkit.scoring.results_filter import sessions_with_judgments, with_zeros


def _numbers(name: str, values: object, dimensions: int = 1) -> np.ndarray:
    """Return numbers as an array of so many dimensions."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(())
    if array.ndim != dimensions:
        raise UsageError(
            f"{name} must be {'numbers' if dimensions == 1 else 'equally long vectors'}, not {values!r:.80}"
        )
    return array


def avg_vect(vectors: Sequence[Sequence[float]]) -> np.ndarray:
    """Average of equally long vectors, component by component (Research Notes 2002-2, equation 3; ECIR 2008, equation
    4).

    >>> avg_vect([[3, 5, 8], [1, 1, 2]]).tolist()
    [2.0, 3.0, 5.0]
    """
    return np.mean(_numbers("vectors", vectors, 2), axis=0)


def norm_vect(vector: Sequence[float], ideal: Sequence[float]) -> np.ndarray:
    """A (cumulated) gain vector as shares of an ideal vector (Research Notes 2002-2, equation 5); NaN where the ideal
    is 0.

    >>> norm_vect([3, 5, 8], [3, 6, 9]).round(4).tolist()
    [1.0, 0.8333, 0.8889]
    """
    gains, ideals = _numbers("vector", vector), _numbers("ideal", ideal)
    if gains.shape != ideals.shape:
        raise UsageError(f"vector and ideal must be equally long, not {len(gains)} and {len(ideals)}")
    return np.divide(gains, ideals, out=np.full(gains.shape, np.nan), where=ideals != 0)


def avg_pos(vector: Sequence[float], k: int | None = None) -> float:
    """Mean of a vector's first ``k`` components (Research Notes 2002-2, equation 6); of all of them without ``k``.

    >>> avg_pos([1, 0.5, 0.3], 2)
    0.75
    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, int)):
        raise UsageError(f"k must be a whole number, not {k!r}")
    return float(np.mean(_numbers("vector", vector)[:k]))


def average_positions(batch: SessionBatch, measure: AveragePosition) -> pl.DataFrame:
    """Mean of each session's cumulated curve over its own slots, or over ``length`` of them: ``value``, in order.

    A curve shorter than ``length`` is held at its last value. Null for a session that occupies no slot and has no
    ``length``, and where the measure is undefined at every slot.
    """
    inner = measure.inner
    judged = sessions_with_judgments(batch, inner.selection).alias("has_judgments")
    vectors = session_vectors(batch, inner)
    is_judged = pl.lit(judged.gather(vectors["session"]))
    height: pl.Expr = pl.when(is_judged).then(pl.col("total"))
    if inner.normalized_by_query:
        some = pl.col("ideal").sort_by("slot").last().over("session") > 0
        height = pl.when(some).then(pl.col("total"))
    elif inner.normalized:
        height = exact.fixed(exact.quotient(pl.col("total"), pl.col("ideal")))
    height = with_zeros(height, inner, is_judged)
    wanted = pl.col("own") if measure.length is None else pl.lit(measure.length, pl.Int64)
    vectors = vectors.with_columns(height=height, wanted=wanted)
    within = pl.col("height").filter(pl.col("slot") <= pl.col("wanted"))
    beyond = pl.col("wanted").first() - pl.col("slot").max().cast(pl.Int64)
    held = pl.when(pl.col("height").count() > 0).then(pl.max_horizontal(beyond, pl.lit(0, pl.Int64))).otherwise(0)
    final = pl.col("height").sort_by("slot").last().fill_null(0)
    total = within.sum() + final * held.cast(pl.Int128)
    length = within.count().cast(pl.Int64) + held
    averages = vectors.group_by("session").agg(value=exact.quotient(exact.unfixed(total), length))
    averages = averages.with_columns(there=pl.lit(value=True))
    sessions = batch.sessions.select("session").with_columns(judged)
    found = sessions.join(averages, on="session", how="left", maintain_order="left")
    # a session without a slot has gained nothing over any length
    if measure.length is not None and not inner.normalized:
        without_slot = pl.col("there").is_null() & pl.col("has_judgments")
        found = found.with_columns(value=pl.when(without_slot).then(0.0).otherwise(pl.col("value")))
    return found.select(value=with_zeros(pl.col("value"), inner, pl.col("has_judgments")))
