"""Does the difference of two groups depend on a column, such as the skill of users? The interaction of groups and its levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from sessionkit.analysis.compare.alignment import places_of
from sessionkit.analysis.compare.corrections import corrected
from sessionkit.analysis.compare.options import Options
from sessionkit.analysis.compare.pair_findings import Interval, Pair
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.compare.projection import Effects, LeastSquares, indicators
from sessionkit.analysis.compare.session_values import GroupedSessions
from sessionkit.analysis.compare.units import Crossed, coded, mean_cells
from sessionkit.analysis.distribution_tails import f_beyond, t_at

INTERACTION = pl.Schema(
    {
        **dict.fromkeys(("measure", "a", "b"), pl.String()),
        **dict.fromkeys(("estimate", "low", "high", "statistic", "df", "df_error", "p", "p_adjusted"), pl.Float64()),
    }
)
ALIKE = 1e-9
"""Share of a column that must be left of it beside the others, to be told apart from them."""


@dataclass(frozen=True)
class LevelPairs:
    """What was found within one level of a column.

    Parameters
    ----------
    sessions, plan
        Its sessions, and how their groups are compared.
    pairs
        Of every measure what was found for each pair of groups, by their numbers; without those that were not tested.
    """

    sessions: GroupedSessions
    plan: ComparisonPlan
    pairs: Sequence[Mapping[tuple[int, int], Pair]]


@dataclass(frozen=True)
class Interaction:
    """F for the same difference in all levels; of two levels also the second's difference less the first's, with its error."""

    statistic: float
    df: float
    df_error: float
    estimate: float | None = None
    se: float | None = None

    @property
    def p(self) -> float:
        """Chance of a larger F."""
        return f_beyond(self.statistic, self.df, self.df_error)

    def interval(self, alpha: float) -> Interval:
        """The interval of the estimate; NaN without one."""
        estimate, se = (np.nan, np.nan) if self.estimate is None or self.se is None else (self.estimate, self.se)
        half = t_at(alpha / 2, self.df_error) * se
        return estimate - half, estimate + half


def interactions(levels: Sequence[LevelPairs], options: Options) -> pl.DataFrame:
    """Test for every measure and pair of groups whether their difference is the same in all levels.

    Where each unit is in one level, such as users of one skill, the levels' own differences and standard errors are independent
    and are compared by Welch's F (for two levels the square of his t); of a crossover they are those of the means of users'
    differences, topics taken out. Where units that met both groups in every level are
    compared, it is the F of the level in their differences, each unit a block. Elsewhere, such as topics of a crossover, it is the
    F of group x level beside unit, level and group, by least squares; of a crossover within each level over sessions and
    beside topics too.

    In 400 simulated null studies each, of 24 users and 4 topics with a residual of .2, it rejected at 5% for a skill of users 6, 6 and 6%
    where users differed in the difference by an sd of 0, .1 and .2, and for topics 5, 5 and 2%.

    Returns
    -------
    polars.DataFrame
        ``measure``, ``a``, ``b``; of two levels the ``estimate``, the second level's difference less the first's, with ``low`` and
        ``high``; ``statistic`` (F), ``df``, ``df_error``, ``p`` and ``p_adjusted``. No rows of what cannot be tested, which is
        all where differences come without a standard error, as those of ranks do.
    """
    first = levels[0].sessions
    rows: list[tuple[str, str, str, Interaction]] = []
    for number, measure in enumerate(first.measures):
        for i, j in combinations(range(len(first.groups)), 2):
            found = _tested(levels, number, i, j)
            if found is not None:
                rows.append((measure, first.groups[i], first.groups[j], found))
    settled = corrected([found.p for *_, found in rows], options.correction, options.alpha)
    table = []
    for place, (measure, a, b, found) in enumerate(rows):
        estimate = np.nan if found.estimate is None else found.estimate
        interval = (np.nan, np.nan) if np.isnan(estimate) else settled.interval(place, found.interval, estimate)
        ends = (end if np.isfinite(end) else None for end in interval)
        tested = (found.statistic, found.df, found.df_error, found.p, settled.p[place])
        table.append((measure, a, b, found.estimate, *ends, *tested))
    return pl.DataFrame(table, schema=INTERACTION, orient="row")


def _tested(levels: Sequence[LevelPairs], number: int, i: int, j: int) -> Interaction | None:
    """The interaction of two groups by one measure; None where it cannot be tested."""
    found = [_alone(level, number, i, j) for level in levels]
    known = [one for one in found if one is not None]
    if len(known) < len(levels) or len(levels) < 2:
        return None
    key = {"users": "user_id", "topics": "topic_id", "sessions": "session_id"}[levels[0].plan.population]
    units = pl.concat([level.sessions.frame.get_column(key).drop_nulls().unique() for level in levels])
    if not units.is_duplicated().any():
        return of_independent(*np.array(known).T)
    if levels[0].plan.layout == "blocked":
        return _of_blocks(levels, number, i, j)
    return _of_cells(levels, number, i, j, key)


def _alone(level: LevelPairs, number: int, i: int, j: int) -> tuple[float, float, float] | None:
    """The difference of two groups within a level, its standard error and degrees of freedom; None without them.

    Of a crossover it is the mean of the differences of users, which may vary from user to user.
    """
    pair = level.pairs[number].get((i, j))
    units = level.plan.units(level.sessions, number).units
    if pair is not None and isinstance(units, Crossed):
        d = units.by_user_adjusted[:, j] - units.by_user_adjusted[:, i]
        d = d[np.isfinite(d)]
        pair = (
            replace(pair, estimate=d.mean(), se=d.std(ddof=1) / np.sqrt(len(d)), df=len(d) - 1) if len(d) > 1 else None
        )
    if pair is None or not pair.se or not pair.df:
        return None
    return pair.estimate, pair.se, pair.df


def of_independent(estimates: np.ndarray, se: np.ndarray, df: np.ndarray) -> Interaction:
    """Compare independent estimates by Welch's (1951) F, from their standard errors and degrees of freedom.

    >>> found = of_independent(np.array([1.0, 3.0]), np.array([0.6, 0.8]), np.array([9.0, 9.0]))
    >>> found.estimate, round(found.se, 9), round(found.statistic, 9)  # 2 / sqrt(0.36 + 0.64), squared
    (2.0, 1.0, 4.0)
    >>> round(found.df_error, 4)  # Satterthwaite: 1 / (0.36^2 / 9 + 0.64^2 / 9)
    16.6914
    """
    k, weight = len(estimates), 1 / se**2
    share = weight / weight.sum()
    mean = float((share * estimates).sum())
    spread = float(((1 - share) ** 2 / df).sum())
    between = float((weight * (estimates - mean) ** 2).sum()) / (k - 1)
    statistic = between / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    two = (float(estimates[1] - estimates[0]), float(np.hypot(*se))) if k == 2 else (None, None)
    return Interaction(statistic, k - 1, (k**2 - 1) / (3 * spread), *two)


def _of_blocks(levels: Sequence[LevelPairs], number: int, i: int, j: int) -> Interaction | None:
    """The F of the level in the differences of units that met both groups in every level."""
    groups = levels[0].sessions.groups
    wide: pl.DataFrame | None = None
    for place, level in enumerate(levels):
        values = level.plan.unit_values(level.sessions, number)
        if values is None:
            return None
        a, b = (values.filter(pl.col("group") == groups[group]).select("unit", "value") for group in (i, j))
        found = a.join(b, on="unit", suffix="_b").select(
            "unit", (pl.col("value_b") - pl.col("value")).alias(str(place))
        )
        wide = found if wide is None else wide.join(found, on="unit")
    if wide is None:
        return None
    d = wide.drop("unit").to_numpy()
    n, k = d.shape
    if n < 2:
        return None
    left = d - d.mean(axis=1, keepdims=True) - d.mean(axis=0) + d.mean()
    df, df_error = k - 1, (k - 1) * (n - 1)
    error = float((left**2).sum()) / df_error
    if not error > 0:
        return None
    statistic = n * float(((d.mean(axis=0) - d.mean()) ** 2).sum()) / df / error
    two = (float((d[:, 1] - d[:, 0]).mean()), float(np.sqrt(2 * error / n))) if k == 2 else (None, None)
    return Interaction(statistic, df, df_error, *two)


def _of_cells(levels: Sequence[LevelPairs], number: int, i: int, j: int, key: str) -> Interaction | None:
    """The F of group x level beside unit, level and group; of a crossover within levels sessions beside topics too."""
    frames, values = [], []
    for place, level in enumerate(levels):
        compared = places_of(level.sessions, number, level.plan.design, level.plan.population)
        of_pair = np.isin(compared.group, (i, j))
        second = pl.Series("second", compared.group[of_pair] == j)
        own = compared.frame.select(key, "topic_id").filter(pl.Series(of_pair))
        frames.append(own.with_columns(second, level=pl.lit(place)))
        values.append(level.sessions.values[compared.keep, number][of_pair])
    frame, value = pl.concat(frames), np.concatenate(values)
    unit, names = coded(frame.get_column(key))
    at, of_second = (frame.get_column(name).cast(pl.Int64).to_numpy() for name in ("level", "second"))
    if levels[0].plan.layout == "crossed":
        effects = Effects(unit, coded(frame.get_column("topic_id").fill_null(""))[0])
    else:  # a value for each unit, level and group, as where the groups of one level are compared
        cells = mean_cells(value, unit * len(levels) + at, of_second, 2, len(names) * len(levels))
        cell, of_second = np.nonzero(np.isfinite(cells))
        value = cells[cell, of_second]
        unit, at = np.divmod(cell, len(levels))
        effects = Effects(unit, at)
    if not effects.feasible:
        return None
    of_level = indicators(at, len(levels))
    less = _apart(effects, np.hstack([of_level, of_second[:, None].astype(float)]))
    more = _apart(effects, np.hstack([less, of_level * of_second[:, None]]))
    if more.shape[1] - less.shape[1] < len(levels) - 1:
        return None
    smaller, larger = (
        LeastSquares(effects, columns).fit(value[:, None]) if columns.shape[1] else None for columns in (less, more)
    )
    if larger is None or larger.df < 1 or not float(larger.variance[0]) > 0:
        return None
    explained = 0.0 if smaller is None else float(smaller.explained[0])
    df, error = len(levels) - 1, float(larger.variance[0])
    statistic = max(0.0, float(larger.explained[0]) - explained) / df / error
    two = (
        (None, None) if df > 1 else (float(larger.coefficients[-1, 0]), float(np.sqrt(error * larger.inverse[-1, -1])))
    )
    return Interaction(statistic, df, larger.df, *two)


def _apart(effects: Effects, columns: np.ndarray) -> np.ndarray:
    """The columns that can be told apart from the effects and from the columns before them."""
    kept: list[int] = []
    left, basis = effects.without(columns), np.zeros((len(columns), 0))
    for place, column in enumerate(left.T):
        rest = column - basis @ (basis.T @ column)
        rest = rest - basis @ (basis.T @ rest)  # once more, for what rounding left
        if rest @ rest > ALIKE * (columns[:, place] @ columns[:, place]):
            kept.append(place)
            basis = np.column_stack([basis, rest / np.sqrt(rest @ rest)])
    return columns[:, kept]
