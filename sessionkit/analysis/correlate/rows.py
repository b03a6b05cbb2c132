"""The rows of the tables of `sessionkit.correlate`: one correlation, or the difference of two, over the sessions that have
all it needs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sessionkit.analysis.bootstrap import FEWEST, BootstrapInterval, Codes, Numbers, Resampling
from sessionkit.analysis.correlate.concordance import KendallTest, tau_b
from sessionkit.analysis.correlate.formulas import (
    agreeing_reach,
    critical_z,
    fisher_z,
    interval,
    p_of_r,
    steiger,
    williams,
)
from sessionkit.analysis.correlate.matrices import SURE, Matrices, partial
from sessionkit.analysis.numeric_ties import TIE, settled
from sessionkit.display.words import counted
from sessionkit.errors import UsageError

ANALYTIC = {"pearson": "Fisher z", "spearman": "Bonett-Wright", "kendall": "Fisher z"}
"""The scale on which the test of a coefficient is inverted, see `sessionkit.analysis.correlate.formulas`."""
LINEAR = ", linear"
"""Beside the kind of interval, where draws are worked out as linear in how often units are drawn."""
Row = dict[str, object]


class IndependentTest(NamedTuple):
    """A test of one correlation as if sessions were independent.

    Parameters
    ----------
    p
        Its two-sided p-value.
    reach
        atanh of its critical value, infinite where it can reject nothing.
    """

    p: float
    reach: float


@dataclass(frozen=True)
class CompleteSessions:
    """The sessions that have every number that is needed, and every column that is complete in them."""

    names: tuple[str, ...]
    values: Numbers
    codes: Codes
    held: tuple[str, ...]
    resampling: Resampling
    _matrices: dict[str, Numbers] = field(default_factory=dict)
    _draws: dict[str, tuple[Numbers, Numbers, bool]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Sessions."""
        return len(self.values)

    @cached_property
    def units(self) -> int:
        """Units that the sessions are of."""
        return int(self.codes.max()) + 1 if self.n else 0

    @cached_property
    def ties(self) -> Numbers:
        """The numbers as ranks see them: what is tied is the same."""
        return settled(self.values)

    def of(self, coefficient: str) -> Numbers:
        """The numbers that a coefficient is worked out from."""
        return self.values if coefficient == "pearson" else self.ties

    def column(self, name: str, coefficient: str = "pearson") -> Numbers:
        """The numbers of one column."""
        return self.of(coefficient)[:, self.names.index(name)]

    def observed(self, coefficient: str) -> Numbers:
        """The correlations, what is held constant taken out."""
        if coefficient not in self._matrices:
            if coefficient == "kendall":
                raw = _kendall(self.of(coefficient))
            else:
                each = np.zeros(self.n, dtype=np.int64)
                raw = Matrices(self.of(coefficient), each, coefficient).of(np.ones((1, 1)))[0]
            self._matrices[coefficient] = partial(raw, [self.names.index(name) for name in self.held])
        return self._matrices[coefficient]

    def value(self, coefficient: str, first: str, second: str) -> float:
        """One of the correlations."""
        return float(self.observed(coefficient)[self.names.index(first), self.names.index(second)])

    def drawn(self, coefficient: str) -> tuple[Numbers, Numbers, bool]:
        """The same correlations in every draw of units, and without each unit in turn; whether they are linear in these."""
        if coefficient not in self._draws:
            at = [self.names.index(name) for name in self.held]
            matrices = Matrices(self.of(coefficient), self.codes, coefficient)
            observed = np.broadcast_to(self.observed(coefficient), (self.units, len(self.names), len(self.names)))
            bca = self.resampling.kind == "bca"  # the other kind asks only how many units there are
            left_out = partial(matrices.left_out(), at) if bca else observed
            found = partial(matrices.replicates(self.resampling), at), left_out, matrices.linear
            self._draws[coefficient] = found
        return self._draws[coefficient]


