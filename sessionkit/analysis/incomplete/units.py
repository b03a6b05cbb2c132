"""Score and bounds of every query, or session, of a batch under any measures that have bounds.

A unit without a score (nothing is judged for its key, or nothing relevant) may have bounds all the same: those of the
score that it would have if further judgments gave it one. Measures are worked out together: one scoring of the batch
as it is, one as if all that is unjudged gained the most, and only where this could give units a score that have none,
one as if it gained nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sessionkit.analysis.incomplete.bound_kinds import best_grade, gain_of
from sessionkit.analysis.incomplete.count_bounds import counted_bounds
from sessionkit.analysis.incomplete.means import mean_bounds
from sessionkit.analysis.incomplete.rows import OpenRows
from sessionkit.analysis.incomplete.shares import shares
from sessionkit.analysis.incomplete.totals import totals
from sessionkit.analysis.incomplete.unjudged_documents import WORST, Unjudged
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.execution import query_values, session_values
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.results_filter import logged_sessions, sessions_with_judgments

BOUNDS = ("value", "lower", "upper")


def session_bounds(unjudged: Unjudged, measures: Sequence[Measure], top: float | None) -> dict[Measure, pl.DataFrame]:
    """Score and bounds of every session of a batch, in order: ``value``, ``lower``, ``upper``, by measure.

    Parameters
    ----------
    measures
        Those of sessions.
    top
        The best grade of the scale, see `sessionkit.analysis.incomplete.bound_kinds.best_grade`.
    """
    batch = unjudged.batch
    kinds = {measure: measure.bound_kind(own_keys=batch.own_keys) for measure in measures}
    values = unjudged.values(measures, "session")
    inside = [m.inner for m in measures if m.reduces_queries and kinds[m] not in (None, "fixed")]
    of_queries = query_bounds(unjudged, [*dict.fromkeys(inside)], top)
    rising = [m for m in measures if kinds[m] in ("linear", "rising") and not m.reduces_queries]
    risen = _risen(unjudged, [m for m in rising if not _plain(m)], top, "session")
    found = {}
    for measure in measures:
        score = values[measure]["value"]
        inner, kind = measure.inner, kinds[measure]
        if kind is None:
            nothing = pl.lit(None, pl.Float64)
            found[measure] = pl.DataFrame({"value": score}).with_columns(lower=nothing, upper=nothing)
            continue
        if kind == "fixed":
            found[measure] = pl.DataFrame({"value": score}).with_columns(lower="value", upper="value")
            continue
        if measure.reduces_queries:
            bounds = _aggregated(unjudged, measure, of_queries[inner])
        elif kind == "share" and inner.gain_measure is not None:
            of_units = shares(unjudged, inner.gain_measure, best_grade(inner, top)).bounds()
            bounds = batch.sessions.select(unit="session").join(of_units, on="unit", how="left", maintain_order="left")
            bounds = bounds.select("lower", "upper")
        elif measure in risen:
            bounds = risen[measure]
        else:
            bounds = _sum_bounds(unjudged, inner, values[measure]["total"], best_grade(inner, top))
        logged = pl.lit(logged_sessions(batch, inner.selection))
        finished = _finished(pl.DataFrame([score, *bounds.get_columns()]), measure)
        found[measure] = finished.with_columns(pl.when(logged).then(pl.col("lower", "upper")))
    return found


def query_bounds(unjudged: Unjudged, measures: Sequence[Measure], top: float | None) -> dict[Measure, pl.DataFrame]:
    """Score and bounds of every query that counts, by measure: ``query``, ``session``, ``query_position``, ``key`` (its
    number in the pool), ``value``, ``lower``, ``upper``.
    """
    kinds = {measure: measure.bound_kind() for measure in measures}
    values = unjudged.values(measures, "query")
    rising = [m for m in measures if kinds[m] in ("linear", "rising") and not _plain(m)]
    risen = _risen(unjudged, rising, top, "query")
    found = {}
    for measure in measures:
        rows = values[measure].select("query", "session", "query_position", "value")
        kind = kinds[measure]
        best = best_grade(measure, top) if kind else WORST
        rows = rows.with_columns(unjudged.supposing(best).queries["key"].gather(rows["query"]))
        if kind is None:
            nothing = pl.lit(None, pl.Float64)
            bounds = rows.with_columns(lower=nothing, upper=nothing).select("lower", "upper")
        elif measure in risen:
            bounds = risen[measure]
        elif kind == "fixed":
            bounds = rows.select(lower="value", upper="value")
        elif kind in ("share", "counted"):
            if kind == "share" and measure.gain_measure is not None:
                of_units = shares(unjudged, measure.gain_measure, best).bounds().rename({"unit": "query"})
            else:
                of_units = counted_bounds(unjudged, measure, best)
            same = len(of_units) == len(rows) and of_units["query"].equals(rows["query"])
            joined = of_units if same else rows.join(of_units, on="query", how="left", maintain_order="left")
            bounds = joined.select("lower", "upper")
        else:
            bounds = _list_bounds(unjudged, measure, rows, best)
        rows = rows.with_columns(bounds.get_columns())
        found[measure] = rows.select("query", "session", "query_position", "key", *_finished(rows, measure))
    return found


def _plain(measure: Measure) -> bool:
    """Whether a measure is a plain sum of what each result gains, to which unjudged results can be added."""
    return measure.gain_measure is not None and measure.bound_kind() == "linear"


def _sum_bounds(unjudged: Unjudged, measure: Measure, total: pl.Series, best: float) -> pl.DataFrame:
    """Bounds of a sum over each session (of `total`, exact): with nothing more, and with all that is unjudged."""
    selection = measure.selection
    defined = sessions_with_judgments(unjudged.supposing(best), selection)
    more = _more(unjudged, measure, best, "session", len(total))
    sums = pl.DataFrame({"total": total.fill_null(0), "more": more, "defined": defined})
    lower = exact.unfixed(pl.col("total"))
    upper = exact.unfixed(pl.col("total") + pl.col("more"))
    return sums.select(lower=pl.when("defined").then(lower), upper=pl.when("defined").then(upper))


def _list_bounds(unjudged: Unjudged, measure: Measure, rows: pl.DataFrame, best: float) -> pl.DataFrame:
    """The same for each of some lists (``query``, ``key``, ``value``)."""
    more = _more(unjudged, measure, best, "query", len(unjudged.batch.queries)).gather(rows["query"])
    sums = rows.select(pl.col("value").fill_null(0.0), defined=pl.col("key").is_not_null()).with_columns(more)
    upper = exact.unfixed(exact.fixed(pl.col("value")) + pl.col("total"))
    return sums.select(lower=pl.when("defined").then("value"), upper=pl.when("defined").then(upper))


def _more(unjudged: Unjudged, measure: Measure, best: float, by: str, many: int) -> pl.Series:
    """What unjudged results would add to each query, or session, at their best."""
    inner = measure.inner.gain_measure
    if inner is None:
        msg = f"{measure} is not a sum over results"
        raise TypeError(msg)
    rows = OpenRows.of(unjudged, inner.selection)
    return totals(rows.number(by), rows.worth(inner, gain_of(inner, best)), many)


def _risen(unjudged: Unjudged, measures: Sequence[Measure], top: float | None, by: str) -> dict[Measure, pl.DataFrame]:
    """Bounds of measures that can only rise: their values if all that is unjudged gained nothing, or the most."""

    def values(batch: SessionBatch, some: Sequence[Measure]) -> dict[Measure, pl.Series]:
        if by == "session":
            return {measure: frame["value"] for measure, frame in session_values(batch, some).items()}
        inner = [measure.inner for measure in some]
        return {measure: frame["value"] for measure, frame in query_values(batch, inner).items()}

    if not measures:
        return {}
    # without a key that is judged for the first time, what gains nothing changes nothing
    least = values(unjudged.supposing(WORST) if unjudged.pool.new_keys else unjudged.batch, measures)
    found = {}
    best_of = {measure: best_grade(measure.inner, top) for measure in measures}
    for best in dict.fromkeys(best_of.values()):
        some = [measure for measure in measures if best_of[measure] == best]
        for measure, most in values(unjudged.supposing(best), some).items():
            found[measure] = pl.DataFrame({"lower": least[measure], "upper": most})
    return found


def _finished(bounds: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """``value``, ``lower``, ``upper``: rounding never puts the score outside, and what cannot be exceeded is not."""
    lower, upper = pl.col("lower"), pl.col("upper")
    if measure.highest is not None:
        upper = pl.min_horizontal(upper, pl.lit(measure.highest))
    known = lower.is_not_null() & upper.is_not_null()
    both = bounds.select(
        "value",
        lower=pl.when(known).then(pl.min_horizontal(lower, "value")),
        upper=pl.when(known).then(pl.max_horizontal(upper, "value")),
    )
    inner = measure.inner
    if "zero" not in (inner.undefined, inner.unjudged_topics):
        return both
    # a 0 that stands for no value may stay, whatever is judged
    stays = pl.col("value") == 0
    if inner.undefined == "zero":  # as may the first judgment of a key leave nothing relevant
        stays |= pl.col("value").is_null() & pl.col("upper").is_not_null()
    zero = pl.lit(0.0)
    return both.with_columns(
        lower=pl.when(stays).then(pl.min_horizontal("lower", zero)).otherwise(pl.col("lower")),
        upper=pl.when(stays).then(pl.max_horizontal("upper", zero)).otherwise(pl.col("upper")),
    )


def _aggregated(unjudged: Unjudged, measure: Measure, queries: pl.DataFrame) -> pl.DataFrame:
    """Bounds of every session from those of its queries: ``lower``, ``upper``."""
    kept = queries.filter(pl.col("lower").is_not_null()).with_columns(open=pl.col("value").is_null())
    if kept["open"].any():
        # queries of one key get their first judgment together: where a session has no other, all of them count
        keys = kept.filter("open").group_by("session").agg(pl.col("key").n_unique().alias("keys"))
        kept = kept.join(keys, on="session", how="left").with_columns(some=(~pl.col("open")).any().over("session"))
        kept = kept.with_columns(open=pl.col("open") & (pl.col("some") | (pl.col("keys") > 1))).sort("query")
    name, position = measure.name, pl.col("query_position")
    if name in ("first", "last", "nonlast"):
        end = position.min() if name == "first" else position.max()
        ends = queries.group_by("session").agg(end=end)
        kept = kept.join(ends, on="session", maintain_order="left")
        kept = kept.filter(position != pl.col("end") if name == "nonlast" else position == pl.col("end"))
    if name in ("first", "last"):
        found = kept.group_by("session").agg(pl.col("lower", "upper").first())
    elif name in ("mean", "nonlast"):
        sure = not kept["open"].any()
        means = [exact.mean(pl.col(bound)).alias(bound) for bound in ("lower", "upper")]
        found = kept.group_by("session").agg(means) if sure else mean_bounds(kept, ["session"])
    else:
        found = kept.group_by("session").agg(**_combined(name))
    sessions = unjudged.batch.sessions.select("session")
    return sessions.join(found, on="session", how="left", maintain_order="left").select("lower", "upper")


def _combined(name: str) -> dict[str, pl.Expr]:
    """Bounds of the sum, or of the best or worst, of a session's values, of which the open ones may be missing."""
    sure, lower, upper = ~pl.col("open"), pl.col("lower"), pl.col("upper")
    added = [exact.unfixed(exact.fixed(value).sum()) for value in (lower.filter(sure), upper)]
    some = sure.any()
    ends = {
        "sum": (pl.when(some).then(added[0]).otherwise(lower.min()), added[1]),
        "max": (pl.when(some).then(lower.filter(sure).max()).otherwise(lower.min()), upper.max()),
        "min": (lower.min(), pl.when(some).then(upper.filter(sure).min()).otherwise(upper.max())),
    }[name]
    return {"lower": ends[0], "upper": ends[1]}
