"""Whether the difference of two groups depends on a column, such as skill: interactions, and tests of contrasts without equal variances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from sessionkit.display.numbers import counted, listed
from sessionkit.statistics.comparison import BETWEEN_USERS, level_name
from sessionkit.statistics.corrections import Options, corrected
from sessionkit.statistics.design import BetweenContrast, Counterbalancing, UserSequence, read_counterbalancing
from sessionkit.statistics.distributions import f_beyond, t_at
from sessionkit.statistics.effects import CONSTANT, Interval
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.statistics.session_values import GroupedSessions
from sessionkit.statistics.units import Effects, Places, coded, indicators, places_of

INTERACTION = pl.Schema(
    {
        **dict.fromkeys(("measure", "a", "b"), pl.String()),
        **dict.fromkeys(("estimate", "low", "high", "statistic", "df", "df_error", "p", "p_adjusted"), pl.Float64()),
        **dict.fromkeys(("n", "levels"), pl.Int64()),
        **dict.fromkeys(("test", "note"), pl.String()),
    }
)
SIDES = ("minus", "plus")
"""Columns for the reading: the levels whose difference of groups the estimate takes away, and those that it adds."""
ROWS = pl.Schema({**INTERACTION, **dict.fromkeys(SIDES, pl.String())})
FEWEST_UNITS = 4
"""Units that a level, or a sequence, needs to be tested: from fewer, a variance is hardly known."""
FEWEST_IN_GROUP = 3
"""Units that each group of a level needs where groups are of different units: with 2 units of the larger spread up to 12% of true null
hypotheses were rejected at 5%, with 3 at most 7%."""
ENOUGH = 0.5
"""Share of units that must have been met in all levels, for these to be compared with themselves."""
ROUNDING = 1e-8
"""The length below which nothing but rounding is left of a column."""


@dataclass(frozen=True)
class ComparedLevel:
    """The sessions of one level of a column, and how their groups are compared."""

    value: Any
    sessions: GroupedSessions
    plan: ComparisonPlan

    @property
    def name(self) -> str:
        """The column and the level."""
        return level_name(str(self.sessions.within), self.value)

    @property
    def is_separate(self) -> bool:
        """Whether its groups are of different units."""
        return self.plan.layout == "separate"

    def places(self, number: int) -> Places:
        """Which sessions are compared by a measure."""
        return places_of(self.sessions, number, self.plan.design, self.plan.population)

    def values(self, number: int) -> np.ndarray:
        """The values of these sessions."""
        values: np.ndarray = self.sessions.values[self.places(number).keep, number]
        return values


@dataclass(frozen=True, eq=False)
class LevelUnits:
    """The units of a level by which two groups are compared: a row per unit, a column per group, NaN for a group not met."""

    level: ComparedLevel
    names: list[str]
    cells: np.ndarray

    @classmethod
    def of(cls, level: ComparedLevel, number: int, pair: tuple[int, int]) -> LevelUnits:
        """Take the units from the sessions of a level."""
        names, cells = level.places(number).cells(level.values(number))
        cells = cells[:, pair]
        is_finite = np.isfinite(cells)
        is_used = is_finite.any(axis=1) if level.is_separate else is_finite.all(axis=1)
        return cls(level, names[is_used].tolist(), cells[is_used])

    @property
    def can_be_tested(self) -> bool:
        """Whether the units are enough to know how they vary."""
        in_groups = np.isfinite(self.cells).sum(axis=0)
        return len(self.names) >= FEWEST_UNITS and (not self.level.is_separate or in_groups.min() >= FEWEST_IN_GROUP)

    @property
    def how_many(self) -> str:
        """The level and its number of units."""
        units = counted(len(self.names), self.level.plan.population.removesuffix("s"))
        if not self.level.is_separate:
            return f"{self.level.name} has {units}"
        return f"{self.level.name} has {units}, {' and '.join(map(str, np.isfinite(self.cells).sum(axis=0)))} in the groups"


@dataclass(frozen=True)
class InteractionRow:
    """One row of the table of interactions: a test by its name, or an estimate alone, or a note that says why there is none."""

    n_levels: int
    note: str | None = None
    n: int | None = None
    title: str | None = None
    test: ContrastTest | None = None
    estimate: float | None = None
    sides: tuple[str, str] | tuple[None, None] = (None, None)


def interactions(levels: Sequence[ComparedLevel], options: Options) -> pl.DataFrame:
    """Test for every measure and pair of groups whether their difference is the same in all levels.

    The test follows from which units are in which levels:

    1. Each unit is in one level, such as users of one skill. The differences of users (of groups with different users, their values) are
       regressed on the level and on how much more of each topic a user searched with the second group than with the first
       (in a crossover). Each level has a variance of its own. Without topics this is Welch's t or F
       (`sessionkit.statistics.interaction.compare_strata`). The levels may have different designs: a level where users met
       both groups counts by its users' differences, a level with different users by its two means. A level with fewer than 4
       units, or fewer than 3 in one of its separate groups, is left out; of two levels the estimate remains.
    2. Each unit met both groups in all levels: paired t, or Hotelling's T squared, of the units' differences.
    3. Each unit met one group in each level, such as the topics of a crossover. If the sequences (which group in which level) tell all
       contrasts of levels within users, group x level is fitted by least squares beside unit, level and group. With two
       sequences, or if some contrasts can only be told between sequences, as with A B A B and B A B A, Hotelling's T squared compares the
       users' own contrasts between the sequences, each with its own covariance. The contrast that is left is a second row: Welch's
       t of users' means between sequences. Users of different sequences may differ, and this row with them.

    With units in some levels only, a note says so.

    Share of 2,000 simulated studies without an interaction that were rejected at 5%, by the spreads of users' differences in the levels, or
    of values in the sequences. The 95% intervals covered 0 in the rest. The standard error of a share is .5 points. The table is from
    ``tests/statistics/test_interaction.py`` (marked ``proof``):

    =====================================================  ================  ========
    users                                                  spreads           rejected
    =====================================================  ================  ========
    4 and 16, one topic with both systems                  4:1               6.3%
    4 and 16, one topic with both systems                  1:4               4.4%
    5 and 20, one topic with both systems                  3:1               5.1%
    4 and 16, crossover of 4 topics                        4:1               5.3%
    5 and 20, crossover                                    3:1               5.2%
    6 and 24, crossover                                    3:1               4.9%
    6 and 24, crossover                                    1:3               4.3%
    12 and 12, crossover                                   1:1               4.7%
    6, 6 and 18, crossover                                 3:1:1             5.2%
    6 and 24, crossover with missing cells                 3:1               5.3%
    8 with both systems on one topic, 20 in a crossover    3:1               5.7%
    6 + 6 with one system each, 20 in a crossover          3:1               4.5%
    4 + 4 and 16 + 16 with one system each                 4:1               4.9%
    4, 5 and 6, one topic with both systems                4:2:1             6.5%
    4, 5 and 6, one topic with both systems                1:2:4             4.5%
    4, 5 and 6, crossover                                  4:2:1             6.8%
    ABAB 10, BABA 10: within users                         1:1               5.0%
    ABAB 10, BABA 10: between users                        1:1               5.7%
    ABAB 10, BABA 10: within users                         1:3               5.2%
    ABAB 10, BABA 10: between users                        1:3               6.3%
    ABAB 10, BABA 10: within users                         topics 4:1:1:1    5.1%
    ABAB 10, BABA 10: between users                        topics 4:1:1:1    5.9%
    ABAB 6, BABA 14: within users                          3:1               6.7%
    ABAB 6, BABA 14: between users                         3:1               5.4%
    =====================================================  ================  ========

    A level of four users whose topics leave no user to tell its variance by is tested cautiously: with 4 and 16 users of 1:4 in a
    crossover it rejected 2.7%.

    Returns
    -------
    polars.DataFrame
        ``measure``, ``a``, ``b``; of two levels the ``estimate``, the second level's difference less the first's, with ``low`` and
        ``high``; ``statistic`` (F), ``df``, ``df_error``, ``p`` and ``p_adjusted`` (over the rows of this table); ``n`` units in so many
        ``levels``, and the ``test``. A ``note`` says why there is no test, what is left out, or what the row is about. The estimate of
        a contrast between sequences is the mean difference of some levels less that of the others. ``minus`` and ``plus`` name the
        levels of an estimate.
    """
    sessions = levels[0].sessions
    keys, rows = [], []
    for number, measure in enumerate(sessions.measures):
        for pair in combinations(range(len(sessions.groups)), 2):
            for row in _compare_levels([LevelUnits.of(level, number, pair) for level in levels], number, pair):
                keys.append((measure, *(sessions.groups[group] for group in pair)))
                rows.append(row)
    p = [row.test.p for row in rows if row.test]
    adjusted = corrected(p, options.correction, options.alpha)
    records: list[tuple[object, ...]] = []
    place = 0
    for key, row in zip(keys, rows, strict=True):
        test = row.test
        if test is None:
            records.append((*key, row.estimate, *[None] * 7, row.n, row.n_levels, None, row.note, *row.sides))
            continue
        has_estimate = np.isfinite(test.estimate)
        ends = adjusted.interval(place, test.interval, test.estimate) if has_estimate else (np.nan, np.nan)
        numbers = (test.estimate, *ends, test.statistic, test.df, test.df_error, test.p, adjusted.p[place])
        finite = [value if np.isfinite(value) else None for value in numbers]
        records.append((*key, *finite, row.n, row.n_levels, row.title, row.note, *row.sides))
        place += 1
    return pl.DataFrame(records, schema=ROWS, orient="row")


def _compare_levels(levels: Sequence[LevelUnits], number: int, pair: tuple[int, int]) -> list[InteractionRow]:
    """Choose the test for one measure and pair of groups by which units are in which levels."""
    levels = [level for level in levels if np.isfinite(level.cells).any(axis=0).all()]
    n_levels = len(levels)
    if n_levels < 2:
        return [InteractionRow(n_levels, "fewer than two of its values have units of both groups")]
    plan = levels[0].level.plan
    without_error = next((level.level.plan for level in levels if not _has_standard_error(level.level.plan)), None)
    if without_error is not None:
        usable = "t" if without_error.layout == "blocked" else "welch"
        note = f"{without_error.title} has no standard error of a difference; test={usable} would do"
        return [InteractionRow(n_levels, note)]
    in_several = pl.Series([name for level in levels for name in level.names]).value_counts()["count"]
    n_units, in_all = len(in_several), int((in_several == n_levels).sum())
    if n_units == in_several.sum():
        return [_compare_different_units(levels, number, pair)]
    layouts = {level.level.plan.layout for level in levels}
    # least squares uses every unit of several levels; other tests need units of all of them
    usable_share = int((in_several > 1).sum()) if layouts == {"separate"} else in_all
    if len(layouts) > 1 or usable_share < ENOUGH * n_units:
        note = f"{in_all:,} of {n_units:,} {plan.population} were in all of its values, and others in one or some"
        return [InteractionRow(n_levels, note)]
    if layouts == {"blocked"}:
        return [_compare_same_units(levels, n_units)]
    if layouts == {"separate"}:
        rows = _compare_sequences(levels)
        if rows:
            return rows
    return [_fit_least_squares(levels, number, pair)]


def _has_standard_error(plan: ComparisonPlan) -> bool:
    """Whether the estimates of a test are means; users' differences of a crossover are, whatever its test."""
    return plan.test.in_units and (plan.layout == "crossed" or plan.test.symbol in ("t", "q"))