@dataclass(frozen=True)
class CorrelationRows:
    """What makes the rows.

    Parameters
    ----------
    values
        Numbers of every session by column, nan where unknown.
    codes
        Number of the unit of each session.
    unit
        What units are called, ``"users"`` or ``"sessions"``.
    held
        Columns that are held constant.
    resampling
        How units are drawn.
    analytic
        Whether intervals and tests by formula are used where there are any.
    """

    values: Mapping[str, Numbers]
    codes: Codes
    unit: str
    held: tuple[str, ...]
    resampling: Resampling
    analytic: bool
    _kept: dict[bytes, CompleteSessions] = field(default_factory=dict)

    def correlation(self, measure: str, covariate: str, coefficient: str) -> Row:
        """One correlation of a measure with a covariate."""
        kept = self._complete([measure, covariate])
        row: Row = {"measure": measure, "covariate": covariate, "coefficient": coefficient}
        row |= {"n": kept.n, "units": kept.units, "dropped": len(self.codes) - kept.n}
        value, note = self._value(kept, coefficient, measure, covariate)
        if value is None:
            return row | {"note": note}
        row["value"] = value
        test = self._independent_test(kept, coefficient, value, measure, covariate)
        if test is not None:
            row["p_independent"] = test.p
        if self.analytic and test is not None:
            return row | self._inverted(test, coefficient, value, kept.n)
        at = kept.names.index(measure), kept.names.index(covariate)
        draws, left_out, linear = kept.drawn(coefficient)
        found = self._bootstrapped(draws[:, at[0], at[1]], value, left_out[:, at[0], at[1]], kept, linear=linear)
        return row | found

    def differences(self, first: str, second: str, covariate: str, coefficient: str) -> list[Row]:
        """The difference of the correlations of two measures with a covariate: a row for each test."""
        kept = self._complete([first, second, covariate])
        row: Row = {"covariate": covariate, "coefficient": coefficient, "first": first, "second": second}
        row |= {"n": kept.n, "units": kept.units, "dropped": len(self.codes) - kept.n}
        one, note = self._value(kept, coefficient, first, covariate)
        other, other_note = self._value(kept, coefficient, second, covariate)
        if one is None or other is None:
            return [row | {"note": note or other_note}]
        row |= {"value_first": one, "value_second": other, "estimate": one - other}
        between = kept.value(coefficient, first, second)
        if between > 1 - SURE:
            same = "are the same up to scale" if coefficient == "pearson" else "rank sessions the same"
            return [row | {"estimate": 0.0, "note": f"{first} and {second} {same}: there is no difference to test"}]
        if self.analytic and coefficient == "pearson":
            return [row | found for found in self._by_formula(one, other, between, kept.n - len(self.held))]
        of = kept.names.index(covariate)
        at = kept.names.index(first), kept.names.index(second)
        draws, left_out, linear = kept.drawn(coefficient)
        replicates, without = (found[:, at[0], of] - found[:, at[1], of] for found in (draws, left_out))
        found = self._bootstrapped(replicates, one - other, without, kept, linear=linear)
        return [row | found | {"test": f"bootstrap over {self.unit}"}]

    def _complete(self, needed: Sequence[str]) -> CompleteSessions:
        """The sessions that have all that is needed; the same object for the same sessions."""
        asked = np.stack([self.values[name] for name in dict.fromkeys([*needed, *self.held])])
        mask = np.isfinite(asked).all(axis=0)
        key = mask.tobytes()
        if key not in self._kept:
            complete = {name: values[mask] for name, values in self.values.items() if np.isfinite(values[mask]).all()}
            codes = np.unique(self.codes[mask], return_inverse=True)[1]
            values = np.stack(list(complete.values()), axis=1)
            self._kept[key] = CompleteSessions(tuple(complete), values, codes, self.held, self.resampling)
        return self._kept[key]

    def _value(
        self, kept: CompleteSessions, coefficient: str, measure: str, covariate: str
    ) -> tuple[float | None, str | None]:
        """A correlation, or a sentence that says why there is none."""
        if kept.units < FEWEST or kept.n - len(self.held) < FEWEST:
            named = " and ".join(dict.fromkeys([measure, covariate, *self.held]))
            few = counted(kept.units, self.unit[:-1])
            few += "" if self.unit == "sessions" else f" with {counted(kept.n, 'session')}"
            least = f"at least {FEWEST + (len(self.held) if self.unit == 'sessions' else 0)} {self.unit} are needed"
            return None, f"only {few} {'has' if kept.units == 1 else 'have'} {named}; {least}"
        for name in (measure, covariate):
            if name in self.held:
                return None, f"{name} is itself held constant: nothing of it is left to correlate"
        for name in (measure, covariate, *self.held):
            values = kept.column(name)
            if np.ptp(values) <= TIE * np.abs(values).max():
                return None, f"{name} is {values[0]:g} in all {kept.n} sessions: a constant correlates with nothing"
        value = kept.value(coefficient, measure, covariate)
        if not np.isfinite(value):
            held = ", ".join(self.held)
            return None, f"{held} determines {measure} or {covariate}: nothing is left to correlate"
        return value, None

    def _independent_test(
        self, kept: CompleteSessions, coefficient: str, value: float, measure: str, covariate: str
    ) -> IndependentTest | None:
        """Test a correlation as if sessions were independent; None of partial tau-b, whose distribution is not known."""
        alpha = self.resampling.alpha
        if coefficient != "kendall":
            n = kept.n - len(self.held)
            return IndependentTest(p_of_r(value, n), critical_z(n, alpha))
        if self.held:
            return None
        kendall = KendallTest(kept.column(measure, coefficient), kept.column(covariate, coefficient))
        critical_tau = kendall.critical_tau(alpha)
        return IndependentTest(kendall.p, math.inf if critical_tau is None else fisher_z(critical_tau))

    def _inverted(self, test: IndependentTest, coefficient: str, value: float, n: int) -> Row:
        """Return the p-value of a test, and the interval that excludes 0 exactly where it rejects."""
        alpha = self.resampling.alpha
        reach = agreeing_reach(value, test.reach, is_rejected=test.p <= alpha)
        low, high = interval(coefficient, value, reach)
        row: Row = {"low": low, "high": high, "p": test.p, "interval": ANALYTIC[coefficient]}
        if math.isinf(test.reach):
            row["note"] = (
                f"with {n} sessions and these ties Kendall's test cannot give p at or below {alpha:g}, so no correlation is excluded"
            )
        return row

    def _by_formula(self, one: float, other: float, between: float, n: int) -> list[Row]:
        """Williams' t and Steiger's z."""
        try:
            both = [test(one, other, between, n, self.resampling.confidence) for test in (williams, steiger)]
        except UsageError as error:
            return [{"note": str(error)}]
        return [
            {"test": found.name, "statistic": found.statistic, "df": found.df, "p": found.p}
            | {"low": found.low, "high": found.high}
            for found in both
        ]

    def _bootstrapped(
        self, replicates: Numbers, value: float, left_out: Numbers, kept: CompleteSessions, *, linear: bool
    ) -> Row:
        """Interval and p-value from draws."""
        usable = left_out if np.isfinite(left_out).all() else np.full(kept.units, value)
        found: BootstrapInterval | None = self.resampling.says(replicates, value, usable)
        if found is None:
            return {"note": f"{kept.units} {self.unit} are too few, or too similar, for a bootstrap interval"}
        return {
            "low": found.low,
            "high": found.high,
            "p": found.p,
            "p_is_bound": found.p_is_bound,
            "interval": f"{self.resampling}{LINEAR * linear}",
        }


def _kendall(values: Numbers) -> Numbers:
    """Tau-b of all columns with each other, nan of constants."""
    many = values.shape[1]
    found = np.eye(many)
    varied = (values != values[:1]).any(axis=0)
    for i in range(many):
        for j in range(i):
            both = varied[i] and varied[j]
            tau = tau_b(values[:, i], values[:, j]) if both else np.nan
            found[i, j] = found[j, i] = tau
    found[np.diag_indices(many)] = np.where(varied, 1.0, np.nan)
    return found
