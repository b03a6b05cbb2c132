"""How large a study must be: the power of the test that ``compare`` takes, its finding and its reading."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import ClassVar

import numpy as np
import polars as pl

from sessionkit.arguments import FEWEST_RESAMPLES, Population, error_rate, require_draws, require_seed
from sessionkit.display.numbers import counted, ends_text, level_text, share_text
from sessionkit.display.statements import Kind, Statement, Value
from sessionkit.display.tables import TextTable
from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.statistics.design import Design, read_design
from sessionkit.statistics.findings import NUMBER, SESSIONS, TEXT, WHOLE, TestedFinding, stated, traced
from sessionkit.statistics.paper_tables import chosen_columns, range_text, worded
from sessionkit.statistics.power_simulation import (
    MORE_TOPICS,
    MOST,
    RANGE,
    WIDE,
    WITH_TOPIC,
    Ladder,
    Noise,
    PlannedDesign,
    PowerEstimate,
    Rung,
    Size,
    Smallest,
    habits,
    noise,
)
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.statistics.session_values import GroupedSessions, chosen_sessions, require_values, sessions_of
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.study import guarded_read
from sessionkit.study.tabular import Frame


@traced
@guarded_read
def power(
    study: Study | Frame,
    measure: str | Measure | None = None,
    by: str = "system_id",
    *,
    where: Where = None,
    difference: float | str,
    population: Population | None = None,
    target: float = 0.8,
    users: int | Sequence[int] | None = None,
    topics: int | Sequence[int] | None = None,
    confidence: float = 0.95,
    draws: int = 2_000,
    component_draws: int = 400,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> PowerPlan:
    """Plan the numbers of users and topics that detect a declared difference, by simulating larger studies.

    Studies of the same design, with the same number of sessions per user, are simulated and tested as by `compare`. The
    variance components are estimated from this study; the range of power reflects their uncertainty.

    Parameters
    ----------
    study
        The study to plan from, or a table of scores per session (`sessionkit.score`) with the grouping column in it.
    measure
        A measure of sessions; of a table with one measure it need not be given.
    by
        Column of the sessions or users to group by, with 2 to 20 values. Of more than two, one pair differs, and the test
        is corrected for all pairs.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    difference
        The smallest true difference worth finding, in the measure's units; or, such as ``"10%"``, a share of the first
        group's mean. Above 0, and no larger than the measure's range. Do not use the difference that the study found.
    population
        ``"users"``, ``"topics"`` or ``"sessions"``, as `sessionkit.compare` has it. If not given each claim about users and
        topics that the design supports.
    target
        Power to reach, above 0 and below 1.
    users, topics
        Numbers to simulate. If not given, up to 16 times the present users; for claims about topics up to 8 times the
        present topics. Where no users are known, `users` are numbers of sessions. Topics are as many as a user searches now
        at least.
    confidence
        Of the test, above .5 and below 1.
    draws, component_draws
        Simulated studies of each size, at least 200, and draws of the uncertain components, at least 50.
    seed
        Seed for all draws.
    memory, cache
        As `sessionkit.score` has them.

    Returns
    -------
    PowerPlan
        With ``table`` (power by size), ``smallest``, ``components``, ``reading``.

    Raises
    ------
    UsageError
        An option or column does not exist, the difference is impossible, or the design does not support the claim or numbers.
    DataError
        No session has a value, or too few to estimate anything from.

    Notes
    -----
    Components are drawn from their mean squares over chi-squared / df, none below 0: the fiducial distribution, or the
    posterior under Jeffreys' prior; 4 topics say little, and the range shows it. A mean square smaller than components of 0
    would make it is taken as these would, so that its component is not surely 0: of 200 simulated studies of the clinic's
    design the range held an sd of system with topic of 0, .05, .10, .20 in 96, 96, 96 and 91%. Values are taken as normal, sd as equal in
    all groups. What topics do to groups counts in full for claims about topics; for claims about users these topics are
    the ones that matter, and it sums to 0 over them.

    Examples
    --------
    20 users, each with both systems; their differences have an sd of 1. A paired t finds a difference of .5 with power .8
    from 34 users on, were the sd known; 20 users leave it uncertain, so it takes a few more.

    >>> import numpy as np
    >>> import polars as pl
    >>> d = np.linspace(-1, 1, 20)
    >>> d = d / d.std(ddof=1)
    >>> scores = pl.DataFrame({
    ...     "session_id": [f"{i:02}{s}" for i in range(20) for s in "AB"], "user_id": [i // 2 for i in range(40)],
    ...     "system_id": list("AB") * 20, "measure": ["sDCG@10"] * 40, "value": [s * d[i] for i in range(20) for s in (0, 1)],
    ... })
    >>> plan = power(scores, difference=0.5, users=[34])
    >>> row = plan.table.row(0, named=True)
    >>> row["test"], row["users"], round(row["at_estimate"], 1), row["power"] < row["at_estimate"]
    ('paired t', 34, 0.8, True)
    """
    study, restriction = chosen_sessions(study, where)
    alpha = error_rate(confidence)
    checked(target, draws, component_draws, seed)
    of_users, of_topics = numbers("users", users), numbers("topics", topics)
    sessions = sessions_of(study, measure, by, memory, cache)
    require_values(study, sessions.values, sessions.measures)
    if len(sessions.measures) != 1:
        many = len(sessions.measures)
        msg = f"power plans for one measure, not {many}: {', '.join(sessions.measures[:5])}; name one"
        raise UsageError(msg)
    design = read_design(sessions.frame, sessions.by, len(sessions.groups))
    wanted, share = declared(difference, sessions)
    found = noise(sessions, 0, design, component_draws, np.random.Generator(np.random.PCG64(seed)))
    rungs: list[Rung] = []
    smallest: list[list[Smallest]] = []
    now, titles = [], {}
    plans = claims(sessions, design, population, alpha=alpha, studies=draws, seed=seed)
    used(plans, of_users, of_topics)
    for planned in plans:
        ladder = Ladder(planned, found, wanted, target)
        titles[planned.population] = title(design, planned)
        smallest.append([])
        for many_topics in topics_of(planned, of_topics):
            steps, least = ladder.climbed(of_topics if planned.axis == "topics" else of_users, many_topics)
            rungs += steps
            smallest[-1].append(least)
        at = present(planned)
        now.append(
            Present(planned.population, titles[planned.population], planned.now, planned.size(*at), ladder.at(*at))
        )
    told = PowerContext(sessions.measures[0], design.described, wanted, share, target, confidence)
    every = [each for of_claim in smallest for each in of_claim]
    blind = any(each.limit is not None for each in every) and WITH_TOPIC not in found.names
    statements = [
        *opening(told, found, now),
        *(needed(told, of_claim) for of_claim in smallest),
        *([Statement("caution", ABSURD, {"about": "difference"})] if wanted > spread(sessions) else []),
        *([Statement("caution", UNKNOWN, {"about": "interaction"})] if blind else []),
        Statement("assumptions", CAVEAT),
    ]
    return PowerPlan(
        table=power_table(rungs, titles, target),
        smallest=smallest_table(every),
        components=component_table(found),
        statements=stated(statements, restriction),
        measure=sessions.measures[0],
        by=sessions.by,
        design=design.described,
        difference=wanted,
        target=target,
        confidence=confidence,
        draws=draws,
        component_draws=component_draws,
        seed=seed,
    )


EMPTY = Size(None, None, None)


def power_table(rungs: Sequence[Rung], titles: Mapping[str, str], target: float) -> pl.DataFrame:
    """Power by claim and size."""
    rows = [
        (
            rung.population,
            titles[rung.population],
            *vars(rung.size).values(),
            *vars(rung.chance).values(),
            rung.chance.power >= target,
        )
        for rung in rungs
    ]
    return pl.DataFrame(rows, schema=POWER, orient="row")


def smallest_table(smallest: Sequence[Smallest]) -> pl.DataFrame:
    """The smallest sizes by claim and number of topics."""
    rows = []
    for found in smallest:
        size, sure = found.size or Size(None, found.topics, None), found.sure or EMPTY
        limit = found.limit.power if found.limit is not None else None
        more = (_additional(size.users, found.now.users), _additional(size.topics, found.now.topics))
        rows.append(
            (found.population, *vars(size).values(), *more, sure.users, sure.topics, sure.sessions, found.most, limit)
        )
    return pl.DataFrame(rows, schema=SMALLEST, orient="row")


def _additional(then: int | None, now: int | None) -> int | None:
    """How many more it takes than there are."""
    return None if then is None or now is None else then - now


def component_table(noise: Noise) -> pl.DataFrame:
    """The components, as sds."""
    rows = []
    for name in noise.names:
        estimate, draws = noise.of(name)
        low, high = np.quantile(np.sqrt(draws), [(1 - RANGE) / 2, (1 + RANGE) / 2])
        rows.append((name, estimate**0.5, float(low), float(high)))
    return pl.DataFrame(rows, schema=COMPONENTS, orient="row")


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


COUNTS = dict.fromkeys(("users", "topics", "sessions"), WHOLE)
POWER = pl.Schema(
    {
        "population": TEXT,
        "test": TEXT,
        **COUNTS,
        **dict.fromkeys(("power", "error", "low", "high", "at_estimate"), NUMBER),
        "reaches": pl.Boolean(),
    }
)
SMALLEST = pl.Schema(
    {
        "population": TEXT,
        **COUNTS,
        **dict.fromkeys(("more_users", "more_topics"), WHOLE),
        "users_sure": WHOLE,
        "topics_sure": WHOLE,
        "sessions_sure": WHOLE,
        "most": WHOLE,
        "limit": NUMBER,
    }
)
COMPONENTS = pl.Schema({"component": TEXT, **dict.fromkeys(("sd", "low", "high"), NUMBER)})


CLAIM = {"population": "what the claim is about: users, topics or sessions"}
SIZE = {
    "users": "number of users; null where there are none",
    "topics": "number of topics; null where these are not planned",
    "sessions": "number of sessions",
}
"""Values of statements, see `sessionkit.Statement`."""


@dataclass(frozen=True, eq=False, repr=False)
class PowerPlan(TestedFinding):
    """How large a study must be; made by `sessionkit.power`.

    Parameters
    ----------
    table
        A row per claim and size: ``population``, ``test``, ``users`` (null beside topics: as many as one likes), ``topics``,
        ``sessions``, ``power`` (chance to find the difference, averaged over what may vary), ``error`` (its Monte Carlo
        standard error), ``low`` and ``high`` (the range that holds 90% of what the uncertain components leave possible),
        ``at_estimate`` (power were the estimates the truth), ``reaches`` (whether ``power`` is at least the target).
    smallest
        A row per claim and number of topics: the smallest ``users``, ``topics``, ``sessions`` whose ``power`` reaches the
        target, how many ``more_users`` and ``more_topics`` than now that is, and with ``_sure`` the numbers whose ``low``
        does; null where none of up to ``most`` does. ``limit`` is the power with users without end.
    components
        ``component``, ``sd`` (of one session), ``low`` and ``high`` (90% of the draws).
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    measure, by, design
        What is planned for, and the design that was read from the study.
    difference, target, confidence, draws, component_draws, seed
        As given; `difference` in the measure's units.
    """

    table: pl.DataFrame
    smallest: pl.DataFrame
    components: pl.DataFrame
    statements: tuple[Statement, ...]
    measure: str
    by: str
    design: str
    difference: float
    target: float
    confidence: float
    draws: int
    component_draws: int
    seed: int
    KINDS: ClassVar = {
        **SESSIONS,
        "design": Kind("The design, which is also that of the larger studies", {"design": "its name"}),
        "plan": Kind(
            "What is planned for",
            {
                "measure": "text of the measure",
                "difference": "the true difference to detect",
                "share": "the same as a share of the first group's mean; null where that is 0",
                "confidence": "confidence of the test",
                "target": "power to reach",
                "range": "share of the plausible variance components that ranges of power hold",
            },
        ),
        "components": Kind(
            "The variance components, as sd of a session",
            {
                "component": "their names, a list",
                "sd": "their sds, in the same order",
                "low": "low ends of the ranges of the sds",
                "high": "high ends of the ranges of the sds",
            },
        ),
        "sample": Kind("The components are estimated from some of the users", {"users": "how many"}),
        "power": Kind(
            "The power of a study of the present size",
            {
                **CLAIM,
                "test": "the test",
                **SIZE,
                "is_present": "whether that is the present size, or the nearest balanced one",
                "power": "power, averaged over plausible components",
                "low": "low end of its range",
                "high": "high end of its range",
                "target": "power to reach",
            },
        ),
        "needed": Kind(
            "The smallest studies that reach the power, of one claim",
            {
                **CLAIM,
                "target": "power to reach",
                "most": "the largest number of users, topics or sessions that was tried",
                "studies": "a list, for each number of topics if several, of the columns of the table smallest, with the ends "
                "limit_low and limit_high of the range of limit",
                "sure_for": "share of the plausible components for which the sure numbers reach the power",
            },
        ),
        "caution": Kind(
            "What makes the plan doubtful",
            {"about": "difference: it is larger than that of any two sessions; interaction: it is taken as 0"},
        ),
        "assumptions": Kind("What the simulation takes as given"),
    }

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name."""
        return {"smallest": self.smallest, "power": self.table, "components": self.components}

    def paper_table(self) -> TextTable:
        """The smallest studies as papers print them: users and sessions for every number of topics."""
        caption = (
            f"Smallest studies that find a difference of {self.difference:g} in {self.measure} by {worded([self.by])} with power "
            f"{self.target:g} at {level_text(1 - self.confidence)} confidence"
        )
        headers = {"population": "Claim about", "users_sure": "Users, sure"}
        columns = ["population", "topics", "users", "sessions", "users_sure", "limit"]
        note = (
            "Users, sure: so many that the low end of the 90% range of power reaches it. Limit: power with users without end. "
            f"A dash: no number up to {range_text(self.smallest['most'])} is enough, or none is counted."
        )
        return chosen_columns(caption, self.smallest, columns, headers=headers, note=note, decimals=2)


NAMES = {
    "user": "users", "topic": "topics", "session": "sessions", "group:user": "user-by-group interaction",
    "group:topic": "topic-by-group interaction", "residual": "residual",
}  # fmt: skip
CAVEAT = (
    "Values are simulated as normal, with this study's design and sessions per user. Declare a difference that matters, not the "
    "difference that this study found."
)
UNKNOWN = (
    "Caution: this study cannot separate the topic-by-group interaction from the residual, and it is taken as 0: for claims "
    "about topics the numbers of users are too small."
)


SURE_FOR = (1 + RANGE) / 2
"""Share of the plausible components for which the sure sizes reach the power."""
SURE = f"{share_text(SURE_FOR, 0)} of the plausible components"
ABSURD = "Caution: the declared difference is larger than the difference of any two sessions of this study."


@dataclass(frozen=True)
class PowerContext:
    """What a reading of one plan needs."""

    measure: str
    design: str
    difference: float
    share: float | None
    target: float
    confidence: float


@dataclass(frozen=True)
class Present:
    """What a study of the present size finds: the claim, the test, the present size, the nearest planned, and its power."""

    population: str
    test: str
    now: Size
    size: Size
    chance: PowerEstimate


def opening(of: PowerContext, noise: Noise, now: Sequence[Present]) -> list[Statement]:
    """Say what is planned for, from what, and what the present size would find."""
    statements = [
        Statement("design", f"Design: {of.design}.", {"design": of.design}),
        _plan(of),
        _components(component_table(noise)),
    ]
    if noise.sampled:
        text = f"Components are estimated from {counted(noise.sampled, 'user')} drawn at random."
        statements.append(Statement("sample", text, {"users": noise.sampled}))
    return statements + [_present_power(of, each) for each in now]


def _plan(of: PowerContext) -> Statement:
    """Say what is planned for."""
    relative = f" ({share_text(of.share)} of the first group's mean)" if of.share is not None else ""
    text = (
        f"Planned for: a true difference of {of.difference:.4g} in {of.measure}{relative}, detected at the "
        f"{level_text(of.confidence)} level with power {of.target:g}. Power is averaged over plausible variance "
        f"components; brackets hold the range for {share_text(RANGE, 0)} of them."
    )
    values: dict[str, Value] = {"measure": of.measure, "difference": of.difference, "share": of.share}
    return Statement("plan", text, values | {"confidence": of.confidence, "target": of.target, "range": RANGE})


def _components(table: pl.DataFrame) -> Statement:
    """Say how large the components are."""
    parts = [f"{NAMES.get(name, name)} {sd:.3g} ({low:.3g} to {high:.3g})" for name, sd, low, high in table.iter_rows()]
    text = f"Variance components, as sd of a session: {', '.join(parts)}."
    return Statement("components", text, table.to_dict(as_series=False))


def _present_power(of: PowerContext, present: Present) -> Statement:
    """Say what a study of the present size would find."""
    is_present, size, chance = _same(present.size, present.now), present.size, present.chance
    like = "a study like this one" if is_present else "the balanced study nearest to this one"
    text = (
        f"Claim about {present.population} like these: {like}, {_size(size)}, has power {_power(chance, of.target)}; "
        f"{present.test}."
    )
    values: dict[str, Value] = {"population": present.population, "test": present.test, **vars(size)}
    values |= {"is_present": is_present, "power": chance.power, "low": chance.low, "high": chance.high}
    return Statement("power", text, values | {"target": of.target})


def needed(of: PowerContext, found: Sequence[Smallest]) -> Statement:
    """Say what reaches the target for one claim, by topics where these are planned beside users, or that nothing does."""
    values: dict[str, Value] = {"population": found[0].population, "target": of.target, "most": found[0].most}
    values |= {"studies": [_study(each) for each in found], "sure_for": SURE_FOR}
    return Statement("needed", _needed_text(of, found), values)


def _study(smallest: Smallest) -> dict[str, int | float | None]:
    """The smallest study as values of a statement."""
    row = smallest_table([smallest]).row(0, named=True)
    limit = smallest.limit
    limits = {"limit_low": None if limit is None else limit.low, "limit_high": None if limit is None else limit.high}
    return {name: row[name] for name in row if name not in ("population", "most")} | limits


def _needed_text(of: PowerContext, found: Sequence[Smallest]) -> str:
    """Say what reaches the target for one claim."""
    population = f"Claim about {found[0].population} like these: "
    if found[0].limit is None:
        return population + " ".join(_alone(of, each) for each in found)
    parts = []
    never = [each for each in found if each.limit is not None and each.limit.power < of.target]
    beyond = [each for each in found if each.size is None and each not in never]
    reached = [each for each in found if each.size is not None and each not in never]
    if never:
        limits = ", ".join(_power(each.limit, of.target) for each in never if each.limit is not None)
        parts.append(
            f"with {_listed([_topics(each) for each in never])} topics no number of users reaches power {of.target:g}: with "
            f"infinitely many users, power would be {limits}. Only more topics help."
        )
    if beyond:
        parts.append(
            f"With {_listed([_topics(each) for each in beyond])} topics power {of.target:g} is not reached by {beyond[0].most:,} users."
        )
    if reached:
        parts.append(
            f"Power {of.target:g} is reached by {_listed([_size_text(each.size, each.now) for each in reached], 'or')}."
        )
        sure = [each for each in reached if each.sure is not None]
        which = _listed([_size(each.sure) for each in sure], "or") if sure else f"Even {reached[0].most:,} users do not"
        parts.append(f"{which} reach it for {SURE}.")
    text = " ".join(parts)
    return population + text[0].lower() + text[1:]


def _alone(of: PowerContext, found: Smallest) -> str:
    """Say what reaches the target where users, topics or sessions alone grow."""
    beside = f"with {_topics(found)} topics " if found.topics and found.population == "topics" else ""
    if found.size is None:
        return f"{beside}power {of.target:g} is not reached by {found.most:,} {found.population}."
    sure = _size(found.sure) if found.sure is not None else f"Even {found.most:,} {found.population} do not"
    return f"{_size_text(found.size, found.now)} reach power {of.target:g}. {sure} reach it for {SURE}."


def _size_text(size: Size | None, now: Size) -> str:
    """Say a size, and how many more users and topics that is than now."""
    if size is None:
        return "none"
    parts = []
    for then, before, one in ((size.users, now.users, "user"), (size.topics, now.topics, "topic")):
        if then is not None:
            more = then - before if before is not None else 0
            told = f" ({more:,} more than now)" if more > 0 else f" ({-more:,} fewer than now)" if more < 0 else ""
            parts.append(counted(then, one) + told)
    if size.sessions is not None:
        parts.append(counted(size.sessions, "session"))
    return ", ".join(parts)


def _same(size: Size, now: Size) -> bool:
    """Whether a planned size is the present one."""
    pairs = ((size.users, now.users), (size.topics, now.topics), (size.sessions, now.sessions))
    return all(planned is None or before is None or planned == before for planned, before in pairs)


def _size(size: Size | None) -> str:
    """Say a size."""
    if size is None:
        return "none"
    parts = [(size.users, "user"), (size.topics, "topic"), (size.sessions, "session")]
    return ", ".join(counted(many, what) for many, what in parts if many is not None)


def _topics(found: Smallest) -> str:
    """Say how many topics."""
    return f"{found.topics:,}"


def _power(chance: PowerEstimate, target: float) -> str:
    """Say a power and its range; one that is too low is not rounded up to the target."""
    power = f"{chance.power:.2f}"
    if chance.power < target <= float(power):
        power = f"just below {target:g}"
    return f"{power} ({ends_text(chance.low, chance.high, digits=2)})"


def _listed(texts: Sequence[str], last: str = "and") -> str:
    """Join texts for a sentence; sizes, which have commas, by semicolons."""
    between = "; " if any(", " in text for text in texts) else ", "
    return (
        texts[0]
        if len(texts) == 1
        else f"{between.join(texts[:-1])}{';' if between == '; ' else ''} {last} {texts[-1]}"
    )
