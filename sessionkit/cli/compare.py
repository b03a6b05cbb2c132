"""The command about differences between groups: compare."""

from __future__ import annotations

from typing import Annotated

import typer

from sessionkit.cli.command import completing
from sessionkit.cli.options import (
    SESSIONS,
    ByOption,
    CacheOption,
    ChartOption,
    ConfidenceOption,
    CorrectionOption,
    DrawsOption,
    FormatOption,
    MeasuresArgument,
    MemoryOption,
    OutputOption,
    PopulationOption,
    ScoresArgument,
    SeedOption,
    TableOption,
    TestOption,
    WhereOption,
    complete_columns,
    open_scores,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import working

FACTORS = ("user_id", "topic_id", "system_id:topic_id", "system_id:user_id", "user_id:topic_id", "session_id")
"""Random factors of a mixed model."""
SHOWN = [
    "measure", "a", "b", "n_a", "n_b", "estimate", "low", "high", "p_adjusted", "effect", "mean_a", "mean_b",
    "raw_difference",
]  # fmt: skip
"""Columns that people are shown at first; all others with --table pairs."""


def compare(
    study: ScoresArgument,
    measures: MeasuresArgument,
    *,
    by: ByOption = "system_id",
    within: Annotated[
        str | None,
        typer.Option(
            "--within",
            metavar="COLUMN",
            autocompletion=complete_columns,
            help="Compare the groups within each value of this column that has all of them, such as within each topic_id.",
            show_default=False,
            rich_help_panel=SESSIONS,
        ),
    ] = None,
    where: WhereOption = None,
    cut: Annotated[
        int | None,
        typer.Option(
            "--cut",
            metavar="N",
            min=2,
            max=9,
            help="Cut numbers, such as years of experience, into N groups of about one size: the column of --within if it holds numbers, "
            "else that of --by.",
            show_default=False,
            rich_help_panel=SESSIONS,
        ),
    ] = None,
    test: TestOption = None,
    population: PopulationOption = None,
    random: Annotated[
        str | None,
        typer.Option(
            "--random",
            metavar="FACTOR,...",
            autocompletion=completing(FACTORS),
            help=f"Of --population users,topics: {', '.join(FACTORS)} (of --by in place of system_id; with the topic, the "
            "topic-by-group interaction). Default: the first three, where they are known.",
            show_default=False,
        ),
    ] = None,
    correction: CorrectionOption = "bonferroni",
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 9_999,
    seed: SeedOption = 0,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    cache: CacheOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Test whether groups of sessions differ, and by how much.

    The study's design, which decides the test, is read from the data. Sessions are matched by user and topic; a pair that
    lacks a value is left out whole. One row per measure and pair of groups, b minus a: the estimate with its interval,
    p, p_adjusted and effect size, the raw means and their difference, wins, ties and losses, and the smallest detectable
    difference. The reading says in words what was found, for whom and from how much data. Tables for --table: pairs,
    overall, order (period and carry-over), groups, units, dropped, made_with, reading.

    --population users,topics fits a mixed model by REML: groups are fixed; users, topics and the topic-by-group interaction
    are random. Its tables: effects (differences, b minus a), components (variances, with intervals), fits, reading.

    Without --table tsv and csv have every table under a line "# name", and jsonl a field table.
    """
    from sessionkit.analysis.compare.compare import compare as compared
    from sessionkit.study import Study

    to = destination(format_, output, chart)
    opened = open_scores(study, measures, where)
    of_scores = not isinstance(opened, Study)
    with working("comparing"):
        found = compared(
            opened,
            measures,
            by,
            within=within,
            where=where if of_scores else None,
            cut=cut,
            test=test,
            population=population,
            random=random,
            correction=correction,
            confidence=confidence,
            draws=draws,
            seed=seed,
            memory=memory,
            cache=cache,
        )
    if chart is not None:
        from sessionkit.charts import differences

        to.draw(differences(found, synthetic=isinstance(opened, Study) and opened.settings.synthetic))
    tables = found.tables()
    if to.form is OutputForm.table and table is None and "pairs" in tables:
        levels = [] if within is None else [within]
        tables = {
            "pairs": tables["pairs"].select(*levels, *SHOWN),
            **{name: tables[name] for name in ("overall", "order", "dropped")},
        }
    if table is None:
        tables.pop("units", None)  # a row for each user: shown when it is asked for
    to.send_finding(tables, found.reading, table, found)
