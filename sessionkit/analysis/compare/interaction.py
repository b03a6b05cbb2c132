"""Does the difference of two groups depend on a column, such as the skill of users? The interaction of groups and its levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from sessionkit.analysis.compare.alignment import Places, places_of
from sessionkit.analysis.compare.corrections import corrected
from sessionkit.analysis.compare.options import Options
from sessionkit.analysis.compare.pair_findings import Interval, Pair
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.compare.projection import Effects, indicators
from sessionkit.analysis.compare.session_values import GroupedSessions
from sessionkit.analysis.compare.units import coded
from sessionkit.analysis.distribution_tails import f_beyond, t_at

INTERACTION = pl.Schema(
    {
        **dict.fromkeys(("measure", "a", "b"), pl.String()),
        **dict.fromkeys(("estimate", "low", "high", "statistic", "df", "df_error", "p", "p_adjusted"), pl.Float64()),
        **dict.fromkeys(("n", "levels"), pl.Int64()),
        **dict.fromkeys(("test", "note"), pl.String()),
    }
)
COLLINEAR = 1e-8
"""The length below which nothing but rounding is left of a column."""
ENOUGH = 0.5
"""Share of units that must have been met in every level, for these to be compared with themselves."""


@dataclass(frozen=True)
class LevelFinding:
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

    def places(self, number: int) -> Places:
        """Which sessions are compared by a measure."""
        return places_of(self.sessions, number, self.plan.design, self.plan.population)

    def values(self, number: int) -> np.ndarray:
        """The values of these sessions."""
        found: np.ndarray = self.sessions.values[self.places(number).keep, number]
        return found


@dataclass(frozen=True)
class Interaction:
    """F for the same difference in all levels, of how many units, by which test.

    Of two levels also the second's difference less the first's, with its standard error.
    """

    statistic: float
    df: float
    df_error: float
    test: str = ""
    n: int = 0
    estimate: float = np.nan
    se: float = np.nan

    @property
    def p(self) -> float:
        """Chance of a larger F."""
        return f_beyond(self.statistic, self.df, self.df_error)

    def interval(self, alpha: float) -> Interval:
        """The interval of the estimate."""
        half = t_at(alpha / 2, self.df_error) * self.se
        return self.estimate - half, self.estimate + half


def interactions(levels: Sequence[LevelFinding], options: Options) -> pl.DataFrame:
    """Test for every measure and pair of groups whether their difference is the same in all levels.

    Where each unit is in one level, such as users of one skill, the differences of levels are independent. They are compared by
    Welch's F from their standard errors, for two levels by his t. Of a crossover the differences of users are compared, beside the
    topics that each searched with one group and not with the other; they may vary from user to user.
    Where units met both groups in every level, their differences are: by the paired t, of more levels by Hotelling's T squared.
    Elsewhere, such as for the topics of a crossover, group x level is fitted beside unit, level and group, over units or, of a
    crossover within each level, over sessions and beside topics.

    In 400 simulated null studies of each kind (balanced crossovers of 24 users and 4 topics, residual .2), it rejected at 5%:

    =====================================  =====  =====  =====
    sd of the difference between users         0     .1     .2
    =====================================  =====  =====  =====
    levels are a skill of users             5.3%   5.3%   4.8%
    levels are topics                       5.3%   5.0%   2.0%
    =====================================  =====  =====  =====

    Returns
    -------
    polars.DataFrame
        ``measure``, ``a``, ``b``; of two levels the ``estimate``, the second level's difference less the first's, with ``low`` and
        ``high``; ``statistic`` (F), ``df``, ``df_error``, ``p`` and ``p_adjusted`` (over the rows of this table); ``n`` units in so many
        ``levels``, and the ``test``. Where it cannot be tested, a ``note`` says why.
    """
    first = levels[0].sessions
    found = [
        (measure, first.groups[i], first.groups[j], *_tested(levels, number, i, j))
        for number, measure in enumerate(first.measures)
        for i, j in combinations(range(len(first.groups)), 2)
    ]
    tested = [place for place, (*_, one) in enumerate(found) if isinstance(one, Interaction)]
    settled = corrected([one.p for *_, one in found if isinstance(one, Interaction)], options.correction, options.alpha)
    rows: list[tuple[object, ...]] = []
    for place, (measure, a, b, many, one) in enumerate(found):
        if isinstance(one, str):
            rows.append((measure, a, b, *[None] * 9, many, None, one))
            continue
        at = tested.index(place)
        ends = (np.nan, np.nan) if np.isnan(one.estimate) else settled.interval(at, one.interval, one.estimate)
        numbers = (one.estimate, *ends, one.statistic, one.df, one.df_error, one.p, settled.p[at])
        known = [value if np.isfinite(value) else None for value in numbers]
        rows.append((measure, a, b, *known, one.n, many, one.test, None))
    return pl.DataFrame(rows, schema=INTERACTION, orient="row")


def _tested(levels: Sequence[LevelFinding], number: int, i: int, j: int) -> tuple[int, Interaction | str]:
    """In how many levels two groups were compared, and their interaction by one measure, or why there is none."""
    levels = [level for level in levels if getattr(level.pairs[number].get((i, j)), "p", None) is not None]
    if len(levels) < 2:
        return len(levels), "the difference could be tested in fewer than two of its values"
    plan = levels[0].plan
    if not plan.test.in_units or (plan.layout != "crossed" and any(not of.pairs[number][i, j].df for of in levels)):
        other = "t" if plan.layout == "blocked" else "welch"
        return len(levels), f"{plan.title} has no standard error of a difference; test={other} would do"
    names = [_units(level, number, i, j) for level in levels]
    every, several = set().union(*names), set.intersection(*names)
    if len(every) == sum(map(len, names)):
        found = (
            _of_users(levels, number, i, j)
            if plan.layout == "crossed"
            else _of_estimates(levels, number, i, j, len(every))
        )
    elif plan.layout == "blocked":
        if len(several) < ENOUGH * len(every):
            return (
                len(levels),
                f"{len(several):,} of {len(every):,} {plan.population} were in all of its values, and others in one or some",
            )
        found = _of_blocks(levels, number, i, j, several)
    else:
        found = _of_cells(levels, number, i, j)
    return len(levels), found or f"{plan.population} and groups leave nothing, or no error, to tell it by"


def _cells(level: LevelFinding, number: int, i: int, j: int) -> tuple[list[str], np.ndarray]:
    """The units that one level has of two groups, and their values with each; NaN where there is none."""
    names, cells = level.places(number).cells(level.values(number))
    cells = cells[:, [i, j]]
    there = np.isfinite(cells).all(axis=1) if level.plan.layout != "separate" else np.isfinite(cells).any(axis=1)
    return names[there].tolist(), cells[there]


def _units(level: LevelFinding, number: int, i: int, j: int) -> set[str]:
    """The units that one level has of two groups."""
    return {*_cells(level, number, i, j)[0]}


def _of_estimates(levels: Sequence[LevelFinding], number: int, i: int, j: int, n: int) -> Interaction:
    """The levels' own differences, by their standard errors."""
    pairs = [level.pairs[number][i, j] for level in levels]
    estimates, se, df = (
        np.array([getattr(pair, name) for pair in pairs], dtype=float) for name in ("estimate", "se", "df")
    )
    return of_independent(estimates, se, df, n)