def _compare_different_units(levels: Sequence[LevelUnits], number: int, pair: tuple[int, int]) -> InteractionRow:
    """Compare the differences of levels that have different units, each level with a variance of its own."""
    tested = [level for level in levels if level.can_be_tested]
    few = [level.how_many for level in levels if not level.can_be_tested]
    n = sum(len(level.names) for level in tested)
    if len(tested) < 2:
        estimate = None
        if len(levels) == 2:
            contrasts = _level_model(levels, number, pair).contrasts
            estimate = None if contrasts is None else float(contrasts.estimate(_values_of(levels))[0])
        needed = f"a test needs at least {FEWEST_UNITS} in each of two values"
        if any(level.level.is_separate for level in levels):
            needed += f", and {FEWEST_IN_GROUP} in each group"
        n = sum(len(level.names) for level in levels)
        return InteractionRow(len(levels), f"{listed(few)}; {needed}", n, estimate=estimate, sides=_sides(levels))
    model = _level_model(tested, number, pair)
    if model.contrasts is None:
        reason = "users of different values searched different topics with each group, so topics and values cannot be separated"
        return InteractionRow(len(tested), reason)
    values = _values_of(tested)
    test = compare_strata(values, model.contrasts, model.stratum, _size(tested))
    if test is None:
        return InteractionRow(len(tested), _without_variance(tested))
    title = f"Welch's {'t' if len(tested) == 2 else 'F'}{', adjusted for topics' if model.has_topics else ''}"
    in_groups = (
        f" in all and {FEWEST_IN_GROUP} in each group" if any(level.level.is_separate for level in levels) else ""
    )
    note = f"left out: {listed(few)}; a test needs at least {FEWEST_UNITS}{in_groups}" if few else None
    return InteractionRow(len(tested), note, n, title, test, sides=_sides(tested))


