"""The command about how far searchers look: calibrate."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sessionkit.choices import SignalChoice, Unmarked
from sessionkit.cli.options import (
    ChartOption,
    ConfidenceOption,
    DrawsOption,
    FormatOption,
    MemoryOption,
    OutputOption,
    SeedOption,
    TableOption,
    UnitsOption,
    WhereOption,
    Word,
    complete_measures,
    open_source,
    words,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import note, working
from sessionkit.errors import UsageError

if TYPE_CHECKING:
    from sessionkit.analysis.calibrate.calibration import Calibration

SIGNALS = words(SignalChoice)
UNMARKED = words(Unmarked)
SHOWN = {
    "parameters": ["model", "criterion", "parameter", "estimate", "low", "high", "interval", "note"],
    "fits": ["model", "criterion", "measure", "aic", "TSE", "KL", "reach_rank_2", "reach_query_2", "depends_on_grid"],
}
"""Columns that people are shown at first; all others with --table."""


def calibrate(
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY",
            help="A study directory or its address (s3://...), a study.toml, or a log that needs no options; not with --counts.",
            show_default=False,
        ),
    ] = None,
    *,
    where: WhereOption = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="MEASURE",
            autocompletion=complete_measures,
            help="What to fit: sDCG in any of its forms, such as 'sDCG(like=jiang2016)@10', nsDCG, sRBP, RBP, DCG or nDCG, or all; "
            "may be given again. Ranks are fitted as far as the cutoff. Default: sDCG.",
            show_default=False,
        ),
    ] = None,
    counts: Annotated[
        Path | None,
        typer.Option(
            "--counts",
            metavar="FILE",
            help="In place of a study: a tab- or comma-separated table with the columns rank, query and count.",
            show_default=False,
        ),
    ] = None,
    signal: Annotated[
        Word,
        typer.Option(
            "--signal",
            metavar=SIGNALS,
            help="What shows that a result was looked at. last_click: all down to the deepest click. clicks: what was clicked, and "
            "no other. examined, dwell: all down to the deepest result with the mark, or with dwell time. auto: examined, else last_click, "
            "else dwell.",
        ),
    ] = "auto",
    unmarked: Annotated[
        Word,
        typer.Option(
            "--unmarked",
            metavar=UNMARKED,
            help="What a list without the signal counts as: looked at down to rank 1, or left out.",
        ),
    ] = "first",
    min_dwell: Annotated[
        float,
        typer.Option("--min-dwell", metavar="SECONDS", help="With --signal dwell: minimum dwell time on a result."),
    ] = 0.0,
    ranks: Annotated[
        int | None,
        typer.Option(
            "--ranks",
            metavar="N",
            help="Cut lists off at rank N. Default: the cutoff.",
            show_default=False,
        ),
    ] = None,
    queries: Annotated[
        int | None,
        typer.Option("--queries", metavar="N", help="Cut sessions off at query N.", show_default=False),
    ] = None,
    cut_short: Annotated[
        str | None,
        typer.Option(
            "--cut-short",
            metavar="COLUMN",
            help="Column of the sessions that is true where the searcher did not end the session.",
            show_default=False,
        ),
    ] = None,
    units: UnitsOption = "auto",
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 1000,
    seed: SeedOption = 0,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Fit discounts to how far searchers look.

    A discount is the share of searchers who reach a rank and a query. It is fitted by the likelihood of where they stopped;
    lists and sessions that ended otherwise are censored. TSE and KL fits are for comparison with the literature. Warnings
    come first: parameters that are not identifiable, fits that depend on the grid. The last line is the command that scores
    with the fitted discounts. Tables for --table: parameters, fits, grids, expected (looks by rank and query position,
    observed and expected), examined (observed shares of lists by query and rank), reading.
    """
    from sessionkit.analysis.calibrate.calibrate import calibrate as calibrated
    from sessionkit.analysis.calibrate.models import models_of
    from sessionkit.analysis.calibrate.tables import counts_file

    if (study is None) == (counts is None):
        said = "give one of them" if counts is None else "give only one of them"
        msg = f"calibrate takes STUDY, or a table of counts with --counts FILE; {said}"
        raise UsageError(msg)
    to = destination(format_, output, chart)
    models_of(model or "sDCG")
    opened = open_source(study, where) if study is not None else None
    seen = counts_file(counts or "") if opened is None else opened
    with working("fitting discounts"):
        found = calibrated(
            seen,
            model or ["sDCG"],
            signal=signal,
            unmarked=unmarked,
            min_dwell=min_dwell,
            ranks=ranks,
            queries=queries,
            cut_short=cut_short,
            units=units,
            confidence=confidence,
            draws=draws,
            seed=seed,
            memory=memory,
        )
    tables = {**found.tables(), "expected": found.expected, "examined": found.examined}
    people = to.form is OutputForm.table and table is None
    if people:
        tables = {name: tables[name].select(columns) for name, columns in SHOWN.items()}
    else:
        for line in found.warnings:
            note(line)
    to.send_finding(tables, "\n".join([found.reading, *_command(found, study)]), table, found)
    if chart is not None:
        from sessionkit.charts import discount_fit
        from sessionkit.reports.figures.robustness import FITTED

        synthetic = opened is not None and opened.settings.synthetic
        to.draw(discount_fit(found, synthetic=synthetic, title=FITTED))


def _command(found: Calibration, study: str | None) -> list[str]:
    """The command that scores with the fitted measures."""
    from sessionkit.scoring.measures.grammar import parse_measure

    if not found.measures:
        return []
    texts = [text if parse_measure(text).level == "session" else f"mean({text})" for text in found.measures]
    return [" ".join(["sessionkit score", shlex.quote(study or "STUDY"), *(shlex.quote(text) for text in texts)])]
