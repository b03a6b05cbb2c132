"""Whether the leader of a setting is ahead of the next by more than chance: the comparison's own design, units and test."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sessionkit.analysis.compare.alignment import Aligned
from sessionkit.analysis.compare.anova import residual_variance
from sessionkit.analysis.compare.corrections import Corrected, Family, corrected
from sessionkit.analysis.compare.effects import studentized
from sessionkit.analysis.compare.options import Options
from sessionkit.analysis.compare.pair_findings import Interval, Outcome, Pair
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.compare.result_table import assembled
from sessionkit.analysis.compare.rows import Row, compared
from sessionkit.analysis.compare.session_values import GroupedSessions
from sessionkit.analysis.compare.units import Blocked, Units
from sessionkit.errors import UsageError

Key = tuple[int, int]


@dataclass(frozen=True)
class LeaderTest:
    """The leader less the next: estimate, interval, p corrected over the pairs of groups, and the side that the test finds by
    its sign; None, with the reason, where nothing can be tested. ``no_verdict`` says why the numbers give no verdict.
    """

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    p_adjusted: float | None = None
    side: float | None = None
    why: str = ""
    no_verdict: str = ""


@dataclass(frozen=True)
class LeaderTesting:
    """How settings are tested: as `sessionkit.compare` would test each of them alone."""

    plan: ComparisonPlan

    @property
    def unit(self) -> str:
        """The column that names what is averaged before it is tested."""
        each = self.plan.design.name in ("both", "crossover") or self.plan.layout == "crossed"
        return (
            "session_id" if each else {"users": "user_id", "topics": "topic_id"}.get(self.plan.population, "session_id")
        )

    def family(self, groups: int) -> Family:
        """The p-values of a setting that are corrected together: those of its pairs of groups."""
        at_once = groups > 2 and self.plan.test.simultaneous
        return Family(1 if at_once else math.comb(groups, 2), self.plan.options.correction, at_once)

    def tested(self, sessions: GroupedSessions, column: int, leader: int, following: int) -> LeaderTest:
        """Test one setting, by the column of its values, for the groups with these numbers."""
        found = self.plan.units(sessions, column)
        key = (leader, following) if leader < following else (following, leader)
        try:
            row, settled, place, why = self._pair(found, sessions, column, key)
        except UsageError as error:  # what this setting leaves cannot be fitted
            return LeaderTest(why=str(error))
        if row is None or row.pair is None:
            return LeaderTest(why=why or "there is nothing to test")
        pair, low, high = row.pair, -math.inf, math.inf
        if pair.interval is not None:
            low, high = map(row.settled, settled.interval(place, pair.interval, pair.side))
        estimate, side = row.estimate, pair.side
        if key[0] == leader:  # pairs are the second less the first
            estimate, low, high, side = -estimate, -high, -low, -side
        no_verdict = self.plan.supports(sessions, column)[key].why_no_verdict
        return LeaderTest(estimate, _finite(low), _finite(high), settled.p[place], side, no_verdict=no_verdict)

    def detectable(self, sessions: GroupedSessions) -> dict[Key, float | None]:
        """For every pair of groups the true difference that the first setting would find four times in five, as
        `sessionkit.compare` says it.

        Raises
        ------
        UsageError
            The test cannot be made of this setting.
        """
        found = compared(self.plan, sessions.measures[0], sessions.groups, self.plan.units(sessions))
        table, _, _ = assembled(self.plan, [found])
        return dict(zip(_keys(len(sessions.groups)), table.get_column("detectable"), strict=True))

    def _pair(
        self, found: Aligned, sessions: GroupedSessions, column: int, key: Key
    ) -> tuple[Row | None, Corrected, int, str]:
        """The row of a pair with what is found, the p-values it is corrected with, its place among them, and what is said."""
        several = len(sessions.groups) > 2
        test, options = self.plan.test, self.plan.options
        alone = several and test.name == "tukey" and isinstance(found.units, Blocked)
        plan = replace(self.plan, test=replace(test, run=dict.fromkeys(test.run, _untested))) if alone else self.plan
        shown = compared(plan, sessions.measures[column], sessions.groups, found)
        by_key = dict(zip(_keys(len(sessions.groups)), shown.rows, strict=True))
        row, alpha = by_key[key], options.alpha
        if row.pair is None or row.pair.p is None:
            why = "; ".join(note.removeprefix(f"{sessions.measures[column]}: ") for note in shown.notes)
            return None, corrected([], "none", alpha), 0, why
        if alone:
            row = replace(row, pair=_tukey(found.units, key))
        if several and test.simultaneous:
            p_of_it = 0.0 if row.pair is None or row.pair.p is None else row.pair.p
            return row, corrected([p_of_it], "none", alpha), 0, ""
        p = {at: one.pair.p for at, one in by_key.items() if one.pair is not None and one.pair.p is not None}
        return row, corrected([*p.values()], options.correction, alpha), [*p].index(key), ""


def _finite(value: float) -> float | None:
    """A number; None in place of one without end."""
    return value if math.isfinite(value) else None


def _keys(groups: int) -> list[Key]:
    """Every pair of groups, in the order of a comparison's rows."""
    return [(i, j) for i in range(groups) for j in range(i + 1, groups)]


def _untested(units: Units, _options: Options) -> Outcome:
    """In place of a test of all pairs, where one is wanted: which of them can be tested is settled before."""
    every: Mapping[Key, Pair] = {key: Pair(0.0, 1.0) for key in _keys(len(units.counts))}
    return Outcome(every)


def _tukey(units: Units, key: Key) -> Pair:
    """One pair of Tukey's HSD on the blocked analysis of variance, see `sessionkit.analysis.compare.anova`."""
    from scipy import stats

    values = np.asarray(units.values)
    n, k = values.shape
    variance, df = residual_variance(values)
    se = math.sqrt(variance / n)
    d = float(units.means[key[1]] - units.means[key[0]])

    def interval(alpha: float) -> Interval:
        half = studentized(alpha, k, df) * se
        return d - half, d + half

    return Pair(d, float(stats.studentized_range.sf(abs(d) / se, k, df)), interval, df=df)