@dataclass(frozen=True, eq=False)
class _LevelModel:
    """The regression of values on levels: its contrasts, the stratum of each value, and whether topics are in it."""

    contrasts: Contrasts | None
    stratum: np.ndarray
    has_topics: bool


def _values_of(levels: Sequence[LevelUnits]) -> np.ndarray:
    """The difference of each unit or, where groups are of different units, its value with its group."""
    parts = []
    for level in levels:
        if level.level.is_separate:
            parts += [column[np.isfinite(column)] for column in level.cells.T]
        else:
            parts.append(level.cells[:, 1] - level.cells[:, 0])
    return np.concatenate(parts)


def _level_model(levels: Sequence[LevelUnits], number: int, pair: tuple[int, int]) -> _LevelModel:
    """The regression of the values on the means of levels and on topics, and the contrasts of levels with the first one.

    A level of users' differences has one mean, the difference. A level with different users has two means, and the difference is the
    second less the first. Each mean has its stratum.
    """
    sizes: list[int] = []
    differences: list[dict[int, float]] = []
    for level in levels:
        if level.level.is_separate:
            differences.append({len(sizes): -1.0, len(sizes) + 1: 1.0})
            sizes += [int(count) for count in np.isfinite(level.cells).sum(axis=0)]
        else:
            differences.append({len(sizes): 1.0})
            sizes.append(len(level.names))
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    of_levels = np.array([[weights.get(mean, 0.0) for mean in range(len(sizes))] for weights in differences])
    contrasts = of_levels[1:] - of_levels[:1]
    means = np.eye(len(sizes))[stratum]
    topics = _topic_exposures(levels, number, pair)
    columns = np.hstack([means, topics])
    has_topics = np.linalg.matrix_rank(columns, tol=ROUNDING) > len(sizes)
    padded = np.hstack([contrasts, np.zeros((len(contrasts), topics.shape[1]))])
    return _LevelModel(Contrasts.of(columns, padded), stratum, bool(has_topics))


