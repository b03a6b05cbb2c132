"""The finding of a comparison: its tables, what it says, and the table that papers print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any, ClassVar

import polars as pl

from sessionkit.display.numbers import capital, listed
from sessionkit.display.statements import Statement
from sessionkit.display.tables import HEADERS, TextTable, heading, table_of
from sessionkit.scoring.measures.base import Direction
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.statistics.comparison_kinds import KINDS
from sessionkit.statistics.comparison_statements import (
    BETWEEN_USERS,
    interaction_text,
    is_adjusted,
    opposite_text,
    with_reasons,
    withheld_text,
)
from sessionkit.statistics.corrections import Family
from sessionkit.statistics.distributions import less
from sessionkit.statistics.findings import TestedFinding
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
from sessionkit.statistics.remarks import Remark
from sessionkit.statistics.verdict import SINGLE_QUERY, Support, is_shown

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
SUPPORT = pl.Struct(
    {
        "unit": pl.String(),
        **dict.fromkeys(("n", "total", "least_pairs"), pl.Int64()),
        "least_share": pl.Float64(),
        "without_single_queries": pl.Boolean(),
    }
)
NO_VERDICT = pl.Schema({**dict.fromkeys(("measure", "a", "b", "why", "shortage"), pl.String()), "support": SUPPORT})
"""Rows without a verdict: why, the same without what no session has, and its numbers."""
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
    remarks
        What a reader of the numbers should know: what was not tested, what limits a test, what was left out.
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
        have a value. ``shortage`` says so in brief, ``support`` in numbers.
    directions
        Which values of a measure are better, by its text; without those that only their text names.
    equivalence
        The bands of practical equivalence that the study declares, by the text of the measure and in its units: differences between
        -band and band are too small to matter.
    has_adjusted_estimates
        Whether estimates are adjusted for user and topic, by least squares, at some level.
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
    remarks: tuple[Remark, ...] = field(default=())
    no_verdict: pl.DataFrame = field(default_factory=NO_VERDICT.to_frame)
    directions: Mapping[str, Direction] = field(default_factory=dict)
    equivalence: Mapping[str, float] = field(default_factory=dict)
    has_adjusted_estimates: bool = False
    KINDS: ClassVar = KINDS

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the numbers should know, as sentences without their ends."""
        return tuple(remark.text for remark in self.remarks)

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
        return "Adjusted difference" if self.has_adjusted_estimates else "Estimate"

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


def withheld_row(measure: str, a: str, b: str, support: Support, *, without_single_queries: bool) -> tuple[object, ...]:
    """Return a row of `NO_VERDICT`: why no verdict may be given on two groups."""
    single = f". {capital(SINGLE_QUERY)}" if without_single_queries else ""
    values = {**support.values, "without_single_queries": without_single_queries}
    return measure, a, b, f"{support.why_no_verdict}{single}", support.shortage, values
