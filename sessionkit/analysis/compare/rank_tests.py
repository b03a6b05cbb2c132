"""Ranks within blocks: Friedman with Iman and Davenport's F, Nemenyi's and Conover's comparisons of pairs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sessionkit.analysis.compare.effects import studentized
from sessionkit.analysis.compare.pair_findings import Interval, Outcome, Overall, Pair
from sessionkit.analysis.compare.units import Blocked
from sessionkit.analysis.numeric_ties import ranks as ranked
from sessionkit.display.numbers import p_text


def friedman(units: Blocked) -> tuple[Overall, ...]:
    """Friedman's chi-squared, corrected for ties, and Iman and Davenport's F = (n-1) chi2 / (n(k-1) - chi2)."""
    from scipy import stats

    ranks = ranked(units.values, axis=1)
    n, k = ranks.shape
    sums, squares = ranks.sum(axis=0), float((ranks**2).sum())
    middle = n * k * (k + 1) ** 2 / 4
    spread = squares - middle  # 0 where every unit has the groups alike
    chi2 = float((k - 1) * ((sums**2).sum() - n * middle) / spread) if spread else 0.0
    found = [Overall("Friedman", chi2, k - 1, None, float(stats.chi2.sf(chi2, k - 1)))]
    left = n * (k - 1) - chi2
    if left > 1e-9 * n:
        f, df = (n - 1) * chi2 / left, (n - 1) * (k - 1)
        found.append(Overall("Iman-Davenport", f, k - 1, df, float(stats.f.sf(f, k - 1, df))))
    return tuple(found)


def nemenyi(units: Blocked) -> Outcome:
    """Nemenyi's comparison of mean ranks; a pair's verdict depends on the other groups.

    Estimate and interval are of the difference of mean ranks (a higher value has a higher rank), the interval +- the
    critical difference; the effect is the difference over its largest possible size, k - 1.
    """
    from scipy import stats

    ranks = ranked(units.values, axis=1)
    n, k = ranks.shape
    means, se = ranks.mean(axis=0), math.sqrt(k * (k + 1) / (6 * n))

    def pair(first: int, second: int) -> Pair:
        d = float(means[second] - means[first])
        q = abs(d) / se * math.sqrt(2)
        p = float(stats.studentized_range.sf(q, k, np.inf))

        def half(alpha: float) -> float:
            return studentized(alpha, k, math.inf) / math.sqrt(2) * se

        return _pair(d, half, k, (p, q, None))

    return Outcome({(i, j): pair(i, j) for i in range(k) for j in range(i + 1, k)}, friedman(units))


def conover(units: Blocked, alpha: float) -> Outcome:
    """Conover's comparison of rank sums (Conover 1980), made only after a significant Friedman test.

    t = abs(R_a - R_b) / sqrt(2 (nA - sum R_j^2) / ((n-1)(k-1))), A the sum of the squared ranks; p-values are of single
    pairs and must be corrected.
    """
    from scipy import stats

    ranks = ranked(units.values, axis=1)
    n, k = ranks.shape
    sums, df = ranks.sum(axis=0), (n - 1) * (k - 1)
    overall = friedman(units)
    spread = 2 * (n * float((ranks**2).sum()) - float((sums**2).sum())) / df
    pairs = {(i, j): float(sums[j] - sums[i]) for i in range(k) for j in range(i + 1, k)}
    if overall[-1].p > alpha or spread <= 0:
        why = (
            f"{overall[-1].test} finds no difference between the groups ({p_text(overall[-1].p)})"
            if overall[-1].p > alpha
            else "every unit ranks the groups the same, so Conover's test has no variance"
        )
        none = {key: Pair(d / n, None, effect=d / n / (k - 1)) for key, d in pairs.items()}
        return Outcome(none, overall, (f"{why}, so Conover's comparison of pairs was not made",))

    def pair(d: float) -> Pair:
        t = abs(d) / math.sqrt(spread)

        def half(rate: float) -> float:
            return float(stats.t.isf(rate / 2, df)) * math.sqrt(spread) / n

        return _pair(d / n, half, k, (float(2 * stats.t.sf(t, df)), t, df))

    return Outcome({key: pair(d) for key, d in pairs.items()}, overall)


def _pair(d: float, half: Callable[[float], float], k: int, tested: tuple[float, float, float | None]) -> Pair:
    """Make the finding of a difference of mean ranks with an interval of this half width, and its p, statistic and df."""
    p, statistic, df = tested

    def interval(alpha: float) -> Interval:
        return d - half(alpha), d + half(alpha)

    def effect_interval(alpha: float) -> Interval:
        return max(-1.0, (d - half(alpha)) / (k - 1)), min(1.0, (d + half(alpha)) / (k - 1))

    return Pair(d, p, interval, statistic, df, d / (k - 1), effect_interval)
