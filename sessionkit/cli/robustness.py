"""Judgments as they might have been, fewer or by other judges; and how many pairs of systems measures tell apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sessionkit.choices import ErrorSource, ErrorSpread, JudgmentPool
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
from sessionkit.cli.runner import working

SPREADS = words(ErrorSpread)
SOURCES = f"{words(ErrorSource)}|SHARE"
SHOWN = {"knees", "agreement", "confusion"}
"""Tables of judgment loss that people are shown at first, beside the pair where there is one only."""


PairsOption = Annotated[
    int,
    typer.Option("--pairs", metavar="N", help="Pairs of groups to test, at most; of more, a random choice."),
]
FullOption = Annotated[
    float | None,
    typer.Option(
        "--full",
        metavar="SHARE",
        help="Leave out groups that returned less than this share of the results that they could have. Default: 0.95 for runs, "
        "none for searchers.",
        show_default=False,
    ),
]


def judgment_loss(
    study: StudyArgument,
    measures: MeasuresArgument,
    *,
    fractions: Annotated[
        str | None,
        typer.Option(
            "--fractions",
            metavar="SHARES",
            help="Shares of the judgments to keep, such as 0.1:1:10 (ten shares from 0.1 to 1) or 0.2,0.5. Default: sigir2007, 17 "
            "from 0.01 to 1.",
            show_default=False,
        ),
    ] = None,
    by: ByOption = "system_id",
    where: WhereOption = None,
    draws: DrawsOption = 10,
    seed: SeedOption = 0,
    pool: Annotated[
        Word | None,
        typer.Option(
            "--pool",
            metavar=words(JudgmentPool),
            help="Judgments behind the verdict on a pair: of documents that either of its groups showed (pair), or all (study). "
            "Default: pair with more than two groups, else study.",
            show_default=False,
        ),
    ] = None,
    pairs: PairsOption = 300,
    test: TestOption = None,
    population: PopulationOption = None,
    confidence: ConfidenceOption = 0.95,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold", metavar="TAU", help="The knee is the smallest share of judgments with this Kendall's tau."
        ),
    ] = 0.9,
    min_grade: Annotated[float, typer.Option("--min-grade", metavar="GRADE", help="Lowest relevant grade.")] = 1.0,
    full: FullOption = None,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Test whether fewer judgments give the same result.

    The protocol of SIGIR 2007: random shares of the judgments are kept and every session is scored again. The result is
    Kendall's tau between the order of systems and their order with all judgments, the knee of its curve, and the number of
    unchanged verdicts on pairs. Tables for --table: agreement, knees, confusion, pairs, left_out, made_with, reading.
    """
    from sessionkit.analysis.judgment_loss.judgment_loss import judgment_loss as lost

    to = destination(format_, output, chart)
    opened = open_source(study, where)
    with working("removing judgments"):
        found = lost(
            opened,
            measures,
            by,
            fractions=fractions,
            draws=draws,
            seed=seed,
            pool=pool,
            pairs=pairs,
            test=test,
            population=population,
            confidence=confidence,
            threshold=threshold,
            min_grade=min_grade,
            full=full,
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
            help="Source of the errors: other judges of the same document, its searchers, or a declared share of wrong judgments, such "
            "as 0.1. Default: judges if two share a document, else 0.1.",
            show_default=False,
        ),
    ] = None,
    spread: Annotated[
        Word,
        typer.Option(
            "--spread", metavar=SPREADS, help="Grades that a declared share of errors changes to: adjacent or any."
        ),
    ] = "adjacent",
    draws: DrawsOption = 200,
    seed: SeedOption = 0,
    pairs: PairsOption = 300,
    test: TestOption = None,
    population: PopulationOption = None,
    confidence: ConfidenceOption = 0.95,
    full: FullOption = None,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show judge agreement, and how judge errors change results.

    Agreement is that of assessors, of searchers (user_grade), and of searchers with the judgments. Every judgment is then
    redrawn with a judge's errors, many times, and every session scored again. The result is the distribution of each
    difference, and the share of draws in which another system wins or the verdict changes. Tables for --table: pairs,
    order (of all systems), errors, agreement, left_out, made_with, reading.
    """
    from sessionkit.analysis.judge_noise.judge_noise import judge_noise as redrawn

    to = destination(format_, output, chart)
    opened = open_source(study, where)
    with working("redrawing judgments"):
        found = redrawn(
            opened,
            measures,
            by,
            noise=noise_,
            spread=spread,
            draws=draws,
            seed=seed,
            pairs=pairs,
            test=test,
            population=population,
            confidence=confidence,
            full=full,
            memory=memory,
        )
    if chart is not None:
        from sessionkit.charts import judge_noise as drawn

        to.draw(drawn(found, synthetic=opened.settings.synthetic))
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        tables = {name: tables[name] for name in ("pairs", "order", "errors", "agreement")}
    to.send_finding(tables, found.reading, table, found)


def agreement(
    study: StudyArgument,
    *,
    old: Annotated[
        str | None,
        typer.Option(
            "--old",
            metavar="FILE",
            help="Hold the study's judgments against these: a file of judgments, or a study.",
            show_default=False,
        ),
    ] = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show how far judges agree, and which grades they gave.

    Each pair of judges has the share of equal grades and Cohen's kappa (plain, linear, quadratic); all judges together have
    Krippendorff's alpha (nominal, ordinal, interval). Columns: judge_id, other (both empty for all judges), measure, value,
    n (documents that both, or at least two of all, judged). 1 is perfect agreement, 0 is agreement by chance. The table grades
    has the documents for each grade of one judge and grade of the other, with their share of all, of the grade and of the
    other grade; crossed shows them side by side. --old makes two judges of the study's judgments (new) and others (old), as
    after a rejudgment. Tables for --table: agreement, grades, crossed, reading.
    """
    from sessionkit.analysis.agreement import agreement as agreed

    to = destination(format_, output)
    opened = open_source(study)
    before = open_source(old) if old is not None and _is_study(old) else old
    found = agreed(opened, old=before)
    to.send_finding(found.tables(), found.reading, table, found)


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
    full: FullOption = None,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Count the pairs of systems that each measure separates.

    Discriminative power, after Sakai. One row per measure: the share of all pairs that differ significantly, and the
    difference needed for that. The table asl has all p-values in order, the curve of achieved significance levels. Tables
    for --table: power, asl, left_out, made_with, reading.
    """
    from sessionkit.analysis.discriminative_power.discriminative_power import discriminate as told_apart

    to = destination(format_, output, chart)
    opened = open_source(study, where)
    with working("comparing systems"):
        found = told_apart(
            opened,
            measures,
            by,
            test=test,
            population=population,
            confidence=confidence,
            draws=draws,
            seed=seed,
            full=full,
            memory=memory,
        )
    if chart is not None:
        from sessionkit.charts import discriminative_power as drawn

        to.draw(drawn(found, synthetic=opened.settings.synthetic))
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        tables = {"power": tables["power"], **({"asl": tables["asl"]} if tables["asl"].height <= 20 else {})}
    to.send_finding(tables, found.reading, table, found)


def _is_study(name: str) -> bool:
    """Whether a name is that of a study, and not of a file of judgments."""
    return name.endswith(".toml") or "://" in name or Path(name).is_dir()
