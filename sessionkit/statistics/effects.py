"""What is found for a pair of groups: differences, effect sizes, and their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np

from sessionkit.statistics.distributions import t_beyond
from sessionkit.statistics.remarks import Remark

Interval = tuple[float, float]
STEPS = 60
"""Halvings of a bracket when a test is inverted: to the last digits of a double."""


@dataclass(frozen=True)
class Pair:
    """The difference of two groups, the second less the first.

    Parameters
    ----------
    estimate
        The difference as the test's estimand has it.
    p
        Two-sided p-value; None where there can be none.
    interval
        For an error rate alpha, the values that the test does not reject at alpha.
    statistic, df
        The test statistic and its degrees of freedom; None where there are none.
    effect
        The standardized effect; None where it does not exist.
    effect_interval
        As ``interval``, for the effect.
    se
        Standard error of the estimate, where it has one.
    """

    estimate: float
    p: float | None
    interval: Callable[[float], Interval] | None = None
    statistic: float | None = None
    df: float | None = None
    effect: float | None = None
    effect_interval: Callable[[float], Interval] | None = None
    se: float | None = None

    @property
    def side(self) -> float:
        """What was tested, for its sign: the effect; without one the estimate.

        A sign test of 8 units for, none against and 12 ties finds a side, while its estimate, the median difference, is 0.
        """
        return self.effect or self.estimate


@dataclass(frozen=True)
class Overall:
    """A test of all groups at once."""

    test: str
    statistic: float
    df: float | None
    df_error: float | None
    p: float


@dataclass(frozen=True)
class Outcome:
    """What a procedure finds.

    Parameters
    ----------
    pairs
        By the numbers of the two groups.
    overall
        Tests of all groups at once.
    remarks
        What a reader of these numbers should know.
    """

    pairs: Mapping[tuple[int, int], Pair]
    overall: tuple[Overall, ...] = ()
    remarks: tuple[Remark, ...] = field(default=())


def inverted(test: Callable[[float], tuple[float, float]], low: float, high: float, alpha: float) -> Interval:
    """Return the shifts that a test does not reject, by halving.

    Parameters
    ----------
    test
        For a shift, the direction (above 0 where the data lie above the shift) and the two-sided p-value.
    low, high
        A bracket beyond whose ends the shifts are not of interest; an end that is not rejected stands for infinity.
    alpha
        Error rate.
    """
    width = (high - low) or 1.0
    outer = (low - width, high + width)

    def above(shift: float) -> bool:
        direction, p = test(shift)
        return direction > 0 and p <= alpha

    def below(shift: float) -> bool:
        direction, p = test(shift)
        return direction < 0 and p <= alpha

    lowest = _edge(above, outer) if above(outer[0]) else -math.inf
    highest = _edge(lambda shift: not below(shift), outer) if below(outer[1]) else math.inf
    return lowest, highest


def agreed(interval: Interval, direction: float, rejected: bool) -> Interval:
    """Return an interval that says of 0 what the verdict says.

    Ties and zeros make rank tests jump at 0 itself; an interval then ends at 0, and where the verdict is against 0 that
    end is not in it. Elsewhere nothing is changed.
    """
    low, high = interval
    if not rejected:
        return min(low, 0.0), max(high, 0.0)
    return (max(low, 0.0), high) if direction > 0 else (low, min(high, 0.0))


def _edge(holds: Callable[[float], bool], bracket: Interval) -> float:
    """Return where a condition that holds at the lower end of a bracket ends to hold."""
    low, high = bracket
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return (low + high) / 2


CONSTANT = 1e-13
"""Spread, as a share of the values' size, below which it is but rounding, which makes some 1e-15; values of 1e12 may vary by 1."""
ROUNDING = 1e-14
"""Share of the values' size up to which a spread is surely rounding, and is not mentioned."""
POWER = 0.8
"""Chance with which a difference is to be found for it to count as detectable."""
SPREAD_NODES = 400
"""Points at which the distribution of a sample sd is looked at."""


