"""A mixed model of one measure: differences of groups, components with intervals, and what is to be said beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from sessionkit.analysis.distribution_tails import t_beyond
from sessionkit.analysis.variance_components.group_means import means
from sessionkit.analysis.variance_components.profiles import interval
from sessionkit.analysis.variance_components.random_factors import FactorChoice
from sessionkit.analysis.variance_components.reml import fitted
from sessionkit.analysis.variance_components.yardsticks import Contrast, contrast, yardsticks
from sessionkit.errors import UsageError

CONSTANT = 1e-12
"""Spread, as a share of the values' size, below which values are all the same."""
EXPLAINED, LEFT = 1e-18, 1e-12
"""Shares of the sum of squares below which groups, or groups and factors, leave nothing but rounding."""
EXACT = 1e-7
"""Standard error, as a share of that of the components, below which what judges is rounding."""


@dataclass(frozen=True)
class MeasureModel:
    """What was found by one measure.

    Parameters
    ----------
    measure, sessions, users, topics
        The measure, and of how many sessions, users and topics.
    random
        The factors in the model.
    effects, components, fit
        Rows of the tables.
    notes
        What was left out, or why there is no model.
    """

    measure: str
    sessions: int
    users: int
    topics: int
    random: tuple[str, ...]
    effects: list[dict[str, Any]] = field(default_factory=list)
    components: list[tuple[Any, ...]] = field(default_factory=list)
    fit: tuple[Any, ...] = ()
    notes: list[str] = field(default_factory=list)


def modelled(measure: str, groups: tuple[str, ...], of: FactorChoice, alpha: float) -> MeasureModel:
    """Model one measure; where there is nothing to model a sentence says why.

    Raises
    ------
    UsageError
        No random factor is left.
    """
    factors, values = of.factors, of.values
    random = factors.names
    about = (measure, len(values), of.users, of.topics, random)
    notes = (
        [f"{measure}: left out {', '.join(f'{what} ({many:,})' for what, many in of.dropped.items())}"]
        if of.dropped
        else []
    )
    why = _nothing(of, groups)
    if why:
        return MeasureModel(*about, notes=[*notes, f"{measure}: {why}"])
    notes += [f"{measure}: {name} is not in the model: {because}" for name, because in of.left_out.items()]
    if not random:
        listed = "; ".join(f"{name}: {because}" for name, because in of.left_out.items())
        msg = f"{measure}: no random factor is left for a mixed model ({listed}); compare would work"
        raise UsageError(msg)
    reduced = factors.reduced(values)
    total = float(reduced.seen @ reduced.seen) + reduced.left
    if total <= EXPLAINED * float(values @ values) or (reduced.df and reduced.left <= LEFT * total):
        what = "the groups" if total <= EXPLAINED * float(values @ values) else "groups and factors"
        return MeasureModel(
            *about, notes=[*notes, f"{measure}: {what} explain every value, so nothing is left to judge by"]
        )
    fit = fitted(factors, values)
    of_groups = means(factors, fit.components, values)
    sticks = yardsticks(factors, reduced, fit.components)
    if not sticks and reduced.df < 1:
        msg = f"{measure}: groups and factors leave no degrees of freedom for an error; fewer random factors would work"
        raise UsageError(msg)
    effects = []
    for pair in combinations(range(len(groups)), 2):
        found = contrast(factors, reduced, of_groups, fit.components, sticks=sticks, pair=pair)
        if found.se <= EXACT * found.reml:
            by = " + ".join(found.by) or "residual"
            why = f"the mean square of {by}, which would judge, is 0: groups differ by the same wherever they meet"
            return MeasureModel(*about, notes=[*notes, f"{measure}: {why}, so nothing is left to judge by"])
        of_pair: dict[str, Any] = {"measure": measure}
        for side, number in zip("ab", pair, strict=True):
            of_pair |= {
                side: groups[number],
                f"n_{side}": int(factors.counts[number]),
                f"mean_{side}": of_groups.values[number],
            }
        effects.append(of_pair | _tested(found))
    share = fit.components / fit.components.sum()
    rows = []
    for number, name in enumerate((*random, "residual")):
        low, high = interval(reduced, fit.components, number, alpha)
        levels = factors.sizes[number] if number < len(random) else None
        variance = float(fit.components[number])
        rows.append((measure, name, levels, variance, low, high, variance**0.5, float(share[number])))
    singular = bool((fit.components[:-1] == 0).any())
    of_fit = (measure, len(values), of.users, of.topics, fit.log_likelihood, fit.converged, singular)
    return MeasureModel(*about, effects, rows, of_fit, notes)


def _tested(found: Contrast) -> dict[str, Any]:
    """The columns of a row that are about the test; the interval is filled in with all p-values."""
    t = found.estimate / found.se
    return {
        "estimate": found.estimate,
        "se": found.se,
        "se_reml": found.reml,
        "t": t,
        "df": float(found.df),
        "p": 2 * t_beyond(abs(t), found.df),
        "judged_by": " + ".join(found.by) or "residual",
    }


def _nothing(of: FactorChoice, groups: tuple[str, ...]) -> str:
    """Say why there is nothing to model; empty where there is."""
    values, factors = of.values, of.factors
    if not len(values):
        return "no session has a defined value"
    counts = np.bincount(factors.group, minlength=len(groups))
    if not counts.all():
        return f"{groups[int(np.argmin(counts))]} has no session with a value"
    if float(np.ptp(values)) <= CONSTANT * float(np.abs(values).max()):
        return f"every value is {float(values[0]):.6g}, in every group; there is nothing to test"
    return ""