def of_independent(estimates: np.ndarray, se: np.ndarray, df: np.ndarray, n: int) -> Interaction:
    """Compare independent estimates by Welch's (1951) F, from their standard errors and degrees of freedom.

    >>> found = of_independent(np.array([1.0, 3.0]), np.array([0.6, 0.8]), np.array([9.0, 9.0]), n=20)
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
    statistic, df_error = between / (1 + 2 * (k - 2) / (k**2 - 1) * spread), (k**2 - 1) / (3 * spread)
    if k > 2:
        return Interaction(statistic, k - 1, df_error, "Welch's F", n)
    return Interaction(statistic, 1, df_error, "Welch's t", n, float(estimates[1] - estimates[0]), float(np.hypot(*se)))


def _of_users(levels: Sequence[LevelFinding], number: int, i: int, j: int) -> Interaction | None:
    """The differences of a crossover's users by level, beside how much more of each topic a user had with one group."""
    d, level_of, exposures = [], [], []
    topics = pl.concat([level.places(number).frame["topic_id"].fill_null("") for level in levels]).unique().sort()
    of_topics = [(pl.col("topic") == topic).mean().alias(str(place)) for place, topic in enumerate(topics)]
    for place, level in enumerate(levels):
        places, (_, cells) = level.places(number), _cells(level, number, i, j)
        met = places.frame.select("user_id", topic=pl.col("topic_id").fill_null("")).with_columns(
            group=pl.Series(places.group)
        )
        first, second = (met.filter(group=group).group_by("user_id").agg(of_topics) for group in (i, j))
        both = first.join(second, on="user_id", suffix="_second").sort("user_id")  # in the order of the cells
        more = [pl.col(f"{topic}_second") - pl.col(str(topic)) for topic in range(len(topics))]
        exposures.append(both.select(more).to_numpy())
        d.append(cells[:, 1] - cells[:, 0])
        level_of.append(np.full(len(cells), place))
    y = np.concatenate(d)
    base = np.hstack([np.ones((len(y), 1)), np.vstack(exposures)])
    found = _f_of(y, base, indicators(np.concatenate(level_of), len(levels)))
    return found and replace(found, test=f"{'t' if len(levels) == 2 else 'F'} of users' differences", n=len(y))


