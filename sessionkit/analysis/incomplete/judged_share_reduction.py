"""What share of what was shown is judged: by rank, by query position, by both and in all, for every group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.analysis.groups import Grouping
from sessionkit.analysis.incomplete.totals import distinct
from sessionkit.display.natural_order import natural_sort
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.gain_histogram import DIRECT
from sessionkit.study.row_index import where

PLACE = ["group", "query_position", "rank"]
COUNTS = ["lists", "results", "judged", "pooled"]
SHOWN = pl.Schema(
    {"group": pl.String(), "query_position": pl.Int32(), "rank": pl.Int32(), **dict.fromkeys(COUNTS, pl.Int64())}
)
"""A part: counts per group, query position and rank; of rank 0 the logged lists, also those that showed nothing."""


@dataclass(frozen=True, eq=False)
class JudgedShareReduction:
    """Judged share of what was shown.

    Parameters
    ----------
    grouping
        The sessions and their groups.
    depth
        Ranks that are looked at; None, all.
    """

    grouping: Grouping
    depth: int | None = None

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return self.grouping.columns()

    @property
    def slots(self) -> int:
        """A query makes a row of its own."""
        return 1

    @property
    def columns_made(self) -> int:
        """Group, position and three counts."""
        return 5

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Counts of the batch's results and lists."""
        chosen = self.grouping.sessions(batch)
        row = where(chosen["session"], len(batch.sessions))
        group = chosen["group"].gather(row)
        looked_at = row.is_not_null()
        session = batch.queries["session"]
        queries = pl.DataFrame(
            [
                group.gather(session),
                batch.queries["query_position"].cast(pl.Int32),
                (batch.queries["logged"] & looked_at.gather(session)).alias("counts"),
            ]
        )
        lists = queries.filter("counts").group_by("group", "query_position").agg(lists=pl.len().cast(pl.Int64))
        return pl.concat(
            [SHOWN.to_frame(), self._shown(batch, queries), lists.with_columns(rank=pl.lit(0, pl.Int32))],
            how="diagonal",
        )

    def _shown(self, batch: SessionBatch, queries: pl.DataFrame) -> pl.DataFrame:
        """Counts of results per group, query position and rank: by the number of these three, of which there are few."""
        rows = batch.results.select("query", "rank", "judgment")
        if self.depth is not None:
            rows = rows.filter(pl.col("rank") <= self.depth)
        rows = rows.filter(queries["counts"].gather(rows["query"]))
        alike = queries.select("group", "query_position").unique(maintain_order=True).with_row_index("place")
        of_query = queries.join(
            alike, on=["group", "query_position"], nulls_equal=True, how="left", maintain_order="left"
        )
        wide = int(rows["rank"].to_numpy().max(initial=0)) + 1
        at = of_query["place"].to_numpy().astype(np.int64)[rows["query"].to_numpy()] * wide + rows["rank"].to_numpy()
        known, at = (np.arange(len(alike) * wide), at) if len(alike) * wide <= DIRECT else distinct(at)
        pair = rows["judgment"].is_not_null().to_numpy()
        grade = batch.judged.grade
        judged = (
            grade.is_not_null().gather(rows["judgment"]).fill_null(value=False).to_numpy()
            if grade.null_count()
            else pair
        )
        counts = {
            name: np.bincount(at if which is None else at[which], minlength=len(known)).astype(np.int64)
            for name, which in (("results", None), ("judged", judged), ("pooled", pair & ~judged))
        }
        frame = pl.DataFrame([alike["group"].gather(known // wide), alike["query_position"].gather(known // wide)])
        frame = frame.with_columns(
            pl.Series("rank", known % wide, dtype=pl.Int32), **{k: pl.Series(v) for k, v in counts.items()}
        )
        return frame.filter(pl.col("results") > 0)

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        together = pl.concat([SHOWN.to_frame(), *parts])
        return together.group_by(PLACE).agg(pl.col(COUNTS).sum()).select(SHOWN.names())

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """``group``, ``query_position`` and ``rank`` (null: all of them), ``lists``, ``results``, ``judged``, ``share``."""
        added = self.grouping.named(self.added([*parts]))
        shown = added.filter(pl.col("rank") > 0)
        lists = added.filter(pl.col("rank") == 0)
        every = []
        for by in ([], ["query_position"], ["rank"], ["query_position", "rank"]):
            counts = shown.group_by("group", *by).agg(pl.col("results", "judged", "pooled").sum())
            if "rank" in by:
                counts = counts.with_columns(lists="results")  # a list has one result at a rank
            else:
                many = lists.group_by("group", *by).agg(pl.col("lists").sum())
                counts = many.join(counts, on=["group", *by], how="left", nulls_equal=True)
                counts = counts.with_columns(pl.col("results", "judged", "pooled").fill_null(0))
            every.append(counts)
        found = pl.concat([SHOWN.to_frame(), *every], how="diagonal").with_columns(
            share=exact.quotient(pl.col("judged"), pl.col("results"))
        )
        return natural_sort(found.select(*PLACE, *COUNTS, "share").sort(PLACE, nulls_last=False), "group")