def _topic_exposures(levels: Sequence[LevelUnits], number: int, pair: tuple[int, int]) -> np.ndarray:
    """For each value of `_values_of` how much more of each topic the user searched with the second group than with the first.

    A user with topics 1, 2 with A and 3, 4 with B has -1/2, -1/2, 1/2, 1/2. Only crossovers have such columns: elsewhere users searched
    the same topics with both groups, or the comparison within a level does not adjust for topics either.
    """
    if not any(level.level.plan.layout == "crossed" for level in levels):
        return np.zeros((len(_values_of(levels)), 0))
    frames = [level.level.places(number).frame for level in levels]
    topics = pl.concat([frame["topic_id"].fill_null("") for frame in frames]).unique().sort()
    shares = [(pl.col("topic") == topic).mean().alias(f"t{place}") for place, topic in enumerate(topics)]
    parts = []
    for level, frame in zip(levels, frames, strict=True):
        if level.level.is_separate:
            parts.append(np.zeros((int(np.isfinite(level.cells).sum()), len(topics))))
            continue
        group = pl.Series("group", level.level.places(number).group)
        met = frame.select("user_id", topic=pl.col("topic_id").fill_null("")).with_columns(group)
        first, second = (met.filter(group=side).group_by("user_id").agg(shares) for side in pair)
        names = pl.DataFrame({"user_id": level.names})
        aligned = [names.join(side, on="user_id", how="left", maintain_order="left") for side in (first, second)]
        of_first, of_second = (side.drop("user_id").to_numpy() for side in aligned)
        parts.append(of_second - of_first)
    return np.vstack(parts)


def _compare_same_units(levels: Sequence[LevelUnits], n_units: int) -> InteractionRow:
    """Compare the differences of units that met both groups in every level: paired t, or Hotelling's T squared."""
    differences = [dict(zip(level.names, level.cells[:, 1] - level.cells[:, 0], strict=True)) for level in levels]
    names = sorted(set.intersection(*map(set, differences)))
    table = np.array([[of_level[name] for of_level in differences] for name in names])
    test = compare_vectors([table[:, 1:] - table[:, :1]], [1.0], _size(levels))
    if test is None:
        return InteractionRow(len(levels), _without_variance(levels))
    population = levels[0].level.plan.population
    note = None if len(names) == n_units else f"{len(names):,} of {n_units:,} {population} were in all of its values"
    title = "paired t" if len(levels) == 2 else "Hotelling's T squared"
    return InteractionRow(len(levels), note, len(names), title, test, sides=_sides(levels))


