"""What a comparison says: the sentence of each statement, and the values in it; `comparison_kinds` lists them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from sessionkit.display.numbers import counted, interval_text, level_text, listed, p_text, readable, share_text
from sessionkit.display.statements import Statement, Value
from sessionkit.scoring.measures.base import Direction
from sessionkit.scoring.measures.direction import UNKNOWN, MeasureDirection, side_of_zero
from sessionkit.statistics.corrections import Family
from sessionkit.statistics.crossover import UNORDERED
from sessionkit.statistics.findings import NOT_SHOWN, NOT_SHOWN_CORRECTED, UNADJUSTED, detectable_text, more_in_table
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.statistics.remarks import Remark
from sessionkit.statistics.units import Aligned

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


REASON_COLUMNS = ("shortage", "support")
"""Columns of the rows without a verdict, beside why: the same in brief, and its numbers."""


@dataclass(frozen=True)
class Claim:
    """Whom a comparison is about: units like these; what else the sessions are made of is taken as it is.

    Parameters
    ----------
    population
        ``"users"``, ``"topics"`` or ``"sessions"``.
    users, topics, sessions
        The least and the most, of which measures and levels of a column may have different ones; 0 where they are unknown.
    within, levels
        That column, and how many levels it has, each of which the claim is about by itself.
    topics_apart
        Whether no topic was searched with several groups.
    """

    population: str
    users: Sequence[int]
    topics: Sequence[int]
    sessions: Sequence[int]
    within: str | None = None
    levels: int = 1
    topics_apart: bool = False

    @classmethod
    def of(
        cls, population: str, *parts: Aligned, within: str | None = None, levels: int = 1, topics_apart: bool = False
    ) -> Claim:
        """Return the claim about the sessions of some measures and levels."""
        counts = ([getattr(part, name) for part in parts] for name in ("users", "topics", "sessions"))
        users, topics, sessions = ([min(numbers), max(numbers)] for numbers in counts)
        return cls(population, users, topics, sessions, within, levels, topics_apart)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Claim:
        """Return the claim that a statement of a comparison has in its values."""
        return cls(**{name: values[name] for name in cls.__dataclass_fields__})

    @property
    def values(self) -> dict[str, Value]:
        """The same as data."""
        return dict(vars(self))

    @property
    def text(self) -> str:
        """Whom it is about."""
        units = {"users": self.users, "topics": self.topics, "sessions": self.sessions}[self.population]
        if not max(units):
            return f"no {self.population}: none has a value in every group"
        if self.population == "sessions":
            least, most = self.sessions
            number = f"{least:,} to {most:,}" if least < most else f"{most:,}"
        else:
            number = _range(units, self.population.removesuffix("s"))
        return f"{self.population} like these {number}{self.rest}"

    @property
    def rest(self) -> str:
        """What else the sessions are made of, after the units that it is about."""
        each, topics_apart = "", ", with different topics in each group" if self.topics_apart else ""
        if self.levels > 1:
            named = {"user_id": "users", "topic_id": "topics"}.get(str(self.within), f"values of {self.within}")
            each = f", in each of these {self.levels:,} {named} by itself"
        if self.population == "users":
            searched = (
                "" if self.within == "topic_id" and each else _these("searching", self.topics, "topic") + topics_apart
            )
            return f"{searched}{each}"
        if self.population == "topics":
            searched = "" if self.within == "user_id" and each else _these("searched by", self.users, "user")
            return f"{searched}{each}"
        return f", assumed independent of each other{topics_apart}{each}"


@dataclass(frozen=True)
class ComparisonSetup:
    """What a comparison is made with, whom it is about, and what else is to be said of its groups.

    ``spans`` are the greatest differences that measures can have; ``designs`` the values of each design with its levels;
    ``users_with_times`` says of how many users of how many the order of sessions is known from their times, and ``unordered`` why it is
    not checked, where it would matter. ``plans`` are those of levels whose designs differ.
    """

    plan: ComparisonPlan
    claim: Claim
    by: str
    family: Family
    designs: Sequence[Mapping[str, Value]] = ()
    within: str | None = None
    spans: Mapping[str, float] = field(default_factory=dict)
    cautions: Sequence[Remark] = ()
    users_with_times: tuple[int, int] | None = None
    unordered: str = ""
    plans: Mapping[Any, ComparisonPlan] = field(default_factory=dict)
    directions: Mapping[str, Direction] = field(default_factory=dict)

    def of_level(self, row: dict[str, Any]) -> ComparisonSetup:
        """The setup of the level of a row: levels of different designs have different tests."""
        return replace(self, plan=self.plans[row[self.within]]) if self.plans and self.within else self

    def level_of(self, row: Mapping[str, Any]) -> str | None:
        """Name the level of a row; None where groups are not compared within levels."""
        return level_name(self.within, row[self.within]) if self.within else None

    @property
    def confidence(self) -> float:
        """The confidence of intervals."""
        return 1 - self.plan.options.alpha


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


def adjusted_estimand(groups: str) -> str:
    """Say what the estimate is about where it is adjusted; `groups` says of what the groups are."""
    return f"difference between {groups} {ADJUSTED}, assumed the same for every user and topic"


def estimand(plan: ComparisonPlan, column: str) -> str:
    """Say what the estimate and its interval are about."""
    if plan.layout == "crossed":
        return adjusted_estimand(f"values of {column}")
    averaging = {
        "blocked": f"each {plan.population.removesuffix('s')}'s sessions averaged first",
        "separate": f"one mean per {plan.population.removesuffix('s')}",
    }
    return f"{plan.test.estimand} over {plan.population} ({averaging[plan.layout]})"


def comparison_statements(
    table: pl.DataFrame,
    overall: pl.DataFrame,
    interaction: pl.DataFrame,
    order: pl.DataFrame,
    *,
    remarks: Sequence[Remark],
    no_verdict: pl.DataFrame,
    setup: ComparisonSetup,
) -> list[Statement]:
    """Return what a comparison says; of the rows of `no_verdict` it gives numbers alone, and says why."""
    reasons = {
        (row[setup.within] if setup.within else None, row["measure"], row["a"], row["b"]): row["support"]
        for row in no_verdict.iter_rows(named=True)
    }
    table = with_reasons(table, no_verdict)
    statements = [_design(setup), _claim(setup, table.select("a", "b").n_unique())]
    statements += [replace(caution.statement, text=f"{caution.text}.") for caution in setup.cautions]
    statements += [_all_at_once(row, setup) for row in overall.iter_rows(named=True)]
    for row in table.head(MOST_ROWS).iter_rows(named=True):
        support = reasons.get((row[setup.within] if setup.within else None, row["measure"], row["a"], row["b"]))
        statements.append(_difference(row, setup.of_level(row), support))
    statements += more_statements(table.height - MOST_ROWS, "comparison", "compare")
    statements += _interactions(table, interaction, setup)
    statements += [remark.statement for remark in remarks]
    statements += _in_order(order, setup)
    of_interactions = Family(interaction.get_column("p").count(), setup.family.correction)
    if setup.family.has_unadjusted_intervals or of_interactions.has_unadjusted_intervals:
        statements.append(Statement("unadjusted_intervals", UNADJUSTED, {"correction": setup.family.correction}))
    return statements


def more_statements(count: int, what: str, verb: str) -> list[Statement]:
    """Say that the tables of a verb have more rows than were read out; nothing where they have not."""
    values: dict[str, Value] = {"count": count, "what": what, "verb": verb}
    return [Statement("more", text, values) for text in more_in_table(count, what, verb)]


def _design(setup: ComparisonSetup) -> Statement:
    """Say what the design is."""
    where = f"within each {setup.within}, " if setup.within else ""
    design = setup.plan.design
    topics = design.counts["topics"] if design.warning else None
    values = {
        "within": setup.within,
        "designs": list(setup.designs),
        "one_group_topics": None if topics is None else topics.n - topics.met_several,
        "topics": None if topics is None else topics.n,
    }
    return Statement("design", f"Design: {where}{design.described}.", values)


def _claim(setup: ComparisonSetup, pairs: int) -> Statement:
    """Say whom the claim is about, what it does not reach, and what it takes for granted."""
    limits = _limits(setup, pairs)
    text = f"The claim is about {setup.claim.text}.{_limits_text(limits)}"
    return Statement("claim", text, {**setup.claim.values, **limits})


def _limits(setup: ComparisonSetup, pairs: int) -> dict[str, Any]:
    """Return what the claim does not reach, and what it takes for granted."""
    design, population = setup.plan.design, setup.plan.population
    limits: dict[str, Any] = {"same_for": [], "may_vary_with": None, "not_beyond": None, "may_be_correlated": False}
    if population == "sessions":
        return limits | {"may_be_correlated": design.name != "independent"}
    if setup.plan.layout == "crossed":
        is_randomized = setup.plan.test.name == "randomization"
        limits["same_for"] = ["topic"] if is_randomized else ["user", "topic"]
        limits["may_vary_with"] = None if is_randomized or pairs > 1 else "user"
    others = {"users": "topics", "topics": "users"}[population]
    return limits | {"not_beyond": others if others in design.layouts else None}


def _limits_text(limits: Mapping[str, Any]) -> str:
    """Say what the claim does not reach, and what it takes for granted."""
    if limits["may_be_correlated"]:
        return " Sessions of one user or topic may be correlated; p is then too small."
    same = ""
    if limits["same_for"]:
        unit = limits["may_vary_with"]
        other_test = f"; test=randomization lets it vary with the {unit}" if unit else ""
        same = f" It assumes the same difference for every {' and '.join(limits['same_for'])}{other_test}."
    others = limits["not_beyond"]
    if others is None:
        return same
    beyond = f" It does not generalize beyond these {others}: for a claim about {others} like these, use population={others}."
    return f"{same}{beyond}"


def with_reasons(table: pl.DataFrame, no_verdict: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a comparison with ``why`` no verdict may be given on them, null where one may."""
    reasons = no_verdict.drop(*REASON_COLUMNS, strict=False)
    return table.join(
        reasons,
        on=[name for name in reasons.columns if name != "why"],
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )


