"""Whether the difference of two groups depends on a column, such as skill: the test that units and levels support."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from sessionkit.display.numbers import counted, listed
from sessionkit.statistics.comparison_statements import BETWEEN_USERS, level_name
from sessionkit.statistics.contrasts import Contrasts, ContrastTest, compare_strata, compare_vectors
from sessionkit.statistics.corrections import Options, corrected
from sessionkit.statistics.design import BetweenContrast, Counterbalancing, UserSequence, read_counterbalancing
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
"""Columns for the statements: the levels whose difference of groups the estimate takes away, and those that it adds."""
REASON = pl.Struct(
    {
        **dict.fromkeys(("reason", "test", "usable"), pl.String()),
        **dict.fromkeys(
            ("units", "of_units", "least", "least_in_group", "contrasts", "of_contrasts", "left_out"), pl.Int64()
        ),
        "few": pl.List(pl.Struct({"level": pl.String(), "n": pl.Int64(), "in_groups": pl.List(pl.Int64())})),
    }
)
"""What a note of an interaction says, as data: ``reason`` is a short code, the rest is null unless it is about it."""
ROWS = pl.Schema({**INTERACTION, **dict.fromkeys(SIDES, pl.String()), "why": REASON})
"""The table with columns for the statements."""
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
    def in_groups(self) -> list[int] | None:
        """The units of each group, where these are of different units."""
        return np.isfinite(self.cells).sum(axis=0).tolist() if self.level.is_separate else None

    @property
    def how_many(self) -> str:
        """The level and its number of units."""
        units = counted(len(self.names), self.level.plan.population.removesuffix("s"))
        if self.in_groups is None:
            return f"{self.level.name} has {units}"
        return f"{self.level.name} has {units}, {' and '.join(map(str, self.in_groups))} in the groups"

    @property
    def counts(self) -> dict[str, Any]:
        """The same as data."""
        return {"level": self.level.name, "n": len(self.names), "in_groups": self.in_groups}


@dataclass(frozen=True)
class InteractionNote:
    """Why an interaction is not tested, or what is to be said of its test: a sentence without its end, and what it says as data.

    ``values`` are some of the fields of `REASON`.
    """

    reason: str
    text: str
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def row(self) -> dict[str, Any]:
        """All fields of `REASON`."""
        return dict.fromkeys(field.name for field in REASON.fields) | {"reason": self.reason} | dict(self.values)


@dataclass(frozen=True)
class InteractionRow:
    """One row of the table of interactions: a test by its name, or an estimate alone, or a note that says why there is none."""

    n_levels: int
    note: InteractionNote | None = None
    n: int | None = None
    title: str | None = None
    test: ContrastTest | None = None
    estimate: float | None = None
    sides: tuple[str, str] | tuple[None, None] = (None, None)

    @property
    def noted(self) -> tuple[object, ...]:
        """The columns ``note``, `SIDES` and ``why``."""
        text, why = (None, None) if self.note is None else (self.note.text, self.note.row)
        return text, *self.sides, why


def interactions(levels: Sequence[ComparedLevel], options: Options) -> pl.DataFrame:
    """Test for every measure and pair of groups whether their difference is the same in all levels.

    The test follows from which units are in which levels:

    1. Each unit is in one level, such as users of one skill. The differences of users (of groups with different users, their values) are
       regressed on the level and on how much more of each topic a user searched with the second group than with the first
       (in a crossover). Each level has a variance of its own. Without topics this is Welch's t or F
       (`sessionkit.statistics.contrasts.compare_strata`). The levels may have different designs: a level where users met
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
            records.append((*key, row.estimate, *[None] * 7, row.n, row.n_levels, None, *row.noted))
            continue
        has_estimate = np.isfinite(test.estimate)
        ends = adjusted.interval(place, test.interval, test.estimate) if has_estimate else (np.nan, np.nan)
        numbers = (test.estimate, *ends, test.statistic, test.df, test.df_error, test.p, adjusted.p[place])
        finite = [value if np.isfinite(value) else None for value in numbers]
        records.append((*key, *finite, row.n, row.n_levels, row.title, *row.noted))
        place += 1
    return pl.DataFrame(records, schema=ROWS, orient="row")


