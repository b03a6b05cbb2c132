"""Which results count and what each gains: the study's tables become rows with a rank, a query position and a gain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import polars as pl

from sessionkit.errors import DataError
from sessionkit.scoring.gains import check_grades, gain_expr
from sessionkit.scoring.measures import GainMeasure
from sessionkit.scoring.merging import few_keys_per_document, merged_judgments
from sessionkit.study import Study
from sessionkit.study.package import LENGTH

SESSION = ["session_id"]
QUERY = ["session_id", "query_position"]


@dataclass(frozen=True)
class Selection:
    """The choices that decide which results count; measures that agree on them share one plan."""

    cutoff: int | None = None
    depth: str = "all"
    duplicates: str = "all"
    unjudged: str = "zero"
    grades: str = "judgments"
    queries: int | None = None

    @classmethod
    def of(cls, measure: GainMeasure) -> Selection:
        """The selection that a measure makes."""
        return cls(measure.cutoff, measure.depth, measure.duplicates, measure.unjudged, measure.grades, measure.queries)


def gain_name(measure: GainMeasure) -> str:
    """Name of the column that holds a measure's gains."""
    return f"gain={measure.gain},min_grade={measure.min_grade}"


def judgments(study: Study, grades: str) -> pl.LazyFrame:
    """The grades that count: ``key``, ``doc_id``, ``grade``. A searcher's own grades have the session as their key."""
    if grades == "judgments":
        return merged_judgments(study)
    _require(study, "user_grade", "grades=user")
    own = (
        study.results.filter(pl.col("user_grade").is_not_null())
        .group_by("session_id", "doc_id")
        .agg(grade=pl.col("user_grade").max())
    )
    return own.select(key="session_id", doc_id="doc_id", grade=pl.col("grade").cast(pl.Float64))


def gains(study: Study, measures: Iterable[GainMeasure], grades: str) -> pl.LazyFrame:
    """Judged documents with one gain column per gain that the measures ask for; refuses grades that a gain does not
    cover.
    """
    judged = judgments(study, grades)
    columns = {}
    asked = {gain_name(measure): measure for measure in measures}
    own = grades == "user"
    raw = study.results.select(grade=pl.col("user_grade").cast(pl.Float64)) if own else judged.select("grade")
    distinct = raw.drop_nulls().unique().collect()
    for name, measure in asked.items():
        check_grades(distinct, measure.gain, measure.min_grade, "the searchers' own grades" if own else "the judgments")
        columns[name] = gain_expr(pl.col("grade"), measure.gain, measure.min_grade)
    return judged.with_columns(**columns)


def units(study: Study, selection: Selection) -> pl.LazyFrame:
    """The queries that count: ``session_id``, ``query_position``, ``key``, in order; lists that were never logged are
    outside.
    """
    queries = study.queries.filter(pl.col("results_status") != "not_logged")
    if selection.queries is not None:
        queries = queries.filter(pl.col("query_position") <= selection.queries)
    if selection.grades == "user":
        return queries.select(*QUERY, key="session_id")
    own = ["judgment_key"] if "judgment_key" in study.columns("queries") else []
    joined = queries.select(*QUERY, *own).join(session_keys(study, selection), on="session_id", how="left")
    return joined.select(*QUERY, key=pl.coalesce("judgment_key", "key") if own else pl.col("key"))


def session_keys(study: Study, selection: Selection) -> pl.LazyFrame:
    """Every session with the key of its judgments: ``session_id``, ``key``."""
    key = "session_id" if selection.grades == "user" else "judgment_key"
    return study.sessions.select("session_id", key=pl.col(key))


def shown(study: Study, selection: Selection) -> pl.LazyFrame:
    """The results that the searcher is taken to have seen, by the ranks as shown; the cutoff is not applied yet."""
    seen = {"all": None, "last_click": "clicked", "examined": "examined"}[selection.depth]
    extra = ["user_grade"] if selection.grades == "user" else []
    results = study.results
    if selection.queries is not None:
        results = results.filter(pl.col("query_position") <= selection.queries)
    if seen is None:
        return results.select(*QUERY, "rank", "doc_id", *extra)
    _require(study, seen, f"depth={selection.depth}")
    deepest = pl.when(pl.col(seen)).then(pl.col("rank")).max().over(QUERY)
    return results.filter(pl.col("rank") <= deepest).select(*QUERY, "rank", "doc_id", *extra)


