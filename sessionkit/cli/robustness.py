"""Commands about how far findings can be trusted: sweep, bounds, calibrate, judgment loss, judge noise, agreement, discriminate."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sessionkit.arguments import ErrorSource, ErrorSpread, JudgmentPool, RowUnit, SignalChoice, Unmarked
from sessionkit.cli.options import (
    VARY,
    ByOption,
    ChartOption,
    ConfidenceOption,
    CorrectionOption,
    DrawsOption,
    FormatOption,
    MeasureArgument,
    MeasuresArgument,
    MemoryOption,
    OutputOption,
    PerOption,
    PopulationOption,
    SeedOption,
    StudyArgument,
    TableOption,
    TestOption,
    UnitsOption,
    WhereOption,
    Word,
    complete_measures,
    open_source,
    words,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import note, working
from sessionkit.display.statements import Statement
from sessionkit.errors import UsageError

if TYPE_CHECKING:
    from sessionkit.robustness.calibrate_counts import Calibration

SPREADS = words(ErrorSpread)
SOURCES = f"{words(ErrorSource)}|SHARE"
LOSS_TABLES_SHOWN = {"knees", "agreement", "confusion"}
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
    from sessionkit.robustness.judgment_loss import judgment_loss as lost

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
        shown = {"knees", "agreement", "pairs"} if alone else LOSS_TABLES_SHOWN
        tables = {name: frame for name, frame in tables.items() if name in shown}
    to.send_finding(tables, found.statements, table, found)


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
    from sessionkit.robustness.judge_noise import judge_noise as redrawn

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
    to.send_finding(tables, found.statements, table, found)


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
    from sessionkit.statistics.agreement import agreement as agreed

    to = destination(format_, output)
    opened = open_source(study)
    before = open_source(old) if old is not None and _is_study(old) else old
    found = agreed(opened, old=before)
    to.send_finding(found.tables(), found.statements, table, found)


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
    from sessionkit.robustness.discriminative_power import discriminate as told_apart

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
    to.send_finding(tables, found.statements, table, found)


def _is_study(name: str) -> bool:
    """Whether a name is that of a study, and not of a file of judgments."""
    return name.endswith(".toml") or "://" in name or Path(name).is_dir()


SWEEP_TABLES_SHOWN = ("regions", "ranges", "nearest")
"""Tables that people are shown at first; all others with --table."""


def varied(texts: list[str]) -> dict[str, str]:
    """Read what --vary says: the text of the values by the parameter's name."""
    found: dict[str, str] = {}
    for text in texts:
        name, is_, values = text.partition("=")
        if not is_ or not name.strip() or not values.strip():
            msg = f"--vary {text!r}: write NAME=low:high:steps, such as b=1.5:10:18, or NAME=value,value, such as gain=linear,exp2"
            raise UsageError(msg)
        if name.strip() in found:
            msg = f"--vary {name.strip()} is given twice; join its values by commas: --vary {name.strip()}=value,value"
            raise UsageError(msg)
        found[name.strip()] = values.strip()
    return found


