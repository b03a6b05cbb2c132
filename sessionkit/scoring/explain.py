"""Why a session scored what it did: every result with its gain, its discounts and what it contributed."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.errors import UsageError, suggestion
from sessionkit.scoring import fixed
from sessionkit.scoring.curves import session_vectors
from sessionkit.scoring.ideals import own_ideals
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
from sessionkit.scoring.layout import with_offsets
from sessionkit.scoring.measures import GainMeasure, Measure, parse_measure
from sessionkit.scoring.measures.aggregates import LAST, Aggregate, AveragePosition, Wrapper
from sessionkit.scoring.values import query_values
from sessionkit.study import Study

COLUMNS = [
    "session_id",
    "query_position",
    "rank",
    "doc_id",
    "grade",
    "gain",
    "rank_discount",
    "query_discount",
    "contribution",
    "cumulated",
]


def explain(study: Study, measure: str | Measure, session: str | None = None) -> pl.DataFrame:
    """Show what each result contributed to a value; the value is the sum of the column ``contribution``.

    Parameters
    ----------
    study
        The study.
    measure
        Any measure or its text. Of a normalised measure the contributions are divided by the ideal, of an aggregate
        weighted by what their query counts in it; of a query measure there is a value per query.
    session
        The session to explain; every session if not given.

    Returns
    -------
    polars.DataFrame
        ``session_id``, ``query_position``, ``rank`` (closed up if unjudged results are removed), ``doc_id``,
        ``grade`` (null if unjudged), ``gain``, ``rank_discount``, ``query_discount``, ``contribution`` and
        ``cumulated`` (within the query for query measures), for every result that counts. Contributions are null
        where the value is undefined.

    Raises
    ------
    UsageError
        If there is no such session.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 3]},
    ... )
    >>> sk.explain(study, "sDCG@10", session="s").select("rank", "gain", "rank_discount", "contribution", "cumulated").rows()
    [(1, 1.0, 1.0, 1.0, 1.0), (2, 3.0, 0.5, 1.0, 2.0)]
    """
    asked = parse_measure(measure)
    if session is not None:
        study = one_session(study, session)
    if not isinstance(asked, (GainMeasure, Wrapper)):
        msg = f"{asked} is not a sum of contributions"
        raise UsageError(msg)
    inner = asked.inner
    rows = with_offsets(study, judged_rows(study, Selection.of(inner), [inner], every=True), inner)
    gain = pl.col(gain_name(inner))
    terms = rows.with_columns(
        gain=gain,
        rank_discount=inner.rank_discount(),
        query_discount=inner.query_discount_factor(),
        contribution=inner.contribution(gain),
    )
    weighted = _weighted(study, asked, inner, terms)
    per = QUERY if asked.level == "query" else SESSION
    running = fixed.unfixed(fixed.fixed(pl.col("contribution")).cum_sum()).over(
        per, order_by=["query_position", "rank"]
    )
    return weighted.sort(*QUERY, "rank").with_columns(cumulated=running).select(COLUMNS).collect()


def one_session(study: Study, session: str) -> Study:
    """The study cut down to one session; its judgments stay whole."""
    found = study.sessions.filter(pl.col("session_id") == session)
    if not found.select(pl.len()).collect().item():
        known = study.sessions.select("session_id").collect().to_series()
        msg = f"there is no session {session!r} among the {len(known)} of this study{suggestion(session, known.head(10_000))}"
        raise UsageError(msg)
    mine = pl.col("session_id") == session
    return replace(study, sessions=found, queries=study.queries.filter(mine), results=study.results.filter(mine))


def _weighted(study: Study, asked: Measure, inner: GainMeasure, terms: pl.LazyFrame) -> pl.LazyFrame:
    """Divide contributions by the ideal, and weight them by what their query or slot counts in the value."""
    selection = Selection.of(inner)
    zero = 0.0 if inner.undefined == "zero" else None
    if isinstance(asked, AveragePosition):
        terms = terms.join(_slot_weights(study, asked), on=[*QUERY, "rank"], how="left")
        terms = terms.with_columns(pl.col("contribution") * pl.col("weight"))
    elif inner.normalized:
        ideals, of = own_ideals(study, inner)
        ideal = fixed.unfixed(pl.col("ideal").fill_null(0))
        share = pl.when(ideal > 0).then(pl.col("contribution") / ideal).otherwise(zero)
        terms = terms.join(ideals, on=of, how="left").with_columns(contribution=share)
    if isinstance(asked, Aggregate):
        weight = asked.weights(pl.col("value"), LAST).over("session_id")
        parts = query_values(study, [inner])[inner].select(*QUERY, weight=weight)
        terms = terms.join(parts, on=QUERY, how="left").with_columns(pl.col("contribution") * pl.col("weight"))
    if inner.normalized:
        return terms
    per_query = inner.level == "query"
    known = (
        with_judgments(study, units(study, selection), selection)
        if per_query
        else sessions_with_judgments(study, selection)
    )
    of = QUERY if per_query else SESSION
    defined = pl.when("has_judgments").then(pl.col("contribution")).otherwise(zero)
    return terms.join(known.select(*of, "has_judgments"), on=of, how="left").with_columns(contribution=defined)


def _slot_weights(study: Study, measure: AveragePosition) -> pl.LazyFrame:
    """Share of a result's contribution in the average of the curve: it counts in its own slot and in all slots after
    it.
    """
    inner = measure.inner
    vectors = session_vectors(study, inner)
    last = pl.col("slot").max().over("session_id")
    length = pl.col("own") if measure.length is None else pl.lit(measure.length)
    times = pl.when(pl.col("slot") == last).then(1 + pl.max_horizontal(length - last, pl.lit(0))).otherwise(1)
    ideal = fixed.unfixed(pl.col("ideal"))
    height = pl.when(ideal > 0).then(1 / ideal) if inner.normalized else pl.lit(1.0)
    if inner.undefined == "zero":
        height = height.fill_null(0.0)
    counted = pl.when(pl.col("slot") <= length).then(times * height)
    slots = pl.when(counted.is_not_null()).then(times).sum().over("session_id").replace(0, None)
    weight = counted.fill_null(0.0).cum_sum(reverse=True).over("session_id", order_by="slot") / slots
    return vectors.select(*QUERY, "rank", weight=weight)
