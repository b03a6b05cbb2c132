"""Whether a conclusion holds at each setting of a sweep, the nearest setting at which it ends, and where between two settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from sessionkit.errors import SessionkitError
from sessionkit.robustness.rescore import kendall
from sessionkit.robustness.sweep_grid import Grid, Holds, Range, Setting, on_line, setting
from sessionkit.robustness.sweep_scores import Ground, LeaderTest, LeaderTesting, SettingMeans
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import UNKNOWN, MeasureDirection
from sessionkit.statistics.distributions import settled
from sessionkit.statistics.session_values import GroupedSessions


@dataclass(frozen=True)
class SettingVerdict:
    """What one setting shows.

    Parameters
    ----------
    means
        By group; None where the setting is refused.
    leader, following
        Numbers of the groups with the best and the next mean; None where there is no single best.
    tied
        Numbers of the groups that share the best mean, where several do.
    direction
        Which mean leads.
    tested
        The leader less the next; None where nothing is tested.
    refused
        Why there are no values.
    """

    means: SettingMeans | None
    direction: MeasureDirection = UNKNOWN
    leader: int | None = None
    following: int | None = None
    tied: tuple[int, ...] = ()
    tested: LeaderTest | None = None
    refused: str = ""

    @property
    def margin(self) -> float | None:
        """By how much the leader's mean is better than the next one's, at least 0."""
        if self.means is None or self.leader is None or self.following is None:
            return None
        return float(self.direction.merit(self.means.value[self.leader] - self.means.value[self.following]))

    @property
    def raw_difference(self) -> float | None:
        """The leader's mean less the next one's: below 0 where lower is better."""
        return self.signed(self.margin)

    @property
    def relative(self) -> float | None:
        """The margin as a share of the next one's mean; None where that is 0."""
        if self.margin is None or self.means is None or not self.means.value[self.following]:
            return None
        return self.margin / abs(float(self.means.value[self.following]))

    def signed(self, size: float | None) -> float | None:
        """How far the leader is ahead, as the leader less the next."""
        return None if size is None else self.direction.merit(size)

    @property
    def against(self) -> bool:
        """Whether the test finds the other side than the means."""
        return self.tested is not None and self.tested.side is not None and self.direction.merit(self.tested.side) < 0

    def shown(self, alpha: float) -> bool | None:
        """Whether the test shows that the leader is better; None where there is no p."""
        if self.tested is None or self.tested.p_adjusted is None or self.tested.side is None:
            return None
        return (
            not self.tested.no_verdict
            and self.tested.p_adjusted <= alpha
            and self.direction.merit(self.tested.side) > 0
        )


@dataclass(frozen=True, eq=False)
class Looking:
    """How settings are looked at."""

    ground: Ground
    testing: LeaderTesting | None
    direction: MeasureDirection

    def looks(
        self, measures: Sequence[Measure | None]
    ) -> tuple[list[SettingVerdict | None], dict[Measure, SessionkitError]]:
        """Look at settings, in order: None where there is no measure. Beside them what the data refused."""
        found: dict[Measure, SettingVerdict] = {}
        refused: dict[Measure, SessionkitError] = {}
        for scored in self.ground.scored([measure for measure in measures if measure is not None]):
            refused |= scored.refused
            found |= {
                measure: SettingVerdict(None, self.direction, refused=str(error))
                for measure, error in scored.refused.items()
            }
            for column, (measure, means) in enumerate(scored.means.items()):
                look = led(means, self.direction)
                if self.testing is not None and scored.units is not None:
                    look = self._with_test(look, scored.units, column)
                found[measure] = look
        return [None if measure is None else found[measure] for measure in measures], refused

    def _with_test(self, look: SettingVerdict, units: GroupedSessions, column: int) -> SettingVerdict:
        """The same with the test of its leader."""
        if look.leader is None or look.following is None or self.testing is None:
            return look
        return replace(look, tested=self.testing.tested(units, column, look.leader, look.following))


def led(means: SettingMeans, direction: MeasureDirection) -> SettingVerdict:
    """Find who leads.

    >>> found = led(SettingMeans(np.array([1.0, 3.0, 2.0]), np.ones(3), np.zeros(3)), MeasureDirection("higher"))
    >>> found.leader, found.following, found.margin, found.relative
    (1, 2, 1.0, 0.5)
    >>> led(SettingMeans(np.array([1.0, 1.0]), np.ones(2), np.zeros(2)), MeasureDirection("lower")).tied
    (0, 1)
    """
    defined = np.flatnonzero(np.isfinite(means.value))
    if not len(defined):
        return SettingVerdict(means, direction)
    value = settled(means.value)
    order = defined[np.argsort(-direction.merit(value[defined]), kind="stable")]
    tied = tuple(int(at) for at in order if value[at] == value[order[0]])
    if len(tied) > 1:
        return SettingVerdict(means, direction, tied=tuple(sorted(tied)))
    return SettingVerdict(means, direction, leader=int(order[0]), following=int(order[1]) if len(order) > 1 else None)


