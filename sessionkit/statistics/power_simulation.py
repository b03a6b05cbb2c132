"""Simulated studies of one design: what varies, studies of each size, and how often the test finds a difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from sessionkit.errors import DataError
from sessionkit.statistics.design import Design
from sessionkit.statistics.effects import studentized
from sessionkit.statistics.session_values import GroupedSessions
from sessionkit.statistics.units import Effects, coded, indicators
from sessionkit.statistics.variance_components import SESSION, TOPIC, USER, Factors, MeanSquares, chosen, mean_squares

MOST_LEVELS = 1_000
"""Users, topics and cells that components are estimated from; of larger studies some users are taken at random."""
EXACT = 1e-7
"""Residual sd, as a share of the largest value, below which it is rounding: it is the root of a difference of sums of squares."""
WITH_USER, WITH_TOPIC = "group:user", "group:topic"
"""What users and topics do to the groups."""


@dataclass(frozen=True, eq=False)
class Noise:
    """Variance components of a study.

    Parameters
    ----------
    names
        Names of the components, ``residual`` last.
    estimates
        Their estimates, none below 0.
    draws
        A row per component, a column per draw.
    sampled
        Users that they are estimated from, where these are not all; else 0.
    """

    names: tuple[str, ...]
    estimates: np.ndarray
    draws: np.ndarray
    sampled: int = 0

    def of(self, name: str) -> tuple[float, np.ndarray]:
        """Estimate and draws of a component; 0 where the study does not tell it apart."""
        if name not in self.names:
            return 0.0, np.zeros(self.draws.shape[1])
        place = self.names.index(name)
        return float(self.estimates[place]), self.draws[place]


def noise(sessions: GroupedSessions, column: int, design: Design, draws: int, rng: np.random.Generator) -> Noise:
    """Estimate the components that matter in a design from mean squares, and draw them as uncertain as these leave them.

    Raises
    ------
    DataError
        A group has no value, or the sessions leave nothing to estimate from, or do not vary beyond groups and factors.
    """
    measure = sessions.measures[column]
    defined = np.isfinite(sessions.values[:, column])
    valued = set(sessions.frame.get_column("group").filter(pl.Series(defined)).unique())
    for group in sessions.groups:
        if group not in valued:
            msg = f"{measure}: {group} has no session with a value, so there is nothing to plan a study from; try another measure"
            raise DataError(msg)
    size = float(np.abs(sessions.values[defined, column]).max())
    sessions, sampled = _some(sessions, design, rng)
    factors, values = _pairs(sessions, column) if design.name == "both" else _whole(sessions, column, design)
    found = _squares(factors, values)
    if found is None or found[1].values[-1] <= (EXACT * size) ** 2:
        why = "too few sessions" if found is None else "groups, users and topics explain all variation"
        msg = f"{measure}: {why}, so there is nothing to plan a study from; try another measure, or a larger study"
        raise DataError(msg)
    factors, squares = found
    names = tuple(_own(name, sessions.by) for name in factors.names)
    return Noise((*names, "residual"), np.maximum(squares.components(), 0.0), squares.drawn(rng, draws), sampled)


def _whole(sessions: GroupedSessions, column: int, design: Design) -> tuple[Factors, np.ndarray]:
    """Sessions with the factors of the design that they tell apart."""
    by = sessions.by
    wanted = {
        "crossover": (USER, TOPIC, f"{by}:{TOPIC}"),
        "incomplete": (USER, TOPIC, f"{by}:{TOPIC}"),
        "users": (USER, f"{by}:{USER}"),
        "topics": (USER, TOPIC, f"{by}:{TOPIC}"),
        "sessions": (SESSION,),
        "independent": (USER,),
    }[design.name]
    known = [name for name in wanted if _known(sessions.frame, name.rpartition(":")[2])]
    found = chosen(sessions, column, known)
    return found.factors, found.values


def _pairs(sessions: GroupedSessions, column: int) -> tuple[Factors, np.ndarray]:
    """Contrasts within pairs of user and topic, in which all cancels that does not touch the groups."""
    k = len(sessions.groups)
    keep = np.isfinite(sessions.values[:, column])
    frame = sessions.frame.with_columns(value=pl.Series(sessions.values[:, column])).filter(pl.Series(keep))
    wide = (
        frame.drop_nulls([USER, TOPIC])
        .group_by(USER, TOPIC, "group")
        .agg(pl.col("value").mean())
        .pivot(on="group", on_columns=list(sessions.groups), index=[USER, TOPIC], values="value")
        .drop_nulls()
        .sort(USER, TOPIC)
    )
    values = wide.select(sessions.groups).to_numpy()
    contrasts = np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, 1:]]))[0][:, 1:]
    found = (values @ contrasts).T
    number = np.repeat(np.arange(k - 1), wide.height)
    levels = {WITH_USER: coded(wide.get_column(USER))[0], WITH_TOPIC: coded(wide.get_column(TOPIC))[0]}
    several = {name: of for name, of in levels.items() if 1 < int(of.max(initial=-1)) + 1 < len(of)}
    wide_levels = tuple(np.tile(of, k - 1) * (k - 1) + number for of in several.values())
    return Factors(number, k - 1, tuple(several), wide_levels), found.ravel()


def _squares(factors: Factors, values: np.ndarray) -> tuple[Factors, MeanSquares] | None:
    """Mean squares and their factors; those that leave no degrees of freedom are left to the residual, the last first."""
    while True:
        free = (
            len(values)
            - factors.groups
            - int(np.linalg.matrix_rank(factors.within, hermitian=True) if factors.names else 0)
        )
        if free > 0:
            return mean_squares(factors, values)
        if not factors.names:
            return None
        factors = factors.kept(range(len(factors.names) - 1))


def _some(sessions: GroupedSessions, design: Design, rng: np.random.Generator) -> tuple[GroupedSessions, int]:
    """All sessions, or those of some users where there are too many; how many users these are, else 0."""
    key = SESSION if design.name == "sessions" or not _known(sessions.frame, USER) else USER
    each = sessions.frame.get_column(key)
    names = each.drop_nulls().unique().sort()
    topics = sessions.frame.get_column(TOPIC).n_unique()
    k = len(sessions.groups)
    most = max(50, (MOST_LEVELS - topics * (k + 1)) // (k + 1)) if key == USER else 20 * MOST_LEVELS
    if len(names) <= most:
        return sessions, 0
    some = names.gather(np.sort(rng.permutation(len(names))[:most]))
    is_drawn = each.is_in(some.implode()).fill_null(value=False)
    frame = sessions.frame.filter(is_drawn)
    # components are those within groups, so a group of none of the drawn users is left out: its mean would be 0 / 0
    present = set(frame.get_column("group"))
    groups = tuple(group for group in sessions.groups if group in present)
    drawn = GroupedSessions(
        frame, sessions.values[is_drawn.to_numpy()], sessions.measures, groups, sessions.by, sessions.without_group
    )
    return drawn, most


def _known(frame: pl.DataFrame, column: str) -> bool:
    """Whether most sessions name theirs."""
    return 2 * frame.get_column(column).null_count() < frame.height


def _own(name: str, by: str) -> str:
    """Our name of a factor."""
    return {
        f"{by}:{USER}": WITH_USER, f"{by}:{TOPIC}": WITH_TOPIC, USER: "user", TOPIC: "topic", SESSION: "session",
    }.get(name, name)  # fmt: skip


@dataclass(frozen=True)
class Habits:
    """What stays as it is in the study: sessions per user, and per cell.

    Parameters
    ----------
    per_user
        Sessions per user; of users who meet every group with a topic, topics per user.
    per_cell
        Sessions per user and group, or where users are unknown per topic and group.
    users, topics, sessions
        How many there are now; users 0 where unknown, or where one user did everything: no more are planned then.
    searched
        Topics per user; 1 where unknown.
    """

    per_user: int
    per_cell: int
    users: int
    topics: int
    sessions: int
    searched: int = 1


@dataclass(frozen=True, eq=False)
class PlannedSessions:
    """User, topic and group of every session to come, as numbers from 0."""

    user: np.ndarray
    topic: np.ndarray
    group: np.ndarray
    users: int
    topics: int
    groups: int


def habits(sessions: GroupedSessions, design: str) -> Habits:
    """Read off a study what a larger one of the same design keeps: medians, at least 1."""
    frame = sessions.frame
    users, topics = (frame.get_column(key).drop_nulls().n_unique() for key in ("user_id", "topic_id"))
    of_user = frame.drop_nulls("user_id")
    what = pl.col("topic_id").n_unique() if design == "both" else pl.len()
    cell = ["user_id", "group"] if design == "users" else ["topic_id", "group"]
    return Habits(
        _median(of_user.group_by("user_id").agg(what.alias("many"))),
        _median(frame.drop_nulls(cell).group_by(cell).agg(pl.len().alias("many"))),
        users if users > 1 else 0,
        topics,
        frame.get_column("session_id").n_unique(),
        _median(of_user.drop_nulls("topic_id").group_by("user_id").agg(pl.col("topic_id").n_unique().alias("many"))),
    )


def plan(
    design: str, *, users: int, topics: int, groups: int, per_user: int, rng: np.random.Generator
) -> PlannedSessions:
    """Plan a study in which users search as many topics as now, topics and groups as balanced as can be.

    As many users in a row as there are groups search the same topics, every topic with another group each; so topics and
    groups are balanced. In a design paired by user and topic every user meets all groups with each topic.
    """
    i = np.arange(users)
    run = i // groups if design != "both" else i
    place = np.arange(per_user)
    topic = (run[:, None] * per_user + place) % topics
    if design == "both":
        shape = (users, per_user, groups)
        every = np.broadcast_to(np.arange(groups), shape).ravel()
        user = np.broadcast_to(i[:, None, None], shape).ravel()
        return PlannedSessions(user, np.broadcast_to(topic[:, :, None], shape).ravel(), every, users, topics, groups)
    if design == "topics":
        group = np.repeat((i % groups)[:, None], per_user, axis=1)
    else:
        labels = np.broadcast_to(place % groups, (int(run.max()) + 1, per_user))
        group = (rng.permuted(labels, axis=1)[run] + (i % groups)[:, None]) % groups
    return PlannedSessions(np.repeat(i, per_user), topic.ravel(), group.ravel(), users, topics, groups)


def fewest_users(topics: int, groups: int, per_user: int, design: str) -> int:
    """The users that it takes for every topic to be searched with every group."""
    runs = -(-topics // per_user)
    return runs if design == "both" else runs * groups


def _median(counts: pl.DataFrame) -> int:
    """Median of counts, at least 1."""
    median = counts.get_column("many").median()
    return max(1, round(float(median))) if isinstance(median, (int, float)) else 1


@dataclass(frozen=True, eq=False)
class Studies:
    """Studies with a standard normal number for every level of every source.

    Parameters
    ----------
    sources
        Names of the sources of variation.
    estimates
        A row per source, a column per study: what a source of sd 1 adds to the estimated difference.
    squares
        Sources x sources x studies: what they add to its squared standard error. Of two separate groups one after the
        other, whose squared standard errors are added.
    df
        Degrees of freedom; of separate groups, of each.
    alpha
        Error rate of the comparison; or the critical value `critical` where that is not t's.
    critical
        Multiple of the standard error that a difference must exceed; None: t's at `alpha`.
    """

    sources: tuple[str, ...]
    estimates: np.ndarray
    squares: tuple[np.ndarray, ...]
    df: float
    alpha: float
    critical: float | None = None


def joined(parts: list[Studies]) -> Studies:
    """Studies of several batches as one."""
    estimates = np.concatenate([part.estimates for part in parts], axis=-1)
    squares = tuple(np.concatenate(each, axis=-1) for each in zip(*(part.squares for part in parts), strict=True))
    return replace(parts[0], estimates=estimates, squares=squares)


def crossed(plan: PlannedSessions, studies: int, alpha: float, rng: np.random.Generator) -> Studies:
    """Least squares on user + topic + group; what topics do to groups sums to 0 over these topics.

    Users and topics cancel. Of the residual three things are drawn, all that least squares sees of it: the estimate, what
    stands along the topics' effects on groups, and the sum of squares beyond.
    """
    k = plan.groups
    effects = Effects(plan.user, plan.topic)
    x = effects.without(indicators(plan.group, k))
    inverse = np.linalg.pinv(x.T @ x, hermitian=True)
    df = len(plan.group) - effects.rank - (k - 1)
    cell = (np.arange(plan.topics * k)[None, :] == (plan.topic * k + plan.group)[:, None]).astype(float)
    centering = np.kron(np.eye(plan.topics) - 1 / plan.topics, np.eye(k))
    seen = effects.without(cell) @ centering
    mapped = inverse @ (x.T @ seen)
    left = seen - x @ mapped
    value, vector = np.linalg.eigh(left.T @ left)
    kept = value > 1e-9 * max(1.0, float(value.max(initial=0)))
    z = rng.standard_normal((plan.topics * k, studies))
    along = np.sqrt(value[kept])[:, None] * (vector[:, kept].T @ z)
    own = rng.standard_normal(along.shape)
    beyond = rng.chisquare(max(df - len(along), 1), studies) if df > len(along) else np.zeros(studies)
    scale = float(inverse[0, 0])
    estimates = np.stack([mapped[0] @ z, math.sqrt(scale) * rng.standard_normal(studies)])
    mixed = (along * own).sum(axis=0)
    squares = np.array([[(along**2).sum(axis=0), mixed], [mixed, (own**2).sum(axis=0) + beyond]])
    return Studies((WITH_TOPIC, "residual"), estimates, (squares * scale / df,), df, alpha / (k * (k - 1) / 2))


def blocked(cells: dict[str, np.ndarray], alpha: float) -> Studies:
    """Units that each met every group: paired t, or of more than two groups Tukey's HSD; units x groups x studies each."""
    sources = tuple(cells)
    units, k, _ = cells[sources[0]].shape
    estimates = np.stack([cells[name][:, 1].mean(axis=0) - cells[name][:, 0].mean(axis=0) for name in sources])
    if k == 2:
        left = [cells[name][:, 1] - cells[name][:, 0] - row for name, row in zip(sources, estimates, strict=True)]
        squares = np.array([[(a * b).sum(axis=0) for a in left] for b in left]) / (units - 1) / units
        return Studies(sources, estimates, (squares,), units - 1, alpha)
    df = (units - 1) * (k - 1)
    rest = []
    for name in sources:
        of = cells[name]
        rest.append(of - of.mean(axis=1, keepdims=True) - of.mean(axis=0) + of.mean(axis=(0, 1)))
    squares = np.array([[(a * b).sum(axis=(0, 1)) for a in rest] for b in rest]) / df / units
    return Studies(sources, estimates, (squares,), df, alpha, studentized(alpha, k, df))


