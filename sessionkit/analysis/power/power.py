"""How large must a study be? Power of the test that `compare` takes, for more users and topics, by simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

import numpy as np
import polars as pl

from sessionkit.analysis.compare.design import read_design
from sessionkit.analysis.compare.session_values import chosen_sessions, require_values, sessions_of
from sessionkit.analysis.findings import traced
from sessionkit.analysis.phrases import reading_of
from sessionkit.analysis.power.chances import RANGE
from sessionkit.analysis.power.finding import COMPONENTS, POWER, SMALLEST, PowerPlan
from sessionkit.analysis.power.ladder import Ladder, Rung, Smallest
from sessionkit.analysis.power.messages import ABSURD, CAVEAT, UNKNOWN, PowerContext, Present, needed, opening
from sessionkit.analysis.power.noise import WITH_TOPIC, Noise, noise
from sessionkit.analysis.power.options import (
    checked,
    claims,
    declared,
    numbers,
    present,
    spread,
    title,
    topics_of,
    used,
)
from sessionkit.analysis.power.sizes import Size
from sessionkit.choices import Population
from sessionkit.errors import UsageError
from sessionkit.readers.tabular import Frame
from sessionkit.scoring.measures.base import Measure
from sessionkit.study import Study
from sessionkit.study.inference_options import error_rate
from sessionkit.study.restriction import Where
from sessionkit.study.study import guarded_read


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
    told = PowerContext(sessions.measures[0], design.described, wanted, share, target, alpha)
    every = [each for of_claim in smallest for each in of_claim]
    blind = any(each.limit is not None for each in every) and WITH_TOPIC not in found.names
    reading = [
        *opening(told, found, now),
        *(needed(told, of_claim) for of_claim in smallest),
        *([ABSURD] if wanted > spread(sessions) else []),
        *([UNKNOWN] if blind else []),
        CAVEAT,
    ]
    return PowerPlan(
        table=power_table(rungs, titles, target),
        smallest=smallest_table(every),
        components=component_table(found),
        reading=reading_of(reading, restriction),
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
        more = (_more(size.users, found.now.users), _more(size.topics, found.now.topics))
        rows.append(
            (found.population, *vars(size).values(), *more, sure.users, sure.topics, sure.sessions, found.most, limit)
        )
    return pl.DataFrame(rows, schema=SMALLEST, orient="row")


def _more(then: int | None, now: int | None) -> int | None:
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
