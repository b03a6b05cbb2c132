"""The finding of a comparison: its table, its reading, and what it was made with."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from sessionkit.analysis.compare.corrections import Family
from sessionkit.analysis.findings import Finding

TABLE = pl.Schema(
    {
        **dict.fromkeys(("measure", "a", "b"), pl.String()),
        **dict.fromkeys(("n_a", "n_b"), pl.Int64()),
        **dict.fromkeys(("estimate", "low", "high", "statistic", "df", "p", "p_adjusted"), pl.Float64()),
        **dict.fromkeys(("effect", "effect_low", "effect_high", "relative"), pl.Float64()),
        "mark": pl.String(),
        **dict.fromkeys(("mean_a", "mean_b", "raw_difference"), pl.Float64()),
        **dict.fromkeys(("wins", "ties", "losses"), pl.Int64()),
        "detectable": pl.Float64(),
    }
)
OVERALL = pl.Schema(
    {
        "measure": pl.String(),
        "test": pl.String(),
        **dict.fromkeys(("statistic", "df", "df_error", "p"), pl.Float64()),
    }
)
DROPPED = pl.Schema({"measure": pl.String(), "what": pl.String(), "count": pl.Int64()})


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Finding):
    """Groups of sessions compared; made by `sessionkit.compare`.

    Parameters
    ----------
    table
        A row per measure and pair of groups, differences being b less a: ``measure``, ``a``, ``b``; ``n_a``, ``n_b``
        (units of each). What belongs together: ``estimate`` (of the estimand) with its interval ``low`` to ``high`` (null:
        without end), ``statistic``, ``df``, ``p`` and ``p_adjusted``, ``effect``, ``effect_low``, ``effect_high``, and
        ``relative`` (the estimate as a share of a's mean; null where that mean is within four of its standard errors over
        units of 0) with Sparck Jones' ``mark`` (``material`` above 10 %, ``noticeable`` from 5 %, else ``not
        noticeable``). What was averaged, adjusted for nothing: ``mean_a``, ``mean_b``, ``raw_difference``. Then ``wins``,
        ``ties``, ``losses`` (units for b, for neither, for a; of a crossover, users); ``detectable``: the true difference
        that this comparison would find with a chance of .8, by the noncentral t. Null where there is nothing to test; a
        note says why.
    overall
        Tests of all groups at once, where there are more than two: ``measure``, ``test``, ``statistic``, ``df``,
        ``df_error``, ``p``.
    order
        Period and carry-over: ``measure``, ``check``, ``statistic`` (F), ``df``, ``df_error``, ``p``; empty where the
        order of sessions is unknown.
    dropped
        What was left out: ``measure``, ``what``, ``count``.
    reading
        The finding in plain language, a sentence or more per line.
    design, claim, population, estimand
        The design as read from the data, what the claim goes beyond, whom it is about, and what is estimated.
    test, effect
        The test and the effect size, by their whole names.
    notes
        What a reader of the numbers should know.
    by, correction, alpha, resamples, seed
        As asked for.
    family
        The p-values that were corrected together: ``number``, ``correction``, ``at_once`` (each for all pairs of a
        measure), and ``told``, which says it.
    interval_rate
        Error rate of each interval: less than alpha where they hold together.
    """

    table: pl.DataFrame
    overall: pl.DataFrame
    order: pl.DataFrame
    dropped: pl.DataFrame
    reading: str
    design: str
    claim: str
    population: str
    estimand: str
    test: str
    effect: str
    by: str
    correction: str
    alpha: float
    family: Family
    interval_rate: float
    resamples: int
    seed: int
    notes: tuple[str, ...] = field(default=())

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name: ``pairs``, ``overall``, ``order``, ``dropped``, and ``settings`` as names and values."""
        names = ["design", "claim", "population", "estimand", "test", "effect", "by", "correction", "alpha"]
        names += ["interval_rate", "resamples", "seed"]
        settings = self.settings_table(names)
        return {
            "pairs": self.table,
            "overall": self.overall,
            "order": self.order,
            "dropped": self.dropped,
            "settings": settings,
        }
