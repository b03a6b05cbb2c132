"""The command about what goes with what, correlate; and how findings with a reading are written."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from sessionkit.cli.options import (
    FormatOption,
    MemoryOption,
    OutputOption,
    PartialsOption,
    StudyArgument,
    TableOption,
    columns_or_measures_first,
    open_source,
)
from sessionkit.cli.output import Destination, OutputForm, destination
from sessionkit.cli.runner import working

if TYPE_CHECKING:
    import polars as pl

COEFFICIENTS = "pearson|spearman|kendall"
INTERVALS = "percentile|bca"
UNITS = "auto|users|sessions"
WIDTH = 100

SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the draws.")]
ResamplesOption = Annotated[
    int, typer.Option("--resamples", metavar="N", help="Number of draws of users, or of sessions.")
]
ConfidenceOption = Annotated[
    float, typer.Option("--confidence", metavar="SHARE", help="Confidence of intervals, such as 0.95.")
]
UnitsOption = Annotated[
    str,
    typer.Option(
        "--units",
        metavar=UNITS,
        help="What is drawn and tested. auto: users where any has several sessions, which are not independent, else sessions.",
    ),
]


def correlate(
    study: StudyArgument,
    measures: Annotated[
        list[str],
        typer.Argument(
            metavar="MEASURE",
            help="Such as 'nsDCG@10' 'mean(nDCG@10)', see: sessionkit measures; or a column of numbers.",
            callback=columns_or_measures_first,
        ),
    ],
    *,
    with_: Annotated[
        list[str],
        typer.Option(
            "--with",
            metavar="COLUMN",
            help="Ratings or other numbers of sessions or users, such as performance, or a measure; may be given again.",
            show_default=False,
            callback=columns_or_measures_first,
        ),
    ],
    partial: Annotated[
        list[str] | None,
        typer.Option(
            "--partial",
            metavar="COLUMN|MEASURE",
            help="Hold this constant, such as Queries, the number of queries; may be given again.",
            show_default=False,
            callback=columns_or_measures_first,
        ),
    ] = None,
    coefficients: Annotated[
        str, typer.Option("--coefficients", metavar=COEFFICIENTS, help="Coefficients, several joined by commas.")
    ] = COEFFICIENTS.replace("|", ","),
    units: UnitsOption = "auto",
    interval: Annotated[
        str | None,
        typer.Option(
            "--interval",
            metavar=INTERVALS,
            help="Intervals from draws of units. Default: percentile for users; by formula for independent sessions.",
            show_default=False,
        ),
    ] = None,
    confidence: ConfidenceOption = 0.95,
    resamples: ResamplesOption = 5000,
    seed: SeedOption = 0,
    memory: MemoryOption = None,
    partials: PartialsOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Measures against ratings: what goes with what, how surely.

    Pearson, Spearman and Kendall's tau-b with intervals and p-values, over the sessions that have both numbers. Where
    users have several sessions these come from draws of whole users. Tables for --table: correlations, differences (of
    two measures in their correlation: Williams, Steiger, or draws), reading.
    """
    from sessionkit.analysis.correlate.correlate import correlate as correlated

    to = destination(format_, output)
    opened = open_source(study)
    with working("correlating"):
        found = correlated(
            opened,
            measures,
            with_,
            partial=partial or (),
            coefficients=coefficients,
            units=units,
            interval=interval,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
            memory=memory,
            partials=partials,
        )
    send_finding({"correlations": found.table, "differences": found.differences}, found.reading, to, table)


def send_finding(tables: dict[str, pl.DataFrame], reading: str, to: Destination, only: str | None) -> None:
    """Write what was found: for people the reading and then the tables, else the tables, of which the reading is one."""
    import polars as pl

    if to.form is not OutputForm.table or only is not None:
        to.send_tables({**tables, "reading": pl.DataFrame({"sentence": reading.split("\n")})}, {}, only)
        return
    shown = {name: _told(frame) for name, frame in tables.items() if len(frame)}
    lines = [line for sentence in reading.split("\n") for line in textwrap.wrap(sentence, WIDTH)]
    first = next(iter(shown))
    to.send_tables(shown, {first: "\n".join([*lines, "", first])})


def _told(frame: pl.DataFrame) -> pl.DataFrame:
    """A table without the columns that say nothing."""
    return frame.select(column for column in frame if column.null_count() < len(column))