def real_spread(sd: float, values: np.ndarray) -> float:
    """Return a standard deviation, 0 where it is but rounding of these values."""
    return sd if sd > CONSTANT * float(np.abs(values).max()) else 0.0


def within_text(share: float, distance: float, values: np.ndarray) -> str:
    """Say to within what values that differ by a distance count as the same; nothing where doubles tell no more apart.

    >>> values = np.array([1e12, 1e12 + 0.05])
    >>> within_text(CONSTANT, 0.05, values), within_text(CONSTANT, 1e-4, values)
    (' (to within 1e-13 of the values)', '')
    """
    return f" (to within {share:g} of the values)" if distance > ROUNDING * float(np.abs(values).max()) else ""


def noncentrality(t: float, df: float, alpha: float) -> Interval:
    """Noncentralities of t that a t statistic does not reject at alpha, both tails alike; excludes 0 where t does.

    >>> [round(end, 4) for end in noncentrality(2.0, 29, 0.05)]
    [-0.0419, 4.0097]
    """
    from scipy import special

    sd, weight = _sample_sd(df)
    reach = abs(t) * float(sd.max()) + float(special.ndtri(1 - alpha / 4)) + 5
    low, high = np.full(2, -reach), np.full(2, reach)
    for _ in range(STEPS):
        middle = (low + high) / 2
        beyond = weight @ special.ndtr((t * sd)[:, None] - middle) / 2 > np.array([1 - alpha / 2, alpha / 2])
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return float(low[0]), float(low[1])


def detectable(half: float, se: float, df: float) -> float:
    """True difference that t finds, in its direction, with the chance `POWER`.

    The standard error is estimated, so that t is noncentral: with few units (t + t) standard errors are found less often
    than the two quantiles say, of 4 units at .005 with a chance of .71.

    Parameters
    ----------
    half
        Half of the interval: the difference from which on t rejects, at this standard error.
    se, df
        Standard error of the difference, and its degrees of freedom.

    Examples
    --------
    3 degrees of freedom, critical 7.4533: P(t > 7.4533) is .8 at a noncentrality of 9.4102.

    >>> round(detectable(7.4533, 1.0, 3), 4)
    9.4101
    """
    return se * noncentrality(half / se, df, 2 * (1 - POWER))[1]


@lru_cache(maxsize=64)
def _sample_sd(df: float) -> tuple[np.ndarray, np.ndarray]:
    """The sample sd over the true one, at places spread over the shares of its distribution, and their weights."""
    from scipy import special

    at, weight = _places()
    return np.sqrt(special.chdtri(df, 1 - (at + 1) / 2) / df), weight


@cache
def _places() -> tuple[np.ndarray, np.ndarray]:
    """Places from -1 to 1 of Gauss and Legendre, and their weights: Newton's steps to the roots from where they nearly are."""
    at = -np.cos(np.pi * (np.arange(SPREAD_NODES) + 0.75) / (SPREAD_NODES + 0.5))
    for _ in range(4):
        before, here = np.ones(SPREAD_NODES), at
        for degree in range(2, SPREAD_NODES + 1):
            before, here = here, ((2 * degree - 1) * at * here - (degree - 1) * before) / degree
        slope = SPREAD_NODES * (before - at * here) / (1 - at**2)
        at = at - here / slope
    return at, 2 / ((1 - at**2) * slope**2)


def single_rate(critical: float, df: float) -> float:
    """Error rate of a single two-sided t test with this critical value, such as that of a test of all pairs at once.

    >>> round(single_rate(2.0452, 29), 4)
    0.05
    """
    return 2 * t_beyond(critical, df)


@lru_cache(maxsize=256)
def studentized(alpha: float, groups: int, df: float) -> float:
    """Critical value of the studentized range."""
    from scipy import stats

    return float(stats.studentized_range.isf(alpha, groups, df))


