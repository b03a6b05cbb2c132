"""The finding of judge noise: its tables, its reading, and what they were made with."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.findings import TestedFinding
from sessionkit.analysis.paper_tables import chosen_columns, pair_words, pairs_named, worded
from sessionkit.display.tables import TextTable
from sessionkit.display.words import counted


@dataclass(frozen=True, eq=False, repr=False)
class JudgeNoise(TestedFinding):
    """What becomes of a comparison when judges err; made by `sessionkit.judge_noise`.

    Parameters
    ----------
    table
        A row per measure and pair of groups: ``difference`` (b minus a) and ``p`` with the original judgments; over
        draws ``mean``, ``sd``, ``low`` and ``high`` (the middle 95%) of the difference; ``winner_changes``, the share of
        draws in which the difference has not the same sign; ``significant``, that with p at most alpha; ``verdict_changes``,
        that in which this is another verdict than with the original judgments; ``draws``.
    order
        A row per measure: Kendall's tau-b of the order of the groups against that with the original judgments:
        mean ``tau``, ``low`` and ``high`` (the middle 95% of draws).
    errors
        What each grade becomes: ``grade``, ``becomes``, ``share``, ``n`` (what the share was estimated from).
    agreement
        How far assessors, searchers, and searchers and judgments agree: ``who``, ``judge_id``, ``other``, ``measure``,
        ``value``, ``n``; see `sessionkit.agreement`.
    reading
        The finding in plain language, a sentence or more per line.
    source
        Where the errors are from: ``"judges"``, ``"searchers"``, ``"declared"`` or ``"given"``.
    changed
        Share of the judgments that a draw is expected to change.
    design, population, test, by, confidence, draws, seed
        As in `sessionkit.judgment_loss`.
    left_out
        What was left out: ``what``, ``count``.
    """

    table: pl.DataFrame
    order: pl.DataFrame
    errors: pl.DataFrame
    agreement: pl.DataFrame
    left_out: pl.DataFrame
    reading: str
    source: str
    changed: float
    design: str
    population: str
    test: str
    by: str
    confidence: float
    draws: int
    seed: int

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name: ``pairs``, ``order``, ``errors``, ``agreement``, ``left_out``, ``settings``."""
        names = ["source", "changed", "design", "population", "test", "by", "confidence", "draws", "seed"]
        return {
            "pairs": self.table,
            "order": self.order,
            "errors": self.errors,
            "agreement": self.agreement,
            "left_out": self.left_out,
            "made_with": self.settings_table(names),
        }

    def paper_table(self) -> TextTable:
        """The pairs as papers print them: the difference and p, what becomes of it, and how often the verdict changes."""
        caption = (
            f"{pair_words(self.table)}, by {worded([self.by])}, when judges err (errors: {self.source}): {self.test} over "
            f"{self.population}, {counted(self.draws, 'draw')}"
        )
        lead, table = pairs_named(self.table)
        return chosen_columns(
            caption,
            table,
            [*lead, "difference", "p", "low", "high", "winner_changes", "verdict_changes"],
            headers={"winner_changes": "New sign", "verdict_changes": "New verdict"},
            note="From and to (the middle 95%), new sign and new verdict are of draws, against the original judgments.",
        )
