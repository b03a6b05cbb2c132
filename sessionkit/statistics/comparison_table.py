"""The table of a comparison: rows for each measure and pair of groups, p-values corrected together, and what could have been found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from sessionkit.errors import UsageError
from sessionkit.statistics.comparison import OVERALL, TABLE
from sessionkit.statistics.corrections import Corrected, Family, corrected
from sessionkit.statistics.distributions import TIE, difference
from sessionkit.statistics.effects import CONSTANT, ROUNDING, Outcome, Pair, detectable, within_text
from sessionkit.statistics.procedures import PROCEDURES, ComparisonPlan
from sessionkit.statistics.remarks import Remark, not_tested
from sessionkit.statistics.units import Aligned, Blocked, Crossed, Separate, Units

NOTICEABLE, MATERIAL = 0.05, 0.10
"""Sparck Jones' marks: relative differences from which one is noticeable, and material."""
NOTHING_TO_TEST = "; there is nothing to test"
NO_VARIANCE = not_tested(
    "no variance",
    "units and groups leave no variance beyond rounding, so there is no analysis of variance",
    kind="limit",
)
NEGLIGIBLE = 1e-6
"""Standard errors up to which an estimate, or an end of its interval, may be called 0: its p-value is that of 0."""
CLEAR_OF_0 = 4.0
"""Standard errors that a mean must be away from 0 for a share of it to be told: known to about half its size."""


@dataclass(frozen=True)
class Row:
    """Two groups compared by one measure.

    Parameters
    ----------
    measure, a, b
        What is compared; differences are b less a.
    n_a, n_b
        Units of each.
    mean_a, mean_b
        Their raw means; None without units.
    base
        The raw mean of the first, None where it is near 0: within `CLEAR_OF_0` of its own standard errors over units; and
        where the estimate is not in the measure's units.
    size
        How large the numbers are that the estimate was worked out from.
    wins, ties, losses
        Units for b, for neither and for a, of a crossover users adjusted for topics; None where units are not paired.
    pair
        What the test found; where there is nothing to test the difference of the raw means alone, or None where users and
        topics would be taken out of it.
    """

    measure: str
    a: str
    b: str
    n_a: int
    n_b: int
    mean_a: float | None
    mean_b: float | None
    base: float | None = None
    size: float = 0.0
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    pair: Pair | None = None

    @property
    def raw_difference(self) -> float | None:
        """Difference of the raw means; 0 where rounding alone is left of it."""
        if self.mean_a is None or self.mean_b is None:
            return None
        return self._settled(self.mean_b - self.mean_a, max(abs(self.mean_a), abs(self.mean_b)))

    @property
    def estimate(self) -> float:
        """The estimate, 0 where rounding alone is left of it; NaN without one."""
        return math.nan if self.pair is None else self.settled(self.pair.estimate)

    @property
    def relative(self) -> float | None:
        """The estimate as a share of the first group's mean; None without an estimate, and where that mean is near 0."""
        return None if self.pair is None or self.base is None else self.estimate / abs(self.base)

    def settled(self, value: float) -> float:
        """An estimate or an end of its interval, 0 where rounding alone is left of it."""
        return self._settled(value, self.size)

    def _settled(self, value: float, size: float) -> float:
        """Return a number, 0 where rounding of numbers of this size is all that is left of it.

        A difference of .005 between values of 1e12 is less than `ROUNDING` of these, but no rounding if its standard error is .002.
        """
        reach = ROUNDING * size
        if self.pair is not None and self.pair.se is not None:
            reach = min(reach, NEGLIGIBLE * self.pair.se)
        return 0.0 if abs(value) <= reach else value

    @property
    def mark(self) -> str | None:
        """Sparck Jones' mark of that share."""
        if self.relative is None:
            return None
        size = abs(self.relative) * (1 + TIE)
        return "material" if size > MATERIAL else "noticeable" if size >= NOTICEABLE else "not noticeable"


@dataclass(frozen=True)
class MeasureRows:
    """One measure's rows, its test of all groups at once, and what is to be said beside them."""

    rows: list[Row]
    outcome: Outcome | None
    remarks: list[Remark] = field(default_factory=list)


