"""The command about unjudged results: incomplete."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sessionkit.cli.options import (
    FormatOption,
    MeasuresArgument,
    MemoryOption,
    OutputOption,
    StudyArgument,
    TableOption,
    grouping,
    open_source,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.robustness import ClaimOption, TestOption, send_loss
from sessionkit.cli.runner import working
from sessionkit.errors import UsageError

PER = "session|query"
SHOWN = ["group", "measure", "n", "score", "lower", "upper", "bound"]
"""Columns of bounds that people are shown at first; all others with --table bounds."""


def incomplete(
    study: StudyArgument,
    measures: MeasuresArgument,
    *,
    by: Annotated[
        str, typer.Option("--by", metavar="COLUMN", help="Column of sessions or users to group by; all for one group.")
    ] = "system_id",
    per: Annotated[
        str | None,
        typer.Option(
            "--per",
            metavar=PER,
            help="Also bounds of every session, or of every query (of the measures inside aggregates): table units.",
            show_default=False,
        ),
    ] = None,
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
            "--wanted", metavar="N", min=0, help="Unjudged documents to name of each measure and pair of groups."
        ),
    ] = 10,
    loss: Annotated[
        str | None,
        typer.Option(
            "--loss",
            metavar="SHARES",
            help="In place of bounds: keep these shares of the judgments at random and say how much of the comparison is still "
            "there. Such as 0.1:1:10 (from 0.1 to 1, ten of them), 0.2,0.5, or sigir2007 (17 from 0.01 to 1).",
            show_default=False,
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option("--repeats", metavar="N", help="Of --loss: random draws. Default: 10.", show_default=False),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", metavar="N", min=0, help="Of --loss: seed of the draws. Default: 0.", show_default=False
        ),
    ] = None,
    test: TestOption = None,
    generalise: ClaimOption = None,
    curve: Annotated[
        Path | None,
        typer.Option(
            "--curve",
            metavar="FILE",
            help="Of --loss: also draw Kendall's tau by share; a file that ends in .svg, .png, .pdf, .html or .json.",
            show_default=False,
        ),
    ] = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """How much is judged, and how far scores could move.

    Bounds of the mean score of every group, whatever grades unjudged documents turn out to have, each the same grade
    wherever it was shown; whether the sign of each difference between groups holds whatever they are; and which unjudged
    documents would tell most if somebody judged them. A document that turns out relevant can lower a normalised measure,
    whose ideal it raises: the bounds know. Tables for --table: bounds, differences, wanted, judged (by query position and
    rank), units, reading.

    With --loss, the protocol of SIGIR 2007: Kendall's tau of the order of systems against that by all judgments, where its
    curve has its knee, and how many verdicts on pairs stay. Tables: agreement, knees, confusion, pairs, left_out, settings,
    reading.
    """
    from sessionkit.analysis.incomplete.incomplete import incomplete as incompleteness

    to = destination(format_, output)
    _check(
        loss is not None,
        {"repeats": repeats, "seed": seed, "test": test, "generalise": generalise, "curve": curve},
        of_loss=True,
    )
    _check(loss is None, {"per": per, "max-grade": max_grade}, of_loss=False)
    opened = open_source(study)
    if loss is not None:
        send_loss(
            opened,
            measures,
            by,
            loss=loss,
            repeats=10 if repeats is None else repeats,
            seed=seed or 0,
            test=test,
            generalise=generalise,
            curve=curve,
            memory=memory,
            to=to,
            table=table,
        )
        return
    with working("bounding scores"):
        found = incompleteness(
            opened,
            measures,
            grouping(by, opened),
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
        tables |= {"bounds": tables["bounds"].select(SHOWN), "judged": margins}
    to.send_finding(tables, found.reading, table)


def _check(fits: bool, given: dict[str, object], *, of_loss: bool) -> None:
    """Refuse options that go with the other of bounds and --loss."""
    for name, value in given.items():
        if value is not None and not fits:
            with_ = (
                "goes with --loss only, such as --loss 0.1:1:10"
                if of_loss
                else "is of bounds, which --loss replaces; drop one"
            )
            raise UsageError(f"--{name} {with_}")
