"""The table of all measures: p-values corrected together, intervals that match them, and what could have been found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl

from sessionkit.analysis.compare.comparison import OVERALL, TABLE
from sessionkit.analysis.compare.corrections import Corrected, Family, corrected
from sessionkit.analysis.compare.effects import detectable
from sessionkit.analysis.compare.pair_findings import Pair
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.compare.rows import MeasureRows, Row


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
    """The difference that is found with a chance of .8, see `sessionkit.analysis.compare.effects.detectable`; half the interval
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