def small_sample(df: float) -> float:
    """Hedges' factor J, which takes the bias out of a standardized difference (Hedges 1981).

    >>> round(small_sample(10), 4)
    0.9227
    """
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2) if df > 1 else 1.0


NORMAL_NODES = 80
"""Points at which a normal distribution is looked at."""
FAR = 6.0
"""Mean, in standard deviations, beyond which every difference has one sign."""


def cliffs_delta_interval(delta: float, sizes: tuple[int, int], alpha: float, ties: float = 1.0) -> Interval:
    """Interval of Cliff's delta, by method 5 of Newcombe (2006).

    Parameters
    ----------
    delta
        Share of pairs of values where the second group's is larger, less the share where it is smaller.
    sizes
        Values of both groups.
    alpha
        Error rate.
    ties
        Variance of U where there is no difference, as a share of what it is without ties.

    Examples
    --------
    >>> low, high = cliffs_delta_interval(0.0, (4, 4), 0.05)
    >>> round(low, 3), round(high, 3)
    (-0.635, 0.635)
    """
    many = sum(sizes) / 2 - 1

    def moments(delta: float) -> tuple[float, float]:
        more = (1 + delta) / 2
        spread = 1 + many * (1 - more) / (2 - more) + many * more / (1 + more)
        return delta, 4 * ties * more * (1 - more) * spread / math.prod(sizes)

    return _inverted(delta, moments, (-1 + 1e-12, 1 - 1e-12), alpha)


def rank_biserial_interval(effect: float, units: int, alpha: float, ties: float = 1.0) -> Interval:
    """Interval of the matched-pairs rank-biserial correlation, for differences that are normal.

    The variance of the rank sum is Lehmann's (1975): it depends on the chances that a difference, and the sum of two,
    is above 0. Of t with 3 degrees of freedom, logistic and Laplace differences it covers nearly as often.

    Parameters
    ----------
    effect
        Rank sum for less rank sum against, over both.
    units
        Differences that are not 0.
    alpha
        Error rate.
    ties
        Variance of the rank sum where there is no difference, as a share of what it is without ties.

    Examples
    --------
    >>> low, high = rank_biserial_interval(0.6, 20, 0.05)
    >>> round(low, 3), round(high, 3)
    (0.103, 0.833)
    """
    from scipy import special

    at, weight = _normal()
    total, pairs, triples = units * (units + 1) / 2, units * (units - 1) / 2, units * (units - 1) * (units - 2)

    def moments(mean: float) -> tuple[float, float]:
        one, two = float(special.ndtr(mean)), float(special.ndtr(math.sqrt(2) * mean))
        three = float(weight @ special.ndtr(at + 2 * mean) ** 2)
        spread = units * one * (1 - one) + pairs * (2 * (one - two) ** 2 + 3 * two * (1 - two))
        spread += triples * (three - two**2)
        return 2 * (units * one + pairs * two) / total - 1, 4 * ties * max(spread, 0.0) / total**2

    return _inverted(effect, moments, (-FAR, FAR), alpha)


@cache
def _normal() -> tuple[np.ndarray, np.ndarray]:
    """Places of a normal distribution, and their weights."""
    at, weight = np.polynomial.hermite_e.hermegauss(NORMAL_NODES)
    return at, weight / weight.sum()


def _inverted(
    effect: float, moments: Callable[[float], tuple[float, float]], bracket: tuple[float, float], alpha: float
) -> Interval:
    """Effects that lie no further from the one found than chance asks; `moments` gives an effect and its variance."""
    from scipy import optimize, stats

    z = float(stats.norm.isf(alpha / 2))

    def end(side: float, outermost: float) -> float:
        def excess(at: float) -> float:
            expected, variance = moments(at)
            return effect - expected - side * z * math.sqrt(variance)

        if effect * side <= -1:
            return outermost
        return moments(float(optimize.brentq(excess, *bracket, xtol=1e-12)))[0]

    return end(1.0, -1.0), end(-1.0, 1.0)