def withheld_text(no_verdict: pl.DataFrame) -> str:
    """Say by which measures, and in which levels, no verdict may be given, and why, for a note; empty where all have one."""
    within = no_verdict.columns[: no_verdict.columns.index("measure")]
    rows = no_verdict.unique([*within, "measure", "why"], keep="first", maintain_order=True)
    return "".join(
        f" {''.join(f'{level_name(name, row[name])}: ' for name in within)}{row['measure']}: {row['why']}."
        for row in rows.iter_rows(named=True)
    )


def _interactions(table: pl.DataFrame, interaction: pl.DataFrame, setup: ComparisonSetup) -> list[Statement]:
    """Say whether differences depend on the level, or why that is not tested."""
    within, alpha = setup.within, setup.plan.options.alpha
    if within is None or interaction.is_empty():
        return []
    tested = interaction.drop_nulls("p")
    family = Family(tested.height, setup.family.correction)
    n_values = table.get_column(within).n_unique()
    statements = []
    for row in tested.head(MOST_ROWS).iter_rows(named=True):
        differences = _differences_by_level(table, row, within)
        over = f" over {row['levels']:,} of {n_values:,} values" if row["levels"] < n_values else ""
        text = f"{_pair(row, setup)}{_interaction(row, differences, family, alpha)}{over}"
        note = f" Note: {row['note']}." if row["note"] else ""
        is_part = interaction.filter(measure=row["measure"], a=row["a"], b=row["b"]).height > 1
        verdict = _interaction_verdict(row, alpha)
        dependence = _dependence(row, within, verdict, " in these contrasts" if is_part else "")
        values = _interaction_values(row, differences, family, setup, n_values)
        text = f"Interaction with {within}: {text}. {dependence}{note}"
        statements.append(Statement("interaction", text, values | {"verdict": verdict, "is_part": is_part}))
    statements += more_statements(tested.height - MOST_ROWS, "interaction", "compare")
    untested = interaction.filter(pl.col("p").is_null())
    for (note,), rows in untested.group_by("note", maintain_order=True):
        measures = rows.get_column("measure").unique(maintain_order=True).to_list()
        for row in rows.drop_nulls("estimate").head(MOST_ROWS).iter_rows(named=True):
            differences = _differences_by_level(table, row, within)
            sides = _sides_text(row, differences)
            values = _interaction_values(row, differences, family, setup, n_values)
            text = f"Interaction with {within}: {_pair(row, setup)}{sides}, not tested."
            statements.append(Statement("interaction", text, values | {"verdict": "not tested", "is_part": False}))
        of_measures = f" ({listed(measures)})" if len(tested) else ""
        text = f"Whether the difference depends on {within} is not tested{of_measures}: {note}."
        values = {"within": within, "measures": measures, "note": rows.item(0, "why")}
        statements.append(Statement("interaction_not_tested", text, values))
    doubtful = interaction.filter(pl.col("p_adjusted").is_null() | (pl.col("p_adjusted") > alpha))
    if any(_in_some(table, row, setup) for row in doubtful.iter_rows(named=True)):
        text = f"A difference that is shown for one value of {within} and not for another does not show that it depends on {within}."
        statements.append(Statement("shown_in_some", text, {"within": within}))
    return statements


