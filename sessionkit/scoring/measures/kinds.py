"""The kinds of measures: how a value comes about, and what that needs.

A `GainMeasure` adds up what single results contribute, each by its grade, rank and query; the engine does that for
many at once. A `QueryMeasure` has a value for every result list that it works out itself, a `TermMeasure` one that is a
sum over the list's results, so that it can be explained; a `SessionMeasure` has one for every session.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring.discounts import discount_expr
from sessionkit.scoring.exact import quotient
from sessionkit.scoring.measures.measure import Measure

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

Columns = Mapping[str, tuple[str, ...]]
"""Names of columns by table: sessions, queries, results or judgments."""


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgedMeasure(Measure):
    """A measure of results that are selected, and of their grades."""

    min_grade: float = 1
    depth: str = "all"
    duplicates: str = "all"
    unjudged: str = "zero"
    grades: str = "judgments"
    undefined: str = "null"
    queries: int | None = None

    reads: ClassVar[Columns] = {}
    """Columns that it needs beside ids, positions and ranks."""
    may_read: ClassVar[Columns] = {}
    """Columns that it uses where the log has them."""
    needs_one: ClassVar[Columns] = {}
    """Columns of which it needs one."""
    of_lists: ClassVar[bool] = True
    """Whether it looks at the results shown, so that lists observed less deep than it looks matter to it."""

    @property
    def inner(self) -> JudgedMeasure:
        """The measure that is worked out: itself."""
        return self

    def needs(self) -> Columns:
        """Columns that it needs with the parameters that it has."""
        return self.reads

    def one_of(self) -> Columns:
        """Columns of which it needs one with the parameters that it has; nothing if it needs none of them."""
        return self.needs_one


@dataclass(frozen=True, repr=False, kw_only=True)
class GainMeasure(JudgedMeasure):
    """A measure that adds up what each shown result contributes: gain x rank discount x query discount."""

    gain: str = "linear"

    normalized: ClassVar[bool] = False

    @property
    def inner(self) -> GainMeasure:
        """The measure whose contributions count: itself."""
        return self

    def rank_discount(self) -> pl.Expr:
        """Discount of a result by its rank."""
        return discount_expr(pl.col("rank"), "none")

    def query_discount_factor(self) -> pl.Expr:
        """Discount of a result by the position of its query; column ``query_position``."""
        return pl.lit(1.0)

    def contribution(self, gain: pl.Expr) -> pl.Expr:
        """What a result adds, from its gain and the columns ``rank``, ``query_position`` and, where ranks run on,
        ``offset``.
        """
        return gain * self.rank_discount() * self.query_discount_factor()


@dataclass(frozen=True, repr=False, kw_only=True)
class QueryMeasure(JudgedMeasure):
    """A measure with a value for every result list, which it works out from all lists of a block at once."""

    level = "query"

    def values(self, lists: Lists) -> pl.Series:  # noqa: ARG002 - each measure has its own
        """Value of every list (Float64; null where undefined), in the order of ``lists.queries``."""
        msg = f"{self} has no values of lists"
        raise MeasureError(msg)


@dataclass(frozen=True, repr=False, kw_only=True)
class TermMeasure(QueryMeasure):
    """A measure of queries whose value is the sum of what its results add, divided by something of the list, if by anything."""

    def terms(self, lists: Lists) -> pl.DataFrame:  # noqa: ARG002 - each measure has its own
        """What results add: ``list``, ``rank``, ``term`` (Float64), only the results that add something."""
        msg = f"{self} has no terms"
        raise MeasureError(msg)

    def divisor(self, lists: Lists) -> pl.Series | None:  # noqa: ARG002 - one signature for all
        """What the sum of the terms is divided by (of every list; the value is null where it is 0), if by anything.

        The sum is exact, so that 7 of 10 makes 0.7; seven tenths, each rounded, need not.
        """
        return None

    def defined(self, lists: Lists) -> pl.Series:
        """Whether every list has a value: by default where anything is judged for its key."""
        return lists.queries["key"].is_not_null()

    def values(self, lists: Lists) -> pl.Series:
        """Sum of the terms of every list, divided; null where not defined."""
        added, divisor = lists.added(self.terms(lists)), self.divisor(lists)
        sums = pl.DataFrame({"value": added, "defined": self.defined(lists)})
        value = pl.col("value")
        if divisor is not None:
            sums = sums.with_columns(divisor.alias("divisor"))
            value = quotient(value, pl.col("divisor"))
        return sums.select(pl.when("defined").then(value).alias("value")).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionMeasure(JudgedMeasure):
    """A measure with a value for every session, which it works out from all sessions of a block at once."""

    level = "session"

    def values(self, lists: Lists) -> pl.Series:  # noqa: ARG002 - each measure has its own
        """Value of every session (Float64; null where undefined), in the order of ``lists.block.sessions``."""
        msg = f"{self} has no values of sessions"
        raise MeasureError(msg)
