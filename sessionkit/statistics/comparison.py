"""The finding of a comparison: its table, and its reading in plain language."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import Any

import polars as pl

from sessionkit.display.numbers import counted, interval_text, level_text, listed, p_text, readable, share_text
from sessionkit.display.statements import Statement
from sessionkit.display.tables import HEADERS, TextTable, heading, table_of
from sessionkit.scoring.measures.base import Direction
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.statistics.corrections import Family
from sessionkit.statistics.distributions import less
from sessionkit.statistics.findings import (
    NOT_SHOWN,
    NOT_SHOWN_CORRECTED,
    UNADJUSTED,
    TestedFinding,
    detectable_text,
    more_in_table,
)
from sessionkit.statistics.paper_tables import (
    are_paired,
    claim_text,
    corrected_text,
    pair_table,
    range_text,
    significance_note,
    with_unit,
    worded,
)
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.statistics.units import Aligned
from sessionkit.statistics.verdict import is_shown

TABLE = pl.Schema(
    {
        **dict.fromkeys(("measure", "a", "b"), pl.String()),
        **dict.fromkeys(("n_a", "n_b"), pl.Int64()),
        **dict.fromkeys(("estimate", "low", "high", "statistic", "df", "p", "p_adjusted"), pl.Float64()),
        **dict.fromkeys(("effect", "effect_low", "effect_high", "relative"), pl.Float64()),
        "mark": pl.String(),
        **dict.fromkeys(("mean_a", "mean_b", "raw_difference"), pl.Float64()),
        **dict.fromkeys(("wins", "ties", "losses"), pl.Int64()),
        **dict.fromkeys(("detectable", "sd"), pl.Float64()),
    }
)
OVERALL = pl.Schema(
    {
        "measure": pl.String(),
        "test": pl.String(),
        **dict.fromkeys(("statistic", "df", "df_error", "p"), pl.Float64()),
    }
)
UNITS = pl.Schema(
    {
        **dict.fromkeys(("measure", "unit", "group"), pl.String()),
        "value": pl.Float64(),
        "adjusted": pl.Boolean(),
    }
)
"""Units, where ``group`` stands for the column that makes the groups."""
NO_VERDICT = pl.Schema(dict.fromkeys(("measure", "a", "b", "why"), pl.String()))
DROPPED = pl.Schema({"measure": pl.String(), "what": pl.String(), "count": pl.Int64()})


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(TestedFinding):
    """Groups of sessions compared; made by `sessionkit.compare`.

    Parameters
    ----------
    table
        A row per measure and pair of groups, differences are b minus a: `within`, ``measure``, ``a``, ``b``; ``n_a``, ``n_b``
        (units of each). What belongs together: ``estimate`` (of the estimand) with its interval ``low`` to ``high`` (null:
        without end), ``statistic``, ``df``, ``p`` and ``p_adjusted``, ``effect``, ``effect_low``, ``effect_high``, and
        ``relative`` (the estimate as a share of a's mean; null where that mean is within four of its standard errors
        over units of 0) with Sparck Jones' ``mark`` (``material`` above 10%, ``noticeable`` from 5%, else ``not
        noticeable``). What was averaged, unadjusted: ``mean_a``, ``mean_b``, ``raw_difference``. Then ``wins``,
        ``ties``, ``losses`` (units for b, for neither, for a; of a crossover, users by their values in `units`,
        adjusted for topics); ``detectable``: the true difference that this comparison would find with a chance of .8,
        by the noncentral t (null where it is greater than any that the measure can have; ends of an interval are null
        where it is wider than all of them); ``sd``: of the values of all sessions around the means of these two
        groups, pooled, by which differences of several measures stand on one scale (null where the estimate is not in
        the measure's units). Null where there is nothing to test; a note says why.
    overall
        Tests of all groups at once, where there are more than two: ``measure``, ``test``, ``statistic``, ``df``,
        ``df_error``, ``p``.
    interaction
        Whether the difference of two groups is the same in all levels of ``within``: ``measure``, ``a``, ``b``; of two levels
        ``estimate``, the second's difference less the first's, with its interval ``low`` to ``high``; ``statistic`` (F), ``df``,
        ``df_error``, ``p`` and ``p_adjusted`` (over the rows of this table), of ``n`` units in so many ``levels`` by a ``test``. A
        ``note`` says why it is not tested, what is left out, or which contrasts of levels a row is about: where users are
        counterbalanced in two sequences, a second row compares the users of these. Empty where nothing is compared within levels.
    order
        Period and carry-over: ``measure``, ``check``, ``statistic`` (F), ``df``, ``df_error``, ``p``, ``p_adjusted`` (by
        Holm's method over the rows of this table); empty where the order of sessions is unknown. A user's previous
        session need not be among those compared.
    groups
        Each group by itself: ``measure``, the column that makes the groups, ``sessions`` and ``units`` with a value, ``mean`` of
        its sessions with the interval ``low`` to ``high`` over units (of itself, corrected for nothing), ``sd`` of the values of
        its sessions.
    units
        What was compared: ``measure``, ``unit`` (its id), the column that makes the groups, ``value`` (the mean of its
        sessions), ``adjusted`` (whether the means of topics are taken out, as in a crossover). Empty for a measure of more
        than 10,000 units.
    dropped
        What was left out: ``measure``, ``what``, ``count``.
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    design, population, claim, estimand
        The design as read from the data, what the claim goes beyond, whom it is about, and what is estimated.
    test, effect
        The test and the effect size, by their whole names.
    notes
        What a reader of the numbers should know.
    by, within, correction, confidence, draws, seed
        As asked for.
    family
        The p-values that were corrected together: ``number``, ``correction``, ``at_once`` (each for all pairs of a
        measure), and ``told``, which says it.
    interval_rate
        Error rate of each interval: less than alpha where they hold together; alpha with Holm's correction, whose intervals
        are unadjusted.
    no_verdict
        Rows of ``table`` on which no verdict may be given, and ``why``: fewer than 6 pairs, or fewer than half of the units,
        have a value.
    directions
        Which values of a measure are better, by its text; without those that only their text names.
    equivalence
        The bands of practical equivalence that the study declares, by the text of the measure and in its units: differences between
        -band and band are too small to matter.
    """

    table: pl.DataFrame
    overall: pl.DataFrame
    interaction: pl.DataFrame
    order: pl.DataFrame
    groups: pl.DataFrame
    units: pl.DataFrame
    dropped: pl.DataFrame
    statements: tuple[Statement, ...]
    design: str
    population: str
    claim: str
    estimand: str
    test: str
    effect: str
    by: str
    within: str | None
    correction: str
    confidence: float
    family: Family
    interval_rate: float
    draws: int
    seed: int
    notes: tuple[str, ...] = field(default=())
    no_verdict: pl.DataFrame = field(default_factory=NO_VERDICT.to_frame)
    directions: Mapping[str, Direction] = field(default_factory=dict)
    equivalence: Mapping[str, float] = field(default_factory=dict)

    @property
    def with_reasons(self) -> pl.DataFrame:
        """``table`` and, of each row, ``why`` no verdict may be given; null where one may."""
        return with_reasons(self.table, self.no_verdict)

    def direction(self, measure: str) -> MeasureDirection:
        """Which values of one of its measures are better."""
        return MeasureDirection.named(measure, self.directions)

    @property
    def shown(self) -> pl.DataFrame:
        """The rows of ``table`` whose difference is shown: p_adjusted is at most alpha, and a verdict may be given."""
        return self.with_reasons.filter(is_shown(self.alpha)).drop("why")

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name; ``table`` is ``pairs``, and ``settings`` are names and values."""
        names = ["design", "population", "claim", "estimand", "test", "effect", "by"]
        names += ["correction", "confidence"] if self.within is None else ["within", "correction", "confidence"]
        names += ["interval_rate", "draws", "seed"]
        settings = self.settings_table(names)
        within = {} if self.within is None else {"interaction": self.interaction}
        return {
            "pairs": self.table,
            "overall": self.overall,
            **within,
            "order": self.order,
            "groups": self.groups,
            "units": self.units,
            "dropped": self.dropped,
            "made_with": settings,
        }

    def unit_differences(self, measure: str, first: str, second: str) -> pl.DataFrame:
        """Return the units with a value of both groups, within each level where groups are compared within levels.

        Parameters
        ----------
        measure
            One of the measures compared.
        first, second
            The two groups.

        Returns
        -------
        polars.DataFrame
            The column `within` if there is one, ``unit``, ``a`` and ``b`` (the values of both groups, as in ``units``) and
            ``difference`` (b minus a).
        """
        keys = ["unit"] if self.within is None else [self.within, "unit"]
        units = self.units.filter(pl.col("measure") == measure)
        a, b = (
            units.filter(pl.col(self.by) == group).select(*keys, pl.col("value").alias(side))
            for side, group in (("a", first), ("b", second))
        )
        return a.join(b, on=keys, maintain_order="left").with_columns(difference=less(pl.col("b"), pl.col("a")))

    def paper_table(self) -> TextTable:
        """The comparison as papers print it, significance marked and no mean singled out for being larger.

        Of two groups a row per measure: means, difference, interval, p, n. Of more a row per group with its means, and letters
        that name the groups from which each differs.
        """
        groups = [*dict.fromkeys([*self.table["a"], *self.table["b"]])]
        return self._of_pair(*groups) if len(groups) == 2 else self._of_many(groups)

    def _of_pair(self, first: str, second: str) -> TextTable:
        """A row per measure."""
        caption = f"{second} minus {first}, by {worded([self.by])}{self._levels}: {self._how}"
        lead = ["measure"] if self.within is None else [self.within, "measure"]
        endless = self.table.filter(pl.col("low").is_null(), pl.col("high").is_null()).drop_nulls(["p", "sd"])
        few = "No interval stands where units are too few to bound it. " if len(endless) else ""
        note = f"{self._not_raw}{few}{claim_text(self.claim)}{self._depends}{withheld_text(self.no_verdict)}"
        return pair_table(
            self.with_reasons,
            caption,
            note,
            self.confidence,
            lead,
            difference=self.estimate_heading,
            family=self.family,
        )

    @property
    def estimate_heading(self) -> str:
        """What a column of estimates is called: differences, unless they are others than those of the raw means."""
        if not any(map(is_adjusted, self._estimated)):
            return "Difference"
        return "Adjusted difference" if ADJUSTED in self.estimand else "Estimate"

    @property
    def _not_raw(self) -> str:
        """What the estimate is where it is not the difference of the raw means, and by which measures the two have opposite signs."""
        if self.estimate_heading == "Difference":
            return ""
        told = f"Means are raw; the {self.estimate_heading.lower()} is the {self.estimand}. "
        opposite = [row["measure"] for row in self._estimated if opposite_text(row, adjusted=True)]
        of = f" by {listed([*dict.fromkeys(opposite)])}" if 0 < len(opposite) < len(self._estimated) else ""
        return f"{told}The raw difference{of} has the opposite sign. " if opposite else told

    @property
    def _estimated(self) -> list[dict[str, Any]]:
        """The rows with an estimate."""
        return self.table.drop_nulls(["estimate", "raw_difference"]).rows(named=True)

    def _of_many(self, groups: list[str]) -> TextTable:
        """A row per group, of each level where groups are compared within some."""
        letters = dict(zip(groups, ascii_lowercase, strict=False))
        measures = self.table["measure"].unique(maintain_order=True).to_list()
        levels = [] if self.within is None else [self.within]
        table = self.with_reasons
        parts = table.partition_by(levels, maintain_order=True) if levels else [table]
        rows: list[dict[str, object]] = []
        marks: dict[tuple[int, int], str] = {}
        for part in parts:
            means = {(row["measure"], row[side]): row[f"mean_{side}"] for row in part.rows(named=True) for side in "ab"}
            found = part.filter(is_shown(self.alpha)).select("measure", "a", "b").rows()
            for group in groups:
                for place, measure in enumerate(measures, len(levels) + 2):
                    others = {a if b == group else b for of, a, b in found if of == measure and group in (a, b)}
                    if others:
                        marks[len(rows), place] = "".join(sorted(letters[other] for other in others))
                named = {level: part.item(0, level) for level in levels} | {"": letters[group], self.by: group}
                rows.append(named | {measure: means.get((measure, group)) for measure in measures})
        headers = HEADERS | {name: heading(name) for name in (*levels, self.by)} | {"": ""}
        headers |= {measure: with_unit(measure) for measure in measures}
        caption = f"Means by {worded([self.by])}{self._levels}: {self._how}"
        mark = "Letters name the groups from which a mean differs," if marks else ""
        told = "" if self.estimate_heading == "Difference" else f"Means are raw; letters go by the {self.estimand}. "
        note = significance_note(
            mark, self.alpha, f"{told}{claim_text(self.claim)}{self._depends}{withheld_text(self.no_verdict)}"
        )
        frame = pl.DataFrame(rows)
        return table_of(caption, frame, headers=headers, note=note, marks=marks, decimals=4, limit=len(frame))

    @property
    def _depends(self) -> str:
        """Whether the differences depend on the column within which they are, for a note."""
        tested = self.interaction.drop_nulls("p")
        named = {"measure": tested["measure"].n_unique() > 1, "pair": tested.select("a", "b").n_unique() > 1}
        found = []
        for row in tested.iter_rows(named=True):
            names = {"measure": row["measure"], "pair": f"{row['b']} minus {row['a']}"}
            of = "".join(f"{names[name]}, " for name, wanted in named.items() if wanted)
            between = ", between users" if row["test"] == BETWEEN_USERS else ""
            found.append(f"{of}{interaction_text(row)}{between}")
        told = f"{'; '.join(found)}{Family(len(found), self.correction).told}"
        return f" Interaction with {worded([str(self.within)])}: {told}." if found else ""

    @property
    def _levels(self) -> str:
        """Within what groups are compared, for a caption."""
        return f" within each {worded([self.within])}" if self.within else ""

    @property
    def _how(self) -> str:
        """The test, its correction and the units, for a caption."""
        sides, each = [self.table["n_a"], self.table["n_b"]], ""
        if are_paired(self.table) or self.table.select("a", "b").n_unique() > 1:
            sides, each = [pl.concat(sides)], "" if are_paired(self.table) else " in each group"
        n = " and ".join(map(range_text, sides))
        return f"{self.test}{corrected_text(self.family)}, n = {n} {self.population}{each}"


SAME = 1e-9
"""Share of a difference by which an estimate may differ from it and still be the same."""
ADJUSTED = "adjusted for user and topic"
"""What the difference of a crossover is, and the difference of raw means is not."""
MOST_ROWS = 12
"""Comparisons that are read out."""
BETWEEN_USERS = "Welch's t between users"
"""The test of a contrast of levels that only the means of users of different sequences tell."""
ORDER = {
    "period": "values depend on the position of a session among its user's sessions",
    "carry-over": "values depend on the group of the user's previous session, and comparing within users does not remove this",
}


@dataclass(frozen=True)
class ComparisonSetup:
    """What a comparison is made with, whom it is about, and what else is to be said of its groups.

    ``spans`` are the greatest differences that measures can have; ``ordered_by`` says what the order of sessions is
    known from, other than session_order, and ``unordered`` why it is not checked, where it would matter. ``plans`` are those of levels
    whose designs differ.
    """

    plan: ComparisonPlan
    about: str
    by: str
    family: Family
    within: str | None = None
    spans: Mapping[str, float] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()
    ordered_by: str = ""
    unordered: str = ""
    plans: Mapping[Any, ComparisonPlan] = field(default_factory=dict)

    def of_level(self, row: dict[str, Any]) -> ComparisonSetup:
        """The setup of the level of a row: levels of different designs have different tests."""
        return replace(self, plan=self.plans[row[self.within]]) if self.plans and self.within else self


def claim(
    population: str, *found: Aligned, within: str | None = None, levels: int = 1, topics_apart: bool = False
) -> str:
    """Say whom the claim is about: units like these; what else the sessions are made of is taken as it is.

    Parameters
    ----------
    population
        ``"users"``, ``"topics"`` or ``"sessions"``.
    found
        The sessions, of which measures and levels of a column may have different ones.
    within, levels
        That column, and how many levels it has, each of which the claim is about by itself.
    topics_apart
        Whether no topic was searched with several groups.
    """
    if not any(getattr(aligned, population) for aligned in found):
        return f"no {population}: none has a value in every group"
    users, topics = ([getattr(one, name) for one in found] for name in ("users", "topics"))
    each, apart = "", ", with different topics in each group" if topics_apart else ""
    if levels > 1:
        named = {"user_id": "users", "topic_id": "topics"}.get(str(within), f"values of {within}")
        each = f", in each of these {levels:,} {named} by itself"
    if population == "users":
        searched = "" if within == "topic_id" and each else _these("searching", topics, "topic") + apart
        return f"users like these {_range(users, 'user')}{searched}{each}"
    if population == "topics":
        searched = "" if within == "user_id" and each else _these("searched by", users, "user")
        return f"topics like these {_range(topics, 'topic')}{searched}{each}"
    sessions = [one.sessions for one in found]
    least = f"{min(sessions):,} to " if min(sessions) < max(sessions) else ""
    return f"sessions like these {least}{max(sessions):,}, assumed independent of each other{apart}{each}"


def _these(verb: str, counts: Sequence[int], one: str) -> str:
    """What else the sessions are made of; nothing where that is unknown."""
    return f", {verb} {'this' if max(counts) == 1 else 'these'} {_range(counts, one)}" if max(counts) else ""


def _range(counts: Sequence[int], one: str) -> str:
    """Counts of levels with their noun: one number where they agree, else the least and the most.

    >>> _range([4, 4], "topic"), _range([1200, 30], "user")
    ('4 topics', '30 to 1,200 users')
    """
    least, most = min(counts), max(counts)
    return counted(most, one) if least == most else f"{least:,} to {counted(most, one)}"


def estimand(plan: ComparisonPlan, column: str) -> str:
    """Say what the estimate and its interval are about."""
    if plan.layout == "crossed":
        return f"difference between values of {column} {ADJUSTED}, assumed the same for every user and topic"
    of = {
        "blocked": f"each {plan.population.removesuffix('s')}'s sessions averaged first",
        "separate": f"one mean per {plan.population.removesuffix('s')}",
    }
    return f"{plan.test.estimand} over {plan.population} ({of[plan.layout]})"


def lines(
    table: pl.DataFrame,
    overall: pl.DataFrame,
    interaction: pl.DataFrame,
    order: pl.DataFrame,
    *,
    notes: Sequence[str],
    no_verdict: pl.DataFrame,
    setup: ComparisonSetup,
) -> list[str]:
    """Return the sentences of a reading; of the rows of `no_verdict` they give numbers alone, and say why."""
    table = with_reasons(table, no_verdict)
    where = f"within each {setup.within}, " if setup.within else ""
    told = [f"Design: {where}{setup.plan.design.described}."]
    pairs = table.select("a", "b").n_unique()
    told.append(f"The claim is about {setup.about}.{_limits(setup, pairs)}")
    told += [f"{caution}." for caution in setup.cautions]
    told += [f"{_level(row, setup)}{_all_at_once(row)}" for row in overall.iter_rows(named=True)]
    told += [
        f"{_level(row, setup)}{_sentence(row, setup.of_level(row))}"
        for row in table.head(MOST_ROWS).iter_rows(named=True)
    ]
    told += more_in_table(table.height - MOST_ROWS, "comparison", "compare")
    told += _interactions(table, interaction, setup)
    told += [f"Note: {note}." for note in notes]
    told += _in_order(order, setup)
    of_interactions = Family(interaction.get_column("p").count(), setup.family.correction)
    if setup.family.has_unadjusted_intervals or of_interactions.has_unadjusted_intervals:
        told.append(UNADJUSTED)
    return told


def with_reasons(table: pl.DataFrame, no_verdict: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a comparison with ``why`` no verdict may be given on them, null where one may."""
    keys = [name for name in no_verdict.columns if name != "why"]
    return table.join(no_verdict, on=keys, how="left", nulls_equal=True, maintain_order="left")


def withheld_text(no_verdict: pl.DataFrame) -> str:
    """Say by which measures, and in which levels, no verdict may be given, and why, for a note; empty where all have one."""
    within = no_verdict.columns[: no_verdict.columns.index("measure")]
    rows = no_verdict.unique([*within, "measure", "why"], keep="first", maintain_order=True)
    return "".join(
        f" {''.join(f'{level_name(name, row[name])}: ' for name in within)}{row['measure']}: {row['why']}."
        for row in rows.iter_rows(named=True)
    )


def _level(row: dict[str, Any], setup: ComparisonSetup) -> str:
    """Name the level within which groups are compared, if any."""
    return f"{level_name(setup.within, row[setup.within])}: " if setup.within else ""


def _interactions(table: pl.DataFrame, interaction: pl.DataFrame, setup: ComparisonSetup) -> list[str]:
    """Say whether differences depend on the level, or why that is not tested."""
    within, alpha = setup.within, setup.plan.options.alpha
    if within is None or interaction.is_empty():
        return []
    tested = interaction.drop_nulls("p")
    family = Family(tested.height, setup.family.correction)
    n_values = table.get_column(within).n_unique()
    sentences = []
    for row in tested.head(MOST_ROWS).iter_rows(named=True):
        differences = _differences_by_level(table, row, within)
        over = f" over {row['levels']:,} of {n_values:,} values" if row["levels"] < n_values else ""
        text = f"{_pair(row, setup)}{_interaction(row, differences, family, alpha)}{over}"
        note = f" Note: {row['note']}." if row["note"] else ""
        is_part = interaction.filter(measure=row["measure"], a=row["a"], b=row["b"]).height > 1
        dependence = _dependence(row, within, alpha, " in these contrasts" if is_part else "")
        sentences.append(f"Interaction with {within}: {text}. {dependence}{note}")
    sentences += more_in_table(tested.height - MOST_ROWS, "interaction", "compare")
    untested = interaction.filter(pl.col("p").is_null())
    for (note,), rows in untested.group_by("note", maintain_order=True):
        measures = listed(rows.get_column("measure").unique(maintain_order=True).to_list())
        for row in rows.drop_nulls("estimate").head(MOST_ROWS).iter_rows(named=True):
            sides = _sides_text(row, _differences_by_level(table, row, within))
            sentences.append(f"Interaction with {within}: {_pair(row, setup)}{sides}, not tested.")
        sentences.append(
            f"Whether the difference depends on {within} is not tested{f' ({measures})' if len(tested) else ''}: {note}."
        )
    doubtful = interaction.filter(pl.col("p_adjusted").is_null() | (pl.col("p_adjusted") > alpha))
    if any(_in_some(table, row, setup) for row in doubtful.iter_rows(named=True)):
        sentences.append(
            f"A difference that is shown for one value of {within} and not for another does not show that it depends on {within}."
        )
    return sentences


def _dependence(row: dict[str, Any], within: str, alpha: float, in_part: str) -> str:
    """Say what an interaction shows; between users of different sequences it may show these users."""
    shown = "There is evidence that" if row["p_adjusted"] <= alpha else "No evidence that"
    if row["p"] <= alpha < row["p_adjusted"]:
        shown = "After correction there is no evidence that"
    users = ", or that the users of the sequences differ" if row["test"] == BETWEEN_USERS else ""
    return f"{shown} the difference depends on {within}{users or in_part}."


def _in_some(table: pl.DataFrame, row: dict[str, Any], setup: ComparisonSetup) -> bool:
    """Whether a difference is shown in some levels and not in others."""
    of_pair = table.filter(measure=row["measure"], a=row["a"], b=row["b"])
    shown = [_is_shown(level, setup) for level in of_pair.iter_rows(named=True)]
    return any(shown) and not all(shown)


def _is_shown(row: dict[str, Any], setup: ComparisonSetup) -> bool:
    """Whether a difference is shown: its corrected p is at most alpha, and a verdict may be given."""
    return row["why"] is None and row["p_adjusted"] is not None and row["p_adjusted"] <= setup.plan.options.alpha


def _differences_by_level(table: pl.DataFrame, row: dict[str, Any], within: str) -> dict[str, float]:
    """Return the difference of the groups of a row in each level that has one, by the name of the level."""
    levels = table.filter(measure=row["measure"], a=row["a"], b=row["b"]).drop_nulls("estimate")
    return {level_name(within, level): estimate for level, estimate in levels.select(within, "estimate").rows()}


def _interaction(row: dict[str, Any], differences: Mapping[str, float], family: Family, alpha: float) -> str:
    """Say what was found: of two levels the difference in each and how far these are apart, of more F.

    Parameters
    ----------
    row
        A row of the table of interactions.
    differences
        The difference of the two groups in each level, by its name.
    """
    p = f"{p_text(row['p_adjusted'])}{family.told}; {row['test']}, n = {row['n']:,}"
    if row["estimate"] is None:
        return f", F({row['df']:g}, {row['df_error']:.4g}) = {row['statistic']:.4g}, {p}"
    interval = f"{family.interval_kind}{interval_text(row['low'], row['high'], alpha)}"
    t = f"t({row['df_error']:.4g}) = {math.copysign(math.sqrt(row['statistic']), row['estimate']):.4g}"
    return f"{_sides_text(row, differences)}, {interval}, {t}, {p}"


def _sides_text(row: dict[str, Any], differences: Mapping[str, float]) -> str:
    """Say the difference in each of two levels and how far they are apart; of two sets of levels how far alone."""
    minus, plus = row["minus"], row["plus"]
    apart = f"{plus} minus {minus}: {readable(row['estimate'])}"
    if minus not in differences or plus not in differences:
        return f"; {apart}"
    # each level is fitted alone, the test fits both with the same topic effects: 0.178 - -0.027 need not be its 0.243
    if readable(differences[plus] - differences[minus]) != readable(row["estimate"]):
        apart = f"estimated together, {apart}"
    return f" is {readable(differences[minus])} for {minus} and {readable(differences[plus])} for {plus}; {apart}"


def interaction_text(row: dict[str, Any]) -> str:
    """The test of a row of the table ``interaction``, short, for a note or a page.

    >>> interaction_text({"df": 3.0, "df_error": 83.0, "statistic": 0.54512, "p_adjusted": 0.653})
    'F(3, 83) = 0.545, p = 0.653'
    """
    return f"F({row['df']:g}, {row['df_error']:.4g}) = {row['statistic']:.3g}, {p_text(row['p_adjusted'])}"


def _sides(row: dict[str, Any], setup: ComparisonSetup) -> tuple[str, str]:
    """Name the two groups of a pair, by their column where they are no systems."""
    of = "" if setup.by == "system_id" else f"{setup.by} "
    return f"{of}{row['a']}", f"{of}{row['b']}"


def _pair(row: dict[str, Any], setup: ComparisonSetup) -> str:
    """Name a measure and two groups, one minus the other."""
    a, b = _sides(row, setup)
    return f"{row['measure']}: {b} minus {a}"


def level_name(within: str, level: object) -> str:
    """Name a level of a column.

    >>> level_name("topic_id", "t1"), level_name("expert", True)
    ('topic_id t1', 'expert true')
    """
    return f"{within} {str(level).lower() if isinstance(level, bool) else level}"


def _sentence(row: dict[str, Any], setup: ComparisonSetup) -> str:
    """Say what was found for one pair by one measure."""
    a, b = _sides(row, setup)
    pair = _pair(row, setup)
    no_verdict = "" if row["why"] is None else f" {row['why']}."
    if row["raw_difference"] is None:
        return f"{pair}: no value."
    mean = "raw mean" if row["relative"] is not None and is_adjusted(row) else "mean"
    found = _is_shown(row, setup)
    word = f", {row['mark']}" if found else ""  # beside a difference that is not shown it would contradict it
    mark = f" ({share_text(row['relative'], sign='+')} of {a}'s {mean}{word})" if row["relative"] is not None else ""
    raw = f"raw means {readable(row['mean_a'])} and {readable(row['mean_b'])}, raw difference {readable(row['raw_difference'])}"
    if row["p"] is None:
        known = "no estimate" if row["estimate"] is None else f"{_estimate(row, setup)}{mark}"
        known += f"; {raw}" if row["estimate"] is None or is_adjusted(row) else ""
        return f"{pair}: {known}, not tested.{no_verdict}"
    family = setup.family
    kind = family.interval_kind
    if row["uninformative"]:
        most = f"{setup.spans[row['measure']]:g}"
        return (
            f"{pair}: {_estimate(row, setup)}; n = {units_of(row, setup.plan.population)}{f'; {raw}' if is_adjusted(row) else ''}. These "
            f"are too few to test: the {kind}{level_text(setup.plan.options.alpha)} interval is wider than all differences that "
            f"{row['measure']} can have, -{most} to {most}.{no_verdict}"
        )
    interval = interval_text(row["low"], row["high"], setup.plan.options.alpha)
    text = (
        f"{pair}: {_estimate(row, setup)}{mark}, {kind}{interval}, {_statistic(row, setup)}"
        f"{p_text(row['p_adjusted'])}{family.told}; {setup.plan.title}, n = {units_of(row, setup.plan.population)}{_wins(row, b, setup)}"
        f"{f'; {raw}' if is_adjusted(row) else ''}"
    )
    turned = opposite_text(row, adjusted=setup.plan.layout == "crossed")
    if no_verdict:
        return f"{text}.{turned}{no_verdict}"
    if not found:
        excludes_0 = family.has_unadjusted_intervals and row["p"] <= setup.plan.options.alpha
        return f"{text}.{turned} {NOT_SHOWN_CORRECTED if excludes_0 else NOT_SHOWN}{detectable_text(row['detectable'])}"
    side = "higher" if side_of(row) > 0 else "lower"
    about = f"for {setup.plan.population} like these"
    return f"{text}.{turned} There is evidence that {row['measure']} is {side} with {b} than with {a}, {about}."


def side_of(row: dict[str, Any]) -> float:
    """What was tested of a row of a comparison, for its sign, see `sessionkit.statistics.effects.Pair.side`."""
    return float(row["effect"] or row["estimate"])


def units_of(row: dict[str, Any], population: str) -> str:
    """Say on how many units a row rests: of each group, in the order of b - a, where units are not paired or not all met both.

    >>> row = {"n_a": 6, "n_b": 6, "wins": 4}
    >>> units_of(row, "users"), units_of(row | {"n_b": 8, "wins": None}, "users")
    ('6 users', '8 and 6 users')
    """
    paired = row["wins"] is not None and row["n_a"] == row["n_b"]
    first = counted(row["n_a"], population.removesuffix("s"))
    return first if paired else f"{row['n_b']:,} and {first}"


def _estimate(row: dict[str, Any], setup: ComparisonSetup) -> str:
    """Say the estimate, and of what, where it is not the difference of the raw means."""
    return f"{f'{setup.plan.test.estimand} ' if is_adjusted(row) else ''}{readable(row['estimate'])}"


def is_adjusted(row: dict[str, Any]) -> bool:
    """Whether the estimate is another than the difference of the raw means, so that both are named."""
    return bool(abs(row["estimate"] - row["raw_difference"]) > SAME * abs(row["raw_difference"]))


def adjustment_text(row: dict[str, Any], estimand: str, population: str) -> str:
    """Say what the estimate is adjusted for; nothing where it is the difference of the raw means.

    >>> adjustment_text({"estimate": 0.2, "raw_difference": 0.2}, "difference of means", "users")
    ''
    >>> adjustment_text({"estimate": 0.1, "raw_difference": 0.2}, "difference of means", "users")
    'between means over users'
    """
    if not is_adjusted(row):
        return ""
    return ADJUSTED if ADJUSTED in estimand else f"between means over {population}"


def opposite_text(row: dict[str, Any], *, adjusted: bool) -> str:
    """Say that the difference of the raw means points the other way than the estimate; nothing where it does not.

    >>> opposite_text({"estimate": 0.0059, "raw_difference": -0.075}, adjusted=True)
    ' The raw difference has the opposite sign: it is not adjusted for user and topic.'
    """
    if not min(row["estimate"], row["raw_difference"]) < 0 < max(row["estimate"], row["raw_difference"]):
        return ""
    why = f": it is not {ADJUSTED}" if adjusted else ""
    return f" The raw difference has the opposite sign{why}."


def _statistic(row: dict[str, Any], setup: ComparisonSetup) -> str:
    """Say the test statistic, where it is not the estimate."""
    if not setup.plan.test.symbol or row["statistic"] is None:
        return ""
    df = f"({row['df']:.4g})" if row["df"] is not None else ""
    return f"{setup.plan.test.symbol}{df} = {row['statistic']:.4g}, "


def _wins(row: dict[str, Any], b: str, setup: ComparisonSetup) -> str:
    """Say for how many units which group was higher, and whether their values are adjusted."""
    if row["wins"] is None:
        return ""
    equal = f", equal for {row['ties']:,}" if row["ties"] else ""
    adjusted = ", adjusted for topics" if setup.plan.layout == "crossed" else ""
    return f" ({b} higher for {row['wins']:,}, lower for {row['losses']:,}{equal}{adjusted})"


def _in_order(order: pl.DataFrame, setup: ComparisonSetup) -> list[str]:
    """Say whether the order of sessions affects values, as far as these data can tell."""
    if order.is_empty():
        return [f"Order of sessions: not checked, as {setup.unordered}."] if setup.unordered else []
    alpha = setup.plan.options.alpha
    sentences = [_order_effect(row, order.height, setup) for row in order.filter(pl.col("p") <= alpha).rows(named=True)]
    if sentences:
        return sentences
    least = [
        f"{check} effect ({p_text(p)})"
        for check, p in order.group_by("check", maintain_order=True).agg(pl.col("p").min()).rows()
    ]
    several = ", the smallest p of all measures" if order.get_column("measure").n_unique() > 1 else ""
    return [
        f"Order of sessions{setup.ordered_by}: no {' or '.join(least)} shown{several}; such checks miss small effects."
    ]


def _order_effect(row: dict[str, Any], checks: int, setup: ComparisonSetup) -> str:
    """Say what a check of the order of sessions with a small p shows: evidence only if p is small after correction."""
    subject = f"{_level(row, setup)}{row['measure']}"
    test = f"F({row['df']:g}, {row['df_error']:g}) = {row['statistic']:.3g}"
    corrected_p = f"{p_text(row['p_adjusted'])}{f' after Holm over {checks:,} checks' if checks > 1 else ''}"
    if row["p_adjusted"] <= setup.plan.options.alpha:
        return f"Caution: {subject}: there is evidence that {ORDER[row['check']]} ({test}, {corrected_p})."
    return (
        f"Caution: {subject}: a {row['check']} effect is possible but not shown ({test}, {p_text(row['p'])} not corrected, "
        f"{corrected_p})."
    )


def _all_at_once(row: dict[str, Any]) -> str:
    """Say what a test of all groups found."""
    df = ", ".join(f"{value:.4g}" for value in (row["df"], row["df_error"]) if value is not None)
    return f"{row['measure']}, all groups at once: {row['test']} {row['statistic']:.4g} (df {df}), {p_text(row['p'])}."


def _limits(setup: ComparisonSetup, pairs: int) -> str:
    """Say what the claim does not reach, and what it takes for granted."""
    design, population = setup.plan.design, setup.plan.population
    if population == "sessions":
        alike = design.name != "independent"
        return " Sessions of one user or topic may be correlated; p is then too small." if alike else ""
    other = {"users": "topics", "topics": "users"}[population]
    same = ""
    if setup.plan.layout == "crossed":
        every = "topic" if setup.plan.test.name == "randomization" else "user and topic"
        other_test = "; test=randomization lets it vary with the user" if every != "topic" and pairs == 1 else ""
        same = f" It assumes the same difference for every {every}{other_test}."
    beyond = (
        f" It does not generalize beyond these {other}: for a claim about {other} like these, use population={other}."
    )
    return same + (beyond if other in design.layouts else "")