def _interaction_values(
    row: dict[str, Any], differences: Mapping[str, float], family: Family, setup: ComparisonSetup, n_values: int
) -> dict[str, Value]:
    """Return the values of an interaction, but for its verdict."""
    return {
        "within": setup.within,
        **{name: row[name] for name in ("measure", "a", "b", "estimate", "low", "high")},
        "confidence": setup.confidence,
        **{name: row[name] for name in ("statistic", "df", "df_error", "p", "p_adjusted")},
        "correction": family.correction,
        "tests": family.number,
        **{name: row[name] for name in ("test", "n", "levels", "minus", "plus")},
        "of_levels": n_values,
        "difference_minus": differences.get(row["minus"]),
        "difference_plus": differences.get(row["plus"]),
        "note": row["why"],
    }


def _interaction_verdict(row: Mapping[str, Any], alpha: float) -> str:
    """What the test of an interaction shows."""
    if row["p_adjusted"] <= alpha:
        return "shown"
    return "not shown after correction" if row["p"] <= alpha else "not shown"


def _dependence(row: dict[str, Any], within: str, verdict: str, in_part: str) -> str:
    """Say what an interaction shows; between users of different sequences it may show these users."""
    evidence = {
        "shown": "There is evidence that",
        "not shown": "No evidence that",
        "not shown after correction": "After correction there is no evidence that",
    }[verdict]
    users = ", or that the users of the sequences differ" if row["test"] == BETWEEN_USERS else ""
    return f"{evidence} the difference depends on {within}{users or in_part}."


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
    contrast = f"{plus} minus {minus}: {readable(row['estimate'])}"
    if minus not in differences or plus not in differences:
        return f"; {contrast}"
    # each level is fitted alone, the test fits both with the same topic effects: 0.178 - -0.027 need not be its 0.243
    if readable(differences[plus] - differences[minus]) != readable(row["estimate"]):
        contrast = f"estimated together, {contrast}"
    return f" is {readable(differences[minus])} for {minus} and {readable(differences[plus])} for {plus}; {contrast}"


