"""The values of many measures for a batch in as few passes as their choices allow, and the vector averages of the papers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from sessionkit.errors import MeasureError, UsageError, warn
from sessionkit.plugins import Blame, file_of, is_foreign, module_of
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.filter import (
    Selection,
    counted_rows,
    judged_of,
    logged_sessions,
    relevant_rows,
    sessions_with_judgments,
    units,
    with_zeros,
)
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.histogram import GainHistogram, require_numbers
from sessionkit.scoring.ideals import own_ideals, session_ideals, session_vectors, with_offsets
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.aggregates import LAST, Aggregate, AveragePosition, mean
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.needs import columns_beside
from sessionkit.study.numbering import where

PLACE = ["query", "session", "query_position"]


def query_values(batch: SessionBatch, measures: Iterable[Measure]) -> dict[Measure, pl.DataFrame]:
    """Value of each measure for each logged query; of a session measure, the part that the query adds.

    Returns
    -------
    dict
        By measure, in their order: ``query``, ``session``, ``query_position``, ``value`` (null where undefined) and, of
        measures that add up gains, ``judged`` (judged results that count), in order.
    """
    measures = list(measures)
    listed = [measure for measure in measures if measure.gain_measure is None]
    values = dict(_worked_out(batch, listed))
    adding = [measure for measure in measures if isinstance(measure, GainMeasure)]
    for measure, sums in _sums(batch, adding, "query").items():
        found = units(batch, measure.selection)
        totals = sums.select(pl.all().gather(found["query"]))
        found = found.with_columns(totals)
        if not measure.normalized:
            value: pl.Expr = pl.when(pl.col("key").is_not_null()).then(exact.unfixed(pl.col("total")))
        else:
            ideals, of = own_ideals(batch, measure)
            found = found.join(ideals.select(of, "ideal"), on=of, how="left", maintain_order="left")
            value = exact.quotient(pl.col("total"), pl.col("ideal"))
        value = with_zeros(value, measure, pl.col("key").is_not_null())
        values[measure] = found.select("query", "session", "query_position", "judged", value=value)
    return {measure: values[measure] for measure in measures}


def session_values(batch: SessionBatch, measures: Iterable[Measure]) -> dict[Measure, pl.DataFrame]:
    """Value of each measure for each session of the batch, in order.

    Returns
    -------
    dict
        By measure: ``value`` (null where undefined), ``total`` (the same at the fixed scale, exact where the measure is
        a plain sum) and, of measures that add up gains, ``judged`` (judged results that count).
    """
    asked = list(measures)
    known: dict[Measure, pl.DataFrame] = batch.memo.once(session_values, dict)
    known.update(_session_values(batch, [measure for measure in asked if measure not in known]))
    return {measure: known[measure] for measure in asked}


def _session_values(batch: SessionBatch, measures: list[Measure]) -> dict[Measure, pl.DataFrame]:
    """The same of measures that were not asked for before."""
    plain = [measure for measure in measures if isinstance(measure, GainMeasure)]
    parted = [measure for measure in plain if measure.normalized and not measure.normalized_by_session]
    sums = _sums(batch, [measure for measure in plain if measure not in parted], "session")
    inside = [measure.inner for measure in measures if isinstance(measure, Aggregate)]
    ideals = session_ideals(batch, [measure for measure in sums if measure.normalized])
    by_query = query_values(batch, dict.fromkeys([*inside, *parted]))
    own = [measure for measure in measures if not measure.wraps and measure.gain_measure is None]
    worked_out = dict(_worked_out(batch, own))
    values: dict[Measure, pl.DataFrame] = {}
    for measure in measures:
        if isinstance(measure, AveragePosition):
            found = average_positions(batch, measure).select("value")
        elif isinstance(measure, Aggregate):
            reduced = measure.over(pl.col("value"), LAST)
            of_queries = by_query[measure.inner]
            judged = [pl.col("judged").sum()] if "judged" in of_queries.columns else []
            found = _by_session(batch, of_queries, *judged, value=reduced)
        elif measure in worked_out:
            found = worked_out[measure]
        elif isinstance(measure, GainMeasure) and measure in sums:
            values[measure] = _session_value(batch, measure, sums[measure], ideals.get(measure))
            continue
        else:
            added = pl.when(pl.col("value").count() > 0).then(exact.fixed(pl.col("value")).sum())
            found = _by_session(batch, by_query[measure.inner], pl.col("judged").sum(), value=exact.unfixed(added))
        if not (measure.wraps or measure in worked_out):
            found = _with_zeros_of_sessions(batch, measure, found)
        values[measure] = found.with_columns(total=exact.fixed(pl.col("value")))
    for measure, found in values.items():
        logged = logged_sessions(batch, measure.selection)
        if measure.inner.reads_log and not logged.all():
            values[measure] = found.with_columns(pl.when(pl.lit(logged)).then(pl.col("value", "total")))
    return values


def _worked_out(batch: SessionBatch, measures: Iterable[Measure]) -> Iterator[tuple[Measure, pl.DataFrame]]:
    """Measures that work out their own values, with them; those that agree on which results count share their lists."""
    groups: dict[Selection, list[Measure]] = {}
    # where every list was logged, measures of behavior and of relevance look at the same lists
    all_logged = batch.queries["logged"].all()
    for measure in dict.fromkeys(measures):
        selection = replace(measure.selection, every_query=False) if all_logged else measure.selection
        groups.setdefault(selection, []).append(measure)
    for selection, group in groups.items():
        lists = Lists(batch, selection, columns_beside(group))
        for measure in group:
            found = _own_values(measure, lists).to_frame()
            if measure.level == "query":
                judged = pl.lit(lists.queries["key"].is_not_null())
                found = found.with_columns(with_zeros(pl.col("value"), measure, judged))
                yield measure, lists.queries.select(PLACE).hstack(found)
            else:
                yield measure, _with_zeros_of_sessions(batch, measure, found)


def _own_values(measure: Measure, lists: Lists) -> pl.Series:
    """What a measure works out itself; what is wrong with one of another module is said by its name."""
    if not is_foreign(type(measure)):
        return measure.values(lists).cast(pl.Float64).alias("value")
    with Blame(
        f"the measure {measure} (module {module_of(type(measure))}) fails", MeasureError, file_of(type(measure))
    ):
        found = pl.Series("value", measure.values(lists), dtype=pl.Float64)
    many = len(lists.queries if measure.level == "query" else lists.batch.sessions)
    if len(found) != many:
        unit = "lists" if measure.level == "query" else "sessions"
        msg = f"the measure {measure} (module {module_of(type(measure))}) gives {len(found)} values for {many} {unit}"
        raise MeasureError(msg)
    beyond = found.filter(found.abs() >= exact.LARGEST_VALUE).fill_nan(None).drop_nulls()
    if len(beyond):
        told = f"the measure {measure} (module {module_of(type(measure))}) gives the value {beyond[0]}"
        raise MeasureError(f"{told}; give a number between -2^60 and 2^60, or null for no value")
    return found.fill_nan(None)


def adds_up(measure: Measure) -> bool:
    """Whether a session's value is a plain sum of what its results contribute, each by its rank, query and grade."""
    return (
        isinstance(measure, GainMeasure)
        and measure.level == "session"
        and not (measure.normalized or measure.ranks_along_session)
    )


