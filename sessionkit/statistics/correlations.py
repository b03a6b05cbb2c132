"""One correlation, or the difference of two, over the sessions that have all it needs: estimates, intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sessionkit.display.numbers import counted
from sessionkit.errors import UsageError
from sessionkit.statistics.correlation_matrices import SURE, KendallTest, Matrices, partial, tau_b
from sessionkit.statistics.distributions import (
    FEWEST,
    TIE,
    BootstrapInterval,
    Codes,
    Numbers,
    Resampling,
    settled,
    t_at,
    t_beyond,
)

ANALYTIC = {"pearson": "Fisher z", "spearman": "Bonett-Wright", "kendall": "Fisher z"}
"""The scale on which the test of a coefficient is inverted, see `sessionkit.statistics.correlations`."""
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


@dataclass(frozen=True)
class Apart:
    """A test of a difference between two correlations.

    Parameters
    ----------
    name
        The test.
    statistic, df, p
        Its statistic, degrees of freedom (None for z) and two-sided p-value.
    low, high
        The interval of the difference that holds 0 exactly where the test does not reject at 1 - confidence.
    """

    name: str
    statistic: float
    df: int | None
    p: float
    low: float
    high: float


def interval(coefficient: str, value: float, reach: float) -> tuple[float, float]:
    """Return the interval of a correlation of independent units.

    Parameters
    ----------
    coefficient
        ``"pearson"``, ``"spearman"`` or ``"kendall"``.
    value
        The correlation.
    reach
        c of the module's formulas: atanh of the critical value of the test, infinite where the test can reject nothing.

    Returns
    -------
    tuple of float
        Its ends, both 1 or both -1 where the correlation is 1 or -1.

    Examples
    --------
    Spearman's rho is .636 in 10 sessions, so p = .048:

    >>> low, high = interval("spearman", 0.636, critical_z(10, 0.05))
    >>> round(low, 3), round(high, 3)
    (0.007, 0.928)
    """
    z = fisher_z(value)
    if math.isinf(reach):
        return -1.0, 1.0
    if coefficient == "spearman" and math.isfinite(z):
        return math.tanh(_lower_z(z, reach)), math.tanh(-_lower_z(-z, reach))
    return math.tanh(z - reach), math.tanh(z + reach)


def critical_z(n: int, alpha: float) -> float:
    """Return atanh of the smallest correlation that t with n - 2 degrees of freedom rejects; n is less the variables held constant.

    r = t / sqrt(df + t^2), so atanh(r) = asinh(t / sqrt(df)).

    >>> round(math.tanh(critical_z(10, 0.05)), 4)  # the tabled critical value of Pearson's r
    0.6319
    """
    return math.asinh(t_at(alpha / 2, n - 2) / math.sqrt(n - 2))


def agreeing_reach(value: float, reach: float, *, is_rejected: bool) -> float:
    """Return the reach of an interval so that it excludes 0 exactly where the test rejects.

    The two are worked out along different ways. Where p equals 1 - confidence, such as .2 of rho = .8 in 4 sessions, the last
    digit of a double would decide, and it need not be the same on both ways.
    """
    distance = abs(fisher_z(value))
    if (distance > reach) == is_rejected:
        return reach
    return math.nextafter(distance, 0.0 if is_rejected else math.inf)


def p_of_r(value: float, n: int) -> float:
    """Two-sided p-value of Pearson's or Spearman's coefficient by t with n - 2 degrees of freedom, n less the variables
    held constant and at least 3.
    """
    if abs(value) >= 1:
        return 0.0
    return 2 * t_beyond(abs(value) * math.sqrt((n - 2) / (1 - value**2)), n - 2)


def williams(r12: float, r13: float, r23: float, n: int, confidence: float = 0.95) -> Apart:
    """Do 2 and 3 differ in their Pearson correlation with 1: Williams' t (1959), as Steiger (1980) recommends it.

    Parameters
    ----------
    r12, r13, r23
        Correlations of the three variables in the same independent units.
    n
        Units, 4 or more.
    confidence
        Confidence of the interval.

    Raises
    ------
    UsageError
        If there are too few units, or the correlations leave no room for a difference.

    Examples
    --------
    >>> found = williams(0.4, 0.5, 0.1, 103)
    >>> round(found.statistic, 4), round(found.p, 4)
    (-0.8913, 0.3749)
    """
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    if n < 4:
        msg = f"Williams' t needs at least 4 units, not {n}"
        raise UsageError(msg)
    spread = 2 * max(determinant, 0.0) * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    room = (n - 1) * (1 + r23)
    if spread <= 0 or room <= 0:
        raise _no_room()
    error = math.sqrt(spread / room)
    t = (r12 - r13) / error
    half = t_at(0.5 - confidence / 2, n - 3) * error
    return Apart("Williams t", t, n - 3, 2 * t_beyond(abs(t), n - 3), r12 - r13 - half, r12 - r13 + half)


def steiger(r12: float, r13: float, r23: float, n: int, confidence: float = 0.95) -> Apart:
    """Do 2 and 3 differ in their Pearson correlation with 1: Steiger's z with pooled correlations (1980).

    The interval is that of the difference of the z values, taken back to correlations around their middle.

    Parameters
    ----------
    r12, r13, r23
        Correlations of the three variables in the same independent units.
    n
        Units, 4 or more.
    confidence
        Confidence of the interval.

    Raises
    ------
    UsageError
        If there are too few units, or the correlations leave no room for a difference.

    Examples
    --------
    >>> round(steiger(0.401, 0.350, 0.9, 80).statistic, 4)
    1.0846
    """
    from scipy import special

    if n < 4:
        msg = f"Steiger's z needs at least 4 units, not {n}"
        raise UsageError(msg)
    mean = (r12 + r13) / 2
    if abs(mean) >= 1 or abs(r12) >= 1 or abs(r13) >= 1:
        raise _no_room()
    shared = (r23 * (1 - 2 * mean**2) - mean**2 * (1 - 2 * mean**2 - r23**2) / 2) / (1 - mean**2) ** 2
    if shared >= 1:
        raise _no_room()
    error = math.sqrt((2 - 2 * shared) / (n - 3))
    apart = fisher_z(r12) - fisher_z(r13)
    z = apart / error
    half = float(special.ndtri(0.5 + confidence / 2)) * error
    middle = (fisher_z(r12) + fisher_z(r13)) / 2
    low, high = (math.tanh(middle + at / 2) - math.tanh(middle - at / 2) for at in (apart - half, apart + half))
    return Apart("Steiger z", z, None, float(2 * special.ndtr(-abs(z))), low, high)


def fisher_z(value: float) -> float:
    """Fisher's z."""
    return math.copysign(math.inf, value) if abs(value) >= 1 else math.atanh(value)


def _lower_z(z: float, reach: float) -> float:
    """Return the smallest w with z - w <= reach * sqrt(1 + tanh(w)^2 / 2), by halving.

    The right side lies between reach and 1.225 reach. Where z > reach the root is above 0, since 0 does not satisfy it.
    """
    outside, inside = z - reach * math.sqrt(1.5), z - reach
    if z > reach:
        outside = max(0.0, outside)
    while True:
        middle = (outside + inside) / 2
        if not outside < middle < inside:
            return inside
        if z - middle <= reach * math.sqrt(1 + math.tanh(middle) ** 2 / 2):
            inside = middle
        else:
            outside = middle


def _no_room() -> UsageError:
    """Build the error where a correlation is 1 or the three determine each other."""
    return UsageError(
        "the correlations are 1, or determine each other: no variance is left to test a difference against"
    )
