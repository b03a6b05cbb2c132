"""Which results count for a measure (unjudged, repeated, deep ones) and what each of them gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import polars as pl

from sessionkit.arguments import Depth, Duplicates, GradeSource, UnjudgedResults
from sessionkit.scoring.batch import HasGain, SessionBatch, gain_name
from sessionkit.scoring.gains import check_grades, gain_expr
from sessionkit.study.numbering import counts, sums


class UndefinedRules(Protocol):
    """What stands where a measure has no value."""

    @property
    def undefined(self) -> str:
        """What the value becomes where the key has judgments and the measure has no value: null or zero."""

    @property
    def unjudged_topics(self) -> str:
        """What the value becomes where the key has no judgments: null or zero."""


class HasSelection(HasGain, UndefinedRules, Protocol):
    """A measure of the gains of the results that it selects."""

    @property
    def selection(self) -> Selection:
        """Which results count."""


def units(batch: SessionBatch, selection: Selection) -> pl.DataFrame:
    """The queries that count: ``query``, ``session``, ``query_position``, ``key`` (null where nothing is judged for it),
    in order; queries whose list was not logged only for a measure of behavior.
    """
    queries = batch.queries if selection.every_query else batch.queries.filter("logged")
    if selection.queries is not None:
        queries = queries.filter(pl.col("query_position") <= selection.queries)
    if selection.grades == "user":
        own = _graded_sessions(batch).gather(queries["session"])
        queries = queries.with_columns(key=own)
    return queries.select("query", "session", "query_position", "key")


def session_keys(batch: SessionBatch, selection: Selection) -> pl.DataFrame:
    """Every session with the key of its judgments: ``session``, ``key``."""
    if selection.grades == "user":
        return batch.sessions.select("session", key=_graded_sessions(batch))
    return batch.sessions.select("session", "key")


def shown(batch: SessionBatch, selection: Selection) -> pl.DataFrame:
    """The results that the searcher is taken to have seen, by the ranks as shown; the cutoff is not applied yet."""
    rows = batch.results
    if selection.queries is not None:
        early = batch.queries["query_position"] <= selection.queries
        rows = rows.filter(early.gather(rows["query"]))
    seen = SEEN[selection.depth]
    if seen is None:
        return rows
    deepest = rows.filter(seen).group_by("query").agg(deepest=pl.col("rank").max())
    return rows.join(deepest, on="query", maintain_order="left").filter(pl.col("rank") <= pl.col("deepest"))


def counted_rows(batch: SessionBatch, selection: Selection, *, every: bool = False) -> pl.DataFrame:
    """The results that count, within the cutoff, in the order shown: the columns of the batch's results.

    Ranks are closed up where unjudged results are removed. Unjudged results that remain are left out where they decide
    nothing, unless ``every`` one is asked for.
    """
    within = _within(selection)
    rows = shown(batch, selection)
    judged = is_judged(batch, selection)
    if selection.unjudged == "skip":
        above = (~judged).cum_sum().cast(pl.Int32)
        # unjudged results above in the same list: those above in the batch, less those before the list
        before = pl.when(pl.col("query") != pl.col("query").shift(1)).then(above - (~judged).cast(pl.Int32))
        closed = pl.col("rank") - (above - before.forward_fill().fill_null(0))
        rows = rows.with_columns(closed.alias("rank"), judged.alias("__judged"))
        return rows.filter(pl.col("__judged"), within).drop("__judged")
    # a document that is judged whenever it is shown, or never, can go at once if it is not
    if every or _by_text(batch, selection):
        return rows.filter(within)
    return rows.filter(judged, within)


def is_judged(batch: SessionBatch, selection: Selection) -> pl.Expr:
    """Whether a result of the batch has a grade."""
    if selection.grades == "user":
        return pl.col("user_grade").is_not_null()
    if batch.judged.grade.null_count():
        return pl.lit(batch.judged.grade.is_not_null()).gather(pl.col("judgment")).fill_null(value=False)
    return pl.col("judgment").is_not_null()


def relevant_rows(
    batch: SessionBatch, selection: Selection, measures: Sequence[HasGain], rows: pl.DataFrame
) -> pl.DataFrame:
    """Of the results that count (see `counted_rows`), those that gain something under one of some measures.

    Returns
    -------
    polars.DataFrame
        ``query``, ``session``, ``query_position``, ``rank``, ``judgment``, ``grade`` and what else the rows had.
    """
    relevant = relevant_pairs(batch, selection, measures)
    if selection.grades == "user":
        _check_own_grades(batch, rows, measures)
    if relevant is not None:
        rows = rows.filter(relevant.gather(rows["judgment"]))
    rows = _with_places(batch, rows)
    if selection.duplicates == "first" or batch.repeats:
        rows = rows.filter(_shown_first(batch, rows, selection))
    rows = rows.with_columns(_grades(batch, rows, selection))
    if not _by_text(batch, selection):
        return rows
    gains = {gain_name(m): gain_expr(pl.col("grade"), m.gain, m.min_grade) > 0 for m in measures}
    return rows.filter(pl.any_horizontal(gains.values()))


def relevant_pairs(batch: SessionBatch, selection: Selection, measures: Sequence[HasGain]) -> pl.Series | None:
    """Whether each judged pair gains under one of some measures, by its number; None where ids tell documents apart.

    Raises
    ------
    DataError
        If a grade is not covered by a measure's gain.
    """
    if selection.grades == "user":
        return None
    relevant = batch.judged.relevant(measures)
    return None if _by_text(batch, selection) else relevant


def gaining_rows(batch: SessionBatch, measure: HasSelection) -> pl.DataFrame:
    """The results that gain something under a measure, as `relevant_rows` has them, with their ``gain``."""
    selection = measure.selection
    rows = relevant_rows(batch, selection, [measure], counted_rows(batch, selection))
    return rows.with_columns(gain=gain_expr(pl.col("grade"), measure.gain, measure.min_grade))


def every_row(batch: SessionBatch, selection: Selection) -> pl.DataFrame:
    """All results that count, unjudged ones too.

    Returns
    -------
    polars.DataFrame
        The columns of `relevant_rows` and ``first``: False where the document was shown before and gains once.
    """
    rows = _with_places(batch, counted_rows(batch, selection, every=True))
    rows = rows.with_columns(_grades(batch, rows, selection))
    if not (selection.duplicates == "first" or batch.repeats):
        return rows.with_columns(first=pl.lit(value=True))
    first = _shown_first(batch, rows, selection)
    # of documents without a number, none gains and none is known again
    known = pl.lit(value=True) if _by_text(batch, selection) else pl.col("judgment").is_not_null()
    return rows.with_columns(first=pl.when(known).then(first).otherwise(pl.lit(value=True)))


def every_gain(batch: SessionBatch, measure: HasSelection) -> pl.DataFrame:
    """All results that count under a measure, as `every_row` has them, with the ``gain`` of each: 0 where the result is
    unjudged, or its document was shown before and gains once.
    """
    selection = measure.selection
    rows = every_row(batch, selection)
    if selection.grades == "user":
        _check_own_grades(batch, rows, [measure])
    else:
        batch.judged.gain(measure)  # refuses grades that the gain does not cover
    gain = gain_expr(pl.col("grade"), measure.gain, measure.min_grade).fill_null(0.0)
    return rows.with_columns(gain=pl.when("first").then(gain).otherwise(0.0))


def _with_places(batch: SessionBatch, rows: pl.DataFrame) -> pl.DataFrame:
    """Give results their session and query position."""
    of_query = [batch.queries[name].gather(rows["query"]) for name in ("session", "query_position")]
    return rows.with_columns(of_query)


def _grades(batch: SessionBatch, rows: pl.DataFrame, selection: Selection) -> pl.Series:
    """Grade of every result, null where it has none."""
    own = selection.grades == "user"
    grades = batch.judged.grades(selection.gain)
    return (rows["user_grade"].cast(pl.Float64) if own else grades.gather(rows["judgment"])).alias("grade")


def _check_own_grades(batch: SessionBatch, rows: pl.DataFrame, measures: Sequence[HasGain]) -> None:
    """Refuse grades of the searchers that a gain does not cover."""
    distinct = rows.select(grade=pl.col("user_grade").cast(pl.Float64).drop_nulls().unique())
    for measure in measures:
        check_grades(distinct, measure.gain, measure.min_grade, batch.base("user").whose)


def _by_text(batch: SessionBatch, selection: Selection) -> bool:
    """Whether documents are told apart by their ids, since the number of a judgment depends on the query too."""
    return selection.grades == "user" or (batch.own_keys and selection.duplicates == "first")


def _shown_first(batch: SessionBatch, rows: pl.DataFrame, selection: Selection) -> pl.Series:
    """Whether a row is the first in its session or list, in the order in which rows were shown, with its document."""
    within = "session" if selection.duplicates == "first" else "query"
    if _by_text(batch, selection):
        return rows.select(pl.struct(within, "doc_id").is_first_distinct()).to_series()
    packed = pl.col(within).cast(pl.UInt64) * 2**32 + pl.col("judgment").cast(pl.UInt64)
    return rows.select(packed.is_first_distinct()).to_series()


def counted_by(batch: SessionBatch, rows: pl.DataFrame, by: str) -> pl.Series:
    """Number of these results of the batch, for every session or query of it, in order."""
    queries = counts(rows["query"], len(batch.queries)).cast(pl.Int64)
    return queries if by == "query" else sums(queries, batch.queries["session"], len(batch.sessions))


def judged_of(batch: SessionBatch, selection: Selection, rows: pl.DataFrame, by: str) -> pl.Series:
    """How many of the results that count (see `counted_rows`) are judged, for every session or query of the batch."""
    mixed = _by_text(batch, selection)  # else the unjudged ones were left out
    return counted_by(batch, rows.filter(is_judged(batch, selection)) if mixed else rows, by).alias("judged")


def results_shown(batch: SessionBatch, selection: Selection, by: str) -> pl.Series:
    """Number of results shown within the cutoff, for every session or query of the batch, in order."""
    if selection.depth == "all" and not batch.gaps:
        length = pl.col("length").cast(pl.Int64)
        if selection.cutoff is not None:
            length = pl.min_horizontal(length, pl.lit(selection.cutoff, pl.Int64))
        if selection.queries is not None:
            length = pl.when(pl.col("query_position") <= selection.queries).then(length).otherwise(0)
        queries = batch.queries.select(by, results=length)
        return queries["results"] if by == "query" else sums(queries["results"], queries[by], len(batch.sessions))
    return counted_by(batch, shown(batch, selection).filter(_within(selection)), by)


def judged_shown(batch: SessionBatch, selection: Selection, by: str) -> pl.Series:
    """Number of judged results shown within the cutoff, for every session or query of the batch, in order.

    Unjudged results that a measure removes count here in the places where they were shown.
    """
    as_shown = replace(selection, unjudged="zero", duplicates="all")
    rows = shown(batch, as_shown).select(pl.col("query").filter(is_judged(batch, as_shown) & _within(selection)))
    return counted_by(batch, rows, by)


def _within(selection: Selection) -> pl.Expr:
    """Whether a row is within the cutoff."""
    return pl.lit(value=True) if selection.cutoff is None else pl.col("rank") <= selection.cutoff


def logged_sessions(batch: SessionBatch, selection: Selection) -> pl.Series:
    """For every session whether a list of any of its queries that count was logged; for a measure of behavior, any query.

    Of a session without one nothing is known, not even that it gained nothing: no measure has a value for it, with
    ``undefined=zero`` and ``unjudged_topics=zero`` neither.
    """
    counting = batch.queries if selection.every_query else batch.queries.filter("logged")
    if selection.queries is not None:
        counting = counting.filter(pl.col("query_position") <= selection.queries)
    return counts(counting["session"], len(batch.sessions)) > 0


def sessions_with_judgments(batch: SessionBatch, selection: Selection) -> pl.Series:
    """For every session whether a list of it was logged and the key of any query that counts has judgments."""
    logged = logged_sessions(batch, selection)
    own = session_keys(batch, selection)["key"].is_not_null()
    if selection.grades == "user" or not batch.own_keys:
        return own & logged
    queries = units(batch, selection).group_by("session").agg(any=pl.col("key").is_not_null().any())
    found = batch.sessions.select("session", own=own).join(queries, on="session", how="left", maintain_order="left")
    return found.select(pl.coalesce("any", "own")).to_series() & logged


def defined_sessions(batch: SessionBatch, measure: HasSelection) -> pl.Series:
    """For every session whether a sum over its results has a value: anything is judged for it or, with
    ``unjudged_topics=zero``, a list of it was logged.
    """
    has_value = logged_sessions if measure.unjudged_topics == "zero" else sessions_with_judgments
    return has_value(batch, measure.selection)


def counts_as_zero(measure: UndefinedRules, is_judged: pl.Expr) -> pl.Expr:
    """Whether 0 stands where a measure has no value.

    ``undefined`` decides where the key has judgments, ``unjudged_topics`` where it has none.

    Parameters
    ----------
    measure
        The measure, or a wrapper, which has the rules of the measure inside.
    is_judged
        Whether the key of the query, or of any query of the session, has judgments.
    """
    if_judged, if_unjudged = measure.undefined == "zero", measure.unjudged_topics == "zero"
    return pl.when(is_judged).then(pl.lit(if_judged)).otherwise(pl.lit(if_unjudged))


def with_zeros(value: pl.Expr, measure: UndefinedRules, is_judged: pl.Expr) -> pl.Expr:
    """Put 0 where a value is null and the measure says that it is 0, see `counts_as_zero`."""
    if "zero" not in (measure.undefined, measure.unjudged_topics):
        return value
    # the value comes first, so that the expression keeps its name
    return pl.when(value.is_not_null() | ~counts_as_zero(measure, is_judged)).then(value).otherwise(0)


def _graded_sessions(batch: SessionBatch) -> pl.Series:
    """Number of every session that graded something itself, as its key; null for others."""
    graded = batch.base("user").pairs.pairs["key"].unique()
    session = batch.sessions["session"]
    return pl.select(pl.when(session.is_in(graded.implode())).then(session)).to_series().alias("key")


SEEN = {"all": None, "last_click": "clicked", "examined": "examined"}
"""The column of results that says how deep the searcher looked."""


@dataclass(frozen=True)
class Selection:
    """The choices that decide which results count; measures that agree on them share one pass."""

    cutoff: int | None = None
    depth: Depth = "all"
    duplicates: Duplicates = "all"
    unjudged: UnjudgedResults = "zero"
    grades: GradeSource = "judgments"
    queries: int | None = None
    gain: str = "linear"
    """``lifted`` where that is the gain: the only one for which results can have other grades."""
    every_query: bool = False
    """Whether queries whose list was not logged count too, as they do in measures of behavior."""