def _of_blocks(levels: Sequence[LevelFinding], number: int, i: int, j: int, several: set[str]) -> Interaction | None:
    """The differences of units that met both groups in every level, by Hotelling's T squared, which lets them vary as they do."""
    columns = []
    for level in levels:
        names, cells = _cells(level, number, i, j)
        found = dict(zip(names, cells[:, 1] - cells[:, 0], strict=True))
        columns.append([found[name] for name in sorted(several)])
    d = np.array(columns).T
    n, k = d.shape
    apart = d[:, 1:] - d[:, :1]
    if n < k or np.linalg.matrix_rank(apart - apart.mean(axis=0), tol=COLLINEAR * np.abs(d).max(initial=0)) < k - 1:
        return None
    mean, spread = apart.mean(axis=0), np.atleast_2d(np.cov(apart.T))
    squared = float(n * mean @ np.linalg.solve(spread, mean))
    if k == 2:
        return Interaction(squared, 1, n - 1, "paired t", n, float(mean[0]), float(np.sqrt(spread[0, 0] / n)))
    return Interaction(squared * (n - k + 1) / ((n - 1) * (k - 1)), k - 1, n - k + 1, "Hotelling's T squared", n)


def _of_cells(levels: Sequence[LevelFinding], number: int, i: int, j: int) -> Interaction | None:
    """Group x level beside unit, level and group; of a crossover within levels over sessions, beside topics too."""
    crossed = levels[0].plan.layout == "crossed"
    rows = []
    for at, level in enumerate(levels):
        if crossed:
            places = level.places(number)
            of_pair = np.isin(places.group, (i, j))
            own = places.frame.select(unit="user_id", topic="topic_id").filter(pl.Series(of_pair))
            value, second = level.values(number)[of_pair], places.group[of_pair] == j
        else:
            names, cells = _cells(level, number, i, j)
            unit, column = np.nonzero(np.isfinite(cells))
            own = pl.DataFrame({"unit": [names[place] for place in unit], "topic": [str(at)] * len(unit)})
            value, second = cells[unit, column], column == 1
        rows.append(own.with_columns(value=value, second=pl.Series(second).cast(pl.Float64), at=pl.lit(at)))
    frame = pl.concat(rows)
    effects = Effects(*(coded(frame.get_column(name).fill_null(""))[0] for name in ("unit", "topic")))
    if not effects.feasible:
        return None
    level_of, second = indicators(frame["at"].to_numpy(), len(levels)), frame["second"].to_numpy()[:, None]
    y, base, both = (
        effects.without(columns)
        for columns in (frame["value"].to_numpy()[:, None], np.hstack([level_of, second]), level_of * second)
    )
    found = _f_of(y[:, 0], base, both, taken=effects.rank)
    return found and replace(found, test="least squares", n=frame["unit"].n_unique())


def _f_of(y: np.ndarray, base: np.ndarray, columns: np.ndarray, *, taken: int = 0) -> Interaction | None:
    """F of some columns beside the base ones, ``taken`` numbers being taken out of all; None where they cannot be told apart."""
    known = _orthonormal(base)
    left, rest = columns - known @ (known.T @ columns), y - known @ (known.T @ y)
    further = _orthonormal(left)
    df, df_error = columns.shape[1], len(y) - taken - known.shape[1] - columns.shape[1]
    if further.shape[1] < df or df_error < 1:
        return None
    explained = float(((further.T @ rest) ** 2).sum())
    error = (float(rest @ rest) - explained) / df_error
    if not error > COLLINEAR**2 * float(y @ y):
        return None
    if df > 1:
        return Interaction(explained / df / error, df, df_error)
    size = float(left[:, 0] @ left[:, 0])
    estimate, se = float(left[:, 0] @ rest) / size, float(np.sqrt(error / size))
    return Interaction(explained / error, 1, df_error, estimate=estimate, se=se)


def _orthonormal(columns: np.ndarray) -> np.ndarray:
    """Columns of length 1 at right angles that say the same."""
    vectors, lengths, _ = np.linalg.svd(columns, full_matrices=False)
    found: np.ndarray = vectors[:, lengths > COLLINEAR]
    return found
