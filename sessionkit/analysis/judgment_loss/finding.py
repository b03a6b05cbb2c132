"""The finding of judgment loss: its tables, its reading, and what they were made with."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.findings import TestedFinding
from sessionkit.analysis.paper_tables import chosen_columns, range_text, worded
from sessionkit.display.tables import TextTable


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentLoss(TestedFinding):
    """What becomes of a comparison when judgments are lost; made by `sessionkit.judgment_loss`.

    Parameters
    ----------
    table
        A row per measure and fraction: ``measure``; ``fraction`` of the judgments asked for; ``judged``, the share that
        is really kept, since every key keeps a few; ``tau``: Kendall's tau-b of the order of the groups against that
        with all judgments, its mean over draws, ``tau_low`` and ``tau_high`` the least and most of any draw; ``winner``:
        share of draws with the same best group; ``value``, the mean of the groups' means, and ``drift``, by how much
        that moves; ``draws``. Null where nothing can be said, as where all groups are tied.
    knees
        A row per measure: ``knee``, the smallest fraction from which on the mean tau stays at the threshold or above, with
        the share ``knee_judged`` that is really judged there; ``knee_low`` and ``knee_high``, the same of single draws;
        ``first_above``, the smallest fraction whose mean tau exceeds it (the knee of SIGIR 2007); ``accuracy_knee``, as
        ``knee`` for the accuracy of verdicts (SIGIR 2007 does not say at what threshold it takes that one).
    confusion
        A row per measure and fraction, over pairs and draws: verdicts ``kept`` (not significant with all judgments nor
        with some), ``gained`` (significant with some only), ``lost`` (with all only), ``found`` (with both) and of
        these ``turned`` (with the other sign); ``accuracy`` = (kept + found) / all; ``true_positive`` = kept / (kept +
        gained); ``false_positive_rate`` = lost / (lost + found); ``precision`` = kept / (kept + lost); ``g_mean``, the
        geometric mean of ``true_positive`` and ``precision``. As in the paper, positive means
        that the hypothesis of no difference stands.
    pairs
        A row per measure, pair and fraction: ``difference`` (b less a) and ``p`` with all judgments; with some: ``mean``
        difference, ``low`` and ``high`` (of draws), ``same_sign`` (share of draws), ``median_p``, ``significant`` (share of draws
        with p at most alpha).
    reading
        The finding in plain language, a sentence or more per line.
    design, population, test
        The design as read from the data, what the units are, the test of each pair.
    by, pool, min_grade, confidence, threshold, draws, times, seed
        As asked for; ``times`` is how many draws each pair had.
    left_out
        What was left out: ``what``, ``count``.
    """

    table: pl.DataFrame
    knees: pl.DataFrame
    confusion: pl.DataFrame
    pairs: pl.DataFrame
    left_out: pl.DataFrame
    reading: str
    design: str
    population: str
    test: str
    by: str
    pool: str
    min_grade: float
    confidence: float
    threshold: float
    draws: int
    times: int
    seed: int

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name: ``agreement``, ``knees``, ``confusion``, ``pairs``, ``left_out``, ``settings``."""
        names = [
            "design",
            "population",
            "test",
            "by",
            "pool",
            "min_grade",
            "confidence",
            "threshold",
            "draws",
            "times",
            "seed",
        ]
        return {
            "agreement": self.table,
            "knees": self.knees,
            "confusion": self.confusion,
            "pairs": self.pairs,
            "left_out": self.left_out,
            "made_with": self.settings_table(names),
        }

    def paper_table(self) -> TextTable:
        """The order of the groups by share of judgments as papers print it."""
        measures = self.table["measure"].unique(maintain_order=True)
        caption = (
            f"{f'{measures[0]}: order' if len(measures) == 1 else 'Order'} of groups by {worded([self.by])} with fewer judgments, "
            f"against all of them; {range_text(self.table['draws'])} draws"
        )
        lead = ["measure"] if len(measures) > 1 else []
        headers = {"fraction": "Judgments", "tau": "Mean tau-b", "tau_low": "Least", "tau_high": "Most"}
        columns = [*lead, "fraction", "judged", "tau", "tau_low", "tau_high", "winner"]
        note = "Judgments: the share asked for; judged: the share kept. Same winner: share of draws."
        return chosen_columns(caption, self.table, columns, headers=headers, note=note, decimals=2)
