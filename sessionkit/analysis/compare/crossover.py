"""Least squares on user + topic + group: the difference of groups at equal users and topics."""

from __future__ import annotations

import math

import numpy as np

from sessionkit.analysis.compare.effects import noncentrality
from sessionkit.analysis.compare.pair_findings import Interval, Outcome, Overall, Pair
from sessionkit.analysis.compare.projection import Effects, LeastSquares, indicators
from sessionkit.analysis.compare.units import Crossed
from sessionkit.analysis.distribution_tails import f_beyond, t_at, t_beyond
from sessionkit.display.words import counted
from sessionkit.errors import UsageError


def not_told_apart(units: Crossed) -> UsageError:
    """Build the error for groups that users and topics leave nothing of: whether users, topics or both do, and what would tell."""
    effects = Effects(units.user, units.topic)
    users, topics = counted(len(np.unique(units.user)), "user"), counted(len(np.unique(units.topic)), "topic")
    groups = indicators(units.group, units.groups)
    if LeastSquares(effects, groups).separable:
        return UsageError(
            f"{counted(len(units.values), 'session')} that can be compared are too few: {users}, {topics} and {units.groups} groups take "
            "all of them, and none is left for the error of the difference; more sessions of these users on these topics would do"
        )
    every = "both groups" if units.groups == 2 else f"the {units.groups} groups"
    kinds = [
        name
        for name, alone in (
            ("user", Effects(units.user, np.zeros_like(units.topic))),
            ("topic", Effects(np.zeros_like(units.user), units.topic)),
        )
        if not LeastSquares(alone, groups).separable
    ]
    if kinds:
        many = " and ".join({"user": users, "topic": topics}[kind] for kind in kinds)
        why = f"the {many} fall into sets that met different groups"
        needed = " and ".join(f"{kind}s" for kind in kinds)
        wanted = f"{needed} with sessions of groups from several of these sets"
    else:
        needed = "users and topics together"
        why = f"of the {users} and {topics} neither alone, but both together, tell the groups apart"
        wanted = f"sessions of the same users on the same topics with {every}"
    fewer = ", or fewer groups," if units.groups > 2 else ""
    return UsageError(
        f"the groups cannot be separated from {needed} in the {counted(len(units.values), 'session')} that can be compared: {why}; "
        f"{wanted} would separate them; another column{fewer} may be comparable"
    )


def least_squares(units: Crossed) -> Outcome:
    """Differences of groups at equal users and topics; the effect is the difference over the residual sd.

    It takes the difference of the groups to be the same for every user and topic. An effect that varies with the topic
    is no error for these topics, and makes the test blind to others: see the topic-level t.
    """
    fit = units.fit
    if fit is None or fit.df < 1:
        raise not_told_apart(units)
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
