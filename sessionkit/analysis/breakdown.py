"""Last against earlier queries, and other ways to part a session's queries (ECIR 2008, section 3.2 and Figure 1)."""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.groups import grouped_sessions
from sessionkit.errors import MeasureError, UsageError, suggestion
from sessionkit.scoring import fixed
from sessionkit.scoring.cautions import tell_of_bound, tell_of_depth
from sessionkit.scoring.ideals import ideal_list
from sessionkit.scoring.judging import QUERY, Selection, gain_name, judged_rows, units, with_judgments
from sessionkit.scoring.layout import layout, require_cutoff, runs_on, with_offsets
from sessionkit.scoring.measures import GainMeasure, Measure, parse_measure
from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain
from sessionkit.study import Study

PARTS = ("last", "position", "best", "first")
AVERAGES = ("queries", "sessions")


def breakdown(
    study: Study,
    measure: str | Measure,
    by: str = "last",
    *,
    average: str = "queries",
    group: str | None = "system_id",
    min_queries: int | None = None,
) -> pl.DataFrame:
    """Average the gain of queries by rank, in parts of their sessions.

    Parameters
    ----------
    study
        The study.
    measure
        A measure with a cutoff whose value builds up rank by rank: CG, DCG, nCG, nDCG, or sDCG, whose query discount
        then applies (the paper's Figure 1 is ``sDCG@100``), or ``nsDCG(normalize=query)``.
    by
        ``"last"``: last and non-last queries; ``"first"``: first and later; ``"position"``: by query position;
        ``"best"``: each session's best query (the earliest of equals, by its value at the cutoff) and the rest.
    average
        ``"queries"``: every query counts the same; ``"sessions"``: the queries of a session's part are averaged
        first, so that long sessions do not dominate. They answer different questions: the paper's System 1 has 92
        non-last queries, in 32 sessions.
    group
        Column to group sessions by; None, all together.
    min_queries
        Only sessions with at least so many logged queries. A session of one query has a last query and no non-last
        one; 2 leaves such sessions out, so that both parts speak of the same sessions.

    Returns
    -------
    polars.DataFrame
        ``group``, ``part``, ``rank`` (1 to the cutoff), ``value`` (mean value cumulated to that rank), ``n_queries``
        and ``n_sessions`` (those averaged; undefined queries are left out).

    Raises
    ------
    UsageError
        If an option or column does not exist, or the measure has no value by query and rank.

    Examples
    --------
    A first query that finds nothing, then one that finds grade 2 at rank 1:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 1], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["b"], "grade": [2]},
    ... )
    >>> sk.breakdown(study, "DCG@1").select("part", "rank", "value", "n_queries").rows()
    [('last', 1, 2.0, 1), ('non-last', 1, 0.0, 1)]
    """
    asked = _require_ranks(parse_measure(measure))
    for name, value, allowed in (("by", by, PARTS), ("average", average, AVERAGES)):
        if value not in allowed:
            msg = f"{name} must be one of {', '.join(allowed)}, not {value!r}{suggestion(value, allowed)}"
            raise UsageError(msg)
    chosen = grouped_sessions(study, group, min_queries, option="group")
    tell_of_bound(asked)
    tell_of_depth(study, asked)
    values = _rank_values(study, asked).join(chosen, on="session_id")
    parts = _parts(values, by)
    counts = {"n_queries": pl.col("value").count().cast(pl.Int64)}
    if average == "sessions":
        parts = parts.group_by("group", "part", "order", "rank", "session_id").agg(
            value=fixed.mean(pl.col("value")), queries=pl.col("value").count()
        )
        counts = {"n_queries": pl.col("queries").sum().cast(pl.Int64)}
    sessions = pl.col("session_id").filter(pl.col("value").is_not_null()).n_unique().cast(pl.Int64)
    means = parts.group_by("group", "part", "order", "rank").agg(
        value=fixed.mean(pl.col("value")), **counts, n_sessions=sessions
    )
    return means.sort("group", "order", "rank").drop("order").collect()


def _require_ranks(measure: Measure) -> GainMeasure:
    """Return the measure if its value builds up by rank within each query, or say what to ask for instead."""
    if not isinstance(measure, GainMeasure):
        msg = f"{measure} has no value by query and rank; ask for the measure inside, such as DCG@10"
        raise MeasureError(msg)
    if isinstance(measure, NormalizedSessionGain) and measure.normalize == "session":
        better = measure(normalize="query", ideal="repeated", ideal_queries="session")
        msg = (
            f"{measure} is divided by the ideal of the whole session; ask for {better}, or nDCG@{measure.cutoff or 10}"
        )
        raise MeasureError(msg)
    require_cutoff(measure)
    return measure


def _rank_values(study: Study, measure: GainMeasure) -> pl.LazyFrame:
    """Value of every query cumulated to every rank: ``session_id``, ``query_position``, ``rank``, ``value`` (null
    where undefined).
    """
    selection = Selection.of(measure)
    queries = layout(study, measure) if runs_on(measure) else units(study, selection)
    ranks = pl.int_ranges(1, pl.lit(measure.cutoff, pl.Int32) + 1, dtype=pl.Int32)
    places = with_judgments(study, queries, selection).with_columns(rank=ranks).explode("rank", empty_as_null=False)
    rows = with_offsets(study, judged_rows(study, selection, [measure]), measure)
    gained = rows.select(*QUERY, "rank", total=fixed.fixed(measure.contribution(pl.col(gain_name(measure)))))
    running = {"total": _running("total")}
    built = places.join(gained, on=[*QUERY, "rank"], how="left")
    if measure.normalized:
        best = ideal_list(study, measure).rename({"gain": "best"})
        own = measure(query_discount="none") if isinstance(measure, NormalizedSessionGain) else measure
        ideal = fixed.fixed(own.contribution(pl.col("best")))
        built = built.join(best, on=["key", "rank"], how="left").with_columns(ideal=ideal)
        running["ideal"] = _running("ideal")
    built = built.with_columns(**running)
    value = fixed.quotient(pl.col("total"), pl.col("ideal")) if measure.normalized else fixed.unfixed(pl.col("total"))
    if measure.undefined == "zero":
        value = pl.when("has_judgments").then(value).fill_null(0.0)
    return built.select(
        *QUERY, "rank", value=pl.when(pl.col("has_judgments") | (measure.undefined == "zero")).then(value)
    )


def _running(name: str) -> pl.Expr:
    """Running total within each query."""
    return pl.col(name).fill_null(0).cum_sum().over(QUERY, order_by="rank")


def _parts(values: pl.LazyFrame, by: str) -> pl.LazyFrame:
    """Name the part of its session that each query is, and the order in which parts are listed."""
    position = pl.col("query_position")
    if by == "position":
        return values.with_columns(part=position.cast(pl.String), order=position)
    if by == "best":
        end = values.filter(pl.col("rank") == pl.col("rank").max()).sort(
            "value", "query_position", descending=[True, False], nulls_last=True
        )
        best = end.group_by("session_id", maintain_order=True).agg(chosen=position.first())
        values = values.join(best, on="session_id").with_columns(inside=position == pl.col("chosen"))
        names = ("best", "rest")
    else:
        edge = position.max() if by == "last" else position.min()
        values = values.with_columns(inside=position == edge.over("session_id"))
        names = ("last", "non-last") if by == "last" else ("first", "later")
    part = pl.when("inside").then(pl.lit(names[0])).otherwise(pl.lit(names[1]))
    return values.with_columns(part=part, order=(~pl.col("inside")).cast(pl.Int32))
