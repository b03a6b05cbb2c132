"""Judgments as they might have been: fewer (incomplete --loss), or by other judges (noise); and discriminate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sessionkit.cli.compare import CLAIMS, TESTS
from sessionkit.cli.options import (
    FormatOption,
    MeasuresArgument,
    MemoryOption,
    OutputOption,
    StudyArgument,
    TableOption,
    open_source,
)
from sessionkit.cli.output import Destination, OutputForm, destination
from sessionkit.cli.runner import tell, working

if TYPE_CHECKING:
    from sessionkit.study import Study

SPREADS = "adjacent|any"
SOURCES = "judges|searchers|SHARE"
SHOWN = {"knees", "agreement", "confusion"}
"""Tables of judgment loss that people are shown at first, beside the pair where there is one only."""
ByOption = Annotated[
    str, typer.Option("--by", metavar="COLUMN", help="Column of sessions or users that names the systems.")
]
TestOption = Annotated[
    str | None,
    typer.Option(
        "--test",
        metavar=TESTS,
        help="Of each pair, without correction. Default: wilcoxon where units met every system, else the design's own.",
        show_default=False,
    ),
]
ClaimOption = Annotated[
    str | None,
    typer.Option("--generalise", metavar=CLAIMS, help="What the units are, as in compare.", show_default=False),
]
AlphaOption = Annotated[float, typer.Option("--alpha", metavar="RATE", help="Level of the verdicts.")]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the draws.")]


def send_loss(
    study: Study,
    measures: list[str],
    by: str,
    *,
    loss: str,
    repeats: int,
    seed: int,
    test: str | None,
    generalise: str | None,
    curve: Path | None,
    memory: str | None,
    to: Destination,
    table: str | None,
) -> None:
    """Work out what becomes of a comparison when judgments are lost, and write it."""
    from sessionkit.analysis.judgment_loss.judgment_loss import judgment_loss
    from sessionkit.analysis.rescore.steps import watched
    from sessionkit.study.atomic_files import require_place

    if curve is not None:
        require_place(curve)
    with watched() as steps, working("losing judgments", steps):
        found = judgment_loss(
            study,
            measures,
            by,
            fractions=loss,
            repeats=repeats,
            seed=seed,
            test=test,
            generalise=generalise,
            memory=memory,
        )
    if curve is not None:
        from sessionkit.charts import save
        from sessionkit.reports.figures.robustness import loss_curves_of

        save(loss_curves_of(found, synthetic=study.settings.synthetic), curve)
        tell(f"written: {curve}")
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        alone = found.pairs.select("a", "b").n_unique() == 1
        shown = {"knees", "agreement", "pairs"} if alone else SHOWN
        tables = {name: frame for name, frame in tables.items() if name in shown}
    to.send_finding(tables, found.reading, table)


def noise(
    study: StudyArgument,
    measures: MeasuresArgument,
    *,
    by: ByOption = "system_id",
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
        str,
        typer.Option(
            "--spread", metavar=SPREADS, help="Where errors of a declared share go: neighbouring grades, or any."
        ),
    ] = "adjacent",
    draws: Annotated[int, typer.Option("--draws", metavar="N", help="How often the judgments are drawn anew.")] = 200,
    seed: SeedOption = 0,
    test: TestOption = None,
    generalise: ClaimOption = None,
    alpha: AlphaOption = 0.05,
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
    from sessionkit.analysis.judge_noise.judge_noise import judge_noise
    from sessionkit.analysis.rescore.steps import watched

    to = destination(format_, output)
    opened = open_source(study)
    with watched() as steps, working("drawing judgments", steps):
        found = judge_noise(
            opened,
            measures,
            by,
            noise=noise_,
            spread=spread,
            draws=draws,
            seed=seed,
            test=test,
            generalise=generalise,
            alpha=alpha,
            memory=memory,
        )
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        tables = {name: tables[name] for name in ("pairs", "order", "errors", "agreement")}
    to.send_finding(tables, found.reading, table)


def discriminate(
    study: StudyArgument,
    measures: MeasuresArgument,
    *,
    by: ByOption = "system_id",
    test: Annotated[
        str | None,
        typer.Option(
            "--test",
            metavar=f"{TESTS}|bootstrap",
            help="randomisation is randomised Tukey HSD where there are more than two systems; bootstrap is Sakai's, of each pair by "
            "itself. Default: randomisation where units met every system, else the design's own.",
            show_default=False,
        ),
    ] = None,
    generalise: ClaimOption = None,
    alpha: AlphaOption = 0.05,
    resamples: Annotated[
        int, typer.Option("--resamples", metavar="N", help="Draws of a randomisation or bootstrap.")
    ] = 9_999,
    seed: SeedOption = 0,
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
    from sessionkit.analysis.discriminative_power.discriminative_power import discriminative_power

    to = destination(format_, output)
    opened = open_source(study)
    with working("telling systems apart"):
        found = discriminative_power(
            opened,
            measures,
            by,
            test=test,
            generalise=generalise,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            memory=memory,
        )
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        tables = {"power": tables["power"], **({"asl": tables["asl"]} if tables["asl"].height <= 20 else {})}
    to.send_finding(tables, found.reading, table)