def judged_rows(
    study: Study, selection: Selection, measures: list[GainMeasure], *, every: bool = False
) -> pl.LazyFrame:
    """Results that count and are judged, with their gains.

    Parameters
    ----------
    every
        Also the unjudged ones.

    Returns
    -------
    polars.LazyFrame
        ``session_id``, ``query_position``, ``rank`` (closed up where unjudged results are removed), ``doc_id``,
        ``grade`` (null where unjudged) and a column of gains per `gain_name`.
    """
    names = list({gain_name(measure): None for measure in measures})
    rows, worth = shown(study, selection), gains(study, measures, selection.grades)
    within = pl.lit(value=True) if selection.cutoff is None else pl.col("rank") <= selection.cutoff
    if selection.unjudged == "zero":
        rows = rows.filter(within)
    # where every query has the session's key, an unjudged result cannot matter: it is left out by the join
    only_judged = not every and selection.unjudged == "zero" and one_key(study, selection)
    if selection.grades == "user":
        grade = pl.col("user_grade").cast(pl.Float64)
        columns = {gain_name(measure): gain_expr(grade, measure.gain, measure.min_grade) for measure in measures}
        rows = rows.with_columns(grade=grade, **columns)
    elif only_judged and few_keys_per_document(study):
        # one string to look up instead of two; a document judged for another key than the session's drops out after
        rows = rows.join(worth.rename({"key": "judged_for"}), on="doc_id")
        rows = _with_keys(study, rows, selection).filter(pl.col("key") == pl.col("judged_for"))
    else:
        keyed = _with_keys(study, rows, selection)
        rows = keyed.join(worth, on=["key", "doc_id"], how="inner" if only_judged else "left")
    if selection.unjudged == "skip":
        unjudged = pl.col("grade").is_null()
        above = unjudged.cast(pl.Int32).cum_sum().over(QUERY, order_by="rank")
        rows = rows.with_columns(pl.col("rank") - above).filter(~unjudged & within)
    if selection.duplicates == "first" or study.facts.repeats_in_lists:
        rows = _once(rows, SESSION if selection.duplicates == "first" else QUERY, names)
    rows = rows.with_columns(pl.col(name).fill_null(0.0) for name in names)
    return rows if every or only_judged else rows.filter(pl.col("grade").is_not_null())


def results_shown(study: Study, selection: Selection, by: list[str]) -> pl.LazyFrame:
    """Number of results shown within the cutoff, per unit that has any: ``results``."""
    if selection.depth == "all" and _lengths_hold(study):
        queries = study.queries
        if selection.queries is not None:
            queries = queries.filter(pl.col("query_position") <= selection.queries)
        length = pl.col(LENGTH).cast(pl.Int64)
        within = length if selection.cutoff is None else pl.min_horizontal(length, pl.lit(selection.cutoff, pl.Int64))
        return queries.select(*by, results=within).group_by(by).agg(pl.col("results").sum())
    rows = shown(study, selection)
    if selection.cutoff is not None:
        rows = rows.filter(pl.col("rank") <= selection.cutoff)
    return rows.group_by(by).agg(results=pl.len().cast(pl.Int64))


def judged_share(study: Study, selection: Selection, by: list[str]) -> pl.LazyFrame:
    """Per unit, how many results were shown within the cutoff, and how many of them are judged: ``results``,
    ``judged``. Unjudged results that a measure removes count here in the places where they were shown.
    """
    as_shown = replace(selection, unjudged="zero", duplicates="all")
    hits = judged_rows(study, as_shown, []).group_by(by).agg(judged=pl.len().cast(pl.Int64))
    counts = results_shown(study, as_shown, by).join(hits, on=by, how="left")
    return counts.with_columns(pl.col("judged").fill_null(0))


def _lengths_hold(study: Study) -> bool:
    """Whether the queries know the lengths of their lists, and all ranks are 1 to that length."""
    if LENGTH not in study.columns("queries") or study.facts.lists_with_gaps:
        return False
    return bool(study.queries.select(pl.col(LENGTH).cast(pl.Int64).sum() == study.facts.results).collect().item())


def with_judgments(study: Study, keyed: pl.LazyFrame, selection: Selection) -> pl.LazyFrame:
    """Say of each unit whether its key has any judgments."""
    known = judgments(study, selection.grades).select("key").unique().with_columns(has_judgments=pl.lit(value=True))
    return keyed.join(known, on="key", how="left").with_columns(pl.col("has_judgments").fill_null(value=False))


def sessions_with_judgments(study: Study, selection: Selection) -> pl.LazyFrame:
    """Every session, and whether the key of any of its queries (its own, if it has none) has judgments."""
    sessions = with_judgments(study, session_keys(study, selection), selection).select("session_id", "has_judgments")
    if selection.grades == "user" or "judgment_key" not in study.columns("queries"):
        return sessions
    queries = (
        with_judgments(study, units(study, selection), selection)
        .group_by(SESSION)
        .agg(any=pl.col("has_judgments").any())
    )
    return sessions.join(queries, on="session_id", how="left").select(
        "session_id", has_judgments=pl.coalesce("any", "has_judgments")
    )


def _with_keys(study: Study, rows: pl.LazyFrame, selection: Selection) -> pl.LazyFrame:
    """Give each result the key of its judgments."""
    if one_key(study, selection):
        return rows.join(session_keys(study, selection), on="session_id")
    return rows.join(units(study, selection), on=QUERY)


def one_key(study: Study, selection: Selection) -> bool:
    """Whether all queries of a session are judged by the same key."""
    return selection.grades == "judgments" and "judgment_key" not in study.columns("queries")


def _once(rows: pl.LazyFrame, within: list[str], names: list[str]) -> pl.LazyFrame:
    """Let each document gain only the first time it is shown within a session or a list."""
    place = pl.col("query_position").cast(pl.Int64) * 2**32 + pl.col("rank")
    first = place == place.min().over([*within, "doc_id"])
    return rows.with_columns(pl.when(first).then(pl.col(name)).otherwise(0.0).alias(name) for name in names)


def _require(study: Study, column: str, wanted_by: str) -> None:
    """Refuse a choice that needs a column the log does not have."""
    if column not in study.columns("results"):
        msg = f"{wanted_by} needs the column {column!r} in the results; they have {', '.join(study.columns('results'))}"
        raise DataError(msg)