def interaction_text(row: dict[str, Any]) -> str:
    """The test of a row of the table ``interaction``, short, for a note or a page.

    >>> interaction_text({"df": 3.0, "df_error": 83.0, "statistic": 0.54512, "p_adjusted": 0.653})
    'F(3, 83) = 0.545, p = 0.653'
    """
    return f"F({row['df']:g}, {row['df_error']:.4g}) = {row['statistic']:.3g}, {p_text(row['p_adjusted'])}"


def _sides(row: dict[str, Any], setup: ComparisonSetup) -> tuple[str, str]:
    """Name the two groups of a pair, by their column where they are no systems."""
    column = "" if setup.by == "system_id" else f"{setup.by} "
    return f"{column}{row['a']}", f"{column}{row['b']}"


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


def _difference(row: dict[str, Any], setup: ComparisonSetup, support: Mapping[str, Value] | None) -> Statement:
    """Say what was found for one pair by one measure; `support` are the numbers of why there is no verdict."""
    verdict = _verdict(row, setup)
    side = side_of(row) if verdict == "shown" else 0.0
    direction = MeasureDirection.named(row["measure"], setup.directions)
    level = setup.level_of(row)
    names = [
        "measure",
        "a",
        "b",
        "n_a",
        "n_b",
        "estimate",
        "low",
        "high",
        "statistic",
        "df",
        "p",
        "p_adjusted",
        "relative",
    ]
    names += ["mark", "mean_a", "mean_b", "raw_difference", "wins", "ties", "losses", "detectable"]
    values: dict[str, Value] = {
        "level": level,
        **{name: row[name] for name in names},
        "confidence": setup.confidence,
        "correction": setup.family.correction,
        "tests": setup.family.number,
        "at_once": setup.family.at_once,
        "test": setup.plan.test.name,
        "population": setup.plan.population,
        "span": setup.spans[row["measure"]] if verdict == "too few" else None,
        "verdict": verdict,
        "higher": None if side == 0 else UNKNOWN.ahead(side, row["a"], row["b"]),
        "better": direction.better_group(side, row["a"], row["b"]),
        "no_verdict": support,
    }
    prefix = "" if level is None else f"{level}: "
    return Statement("difference", f"{prefix}{_sentence(row, setup, verdict)}", values)