def separate(cells: dict[str, np.ndarray], groups: int, alpha: float) -> Studies:
    """Two of the groups of different units: Welch's t; units x 2 x studies each."""
    sources = tuple(cells)
    units = cells[sources[0]].shape[0]
    means = {name: cells[name].mean(axis=0) for name in sources}
    estimates = np.stack([means[name][1] - means[name][0] for name in sources])
    squares = tuple(
        np.array([
            [((cells[a][:, g] - means[a][g]) * (cells[b][:, g] - means[b][g])).sum(axis=0) for a in sources] for b in sources
        ]) / (units - 1) / units
        for g in (0, 1)
    )  # fmt: skip
    return Studies(sources, estimates, squares, units - 1, alpha / (groups * (groups - 1) / 2))


def of_units(
    plan: PlannedSessions, unit: str, studies: int, sources: tuple[str, ...], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Mean of every unit with every group, by source: users or topics of a plan; units x groups x studies.

    What the others (topics for users, users for topics) do to groups sums to 0 over those that there are.
    """
    from scipy.sparse import csr_matrix

    k = plan.groups
    of, many = (plan.user, plan.users) if unit == "users" else (plan.topic, plan.topics)
    cell = of * k + plan.group
    size = np.maximum(np.bincount(cell, minlength=many * k), 1).astype(float)
    found = {}
    for name in sources:
        if name == "residual":
            found[name] = (rng.standard_normal((many * k, studies)) / np.sqrt(size)[:, None]).reshape(many, k, studies)
            continue
        base, levels = (plan.user, plan.users) if name in ("user", WITH_USER) else (plan.topic, plan.topics)
        grouped = name in (WITH_USER, WITH_TOPIC)
        z = rng.standard_normal((levels, k if grouped else 1, studies))
        if (name, unit) in ((WITH_TOPIC, "users"), (WITH_USER, "topics")):
            z -= z.mean(axis=0)
        level = base * k + plan.group if grouped else base
        mean = csr_matrix((1 / size[cell], (cell, level)), shape=(many * k, levels * (k if grouped else 1)))
        found[name] = (mean @ z.reshape(-1, studies)).reshape(many, k, studies)
    return found


WIDE = ("crossover", "incomplete", "both", "topics")
"""Designs in which both users and topics are planned."""
AT_ONCE = 2**21
"""Numbers drawn in one go."""


@dataclass(frozen=True)
class Size:
    """How large a study is; None where that does not matter or is not known.

    Parameters
    ----------
    users, topics, sessions
        How many; users of None with topics given: as many as one likes.
    """

    users: int | None
    topics: int | None
    sessions: int | None


@dataclass(frozen=True)
class PlannedDesign:
    """A design, a claim, and what does not change with the size of the study.

    Parameters
    ----------
    design, population, layout
        As `compare` has them.
    groups
        How many groups there are.
    habits
        Sessions per user and per cell.
    alpha
        Error rate.
    studies, seed
        How many studies are simulated, and their seed.
    """

    design: str
    population: str
    layout: str
    groups: int
    habits: Habits
    alpha: float
    studies: int
    seed: int

    @property
    def axis(self) -> str:
        """What grows: users where they are known, else what the claim is about."""
        if self.population == "sessions":
            return "sessions"
        return "users" if self.habits.users else self.population

    @property
    def step(self) -> int:
        """By how many it grows at a time: users who each meet some of the groups come in sets, so that groups stay balanced."""
        alone = self.design in ("both", "users", "sessions") or self.axis == "topics"
        return 1 if alone and self.layout == "blocked" else self.groups

    def size(self, many: int | None, topics: int | None) -> Size:
        """The size with so many of what grows."""
        kept = self.habits
        if self.axis == "sessions":
            return Size(None, None, many)
        if self.axis == "topics":
            return Size(None, many, many * kept.per_cell * self.groups if many else None)
        if many is None:
            return Size(None, topics, None)
        each = kept.per_user * (self.groups if self.design == "both" else 1)
        if self.design == "users":
            each = kept.per_cell * self.groups
        return Size(many, topics, many * each)

    @property
    def now(self) -> Size:
        """The size of the study that is planned from."""
        of = self.habits
        return Size(of.users or None, of.topics or None, of.sessions)

    def least(self, topics: int | None) -> int:
        """The fewest that make a study."""
        if self.axis == "users" and self.design in WIDE and topics:
            fewest = fewest_users(topics, self.groups, self.habits.per_user, self.design)
            return max(fewest, 2 if self.design == "both" else 2 * self.groups)
        return 2 if self.layout == "blocked" else 2 * self.groups

    def at(self, many: int | None, topics: int | None) -> Studies:
        """Simulate studies with so many of what grows; None, without end."""
        rng = np.random.Generator(np.random.PCG64([self.seed, many or 0, topics or 0]))
        if many is None:
            cells = {WITH_TOPIC: rng.standard_normal((topics or 2, self.groups, self.studies))}
            return blocked(cells, self.alpha)
        planned = None
        if self.axis == "users" and self.design in WIDE:
            kept = {"groups": self.groups, "per_user": self.habits.per_user}
            planned = plan(self.design, users=many, topics=topics or 1, rng=rng, **kept)
            if self.layout == "crossed":
                return crossed(planned, self.studies, self.alpha, rng)
        at_once = max(50, AT_ONCE // (many * self.groups))
        parts = [
            self._some(many, planned, min(at_once, self.studies - start), rng)
            for start in range(0, self.studies, at_once)
        ]
        return joined(parts)

    def _some(self, many: int, planned: PlannedSessions | None, studies: int, rng: np.random.Generator) -> Studies:
        """Simulate some studies of units; without a plan every unit is alike."""
        k, kept = self.groups, self.habits
        if planned is not None:
            sources = (WITH_TOPIC, "residual", WITH_USER if self.design == "both" else "user")
            cells = of_units(planned, self.population, studies, sources, rng)
            if self.layout == "blocked":
                return blocked(cells, self.alpha)
            two = {name: np.stack([of[g::k, g][: many // k] for g in (0, 1)], axis=1) for name, of in cells.items()}
            return separate(two, k, self.alpha)
        if self.layout == "separate":
            shape = (many // k, 2, studies)
            own = {"user": rng.standard_normal(shape)} if self.population == "users" else {}
            each = kept.per_user if own else 1
            rest = rng.standard_normal(shape) / np.sqrt(each)
            return separate({**own, "residual": rest}, k, self.alpha)
        shape = (many, k, studies)
        other = {"users": WITH_USER, "topics": WITH_TOPIC}.get(self.population)
        own = {other: rng.standard_normal(shape)} if other else {}
        rest = rng.standard_normal(shape) / np.sqrt(kept.per_cell if other else 1)
        return blocked({**own, "residual": rest}, self.alpha)


RANGE = 0.9
"""Share of the draws that the range of power holds."""


@dataclass(frozen=True)
class PowerEstimate:
    """Power at one size of study.

    Parameters
    ----------
    power
        Chance to find the difference, in its direction, averaged over what may vary.
    error
        Monte Carlo standard error of that.
    low, high
        Range of power that holds `RANGE` of the draws of what varies.
    at_estimate
        Power were the estimated components the true ones.
    """

    power: float
    error: float
    low: float
    high: float
    at_estimate: float


def chance(studies: Studies, noise: Noise, difference: float) -> PowerEstimate:
    """Work out how often a true difference, above 0, is found."""
    estimate, draws = zip(*(noise.of(name) for name in studies.sources), strict=True)
    sds = np.sqrt(np.column_stack([np.array(estimate), np.stack(draws)]))
    found = np.stack([_found(studies, sd, difference) for sd in sds.T])
    by_draw, by_study = found[1:].mean(axis=1), found[1:].mean(axis=0)
    low, high = np.quantile(by_draw, [(1 - RANGE) / 2, (1 + RANGE) / 2])
    error = np.sqrt(by_draw.var() / len(by_draw) + by_study.var() / len(by_study))
    return PowerEstimate(float(by_draw.mean()), float(error), float(low), float(high), float(found[0].mean()))


def _found(studies: Studies, sd: np.ndarray, difference: float) -> np.ndarray:
    """Whether each study finds the difference at these sds."""
    from scipy import special

    estimates = difference + sd @ studies.estimates
    weights = np.outer(sd, sd)
    parts = [np.tensordot(weights, square, 2) for square in studies.squares]
    square = np.add.reduce(parts)
    critical: np.ndarray | float | None = studies.critical
    if critical is None and len(parts) == 1:
        critical = float(special.stdtrit(studies.df, 1 - studies.alpha / 2))
    elif critical is None:
        df = square**2 / np.maximum(sum(part**2 for part in parts) / studies.df, 1e-300)
        critical = special.stdtrit(np.maximum(df, 1.0), 1 - studies.alpha / 2)
    found: np.ndarray = estimates > critical * np.sqrt(np.maximum(square, 0.0))
    return found


RUNGS = (1, 1.5, 2, 3, 4, 6, 8, 12, 16)
"""Multiples of the present study that are looked at."""
MOST = 5_000
"""The largest number that is looked at."""
MORE_TOPICS = (1, 2, 3, 4, 6, 8)
"""Multiples of its topics."""


@dataclass(frozen=True)
class Rung:
    """Power at one size."""

    population: str
    size: Size
    chance: PowerEstimate


@dataclass(frozen=True)
class Smallest:
    """The smallest sizes that reach the target; None where none of up to `most` does.

    Parameters
    ----------
    population, topics
        The claim, and the topics that the size is for.
    now
        The size of the study that is planned from.
    size, sure
        With the power that is to be expected; with all but the lowest powers that what varies leaves possible.
    most
        The largest number looked at.
    limit
        Power with users without end; None where that is 1.
    """

    population: str
    topics: int | None
    now: Size
    size: Size | None
    sure: Size | None
    most: int
    limit: PowerEstimate | None


class Ladder:
    """Power by size for one claim; every size is simulated once."""

    def __init__(self, planned: PlannedDesign, noise: Noise, difference: float, target: float) -> None:
        """Begin without any."""
        self.planned, self.noise, self.difference, self.target = planned, noise, difference, target
        self.known: dict[tuple[int | None, int | None], PowerEstimate] = {}

    def at(self, many: int | None, topics: int | None) -> PowerEstimate:
        """Power at a size."""
        key = (many, topics)
        if key not in self.known:
            self.known[key] = chance(self.planned.at(many, topics), self.noise, self.difference)
        return self.known[key]

    def rungs(self, asked: Sequence[int] | None, topics: int | None) -> list[int]:
        """Numbers to look at, rounded up to what keeps groups balanced."""
        planned, step = self.planned, self.planned.step
        now = {"users": planned.habits.users, "topics": planned.habits.topics, "sessions": planned.habits.sessions}[
            planned.axis
        ]
        wanted = (
            asked
            or [round(now * rung) for rung in RUNGS if now * rung <= MOST]
            or [round(MOST / rung) for rung in RUNGS]
        )
        least = planned.least(topics)
        return sorted({-(-max(each, least) // step) * step for each in wanted})

    def climbed(self, asked: Sequence[int] | None, topics: int | None) -> tuple[list[Rung], Smallest]:
        """Power at every rung, and the smallest size that reaches the target."""
        planned = self.planned
        rungs = self.rungs(asked, topics)
        found = [Rung(planned.population, planned.size(many, topics), self.at(many, topics)) for many in rungs]
        limit = None
        if planned.population == "topics" and planned.axis == "users":
            limit = self.at(None, topics)
            found.append(Rung(planned.population, planned.size(None, topics), limit))
        expected = self._smallest(rungs, topics, lambda of: of.power)
        sure = self._smallest(rungs, topics, lambda of: of.low)
        at = topics if planned.axis == "users" else None
        sizes = [None if many is None else planned.size(many, topics) for many in (expected, sure)]
        return found, Smallest(planned.population, at, planned.now, sizes[0], sizes[1], rungs[-1], limit)

    def _smallest(self, rungs: list[int], topics: int | None, of: Callable[[PowerEstimate], float]) -> int | None:
        """The smallest number that reaches the target, between two rungs by halving."""
        reached = [many for many in rungs if of(self.at(many, topics)) >= self.target]
        if not reached:
            return None
        step = self.planned.step
        high = reached[0]
        below = [many for many in rungs if many < high]
        low = below[-1] if below else -(-self.planned.least(topics) // step) * step - step
        while high - low > step:
            middle = (low + high) // 2 // step * step
            middle = middle if middle > low else low + step
            low, high = (low, middle) if of(self.at(middle, topics)) >= self.target else (middle, high)
        return high
