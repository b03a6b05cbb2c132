"""How many results were shown within a measure's cutoff, and how many of them are judged, for every unit of a block."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.results_filter import judged_shown, results_shown
from sessionkit.scoring.selection import Selection


class ResultCounts:
    """Results shown and judged of every unit of a block, counted once for measures that look as deep."""

    def __init__(self, block: SessionBatch, by: str) -> None:
        """Count nothing yet."""
        self.block, self.by = block, by
        self.shown: dict[Selection, pl.Series] = {}
        self.judged: dict[Selection, pl.Series] = {}

    def beside(self, measure: Measure, found: pl.DataFrame) -> pl.DataFrame:
        """Put beside a measure's values ``results``, shown within the cutoff, and ``judged``, those that are judged.

        Where the measure has counted the judged ones itself, in the places where they were shown, they are not counted
        again.
        """
        selection = replace(Selection.of(measure.inner), duplicates="all")
        if selection not in self.shown:
            self.shown[selection] = results_shown(self.block, selection, self.by).alias("results")
        if selection.unjudged == "zero" and "judged" in found.columns:
            return found.with_columns(self.shown[selection], pl.col("judged").fill_null(0))
        if selection not in self.judged:
            self.judged[selection] = judged_shown(self.block, selection, self.by).alias("judged")
        return found.with_columns(self.shown[selection], self.judged[selection])