def _verdict(row: dict[str, Any], setup: ComparisonSetup) -> str:
    """What a row shows, one of the verdicts of the kind ``difference``."""
    alpha = setup.plan.options.alpha
    if row["raw_difference"] is None:
        return "no value"
    if row["p"] is None:
        return "not tested"
    if row["uninformative"]:
        return "too few"
    if row["why"] is not None:
        return "no verdict"
    if _is_shown(row, setup):
        return "shown"
    has_small_p = setup.family.has_unadjusted_intervals and row["p"] <= alpha
    return "not shown after correction" if has_small_p else "not shown"


def _sentence(row: dict[str, Any], setup: ComparisonSetup, verdict: str) -> str:
    """Say what was found for one pair by one measure."""
    a, b = _sides(row, setup)
    pair = _pair(row, setup)
    no_verdict = "" if row["why"] is None else f" {row['why']}."
    if verdict == "no value":
        return f"{pair}: no value."
    mean = "raw mean" if row["relative"] is not None and is_adjusted(row) else "mean"
    word = (
        f", {row['mark']}" if verdict == "shown" else ""
    )  # beside a difference that is not shown it would contradict it
    mark = f" ({share_text(row['relative'], sign='+')} of {a}'s {mean}{word})" if row["relative"] is not None else ""
    raw = f"raw means {readable(row['mean_a'])} and {readable(row['mean_b'])}, raw difference {readable(row['raw_difference'])}"
    if verdict == "not tested":
        difference = "no estimate" if row["estimate"] is None else f"{_estimate(row, setup)}{mark}"
        difference += f"; {raw}" if row["estimate"] is None or is_adjusted(row) else ""
        return f"{pair}: {difference}, not tested.{no_verdict}"
    family = setup.family
    kind = family.interval_kind
    if verdict == "too few":
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
    if verdict == "no verdict":
        return f"{text}.{turned}{no_verdict}"
    if verdict != "shown":
        not_shown = NOT_SHOWN if verdict == "not shown" else NOT_SHOWN_CORRECTED
        return f"{text}.{turned} {not_shown}{detectable_text(row['detectable'])}"
    side = side_of_zero(side_of(row))
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


