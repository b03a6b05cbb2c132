"""Pairs of groups under whatever values: the difference of each and its p-value, by the test that the design supports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.compare.rows import Row, compared
from sessionkit.analysis.compare.session_values import GroupedSessions
from sessionkit.analysis.compare.units import mean_cells
from sessionkit.analysis.numeric_ties import TIE, difference, differences
from sessionkit.analysis.rescore.ranks import t_p, wilcoxon_p

MANY: dict[str, Callable[[np.ndarray], np.ndarray]] = {"wilcoxon": wilcoxon_p, "t": t_p}
"""Tests of many pairs at once, where every unit met every group."""


@dataclass(frozen=True, eq=False)
class RescoredPairs:
    """Some sessions, and the pairs of their groups that are tested.

    Parameters
    ----------
    plan
        How they are tested; without correction.
    frame
        ``session_id``, ``group``, ``user_id``, ``topic_id`` of every session, by session_id.
    number
        The group of every session, by its place in `groups`.
    groups
        Names.
    pairs
        Places of the two groups of each pair; the difference is that of the second less the first.
    order
        Where the sessions stand among the values that are given.
    """

    plan: ComparisonPlan
    frame: pl.DataFrame
    number: np.ndarray
    groups: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    order: np.ndarray
    _unit: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        plan: ComparisonPlan,
        sessions: pl.DataFrame,
        number: np.ndarray,
        groups: Sequence[str],
        pairs: Sequence[tuple[int, int]],
    ) -> RescoredPairs:
        """Settle once what does not depend on the values, which come in the order of these sessions."""
        order = sessions.get_column("session_id").arg_sort().to_numpy()
        sessions, number = sessions[order], number[order]
        name = {"users": "user_id", "topics": "topic_id", "sessions": "session_id"}[plan.population]
        plain = plan.layout == "blocked" and plan.design.name != "both" and plan.test.name in MANY
        unit = sessions.get_column(name).rank("dense").fill_null(0).cast(pl.Int64).to_numpy() - 1 if plain else None
        return cls(plan, sessions, number, tuple(groups), tuple(pairs), order, unit)

    def means(self, values: np.ndarray) -> np.ndarray:
        """Mean of every group over its sessions that have a value; NaN where none has."""
        values = values[self.order]
        found: np.ndarray = mean_cells(values, np.zeros_like(self.number), self.number, len(self.groups), 1)[0]
        return found

    def tested(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The difference and the p-value of every pair, for the values of the sessions.

        The difference is NaN where there is no unit to take it from; p is 1 where the two do not differ, NaN where they do
        and the test has too little to judge that by. Where rounding alone is left of a difference, it is 0.
        """
        values = values[self.order]
        first, second = np.array(self.pairs, dtype=np.int64).reshape(-1, 2).T
        if self._unit is not None:
            known = self._unit >= 0
            cells = mean_cells(values[known], self._unit[known], self.number[known], len(self.groups))
            d = differences(cells[:, first], cells[:, second])
            there = np.isfinite(d)
            n = there.sum(axis=0)
            size = np.where(there, np.abs(cells[:, first]) + np.abs(cells[:, second]), 0.0).sum(axis=0)
            total = np.where(there, d, 0.0).sum(axis=0)
            total = np.where(np.abs(total) <= TIE * size, 0.0, total)
            mean = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
            return mean, np.where(n > 0, MANY[self.plan.test.name](d), np.nan)
        sessions = GroupedSessions(self.frame, values[:, None], ("",), self.groups, "", 0)
        found = compared(self.plan, "", self.groups, self.plan.units(sessions))
        of = {(row.a, row.b): row for row in found.rows}
        rows = [of[self.groups[i], self.groups[j]] for i, j in self.pairs]
        return np.array([difference_of(row, self.plan.layout) for row in rows]), np.array([p_of(row) for row in rows])


def difference_of(row: Row, layout: str) -> float:
    """The difference of two groups: of a crossover at equal users and topics; NaN where there is none."""
    if layout == "crossed" and row.pair is not None:
        return row.estimate
    return float("nan") if row.raw_difference is None else row.raw_difference


def p_of(row: Row) -> float:
    """The p-value of two groups: 1 where they do not differ at all, NaN where they do and were not tested."""
    if row.pair is not None and row.pair.p is not None:
        return row.pair.p
    if row.mean_a is None or row.mean_b is None:
        return float("nan")
    return float("nan") if difference(row.mean_a, row.mean_b) else 1.0
