"""The engine: the values of many measures per query or per session, from as few passes over the results as their
choices allow.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring import fixed
from sessionkit.scoring.averages import average_positions
from sessionkit.scoring.ideals import own_ideals, session_ideals
from sessionkit.scoring.judging import (
    QUERY,
    SESSION,
    Selection,
    gain_name,
    judged_rows,
    sessions_with_judgments,
    units,
    with_judgments,
)
from sessionkit.scoring.layout import runs_on, with_offsets
from sessionkit.scoring.measures import GainMeasure, Measure
from sessionkit.scoring.measures.aggregates import LAST, Aggregate, AveragePosition
from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain
from sessionkit.study import Study


def query_values(study: Study, measures: Iterable[GainMeasure]) -> dict[GainMeasure, pl.LazyFrame]:
    """Value of each measure for each logged query; of a session measure, the part that the query adds.

    Returns
    -------
    dict
        By measure: ``session_id``, ``query_position``, ``value`` (null where undefined) and ``judged`` (judged results
        that count), in any order.
    """
    values: dict[GainMeasure, pl.LazyFrame] = {}
    sums = _sums(study, measures, QUERY)
    for measure, total in sums.items():
        selection = Selection.of(measure)
        found = with_judgments(study, units(study, selection), selection)
        found = found.join(total, on=QUERY, how="left").with_columns(pl.col("total", "judged").fill_null(0))
        if not measure.normalized:
            value: pl.Expr = pl.when("has_judgments").then(fixed.unfixed(pl.col("total")))
        else:
            ideals, of = own_ideals(study, measure)
            found = found.join(ideals, on=of, how="left")
            value = fixed.quotient(pl.col("total"), pl.col("ideal"))
        values[measure] = found.select(*QUERY, "judged", value=_defined(value, measure))
    return values


def session_values(study: Study, measures: Iterable[Measure]) -> dict[Measure, pl.LazyFrame]:
    """Value of each measure for each session: ``session_id``, ``value`` (null where undefined), ``judged`` (except of averages
    over slots), in any order.

    Raises
    ------
    MeasureError
        If a measure is one of queries; the message proposes its mean.
    """
    measures = list(measures)
    for measure in measures:
        if measure.level == "query":
            msg = f"{measure} is a measure of queries; a session's value is for example mean({measure}), or use --per query"
            raise MeasureError(msg)
    values: dict[Measure, pl.LazyFrame] = {}
    plain = [measure for measure in measures if isinstance(measure, GainMeasure)]
    at_once = [
        measure
        for measure in plain
        if not (isinstance(measure, NormalizedSessionGain) and measure.normalize == "query")
    ]
    for whole, total in _sums(study, at_once, SESSION).items():
        values[whole] = _session_value(study, whole, total)
    parts = [measure.inner for measure in measures if isinstance(measure, Aggregate)]
    by_query = query_values(study, dict.fromkeys([*parts, *(measure for measure in plain if measure not in at_once)]))
    everyone = study.sessions.select("session_id")
    for measure in measures:
        if isinstance(measure, Aggregate):
            parts_of = by_query[measure.inner]
            reduced = parts_of.group_by(SESSION).agg(pl.col("judged").sum(), value=measure.over(pl.col("value"), LAST))
        elif isinstance(measure, AveragePosition):
            reduced = average_positions(study, measure)
        elif measure in values:
            continue
        else:
            sum_of_parts = fixed.fixed(pl.col("value")).sum()
            reduced = (
                by_query[cast("GainMeasure", measure)]
                .group_by(SESSION)
                .agg(
                    pl.col("judged").sum(), value=pl.when(pl.col("value").count() > 0).then(fixed.unfixed(sum_of_parts))
                )
            )
        found = everyone.join(reduced, on="session_id", how="left")
        values[measure] = (
            found.with_columns(_defined(pl.col("value"), measure)) if isinstance(measure, GainMeasure) else found
        )
    return {measure: values[measure] for measure in measures}


def _session_value(study: Study, measure: GainMeasure, total: pl.LazyFrame) -> pl.LazyFrame:
    """Value of a session measure from its sum; every session has a row."""
    selection = Selection.of(measure)
    found = (
        sessions_with_judgments(study, selection)
        .join(total, on="session_id", how="left")
        .with_columns(pl.col("total", "judged").fill_null(0))
    )
    if measure.normalized:
        found = found.join(session_ideals(study, measure), on="session_id", how="left")
        value = fixed.quotient(pl.col("total"), pl.col("ideal"))
    else:
        value = pl.when("has_judgments").then(fixed.unfixed(pl.col("total")))
    return found.select("session_id", "judged", value=_defined(value, measure))


def _sums(study: Study, measures: Iterable[GainMeasure], by: list[str]) -> dict[GainMeasure, pl.LazyFrame]:
    """Sum of the contributions (``total``, at the fixed scale) and number of judged results per unit.

    Measures that agree on which results count share one plan.
    """
    groups: dict[object, list[GainMeasure]] = {}
    for measure in measures:
        groups.setdefault((Selection.of(measure), measure if runs_on(measure) else None), []).append(measure)
    sums: dict[GainMeasure, pl.LazyFrame] = {}
    for group in groups.values():
        rows = with_offsets(study, judged_rows(study, Selection.of(group[0]), group), group[0])
        contributions = {
            str(measure): fixed.fixed(measure.contribution(pl.col(gain_name(measure)))).sum()
            for measure in dict.fromkeys(group)
        }
        judged = pl.len().cast(pl.Int64)
        together = rows.group_by(by).agg(judged=judged, **contributions)
        if len(contributions) > 1:
            together = together.collect().lazy()
        for measure in group:
            sums[measure] = together.select(*by, "judged", total=pl.col(str(measure)))
    return sums


def _defined(value: pl.Expr, measure: GainMeasure) -> pl.Expr:
    """Put 0 for an undefined value where the measure says so."""
    return value.fill_null(0.0) if measure.undefined == "zero" else value
