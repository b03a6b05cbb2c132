"""Parts of a report that are made on request: mixed model, power, discriminative power and judges' errors, with their figures."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from sessionkit.charts.kinds.differences import differences
from sessionkit.display.tables import table_of
from sessionkit.errors import UsageError
from sessionkit.reports.choices import filled
from sessionkit.reports.figures.figure import Figure, without_condition
from sessionkit.reports.figures.robustness import of_noise, of_pairs, of_plan
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.report_data import Material
from sessionkit.robustness.discriminative_power import discriminate as told_apart
from sessionkit.robustness.judge_noise import judge_noise
from sessionkit.statistics.mixed_model import mixed_model
from sessionkit.statistics.power import power as plan_of

TITLE = "Differences by the mixed model"
EFFECTS = {
    "measure": "Measure",
    "a": "First",
    "b": "Second",
    "mean_a": "Mean of first",
    "mean_b": "Mean of second",
    "estimate": "Difference",
    "low": "from",
    "high": "to",
    "se": "Standard error",
    "df": "df",
    "p_adjusted": "p",
    "error_term": "Error term",
}
COMPONENT_HEADINGS = {
    "measure": "Measure",
    "component": "Component",
    "levels": "Levels",
    "sd": "SD",
    "variance": "Variance",
    "low": "from",
    "high": "to",
    "share": "Share",
}


def mixed(of: Material) -> list[Part]:
    """What the groups do, for users and topics like these."""
    found = mixed_model(of.study, list(of.measures), of.by)
    chart = differences(without_condition(found), synthetic=of.choices.synthetic, title=TITLE)
    caption = (
        f"Difference by each measure on a scale of its own, with its interval, by a mixed model for {found.claim}."
        f"{filled(found)}"
    )
    effects, components = found.table.select(*EFFECTS), found.components.select(*COMPONENT_HEADINGS)
    return [
        of.told(found.statements),
        Figure("differences", TITLE, chart, caption),
        table_of("Mixed model: differences, second less first", effects, headers=EFFECTS, decimals=4),
        table_of("Mixed model: what varies how much", components, headers=COMPONENT_HEADINGS, decimals=4),
    ]


SMALLEST = {
    "population": "Claim about",
    "users": "Users",
    "topics": "Topics",
    "sessions": "Sessions",
    "users_sure": "Users, surely",
    "topics_sure": "Topics, surely",
    "sessions_sure": "Sessions, surely",
    "limit": "Power without end of users",
}
VARIATION_HEADINGS = {"component": "Component", "sd": "SD of a session", "low": "from", "high": "to"}


def power(of: Material) -> list[Part]:
    """Power by size, the smallest sizes that reach the target, and what varies."""
    assert of.also.difference is not None  # noqa: S101 - checked when it was asked for
    found = plan_of(of.study, of.measures[0], of.by, difference=of.also.difference)
    declared = (
        f"Planned for {found.measure}, as the first measure; a difference of {found.difference:.4g} was declared."
    )
    smallest = found.smallest.select(*SMALLEST)
    smallest = smallest.select(column for column in smallest if column.null_count() < max(1, len(column)))
    note = (
        f"The smallest numbers with a power of {found.target:g}; surely: where the low end of its range reaches that."
    )
    return [
        Words((declared,)),
        of.told(found.statements),
        figured(of, lambda: of_plan(found, of.choices)),
        table_of("Study to come: smallest numbers", smallest, headers=SMALLEST, note=note, decimals=2),
        table_of("Study to come: what varies how much", found.components, headers=VARIATION_HEADINGS, decimals=4),
    ]


POWER = {
    "measure": "Measure",
    "n": "n",
    "pairs": "Pairs",
    "tested": "Tested",
    "significant": "Significant",
    "power": "Power",
    "needed": "Difference it takes",
    "spread": "Largest difference",
}
ASL = {
    "measure": "Measure",
    "place": "Place",
    "a": "First",
    "b": "Second",
    "difference": "Difference",
    "p": "Significance level reached",
}


def discriminate(of: Material) -> list[Part]:
    """The share of pairs by measure, and the significance level that each pair reaches."""
    found = told_apart(of.study, list(of.measures), of.by)
    return [
        of.told(found.statements),
        figured(of, lambda: of_pairs(found, of.choices)),
        table_of("Discriminative power", found.table.select(*POWER), headers=POWER, decimals=4),
        table_of("Significance level of every pair", found.asl.select(*ASL), headers=ASL, decimals=4),
    ]


PAIRS = {
    "measure": "Measure",
    "a": "First",
    "b": "Second",
    "difference": "Difference",
    "p": "p",
    "mean": "Mean of draws",
    "low": "from",
    "high": "to",
    "winner_changes": "Winner changes",
    "verdict_changes": "Verdict changes",
}
ERRORS = {"grade": "Grade", "becomes": "Becomes", "share": "Share", "n": "Seen"}
ORDER = {"measure": "Measure", "tau": "Mean tau-b", "low": "from", "high": "to"}


def noise(of: Material) -> list[Part]:
    """Agreement and errors, and what these do to differences and to the order of groups."""
    found = judge_noise(of.study, list(of.measures), of.by)
    note = f"Changes are shares of {found.draws:,} draws (seed {found.seed}); the range holds the middle 95% of them."
    pairs = found.table.select(*PAIRS)
    parts: list[Part] = [
        of.told(found.statements),
        figured(of, lambda: of_noise(found, of.choices)),
        table_of("Noise of judges: differences, second less first", pairs, headers=PAIRS, note=note, decimals=4),
    ]
    if found.table.select("a", "b").n_unique() > 1:
        parts.append(
            table_of("Noise of judges: order of groups", found.order.select(*ORDER), headers=ORDER, decimals=4)
        )
    grades = pl.col("grade", "becomes").map_elements(lambda grade: f"{grade:g}", pl.String)
    errors = found.errors.select(*ERRORS).with_columns(grades)
    shown = errors if errors["n"].null_count() < len(errors) else errors.select(pl.exclude("n"))
    parts.append(table_of("Noise of judges: what grades become", shown, headers=ERRORS))
    return parts


def figured(of: Material, draw: Callable[[], Figure]) -> Part:
    """Draw a figure."""
    try:
        return draw()
    except UsageError as error:
        return Words((f"Not drawn: {of.redaction.note(str(error))}.",))
