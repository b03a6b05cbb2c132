"""The command about differences between groups: compare."""

from __future__ import annotations

from typing import Annotated

import typer

from sessionkit.cli.options import (
    FormatOption,
    MeasuresArgument,
    MemoryOption,
    OutputOption,
    PartialsOption,
    StudyArgument,
    TableOption,
    open_source,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import working

TESTS = "t|wilcoxon|sign|randomisation|least-squares|welch|mann-whitney|tukey|nemenyi|conover"
CLAIMS = "users|topics|sessions"
CORRECTIONS = "bonferroni|holm|bh|none"
SHOWN = [
    "measure", "a", "b", "n_a", "n_b", "estimate", "low", "high", "p_adjusted", "effect", "mean_a", "mean_b",
    "raw_difference",
]  # fmt: skip
"""Columns that people are shown at first; all others with --table pairs."""


def compare(
    study: StudyArgument,
    measures: MeasuresArgument,
    *,
    by: Annotated[
        str, typer.Option("--by", metavar="COLUMN", help="Column of sessions or users, with 2 to 20 values.")
    ] = "system_id",
    test: Annotated[
        str | None,
        typer.Option(
            "--test",
            metavar=TESTS,
            help="Default: the one the design supports. Units that met every group: t (two groups), tukey (more). Each user once "
            "per topic, systems alternated: least-squares. Different units: welch.",
            show_default=False,
        ),
    ] = None,
    generalise: Annotated[
        str | None,
        typer.Option(
            "--generalise",
            metavar=CLAIMS,
            help="What the claim goes beyond: to users like these, searching these topics; to topics like these; to sessions like "
            "these. It decides what the units are. Default: users where they met several groups.",
            show_default=False,
        ),
    ] = None,
    correction: Annotated[
        str,
        typer.Option(
            "--correction",
            metavar=CORRECTIONS,
            help="For many p-values, over all measures and pairs; intervals match. holm finds a little more, and tells of it the "
            "side of 0 only.",
        ),
    ] = "bonferroni",
    alpha: Annotated[float, typer.Option("--alpha", metavar="RATE", help="Error rate of tests and intervals.")] = 0.05,
    resamples: Annotated[int, typer.Option("--resamples", metavar="N", help="Draws of a randomisation test.")] = 9_999,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of these draws.")] = 0,
    memory: MemoryOption = None,
    partials: PartialsOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Whether groups of sessions differ, and by how much.

    The study's design, which settles the test, is read from the data. Sessions are matched by user and topic, and a pair
    that lacks a value leaves whole. One row per measure and pair of groups, b less a: the estimate with its interval,
    p, p_adjusted and effect size, the raw means and their difference, wins, ties and losses, and the difference that
    could have been found (detectable). The
    reading says in words what was found, for whom and from how much. Tables for --table: pairs, overall, order (period
    and carry-over), dropped, settings, reading.
    Without it tsv and csv have every table under a line "# name", and jsonl a field table.
    """
    from sessionkit.analysis.compare.compare import compare as compared

    to = destination(format_, output)
    opened = open_source(study)
    with working("comparing"):
        found = compared(
            opened,
            measures,
            by,
            test=test,
            generalise=generalise,
            correction=correction,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            memory=memory,
            partials=partials,
        )
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        tables = {
            "pairs": tables["pairs"].select(SHOWN),
            **{name: tables[name] for name in ("overall", "order", "dropped")},
        }
    to.send_finding(tables, found.reading, table)
