"""Breakdowns as a task: sums over the queries of each part of their sessions, by rank, which add up over batches exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import polars as pl

from sessionkit.analysis.bands import float_sums
from sessionkit.analysis.groups import Grouping
from sessionkit.analysis.numeric_ties import tied
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.curves import rank_vectors
from sessionkit.scoring.execution import query_values
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.scoring.results_filter import with_zeros

TWO_PARTS = {"last": ("last", "non-last"), "first": ("first", "later"), "best": ("best", "rest")}
"""The two parts of a session, by what cuts it."""
PLACE = ["group", "part", "order", "rank"]
SAID = ["n_queries", "n_sessions", "single_query_sessions", "left_out_single_query", "left_out_undefined"]
OF_PART = ("part", "rank", "value", *SAID)
COUNTS = ["n", *SAID]
RANKS = pl.Schema(
    {
        "group": pl.String(),
        "part": pl.String(),
        "order": pl.Int32(),
        "rank": pl.Int32(),
        "total": pl.Decimal(38, 0),
        **dict.fromkeys(COUNTS, pl.Int64()),
    }
)
"""A part: the sum of the values that are averaged, how many they are, the queries and sessions they stand for, how many of
these sessions are of one query, and how many sessions are left out, as of one query or undefined; a row of rank 0 for
every group, also one without a query."""


@dataclass(frozen=True, eq=False)
class BreakdownReduction:
    """Mean value of queries by rank, in parts of their sessions.

    Parameters
    ----------
    measure
        A measure with a cutoff whose value builds up by rank, or has one for every cutoff.
    grouping
        The sessions and their groups.
    parts, average
        As `sessionkit.breakdown` has them.
    reads
        Columns to read of results, by table.
    """

    measure: Measure
    grouping: Grouping
    parts: str = "last"
    average: str = "sessions"
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    place: ClassVar[tuple[str, ...]] = ("part", "rank")
    cumulated: ClassVar[bool] = False

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        grouped = self.grouping.columns()
        tables = dict.fromkeys((*self.reads, *grouped))
        return {name: [*self.reads.get(name, ()), *grouped.get(name, ())] for name in tables}

    @property
    def slots(self) -> int:
        """As how many results each query counts: it has a row for every rank."""
        return int(self.measure.cutoff or 0)

    @property
    def columns_made(self) -> int:
        """Columns of numbers that are made of each rank."""
        return 4

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Sums over the batch's queries."""
        chosen = self.grouping.sessions(batch)
        parts = self.parted(batch, chosen)
        value, session = pl.col("value"), pl.col("session")
        outside = RANKS.to_frame()
        if self.average == "sessions":
            if self.parts in TWO_PARTS:
                outside = self._outside(parts, chosen)
                parts = parts.filter(~pl.col("single"))
            parts = parts.group_by(*PLACE, "session", "single").agg(
                value=exact.mean(value), n_queries=value.count().cast(pl.Int64)
            )
            if self.parts in TWO_PARTS:
                both = (value.is_not_null().all() & (pl.len() == len(TWO_PARTS[self.parts]))).over("session", "rank")
                parts = parts.with_columns(pl.when(both).then(pl.col("value", "n_queries")))
        else:
            parts = parts.with_columns(n_queries=value.is_not_null().cast(pl.Int64))
        known = session.filter(value.is_not_null())
        sums = parts.group_by(PLACE).agg(
            total=exact.fixed(value).sum().cast(pl.Decimal(38, 0)),
            n=value.count().cast(pl.Int64),
            n_queries=pl.col("n_queries").sum(),
            n_sessions=known.n_unique().cast(pl.Int64),
            single_query_sessions=session.filter(value.is_not_null() & pl.col("single")).n_unique().cast(pl.Int64),
            left_out_undefined=(session.n_unique() - known.n_unique()).cast(pl.Int64),
        )
        groups = chosen.select("group").unique().with_columns(rank=pl.lit(0, pl.Int32))
        return pl.concat([RANKS.to_frame(), sums, outside, groups], how="diagonal")

    def _outside(self, parts: pl.DataFrame, chosen: pl.DataFrame) -> pl.DataFrame:
        """Sessions without two queries to compare, counted in both parts at every rank."""
        single = parts.filter("single").get_column("session").unique().implode()
        none = ~pl.col("session").is_in(parts.get_column("session").unique().implode())
        outside = chosen.select("group", one=pl.col("session").is_in(single), none=none)
        counted = outside.group_by("group").agg(
            left_out_single_query=pl.col("one").sum().cast(pl.Int64),
            left_out_undefined=pl.col("none").sum().cast(pl.Int64),
        )
        names = TWO_PARTS[self.parts]
        both = pl.DataFrame({"part": names, "order": range(len(names))}, schema_overrides={"order": pl.Int32})
        ranks = pl.select(rank=pl.int_range(1, self.slots + 1, dtype=pl.Int32))
        return counted.join(both, how="cross").join(ranks, how="cross")

    def parted(self, batch: SessionBatch, chosen: pl.DataFrame) -> pl.DataFrame:
        """Values of the chosen sessions' queries by rank: ``part``, ``order``, and whether the session has no other query."""
        values = rank_values(batch, self.measure)
        single = values.filter(pl.col("rank") == 1).group_by("session").agg(single=pl.len() == 1)
        values = values.join(chosen, on="session", maintain_order="left")
        return _parts(
            values.join(single, on="session", maintain_order="left"), self.parts, MeasureDirection.of(self.measure)
        )

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """``group``, ``part``, ``rank``, ``value``, and the counts: queries, sessions, sessions left out."""
        added = self.added([*parts]).filter(pl.col("rank") > 0)
        value = exact.quotient(exact.unfixed(pl.col("total").cast(pl.Int128)), pl.col("n"))
        means = added.with_columns(value=value).sort("group", "order", "rank")
        return means.select("group", *OF_PART)

    def unit_sums(self, added: pl.DataFrame) -> pl.DataFrame:
        """What each unit adds to the means."""
        return added.filter(pl.col("rank") > 0).select("group", "unit", "part", "rank", *float_sums("total", "n"))

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        sums = pl.concat([RANKS.to_frame(), *parts]).with_columns(pl.col("total").cast(pl.Int128))
        once = sums.group_by(PLACE).agg(pl.col("total", *COUNTS).sum())
        return once.select(RANKS.names()).cast(dict(RANKS))  # type: ignore[arg-type]


