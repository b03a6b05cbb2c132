"""Variance components of users, topics and sessions: random factors, mean squares, restricted likelihood and profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from sessionkit.errors import UsageError, suggestion
from sessionkit.statistics.session_values import GroupedSessions, numbered
from sessionkit.statistics.units import coded

NEGLIGIBLE = 1e-9
"""Share of the largest eigenvalue below which one counts as 0."""
MOST_LEVELS = 1_500
"""Levels of all factors that are worked with."""


@dataclass(frozen=True, eq=False)
class Factors:
    """The group of every session, and its levels of random factors.

    Parameters
    ----------
    group
        Number of every session's group, from 0.
    groups
        How many there are.
    names
        Names of the random factors.
    levels
        By factor, number of every session's level, from 0 without gaps.
    """

    group: np.ndarray
    groups: int
    names: tuple[str, ...]
    levels: tuple[np.ndarray, ...]

    def kept(self, which: Sequence[int]) -> Factors:
        """The same with some of its factors."""
        return replace(self, names=tuple(self.names[k] for k in which), levels=tuple(self.levels[k] for k in which))

    def finer(self, one: int, other: int) -> bool:
        """Whether every level of one factor lies within one level of another."""
        pairs = self.levels[one] * self.sizes[other] + self.levels[other]
        return len(np.unique(pairs)) == self.sizes[one]

    @cached_property
    def containing(self) -> tuple[int, ...]:
        """Factors that contain the groups: every level of theirs has one group only, so that they vary what groups do."""
        return tuple(
            k for k, of in enumerate(self.levels) if len(np.unique(of * self.groups + self.group)) == self.sizes[k]
        )

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Levels of every factor."""
        return tuple(int(of.max()) + 1 for of in self.levels)

    @cached_property
    def blocks(self) -> tuple[slice, ...]:
        """Where every factor's levels stand among those of all."""
        ends = np.cumsum([0, *self.sizes])
        return tuple(slice(int(a), int(b)) for a, b in pairwise(ends))

    @cached_property
    def counts(self) -> np.ndarray:
        """Sessions of every group, X'X."""
        return np.bincount(self.group, minlength=self.groups).astype(float)

    @cached_property
    def of_groups(self) -> np.ndarray:
        """Sessions of every level with every group, Z'X."""
        parts = [
            np.bincount(of * self.groups + self.group, minlength=many * self.groups).reshape(many, self.groups)
            for of, many in zip(self.levels, self.sizes, strict=True)
        ]
        return np.vstack([np.zeros((0, self.groups)), *parts])

    @cached_property
    def of_levels(self) -> np.ndarray:
        """Sessions that two levels have in common, Z'Z."""
        found = np.zeros((sum(self.sizes), sum(self.sizes)))
        for one, rows, high in zip(self.levels, self.blocks, self.sizes, strict=True):
            for other, columns, wide in zip(self.levels, self.blocks, self.sizes, strict=True):
                found[rows, columns] = np.bincount(one * wide + other, minlength=high * wide).reshape(high, wide)
        return found

    @cached_property
    def within(self) -> np.ndarray:
        """Z'MZ, cross products of levels once groups are taken out."""
        found: np.ndarray = self.of_levels - self.of_groups / self.counts @ self.of_groups.T
        return found

    @cached_property
    def products(self) -> np.ndarray:
        """Products (traces) of the covariances that components give, the residual's last; singular where two are alike."""
        many = len(self.names)
        found = np.empty((many + 1, many + 1))
        for k, rows in enumerate(self.blocks):
            found[k, :many] = [(self.within[rows, columns] ** 2).sum() for columns in self.blocks]
            found[k, -1] = found[-1, k] = np.trace(self.within[rows, rows])
        found[-1, -1] = len(self.group) - self.groups
        return found

    def sums(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums of values over every group, and over every level: X'y and Z'y."""
        of = [
            np.bincount(each, weights=values, minlength=many)
            for each, many in zip(self.levels, self.sizes, strict=True)
        ]
        return np.bincount(self.group, weights=values, minlength=self.groups), np.concatenate([np.zeros(0), *of])

    def beyond(self, values: np.ndarray) -> tuple[np.ndarray, float]:
        """Z'My, sums of values over levels once groups are taken out, and the sum of squares that is left of values."""
        left = self._without_groups(values)
        return self.sums(left)[1], float(left @ left)

    @cached_property
    def basis(self) -> np.ndarray:
        """Columns E such that E'Z'M has orthonormal rows that span all that levels can explain beyond groups."""
        value, vector = np.linalg.eigh(self.within)
        kept = value > NEGLIGIBLE * max(1.0, float(value.max(initial=0)))
        found: np.ndarray = vector[:, kept] / np.sqrt(value[kept])
        return found

    @cached_property
    def reach(self) -> np.ndarray:
        """What a level adds to the reduced values: a column per level."""
        found: np.ndarray = self.basis.T @ self.within
        return found

    @cached_property
    def shapes(self) -> np.ndarray:
        """By factor and, last, for the residual, the covariance that a variance of 1 gives to the reduced values."""
        r = self.basis.shape[1]
        found = np.empty((len(self.names) + 1, r, r))
        for number, block in enumerate(self.blocks):
            found[number] = self.reach[:, block] @ self.reach[:, block].T
        found[-1] = np.eye(r)
        return found

    def reduced(self, values: np.ndarray) -> Reduced:
        """Return values without what groups explain: as many numbers as levels can explain, and the squares left beyond."""
        rest = self._without_groups(values)
        seen = self.basis.T @ self.sums(rest)[1]
        # the squares of what is left, as the squares of all less those explained lose half of their digits
        of_levels = self.basis @ seen
        explained = sum(of_levels[block][of] for block, of in zip(self.blocks, self.levels, strict=True))
        rest = rest - self._without_groups(np.zeros(len(values)) + explained)
        return Reduced(self.shapes, seen, float(rest @ rest), len(values) - self.groups - len(seen))

    def _without_groups(self, values: np.ndarray) -> np.ndarray:
        """Return values less the mean of their group."""
        by_group = np.bincount(self.group, weights=values, minlength=self.groups)
        left: np.ndarray = values - (by_group / self.counts)[self.group]
        return left


@dataclass(frozen=True, eq=False)
class Reduced:
    """All that the restricted likelihood (REML) needs of values: their variance matrix is linear in the components.

    Parameters
    ----------
    shapes
        By component, the residual last, its covariance at a variance of 1.
    seen
        What levels can explain of the values.
    left
        Sum of squares beyond.
    df
        Its degrees of freedom.
    """

    shapes: np.ndarray
    seen: np.ndarray
    left: float
    df: int

    def deviance(self, components: np.ndarray) -> float:
        """-2 log restricted likelihood, but for a constant; infinite where the variances are impossible."""
        residual = float(components[-1])
        if not residual > 0:
            return float("inf")
        try:
            half = np.linalg.cholesky(np.tensordot(components, self.shapes, 1))
        except np.linalg.LinAlgError:
            return float("inf")
        inner = np.linalg.solve(half, self.seen)
        logs = 2 * float(np.log(np.diag(half)).sum()) + self.df * float(np.log(residual))
        return logs + float(inner @ inner) + self.left / residual

    def slopes(self, components: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Score (slope of the log restricted likelihood) and expected information of the components."""
        inverse = np.linalg.inv(np.tensordot(components, self.shapes, 1))
        of = inverse @ self.shapes
        weights = inverse @ self.seen
        score = 0.5 * (np.einsum("kij,i,j->k", self.shapes, weights, weights) - np.trace(of, axis1=1, axis2=2))
        turned = of.transpose(0, 2, 1).reshape(len(of), -1)
        information = 0.5 * of.reshape(len(of), -1) @ turned.T
        residual = components[-1]
        score[-1] += 0.5 * (self.left / residual - self.df) / residual
        information[-1, -1] += 0.5 * self.df / residual**2
        return score, information


USER, TOPIC, SESSION = "user_id", "topic_id", "session_id"
HALF = 0.5
GROUPS = "the groups"
MANY = {USER: "users", TOPIC: "topics", SESSION: "sessions"}


class Exclusion(NamedTuple):
    """Why a factor is not in a model: a short code, a sentence without its end, and the factor that divides the sessions alike."""

    reason: str
    text: str
    same_as: str | None = None


@dataclass(frozen=True, eq=False)
class FactorChoice:
    """Sessions of one measure with the factors that they can tell apart.

    Parameters
    ----------
    factors, values
        The factors and the values.
    users, topics
        How many there are; 0 where unknown.
    left_out
        By factor, why it is not in the model.
    dropped
        What sessions were left out, and how many.
    """

    factors: Factors
    values: np.ndarray
    users: int
    topics: int
    left_out: dict[str, Exclusion]
    dropped: dict[str, int]


def asked_for(sessions: GroupedSessions, random: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the factors asked for; by default users, topics and what topics, or else users, do to groups.

    Raises
    ------
    UsageError
        There is no such factor.
    """
    by = sessions.by
    known = [column for column in (USER, TOPIC) if column != by and _is_known(sessions.frame, column)]
    if random is None:
        repeated = [SESSION] if sessions.frame.get_column(SESSION).is_duplicated().any() else []
        varied = [f"{by}:{column}" for column in known[-1:]]
        return (*known, *varied, *repeated)
    if not isinstance(random, str | Sequence):
        raise UsageError(f"random= takes names of factors, such as user_id, not {random!r}")
    given = [text.strip() for text in random.split(",")] if isinstance(random, str) else list(random)
    possible = [*known, *(f"{by}:{column}" for column in known), SESSION]
    possible += [f"{USER}:{TOPIC}"] if len(known) == 2 else []
    if known and not any(str(name).strip() for name in given):
        msg = f"random= is empty; choose from {', '.join(possible)}, or leave it out"
        raise UsageError(msg)
    found = []
    for name in given:
        same = [each for each in possible if sorted(each.split(":")) == sorted(str(name).split(":"))]
        if not same:
            msg = f"random={name}: no such factor here; choose from {', '.join(possible)}{suggestion(str(name), possible)}"
            raise UsageError(msg)
        found += same
    return tuple(sorted(set(found), key=lambda each: (":" in each, found.index(each))))


def alike(sessions: GroupedSessions, names: Sequence[str]) -> str:
    """The factor that would let users differ in what groups do to them, where sessions could tell; else empty."""
    name = f"{sessions.by}:{USER}"
    if USER not in names or name in names:
        return ""
    met = sessions.frame.select(USER, "group").drop_nulls()
    cells = met.unique().height
    return name if 1 < met.get_column(USER).n_unique() < cells < met.height else ""


def chosen(sessions: GroupedSessions, column: int, names: Sequence[str]) -> FactorChoice:
    """Return one measure's sessions and factors; a session without a value, or without a factor's name, is left out.

    Parameters
    ----------
    sessions, column
        All sessions, and the number of the measure.
    names
        Names of the factors. One that the sessions cannot tell apart is left out.

    Raises
    ------
    UsageError
        They have too many levels.
    """
    keys = sorted({part for name in names for part in name.split(":")} - {sessions.by})
    defined = np.isfinite(sessions.values[:, column])
    dropped = {"undefined sessions": int((~defined).sum())}
    keep = defined
    for key in keys:
        named = sessions.frame.get_column(key).is_not_null().to_numpy()
        dropped[f"sessions without {key}"] = int((keep & ~named).sum())
        keep = keep & named
    frame = sessions.frame.filter(pl.Series(keep))
    group = numbered(frame, sessions.groups)
    left_out: dict[str, Exclusion] = {}
    levels: list[np.ndarray] = []
    kept: list[str] = []
    for name in names:
        of = _levels(frame, name, sessions.by)
        _fit_for(levels, of)
        why = _why_not(name, of, np.unique(group, return_inverse=True)[1], levels, kept)  # of groups with a value
        if why is not None:
            left_out[name] = why
        else:
            kept.append(name)
            levels.append(of)
    counted = {key: frame.get_column(key).drop_nulls().n_unique() for key in (USER, TOPIC)}
    factors = Factors(group, len(sessions.groups), tuple(kept), tuple(levels))
    values = sessions.values[keep, column]
    return FactorChoice(
        factors, values, counted[USER], counted[TOPIC], left_out, {what: many for what, many in dropped.items() if many}
    )


def _fit_for(levels: list[np.ndarray], of: np.ndarray) -> None:
    """Refuse more levels than can be worked with, unless they are one per session, which is the residual."""
    many = sum(int(each.max(initial=-1)) + 1 for each in (*levels, of))
    if many > MOST_LEVELS and int(of.max(initial=-1)) + 1 < len(of):
        msg = (
            f"a mixed model of {len(of):,} sessions and {many:,} users, topics and cells is too large; up to {MOST_LEVELS:,} of "
            "these would work, or compare, which takes studies of any size"
        )
        raise UsageError(msg)


def _is_known(frame: pl.DataFrame, column: str) -> bool:
    """Whether most sessions name theirs."""
    return frame.height > 0 and frame.get_column(column).null_count() < HALF * frame.height


def _levels(frame: pl.DataFrame, name: str, by: str) -> np.ndarray:
    """Number of every session's level, without gaps."""
    number = np.zeros(frame.height, dtype=np.int64)
    for part in name.split(":"):
        of, names = coded(frame.get_column("group" if part == by else part))
        number = number * max(1, len(names)) + of
    found: np.ndarray = np.unique(number, return_inverse=True)[1]
    return found


def _why_not(
    name: str, of: np.ndarray, group: np.ndarray, levels: list[np.ndarray], kept: list[str]
) -> Exclusion | None:
    """Say why sessions cannot tell a factor apart; None where they can."""
    many = int(of.max(initial=-1)) + 1
    if many < 2:
        is_plain = ":" not in name
        text = f"there is only one {MANY.get(name, name).removesuffix('s')}" if is_plain else "it has only one level"
        return Exclusion("one level", text)
    if many == len(of):
        return Exclusion("residual", "every session has a level of its own, so it is in the residual")
    for other, its in (*zip(kept, levels, strict=True), (GROUPS, group)):
        if len(np.unique(of * (int(its.max()) + 1) + its)) == many == int(its.max()) + 1:
            does = "do" if other == GROUPS else "does"
            text = f"it divides the sessions as {other} {does}, so the two cannot be separated"
            return Exclusion("same division", text, other)
    tried = Factors(group, int(group.max()) + 1, (*kept, name), (*levels, of)).products
    size = np.sqrt(np.diag(tried))
    if not size.all() or np.linalg.matrix_rank(tried / np.outer(size, size), tol=1e-9, hermitian=True) < len(tried):
        return Exclusion("not separable", "it cannot be separated from the groups, the other factors and the residual")
    return None


@dataclass(frozen=True, eq=False)
class MeanSquares:
    """Mean squares of the factors and, last, the residual.

    Parameters
    ----------
    values
        Each factor's, once groups and all factors are taken out that are not finer than it is.
    df
        Their degrees of freedom.
    weights
        A row per mean square, a column per component: the mean square's expectation is the row times the components.
    """

    values: np.ndarray
    df: np.ndarray
    weights: np.ndarray

    def components(self, values: np.ndarray | None = None) -> np.ndarray:
        """Components whose expected mean squares are these, or those given (one column each); some may be below 0."""
        found: np.ndarray = np.linalg.solve(self.weights, self.values if values is None else values)
        return found

    def drawn(self, rng: np.random.Generator, draws: int) -> np.ndarray:
        """Components as uncertain as the mean squares leave them, a column per draw; none below 0.

        Every expected mean square is drawn as its mean square over chi-squared / df: its fiducial distribution, which is
        the posterior under Jeffreys' prior. Where the data are balanced it is exact. A mean square that chance made smaller
        than components of 0 would have it is drawn as these would: else a study with a lucky one would have no doubt that
        its component is 0.
        """
        chi = rng.chisquare(self.df[:, None], size=(len(self.df), draws)) / self.df[:, None]
        expected = self.weights @ np.maximum(self.components(), 0.0)
        found: np.ndarray = np.maximum(self.components(expected[:, None] / chi), 0.0)
        return found


def mean_squares(factors: Factors, values: np.ndarray) -> tuple[Factors, MeanSquares]:
    """Work the mean squares out, of the factors that have one: others are left to the residual.

    A factor has none where groups and the factors that are not finer leave it no degrees of freedom. Something must be left
    over for the residual.
    """
    about, total = factors.beyond(values)
    many = len(factors.names)
    found, df, weights = np.zeros(many + 1), np.zeros(many + 1), np.zeros((many + 1, many + 1))
    for k in reversed(range(many)):
        others = [j for j in range(many) if j != k and not factors.finer(j, k)]
        less, more = _Out(factors, others), _Out(factors, [*others, k])
        df[k] = more.rank - less.rank
        if not df[k]:
            return mean_squares(factors.kept([j for j in range(many) if j != k]), values)
        found[k] = (more.explained(about) - less.explained(about)) / df[k]
        weights[k, :-1] = [(less.remaining(j) - more.remaining(j)) / df[k] for j in range(many)]
    everything = _Out(factors, list(range(many)))
    df[-1] = len(values) - factors.groups - everything.rank
    found[-1] = max(0.0, total - everything.explained(about)) / df[-1]
    weights[:, -1] = 1.0
    weights[np.abs(weights) < NEGLIGIBLE * weights.max()] = 0.0
    return factors, MeanSquares(found, df, weights)


class _Out:
    """Groups and some factors taken out."""

    def __init__(self, factors: Factors, which: list[int]) -> None:
        """Take them out."""
        self.within, self.blocks = factors.within, factors.blocks
        parts = [np.arange(self.blocks[k].start, self.blocks[k].stop) for k in which]
        self.columns = np.concatenate([np.zeros(0, int), *parts])
        value, vector = np.linalg.eigh(self.within[np.ix_(self.columns, self.columns)])
        kept = value > NEGLIGIBLE * max(1.0, float(value.max(initial=0)))
        self.inverse = (vector[:, kept] / value[kept]) @ vector[:, kept].T
        self.rank = int(kept.sum())

    def explained(self, about: np.ndarray) -> float:
        """Sum of squares that the factors explain beyond groups."""
        part = about[self.columns]
        return float(part @ self.inverse @ part)

    def remaining(self, factor: int) -> float:
        """Squares left of a factor's levels."""
        block = self.blocks[factor]
        between = self.within[self.columns, block]
        return float(np.trace(self.within[block, block]) - (between * (self.inverse @ between)).sum())


STEPS = 500
HALVINGS = 30
CLOSE = 1e-11
"""Step, as a share of all components, below which the maximum is reached."""
ROUNDING = 1e-13
"""Share of the deviance by which a step may seem to raise it."""
NOTHING = 1e-7
"""Share of the residual below which a component counts as 0."""


@dataclass(frozen=True, eq=False)
class MixedFit:
    """A mixed model fitted.

    Parameters
    ----------
    components
        Variance of every factor and, last, of the residual.
    log_likelihood
        Restricted log likelihood.
    converged
        Whether the maximum was reached.
    """

    components: np.ndarray
    log_likelihood: float
    converged: bool


def fitted(factors: Factors, values: np.ndarray) -> MixedFit:
    """Fit by REML, to values as multiples of their sd: a fit does not depend on their scale."""
    sd = float(values.std())
    reduced = factors.reduced((values - values.mean()) / sd)
    found = estimated(reduced, 1.0)
    converged = bool(np.abs(_step(reduced, found)).max() <= NOTHING * found.sum())
    # of X'X, which is diagonal, the determinant is the product of the groups' sizes
    free = len(values) - factors.groups
    constant = free * float(np.log(2 * np.pi * sd**2)) + float(np.log(factors.counts).sum())
    return MixedFit(found * sd**2, -(reduced.deviance(found) + constant) / 2, converged)


def estimated(reduced: Reduced, spread: float) -> np.ndarray:
    """Return the REML components of values with this variance: the better of two ascents, from equal shares and from none.

    What is less than a ten-millionth of the residual is 0.
    """
    many = len(reduced.shapes)
    equal = np.full(many, spread / many)
    little = np.full(many, spread * 0.01)
    little[-1] = spread
    found = min((highest(reduced, start) for start in (equal, little)), key=reduced.deviance)
    found[:-1][found[:-1] < NOTHING * found[-1]] = 0.0
    return found


def highest(reduced: Reduced, start: np.ndarray, fixed: int | None = None) -> np.ndarray:
    """Return the REML components by Fisher scoring.

    Parameters
    ----------
    reduced
        The values.
    start
        Components to begin at, the residual's last.
    fixed
        A component to keep as it is at the start.
    """
    now, deviance = start.astype(float), reduced.deviance(start)
    for _ in range(STEPS):
        step = _step(reduced, now, fixed)
        for halving in range(HALVINGS):
            tried = now + step / 2**halving
            tried[:-1] = np.maximum(tried[:-1], 0.0)
            value = reduced.deviance(tried)
            if value <= deviance + ROUNDING * abs(deviance):
                break
        else:
            return now
        moved, now, deviance = float(np.abs(tried - now).max()), tried, value
        if moved <= CLOSE * float(now.sum()):
            return now
    return now


def _step(reduced: Reduced, now: np.ndarray, fixed: int | None = None) -> np.ndarray:
    """The scoring step; components at 0 that would fall below it stay."""
    score, information = reduced.slopes(now)
    moving = np.arange(len(now)) != fixed
    while True:
        step = np.zeros(len(now))
        part = np.flatnonzero(moving)
        step[part] = np.linalg.lstsq(information[np.ix_(part, part)], score[part], rcond=1e-12)[0]
        held = moving & (now <= 0) & (step < 0)
        held[-1] = False
        if not held.any():
            return step
        moving &= ~held


FARTHEST = 1e8
"""Multiple of the total variance beyond which an interval has no end; and share of 1 below which one of the residual begins at 0."""
STEP = 3.0
LITTLE = 1e-2
"""Share of the residual that a component of 0 is tried at first."""


def interval(reduced: Reduced, found: np.ndarray, component: int, alpha: float) -> tuple[float, float | None]:
    """Return the ends of a component's profile likelihood interval; the upper one None where there is no end.

    The deviance with the component held, the others free, is compared with chi-squared of 1 degree of freedom. Where the
    component is truly 0 the interval covers it more often than 1 - alpha.
    """
    from scipy import optimize, stats

    lowest = reduced.deviance(found)
    critical = float(stats.chi2.isf(alpha, 1))
    at, residual = float(found[component]), float(found[-1])
    warm = np.where(found > 0, found, residual * LITTLE)

    def above(value: float) -> float:
        start = warm.copy()
        start[component] = value
        best = highest(reduced, start, fixed=component)
        return reduced.deviance(best) - lowest - critical

    def crossing(one: float, other: float) -> float:
        return float(optimize.brentq(above, one, other, xtol=1e-6 * residual, rtol=1e-8))

    low = 0.0
    if component == len(found) - 1:
        within, low = at, at / STEP
        while low > at / FARTHEST and above(low) <= 0:
            within, low = low, low / STEP
        low = crossing(low, within) if low > at / FARTHEST else 0.0
    elif at > 0 and above(0.0) > 0:
        low = crossing(0.0, at)
    within, high = at, max(at * STEP, residual * LITTLE)
    while above(high) <= 0:
        within, high = high, high * STEP
        if high > FARTHEST * float(found.sum()):
            return low, None
    return low, crossing(within, high)


@dataclass(frozen=True, eq=False)
class GroupMeans:
    """Means of the groups at given components.

    Parameters
    ----------
    values
        Mean of every group.
    covariance
        Their covariance, were the components known.
    loads
        By component, the residual last, the covariance that a variance of 1 of it gives to these means.
    """

    values: np.ndarray
    covariance: np.ndarray
    loads: np.ndarray


def means(factors: Factors, components: np.ndarray, values: np.ndarray) -> GroupMeans:
    """Return the groups' means by generalized least squares; components are none below 0, the residual's last."""
    residual = float(components[-1])
    ratio = np.repeat(components[:-1] / residual, factors.sizes)
    levels, groups, counts = factors.of_levels, factors.of_groups, np.diag(factors.counts)
    # the inverse of the values' variance is (1 - Z H Z') / residual
    inner = ratio[:, None] * np.linalg.inv(np.eye(len(ratio)) + levels * ratio)
    shrunk = inner @ groups
    by_group, by_level = factors.sums(values)
    covariance = np.linalg.inv((counts - groups.T @ shrunk) / residual)
    found = covariance @ (by_group - shrunk.T @ by_level) / residual
    seen = (groups.T - shrunk.T @ levels) / residual
    loads = np.empty((len(components), len(counts), len(counts)))
    for number, block in enumerate(factors.blocks):
        half = covariance @ seen[:, block]
        loads[number] = half @ half.T
    squared = (counts - 2 * groups.T @ shrunk + shrunk.T @ levels @ shrunk) / residual**2
    loads[-1] = covariance @ squared @ covariance
    return GroupMeans(found, covariance, loads)
