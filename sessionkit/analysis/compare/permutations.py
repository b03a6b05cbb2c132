"""Randomization within blocks: what the difference would be had every unit's values met the groups by chance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from sessionkit.analysis.compare.anova import blocked_anova, residual_variance
from sessionkit.analysis.compare.effects import noncentrality, real_spread, single_rate
from sessionkit.analysis.compare.independent_tests import scaled
from sessionkit.analysis.compare.pair_findings import Interval, Outcome, Pair, inverted
from sessionkit.analysis.compare.units import Blocked
from sessionkit.analysis.numeric_ties import TIE

CELLS = 4_000_000
"""Random numbers drawn at once."""


def signs(units: int, draws: int, seed: int) -> tuple[Iterator[np.ndarray], bool]:
    """Signs for every unit, a row per draw, in batches; all 2^n of them, and True, where these are no more than asked for."""
    if 2**units <= draws if units < 60 else False:
        return iter([np.array(list(product((1.0, -1.0), repeat=units)))]), True

    def drawn() -> Iterator[np.ndarray]:
        rng = np.random.Generator(np.random.PCG64(seed))
        batch = max(1, CELLS // units)
        for first in range(0, draws, batch):
            yield rng.integers(0, 2, (min(batch, draws - first), units), dtype=np.int8) * 2.0 - 1.0

    return drawn(), False


def arrangements(units: int, groups: int, draws: int, seed: int) -> tuple[Iterator[np.ndarray], bool]:
    """Which value of every unit meets each group, in batches of arrangements; all (groups!)^units of them, and True, where
    these are no more than asked for.
    """
    batch = max(1, CELLS // (units * groups))
    ways = math.factorial(groups)
    if units * math.log(ways) <= math.log(draws) + 1 and ways**units <= draws:
        every = np.array(list(permutations(range(groups))))

        def listed() -> Iterator[np.ndarray]:
            for first in range(0, ways**units, batch):
                number = np.arange(first, min(first + batch, ways**units))
                yield every[number[:, None] // ways ** np.arange(units) % ways]

        return listed(), True

    def drawn() -> Iterator[np.ndarray]:
        rng = np.random.Generator(np.random.PCG64(seed))
        for first in range(0, draws, batch):
            yield rng.random((min(batch, draws - first), units, groups)).argsort(axis=2)

    return drawn(), False


def share_as_large(found: np.ndarray, observed: float, exact: bool, size: float = 0.0) -> float:
    """P-value: the share of draws as large as what was observed, which itself is one of them.

    Sums of the same numbers in another order are tied, also where nothing but rounding is left of them: `size` says how
    large the numbers are that the statistic is the sum of.
    """
    many = int((found >= observed - TIE * max(observed, size)).sum())
    return many / len(found) if exact else (many + 1) / (len(found) + 1)


def randomized(units: Blocked, draws: int, seed: int) -> Outcome:
    """Randomization within units; of more than two groups max-T over all pairs (randomized Tukey), else sign flips."""
    if units.values.shape[1] > 2:
        return _largest_range(units, draws, seed)
    return Outcome({(0, 1): _flipped(units, draws, seed)})


def _flipped(units: Blocked, draws: int, seed: int) -> Pair:
    """Mean difference of two groups; the interval holds the shifts that flips of the shifted differences allow."""
    d = units.differences(0, 1)
    arrangements, exact = signs(len(d), draws, seed)
    sums = np.vstack([np.column_stack([s @ d, s.sum(axis=1)]) for s in arrangements]) / len(d)
    mean, sd = float(d.mean()), real_spread(float(d.std(ddof=1)), units.values)
    size = float(np.abs(d).mean())

    def test(shift: float) -> tuple[float, float]:
        found = np.abs(sums[:, 0] - shift * sums[:, 1])
        return mean - shift, share_as_large(found, abs(mean - shift), exact, size + abs(shift))

    def interval(alpha: float) -> Interval:
        return inverted(test, float(d.min()), float(d.max()), alpha)

    root = math.sqrt(len(d))

    def effect_interval(alpha: float) -> Interval:
        return scaled(noncentrality(root * mean / sd, len(d) - 1, alpha), 1 / root)

    return Pair(
        estimate=mean,
        p=test(0.0)[1],
        interval=interval,
        statistic=mean,
        effect=mean / sd if sd else None,
        effect_interval=effect_interval if sd else None,
        se=sd / root if sd else None,
    )


def _largest_range(units: Blocked, draws: int, seed: int) -> Outcome:
    """Each pair's mean difference beside the largest of all pairs in each draw; intervals hold for all pairs at once.

    Draws are of the values as they are, so what the groups truly differ by is in them: p and intervals, the effect's too
    (of the residual sd, as Tukey's is), are the more cautious the more some groups differ.
    """
    values = units.values
    n, k = values.shape
    orders, exact = arrangements(n, k, draws, seed)
    ranges = []
    for order in orders:
        means = np.take_along_axis(np.broadcast_to(values, order.shape), order, axis=2).mean(axis=1)
        ranges.append(np.ptp(means, axis=1))
    largest = np.sort(np.concatenate(ranges))[::-1]
    means, (variance, df) = units.means, residual_variance(values)
    sd, se = math.sqrt(variance), math.sqrt(2 * variance / n)
    size = float(np.abs(values).mean())

    def critical(alpha: float) -> float:
        # 1 - 0.9 is a little less than 0.1: without the tie, a tenth of 10,000 draws would be 999 of them
        share = alpha * (1 + TIE)
        place = math.floor(share * len(largest)) if exact else math.floor(share * (len(largest) + 1)) - 1
        least = math.factorial(k) if exact else 0  # groups renamed in every unit at once make the same range
        return float(largest[place]) if place >= least else math.inf

    def pair(first: int, second: int) -> Pair:
        d = float(means[second] - means[first])

        def interval(alpha: float) -> Interval:
            half = critical(alpha)
            return d - half, d + half

        def effect_interval(alpha: float) -> Interval:
            rate = single_rate(critical(alpha) / se, df)
            return scaled(noncentrality(d / se, df, rate), se / sd) if rate > 0 else (-math.inf, math.inf)

        spread = real_spread(float(np.std(values[:, second] - values[:, first], ddof=1)), values)
        return Pair(
            estimate=d,
            p=share_as_large(largest, abs(d), exact, size),
            interval=interval,
            statistic=abs(d),
            effect=d / sd if sd else None,
            effect_interval=effect_interval if sd else None,
            se=spread / math.sqrt(n) if spread else None,
        )

    pairs = {(i, j): pair(i, j) for i in range(k) for j in range(i + 1, k)}
    return Outcome(pairs, blocked_anova(units))
