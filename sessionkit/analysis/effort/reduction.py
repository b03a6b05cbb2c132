"""Effort as a task: how many documents and queries each unit needed for the gain that its ideal has at every rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import polars as pl

from sessionkit.analysis.groups import Grouping
from sessionkit.choices import EffortUnit
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.curves import session_vectors
from sessionkit.scoring.gain_histogram import require_numbers
from sessionkit.scoring.ideals import ideal_list
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.results_filter import gaining_rows, logged_sessions, sessions_with_judgments, units
from sessionkit.scoring.searcher import Searcher
from sessionkit.scoring.session_times import TimedLists
from sessionkit.study.session_counts import TIMES

COUNTED = ["group", "what", "rank", "documents", "queries"]
PART = pl.Schema(
    {
        "group": pl.String(),
        "what": pl.String(),
        "rank": pl.Int64(),
        "documents": pl.Int64(),
        "queries": pl.Int64(),
        "many": pl.Int64(),
        "total": pl.Decimal(38, 0),
        "ideal": pl.Decimal(38, 0),
    }
)
"""A part: by group and ``what``. ``reach``: units that needed so many documents and queries (null: never) for the ideal's
gain at a rank; ``curve``: sums of gain and ideal at a place; ``plateau``: units whose ideal stops rising there (in
``documents`` -1 where that is beyond the cutoff), and the sum of the shares that they have gained by then; ``looked``:
sums of the results and queries that a searcher looks at; ``units``: all units. Those of `ALONG`: units by how much of it they needed
for a gain (in ``rank``; null: they never had it)."""
ALONG: tuple[EffortUnit, ...] = get_args(EffortUnit)


@dataclass(frozen=True, eq=False)
class EffortReduction:
    """Documents and queries needed, plateaus, and what a searcher looks at.

    Parameters
    ----------
    measure
        A gain measure with a cutoff, or any whose discounts describe a searcher.
    grouping
        The sessions and their groups.
    searcher
        Whom the measure's discounts describe, if anybody.
    reads
        Columns to read, by table.
    gain
        The gain that units come to; None, nothing is told of it.
    timed
        Whether queries have times.
    """

    measure: Measure
    grouping: Grouping
    searcher: Searcher | None
    reads: Mapping[str, Sequence[str]]
    gain: float | None = None
    timed: bool = False

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        grouped = self.grouping.columns()
        return {name: [*self.reads.get(name, ()), *grouped.get(name, ())] for name in {**self.reads, **grouped}}

    @property
    def slots(self) -> int:
        """Every query has a row for every rank, and for every rank another is looked up."""
        return 2 * int(self.measure.cutoff or 0)

    @property
    def columns_made(self) -> int:
        """Vectors, and what is counted of them."""
        return 12

    @property
    def curved(self) -> GainMeasure | None:
        """The measure, if it has curves to read."""
        return self.measure.gain_measure if self.measure.cutoff is not None else None

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Counts and sums of the batch's units."""
        chosen = self.grouping.sessions(batch)
        every = [self._looked(batch, chosen)]
        if self.curved is not None:
            every += self._read(batch, chosen, self.curved)
        return pl.concat([PART.to_frame(), *every], how="diagonal_relaxed").select(PART.names()).cast(dict(PART))  # type: ignore[arg-type]

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        sums = pl.concat([PART.to_frame(), *parts]).with_columns(pl.col("total", "ideal").cast(pl.Int128))
        once = sums.group_by(COUNTED).agg(pl.col("many", "total", "ideal").sum())
        return once.select(PART.names()).cast(dict(PART))  # type: ignore[arg-type]

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The same as a part, of all sessions, in order."""
        return self.grouping.named(self.added([*parts])).sort(COUNTED)

    def _read(self, batch: SessionBatch, chosen: pl.DataFrame, measure: GainMeasure) -> list[pl.DataFrame]:
        """Curves read horizontally, as means, and to the plateau."""
        vectors = unit_vectors(batch, measure).join(chosen, on="session", how="inner", maintain_order="left")
        ends = vectors.group_by("unit", maintain_order=True).agg(pl.col("ideal").last().alias("end"))
        vectors = vectors.join(
            ends.filter(pl.col("end") > 0).select("unit"), on="unit", how="semi", maintain_order="left"
        )
        groups = vectors.select("unit", "group").unique("unit", maintain_order=True)
        own = vectors.filter(pl.col("documents").is_not_null())
        found = []
        for rank in range(1, int(measure.cutoff or 0) + 1):
            target = vectors.filter(pl.col("slot") == rank).select("unit", target="ideal")
            reached = own.join(target, on="unit").filter(
                exact.reaches(pl.col("total"), pl.col("target")), pl.col("target") > 0
            )
            first = reached.group_by("unit", maintain_order=True).agg(pl.col("documents", "queries").first())
            needed = groups.join(target.filter(pl.col("target") > 0).select("unit"), on="unit", how="semi")
            needed = needed.join(first, on="unit", how="left")
            counts = needed.group_by("group", "documents", "queries").agg(many=pl.len())
            found.append(counts.with_columns(what=pl.lit("reach"), rank=pl.lit(rank, pl.Int64)))
        sums = [pl.col(name).sum().cast(pl.Decimal(38, 0)) for name in ("total", "ideal")]
        if measure.level == "query":
            curve = vectors.group_by("group", rank=pl.col("slot").cast(pl.Int64)).agg(*sums, many=pl.len())
            found.append(curve.with_columns(what=pl.lit("curve")))
        found.append(self._plateau(batch, measure, vectors, groups))
        return found if self.gain is None else [*found, *self._needed(batch, measure, own, groups, self.gain)]

    def _needed(
        self, batch: SessionBatch, measure: GainMeasure, own: pl.DataFrame, groups: pl.DataFrame, gain: float
    ) -> list[pl.DataFrame]:
        """How many results, queries and minutes units needed for a gain."""
        enough = own.filter(exact.reaches(pl.col("total"), exact.fixed(pl.lit(gain))))
        first = enough.group_by("unit", maintain_order=True).agg(pl.col("documents", "queries").first())
        needed = groups.join(first, on="unit", how="left")
        counts = {"results": needed.rename({"documents": "amount"})}
        if measure.level == "session":
            counts["queries"] = needed.rename({"queries": "amount"})
            if self.timed:
                counts["minutes"] = _minutes(batch, measure, needed)
        return [
            rows.group_by("group", rank="amount").agg(many=pl.len()).with_columns(what=pl.lit(along))
            for along, rows in counts.items()
        ]

    def _plateau(
        self, batch: SessionBatch, measure: GainMeasure, vectors: pl.DataFrame, groups: pl.DataFrame
    ) -> pl.DataFrame:
        """Where ideals stop rising, and what units have gained by then."""
        level = plateaus(batch, measure).join(groups, on="unit", how="inner")
        stop = pl.min_horizontal("plateau", pl.lit(int(measure.cutoff or 0), pl.Int64))
        at = level.with_columns(slot=stop.cast(pl.Int32))
        here = vectors.select("unit", "slot", "total", "ideal")
        at = at.join(here, on=["unit", "slot"], how="inner").filter(pl.col("ideal") > 0)
        share = exact.fixed(exact.quotient(pl.col("total"), pl.col("ideal"))).cast(pl.Int128)
        beyond = pl.when(pl.col("plateau") > pl.col("slot")).then(-1).otherwise(0).cast(pl.Int64)
        counts = at.with_columns(share=share, documents=beyond).group_by("group", "documents", rank="plateau")
        found = counts.agg(many=pl.len(), total=pl.col("share").sum().cast(pl.Decimal(38, 0)))
        return found.with_columns(what=pl.lit("plateau"))

    def _looked(self, batch: SessionBatch, chosen: pl.DataFrame) -> pl.DataFrame:
        """What the searcher looks at of the lists that were shown: results in ``total``, queries in ``ideal``."""
        selection = self.measure.selection
        lists = Lists(batch, selection).queries.select("session", "query_position", "length")
        lists = lists.join(chosen, on="session", how="inner", maintain_order="left")
        logged = chosen.filter(logged_sessions(batch, selection).gather(chosen["session"]))
        unit = logged if self.measure.level == "session" else lists
        counts = unit.group_by("group").agg(many=pl.len()).with_columns(what=pl.lit("units"))
        if self.searcher is None or not len(lists):
            return counts
        position = (
            lists["query_position"].to_numpy()
            if self.measure.level == "session"
            else np.ones(len(lists), dtype=np.int64)
        )
        length = lists["length"].to_numpy()
        seen = self.searcher.seen(int(position.max()), max(1, self.measure.cutoff or int(length.max(initial=1))))
        upto = np.concatenate([np.zeros((len(seen), 1)), seen.cumsum(axis=1)], axis=1)
        results = upto[position - 1, length]
        queries = (
            np.ones(len(lists))
            if self.searcher.queries is None
            else self.searcher.queries.seen(int(position.max()))[position - 1]
        )
        sums = lists.select("group").with_columns(total=pl.Series(results), ideal=pl.Series(queries))
        sums = sums.group_by("group").agg(
            exact.fixed(pl.col("total", "ideal")).sum().cast(pl.Decimal(38, 0)), many=pl.len()
        )
        return pl.concat([counts, sums.with_columns(what=pl.lit("looked"))], how="diagonal")


def _minutes(batch: SessionBatch, measure: GainMeasure, needed: pl.DataFrame) -> pl.DataFrame:
    """Whole minutes, rounded up, until the query that brought the gain was asked; sessions with a query without time are left out."""
    lists = Lists(batch, measure.selection, TIMES)
    asked = lists.queries.select("session", "query_position").with_columns(seconds=TimedLists(lists).issued)
    every = asked.group_by(unit="session").agg(known=pl.col("seconds").is_not_null().all())
    timed = needed.join(every.filter("known").select("unit"), on="unit", how="semi")
    places = asked.select("seconds", unit="session", queries=pl.col("query_position").cast(pl.Int64))
    found = timed.join(places, on=["unit", "queries"], how="left")
    return found.with_columns(amount=(pl.col("seconds") / 60).ceil().cast(pl.Int64))


def unit_vectors(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Cumulated sums of every unit that has judgments: sessions of a session measure, lists of one of queries.

    Returns
    -------
    polars.DataFrame
        ``unit``, ``session``, ``slot``, ``total``, ``ideal`` (cumulated, at the fixed scale), ``documents`` and
        ``queries`` (read up to this place; null beyond the unit's own end), ``length`` (results that the unit shows within
        the cutoff).
    """
    vectors = _sessions(batch, measure) if measure.level == "session" else _lists(batch, measure)
    return vectors.select("unit", "session", "slot", "total", "ideal", "documents", "queries", "length")


