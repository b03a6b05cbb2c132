"""The command about what goes with what: correlate."""

from __future__ import annotations

from typing import Annotated

import typer

from sessionkit.choices import Coefficient
from sessionkit.cli.options import (
    WITH,
    CacheOption,
    ChartOption,
    ConfidenceOption,
    DrawsOption,
    FormatOption,
    IntervalOption,
    MemoryOption,
    OutputOption,
    SeedOption,
    StudyArgument,
    TableOption,
    UnitsOption,
    WhereOption,
    columns_or_measures_first,
    complete_columns_and_measures,
    open_source,
    words,
)
from sessionkit.cli.output import destination
from sessionkit.cli.runner import working

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
    from sessionkit.analysis.correlate.correlate import correlate as correlated

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
    to.send_finding({"correlations": found.table, "differences": found.differences}, found.reading, table, found)
