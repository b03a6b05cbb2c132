"""Sums over cells: how many results of each unit gain alike, counted once, from which any number of settings follows.

What a result contributes to a plain sum depends on its query position, rank and grade only. The log is read once to count
the results of every unit in each such cell; the sums of a setting are these counts times what one result of each cell
contributes to it. They are worked out in whole numbers that doubles hold exactly, so that they are the same bits as
those of `sessionkit.score`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from sessionkit.scoring import exact as exact_sums
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.execution import adds_up
from sessionkit.scoring.gain_histogram import GainHistogram
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.results_filter import defined_sessions
from sessionkit.scoring.selection import Selection

PLACE = ["query_position", "rank", "grade"]
UNIT = ["unit", "group"]
SCHEMA = pl.Schema(
    {
        **dict.fromkeys(UNIT, pl.String()),
        **dict.fromkeys(PLACE[:2], pl.Int32()),
        "grade": pl.Float64(),
        **dict.fromkeys(("many", "n", "undefined"), pl.Int64()),
    }
)
EXACT = 52
"""Bits of a whole number that a double holds, less one."""
CELLS = 2**24
"""Numbers that are worked out at once."""


@dataclass(frozen=True)
class Kind:
    """What measures must share to be worked out from the same counts."""

    selection: Selection
    unjudged_topics: str

    @classmethod
    def of(cls, measure: Measure) -> Kind | None:
        """The kind of a measure; None if it is no plain sum."""
        if not adds_up(measure):
            return None
        return cls(measure.selection, measure.inner.unjudged_topics)


@dataclass(frozen=True, eq=False)
class HistogramReduction:
    """Count the results of every unit by their cells, and its sessions.

    Parameters
    ----------
    kind
        What the measures share.
    measures
        Measures with every gain that is asked for.
    column
        Column of the sessions or users that names the group.
    unit
        Column that names the unit within the group, ``session_id`` among them; None, the group is the unit.
    reads
        Columns to read, by table.
    """

    kind: Kind
    measures: tuple[GainMeasure, ...]
    column: str
    unit: str | None
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)

    slots = 0
    columns_made = 1

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return self.reads

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Counts of a batch: rows of cells with ``many``, and rows of units with ``n`` and ``undefined`` sessions."""
        selection = self.kind.selection
        defined = defined_sessions(batch, self.measures[0])
        cells = GainHistogram.of(batch, selection, self.measures)
        unit = pl.lit(None, pl.String) if self.unit is None else pl.col(self.unit).cast(pl.String)
        named = batch.features.select(unit=unit, group=pl.col(self.column).cast(pl.String))
        distinct = named.unique(maintain_order=True).with_row_index("number")
        number = named.join(distinct, on=UNIT, how="left", nulls_equal=True, maintain_order="left")["number"]
        held = cells.held(pl.select(pl.when(defined).then(number)).to_series())
        of_cells = held.select(
            pl.col("group").alias("number"),
            *(cells.places[name].gather(held["cell"]) for name in PLACE),
            pl.col("many").cast(pl.Int64),
        )
        sessions = pl.DataFrame([number, defined.alias("defined")]).group_by("number")
        of_units = sessions.agg(
            n=pl.col("defined").sum().cast(pl.Int64), undefined=(~pl.col("defined")).sum().cast(pl.Int64)
        )
        both = pl.concat([of_cells, of_units], how="diagonal")
        return both.join(distinct, on="number").select(SCHEMA.names()).cast(dict(SCHEMA))  # type: ignore[arg-type]

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        together = pl.concat([SCHEMA.to_frame(), *parts])
        return together.group_by(*UNIT, *PLACE).agg(pl.col("many", "n", "undefined").sum()).select(SCHEMA.names())

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The counts of all sessions, in the order of their units and cells."""
        return self.added([*parts]).sort(*UNIT, *PLACE, nulls_last=True)


@dataclass(frozen=True, eq=False)
class HistogramSums:
    """The counts of all sessions whose group is known."""

    counts: pl.DataFrame
    _last: dict[tuple[GainMeasure, ...], pl.DataFrame] = field(default_factory=dict, repr=False)

    @cached_property
    def units(self) -> pl.DataFrame:
        """``unit``, ``group``, ``n``, ``undefined``, in order."""
        known = self.counts.filter(pl.col("rank").is_null(), pl.col("group").is_not_null())
        return known.select(*UNIT, "n", "undefined")

    def sums(self, measures: Sequence[GainMeasure]) -> np.ndarray:
        """Sum of every unit (rows) by each measure (columns)."""
        return self._exact(self._matrix, measures)

    def group_sums(self, measures: Sequence[GainMeasure], groups: Sequence[str]) -> np.ndarray:
        """Sum of every group (rows) by each measure (columns)."""
        from scipy.sparse import csr_matrix

        number = self.units["group"].replace_strict(groups, range(len(groups)), return_dtype=pl.Int64).to_numpy()
        shape = (len(groups), len(number))
        members = csr_matrix((np.ones(len(number)), (number, np.arange(len(number)))), shape=shape)
        return self._exact(members @ self._matrix, measures)

    @cached_property
    def _places(self) -> pl.DataFrame:
        """The cells that occur."""
        return self._rows.select(PLACE).unique(maintain_order=True)

    @cached_property
    def _rows(self) -> pl.DataFrame:
        """The rows of cells."""
        return self.counts.filter(pl.col("rank").is_not_null(), pl.col("group").is_not_null())

    @cached_property
    def _matrix(self):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a sparse matrix
        """How many results each unit (row) has in each cell (column)."""
        from scipy.sparse import csr_matrix

        unit = self._rows.join(
            self.units.select(UNIT).with_row_index("row"), on=UNIT, how="left", nulls_equal=True, maintain_order="left"
        )
        cell = self._rows.join(
            self._places.with_row_index("cell"), on=PLACE, how="left", nulls_equal=True, maintain_order="left"
        )
        at = (unit["row"].to_numpy(), cell["cell"].to_numpy())
        return csr_matrix((self._rows["many"].to_numpy().astype(float), at), shape=(len(self.units), len(self._places)))

    def _worth(self, cells: GainHistogram, measures: tuple[GainMeasure, ...]) -> pl.DataFrame:
        """What one result of each cell contributes; groups and units ask for the same measures one after the other."""
        if measures not in self._last:
            self._last.clear()
            self._last[measures] = cells.contributions(measures)
        return self._last[measures]

    def _exact(self, matrix: Any, measures: Sequence[GainMeasure]) -> np.ndarray:  # noqa: ANN401 - a sparse matrix
        """Counts times contributions, exact: in limbs so short that no sum of them outgrows a double."""
        rows, many = matrix.shape[0], len(measures)
        found = np.zeros((rows, many))
        most = int(matrix.sum(axis=1).max()) if matrix.nnz else 0
        if not most:
            return found
        bits = EXACT - most.bit_length()
        step = max(1, CELLS // max(rows, matrix.shape[1]))
        cells = GainHistogram(self._places, pl.DataFrame())
        for first in range(0, many, step):
            worth = self._worth(cells, tuple(measures[first : first + step]))
            largest = max(int(value) for value in worth.max().row(0))
            total = [pl.lit(0, pl.Int128) for _ in worth.columns]
            limbs: dict[str, pl.Series] = {}
            for limb in range(-(-largest.bit_length() // bits)):
                low = worth.select((pl.all() // 2 ** (bits * limb) % 2**bits).cast(pl.Int64)).to_numpy()
                sums = (matrix @ low.astype(float)).astype(np.int64)
                for number in range(len(worth.columns)):
                    name = f"{number} {limb}"
                    limbs[name] = pl.Series(name, sums[:, number])
                    total[number] = total[number] + pl.col(name).cast(pl.Int128) * 2 ** (bits * limb)
            wide = pl.DataFrame(limbs) if limbs else pl.DataFrame({"none": [0] * rows})
            exact = wide.select(exact_sums.unfixed(sum_).alias(str(number)) for number, sum_ in enumerate(total))
            found[:, first : first + step] = exact.to_numpy()
        return found