def tau_b(one: np.ndarray, other: np.ndarray) -> float | None:
    """Kendall's tau-b of two sets of means, over the groups that both have; means that are the same tie.

    None where fewer than two are there, or one set has nothing but ties.

    >>> tau_b(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))  # two pairs agree, one does not
    0.3333333333333333
    """
    found = kendall(one, other)
    return None if np.isnan(found) else found


LEAD, VERDICT = "lead", "verdict"
"""The two conclusions: which group has the best mean, and what the test shows."""
OUTCOMES = {
    "holds": "the same group leads, and the test says the same",
    "weaker": "the same group leads, but the test no longer shows it",
    "stronger": "the same group leads, and now the test shows it",
    "overturned": "another group leads",
    "tied": "several groups tie for the best mean",
    "undefined": "no group, or only one, has a value",
    "refused": "the values exclude each other, or the data do not support the setting",
}


@dataclass(frozen=True)
class Conclusion:
    """What the base setting says.

    Parameters
    ----------
    base
        What it shows.
    alpha
        Error rate of the test.
    """

    base: SettingVerdict
    alpha: float

    def outcome(self, look: SettingVerdict | None) -> str:
        """One of `OUTCOMES`."""
        if look is None or look.refused:
            return "refused"
        if look.tied:
            return "tied"
        if look.leader is None or look.following is None:
            return "undefined"
        if look.leader != self.base.leader:
            return "overturned"
        was, shown = self.base.shown(self.alpha), look.shown(self.alpha)
        if was is None or was == shown:
            return "holds"
        return "stronger" if shown else "weaker"

    def leads(self, look: SettingVerdict | None) -> bool | None:
        """Whether the base setting's leader leads; None where nothing can be said."""
        if self.base.leader is None or self.base.following is None or look is None:
            return None
        if look.tied:
            return False
        return None if look.following is None else look.leader == self.base.leader

    def agrees(self, look: SettingVerdict | None) -> bool | None:
        """Whether the test says what it says at the base setting: that the same group is ahead, or that none is."""
        was = self._verdict(self.base)
        now = self._verdict(look)
        return None if was is None or now is None else was == now

    def checks(self) -> dict[str, Callable[[SettingVerdict | None], bool | None]]:
        """The conclusions that the base setting allows, by name."""
        found: dict[str, Callable[[SettingVerdict | None], bool | None]] = {}
        if self.leads(self.base) is not None:
            found[LEAD] = self.leads
        if self.agrees(self.base) is not None:
            found[VERDICT] = self.agrees
        return found

    def _verdict(self, look: SettingVerdict | None) -> int | None:
        """Number of the group shown to be ahead, -1 where none is; None where there is no test."""
        if look is None or self.base.tested is None:
            return None
        if look.tied:
            return -1
        shown = look.shown(self.alpha)
        if shown is None or look.leader is None:
            return None
        return look.leader if shown else -1


DIGITS = 6
"""Significant digits of the values that are looked at between settings, so that they can be typed again."""
POINTS = 15
"""Settings that are looked at between two in one round."""
ROUNDS = 12
"""Rounds at most; five or six do."""


@dataclass(frozen=True)
class CrossingSearch:
    """The way from a setting where a conclusion holds to one where it does not; the parameters that differ are continuous.

    Parameters
    ----------
    conclusion
        Which.
    start, end
        Their values.
    """

    conclusion: str
    start: tuple[object, ...]
    end: tuple[object, ...]


@dataclass(frozen=True)
class Crossing:
    """Two settings, next to each other but for the last digit: the conclusion holds at one and not at the other.

    Parameters
    ----------
    holds, fails
        The settings, both scored.
    look
        What the one where it fails shows.
    """

    holds: Setting
    fails: Setting
    look: SettingVerdict


def walkable(grid: Grid, start: Sequence[object], end: Sequence[object]) -> bool:
    """Whether all that differs between two settings is continuous."""
    differ = [axis for axis, a, b in zip(grid.axes, start, end, strict=True) if a != b]
    return bool(differ) and all(axis.continuous for axis in differ)


def crossings(
    looking: Looking,
    grid: Grid,
    walks: Sequence[CrossingSearch],
    checks: dict[str, Callable[[SettingVerdict | None], bool | None]],
) -> dict[CrossingSearch, Crossing]:
    """Find the first setting on each way at which its conclusion does not hold.

    Every round looks at some settings between those that are settled, of all ways at once. Where a conclusion ends and
    begins several times between two looked-at settings, one of these places is found. Ways at whose end nothing can be
    said, or at whose end it holds, have no crossing.
    """
    names = [axis.name for axis in grid.axes]
    ends = {walk: [setting(grid.measure, names, values) for values in (walk.start, walk.end)] for walk in walks}
    found, _ = looking.looks([pair[1].measure for pair in ends.values()])
    looks = dict(zip(walks, found, strict=True))
    open_ = [walk for walk in walks if checks[walk.conclusion](looks[walk]) is False]
    result = list(open_)
    for _round in range(ROUNDS):
        between = {walk: _between(grid, *ends[walk]) for walk in open_}
        open_ = [walk for walk in open_ if between[walk]]
        if not open_:
            break
        every = [one for walk in open_ for one in between[walk]]
        seen, _ = looking.looks([one.measure for one in every])
        shown = iter(seen)
        for walk in open_:
            pairs = [(one, next(shown)) for one in between[walk]]
            first = next(
                (place for place, (_, look) in enumerate(pairs) if checks[walk.conclusion](look) is False), None
            )
            if first is not None:
                ends[walk][1], fails = pairs[first]
                looks[walk] = fails
            before = pairs[: len(pairs) if first is None else first]
            held = [one for one, look in before if checks[walk.conclusion](look) is True]
            if held:
                ends[walk][0] = held[-1]
    return {walk: Crossing(ends[walk][0], ends[walk][1], look) for walk in result if (look := looks[walk]) is not None}


