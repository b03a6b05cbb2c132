"""The p-value of every pair of groups by one measure: by a test that compare has, or by Sakai's paired bootstrap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from sessionkit.analysis.compare.permutations import CELLS
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.compare.procedures import MEAN
from sessionkit.analysis.compare.rows import compared
from sessionkit.analysis.compare.session_values import GroupedSessions
from sessionkit.analysis.compare.units import Blocked
from sessionkit.analysis.numeric_ties import TIE, differences
from sessionkit.analysis.rescore.pairs import difference_of, p_of
from sessionkit.errors import UsageError

BOOTSTRAP = "bootstrap"
FEWEST = 20
"""Units from which on a bootstrap is offered: over 4 topics it rejects 17% of true null hypotheses."""


@dataclass(frozen=True, eq=False)
class Found:
    """Every pair of groups by one measure.

    Parameters
    ----------
    pairs
        Places of the two groups.
    difference, p
        Of each pair: the second less the first (NaN without units); p is 1 where the two do not differ, NaN where they do and
        were not tested.
    n
        Units of the group with the fewest.
    needed
        The difference that is significant; None where the test is not of means or nothing was tested.
    notes
        What a reader should know.
    """

    pairs: tuple[tuple[int, int], ...]
    difference: np.ndarray
    p: np.ndarray
    n: int
    needed: float | None
    notes: tuple[str, ...] = field(default=())


def found_by(plan: ComparisonPlan, frame: pl.DataFrame, values: np.ndarray, groups: Sequence[str]) -> Found:
    """Test every pair as `sessionkit.compare` does, without correction.

    Parameters
    ----------
    frame
        ``session_id``, ``group``, ``user_id``, ``topic_id`` of every session, by session_id.
    values
        Of every session.
    """
    units = plan.units(GroupedSessions(frame, values[:, None], ("",), tuple(groups), "", 0))
    found = compared(plan, "", groups, units)
    place = {name: number for number, name in enumerate(groups)}
    of_means = plan.test.estimand == MEAN or plan.layout == "crossed"
    halves: list[float] = []
    for row in found.rows if of_means else ():
        if row.pair is not None and row.pair.interval is not None:
            low, high = row.pair.interval(plan.options.alpha)
            halves.append((high - low) / 2)
    return Found(
        tuple((place[row.a], place[row.b]) for row in found.rows),
        np.array([difference_of(row, plan.layout) for row in found.rows]),
        np.array([p_of(row) for row in found.rows]),
        min(units.units.counts, default=0),
        max(halves) if halves and math.isfinite(max(halves)) else None,
        tuple(note.removeprefix(": ") for note in found.notes),
    )


def bootstrapped(plan: ComparisonPlan, frame: pl.DataFrame, values: np.ndarray, groups: Sequence[str]) -> Found:
    """Sakai's paired bootstrap: how often units drawn from shifted differences have a studentized mean as large.

    For differences z with t = mean / (sd / sqrt(n)), units are drawn with replacement from z less its mean; the p-value is
    the share of draws whose t is as large, the data themselves being one of them. What is needed is the mean difference
    that a share alpha of a pair's draws reach, and of all pairs the largest.

    Raises
    ------
    UsageError
        There are too few units.
    """
    options = plan.options
    units = plan.units(GroupedSessions(frame, values[:, None], ("",), tuple(groups), "", 0)).units
    assert isinstance(units, Blocked)  # noqa: S101 - what the layout says
    n, k = units.values.shape
    if n < FEWEST:
        msg = (
            f"test=bootstrap: {n} {plan.population} are too few to draw from (over 4 topics it rejects 17% of true null hypotheses); "
            f"it is offered from {FEWEST} on; test=randomization would work"
        )
        raise UsageError(msg)
    pairs = tuple((i, j) for i in range(k) for j in range(i + 1, k))
    first, second = np.array(pairs).T
    z = differences(units.values[:, first], units.values[:, second])
    mean = np.where(np.abs(z.mean(axis=0)) <= TIE * np.abs(z).mean(axis=0), 0.0, z.mean(axis=0))
    centered = z - mean
    observed = _studentized(mean, (z**2).mean(axis=0), n)
    rng = np.random.Generator(np.random.PCG64(options.seed))
    larger = np.zeros(len(pairs), dtype=np.int64)
    sizes = []
    batch = max(1, CELLS // max(n, len(pairs)))
    for start in range(0, options.draws, batch):
        many = min(batch, options.draws - start)
        drawn = rng.integers(0, n, (many, n))
        times = np.zeros((many, n))
        np.add.at(times, (np.arange(many)[:, None], drawn), 1.0)
        means = times @ centered / n
        t = _studentized(means, times @ (centered**2) / n, n)
        larger += (t >= observed * (1 - TIE)).sum(axis=0)
        sizes.append(np.abs(means))
    p = np.where(observed > 0, (larger + 1) / (options.draws + 1), 1.0)
    place = max(0, math.floor(options.alpha * options.draws * (1 + TIE)) - 1)
    needed = float(np.sort(np.concatenate(sizes), axis=0)[::-1][place].max())
    return Found(pairs, mean, p, n, needed)


def _studentized(mean: np.ndarray, square: np.ndarray, n: int) -> np.ndarray:
    """Size of the mean over its standard error, from the mean and the mean square; 0 where nothing is left to judge."""
    variance = np.maximum(square - mean**2, 0.0) * n / (n - 1)
    spread = np.sqrt(variance / n)
    flat = variance <= 1e-24 * np.maximum(square, 1e-300)
    size: np.ndarray = np.divide(np.abs(mean), spread, out=np.full(mean.shape, np.inf), where=~flat)
    return np.where(flat & (np.abs(mean) <= TIE * np.sqrt(square)), 0.0, size)