def compared(
    plan: ComparisonPlan, measure: str, groups: Sequence[str], found: Aligned, scale: float = 1.0
) -> MeasureRows:
    """Compare the groups by one measure; where nothing can be tested a remark says why.

    Parameters
    ----------
    scale
        What the values of the units were divided by, so that sentences give them in the measure's own units.
    """
    units, test, population = found.units, plan.test, plan.population
    counts, remarks = units.counts, list[Remark]()
    rows = _raw_rows(measure, groups, units)
    why = _untestable(plan, groups, found, scale)
    if why is not None:
        return MeasureRows([*rows.values()], None, [replace(why, measure=measure)])
    kept = [key for key in rows if not _same(units, *key)]
    remarks += [_same_values(units, groups, key, population) for key in rows if key not in kept]
    flat = [key for key in kept if test.needs_spread and _flat(units, *key)]
    if not test.joint or len(flat) == len(kept):
        kept = [key for key in kept if key not in flat]
        usable = next(name for name in ("sign", "mann-whitney") if units.layout in PROCEDURES[name].run) if flat else ""
        advice = f"; without variance {test.title} has no error term; test={usable} would work"
        remarks += [replace(_constant_difference(units, groups, key, population, scale), more=advice) for key in flat]
    if not kept:
        return MeasureRows([*rows.values()], None, _about(measure, remarks))
    outcome = test.run[units.layout](units, replace(plan.options, pairs=tuple(kept)))
    all_at_once = test.joint and len(groups) > 2
    smallest = float(math.factorial(len(groups) if all_at_once else 2)) ** (1 - min(counts))
    if test.signed and smallest > plan.options.alpha:
        draws = "permutations" if all_at_once else "sign changes"
        brief = f"with {min(counts)} {population} the smallest possible p from {draws} is {smallest:.3g}, whatever the difference"
        remarks.append(not_tested("smallest p", brief, n=min(counts), value=smallest, detail=draws, kind="limit"))
    if len(groups) > 2 and not outcome.overall:
        remarks.append(NO_VARIANCE)
    for key in kept:
        rows[key] = replace(rows[key], pair=outcome.pairs[key])
        if not test.in_units:
            rows[key] = replace(rows[key], base=None, size=1.0)
    return MeasureRows([*rows.values()], outcome, _about(measure, [*remarks, *outcome.remarks]))


def _about(measure: str, remarks: Sequence[Remark]) -> list[Remark]:
    """Return remarks that say which measure they are about."""
    return [replace(remark, measure=measure) for remark in remarks]


def untested(measure: str, groups: Sequence[str], found: Aligned, why: UsageError) -> MeasureRows:
    """The groups by one measure where the test cannot be made, with the reason."""
    remark = replace(not_tested("not separable", why.brief, why.more), measure=measure)
    return MeasureRows([*_raw_rows(measure, groups, found.units).values()], None, [remark])


def _same_values(units: Units, groups: Sequence[str], key: tuple[int, int], population: str) -> Remark:
    """Say that two groups have the same value for every unit."""
    i, j = key
    n = units.counts[i]
    within = within_text(TIE, _distance(units, i, j), _every(units))
    brief = f"{groups[i]} and {groups[j]} have the same value for every one of {n:,} {population}{within}"
    return not_tested("same values", brief, NOTHING_TO_TEST, groups=[groups[i], groups[j]], n=n)


def _raw_rows(measure: str, groups: Sequence[str], units: Units) -> dict[tuple[int, int], Row]:
    """The counts and raw means of each pair of groups, without a test."""
    means, counts = units.means, units.counts
    bases = [float(mean) if _clear_of_0(units, group, float(mean)) else None for group, mean in enumerate(means)]
    every = np.abs(_every(units))
    rows: dict[tuple[int, int], Row] = {}
    size = float(every.mean()) if len(every) else 0.0
    for i in range(len(groups)):
        for j in range(i + 1, len(groups)):
            mean = [float(value) if math.isfinite(value) else None for value in (means[i], means[j])]
            plain = None if isinstance(units, Crossed) or None in mean else Pair(float(means[j] - means[i]), None)
            won = _won(units, i, j)
            rows[i, j] = Row(
                measure, groups[i], groups[j], counts[i], counts[j], mean[0], mean[1], bases[i], size, *won, plain
            )
    return rows


def _every(units: Units) -> np.ndarray:
    """The values of all groups."""
    return np.concatenate(units.values) if isinstance(units, Separate) else units.values.ravel()


def _clear_of_0(units: Units, group: int, mean: float) -> bool:
    """Whether the mean of a group is far enough from 0, for the spread of its units, to tell a share of it."""
    if isinstance(units, Separate):
        values = units.values[group]
    else:
        values = (units.values if isinstance(units, Blocked) else units.by_user)[:, group]
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return False
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return mean != 0 and abs(mean) >= CLEAR_OF_0 * error