def _compare_sequences(levels: Sequence[LevelUnits]) -> list[InteractionRow]:
    """Compare users' contrasts of levels between sequences; nothing where least squares over all users is to be used.

    Sequences of fewer than 4 users are left out, so that a few odd users do not make a contrast testable.
    """
    users = _sequences_of(levels)
    n_units = sum(len(sequence.values) for sequence in users)
    sequences = [sequence for sequence in users if len(sequence.values) >= FEWEST_UNITS]
    n = sum(len(sequence.values) for sequence in sequences)
    n_levels = len(levels)
    if n < ENOUGH * n_units or len(sequences) < 2:
        return []
    design = read_counterbalancing(sequences, n_levels)
    if design.n_within == n_levels - 1 and len(sequences) > 2:
        return []
    left_out = (
        f"{counted(n_units - n, 'user')} of sequences with fewer than {FEWEST_UNITS} left out" if n < n_units else ""
    )
    rows = []
    if design.n_within:
        samples = [sequence.values @ weights for sequence, weights in zip(sequences, design.within, strict=True)]
        roots = [float(np.sqrt(len(sequence.values))) for sequence in sequences]
        test = None
        if min(len(sample) for sample in samples) >= design.n_within + 2:
            test = compare_vectors(samples, roots, _size(levels))
        if test is None:
            reason = f"{_within_text(levels, design)}, but a sequence has too few users, or nothing varies"
            rows.append(InteractionRow(n_levels, reason))
        else:
            # one contrast has no natural unit here; an F without an estimate is enough
            test = replace(test, estimate=np.nan, se=np.nan)
            note = "; ".join(filter(None, [_within_text(levels, design), left_out])) or None
            rows.append(InteractionRow(n_levels, note, n, "Hotelling's T squared between sequences", test))
    if design.between is not None:
        rows.append(_compare_sequence_means(levels, sequences, design.between, left_out))
    return rows


def _sequences_of(levels: Sequence[LevelUnits]) -> list[UserSequence]:
    """The users by the groups that they met in the levels."""
    parts = []
    for place, level in enumerate(levels):
        unit, group = np.nonzero(np.isfinite(level.cells))
        names = pl.Series("user", level.names, dtype=pl.String).gather(unit)
        values = pl.Series("value", level.cells[unit, group])
        parts.append(pl.DataFrame([names, values]).with_columns(level=pl.lit(place), group=pl.Series(group)))
    cells = pl.concat(parts).sort("user", "level", "group")
    # a row per user: the cells as a text, such as "0-1 1-0", and the values in their order
    users = cells.group_by("user", maintain_order=True).agg(
        sequence=pl.format("{}-{}", "level", "group").str.join(" "), values="value"
    )
    sequences = []
    for of_sequence in users.partition_by("sequence", maintain_order=True):
        texts = [cell.split("-") for cell in of_sequence["sequence"][0].split()]
        table = of_sequence["values"].explode().to_numpy().reshape(-1, len(texts))
        sequences.append(UserSequence(tuple((int(level), int(group)) for level, group in texts), table))
    return sequences


def _compare_sequence_means(
    levels: Sequence[LevelUnits], sequences: Sequence[UserSequence], between: BetweenContrast, left_out: str
) -> InteractionRow:
    """Compare users' means between sequences, for the contrast of levels that is one with the sequences."""
    means = [sequence.values.mean(axis=1) for sequence in sequences]
    stratum = np.repeat(np.arange(len(means)), [len(of_sequence) for of_sequence in means])
    contrasts = Contrasts.of(np.eye(len(means))[stratum], between.weights[None, :])
    n = len(stratum)
    test = None if contrasts is None else compare_strata(np.concatenate(means), contrasts, stratum, _size(levels))
    minus, plus = (_names_of(levels, places) for places in (between.minus, between.plus))
    what = f"{plus} against {minus}" if plus else "the remaining contrast"
    note = f"{what}: compared between users of different sequences, who may differ themselves"
    note = "; ".join(filter(None, [note, left_out]))
    if test is None:
        return InteractionRow(len(levels), f"{note}; nothing varies to test it")
    if not plus:  # levels count with several weights, so that the estimate is no difference of means
        test = replace(test, estimate=np.nan, se=np.nan)
    return InteractionRow(len(levels), note, n, BETWEEN_USERS, test, sides=(minus, plus))


def _within_text(levels: Sequence[LevelUnits], design: Counterbalancing) -> str:
    """Say which contrasts of levels are tested within users; empty where all are."""
    if design.n_within == len(levels) - 1:
        return ""
    sets = [] if design.between is None else [design.between.minus, design.between.plus]
    # two sequences tell all contrasts within each of two sets of levels
    if sum(max(0, len(places) - 1) for places in sets) != design.n_within:
        return f"{design.n_within} of {len(levels) - 1} contrasts are tested within users"
    parts = [f"among {_names_of(levels, places)}" for places in sets if len(places) > 1]
    return f"{' and '.join(parts)}: tested within users"


def _names_of(levels: Sequence[LevelUnits], places: Sequence[int]) -> str:
    """Name some levels of the column."""
    if not places:
        return ""
    within = str(levels[0].level.sessions.within)
    return level_name(within, listed([level_name("", levels[place].level.value).strip() for place in places]))


