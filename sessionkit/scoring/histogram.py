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

from sessionkit.errors import MeasureError
from sessionkit.plugins import Blame, file_of, is_foreign, module_of
from sessionkit.scoring import exact
from sessionkit.scoring.batch import HasGain, SessionBatch, gain_name
from sessionkit.scoring.filter import Selection, counted_rows, relevant_pairs, relevant_rows
from sessionkit.scoring.gains import gain_expr

DIRECT = 2**22
"""Cells that are laid out without looking which of them occur, where there are no more."""


class HasContribution(HasGain, Protocol):
    """A measure that adds up what each result contributes by its gain, rank and query position."""

    def contribution(self, gain: pl.Expr) -> pl.Expr:
        """What a result adds, from its gain and the columns ``rank`` and ``query_position``."""


def require_numbers(measure: HasContribution, rows: pl.DataFrame, gain: pl.Expr | None = None) -> None:
    """Refuse a measure of another module where it adds no number, such as by a discount that is infinite at a rank.

    Parameters
    ----------
    rows
        ``query_position``, ``rank`` and, without `gain`, ``gain`` of results.
    """
    if not is_foreign(type(measure)):
        return
    said = f"the measure {measure} (module {module_of(type(measure))})"
    places = rows if "offset" in rows.columns else rows.with_columns(offset=pl.lit(0, pl.Int64))
    with Blame(f"{said} fails", MeasureError, file_of(type(measure))):
        added = measure.contribution(pl.col("gain") if gain is None else gain).cast(pl.Float64)
        found = places.select("query_position", "rank", added=added)
    for query, rank, value in found.filter(~(pl.col("added").abs() < exact.LARGEST_GAIN)).head(1).rows():
        told = f"{said} adds {value} at rank {rank} of query {query}"
        raise MeasureError(f"{told}; give a number between -2^30 and 2^30")


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
            What `sessionkit.scoring.filter.counted_rows` returns, where it is at hand.
        """
        gains = frozenset(map(gain_name, measures))
        # those of others; of our own a score is spared the question
        foreign = [measure for measure in measures if not type(measure).__module__.startswith("sessionkit.")]
        last: LastHistogram | None = batch.memo.find(LastHistogram)
        if last is not None and last.selection != selection:
            last = None
        if last is not None and gains <= last.gains:
            if foreign:
                last.histogram.require_numbers(foreign)
            return last.histogram
        relevant = relevant_pairs(batch, selection, measures)
        if last is not None and relevant is not None and last.pairs is not None and relevant.equals(last.pairs):
            last = LastHistogram(selection, gains | last.gains, relevant, last.histogram)
        else:
            rows = counted_rows(batch, selection) if rows is None else rows
            last = LastHistogram(selection, gains, relevant, cls._made(relevant_rows(batch, selection, measures, rows)))
        batch.memo.keep(LastHistogram, last)  # of one selection: a curve has that of what is scored, or makes its own
        if foreign:
            last.histogram.require_numbers(foreign)
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

    def require_numbers(self, measures: Sequence[HasContribution]) -> None:
        """Refuse measures of other modules that add no number for a cell."""
        for measure in measures:
            require_numbers(measure, self.places, gain_expr(pl.col("grade"), measure.gain, measure.min_grade))

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