def _won(units: Units, i: int, j: int) -> tuple[int | None, int | None, int | None]:
    """Units for the second group, for neither, for the first."""
    if isinstance(units, Separate):
        return None, None, None
    cells = units.values if isinstance(units, Blocked) else units.by_user_adjusted
    d = difference(cells[:, i], cells[:, j])
    return int((d > 0).sum()), int((d == 0).sum()), int((d < 0).sum())


def _untestable(plan: ComparisonPlan, groups: Sequence[str], found: Aligned, scale: float) -> Remark | None:
    """Say why no pair can be tested at all; None where some can."""
    units, population = found.units, plan.population
    least = min(units.counts)
    unit = population.removesuffix("s")
    if not isinstance(units, Blocked) and least < 2 and max(units.counts) > 1:
        smallest = groups[units.counts.index(least)]
        few = f"{smallest} has {least} {unit if least else population} with a value"
        return not_tested("few units", few, "; a comparison needs at least two", groups=[smallest], n=least)
    if not least:
        advice = "; undefined=zero counts 0 where nothing is relevant, unjudged_topics=zero where nothing is judged"
        brief = f"no {unit} has a defined value for every group"
        return not_tested("no units", brief, advice if found.dropped else "", n=0)
    if least == 1 and not isinstance(units, Blocked):
        return not_tested(
            "few units", f"each group has 1 {unit} with a value", "; a comparison needs at least two", n=1
        )
    if least == 1:
        needed = f"; a claim about {population} like these needs at least two"
        return not_tested("few units", f"only one {unit} has a value for every group", needed, n=1)
    every = _every(units)
    if _constant(every):
        within, value = within_text(CONSTANT, float(np.ptp(every)), every), float(every[0]) * scale
        return not_tested(
            "constant", f"every value is {value:.6g}{within}, in every group", NOTHING_TO_TEST, value=value
        )
    if isinstance(units, Crossed) and _explained(units):
        spread = 0.0 if units.fit is None else math.sqrt(float(units.fit.variance[0]))
        within = within_text(CONSTANT, spread, every)
        brief = f"user, topic and group explain every value{within}, so no variance is left for {plan.test.title} to test against"
        return not_tested("no variance", brief, detail=plan.test.name)
    return None


def _explained(units: Crossed) -> bool:
    """Whether nothing is left of the values once users, topics and groups are taken out."""
    fit, size = units.fit, float(np.abs(units.values).max())
    return fit is not None and bool(fit.df >= 1 and math.sqrt(float(fit.variance[0])) <= CONSTANT * size)


def _constant(values: np.ndarray) -> bool:
    """Whether all values are the same, but for rounding."""
    return bool(np.ptp(values) <= CONSTANT * float(np.abs(values).max()))


def _flat(units: Units, i: int, j: int) -> bool:
    """Whether nothing varies by which the difference of two groups could be judged."""
    if isinstance(units, Crossed):
        return False
    if isinstance(units, Separate):
        return _constant(units.values[i]) and _constant(units.values[j])
    d = units.values[:, j] - units.values[:, i]
    return bool(np.ptp(d) <= CONSTANT * float(np.abs(units.values[:, [i, j]]).max()))


def _distance(units: Units, i: int, j: int) -> float:
    """How far the values of two groups are from the same, unit by unit where units met both."""
    if isinstance(units, Blocked):
        return float(np.abs(units.values[:, j] - units.values[:, i]).max())
    return float(np.ptp(_every(units)))


def _constant_difference(
    units: Units, groups: Sequence[str], key: tuple[int, int], population: str, scale: float
) -> Remark:
    """Say that the difference of two groups does not vary, and to within what."""
    (i, j), means = key, units.means
    pair, value = [groups[i], groups[j]], float(means[j] - means[i]) * scale
    if isinstance(units, Separate):
        spread = max(float(np.ptp(units.values[group])) for group in key)
        every = [f"every value of {groups[group]} is {means[group] * scale:.6g}" for group in key]
        brief = f"{' and '.join(every)}{within_text(CONSTANT, spread, _every(units))}"
        return not_tested("constant groups", brief, groups=pair, value=value)
    within = within_text(CONSTANT, float(np.ptp(units.values[:, j] - units.values[:, i])), units.values)
    amount = f"{(means[j] - means[i]) * scale:.6g}{within}"
    unit = population.removesuffix("s")
    brief = f"{groups[j]} differs from {groups[i]} by the same amount, {amount}, for every {unit}"
    return not_tested("constant difference", brief, groups=pair, value=value)


def _same(units: Units, i: int, j: int) -> bool:
    """Whether two groups have the same value for every unit."""
    if isinstance(units, Crossed):
        return False
    if isinstance(units, Separate):
        return _constant(np.concatenate([units.values[i], units.values[j]]))
    return not difference(units.values[:, i], units.values[:, j]).any()


