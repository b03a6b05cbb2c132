"""Judgments as they might have been, fewer or by other judges; and how many pairs of systems measures tell apart."""

from __future__ import annotations

from typing import Annotated

import typer

from sessionkit.choices import ErrorSource, ErrorSpread
from sessionkit.cli.options import (
    ByOption,
    ChartOption,
    ConfidenceOption,
    DrawsOption,
    FormatOption,
    MeasuresArgument,
    MemoryOption,
    OutputOption,
    PopulationOption,
    SeedOption,
    StudyArgument,
    TableOption,
    TestOption,
    WhereOption,
    Word,
    open_source,
    words,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import note, working

SPREADS = words(ErrorSpread)
SOURCES = f"{words(ErrorSource)}|SHARE"
SHOWN = {"knees", "agreement", "confusion"}
"""Tables of judgment loss that people are shown at first, beside the pair where there is one only."""


def judgment_loss(
    study: StudyArgument,
    measures: MeasuresArgument,
    *,
    fractions: Annotated[
        str,
        typer.Option(
            "--fractions",
            metavar="SHARES",
            help="The shares of the judgments that are kept: such as 0.1:1:10 (from 0.1 to 1, ten of them), 0.2,0.5, or sigir2007 "
            "(17 from 0.01 to 1).",
        ),
    ] = "0.1:1:10",
    by: ByOption = "system_id",
    where: WhereOption = None,
    draws: DrawsOption = 10,
    seed: SeedOption = 0,
    test: TestOption = None,
    population: PopulationOption = None,
    confidence: ConfidenceOption = 0.95,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Whether fewer judgments would have found the same.

    The protocol of SIGIR 2007: shares of the judgments are kept at random and every session is scored again. Kendall's tau
    of the order of systems against that by all judgments, where its curve has its knee, and how many verdicts on pairs
    stay. Tables for --table: agreement, knees, confusion, pairs, left_out, settings, reading.
    """
    from sessionkit.analysis.judgment_loss.judgment_loss import judgment_loss as lost

    to = destination(format_, output, chart)
    opened = open_source(study, where)
    with working("losing judgments"):
        found = lost(
            opened,
            measures,
            by,
            fractions=fractions,
            draws=draws,
            seed=seed,
            test=test,
            population=population,
            confidence=confidence,
            memory=memory,
        )
    if chart is not None:
        from sessionkit.charts import judgment_loss as drawn
        from sessionkit.reports.figures.robustness import LOST

        to.draw(drawn(found, synthetic=opened.settings.synthetic, title=LOST))
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        alone = found.pairs.select("a", "b").n_unique() == 1
        shown = {"knees", "agreement", "pairs"} if alone else SHOWN
        tables = {name: frame for name, frame in tables.items() if name in shown}
    to.send_finding(tables, found.reading, table, found)


def judge_noise(
    study: StudyArgument,
    measures: MeasuresArgument,
    *,
    by: ByOption = "system_id",
    where: WhereOption = None,
    noise_: Annotated[
        str | None,
        typer.Option(
            "--noise",
            metavar=SOURCES,
            help="Where errors are from: what another judge said of the same document, what searchers said of it, or a declared share "
            "of judgments that err, such as 0.1. Default: judges where two have a document in common, else 0.1.",
            show_default=False,
        ),
    ] = None,
    spread: Annotated[
        Word,
        typer.Option(
            "--spread", metavar=SPREADS, help="Where errors of a declared share go: neighboring grades, or any."
        ),
    ] = "adjacent",
    draws: DrawsOption = 200,
    seed: SeedOption = 0,
    test: TestOption = None,
    population: PopulationOption = None,
    confidence: ConfidenceOption = 0.95,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """How far judges agree, and how far errors move a comparison.

    Agreement of assessors, of searchers (user_grade), and of searchers and judgments. Then every judgment is drawn anew by
    a judge's errors, many times, and every session scored again: what becomes of each difference, in what share of draws
    another system wins or the verdict changes. Tables for --table: pairs, order (of all systems), errors, agreement,
    left_out, settings, reading.
    """
    from sessionkit.analysis.judge_noise.judge_noise import judge_noise as redrawn

    to = destination(format_, output, chart)
    opened = open_source(study, where)
    with working("drawing judgments"):
        found = redrawn(
            opened,
            measures,
            by,
            noise=noise_,
            spread=spread,
            draws=draws,
            seed=seed,
            test=test,
            population=population,
            confidence=confidence,
            memory=memory,
        )
    if chart is not None:
        from sessionkit.charts import judge_noise as drawn

        to.draw(drawn(found, synthetic=opened.settings.synthetic))
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        tables = {name: tables[name] for name in ("pairs", "order", "errors", "agreement")}
    to.send_finding(tables, found.reading, table, found)


def agreement(study: StudyArgument, *, format_: FormatOption = None, output: OutputOption = None) -> None:
    """How far judges agree.

    For every two judges the share of equal grades and Cohen's kappa (plain, linear, quadratic), for all of them Krippendorff's
    alpha (nominal, ordinal, interval): judge_id, other (both empty in the rows about all), measure, value, n (documents that
    both, or at least two of all, judged). 1 is perfect agreement, 0 what chance would give.
    """
    from sessionkit.analysis.agreement import agreement as agreed

    to = destination(format_, output)
    found = agreed(open_source(study))
    if found.is_empty():
        note("no document has grades of two judges: the judgments need a column judge_id")
    to.send(found)


def discriminate(
    study: StudyArgument,
    measures: MeasuresArgument,
    *,
    by: ByOption = "system_id",
    where: WhereOption = None,
    test: TestOption = None,
    population: PopulationOption = None,
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 9_999,
    seed: SeedOption = 0,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """How many pairs of systems each measure tells apart.

    Discriminative power, after Sakai. One row per measure: the share of all pairs that differ significantly, and the
    difference that takes. All p-values in their order, the curve of achieved significance levels, are the table asl. Tables
    for --table: power, asl, left_out, settings, reading.
    """
    from sessionkit.analysis.discriminative_power.discriminative_power import discriminate as told_apart

    to = destination(format_, output, chart)
    opened = open_source(study, where)
    with working("telling systems apart"):
        found = told_apart(
            opened,
            measures,
            by,
            test=test,
            population=population,
            confidence=confidence,
            draws=draws,
            seed=seed,
            memory=memory,
        )
    if chart is not None:
        from sessionkit.charts import discriminative_power as drawn

        to.draw(drawn(found, synthetic=opened.settings.synthetic))
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        tables = {"power": tables["power"], **({"asl": tables["asl"]} if tables["asl"].height <= 20 else {})}
    to.send_finding(tables, found.reading, table, found)
