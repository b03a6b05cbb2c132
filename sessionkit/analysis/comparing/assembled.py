"""The table of all measures: p-values corrected together, intervals that match them, and what could have been found."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from sessionkit.analysis.comparing.comparison import OVERALL, TABLE
from sessionkit.analysis.comparing.corrections import adjusted, interval_rate
from sessionkit.analysis.comparing.findings import Pair, agreed
from sessionkit.analysis.comparing.procedures import Options, Procedure
from sessionkit.analysis.comparing.rows import Compared, Row

POWER = 0.8
"""Chance with which a difference is to be found for it to count as detectable."""


def assembled(
    found: Sequence[Compared], test: Procedure, correction: str, options: Options
) -> tuple[pl.DataFrame, float, int]:
    """Correct over all measures and pairs.

    Returns
    -------
    tuple
        The table; the error rate of each interval; how many p-values were corrected for: of a test that holds for all
        pairs of a measure at once, the measures, by Bonferroni's rule (Holm's steps do not hold for sets of pairs).
    """
    rows = [row for part in found for row in part.rows]
    tested = [row for row in rows if row.pair is not None and row.pair.p is not None]
    p = [row.pair.p for row in tested if row.pair is not None and row.pair.p is not None]
    together = len(rows) > len(found) and test.simultaneous
    if together and correction != "none":
        family = len({row.measure for row in tested})
        rate = options.alpha / max(1, family)
        changed = [min(1.0, value * family) for value in p]
    else:
        family, rate = len(p), interval_rate(p, correction, options.alpha)
        changed = adjusted(p, correction)
    of = dict(zip(map(id, tested), changed, strict=True))
    table = pl.DataFrame([_row(row, of.get(id(row)), rate, options.alpha) for row in rows], schema=TABLE, orient="row")
    return table, rate, family


def overall_table(found: Sequence[Compared]) -> pl.DataFrame:
    """The tests of all groups at once."""
    rows = [
        (part.rows[0].measure, *vars(test).values()) for part in found if part.outcome for test in part.outcome.overall
    ]
    return pl.DataFrame(rows, schema=OVERALL, orient="row")


def _row(row: Row, p: float | None, rate: float, alpha: float) -> tuple[object, ...]:
    """One row of the table."""
    pair = row.pair or Pair(row.difference if row.difference is not None else math.nan, None)
    rejected = p is not None and p <= alpha
    ends = effect_ends = (math.nan, math.nan)
    if p is not None and pair.interval is not None:
        ends = agreed(pair.interval(rate), pair.estimate, rejected)
    if p is not None and pair.effect_interval is not None:
        effect_ends = agreed(pair.effect_interval(rate), pair.effect or pair.estimate, rejected)
    return (
        row.measure, row.a, row.b, row.n_a, row.n_b, row.mean_a, row.mean_b, row.difference, row.relative, row.mark,
        _finite(pair.estimate), *map(_finite, ends), pair.statistic, pair.df, pair.p, p,
        pair.effect, *map(_finite, effect_ends), row.wins, row.ties, row.losses,
        _detectable(pair, rate, row.n_a) if p is not None else None,
    )  # fmt: skip


def _detectable(pair: Pair, rate: float, n: int) -> float | None:
    """The difference found with the chance `POWER`: half the interval, and what chance asks for beyond; None without a
    standard error or an end of the interval.
    """
    from scipy import stats

    if pair.se is None or pair.interval is None:
        return None
    low, high = pair.interval(rate)
    df = pair.df if pair.df is not None else max(n - 1, 1)
    return _finite((high - low) / 2 + float(stats.t.ppf(POWER, df)) * pair.se)


def _finite(value: float) -> float | None:
    """Return a number; None in place of one without end."""
    return value if math.isfinite(value) else None