def _compare_levels(levels: Sequence[LevelUnits], number: int, pair: tuple[int, int]) -> list[InteractionRow]:
    """Choose the test for one measure and pair of groups by which units are in which levels."""
    levels = [level for level in levels if np.isfinite(level.cells).any(axis=0).all()]
    n_levels = len(levels)
    if n_levels < 2:
        note = InteractionNote("few values", "fewer than two of its values have units of both groups")
        return [InteractionRow(n_levels, note)]
    plan = levels[0].level.plan
    without_error = next((level.level.plan for level in levels if not _has_standard_error(level.level.plan)), None)
    if without_error is not None:
        usable = "t" if without_error.layout == "blocked" else "welch"
        text = f"{without_error.title} has no standard error of a difference; test={usable} would do"
        note = InteractionNote("no standard error", text, {"test": without_error.test.name, "usable": usable})
        return [InteractionRow(n_levels, note)]
    in_several = pl.Series([name for level in levels for name in level.names]).value_counts()["count"]
    n_units, in_all = len(in_several), int((in_several == n_levels).sum())
    if n_units == in_several.sum():
        return [_compare_different_units(levels, number, pair)]
    layouts = {level.level.plan.layout for level in levels}
    # least squares uses every unit of several levels; other tests need units of all of them
    usable_share = int((in_several > 1).sum()) if layouts == {"separate"} else in_all
    if len(layouts) > 1 or usable_share < ENOUGH * n_units:
        text = f"{in_all:,} of {n_units:,} {plan.population} were in all of its values, and others in one or some"
        note = InteractionNote("units in some values", text, {"units": in_all, "of_units": n_units})
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
    few = [level for level in levels if not level.can_be_tested]
    is_separate = any(level.level.is_separate for level in levels)
    named_few = listed([level.how_many for level in few]) if few else ""
    of_few = {
        "few": [level.counts for level in few],
        "least": FEWEST_UNITS,
        "least_in_group": FEWEST_IN_GROUP if is_separate else None,
    }
    n = sum(len(level.names) for level in tested)
    if len(tested) < 2:
        estimate = None
        if len(levels) == 2:
            contrasts = _level_model(levels, number, pair).contrasts
            estimate = None if contrasts is None else float(contrasts.estimate(_values_of(levels))[0])
        needed = f"a test needs at least {FEWEST_UNITS} in each of two values"
        if is_separate:
            needed += f", and {FEWEST_IN_GROUP} in each group"
        n = sum(len(level.names) for level in levels)
        note = InteractionNote("few units", f"{named_few}; {needed}", of_few)
        return InteractionRow(len(levels), note, n, estimate=estimate, sides=_sides(levels))
    model = _level_model(tested, number, pair)
    if model.contrasts is None:
        reason = "users of different values searched different topics with each group, so topics and values cannot be separated"
        return InteractionRow(len(tested), InteractionNote("different topics", reason))
    values = _values_of(tested)
    test = compare_strata(values, model.contrasts, model.stratum, _size(tested))
    if test is None:
        return InteractionRow(len(tested), _without_variance(tested))
    title = f"Welch's {'t' if len(tested) == 2 else 'F'}{', adjusted for topics' if model.has_topics else ''}"
    in_groups = f" in all and {FEWEST_IN_GROUP} in each group" if is_separate else ""
    text = f"left out: {named_few}; a test needs at least {FEWEST_UNITS}{in_groups}"
    left_out = InteractionNote("values left out", text, of_few) if few else None
    return InteractionRow(len(tested), left_out, n, title, test, sides=_sides(tested))


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
    text = f"{len(names):,} of {n_units:,} {population} were in all of its values"
    left_out = InteractionNote("units left out", text, {"units": len(names), "of_units": n_units})
    note = None if len(names) == n_units else left_out
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
    contrasts = {"contrasts": design.n_within, "of_contrasts": n_levels - 1, "left_out": n_units - n}
    if design.n_within:
        samples = [sequence.values @ weights for sequence, weights in zip(sequences, design.within, strict=True)]
        roots = [float(np.sqrt(len(sequence.values))) for sequence in sequences]
        test = None
        if min(len(sample) for sample in samples) >= design.n_within + 2:
            test = compare_vectors(samples, roots, _size(levels))
        if test is None:
            text = f"{_within_text(levels, design)}, but a sequence has too few users, or nothing varies"
            rows.append(InteractionRow(n_levels, InteractionNote("few users within", text, contrasts)))
        else:
            # one contrast has no natural unit here; an F without an estimate is enough
            test = replace(test, estimate=np.nan, se=np.nan)
            text = "; ".join(filter(None, [_within_text(levels, design), left_out]))
            note = InteractionNote("within users", text, contrasts) if text else None
            rows.append(InteractionRow(n_levels, note, n, "Hotelling's T squared between sequences", test))
    if design.between is not None:
        between = InteractionNote("between users", left_out, contrasts | {"contrasts": 1})
        rows.append(_compare_sequence_means(levels, sequences, design.between, between))
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
    levels: Sequence[LevelUnits], sequences: Sequence[UserSequence], between: BetweenContrast, left_out: InteractionNote
) -> InteractionRow:
    """Compare users' means between sequences, for the contrast of levels that is one with the sequences.

    ``left_out`` says which users are left out, and is empty where none are.
    """
    means = [sequence.values.mean(axis=1) for sequence in sequences]
    stratum = np.repeat(np.arange(len(means)), [len(of_sequence) for of_sequence in means])
    contrasts = Contrasts.of(np.eye(len(means))[stratum], between.weights[None, :])
    n = len(stratum)
    test = None if contrasts is None else compare_strata(np.concatenate(means), contrasts, stratum, _size(levels))
    minus, plus = (_names_of(levels, places) for places in (between.minus, between.plus))
    what = f"{plus} against {minus}" if plus else "the remaining contrast"
    text = f"{what}: compared between users of different sequences, who may differ themselves"
    note = replace(left_out, text="; ".join(filter(None, [text, left_out.text])))
    if test is None:
        note = replace(note, reason="no variance between", text=f"{note.text}; nothing varies to test it")
        return InteractionRow(len(levels), note)
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
        return InteractionRow(
            n_levels, InteractionNote("too many", f"too many {population} and topics for least squares")
        )
    of_level, second = indicators(frame["level"].to_numpy(), n_levels), frame["second"].to_numpy()[:, None]
    values, nuisance, interaction = (
        effects.without(columns)
        for columns in (frame["value"].to_numpy()[:, None], np.hstack([of_level, second]), of_level * second)
    )
    test = _f_of_columns(values[:, 0], nuisance, interaction, n_removed=effects.rank)
    if test is None:
        text = f"{population} and groups leave nothing, or no error, to tell it by"
        return InteractionRow(n_levels, InteractionNote("not separable", text))
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


def _without_variance(levels: Sequence[LevelUnits]) -> InteractionNote:
    """Say that nothing varies."""
    population = levels[0].level.plan.population
    return InteractionNote("no variance", f"the difference does not vary enough between {population} for an error term")
