"""Least squares on user + topic + group: the difference of groups at equal users and topics."""

from __future__ import annotations

import math

import numpy as np

from sessionkit.analysis.compare.effects import noncentrality
from sessionkit.analysis.compare.pair_findings import Interval, Outcome, Overall, Pair
from sessionkit.analysis.compare.units import Crossed
from sessionkit.analysis.distribution_tails import f_beyond, t_at, t_beyond
from sessionkit.errors import UsageError


def not_told_apart(sessions: int) -> UsageError:
    """Build the error for groups that users and topics leave nothing of."""
    return UsageError(
        f"the groups cannot be separated from users and topics in the {sessions:,} sessions that can be compared: users "
        "or topics fall into sets that met different groups, or there are hardly more sessions than users and topics; compare by another "
        "column, or fewer groups"
    )


def least_squares(units: Crossed) -> Outcome:
    """Differences of groups at equal users and topics; the effect is the difference over the residual sd.

    It takes the difference of the groups to be the same for every user and topic. An effect that varies with the topic
    is no error for these topics, and makes the test blind to others: see the topic-level t.
    """
    fit = units.fit
    if fit is None or fit.df < 1:
        raise not_told_apart(len(units.values))
    df, sd = fit.df, math.sqrt(float(fit.variance[0]))
    estimates = np.concatenate([[0.0], fit.coefficients[:, 0]])
    inverse = np.pad(fit.inverse, ((1, 0), (1, 0)))

    def pair(first: int, second: int) -> Pair:
        d = float(estimates[second] - estimates[first])
        scale = math.sqrt(float(inverse[first, first] + inverse[second, second] - 2 * inverse[first, second]))
        se = sd * scale
        t = d / se

        def interval(alpha: float) -> Interval:
            half = t_at(alpha / 2, df) * se
            return d - half, d + half

        def effect_interval(alpha: float) -> Interval:
            low, high = noncentrality(t, df, alpha)
            return low * scale, high * scale

        return Pair(d, 2 * t_beyond(abs(t), df), interval, t, df, d / sd, effect_interval, se)

    k = units.groups
    pairs = {(i, j): pair(i, j) for i in range(k) for j in range(i + 1, k)}
    if k <= 2:
        return Outcome(pairs)
    f = float(fit.explained[0]) / (k - 1) / float(fit.variance[0])
    return Outcome(pairs, (Overall("least squares, all groups", f, k - 1, df, f_beyond(f, k - 1, df)),))
