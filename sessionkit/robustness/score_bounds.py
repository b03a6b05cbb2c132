"""The least and the greatest value of every query and session, and of means, whatever unjudged documents turn out to gain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.display.labels import natural_sort
from sessionkit.robustness.normalized_bounds import OpenRows, best_grade, gain_of, shares
from sessionkit.robustness.unjudged import WORST, OverUnjudged, Unjudged, totals
from sessionkit.scoring import exact
from sessionkit.scoring import exact as exact_sums
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.execution import query_values, session_values
from sessionkit.scoring.filter import logged_sessions, sessions_with_judgments
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.precision import looked_at
from sessionkit.study.numbering import where

BOUNDS = ("value", "lower", "upper")


UNITS = pl.Schema(
    {
        "session_id": pl.String(),
        "query_position": pl.Int32(),
        "group": pl.String(),
        "measure": pl.String(),
        **dict.fromkeys(BOUNDS, pl.Float64()),
    }
)
EXACT = [f"{name} sum" for name in BOUNDS]
SUMS = pl.Schema(
    {
        "group": pl.String(),
        "measure": pl.String(),
        "kind": pl.String(),
        "lower": pl.Float64(),
        "upper": pl.Float64(),
        **dict.fromkeys(EXACT, pl.Decimal(38, 0)),
        **dict.fromkeys(("many", "moving"), pl.Int64()),
    }
)
"""A part of means: of the sessions with a score (``sure``) exact sums; of those that only further judgments would give
one (``open``) how many have these bounds; of the ``rest`` how many there are."""


@dataclass(frozen=True, eq=False)
class BoundsReduction(OverUnjudged):
    """Scores and bounds.

    Parameters
    ----------
    level
        ``"group"``, ``"session"``, or ``"query"``: then the values of the measure inside each aggregate.
    own_keys
        Whether queries have judgment keys of their own.
    """

    level: str = "group"
    own_keys: bool = False

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Units of the batch, or their sums per group."""
        unjudged = Unjudged.of(batch, self.pool)
        chosen = self.grouping.sessions(batch)
        found = [self._named(unjudged, frame, text, chosen) for text, frame in self._found(unjudged)]
        if self.level == "group":
            return pl.concat([SUMS.to_frame(), *(_sums(frame) for frame in found)])
        together = pl.concat([UNITS.to_frame(), *found])
        order = pl.col("measure").replace_strict(self._texts, range(len(self._texts)), return_dtype=pl.Int32)
        return together.sort("session_id", "query_position", order)

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        if self.level != "group":
            return pl.concat([UNITS.to_frame(), *parts])
        together = pl.concat([SUMS.to_frame(), *parts]).with_columns(pl.col(EXACT).cast(pl.Int128))
        once = together.group_by("group", "measure", "kind", "lower", "upper").agg(
            pl.col(*EXACT, "many", "moving").sum()
        )
        return once.select(SUMS.names()).cast(dict(SUMS))  # type: ignore[arg-type]

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """Units in order; or ``group``, ``measure``, ``n`` (sessions with a score), ``open`` (without one that further
        judgments could give one), ``undefined`` (other sessions), ``moving`` (sessions whose score could change),
        ``value``, ``lower``, ``upper``.
        """
        added = self.added([*parts])
        if self.level != "group":
            order = pl.col("measure").replace_strict(self._texts, range(len(self._texts)), return_dtype=pl.Int32)
            return added.sort("session_id", "query_position", order, maintain_order=True)
        return self._means(added)

    @property
    def _texts(self) -> list[str]:
        """Names of the measures in the rows."""
        return [str(measure.inner if self.level == "query" else measure) for measure in self.measures]

    def _found(self, unjudged: Unjudged) -> list[tuple[str, pl.DataFrame]]:
        """Score and bounds of every unit, with the measure's text."""
        if self.level == "query":
            of_queries = query_bounds(unjudged, [*dict.fromkeys(m.inner for m in self.measures)], self.top)
            return [(str(measure), frame) for measure, frame in of_queries.items()]
        numbered = [unjudged.batch.sessions["session"], pl.lit(None, pl.Int32).alias("query_position")]
        of_sessions = session_bounds(unjudged, self.measures, self.top)
        return [(str(measure), frame.with_columns(numbered)) for measure, frame in of_sessions.items()]

    def _named(self, unjudged: Unjudged, found: pl.DataFrame, text: str, chosen: pl.DataFrame) -> pl.DataFrame:
        """The units of the chosen sessions."""
        sessions = unjudged.batch.sessions
        group = chosen["group"].gather(row := where(chosen["session"], len(sessions)).gather(found["session"]))
        ids = [] if self.level == "group" else [sessions["session_id"].gather(found["session"])]
        found = found.with_columns(group.alias("group"), *ids, measure=pl.lit(text)).filter(row.is_not_null())
        return found if self.level == "group" else found.select(UNITS.names()).cast({"query_position": pl.Int32})

    def _means(self, added: pl.DataFrame) -> pl.DataFrame:
        """Means over the sessions of each group."""
        keys = ["group", "measure"]
        sure = added.filter(pl.col("kind") == "sure").select(*keys, n="many", moving="moving", total="value sum")
        counts = [
            added.filter(pl.col("kind") == kind).group_by(keys).agg(pl.col("many").sum().alias(name))
            for kind, name in (("open", "open"), ("rest", "undefined"))
        ]
        # sure sessions come as one value, their mean, which stands for all of them
        values = added.filter(pl.col("kind") != "rest").with_columns(open=pl.col("kind") == "open")
        exact = {
            name: pl.when("open")
            .then(pl.col(name))
            .otherwise(exact_sums.quotient(exact_sums.unfixed(pl.col(f"{name} sum").cast(pl.Int128)), pl.col("many")))
            for name in ("lower", "upper")
        }
        bounded = values.with_columns(**exact).filter(pl.col("lower").is_not_null())
        found = added.select(keys).unique().join(sure, on=keys, how="left", nulls_equal=True)
        for frame in (*counts, mean_bounds(bounded.select(*keys, "open", "many", "lower", "upper"), keys)):
            found = found.join(frame, on=keys, how="left", nulls_equal=True)
        order = pl.col("measure").replace_strict(self._texts, range(len(self._texts)), return_dtype=pl.Int32)
        value = exact_sums.quotient(exact_sums.unfixed(pl.col("total").cast(pl.Int128)), pl.col("n"))
        found = found.with_columns(pl.col("n", "open", "undefined", "moving").fill_null(0), value=value)
        bounded_ones = [str(measure) for measure in self.measures if measure.bound_kind(own_keys=self.own_keys)]
        there = pl.col("measure").is_in(bounded_ones)
        found = found.with_columns(
            lower=pl.when(there).then(pl.min_horizontal("lower", "value")),
            upper=pl.when(there).then(pl.max_horizontal("upper", "value")),
            moving=pl.when(there).then(pl.col("moving")),
        )
        ordered = natural_sort(self.grouping.named(found).sort(order), "group")
        return ordered.select(*keys, "n", "open", "undefined", "moving", *BOUNDS)


