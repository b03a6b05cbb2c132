"""The results that gain, in cells of the same contribution: same query position, rank and grade.

What a result contributes depends on nothing else, so that a measure is worked out once per cell, of which there are a
few hundred, and looked up for each of millions of results. Means over groups of sessions need no more than how many
results of a group each cell holds, for any number of measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.graded_pairs import HasGain, gain_name
from sessionkit.scoring.results_filter import counted_rows, relevant_pairs, relevant_rows
from sessionkit.scoring.selection import Selection

DIRECT = 2**22
"""Cells that are laid out without looking which of them occur, where there are no more."""


class HasContribution(HasGain, Protocol):
    """A measure that adds up what each result contributes by its gain, rank and query position."""

    def contribution(self, gain: pl.Expr) -> pl.Expr:
        """What a result adds, from its gain and the columns ``rank`` and ``query_position``."""


@dataclass(frozen=True, eq=False)
class GainHistogram:
    """Results that gain something, each in its cell.

    Parameters
    ----------
    places
        ``query_position``, ``rank`` and ``grade`` of every cell.
    rows
        ``query``, ``session`` and ``cell`` (row of `places`) of every result.
    """

    places: pl.DataFrame
    rows: pl.DataFrame

    @classmethod
    def of(
        cls,
        batch: SessionBatch,
        selection: Selection,
        measures: Sequence[HasContribution],
        rows: pl.DataFrame | None = None,
    ) -> GainHistogram:
        """Sort the results that count and gain something under any of some measures into cells.

        The batch keeps them, for a curve that is drawn of what is scored, and for measures of other gains under which the
        same documents gain.

        Parameters
        ----------
        rows
            What `sessionkit.scoring.results_filter.counted_rows` returns, where it is at hand.
        """
        gains = frozenset(map(gain_name, measures))
        last: LastHistogram | None = batch.memo.find(LastHistogram)
        if last is not None and last.selection != selection:
            last = None
        if last is not None and gains <= last.gains:
            return last.histogram
        relevant = relevant_pairs(batch, selection, measures)
        if last is not None and relevant is not None and last.pairs is not None and relevant.equals(last.pairs):
            last = LastHistogram(selection, gains | last.gains, relevant, last.histogram)
        else:
            rows = counted_rows(batch, selection) if rows is None else rows
            last = LastHistogram(selection, gains, relevant, cls._made(relevant_rows(batch, selection, measures, rows)))
        batch.memo.keep(LastHistogram, last)  # of one selection: a curve has that of what is scored, or makes its own
        return last.histogram

    @classmethod
    def _made(cls, rows: pl.DataFrame) -> GainHistogram:
        """Sort results into cells."""
        grades = rows.get_column("grade").unique().sort()
        code = np.searchsorted(grades.to_numpy(), rows.get_column("grade").to_numpy())
        position, rank = (rows.get_column(name).to_numpy().astype(np.int64) - 1 for name in ("query_position", "rank"))
        shape = (int(position.max(initial=0)) + 1, int(rank.max(initial=0)) + 1, max(len(grades), 1))
        cell = (position * shape[1] + rank) * shape[2] + code
        cells = np.arange(np.prod(shape)) if float(np.prod(shape, dtype=float)) <= DIRECT else None
        if cells is None:
            cells, cell = np.unique(cell, return_inverse=True)
        at, of_grade = np.divmod(cells, shape[2])
        of_position, of_rank = np.divmod(at, shape[1])
        places = pl.DataFrame(
            {
                "query_position": (of_position + 1).astype(np.int32),
                "rank": (of_rank + 1).astype(np.int32),
                "grade": grades.gather(of_grade) if len(grades) else pl.Series([0.0] * len(cells)),
            }
        )
        return cls(places, rows.select("query", "session", cell=pl.Series(cell.astype(np.uint32))))

    def contributions(self, measures: Sequence[HasContribution]) -> pl.DataFrame:
        """What a result of each cell contributes to each measure, at the fixed scale, in columns by name."""
        gains = [gain_expr(pl.col("grade"), measure.gain, measure.min_grade) for measure in measures]
        return self.places.select(
            exact.fixed(measure.contribution(gain)).alias(str(measure))
            for measure, gain in zip(measures, gains, strict=True)
        )

    def sums(self, by: str, measures: Sequence[HasContribution]) -> pl.DataFrame:
        """Sum of the contributions to each measure per ``session`` or ``query`` that has any, in columns by name."""
        added = self.contributions(measures).select(pl.all().gather(self.rows.get_column("cell")))
        return self.rows.select(by).hstack(added).lazy().group_by(by).agg(pl.all().sum()).collect()

    def held(self, group: pl.Series) -> pl.DataFrame:
        """How many results each cell holds of each group of sessions: ``group``, ``cell``, ``many``.

        Parameters
        ----------
        group
            The group's number of every session of the batch; null for sessions that do not count.
        """
        rows = pl.DataFrame([group.gather(self.rows.get_column("session")).alias("group"), self.rows["cell"]])
        return rows.lazy().drop_nulls().group_by("group", "cell").agg(many=pl.len().cast(pl.Int128)).collect()

    def sums_of_groups(self, group: pl.Series, measures: Sequence[HasContribution]) -> pl.DataFrame:
        """Sum of the contributions to each measure over groups of sessions (see `held`): ``group`` and columns by name."""
        held = self.held(group)
        worth = self.contributions(measures).select(pl.all().gather(held.get_column("cell")) * held.get_column("many"))
        return held.select("group").hstack(worth).group_by("group").agg(pl.all().sum())


@dataclass(frozen=True, eq=False)
class LastHistogram:
    """The histogram that was made of a batch last: of which results, and under which gains they gain something."""

    selection: Selection
    gains: frozenset[str]
    pairs: pl.Series | None
    histogram: GainHistogram
