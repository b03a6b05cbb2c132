"""Effort as a task: how many documents and queries each unit needed for the gain that its ideal has at every rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.analysis.effort.vectors import plateaus, unit_vectors
from sessionkit.analysis.groups import Grouping
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.results_filter import logged_sessions
from sessionkit.scoring.searcher import Searcher

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
sums of the results and queries that a searcher looks at; ``units``: all units."""


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
    """

    measure: Measure
    grouping: Grouping
    searcher: Searcher | None
    reads: Mapping[str, Sequence[str]]

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every block is made of."""
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

    def part(self, block: SessionBatch) -> pl.DataFrame:
        """Counts and sums of the block's units."""
        chosen = self.grouping.sessions(block)
        every = [self._looked(block, chosen)]
        if self.curved is not None:
            every += self._read(block, chosen, self.curved)
        return pl.concat([PART.to_frame(), *every], how="diagonal_relaxed").select(PART.names()).cast(dict(PART))  # type: ignore[arg-type]

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        sums = pl.concat([PART.to_frame(), *parts]).with_columns(pl.col("total", "ideal").cast(pl.Int128))
        once = sums.group_by(COUNTED).agg(pl.col("many", "total", "ideal").sum())
        return once.select(PART.names()).cast(dict(PART))  # type: ignore[arg-type]

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The same as a part, of all sessions, in order."""
        return self.grouping.named(self.added([*parts])).sort(COUNTED)

    def _read(self, block: SessionBatch, chosen: pl.DataFrame, measure: GainMeasure) -> list[pl.DataFrame]:
        """Curves read horizontally, as means, and to the plateau."""
        vectors = unit_vectors(block, measure).join(chosen, on="session", how="inner", maintain_order="left")
        ends = vectors.group_by("unit", maintain_order=True).agg(pl.col("ideal").last().alias("end"))
        vectors = vectors.join(
            ends.filter(pl.col("end") > 0).select("unit"), on="unit", how="semi", maintain_order="left"
        )
        groups = vectors.select("unit", "group").unique("unit", maintain_order=True)
        own = vectors.filter(pl.col("documents").is_not_null())
        found = []
        for rank in range(1, int(measure.cutoff or 0) + 1):
            target = vectors.filter(pl.col("slot") == rank).select("unit", target="ideal")
            reached = own.join(target, on="unit").filter(pl.col("total") >= pl.col("target"), pl.col("target") > 0)
            first = reached.group_by("unit", maintain_order=True).agg(pl.col("documents", "queries").first())
            needed = groups.join(target.filter(pl.col("target") > 0).select("unit"), on="unit", how="semi")
            needed = needed.join(first, on="unit", how="left")
            counts = needed.group_by("group", "documents", "queries").agg(many=pl.len())
            found.append(counts.with_columns(what=pl.lit("reach"), rank=pl.lit(rank, pl.Int64)))
        sums = [pl.col(name).sum().cast(pl.Decimal(38, 0)) for name in ("total", "ideal")]
        if measure.level == "query":
            curve = vectors.group_by("group", rank=pl.col("slot").cast(pl.Int64)).agg(*sums, many=pl.len())
            found.append(curve.with_columns(what=pl.lit("curve")))
        found.append(self._plateau(block, measure, vectors, groups))
        return found

    def _plateau(
        self, block: SessionBatch, measure: GainMeasure, vectors: pl.DataFrame, groups: pl.DataFrame
    ) -> pl.DataFrame:
        """Where ideals stop rising, and what units have gained by then."""
        level = plateaus(block, measure).join(groups, on="unit", how="inner")
        stop = pl.min_horizontal("plateau", pl.lit(int(measure.cutoff or 0), pl.Int64))
        at = level.with_columns(slot=stop.cast(pl.Int32))
        here = vectors.select("unit", "slot", "total", "ideal")
        at = at.join(here, on=["unit", "slot"], how="inner").filter(pl.col("ideal") > 0)
        share = exact.fixed(exact.quotient(pl.col("total"), pl.col("ideal"))).cast(pl.Int128)
        beyond = pl.when(pl.col("plateau") > pl.col("slot")).then(-1).otherwise(0).cast(pl.Int64)
        counts = at.with_columns(share=share, documents=beyond).group_by("group", "documents", rank="plateau")
        found = counts.agg(many=pl.len(), total=pl.col("share").sum().cast(pl.Decimal(38, 0)))
        return found.with_columns(what=pl.lit("plateau"))

    def _looked(self, block: SessionBatch, chosen: pl.DataFrame) -> pl.DataFrame:
        """What the searcher looks at of the lists that were shown: results in ``total``, queries in ``ideal``."""
        selection = self.measure.selection
        lists = Lists(block, selection).queries.select("session", "query_position", "length")
        lists = lists.join(chosen, on="session", how="inner", maintain_order="left")
        logged = chosen.filter(logged_sessions(block, selection).gather(chosen["session"]))
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