def _lengths(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """The lists that count: ``query``, ``session``, ``key``, ``length`` and ``before`` (results of the session's earlier
    lists).
    """
    lists = Lists(batch, measure.selection).queries.select("query", "session", "key", "length")
    before = (pl.col("length").cum_sum() - pl.col("length")).over("session")
    return lists.with_columns(before=before)


def _sessions(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Vectors of sessions."""
    known = sessions_with_judgments(batch, measure.selection)
    vectors = session_vectors(batch, measure)
    vectors = vectors.filter(known.gather(vectors["session"]))
    lengths = _lengths(batch, measure)
    places = lengths.with_columns(batch.queries["query_position"].gather(lengths["query"]))
    places = places.select("session", "query_position", "before", "length")
    whole = lengths.group_by("session").agg(pl.col("length").sum().alias("shown"))
    found = vectors.join(places, on=["session", "query_position"], how="left", maintain_order="left")
    found = found.join(whole, on="session", how="left", maintain_order="left")
    own = pl.col("slot") <= pl.col("own")
    return found.with_columns(
        unit="session",
        documents=pl.when(own).then(pl.col("before") + pl.min_horizontal(pl.col("rank"), pl.col("length"))),
        queries=pl.when(own).then(pl.col("query_position")).cast(pl.Int64),
        length=pl.col("shown").fill_null(0),
    )


def _lists(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Vectors of lists."""
    lists = _lengths(batch, measure).filter(pl.col("key").is_not_null())
    cutoff = int(measure.cutoff or 0)
    slots = pl.int_ranges(1, pl.lit(cutoff, pl.Int32) + 1, dtype=pl.Int32)
    places = lists.with_columns(slot=slots).explode("slot", empty_as_null=False)
    gaining = gaining_rows(batch, measure)
    require_numbers(measure, gaining)
    gained = gaining.select(
        "query", slot=pl.col("rank").cast(pl.Int32), total=exact.fixed(measure.contribution(pl.col("gain")))
    )
    best = ideal_list(batch, measure).filter(pl.col("rank") <= cutoff)
    best = best.select("key", "rank", ideal=exact.fixed(measure.contribution(pl.col("gain"))))
    best = best.rename({"rank": "slot"})
    found = places.join(gained, on=["query", "slot"], how="left", maintain_order="left")
    found = found.join(best, on=["key", "slot"], how="left", maintain_order="left")
    sums = [pl.col(name).fill_null(0).cum_sum().over("query") for name in ("total", "ideal")]
    own = pl.col("slot") <= pl.col("length")
    return found.with_columns(
        *sums,
        unit="query",
        documents=pl.when(own).then(pl.col("slot")).cast(pl.Int64),
        queries=pl.when(own).then(1).cast(pl.Int64),
    )


def plateaus(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Where the ideal of every unit stops rising: ``unit``, ``plateau`` (documents that gain in the recall base of its
    key; of a session the key of its first list).
    """
    best = ideal_list(batch, measure).group_by("key").agg(plateau=pl.col("rank").max().cast(pl.Int64))
    of = units(batch, measure.selection).filter(pl.col("key").is_not_null())
    if measure.level == "session":
        of = of.sort("query").unique("session", keep="first", maintain_order=True)
    name = "session" if measure.level == "session" else "query"
    found = of.select(pl.col(name).alias("unit"), "key").join(best, on="key", how="inner")
    return found.select("unit", "plateau")
