"""Why a session scored what it did, result by result, and how much the value of its scan paths varies."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import polars as pl

from sessionkit.display.frames import ResultFrame
from sessionkit.errors import MeasureError, UsageError, require_id, suggestion, warn
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch, batches
from sessionkit.scoring.execution import query_values, session_values
from sessionkit.scoring.filter import every_gain, every_row, logged_sessions, sessions_with_judgments, units, with_zeros
from sessionkit.scoring.histogram import require_numbers
from sessionkit.scoring.ideals import own_ideals, rank_vectors, session_vectors, with_offsets
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.aggregates import LAST, Aggregate, AveragePosition
from sessionkit.scoring.measures.base import GainMeasure, Measure, TermMeasure
from sessionkit.scoring.measures.expected import ExpectedMeasure
from sessionkit.scoring.measures.session_rank_biased import LATER, RecencyMeasure
from sessionkit.scoring.needs import columns_beside, columns_read, measure_of
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
from sessionkit.study.study import guarded_read

if TYPE_CHECKING:
    from sessionkit.scoring.measures.custom import ListFunction

COLUMNS = {
    "session_id": pl.String,
    "query_position": pl.Int32,
    "rank": pl.Int32,
    "doc_id": pl.String,
    "grade": pl.Float64,
    "gain": pl.Float64,
    "rank_discount": pl.Float64,
    "query_discount": pl.Float64,
    "contribution": pl.Float64,
    "cumulated": pl.Float64,
}


@guarded_read
def explain(study: Study, measure: str | Measure, session: str | None = None) -> pl.DataFrame:
    """Show what each result contributed to a value; the value is the sum of the column ``contribution``.

    Parameters
    ----------
    study
        The study.
    measure
        Any measure or its text. Contributions to a normalized measure are divided by the ideal; contributions to an
        aggregate are multiplied by the weight of their query; a query measure has a value per query. Measures that are
        not sums over results, such as counts of a session, cannot be explained. Of a measure that `sessionkit.define` made of a
        function the gains are shown without contributions, and a warning says that it is no sum.
    session
        The session to explain; every session if not given.

    Returns
    -------
    polars.DataFrame
        ``session_id``, ``query_position``, ``rank`` (closed up if unjudged results are removed), ``doc_id``,
        ``grade`` (null if unjudged), ``gain``, ``rank_discount``, ``query_discount``, ``contribution`` and
        ``cumulated`` (within the query for query measures), for every result that counts. Contributions are null
        where the value is undefined; gains and discounts are null for measures without them, such as AP. Normalized measures, such
        as nsDCG and nDCG, have ``ideal`` before the contribution: what it was divided by, the gain of the ideal session or query.

    Raises
    ------
    UsageError
        There is no such session.
    MeasureError
        The value is not a sum over results.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 3]},
    ... )
    >>> sk.explain(study, "sDCG@10", session="s").select("rank", "gain", "rank_discount", "contribution", "cumulated").rows()
    [(1, 1.0, 1.0, 1.0, 1.0), (2, 3.0, 0.5, 1.0, 2.0)]
    >>> sk.explain(study, "nDCG@10", session="s")["ideal"].round(4).to_list()  # 3 + 1 / log2(3)
    [3.6309, 3.6309]
    """
    asked = measure_of(study, measure)
    if asked.inner.shows_gains:
        told = f"{asked} is a function of the gains shown, and no sum of what results add: contribution is empty; score has its value"
        warn(told)
    elif not asked.inner.explainable:
        msg = f"{asked} is not a sum over results, so it cannot be explained by result; use score for its value"
        raise MeasureError(msg)
    if session is not None:
        study = one_session(study, session)
    read = columns_read(study, [asked])
    read["results"] = [*read["results"], "doc_id"]
    empty = pl.DataFrame(schema=columns_of(asked))
    explained = pl.concat([empty, *(_explained(batch, asked) for batch in batches(study, read))])
    return ResultFrame(
        explained if study.storage.partitioned is None else explained.sort("session_id", maintain_order=True)
    )


def _explained(batch: SessionBatch, asked: Measure) -> pl.DataFrame:
    """Every result of a batch with what it contributed."""
    inner = asked.inner
    if isinstance(inner, GainMeasure):
        rows = with_offsets(batch, every_gain(batch, inner), inner)
        require_numbers(inner, rows)
        terms = rows.with_columns(
            rank_discount=inner.rank_discount(),
            query_discount=inner.query_discount_factor(),
            contribution=inner.contribution(pl.col("gain")),
        )
        weighted = _weighted(batch, asked, inner, terms)
    elif isinstance(inner, RecencyMeasure):
        weighted = _forgotten(batch, inner)
    elif inner.shows_gains:
        weighted = _gained(batch, cast("ListFunction", inner))
    else:
        weighted = _by_query(batch, asked, _terms(batch, cast("TermMeasure", inner)))
    running = exact.unfixed(exact.fixed(pl.col("contribution")).cum_sum()).over(
        asked.level, order_by=["query_position", "rank"]
    )
    ids = batch.sessions["session_id"].gather(weighted["session"])
    explained = weighted.with_columns(ids).sort("query", "rank", maintain_order=True).with_columns(cumulated=running)
    return explained.select(*columns_of(asked))


def columns_of(measure: Measure) -> dict[str, pl.DataType | type[pl.DataType]]:
    """The columns of what explains a measure; those of a normalized one with what each contribution was divided by."""
    inner = measure.inner
    divided = isinstance(inner, GainMeasure) and inner.normalized and not isinstance(measure, AveragePosition)
    given = {name: dtype for name, dtype in COLUMNS.items() if name not in ("contribution", "cumulated")}
    return {**given, **({"ideal": pl.Float64} if divided else {}), **COLUMNS}


def one_session(study: Study, session: str) -> Study:
    """The study cut down to one session; its judgments stay whole."""
    ids = study.sessions.select("session_id")
    if not isinstance(session, str) or not len(ids.filter(session_id=session).collect()):
        session_ids = ids.collect().to_series()
        require_id("session", session, session_ids)
        near = suggestion(session, session_ids)
        raise UsageError(f"there is no session {session!r} among the {len(session_ids)} of this study{near}")
    mine = pl.col("session_id") == session
    return study.with_tables(
        sessions=study.sessions.filter(mine), queries=study.queries.filter(mine), results=study.results.filter(mine)
    )


def _terms(batch: SessionBatch, measure: TermMeasure) -> pl.DataFrame:
    """Every result of a batch with what it adds to the value of its list."""
    selection = measure.selection
    lists = Lists(batch, selection, columns_beside([measure]))
    terms, divisor = measure.parts(lists)
    terms = terms.select("list", "rank", contribution="term")
    value = query_values(batch, [measure])[measure]["value"]
    of_list = lists.queries.select("list", "query", value=value)
    if divisor is not None:
        over = lists.queries.select("list", divisor=divisor)
        share = exact.quotient(pl.col("contribution"), pl.col("divisor"))
        terms = terms.join(over, on="list", how="left").select("list", "rank", contribution=share)
    rows = every_row(batch, selection).join(of_list, on="query", how="inner", maintain_order="left")
    rows = rows.join(terms, on=["list", "rank"], how="left", maintain_order="left")
    factors = {name: pl.lit(None, pl.Float64) for name in ("gain", "rank_discount", "query_discount")}
    added = pl.when(pl.col("value").is_not_null()).then(pl.col("contribution").fill_null(0.0))
    return rows.with_columns(contribution=added, **factors).drop("value")


def _gained(batch: SessionBatch, measure: ListFunction) -> pl.DataFrame:
    """Every result of a batch with its gain, of a measure that is a function of the gains."""
    nothing = {name: pl.lit(None, pl.Float64) for name in ("rank_discount", "query_discount", "contribution")}
    return every_gain(batch, measure).with_columns(**nothing)


def _forgotten(batch: SessionBatch, measure: RecencyMeasure) -> pl.DataFrame:
    """Every result of a batch with what is left of its contribution when the session ends."""
    selection, unweighted, left = measure.selection, measure.unweighted(), measure.remembered()
    later = units(batch, selection).select("query", later=LATER)
    rows = every_gain(batch, measure).join(later, on="query", how="inner", maintain_order="left")
    terms = rows.with_columns(
        rank_discount=unweighted.rank_discount(),
        query_discount=unweighted.query_discount_factor() * left,
        contribution=unweighted.contribution(pl.col("gain")) * left,
    )
    return _where_defined(batch, measure, terms)


def _by_query(batch: SessionBatch, asked: Measure, terms: pl.DataFrame) -> pl.DataFrame:
    """Weight contributions by what their query counts in an aggregate."""
    if not isinstance(asked, Aggregate):
        return terms
    weight = asked.query_weights(pl.col("value"), LAST).over("session")
    parts = query_values(batch, [asked.inner])[asked.inner].select("query", weight=weight)
    terms = terms.join(parts, on="query", how="left")
    return terms.with_columns(pl.col("contribution") * pl.col("weight"))


def _weighted(batch: SessionBatch, asked: Measure, inner: GainMeasure, terms: pl.DataFrame) -> pl.DataFrame:
    """Divide contributions by the ideal, and weight them by what their query or slot counts in the value."""
    if isinstance(asked, AveragePosition):
        if inner.level == "query":
            weights = _rank_weights(batch, asked)
        else:
            weights = (_query_weights if inner.normalized_by_query else _slot_weights)(batch, asked)
        terms = terms.join(weights, on=["session", "query_position", "rank"], how="left")
        terms = terms.with_columns(pl.col("contribution") * pl.col("weight"))
    elif inner.normalized:
        ideals, of = own_ideals(batch, inner)
        ideal = exact.unfixed(pl.col("ideal").fill_null(0))
        share = exact.quotient(pl.col("contribution"), ideal)
        terms = terms.join(ideals.select(of, "ideal"), on=of, how="left")
        terms = terms.with_columns(contribution=share, ideal=exact.unfixed(pl.col("ideal")))
    return _by_query(batch, asked, _where_defined(batch, asked, terms))


def _where_defined(batch: SessionBatch, asked: Measure, terms: pl.DataFrame) -> pl.DataFrame:
    """Make contributions null where the value that they add up to is undefined, and 0 where that value stands for none."""
    measure, unit = (asked.inner, "query") if isinstance(asked, Aggregate) else (asked, asked.level)
    if unit == "query":
        values = query_values(batch, [measure])[measure].select("query", "value")
    else:
        values = batch.sessions.select("session", session_values(batch, [measure])[measure]["value"])
    terms = terms.join(values, on=unit, how="left", maintain_order="left")
    contribution = pl.when(pl.col("value").is_not_null()).then(pl.col("contribution").fill_null(0.0))
    return terms.with_columns(contribution=contribution).drop("value")


def _rank_weights(batch: SessionBatch, measure: AveragePosition) -> pl.DataFrame:
    """Share of a result's contribution in the average of its list's vector: it counts at its own rank and at all below."""
    inner = measure.inner
    vectors = rank_vectors(batch, inner)
    height: pl.Expr = pl.lit(1.0)
    if inner.normalized:
        ideal = exact.unfixed(pl.col("ideal"))
        height = pl.when(ideal > 0).then(1 / ideal)
    vectors = vectors.with_columns(height=height)
    weight = pl.col("height").cum_sum(reverse=True).over("query") / int(inner.cutoff or 1)
    return vectors.select("session", "query_position", "rank", weight=weight)


def _query_weights(batch: SessionBatch, measure: AveragePosition) -> pl.DataFrame:
    """The same where each list is divided by its own ideal: in the slots of the list by that at each rank, after it by the whole."""
    inner = measure.inner
    vectors = rank_vectors(batch, inner).with_columns(slot=pl.col("offset") + pl.col("rank"))
    ideal = exact.unfixed(pl.col("ideal"))
    share = pl.when(ideal > 0).then(1 / ideal).otherwise(0.0)
    end = pl.col("slot").max()
    length = end.over("session") if measure.length is None else pl.lit(measure.length, pl.Int64)
    later = pl.max_horizontal(length - end.over("query"), pl.lit(0)) * share.last().over("query")
    own = pl.when(pl.col("slot") <= length).then(share).otherwise(0.0).cum_sum(reverse=True).over("query")
    return vectors.select("session", "query_position", "rank", weight=(own + later) / length)


def _slot_weights(batch: SessionBatch, measure: AveragePosition) -> pl.DataFrame:
    """Share of a result's contribution in the average of the curve: it counts in its own slot and in all slots after
    it.
    """
    inner = measure.inner
    vectors = session_vectors(batch, inner)
    judged = sessions_with_judgments(batch, inner.selection).gather(vectors["session"])
    vectors = vectors.with_columns(judged.alias("is_judged"))
    last = pl.col("slot").max().over("session")
    length = pl.col("own") if measure.length is None else pl.lit(measure.length)
    times = pl.when(pl.col("slot") == last).then(1 + pl.max_horizontal(length - last, pl.lit(0))).otherwise(1)
    ideal = exact.unfixed(pl.col("ideal"))
    height = pl.when(ideal > 0).then(1 / ideal) if inner.normalized else pl.lit(1.0)
    height = with_zeros(height, inner, pl.col("is_judged"))
    counted = pl.when(pl.col("slot") <= length).then(times * height)
    slots = pl.when(counted.is_not_null()).then(times).sum().over("session").replace(0, None)
    weight = counted.fill_null(0.0).cum_sum(reverse=True).over("session", order_by="slot") / slots
    return vectors.select("session", "query_position", "rank", weight=weight)


@guarded_read
def path_variance(study: Study, measure: str | Measure, *, where: Where = None) -> pl.DataFrame:
    """Expectation and variance of an expected session measure over all paths of a searcher.

    Both are exact. The square root of the variance is the standard deviation among searchers who walk through the same
    session; divided by the root of N it is the error of an estimate from N sampled paths.

    Parameters
    ----------
    study
        The study.
    measure
        ``esDCG``, ``esnDCG``, ``esnCG``, ``esP`` or ``esAP`` with its parameters, or its text.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.

    Returns
    -------
    polars.DataFrame
        ``session_id``, ``measure``, ``value`` (the expectation, as `sessionkit.score` gives it) and ``variance``, in the
        order of session_id; null where the measure is undefined, and 0 there with ``undefined=zero`` if a list was logged.

    Raises
    ------
    MeasureError
        If the measure is none of these, or has ``duplicates=first``.

    Examples
    --------
    Half of the paths read one relevant document, half two:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 1], "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 1]},
    ... )
    >>> sk.path_variance(study, "esDCG(discount=none,pdown=0.5,pref=0.9)").rows()
    [('s', 'esDCG(discount=none,pdown=0.5,pref=0.9)', 1.5, 0.25)]
    """
    study = restricted(study, where)
    asked = measure_of(study, measure)
    if not isinstance(asked, ExpectedMeasure):
        msg = f"{asked} has no variance over paths; ask for a measure of expected sessions, such as esnDCG(pdown=0.7,pref=0.9)@10"
        raise MeasureError(msg)
    read = columns_read(study, [asked])
    schema = {"session_id": pl.String, "measure": pl.String, "value": pl.Float64, "variance": pl.Float64}
    parts = [pl.DataFrame(schema=schema)]
    for batch in batches(study, read):
        found = asked.variances(Lists(batch, asked.selection))
        judged = pl.lit(sessions_with_judgments(batch, asked.selection))
        logged = pl.lit(logged_sessions(batch, asked.selection))
        filled = [with_zeros(pl.col(name), asked, judged).alias(name) for name in ("value", "variance")]
        found = found.select(filled).select(pl.when(logged).then(pl.all()))
        ids = batch.sessions["session_id"]
        parts.append(found.select(ids, measure=pl.lit(str(asked)), value="value", variance="variance"))
    return pl.concat(parts).sort("session_id")