def _fit_least_squares(levels: Sequence[LevelUnits], number: int, pair: tuple[int, int]) -> InteractionRow:
    """F of group x level beside unit, level and group; of a crossover within levels over sessions, beside topics too."""
    parts = []
    for place, level in enumerate(levels):
        if level.level.plan.layout == "crossed":
            places = level.level.places(number)
            of_pair = np.isin(places.group, pair)
            part = places.frame.select(unit="user_id", topic="topic_id").filter(pl.Series(of_pair))
            values, second = level.level.values(number)[of_pair], places.group[of_pair] == pair[1]
        else:
            unit, group = np.nonzero(np.isfinite(level.cells))
            part = pl.DataFrame({"unit": [level.names[at] for at in unit], "topic": [str(place)] * len(unit)})
            values, second = level.cells[unit, group], group == 1
        parts.append(part.with_columns(value=values, second=pl.Series(second).cast(pl.Float64), level=pl.lit(place)))
    frame = pl.concat(parts)
    population, n_levels = levels[0].level.plan.population, len(levels)
    effects = Effects(*(coded(frame.get_column(name).fill_null(""))[0] for name in ("unit", "topic")))
    if not effects.feasible:
        return InteractionRow(n_levels, f"too many {population} and topics for least squares")
    of_level, second = indicators(frame["level"].to_numpy(), n_levels), frame["second"].to_numpy()[:, None]
    values, nuisance, interaction = (
        effects.without(columns)
        for columns in (frame["value"].to_numpy()[:, None], np.hstack([of_level, second]), of_level * second)
    )
    test = _f_of_columns(values[:, 0], nuisance, interaction, n_removed=effects.rank)
    if test is None:
        return InteractionRow(n_levels, f"{population} and groups leave nothing, or no error, to tell it by")
    return InteractionRow(n_levels, None, frame["unit"].n_unique(), "least squares", test, sides=_sides(levels))


def _f_of_columns(
    values: np.ndarray, nuisance: np.ndarray, columns: np.ndarray, *, n_removed: int
) -> ContrastTest | None:
    """F of some columns beside others, after so many effects were removed; None where they cannot be told apart."""
    nuisance_basis = _orthonormal(nuisance)
    left, rest = (
        columns - nuisance_basis @ (nuisance_basis.T @ columns),
        values - nuisance_basis @ (nuisance_basis.T @ values),
    )
    basis = _orthonormal(left)
    df, df_error = columns.shape[1], len(values) - n_removed - nuisance_basis.shape[1] - columns.shape[1]
    if basis.shape[1] < df or df_error < 1:
        return None
    explained = float(((basis.T @ rest) ** 2).sum())
    error = (float(rest @ rest) - explained) / df_error
    if not error > ROUNDING**2 * float(values @ values):
        return None
    if df > 1:
        return ContrastTest(explained / df / error, df, df_error)
    length = float(left[:, 0] @ left[:, 0])
    estimate, se = float(left[:, 0] @ rest) / length, float(np.sqrt(error / length))
    return ContrastTest(explained / error, 1, df_error, estimate, se)