def adjustment_text(row: dict[str, Any], population: str, *, has_adjusted_estimates: bool) -> str:
    """Say what the estimate is adjusted for; nothing where it is the difference of the raw means.

    >>> adjustment_text({"estimate": 0.2, "raw_difference": 0.2}, "users", has_adjusted_estimates=False)
    ''
    >>> adjustment_text({"estimate": 0.1, "raw_difference": 0.2}, "users", has_adjusted_estimates=False)
    'between means over users'
    """
    if not is_adjusted(row):
        return ""
    return ADJUSTED if has_adjusted_estimates else f"between means over {population}"


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


def _in_order(order: pl.DataFrame, setup: ComparisonSetup) -> list[Statement]:
    """Say whether the order of sessions affects values, as far as these data can tell."""
    if order.is_empty():
        if not setup.unordered:
            return []
        text = f"Order of sessions: not checked, as {UNORDERED[setup.unordered]}."
        return [Statement("order_not_checked", text, {"reason": setup.unordered})]
    alpha = setup.plan.options.alpha
    effects = [_order_effect(row, order.height, setup) for row in order.filter(pl.col("p") <= alpha).rows(named=True)]
    if effects:
        return effects
    smallest = dict(order.group_by("check", maintain_order=True).agg(pl.col("p").min()).rows())
    n_measures = order.get_column("measure").n_unique()
    least = [f"{check} effect ({p_text(p)})" for check, p in smallest.items()]
    several = ", the smallest p of all measures" if n_measures > 1 else ""
    by_times = ""
    if setup.users_with_times is not None:
        with_times, users = setup.users_with_times
        by_times = f", by their times{f', of {with_times:,} of {users:,} users' if with_times < users else ''}"
    text = f"Order of sessions{by_times}: no {' or '.join(least)} shown{several}; such checks miss small effects."
    users_read = None if setup.users_with_times is None else list(setup.users_with_times)
    return [Statement("order", text, {"smallest_p": smallest, "measures": n_measures, "users": users_read})]


def _order_effect(row: dict[str, Any], checks: int, setup: ComparisonSetup) -> Statement:
    """Say what a check of the order of sessions with a small p shows: evidence only if p is small after correction."""
    level = setup.level_of(row)
    subject = f"{'' if level is None else f'{level}: '}{row['measure']}"
    test = f"F({row['df']:g}, {row['df_error']:g}) = {row['statistic']:.3g}"
    corrected_p = f"{p_text(row['p_adjusted'])}{f' after Holm over {checks:,} checks' if checks > 1 else ''}"
    is_certain = row["p_adjusted"] <= setup.plan.options.alpha
    if is_certain:
        text = f"Caution: {subject}: there is evidence that {ORDER[row['check']]} ({test}, {corrected_p})."
    else:
        text = (
            f"Caution: {subject}: a {row['check']} effect is possible but not shown ({test}, {p_text(row['p'])} not corrected, "
            f"{corrected_p})."
        )
    values = {
        "level": level,
        **{name: row[name] for name in ("measure", "check", "statistic", "df", "df_error", "p", "p_adjusted")},
        "checks": checks,
        "confidence": setup.confidence,
        "verdict": "shown" if is_certain else "possible",
    }
    return Statement("order_effect", text, values)


def _all_at_once(row: dict[str, Any], setup: ComparisonSetup) -> Statement:
    """Say what a test of all groups found."""
    level = setup.level_of(row)
    prefix = "" if level is None else f"{level}: "
    df = ", ".join(f"{value:.4g}" for value in (row["df"], row["df_error"]) if value is not None)
    text = f"{prefix}{row['measure']}, all groups at once: {row['test']} {row['statistic']:.4g} (df {df}), {p_text(row['p'])}."
    names = ("measure", "test", "statistic", "df", "df_error", "p")
    return Statement("overall", text, {"level": level, **{name: row[name] for name in names}})
