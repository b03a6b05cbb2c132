"""Every score by group with its differences, and whether measures match the ratings that the log has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from sessionkit.charts import correlation_forest
from sessionkit.display.numbers import P_IS_BOUND, capital, level_text
from sessionkit.display.statements import Statement
from sessionkit.display.tables import LIMIT, TextTable, known, table_of
from sessionkit.errors import UsageError
from sessionkit.reports.choices import correlation_text
from sessionkit.reports.extras import further
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.figures.scores import scatter_of
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.report_data import ALPHA, Material
from sessionkit.reports.sections.section_kind import section
from sessionkit.scoring.measures.describe import cut_note
from sessionkit.scoring.measures.direction import merit_of_rows
from sessionkit.scoring.score import group_keys
from sessionkit.statistics.comparison import Comparison
from sessionkit.statistics.comparison_statements import withheld_text
from sessionkit.statistics.correlate import Correlations
from sessionkit.statistics.distributions import is_highest
from sessionkit.statistics.paper_tables import PAIR_NAME, are_paired, interval_heading, spread_table
from sessionkit.statistics.verdict import is_shown

PAIR = {
    "measure": "Measure",
    "pair": "Pair",
    "estimate": "Estimate",
    "low": "from",
    "high": "to",
    "p_adjusted": "p",
    "effect": "Effect size",
    "n_b": "n, first of pair",
    "n_a": "n, second of pair",
    "mean_b": "Raw mean, first of pair",
    "mean_a": "Raw mean, second of pair",
    "raw_difference": "Raw difference",
}
"""Columns of a table of differences, b minus a: b is the first of a pair."""
OVERALL = {
    "measure": "Measure",
    "test": "Test",
    "check": "Check",
    "statistic": "Statistic",
    "df_error": "df of error",
    "p_adjusted": "Adjusted p",
}
MARK = "*"
SPREAD = (
    "SD (n - 1) and quartiles (linear interpolation) describe how much sessions differ, not how precise a mean is. At 0 and At 1 are the "
    "shares of sessions that score exactly 0 and exactly 1."
)

ALL_SCORES = "sessionkit score gives them"
AS_COMPUTED = " Intervals are as computed; figures and sentences cut them at the values that are possible."


def _title(of: Material) -> str:
    """Whether there are differences beside the scores."""
    return "Scores by all measures" if of.comparison is None else "Scores and differences of all measures"


@section("measures", _title)
def measures(of: Material) -> list[Part]:
    """Means, then differences with intervals, effect sizes and corrected p-values, then the reading in full."""
    if of.valueless is not None:
        return []
    parts: list[Part] = [_scores(of)]
    said: list[Statement] = []
    for found, caption in (
        (of.comparison, f"Difference by {of.primary}"),
        (of.others, "Differences by the other measures"),
    ):
        if found is not None:
            # both comparisons have one design and one claim
            statements = [statement for statement in found.statements if statement not in said]
            said += statements
            parts += [_differences(found, caption), *_overall(found), of.told(statements)]
    return [*parts, *further(of, "measures")]


@section("spread", "Spread of the scores")
def spread(of: Material) -> list[Part]:
    """Return mean (SD), median [Q1, Q3] and range of each group by each measure; nothing of one session."""
    if of.valueless is not None or of.study.facts.sessions == 1:
        return []
    scores = of.redaction.frame(of.spread, of.study)
    columns = ("min", "max", "at_zero", "at_one")
    table = replace(spread_table(scores, columns).limited(LIMIT), frame=scores, way_to_all=ALL_SCORES)
    return [table, Words((SPREAD,))]


def _scores(of: Material) -> TextTable:
    """Scores as they were computed, all groups of one measure together, the best in bold."""
    scores = of.scores
    order = scores.select(pl.col("measure").unique(maintain_order=True)).with_row_index("_order")
    placed = scores.join(order, on="measure", how="left", maintain_order="left").sort("_order", maintain_order=True)
    if of.study.facts.sessions == 1:
        placed = placed.drop("n", "undefined")
    placed = known(of.redaction.frame(placed.select("measure", pl.exclude("measure", "_order")), of.study))
    directions = {str(measure): of.direction(measure) for measure in of.measures}
    ranked = placed.with_row_index("row").with_columns(merit=merit_of_rows(directions))
    best = ranked.filter(
        is_highest(pl.col("merit"), over="measure"),
        pl.len().over("measure") > 1,
        pl.col("row") < LIMIT,
    )
    column = placed.columns.index("value")
    strong = frozenset((row, column) for row in best["row"].to_list())
    words = [name.removesuffix("_id") for name in group_keys(of.study, of.averaged_by)]
    caption = (
        f"Scores by {', '.join(words)}"
        if words and set(words) <= {name.removesuffix("_id") for name in placed.columns}
        else "Scores"
    )
    return table_of(caption, placed, strong=strong, way_to_all=ALL_SCORES)


def _differences(found: Comparison, caption: str) -> TextTable:
    """Every pair by every measure."""
    one = found.table.select("a", "b").n_unique() == 1
    alike = are_paired(found.table) and (found.table["n_a"] == found.table["n_b"]).all()
    left_out = {*(("pair",) if one else ()), *(("n_b",) if alike else ())}
    columns = [name for name in PAIR if name not in left_out]
    frame = found.table.with_columns(PAIR_NAME).select(columns)
    shown = found.with_reasons.head(LIMIT).select(is_shown(found.alpha)).to_series()
    marks = {(row, columns.index("estimate")): MARK for row in shown.arg_true()}
    first, second = found.table.row(0, named=True)["a"], found.table.row(0, named=True)["b"]
    headers = PAIR | {"estimate": found.estimate_heading}
    if one:
        headers |= {f"{column}_{side}": f"{words} {name}" for column, words in (("n", "n,"), ("mean", "Raw mean"))
                    for side, name in (("a", first), ("b", second))}  # fmt: skip
    headers |= {"n_a": "n"} if alike else {}
    mark = f"{MARK}: p at or below {found.alpha:g}{found.family.told}. " if found.family.number else ""
    note = (
        f"{found.estimate_heading}, interval, p, effect size and n are of the {found.estimand}, "
        f"{f'{second} minus {first}' if one else 'the first of the pair minus the second'}; {found.test}. Raw means are of the sessions "
        f"or units compared, unadjusted. {mark}"
        f"Effect size: {found.effect}.{withheld_text(found.no_verdict)}"
        f"{AS_COMPUTED if cut_note(found.table, of_difference=True) else ''}"
    )
    return table_of(
        caption,
        frame,
        headers=headers,
        note=note,
        marks=marks,
        decimals=4,
        interval=interval_heading(found.confidence, found.family),
        way_to_all="sessionkit compare gives them",
    )


def _overall(found: Comparison) -> list[TextTable]:
    """Tests of all groups at once, and of the order of sessions."""
    tables = {"All groups at once": found.overall, "Order of sessions": found.order}
    return [table_of(caption, frame, headers=OVERALL, decimals=4) for caption, frame in tables.items() if len(frame)]


CORRELATED = {
    "measure": "Measure",
    "covariate": "With",
    "coefficient": "Coefficient",
    "n": "n",
    "units": "Units",
    "value": "Estimate",
    "low": "95% from",
    "high": "to",
    "p": "p",
    "p_independent": "p if independent",
}
CORRELATIONS = "Correlations and their intervals"


@section("correlations", "All correlations")
def correlations(of: Material) -> list[Part]:
    """Every correlation, and the reading in full."""
    found = of.rated
    if not isinstance(found, Correlations):
        return []
    shown = found.table.select([name for name in CORRELATED if name in found.table.columns])
    return [
        *([_forest(of, found)] if len(found.with_) == 1 else []),
        table_of("Measures and ratings", shown, headers=CORRELATED, decimals=3, p_is_bound=found.table[P_IS_BOUND]),
        of.told(found.statements, listed=True),
    ]


@section("ratings", "Does the measure match what searchers said?", details=(correlations,))
def ratings(of: Material) -> list[Part]:
    """The correlation of the primary measure with each rating; a figure of its sessions by the one rating, or of all correlations."""
    found = of.rated
    if found is None:
        return []
    if isinstance(found, str):
        return [Words((of.redaction.note(found),))]
    spearman = found.table.filter(pl.col("coefficient") == "spearman", pl.col("measure") == str(of.primary))
    told = " ".join(f"{correlation_text(row, found)}{_good(of, row)}" for row in spearman.iter_rows(named=True))
    try:
        drawn = (
            scatter_of(of.study, spearman.row(0, named=True), of.choices) if len(spearman) == 1 else _forest(of, found)
        )
    except UsageError as error:  # such as a rating that no session with a value has
        drawn = Figure("rating-scatter", CORRELATIONS, None, f"Not drawn: {error}.")
    return [of.paragraph(told), drawn]


def _good(of: Material, row: dict[str, Any]) -> str:
    """Whether better values of the measure go with better ones of the rating, where the study says which are better and it is shown."""
    better = of.study.settings.better.get(row["covariate"])
    if better is None or not of.direction().is_known or row["p"] is None or row["p"] > ALPHA:
        return ""
    alike = (row["value"] > 0) == (better == of.direction().better)
    return f" {capital(better)} values of {row['covariate']} are better: the two {'agree' if alike else 'disagree'}."


def _forest(of: Material, found: Correlations) -> Figure:
    """The rank correlations of all measures with each rating."""
    rows = found.table.filter(coefficient="spearman")
    try:
        chart = correlation_forest(rows, synthetic=of.choices.synthetic, title=CORRELATIONS)
    except UsageError as error:  # no correlation has a value
        return Figure("correlation-forest", CORRELATIONS, None, f"Not drawn: {error}.")
    caption = (
        f"Rank correlations (Spearman's) of measures with ratings of sessions, with {level_text(1 - found.confidence)} intervals over "
        f"{found.units}, not adjusted for their number."
    )
    return Figure("correlation-forest", CORRELATIONS, chart, caption)