def assembled(plan: ComparisonPlan, found: Sequence[MeasureRows]) -> tuple[pl.DataFrame, float, Family]:
    """Correct over all measures and pairs, of every level where groups are compared within some.

    Returns
    -------
    tuple
        The table; the error rate of each interval; the p-values that were corrected for: of a test that holds for all
        pairs of a measure at once, the measures, by Bonferroni's rule (Holm's steps do not hold for sets of pairs).
    """
    alpha, correction = plan.options.alpha, plan.options.correction
    rows = [row for part in found for row in part.rows]
    tested = [row for row in rows if _is_tested(row)]
    p = [row.pair.p for row in tested if row.pair is not None and row.pair.p is not None]
    together = len(rows) > len(found) and plan.test.simultaneous
    number = sum(any(map(_is_tested, part.rows)) for part in found) if together else len(p)
    if together and correction != "none":
        rate, adjusted_p = alpha / max(1, number), tuple(min(1.0, value * number) for value in p)
        settled = Corrected(adjusted_p, adjusted_p, rate, rate, alpha)
    else:
        settled = corrected(p, correction, alpha)
    places = {id(row): place for place, row in enumerate(tested)}
    schema = pl.Schema({name: dtype for name, dtype in TABLE.items() if name != "sd"})
    table = pl.DataFrame([_row(row, places.get(id(row)), settled) for row in rows], schema=schema, orient="row")
    return table, settled.interval_rate, Family(number, correction, together and bool(number))


def _is_tested(row: Row) -> bool:
    """Whether a test gave it a p-value."""
    return row.pair is not None and row.pair.p is not None


def overall_table(found: Sequence[MeasureRows]) -> pl.DataFrame:
    """The tests of all groups at once."""
    rows = [
        (part.rows[0].measure, *vars(test).values()) for part in found if part.outcome for test in part.outcome.overall
    ]
    return pl.DataFrame(rows, schema=OVERALL, orient="row")


def informative(table: pl.DataFrame, spans: Mapping[str, float]) -> pl.DataFrame:
    """The table without intervals wider than all differences that a measure can have, and without detectable ones beyond them.

    Of few units, such numbers tell of the test and not of the measure; ``uninformative`` says which rows had such an interval.

    Parameters
    ----------
    spans
        The greatest difference that each measure can have, of those that have one.
    """
    most = pl.col("measure").replace_strict(spans, default=None, return_dtype=pl.Float64)
    wide = (pl.col("high") - pl.col("low") >= 2 * most).fill_null(value=False)
    marked = table.with_columns(uninformative=wide, most=most)
    ends = [pl.when(~pl.col("uninformative")).then(name).alias(name) for name in ("low", "high")]
    beyond = (pl.col("detectable") > pl.col("most")).fill_null(value=False)
    return marked.with_columns(*ends, detectable=pl.when(~beyond).then("detectable")).drop("most")


def _row(row: Row, place: int | None, settled: Corrected) -> tuple[object, ...]:
    """One row of the table."""
    pair = row.pair or Pair(math.nan, None)
    ends = effect_ends = (math.nan, math.nan)
    if place is not None and pair.interval is not None:
        ends = settled.interval(place, pair.interval, pair.side)
    if place is not None and pair.effect_interval is not None:
        effect_ends = settled.interval(place, pair.effect_interval, pair.side)
    return (
        row.measure, row.a, row.b, row.n_a, row.n_b,
        _finite(row.estimate), *(_finite(row.settled(end)) for end in ends), pair.statistic, pair.df, pair.p,
        None if place is None else settled.p[place],
        pair.effect, *map(_finite, effect_ends), row.relative, row.mark,
        row.mean_a, row.mean_b, row.raw_difference, row.wins, row.ties, row.losses,
        None if place is None else _detectable(pair, settled.test_rate, row.n_a),
    )  # fmt: skip


def _detectable(pair: Pair, rate: float, n: int) -> float | None:
    """The difference that is found with a chance of .8, see `sessionkit.statistics.effects.detectable`; half the interval
    is what it must exceed. None without a standard error or an end of the interval.
    """
    if pair.se is None or pair.interval is None:
        return None
    low, high = pair.interval(rate)
    df = pair.df if pair.df is not None else max(n - 1, 1)
    return detectable((high - low) / 2, pair.se, df) if math.isfinite(high - low) else None


def _finite(value: float) -> float | None:
    """Return a number; None in place of one without end."""
    return value if math.isfinite(value) else None