def _sums(units: pl.DataFrame) -> pl.DataFrame:
    """Sessions of one measure as sums per group."""
    scored, bounded = pl.col("value").is_not_null(), pl.col("lower").is_not_null()
    kind = pl.when(scored).then(pl.lit("sure")).when(bounded).then(pl.lit("open")).otherwise(pl.lit("rest"))
    rows = units.with_columns(kind=kind, moving=(pl.col("upper") > pl.col("lower")).fill_null(value=False))
    sums = [exact_sums.fixed(pl.col(name)).sum().cast(pl.Decimal(38, 0)).alias(f"{name} sum") for name in BOUNDS]
    of = [pl.when(pl.col("kind") == "open").then(pl.col(name)).alias(name) for name in ("lower", "upper")]
    rows = rows.with_columns(of[0].alias("low"), of[1].alias("high"))
    counted = [pl.len().cast(pl.Int64).alias("many"), pl.col("moving").sum().cast(pl.Int64)]
    found = rows.group_by("group", "measure", "kind", "low", "high").agg(*sums, *counted)
    return found.rename({"low": "lower", "high": "upper"}).select(SUMS.names())


def session_bounds(unjudged: Unjudged, measures: Sequence[Measure], top: float | None) -> dict[Measure, pl.DataFrame]:
    """Score and bounds of every session of a batch, in order: ``value``, ``lower``, ``upper``, by measure.

    Parameters
    ----------
    measures
        Those of sessions.
    top
        The best grade of the scale, see `sessionkit.robustness.normalized_bounds.best_grade`.
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


CELLS = 2**23
"""Places of lists that are worked on at a time."""

Valued = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def counted_bounds(unjudged: Unjudged, measure: Measure, best: float) -> pl.DataFrame:
    """Bounds of every list: ``query``, ``lower``, ``upper``; null where nothing can be relevant."""
    batch = unjudged.supposing(best)
    lists = Lists(batch, measure.selection)
    rows = lists.every.filter("first", pl.col("judgment").is_not_null())
    unknown = unjudged.unknown.gather(rows["judgment"])
    could = _relevant(measure, best) > 0
    known = measure.relevant_grades(unjudged.grade.gather(rows["judgment"])).fill_null(value=False)
    at, rank = rows["list"].to_numpy(), rows["rank"].to_numpy().astype(np.int64) - 1
    relevant, open_ = known.to_numpy(), unknown.to_numpy() & could
    many = len(lists.queries)
    key = lists.queries["key"]
    base = _per_key(unjudged, measure).gather(key).fill_null(0).to_numpy()
    own = np.bincount(at[open_], minlength=many)
    pool = pl.Series(unjudged.pool.unjudged).gather(key).fill_null(0).to_numpy() * could
    looked = looked_at(lists, measure.cutoff).to_numpy()
    value = _VALUES[measure.name](measure)
    lower, upper = np.full(many, np.nan), np.full(many, np.nan)
    deepest = int(rank.max(initial=0)) + 1
    step = max(1, CELLS // deepest)
    for first in range(0, many, step):
        here = slice(first, min(many, first + step))
        inside = (at >= here.start) & (at < here.stop)
        grids = []
        for flag in (relevant & inside, open_ & inside):
            grid = np.zeros((here.stop - here.start, deepest), dtype=bool)
            grid[at[flag] - first, rank[flag]] = True
            grids.append(grid)
        others = pool[here] - own[here]
        lower[here] = _over_counts(grids, base[here] + others, own[here], looked[here], value, deepest_first=True)
        upper[here] = _over_counts(grids, base[here], own[here], looked[here], value, deepest_first=False)
        # with nothing relevant here or above, there is a value only where something elsewhere is relevant
        upper[here] = np.where(np.isnan(upper[here]) & (others > 0), 0.0, upper[here])
    if measure.name == "E":
        lower, upper = 1.0 - upper, 1.0 - lower
    found = {"query": lists.queries["query"], "lower": lower, "upper": upper}
    return pl.DataFrame(found).with_columns(pl.col("lower", "upper").fill_nan(None))


def _over_counts(
    grids: list[np.ndarray],
    base: np.ndarray,
    own: np.ndarray,
    looked: np.ndarray,
    value: Valued,
    *,
    deepest_first: bool,
) -> np.ndarray:
    """Least value over how many of the deepest unjudged results are relevant, or greatest over how many of the first."""
    relevant, open_ = grids
    order = (
        open_[:, ::-1].cumsum(axis=1, dtype=np.int32)[:, ::-1]
        if deepest_first
        else open_.cumsum(axis=1, dtype=np.int32)
    )
    extreme = np.full(len(base), np.nan)
    for taken in range(int(own.max(initial=0)) + 1):
        here = np.flatnonzero(own >= taken)
        shown = relevant[here] | (open_[here] & (order[here] <= taken))
        found = value(shown, base[here] + taken, looked[here])
        extreme[here] = np.fmin(extreme[here], found) if deepest_first else np.fmax(extreme[here], found)
    return extreme


def _relevant(measure: Measure, grade: float) -> int:
    """Whether a grade is relevant to a measure."""
    return int(measure.relevant_grades(pl.Series([grade])).item())


def _per_key(unjudged: Unjudged, measure: Measure) -> pl.Series:
    """Judged relevant documents of every key of the pool."""
    counts = measure.relevant_grades(unjudged.grade).fill_null(value=False)
    keys = unjudged.judged.pairs.pairs.filter(counts)["key"].to_numpy()
    return pl.Series(np.bincount(keys, minlength=len(unjudged.pool.keys)).astype(np.int64))


def _divided(part: np.ndarray, whole: np.ndarray, base: np.ndarray) -> np.ndarray:
    """A quotient, nan where nothing is relevant."""
    return np.where(base > 0, part / np.where(whole > 0, whole, 1.0), np.nan)


def _recall(measure: Measure) -> Valued:  # noqa: ARG001 - one signature for all
    """R."""
    return lambda shown, base, looked: _divided(shown.sum(axis=1), base, base)  # noqa: ARG005


def _harmonic(measure: Measure) -> Valued:
    """F, of which E is what is left of 1."""
    beta = getattr(measure, "beta", 1.0) ** 2
    return lambda shown, base, looked: _divided((1 + beta) * shown.sum(axis=1), beta * base + looked, base)


def _highest_harmonic(measure: Measure) -> Valued:
    """MaxF."""
    beta = getattr(measure, "beta", 1.0) ** 2

    def value(shown: np.ndarray, base: np.ndarray, looked: np.ndarray) -> np.ndarray:  # noqa: ARG001
        rank = np.arange(1, shown.shape[1] + 1)
        each = (1 + beta) * shown.cumsum(axis=1) / (beta * base[:, None] + rank)
        return np.where(base > 0, np.where(shown, each, 0.0).max(axis=1), np.nan)

    return value


def _average_precision(measure: Measure) -> Valued:  # noqa: ARG001
    """AP."""

    def value(shown: np.ndarray, base: np.ndarray, looked: np.ndarray) -> np.ndarray:  # noqa: ARG001
        rank = np.arange(1, shown.shape[1] + 1)
        return _divided((shown * shown.cumsum(axis=1) / rank).sum(axis=1), base, base)

    return value


_VALUES: dict[str, Callable[[Measure], Valued]] = {
    "R": _recall,
    "F": _harmonic,
    "E": _harmonic,
    "MaxF": _highest_harmonic,
    "AP": _average_precision,
}


def mean_bounds(values: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Least and greatest mean of each group, over its sure values and any of its open ones.

    The least mean has the open values that lie lowest, as many as still lower it.

    Parameters
    ----------
    values
        The columns of `by`, ``lower``, ``upper``, ``open`` (whether the value may be missing) and, if there is one,
        ``many``, how many values the row stands for.

    Returns
    -------
    polars.DataFrame
        The columns of `by`, ``lower``, ``upper``; a group of open values only has the mean of one at least.

    Two sure values of .5 and an open one: the mean is .5 without it, between (1 + .1) / 3 and (1 + .9) / 3 with it.

    >>> values = pl.DataFrame({"g": ["a"] * 3, "lower": [.5, .5, .1], "upper": [.5, .5, .9], "open": [False, False, True]})
    >>> mean_bounds(values, ["g"]).select("g", pl.col("lower", "upper").round(4)).rows()
    [('a', 0.3667, 0.6333)]
    """
    many = pl.col("many") if "many" in values.columns else pl.lit(1, pl.Int64)
    rows = values.with_columns(__many=many.cast(pl.Int128))
    by = [*by]
    groups = rows.select(by).unique(maintain_order=True)
    for name, descending in (("lower", False), ("upper", True)):
        added = exact.fixed(pl.col(name)) * pl.col("__many")
        sure = rows.filter(~pl.col("open")).group_by(by).agg(__sum=added.sum(), __n=pl.col("__many").sum())
        more = rows.filter("open").sort(*by, name, descending=[*[False] * len(by), descending], nulls_last=True)
        more = more.select(*by, __added=added, __plus=pl.col("__many"))
        more = more.join(sure, on=by, how="left", nulls_equal=True, maintain_order="left").with_columns(
            __sum=pl.col("__sum").fill_null(0) + pl.col("__added").cum_sum().over(by),
            __n=pl.col("__n").fill_null(0) + pl.col("__plus").cum_sum().over(by),
        )
        every = pl.concat([sure, more.select(sure.columns)])
        every = every.with_columns(exact.quotient(exact.unfixed(pl.col("__sum")), pl.col("__n")).alias("__mean"))
        mean = pl.col("__mean")
        found = every.group_by(by).agg((mean.max() if descending else mean.min()).alias(name))
        groups = groups.join(found, on=by, how="left", nulls_equal=True, maintain_order="left")
    return groups
