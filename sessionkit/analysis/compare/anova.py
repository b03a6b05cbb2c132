"""Blocked analysis of variance, and Tukey's HSD with its residual: every unit met every group."""

from __future__ import annotations

import math

import numpy as np

from sessionkit.analysis.compare.effects import noncentrality, real_spread, single_rate, studentized
from sessionkit.analysis.compare.pair_findings import Interval, Outcome, Overall, Pair
from sessionkit.analysis.compare.units import Blocked
from sessionkit.analysis.distribution_tails import f_beyond


def residual_variance(values: np.ndarray) -> tuple[float, int]:
    """Return the residual mean square of the two-way analysis without replication, V_E2, and its degrees of freedom.

    It is 0 where nothing but rounding is left.
    """
    n, k = values.shape
    left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    df = (n - 1) * (k - 1)
    variance = float((left**2).sum() / df)
    return variance if real_spread(math.sqrt(variance), values) else 0.0, df


def blocked_anova(units: Blocked) -> tuple[Overall, ...]:
    """Return F of the groups, plain and with Greenhouse and Geisser's correction where differences vary unequally.

    There is none where every unit has the same differences between groups.
    """
    values = units.values
    n, k = values.shape
    variance, df = residual_variance(values)
    if not variance:
        return ()
    f = float(n * ((values.mean(axis=0) - values.mean()) ** 2).sum() / (k - 1)) / variance
    found = [Overall("blocked ANOVA", f, k - 1, df, f_beyond(f, k - 1, df))]
    if k > 2:
        e = _sphericity(values)
        corrected = f_beyond(f, e * (k - 1), e * df)
        found.append(Overall("blocked ANOVA, Greenhouse-Geisser", f, e * (k - 1), e * df, corrected))
    return tuple(found)


def tukey(units: Blocked) -> Outcome:
    """Tukey's HSD on V_E2; p-values and intervals hold for all pairs at once, the effect is d / sqrt(V_E2).

    This is not the HSD for independent groups (scipy's ``tukey_hsd``), which leaves the blocks in the error.
    """
    from scipy import stats

    n, k = units.values.shape
    variance, df = residual_variance(units.values)
    se, sd = math.sqrt(variance / n), math.sqrt(variance)
    means = units.means
    if not variance:
        differences = {(i, j): float(means[j] - means[i]) for i in range(k) for j in range(i + 1, k)}
        return Outcome({key: Pair(d, None) for key, d in differences.items()})

    def pair(first: int, second: int) -> Pair:
        d = float(means[second] - means[first])

        def interval(alpha: float) -> Interval:
            half = studentized(alpha, k, df) * se
            return d - half, d + half

        def effect_interval(alpha: float) -> Interval:
            rate = single_rate(studentized(alpha, k, df) / math.sqrt(2), df)
            low, high = noncentrality(d / se / math.sqrt(2), df, rate)
            return low * math.sqrt(2 / n), high * math.sqrt(2 / n)

        p = float(stats.studentized_range.sf(abs(d) / se, k, df))
        return Pair(d, p, interval, abs(d) / se, df, d / sd, effect_interval, se * math.sqrt(2))

    return Outcome({(i, j): pair(i, j) for i in range(k) for j in range(i + 1, k)}, blocked_anova(units))


def _sphericity(values: np.ndarray) -> float:
    """Greenhouse and Geisser's epsilon: 1 where all differences of groups vary alike, at least 1 / (k - 1)."""
    k = values.shape[1]
    centered = np.eye(k) - 1 / k
    covariance = centered @ np.cov(values, rowvar=False) @ centered
    return float(np.clip(np.trace(covariance) ** 2 / ((k - 1) * (covariance**2).sum()), 1 / (k - 1), 1))