def _orthonormal(columns: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the same space."""
    vectors, lengths, _ = np.linalg.svd(columns, full_matrices=False)
    basis: np.ndarray = vectors[:, lengths > ROUNDING]
    return basis


def _sides(levels: Sequence[LevelUnits]) -> tuple[str, str] | tuple[None, None]:
    """The names of two levels, of which the second's difference less the first's is estimated."""
    return (levels[0].level.name, levels[1].level.name) if len(levels) == 2 else (None, None)


def _size(levels: Sequence[LevelUnits]) -> float:
    """How large the values are from which differences are worked out."""
    return max(float(np.nanmax(np.abs(level.cells))) for level in levels)


def _without_variance(levels: Sequence[LevelUnits]) -> str:
    """Say that nothing varies."""
    return f"the difference does not vary enough between {levels[0].level.plan.population} for an error term"


SMALLEST_LENGTH = 1e-8
"""Singular values below this share of the largest are rounding."""
SMALLEST_VARIANCE = 1e-9
"""A stratum's variance is at least this share of the largest one, so that its weight stays finite."""
MOST_STEPS, CONVERGED = 200, 1e-9
"""The estimates of variances take at most so many steps, and end where they change by no larger share."""


@dataclass(frozen=True)
class ContrastTest:
    """The F test that all contrasts are 0; a single contrast has an estimate and its standard error, too."""

    statistic: float
    df: float
    df_error: float
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


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Contrasts of the coefficients of a least-squares fit, written for orthonormal columns.

    Parameters
    ----------
    basis
        Orthonormal columns that span the model, a row per value.
    weights
        A row per contrast: what it takes of the coefficient of each column of ``basis``.
    """

    basis: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, columns: np.ndarray, contrasts: np.ndarray) -> Contrasts | None:
        """Return contrasts of the coefficients of these columns; None where the columns cannot tell the contrasts.

        Columns may depend on each other, as the shares of topics do, which add up to 0.
        """
        basis, lengths, directions = np.linalg.svd(columns, full_matrices=False)
        rank = int((lengths > SMALLEST_LENGTH * max(1.0, lengths.max(initial=0.0))).sum())
        directions = directions[:rank]
        # a contrast can be told if it lies in the space of the rows of the model
        if not np.allclose(contrasts @ directions.T @ directions, contrasts, atol=1e-7):
            return None
        return cls(basis[:, :rank], contrasts @ directions.T / lengths[:rank])

    def estimate(self, values: np.ndarray) -> np.ndarray:
        """The contrasts by ordinary least squares."""
        estimates: np.ndarray = self.weights @ (self.basis.T @ values)
        return estimates


def compare_strata(values: np.ndarray, contrasts: Contrasts, stratum: np.ndarray, size: float) -> ContrastTest | None:
    """Test contrasts of a least-squares fit where each stratum of the values has a variance of its own.

    The estimates are those of ordinary least squares. The variances are those of REML (Patterson and Thompson 1971). Their
    covariances, twice the inverse of the information, give Satterthwaite's degrees of freedom for one contrast, and those of
    Johansen's (1980) F for several. Without covariates these are Welch's t (1938) and Welch's F (1951), exactly.

    Parameters
    ----------
    values
        The values, such as the differences of users.
    contrasts
        What is tested.
    stratum
        The stratum of each value, as a number from 0, such as the level of a user.
    size
        How large the numbers are that the values were worked out from: a spread that is rounding of these is none.

    Returns
    -------
    ContrastTest or None
        None where nothing varies within the strata.

    Examples
    --------
    Means 2 and 5 with variances 1 and 4 of 3 values each: t = 3 / sqrt(1/3 + 4/3), squared 5.4; df = (5/3)^2 / (1/9 + 16/9) * 2.

    >>> values, stratum = np.array([1.0, 2.0, 3.0, 3.0, 5.0, 7.0]), np.array([0, 0, 0, 1, 1, 1])
    >>> contrasts = Contrasts.of(np.eye(2)[stratum], np.array([[-1.0, 1.0]]))
    >>> test = compare_strata(values, contrasts, stratum, size=7.0)
    >>> round(test.estimate, 9), round(test.statistic, 6), round(test.df_error, 6)
    (3.0, 5.4, 2.941176)
    """
    unit = float(np.abs(values).max(initial=0.0)) or 1.0  # squares of very large or small values would leave the range
    scaled = values / unit
    fit = _fit_variances(scaled, contrasts.basis, stratum)
    if fit is None or np.sqrt(fit.variances.max()) * unit <= CONSTANT * size:
        return None
    estimates = contrasts.estimate(scaled)
    by_stratum = np.einsum("pq,gqr,sr->gps", contrasts.weights, fit.products, contrasts.weights)
    covariance = np.einsum("g,gps->ps", fit.variances, by_stratum)
    squared, correction = _wald(estimates, covariance, by_stratum, fit.covariances)
    p = len(estimates)
    divisor = p + 2 * correction - 6 * correction / (p + 2)  # 1 for a single contrast
    df_error = max(1.0, p * (p + 2) / (3 * correction))
    if p > 1:
        return ContrastTest(squared / divisor, p, df_error)
    return ContrastTest(squared, 1, df_error, float(estimates[0]) * unit, float(np.sqrt(covariance[0, 0])) * unit)


def compare_vectors(samples: Sequence[np.ndarray], weights: Sequence[float], size: float) -> ContrastTest | None:
    """Test that a weighted sum of the mean vectors of samples is 0, each sample with a covariance of its own.

    One sample gives Hotelling's T squared, two of one column Welch's t. Elsewhere the degrees of freedom are those of Krishnamoorthy and Yu
    (2004, Statistics & Probability Letters 66, 161-169), which pool nothing.

    Parameters
    ----------
    samples
        A row per unit, a column per contrast.
    weights
        The weight of each sample's mean.
    size
        How large the numbers are that the contrasts were worked out from.

    Returns
    -------
    ContrastTest or None
        None where units are too few, or a contrast does not vary.

    Examples
    --------
    >>> differences = np.array([[1.0], [2.0], [3.0]])
    >>> test = compare_vectors([differences], [1.0], size=3.0)
    >>> round(test.statistic, 6), test.df_error, test.estimate  # t = 2 / (1 / sqrt(3)), squared 12
    (12.0, 2.0, 2.0)
    """
    unit = max(float(np.abs(sample).max(initial=0.0)) for sample in samples) or 1.0
    samples = [sample / unit for sample in samples]
    p = samples[0].shape[1]
    if min(len(sample) for sample in samples) < 2:
        return None
    estimates = sum(weight * sample.mean(axis=0) for weight, sample in zip(weights, samples, strict=True))
    by_sample = np.array(
        [
            weight**2 * np.atleast_2d(np.cov(sample.T)) / len(sample)
            for weight, sample in zip(weights, samples, strict=True)
        ]
    )
    covariance = by_sample.sum(axis=0)
    spreads = np.sqrt(np.maximum(np.linalg.eigvalsh(covariance), 0))  # rounding may leave less than 0
    if not spreads.min() * unit > CONSTANT * size or spreads.min() < SMALLEST_LENGTH * spreads.max():
        return None
    precisions = np.diag([2 / (len(sample) - 1) for sample in samples])
    squared, correction = _wald(estimates, covariance, by_sample, precisions)
    df = p * (p + 1) / (2 * correction)
    df_error = df - p + 1
    if df_error <= 0:
        return None
    if p > 1:
        return ContrastTest(squared * df_error / (df * p), p, df_error)
    return ContrastTest(squared, 1, df_error, float(estimates[0]) * unit, float(spreads[0]) * unit)


def _wald(
    estimates: np.ndarray, covariance: np.ndarray, parts: np.ndarray, part_covariances: np.ndarray
) -> tuple[float, float]:
    """Wald's statistic, and how much it varies because its covariance is estimated.

    The covariance is a sum of parts with estimated factors, whose covariances are given. For one contrast the second number is the
    squared coefficient of variation of its variance, halved: 1 / df of Satterthwaite.
    """
    precision = np.linalg.inv(covariance)
    shares = precision @ parts
    traces = np.einsum("gii->g", shares)
    squares = np.einsum("gij,hji->gh", shares, shares)
    correction = float((part_covariances * (np.outer(traces, traces) + squares)).sum()) / 4
    return float(estimates @ precision @ estimates), correction


@dataclass(frozen=True, eq=False)
class _VarianceFit:
    """The variance of each stratum, their covariances, and the cross products of each stratum's rows of the model."""

    variances: np.ndarray
    covariances: np.ndarray
    products: np.ndarray


def _fit_variances(values: np.ndarray, basis: np.ndarray, stratum: np.ndarray) -> _VarianceFit | None:
    """Estimate the variance of each stratum by REML, of values of size 1; None where nothing varies.

    At the maximum a stratum's variance is its residual sum of squares, of the fit weighted by 1 / variance, over the number of its
    values less the columns that it pays for: sum of squares / (n - h), where all h add up to the number of columns.
    """
    counts = np.bincount(stratum).astype(float)
    n_strata = len(counts)
    rows = [stratum == number for number in range(n_strata)]
    products = np.array([basis[row].T @ basis[row] for row in rows])
    sums = np.array([basis[row].T @ values[row] for row in rows])
    residuals = values - basis @ sums.sum(axis=0)
    variances = np.bincount(stratum, weights=residuals**2) / counts
    if variances.max() <= CONSTANT**2:  # the largest value is 1, so what is left is rounding
        return None
    for _ in range(MOST_STEPS):
        variances = np.maximum(variances, SMALLEST_VARIANCE * variances.max())
        inverse = np.linalg.inv(np.einsum("g,gqr->qr", 1 / variances, products))
        residuals = values - basis @ (inverse @ (sums / variances[:, None]).sum(axis=0))
        paid = np.einsum("qr,grq->g", inverse, products) / variances
        free = np.maximum(counts - paid, SMALLEST_VARIANCE)
        before, variances = variances, np.bincount(stratum, weights=residuals**2) / free
        if np.abs(variances - before).max() <= CONVERGED * before.max():
            break
    variances = np.maximum(variances, SMALLEST_VARIANCE * variances.max())
    inverse = np.linalg.inv(np.einsum("g,gqr->qr", 1 / variances, products))
    # Half the trace of (P D_g P D_h) is the information on two variances; in units of each variance it is a number near n / 2.
    shares = inverse @ products / variances[:, None, None]
    information = np.einsum("gij,hji->gh", shares, shares) / 2
    information[np.diag_indices(n_strata)] += counts / 2 - np.einsum("gii->g", shares)
    relative = np.linalg.pinv(information, rcond=1e-12, hermitian=True)
    return _VarianceFit(variances, relative * np.outer(variances, variances), products)
