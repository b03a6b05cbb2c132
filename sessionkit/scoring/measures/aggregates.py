"""One number for a session from its queries: sum, mean, max, min, first, last, nonlast; and the mean of its curve,
avgpos.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.ideals import rank_vectors, require_cutoff
from sessionkit.scoring.measures.base import GainMeasure, Wrapper
from sessionkit.scoring.measures.cumulated_gain import nDCG, nsDCG

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

LAST = pl.col("query_position") == pl.col("query_position").max()
"""Which of a session's logged queries is the last."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Aggregate(Wrapper):
    """A statistic over the values of a session's logged queries; undefined queries are left out.

    Of a query measure it takes the values; of a session measure the part that each query adds, so that
    ``mean(sDCG@10)`` is sDCG per query. A query that returned nothing counts with its 0. Null for a session without a
    defined query.

    >>> from sessionkit import mean, nDCG
    >>> mean(nDCG(gain="exp2") @ 10)
    mean(nDCG(gain=exp2)@10)
    """

    inside = nDCG @ 10
    example = "mean(nDCG@10)"
    higher_grade_can_lower = True
    reduces_queries = True

    def why_no_bounds(self, *, own_keys: bool = False) -> str | None:
        """Nor has what a query adds to a quotient."""
        why = super().why_no_bounds(own_keys=own_keys)
        if why is None and self.inner.level == "session" and self.inner.bounds != "linear":
            return "a query's share of a normalized session has no bound; use the session measure itself"
        return why

    def over(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:
        """Reduce a session's query values; ``last`` says which row is its last logged query."""
        return value.filter(last)

    def query_weights(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:
        """Weight of each query's value in the result, over the queries of one session."""
        return (value.is_not_null() & last).cast(pl.Float64)


class Sum(Aggregate):
    """Sum over the session's queries."""

    name = "sum"
    sums_queries = True
    example = "sum(nDCG@10)"
    formula = "sum over q of M(q)"
    meaning = "sum over the queries of a session"

    def over(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002 - one signature for all
        """Exact sum, null over no value."""
        return pl.when(value.count() > 0).then(exact.unfixed(exact.fixed(value).sum()))

    def query_weights(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002
        """Each query counts once."""
        return pl.when(value.is_not_null()).then(1.0).otherwise(0.0)

    @property
    def highest(self) -> float | None:
        """A sum has no bound."""
        return None


class Mean(Aggregate):
    """Mean over the session's queries."""

    name = "mean"
    formula = "sum over q of M(q) / number of queries with a value"
    meaning = "mean over the queries of a session"

    def over(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002
        """Exact mean."""
        return exact.mean(value)

    def query_weights(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002
        """One share each."""
        return pl.when(value.is_not_null()).then(1.0 / value.count()).otherwise(0.0)


class Max(Aggregate):
    """Largest value of the session's queries; of a measure of which lower is better, that of its worst query."""

    name = "max"
    linear_in_queries = False
    example = "max(nDCG@10)"
    formula = "max over q of M(q)"
    meaning = "largest value of the session's queries"

    def over(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002
        """Largest value."""
        return value.max()

    def query_weights(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002
        """All on the first of the queries with the largest value."""
        return _first_true(value == value.max())


class Min(Aggregate):
    """Smallest value of the session's queries; of a measure of which lower is better, that of its best query."""

    name = "min"
    linear_in_queries = False
    example = "min(nDCG@10)"
    formula = "min over q of M(q)"
    meaning = "smallest value of the session's queries"

    def over(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002
        """Smallest value."""
        return value.min()

    def query_weights(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002
        """All on the first of the queries with the smallest value."""
        return _first_true(value == value.min())


class First(Aggregate):
    """Value of the session's first query."""

    name = "first"
    example = "first(nDCG@10)"
    formula = "M(1)"
    meaning = "value of the first query"

    def over(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002
        """Value at the smallest query position."""
        return value.sort_by("query_position").first()

    def query_weights(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002
        """All on the first query."""
        return (pl.col("query_position") == pl.col("query_position").min()).cast(pl.Float64)


class Last(Aggregate):
    """Value of the session's last logged query."""

    name = "last"
    example = "last(nDCG@10)"
    formula = "M(n), n the last query whose list was logged"
    meaning = "value of the last query"

    def over(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:
        """Value at the largest query position."""
        return value.filter(last).first()

    def query_weights(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002
        """All on the last query."""
        return last.cast(pl.Float64)


class NonLast(Aggregate):
    """Mean over all queries of the session but the last; null for a session of one query."""

    name = "nonlast"
    needs_several_queries = True
    example = "nonlast(nDCG@10)"
    undefined_where = "a session of a single query, no judgments for the key, or nothing relevant"
    formula = "sum over q < n of M(q) / number of those with a value"
    meaning = "mean over the queries before the last"

    @property
    def why_undefined(self) -> str:
        """A session of a single query, whatever the measure inside puts for queries without a value."""
        if "zero" not in (self.undefined, self.unjudged_topics):
            return self.undefined_where
        if self.undefined == self.unjudged_topics:
            return "a session of a single query"
        return f"a session of a single query, or {self.inner.why_undefined}"

    def over(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:
        """Exact mean of the others."""
        return exact.mean(value.filter(~last))

    def query_weights(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:
        """One share each of the others."""
        others = ~last & value.is_not_null()
        return others.cast(pl.Float64) / others.sum().replace(0, None)


@dataclass(frozen=True, repr=False, kw_only=True)
class AveragePosition(Wrapper):
    """avgpos: the mean of a cumulated vector over its positions: along a session, or down the list of a query.

    Rewards gain that comes early: the average position value of Research Notes 2002-2, equation 6. Of a session measure it
    is the mean over the slots of its concatenated lists, which ECIR 2008 names as the single number for a whole session;
    ``length`` fixes the number of slots; a session that stops before it holds its value and its ideal. Of CG, DCG, nCG or
    nDCG it is a measure of queries, the mean over ranks 1 to the cutoff, which the notes test: ``mean(avgpos(nDCG@200))``.
    Of a normalized measure it is the mean of the quotients, slot by slot or rank by rank. Null where the measure
    inside has no value at any position, and for a session without a slot unless ``length`` is given. The measure
    inside needs a cutoff.

    >>> from sessionkit import avgpos, mean, nDCG, nsDCG
    >>> avgpos(nsDCG @ 10, length=110)
    avgpos(nsDCG@10,length=110)
    >>> mean(avgpos(nDCG @ 10))
    mean(avgpos(nDCG@10))
    """

    name = "avgpos"
    inside = nsDCG @ 10
    takes = "a measure that cumulates gain, of sessions or of queries"
    example = "avgpos(nsDCG@10)"
    formula = "(1 / L) x sum over positions s = 1..L of the cumulated value at s"
    meaning = "mean over all positions"
    source = "Järvelin & Kekäläinen, Research Notes 2002-2, equation 6; ECIR 2008, section 4"
    higher_grade_can_lower = True

    length: int | None = None

    def __post_init__(self) -> None:
        """Refuse a measure whose gain does not cumulate."""
        super().__post_init__()
        if self.of is None:
            return
        if not isinstance(self.of, GainMeasure):
            msg = f"avgpos takes {self.takes}, such as {self.inside} or nDCG@10, not {self.of}"
            raise MeasureError(msg)
        if self.of.level == "query" and self.length is not None:
            msg = f"{self}: length is the number of slots along a session; the ranks of a list are those of the cutoff"
            raise MeasureError(msg)
        object.__setattr__(self, "level", self.of.level)
        object.__setattr__(self, "sums_queries", self.of.sums_queries)

    def require_parameters(self) -> None:
        """Refuse a measure of queries without a cutoff, as the lists have no common length."""
        super().require_parameters()
        if self.level == "query":
            require_cutoff(self.inner)

    def why_no_bounds(self, *, own_keys: bool = False) -> str | None:
        """Nor has the mean of a curve of quotients."""
        why = super().why_no_bounds(own_keys=own_keys)
        if why is not None or (self.inner.bounds == "linear" and self.level == "session"):
            return why
        curve = "normalized curve" if self.inner.normalized else "list's curve"
        return f"the mean of a {curve} has no bound, but its last point has: use the measure inside"

    @property
    def inner(self) -> GainMeasure:
        """The measure inside, whose gain cumulates."""
        return cast("GainMeasure", super().inner)

    def values(self, lists: Lists) -> pl.Series:
        """Mean of every query's vector over its ranks."""
        inner = self.inner
        vectors = rank_vectors(lists.batch, inner)
        height: pl.Expr = pl.when(pl.col("key").is_not_null()).then(pl.col("total"))
        if inner.normalized:
            height = exact.fixed(exact.quotient(pl.col("total"), pl.col("ideal")))
        sums = vectors.group_by("query").agg(total=height.sum(), n=height.count())
        found = lists.queries.select("query").join(sums, on="query", how="left", maintain_order="left")
        return found.select(exact.quotient(exact.unfixed(pl.col("total")), pl.col("n")).alias("value")).to_series()


def _first_true(flag: pl.Expr) -> pl.Expr:
    """1.0 at the first row, by query position, where a flag holds; 0.0 elsewhere."""
    position = pl.when(flag).then(pl.col("query_position"))
    return (position == position.min()).fill_null(value=False).cast(pl.Float64)


sum_ = Sum()
mean = Mean()
max_ = Max()
min_ = Min()
first = First()
last = Last()
nonlast = NonLast()
avgpos = AveragePosition()
FAMILY = (sum_, mean, max_, min_, first, last, nonlast, avgpos)
