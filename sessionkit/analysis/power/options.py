"""What `sessionkit.power` is asked for: checked, and as the claims that the design supports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from sessionkit.analysis.compare.design import Design
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.compare.session_values import GroupedSessions
from sessionkit.analysis.power.ladder import MORE_TOPICS, MOST
from sessionkit.analysis.power.plans import habits
from sessionkit.analysis.power.sizes import WIDE, PlannedDesign
from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.study.inference_options import FEWEST_RESAMPLES, require_draws, require_seed

FEWEST_COMPONENTS = 50
"""Draws of the components of variance at least."""


def checked(target: float, draws: int, component_draws: int, seed: int) -> None:
    """Check numbers that are given."""
    if isinstance(target, bool) or not isinstance(target, int | float) or not 0 < target < 1:
        msg = f"target must be a number above 0 and below 1, not {target!r}; 0.8 is usual"
        raise UsageError(msg)
    require_draws(draws, FEWEST_RESAMPLES)
    require_draws(component_draws, FEWEST_COMPONENTS, "component_draws")
    require_seed(seed)


def numbers(name: str, given: int | Sequence[int] | None) -> list[int] | None:
    """Return numbers to look at, in order."""
    if given is None:
        return None
    each = list(given) if isinstance(given, Iterable) else [given]
    if not each or any(isinstance(one, bool) or not isinstance(one, int) or not 2 <= one <= MOST for one in each):
        msg = f"{name} must be whole numbers from 2 to {MOST:,}, not {given!r}"
        raise UsageError(msg)
    return sorted(set(each))


def declared(difference: float | str, sessions: GroupedSessions) -> tuple[float, float | None]:
    """Return the difference in the measure's units, and as a share of the first group's mean (None where that is 0).

    Raises
    ------
    UsageError
        It is no number above 0, a share of a mean of 0, or more than the measure can differ by.
    """
    values = sessions.values[(sessions.frame.get_column("group") == sessions.groups[0]).to_numpy(), 0]
    values = values[np.isfinite(values)]
    mean = abs(float(values.mean())) if len(values) else 0.0
    number, is_share = said(difference)
    if is_share and not mean:
        msg = (
            f"difference={difference}: the mean of {sessions.groups[0]} is 0, so a share of it is 0 too; give a number"
        )
        raise UsageError(msg)
    number *= mean / 100 if is_share else 1
    highest = _highest(sessions.measures[0])
    if highest is not None and highest < number and spread(sessions) <= highest:
        msg = (
            f"difference={difference}: {sessions.measures[0]} lies between 0 and {highest:g}, so means cannot differ by "
            f"{number:.4g}; declare a smaller difference"
        )
        raise UsageError(msg)
    return number, number / mean if mean else None


def said(difference: float | str) -> tuple[float, bool]:
    """Return the number that a difference says, and whether it is a percentage.

    Raises
    ------
    UsageError
        It is no number above 0.

    >>> said("10%"), said(0.05)
    ((10.0, True), (0.05, False))
    """
    text = str(difference).strip()
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = math.nan
    if isinstance(difference, bool) or not 0 < number < math.inf:
        msg = f"difference must be a number above 0 in the measure's units, or a share such as 10%, not {difference!r}"
        raise UsageError(msg)
    return number, text.endswith("%")


def spread(sessions: GroupedSessions) -> float:
    """The largest difference between two sessions."""
    values = sessions.values[np.isfinite(sessions.values)]
    return float(np.ptp(values)) if len(values) else 0.0


def _highest(measure: str) -> float | None:
    """Upper bound of a measure; None where there is none, or the scores are of something else."""
    try:
        return parse_measure(measure).highest
    except MeasureError:
        return None


def claims(
    sessions: GroupedSessions, design: Design, population: str | None, *, alpha: float, studies: int, seed: int
) -> list[PlannedDesign]:
    """Return what is planned: the claim asked for, or each about users and topics that the design supports."""
    k = len(sessions.groups)
    names = (
        [design.population(population, k)]
        if population is not None
        else [name for name in design.layouts if name != "sessions"] or ["sessions"]
    )
    if population == "sessions" and design.name == "both":
        msg = "population=sessions: a larger study has more users or topics; population=users or population=topics would work"
        raise UsageError(msg)
    of = habits(sessions, design.name)
    return [PlannedDesign(design.name, name, design.layouts[name], k, of, alpha, studies, seed) for name in names]


def used(planned: Sequence[PlannedDesign], users: list[int] | None, topics: list[int] | None) -> None:
    """Refuse numbers of users or topics that none of the claims plans.

    Raises
    ------
    UsageError
        There are such numbers.
    """
    axes = {each.axis for each in planned}
    wide = any(each.axis == "users" and each.design in WIDE for each in planned)
    if users is not None and axes == {"topics"}:
        raise UsageError(
            "users=: the sessions do not name several users, so only topics are planned; topics= would work"
        )
    if topics is not None and "topics" not in axes and not wide:
        raise UsageError(f"topics=: in this design only {planned[0].axis} are planned; users= would work")


def title(design: Design, planned: PlannedDesign) -> str:
    """Name of the test that `compare` takes; of more than two groups with how it is corrected, where it is not for all pairs."""
    plan = ComparisonPlan.of(design, planned.groups, population=planned.population)
    if planned.groups == 2 or plan.test.simultaneous:
        return plan.title
    return f"{plan.title}, Bonferroni over {math.comb(planned.groups, 2):,} pairs"


def topics_of(planned: PlannedDesign, asked: list[int] | None) -> list[int | None]:
    """Numbers of topics to look at; None where users alone are planned, or topics are what grows."""
    if planned.axis != "users" or planned.design not in WIDE:
        return [None]
    if asked is not None:
        searched = planned.habits.searched
        if asked[0] < searched:
            msg = f"topics={asked[0]}: users of this study search {searched:,} topics each; {searched:,} topics or more would work"
            raise UsageError(msg)
        return list(asked)
    now = planned.habits.topics
    return [now * many for many in MORE_TOPICS] if planned.population == "topics" else [now]


def present(planned: PlannedDesign) -> tuple[int, int | None]:
    """The size that the study has now, as near as a plan comes to it, at most `MOST`."""
    of = planned.habits
    topics = of.topics if planned.axis == "users" and planned.design in WIDE else None
    many = {"users": of.users, "topics": of.topics, "sessions": of.sessions}[planned.axis]
    return -(-max(min(many, MOST), planned.least(topics)) // planned.step) * planned.step, topics