def rank_values(batch: SessionBatch, measure: Measure) -> pl.DataFrame:
    """Value of every query cumulated to every rank: ``session``, ``query_position``, ``rank``, ``value`` (null where
    undefined), in order.
    """
    if measure.gain_measure is None:
        return _cut_at_every_rank(batch, measure)
    measure = measure.gain_measure
    built = rank_vectors(batch, measure)
    judged = pl.col("key").is_not_null()
    value = exact.quotient(pl.col("total"), pl.col("ideal")) if measure.normalized else exact.unfixed(pl.col("total"))
    value = with_zeros(pl.when(judged).then(value), measure, judged)
    return built.select("session", "query_position", "rank", value=value)


def _cut_at_every_rank(batch: SessionBatch, measure: Measure) -> pl.DataFrame:
    """Value of every query with every rank as the cutoff."""
    values = []
    for rank in range(1, int(measure.cutoff or 0) + 1):
        cut = measure @ rank
        found = query_values(batch, [cut])[cut]
        values.append(found.select("query", "session", "query_position", pl.lit(rank, pl.Int32).alias("rank"), "value"))
    return pl.concat(values).sort("query", "rank").drop("query")


def _parts(values: pl.DataFrame, cut: str, direction: MeasureDirection) -> pl.DataFrame:
    """Name the part of its session that each query is, and the order in which parts are listed."""
    position = pl.col("query_position")
    if cut == "position":
        return values.with_columns(part=position.cast(pl.String), order=position)
    if cut == "best":
        end = values.filter(pl.col("rank") == pl.col("rank").max())
        chosen = best_position(direction).fill_null(position.min())
        best = end.group_by("session", maintain_order=True).agg(chosen=chosen)
        values = values.join(best, on="session").with_columns(inside=position == pl.col("chosen"))
    else:
        edge = position.max() if cut == "last" else position.min()
        values = values.with_columns(inside=position == edge.over("session"))
    names = TWO_PARTS[cut]
    part = pl.when("inside").then(pl.lit(names[0])).otherwise(pl.lit(names[1]))
    return values.with_columns(part=part, order=(~pl.col("inside")).cast(pl.Int32))


def best_position(direction: MeasureDirection) -> pl.Expr:
    """Position of the best query of a session, the earliest of equals; null where no query has a value."""
    merit = direction.merit(pl.col("value").cast(pl.Float64))
    return pl.col("query_position").filter(tied(merit, merit.max())).min()
