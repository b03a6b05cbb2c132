"""Commands about differences and relations: compare, correlate and power."""

from __future__ import annotations

from typing import Annotated

import typer

from sessionkit.arguments import Coefficient
from sessionkit.cli.command import completing
from sessionkit.cli.options import (
    DIFFERENCE,
    SESSIONS,
    WITH,
    ByOption,
    CacheOption,
    ChartOption,
    ConfidenceOption,
    CorrectionOption,
    DrawsOption,
    FormatOption,
    IntervalOption,
    MeasureArgument,
    MeasuresArgument,
    MemoryOption,
    OutputOption,
    PopulationOption,
    ScoresArgument,
    SeedOption,
    StudyArgument,
    TableOption,
    TestOption,
    UnitsOption,
    WhereOption,
    columns_or_measures_first,
    complete_columns,
    complete_columns_and_measures,
    open_scores,
    open_source,
    words,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import working
from sessionkit.errors import UsageError

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
    from sessionkit.statistics.compare import compare as compared
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
    to.send_finding(tables, found.statements, table, found)


COEFFICIENTS = words(Coefficient)


def correlate(
    study: StudyArgument,
    measures: Annotated[
        list[str],
        typer.Argument(
            metavar="MEASURE",
            help="Such as 'nsDCG@10' 'mean(nDCG@10)', see: sessionkit measures; or a column of numbers.",
            autocompletion=complete_columns_and_measures,
            callback=columns_or_measures_first,
        ),
    ],
    *,
    where: WhereOption = None,
    with_: Annotated[list[str], WITH],
    control: Annotated[
        list[str] | None,
        typer.Option(
            "--control",
            metavar="COLUMN|MEASURE",
            autocompletion=complete_columns_and_measures,
            help="Hold this constant, such as Queries, the number of queries; repeatable.",
            show_default=False,
            callback=columns_or_measures_first,
        ),
    ] = None,
    coefficients: Annotated[
        str, typer.Option("--coefficients", metavar=COEFFICIENTS, help="Coefficients, several joined by commas.")
    ] = COEFFICIENTS.replace("|", ","),
    units: UnitsOption = "auto",
    interval: IntervalOption = None,
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 5000,
    seed: SeedOption = 0,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    cache: CacheOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Correlate measures with ratings or other columns.

    Pearson, Spearman and Kendall's tau-b with intervals and p-values, over the sessions that have both numbers. Where
    users have several sessions, whole users are resampled. Tables for --table: correlations, differences (between the
    correlations of two measures: Williams, Steiger, or draws), reading.
    """
    from sessionkit.statistics.correlate import correlate as correlated

    to = destination(format_, output, chart)
    opened = open_source(study, where)
    with working("correlating"):
        found = correlated(
            opened,
            measures,
            with_,
            control=control or (),
            coefficients=coefficients,
            units=units,
            interval=interval,
            confidence=confidence,
            draws=draws,
            seed=seed,
            memory=memory,
            cache=cache,
        )
    if chart is not None:
        from sessionkit.charts import correlation_forest

        to.draw(correlation_forest(found, synthetic=opened.settings.synthetic))
    to.send_finding({"correlations": found.table, "differences": found.differences}, found.statements, table, found)


def power(
    study: ScoresArgument,
    measure: MeasureArgument,
    *,
    difference: Annotated[str, DIFFERENCE],
    by: ByOption = "system_id",
    where: WhereOption = None,
    population: PopulationOption = None,
    target: Annotated[float, typer.Option("--target", metavar="SHARE", help="Power to reach.")] = 0.8,
    users: Annotated[
        str | None,
        typer.Option(
            "--users",
            metavar="N,...",
            help="Numbers of users to simulate. Default: up to 16 times the present number.",
            show_default=False,
        ),
    ] = None,
    topics: Annotated[
        str | None,
        typer.Option(
            "--topics",
            metavar="N,...",
            help="Numbers of topics to simulate. Default: for claims about topics, up to 8 times the present number.",
            show_default=False,
        ),
    ] = None,
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 2_000,
    component_draws: Annotated[
        int, typer.Option("--component-draws", metavar="N", help="Draws of the variance components.")
    ] = 400,
    seed: SeedOption = 0,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    cache: CacheOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Plan the size of a study for a difference.

    Larger studies of the same design are simulated and tested as by compare. Variance components are estimated from this
    study; power has a range because they are uncertain. Tables for --table: smallest (the smallest numbers that reach the
    target, by claim and topics, and how many more that is than now; limit: power with infinitely many users), power (by
    size; users empty: infinitely many), components, reading.
    """
    from sessionkit.statistics.power import power as planned
    from sessionkit.study import Study

    to = destination(format_, output, chart)
    asked = {name: _whole(name, text) for name, text in (("users", users), ("topics", topics))}
    opened = open_scores(study, [measure], where)
    of_scores = not isinstance(opened, Study)
    with working("simulating studies"):
        found = planned(
            opened,
            measure,
            by,
            where=where if of_scores else None,
            difference=difference,
            population=population,
            target=target,
            users=asked["users"],
            topics=asked["topics"],
            confidence=confidence,
            draws=draws,
            component_draws=component_draws,
            seed=seed,
            memory=memory,
            cache=cache,
        )
    if chart is not None:
        from sessionkit.charts import power_curve

        to.draw(power_curve(found, synthetic=isinstance(opened, Study) and opened.settings.synthetic))
    tables = found.tables()
    if to.form is OutputForm.table and table is None and users is None and topics is None:
        tables = {name: tables[name] for name in ("smallest", "components")}
    to.send_finding(tables, found.statements, table, found)


def _whole(name: str, text: str | None) -> list[int] | None:
    """Whole numbers joined by commas."""
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        msg = f"--{name} takes whole numbers joined by commas, such as 30,60,90, not {text!r}"
        raise UsageError(msg) from None
