"""The command that makes a page of a study: report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sessionkit.charts.registry import SUMMARY
from sessionkit.choices import FurtherPart, RedactedKind
from sessionkit.cli.options import (
    DIFFERENCE,
    OUTPUT,
    ByOption,
    MemoryOption,
    StudyArgument,
    WhereOption,
    complete_measures,
    measures_first,
    open_source,
    words,
)
from sessionkit.cli.runner import tell, working
from sessionkit.errors import UsageError

PAGES = (".html", ".htm")


def report(
    study: StudyArgument,
    output: Annotated[Path, OUTPUT],
    measures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MEASURE",
            help=f"Measures to score. Default: {' '.join(SUMMARY)}.",
            autocompletion=complete_measures,
            callback=measures_first,
            show_default=False,
        ),
    ] = None,
    *,
    primary: Annotated[
        str | None,
        typer.Option(
            "--primary",
            metavar="MEASURE",
            autocompletion=complete_measures,
            callback=measures_first,
            help="The primary measure: the page gives a verdict on it alone, and says that it was chosen for the report. "
            "Default: the one that study.toml declares.",
            show_default=False,
        ),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            metavar="DIR",
            help="New folder for every figure of the page: SVG and PDF, its data as one CSV file, its caption.",
            show_default=False,
        ),
    ] = None,
    redact: Annotated[
        str,
        typer.Option(
            "--redact",
            metavar=words(RedactedKind),
            help="What to leave out; several joined by commas. With any of them, names and hashes of the source files and names of "
            "plugins are left out, too.",
            show_default=False,
        ),
    ] = "",
    by: ByOption = "system_id",
    where: WhereOption = None,
    also: Annotated[
        str,
        typer.Option(
            "--also",
            metavar=words(FurtherPart),
            help="Additional analyses: compare --population users,topics (mixed), power, judge-noise (noise), discriminate; several "
            "joined by commas.",
            show_default=False,
        ),
    ] = "",
    difference: Annotated[str | None, DIFFERENCE] = None,
    memory: MemoryOption = None,
) -> None:
    """Write an HTML page: findings, scores, figures, method.

    The page needs no network, and text from the log cannot run in it. It has live discounts and a session explorer.
    """
    from sessionkit.reports import report as reported
    from sessionkit.study.atomic_files import require_place

    require_place(output)
    if output.suffix and output.suffix.lower() not in PAGES:
        raise UsageError(f"{output.name} ends in {output.suffix}; a report is an HTML page: name it {output.stem}.html")
    opened = open_source(study, where)
    with working("reporting"):
        reported(
            opened,
            measures or None,
            primary=primary,
            output=output,
            figures=figures,
            redact=redact,
            by=by,
            also=also,
            difference=difference,
            memory=memory,
        )
    tell(f"written: {output}{f' and {figures}' if figures is not None else ''}")
