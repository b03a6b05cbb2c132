"""The unjudged results of a batch that count under a selection, in arrays that all measures of the selection share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from sessionkit.analysis.incomplete.totals import places
from sessionkit.analysis.incomplete.unjudged_documents import Unjudged
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.gain_histogram import DIRECT, GainHistogram
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.measures.base import GainMeasure
from sessionkit.scoring.results_filter import every_row, gaining_rows
from sessionkit.scoring.selection import Selection
from sessionkit.scoring.slots import with_offsets


@dataclass(frozen=True, eq=False)
class OpenRows:
    """Unjudged results, in the order in which they were shown.

    Parameters
    ----------
    batch
        The batch that they belong to.
    frame
        ``query``, ``session``, ``query_position``, ``rank``.
    row
        Of each result its row in the batch.
    pair
        Its number, in the pool.
    """

    batch: SessionBatch
    frame: pl.DataFrame
    row: np.ndarray
    pair: np.ndarray

    @classmethod
    def of(cls, unjudged: Unjudged, selection: Selection) -> OpenRows:
        """Those that count under a selection and are no document again that gains once; made once for each selection."""
        if ("rows", selection) not in unjudged.beside:
            unjudged.beside["rows", selection] = cls._made(unjudged, selection)
        made: OpenRows = unjudged.beside["rows", selection]
        return made

    @classmethod
    def _made(cls, unjudged: Unjudged, selection: Selection) -> OpenRows:
        """The same."""
        batch = unjudged.supposing(0.0)
        results = batch.results.with_row_index("row")
        by_text = selection.duplicates == "first" and batch.own_keys
        if selection.depth == "all" and not by_text:  # no other result decides which of them count
            results = _unknown(results, unjudged.unknown)
        rows = every_row(replace(batch, results=results), selection)
        rows = _unknown(rows.filter("first"), unjudged.unknown)
        frame = rows.select("query", "session", "query_position", "rank")
        return cls(batch, frame, rows["row"].to_numpy(), rows["judgment"].to_numpy().astype(np.int64))

    def number(self, by: str) -> np.ndarray:
        """Number of the ``query`` or ``session`` of every result."""
        return self.frame[by].to_numpy().astype(np.int64)

    @cached_property
    def documents(self) -> tuple[np.ndarray, np.ndarray]:
        """Each document of each session once: for every result its number among them, and of each its first result."""
        return places(self.number("session") * 2**32 + self.pair)

    def worth(self, measure: GainMeasure, gain: float) -> np.ndarray:
        """What every result would add to a measure if it gained so much."""
        if measure.ranks_along_session:
            return _contributions(with_offsets(self.batch, self.frame, measure), measure, gain)
        every, of = self._places
        found: np.ndarray = _contributions(every, measure, gain)[of]
        return found

    @cached_property
    def _places(self) -> tuple[pl.DataFrame, np.ndarray]:
        """The query positions and ranks that there are, and which every result has."""
        position, rank = (self.frame[name].to_numpy().astype(np.int64) - 1 for name in ("query_position", "rank"))
        wide, long = int(rank.max(initial=0)) + 1, int(position.max(initial=0)) + 1
        of = position * wide + rank
        every = np.arange(wide * long)
        if len(every) > max(DIRECT, len(of)):
            every, of = np.unique(of, return_inverse=True)
        columns = {"query_position": every // wide + 1, "rank": every % wide + 1}
        return pl.DataFrame(columns).cast(pl.Int32), of


def known_worth(batch: SessionBatch, measure: GainMeasure, by: str) -> tuple[np.ndarray, np.ndarray]:
    """Of every judged result that gains something its ``query`` or ``session``, and what it adds to a measure."""
    if measure.ranks_along_session:
        rows = with_offsets(batch, gaining_rows(batch, measure), measure)
        added = rows.with_columns(worth=measure.contribution(pl.col("gain")))["worth"]
        return rows[by].to_numpy().astype(np.int64), added.to_numpy()
    cells = GainHistogram.of(batch, measure.selection, [measure])
    gain = gain_expr(pl.col("grade"), measure.gain, measure.min_grade)
    worth = cells.places.with_columns(worth=measure.contribution(gain))["worth"].fill_null(0.0).to_numpy()
    return cells.rows[by].to_numpy().astype(np.int64), worth[cells.rows["cell"].to_numpy()]


def _contributions(rows: pl.DataFrame, measure: GainMeasure, gain: float) -> np.ndarray:
    """What rows would add if each gained so much."""
    found: np.ndarray = rows.with_columns(worth=measure.contribution(pl.lit(gain)))["worth"].to_numpy()
    return found


def _unknown(rows: pl.DataFrame, unknown: pl.Series) -> pl.DataFrame:
    """The results whose pair has no grade; those without a pair are none."""
    rows = rows.filter(pl.col("judgment").is_not_null())
    return rows.filter(unknown.gather(rows["judgment"]))