def of_session(measure: Measure) -> Measure:
    """Return the measure whose values are those of sessions: of a measure of queries its mean over them, with a warning."""
    if measure.level != "query":
        return measure
    taken = mean(measure)
    warn(f"{measure} has a value per query; {taken}, its mean over a session's queries, is used")
    return taken


def _session_value(
    batch: SessionBatch, measure: GainMeasure, sums: pl.DataFrame, ideal: pl.Series | None
) -> pl.DataFrame:
    """Value of a session measure from its sums and, of a normalized one, its ideals; every session has a row."""
    if ideal is not None:
        value = exact.quotient(pl.col("total"), pl.lit(ideal))
        scores = _with_zeros_of_sessions(batch, measure, sums.select("judged", value=value))
        return scores.select("value", "judged", total=exact.fixed(pl.col("value")))
    judged = pl.lit(sessions_with_judgments(batch, measure.selection))
    total = with_zeros(pl.when(judged).then(pl.col("total")), measure, judged)
    return sums.select(value=exact.unfixed(total), total=total, judged="judged")


def _by_session(batch: SessionBatch, queries: pl.DataFrame, *aggregates: pl.Expr, **named: pl.Expr) -> pl.DataFrame:
    """Reduce what queries have to a row for each session of the batch, in order."""
    reduced = queries.group_by("session").agg(*aggregates, **named)
    sessions = batch.sessions.select("session")
    return sessions.join(reduced, on="session", how="left", maintain_order="left").drop("session")


def _sums(batch: SessionBatch, measures: Iterable[GainMeasure], by: str) -> dict[GainMeasure, pl.DataFrame]:
    """Sum of the contributions (``total``, at the fixed scale) and number of ``judged`` results that count, for every
    session or query of the batch, in order.

    Measures that agree on which results count share one pass over them.
    """
    groups: dict[tuple[Selection, GainMeasure | None], list[GainMeasure]] = {}
    for measure in dict.fromkeys(measures):
        groups.setdefault((measure.selection, measure if measure.ranks_along_session else None), []).append(measure)
    sums: dict[GainMeasure, pl.DataFrame] = {}
    many = len(batch.sessions if by == "session" else batch.queries)
    for (selection, running_on), group in groups.items():
        rows = counted_rows(batch, selection)
        judged = judged_of(batch, selection, rows, by)
        if running_on is None:
            totals = GainHistogram.of(batch, selection, group, rows).sums(by, group)
        else:
            gaining = with_offsets(batch, relevant_rows(batch, selection, group, rows), running_on)
            gain = gain_expr(pl.col("grade"), running_on.gain, running_on.min_grade)
            require_numbers(running_on, gaining, gain)
            added = exact.fixed(running_on.contribution(gain)).alias(str(running_on))
            totals = gaining.group_by(by).agg(added.sum())
        totals = totals.select(pl.exclude(by).gather(where(totals[by], many)).fill_null(0))
        for measure in group:
            sums[measure] = pl.DataFrame([totals[str(measure)].alias("total"), judged])
    return sums


def _with_zeros_of_sessions(batch: SessionBatch, measure: Measure, scores: pl.DataFrame) -> pl.DataFrame:
    """Put 0 where the ``value`` of a session is null and the measure says so; the rows are the batch's sessions in order.

    A measure of behavior reads no judgments: ``undefined`` decides for every session.
    """
    if "zero" not in (measure.undefined, measure.unjudged_topics):
        return scores
    judged = pl.lit(True if measure.every_query else sessions_with_judgments(batch, measure.selection))
    return scores.with_columns(with_zeros(pl.col("value"), measure, judged))


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