def sweep(
    study: StudyArgument,
    measure: MeasureArgument,
    *,
    vary: Annotated[list[str], VARY],
    by: ByOption = "system_id",
    where: WhereOption = None,
    test: TestOption = None,
    population: PopulationOption = None,
    correction: CorrectionOption = "bonferroni",
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 9_999,
    seed: SeedOption = 0,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Test how a conclusion depends on a measure's parameters.

    MEASURE as given is the base setting. Every combination of the values is scored and compared as by compare: which group
    leads, by what margin, with what p; whether the groups keep the order of the base setting; where the conclusion holds,
    and the nearest setting that overturns it. Invalid combinations stay in the table with the reason. Tables for --table:
    settings (a row for each), means, regions, ranges, nearest, parameters, made_with, reading. Without --table, tsv and csv
    put each table under a line "# name", and jsonl adds a field table.
    """
    from sessionkit.robustness.sweep import sweep as swept

    to = destination(format_, output, chart)
    values = varied(vary)
    opened = open_source(study, where)
    with working("sweeping"):
        found = swept(
            opened,
            measure,
            values,
            by,
            test=test,
            population=population,
            correction=correction,
            confidence=confidence,
            draws=draws,
            seed=seed,
            memory=memory,
        )
    if chart is not None:
        from sessionkit.charts import sweep_map
        from sessionkit.reports.figures.robustness import SWEPT

        to.draw(sweep_map(found, synthetic=opened.settings.synthetic, title=SWEPT))
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        readable = found.readable_tables()
        tables = {name: readable[name] for name in SWEEP_TABLES_SHOWN}
    to.send_finding(tables, found.statements, table, found)


PER = words(RowUnit)
LEFT_OUT = ["open", "undefined", "moving", "residual", "note"]
"""Columns of bounds that people are not shown at first; all with --table bounds."""
"""Columns of bounds that people are shown at first; all others with --table bounds."""


def bounds(
    study: StudyArgument,
    measures: MeasuresArgument,
    *,
    by: ByOption = "system_id",
    where: WhereOption = None,
    per: PerOption = None,
    max_grade: Annotated[
        float | None,
        typer.Option(
            "--max-grade",
            metavar="GRADE",
            help="Best grade that an unjudged document could have. Default: the study's max_grade.",
            show_default=False,
        ),
    ] = None,
    wanted: Annotated[
        int,
        typer.Option(
            "--wanted", metavar="N", min=0, help="Unjudged documents to list for each measure and pair of groups."
        ),
    ] = 10,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show how much is judged, and how far scores could move.

    The command gives bounds of each group's mean score over all possible grades of unjudged documents, a document having
    the same grade wherever it was shown. It shows whether each difference between groups keeps its sign within the bounds,
    and which unjudged documents would change it most. The bounds allow for ideals: a relevant document can raise the ideal
    and so lower a normalized measure. Tables for --table: bounds, differences, wanted, judged (by query position and rank),
    units (with --per), reading.
    """
    from sessionkit.robustness.bounds import bounds as bounded

    to = destination(format_, output)
    if table == "units" and per is None:
        raise UsageError(f"--table units has a row for each session or query; add --per {PER}")
    opened = open_source(study, where)
    with working("bounding scores"):
        found = bounded(
            opened,
            measures,
            by,
            per=per,
            max_grade=max_grade,
            wanted=wanted,
            memory=memory,
        )
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        margins = tables["judged"].filter(
            tables["judged"]["query_position"].is_null() | tables["judged"]["rank"].is_null()
        )
        tables |= {"bounds": tables["bounds"].drop(LEFT_OUT), "judged": margins}
    to.send_finding(tables, found.statements, table, found)


SIGNALS = words(SignalChoice)
UNMARKED = words(Unmarked)
CALIBRATION_COLUMNS_SHOWN = {
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
    from sessionkit.robustness.calibrate import calibrate as calibrated
    from sessionkit.robustness.calibrate import counts_file
    from sessionkit.robustness.calibrate_models import models_of

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
        tables = {name: tables[name].select(columns) for name, columns in CALIBRATION_COLUMNS_SHOWN.items()}
    else:
        for line in found.warnings:
            note(line)
    next_command = [] if to.form is OutputForm.json else _command(found, study)
    to.send_finding(tables, (*found.statements, *next_command), table, found)
    if chart is not None:
        from sessionkit.charts import discount_fit
        from sessionkit.reports.figures.robustness import FITTED

        synthetic = opened is not None and opened.settings.synthetic
        to.draw(discount_fit(found, synthetic=synthetic, title=FITTED))


def _command(found: Calibration, study: str | None) -> list[Statement]:
    """The command that scores with the fitted measures."""
    from sessionkit.scoring.measures.grammar import parse_measure

    if not found.measures:
        return []
    texts = [text if parse_measure(text).level == "session" else f"mean({text})" for text in found.measures]
    command = " ".join(["sessionkit score", shlex.quote(study or "STUDY"), *(shlex.quote(text) for text in texts)])
    return [Statement("command", command, {"command": command})]