def _between(grid: Grid, start: Setting, end: Setting) -> list[Setting]:
    """Settings between two, evenly by the coordinates of what differs; none where six digits cannot tell them apart."""
    names = [axis.name for axis in grid.axes]
    found: dict[tuple[object, ...], None] = {}
    for share in np.arange(1, POINTS + 1) / (POINTS + 1):
        values: list[object] = []
        for axis, a, b in zip(grid.axes, start.values, end.values, strict=True):
            if a == b or not (isinstance(a, Real) and isinstance(b, Real)):
                values.append(a)
                continue
            one, other = axis.coordinate(a), axis.coordinate(b)
            number = float(f"{axis.value(one + (other - one) * float(share)):.{DIGITS}g}")
            low, high = sorted((float(a), float(b)))
            values.append(axis.parameter.canonical(min(max(number, low), high)))
        found[tuple(values)] = None
    return [setting(grid.measure, names, values) for values in found if values not in (start.values, end.values)]


METRIC = (
    "fewest parameters changed, then the smallest sum of changes, counted in doublings: of a number above 0, of the logarithm "
    "of a log base, of 1/(1-p) for a persistence p; a changed word counts 1"
)
Checks = dict[str, Callable[[SettingVerdict | None], bool | None]]


@dataclass(frozen=True)
class Nearest:
    """The nearest setting at which a conclusion does not hold.

    Parameters
    ----------
    conclusion
        Which.
    crossing
        The setting, scored, and the last one before it at which the conclusion holds; the base setting where none lies between.
    changes, distance
        How many parameters differ from the base, and the sum of their changes, see `METRIC`.
    """

    conclusion: str
    crossing: Crossing
    changes: int
    distance: float


def edges(looking: Looking, grid: Grid, found: Sequence[Range], checks: Checks) -> dict[tuple[str, int, str], Crossing]:
    """Where the ranges of continuous parameters end, by conclusion, number of the axis, and ``below`` or ``above``."""
    walks: dict[tuple[str, int, str], CrossingSearch] = {}
    for one in found:
        for side, last, beyond in (("below", one.low, one.below), ("above", one.high, one.above)):
            if last is None or beyond is None:
                continue
            start, end = (grid.settings[on_line(grid, one.axis, place)] for place in (last, beyond))
            if walkable(grid, start.values, end.values) and end.measure is not None:
                walks[one.conclusion, one.axis, side] = CrossingSearch(one.conclusion, start.values, end.values)
    crossed = crossings(looking, grid, list(dict.fromkeys(walks.values())), checks)
    return {key: crossed[walk] for key, walk in walks.items() if walk in crossed}


def nearest(
    looking: Looking,
    grid: Grid,
    looks: Sequence[SettingVerdict | None],
    *,
    holds: Mapping[str, Holds],
    edge: Mapping[tuple[str, int, str], Crossing],
    checks: Checks,
) -> list[Nearest]:
    """The nearest setting of each conclusion that does not hold somewhere, those between the grid's among them."""
    base = grid.settings[grid.number(grid.base)]
    chosen: dict[str, Nearest] = {}
    walks: dict[str, CrossingSearch] = {}
    for conclusion, held in holds.items():
        failing = [
            _made(conclusion, grid, base, one, look)
            for one, look, there in zip(grid.settings, looks, held, strict=True)
            if there is False and look is not None
        ]
        failing += [_near(conclusion, grid, crossing) for (of, _, _), crossing in edge.items() if of == conclusion]
        if not failing:
            continue
        best = min(failing, key=lambda one: (one.changes, one.distance))
        chosen[conclusion] = best
        target = best.crossing.fails.values
        if best.changes > 1 and walkable(grid, base.values, target):
            walks[conclusion] = CrossingSearch(conclusion, base.values, target)
    crossed = crossings(looking, grid, list(walks.values()), checks)
    for conclusion, walk in walks.items():
        if walk in crossed:
            chosen[conclusion] = _near(conclusion, grid, crossed[walk])
    return list(chosen.values())


def _made(conclusion: str, grid: Grid, base: Setting, fails: Setting, look: SettingVerdict) -> Nearest:
    """A setting of the grid as it is."""
    return _near(conclusion, grid, Crossing(base, fails, look))


def _near(conclusion: str, grid: Grid, crossing: Crossing) -> Nearest:
    """A crossing with its distance from the base."""
    return Nearest(conclusion, crossing, *grid.distance(crossing.fails.values))
