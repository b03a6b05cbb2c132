"""The command about how far a conclusion depends on a measure's parameters: sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sessionkit.cli.compare import CLAIMS, CORRECTIONS, TESTS
from sessionkit.cli.options import (
    FormatOption,
    MeasureArgument,
    MemoryOption,
    OutputOption,
    StudyArgument,
    TableOption,
    open_source,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import tell, working
from sessionkit.errors import UsageError

GRAMMAR = "NAME=low:high:steps|NAME=value,value"
VaryOption = Annotated[
    list[str],
    typer.Option(
        "--vary",
        metavar=GRAMMAR,
        help="A parameter and its values: so many from low to high (b=1.5:10:18), or a list (gain=linear,exp2). May be given "
        "again: every combination is a setting. Any parameter of MEASURE, see: sessionkit measures NAME.",
        show_default=False,
    ),
]
SHOWN = ("regions", "ranges", "nearest")
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
    vary: VaryOption,
    by: Annotated[
        str, typer.Option("--by", metavar="COLUMN", help="Column of sessions or users to group by.")
    ] = "system_id",
    test: Annotated[
        str | None,
        typer.Option(
            "--test",
            metavar=f"{TESTS}|none",
            help="As in compare. Default: the one the study's design supports. none: scores only, which is much faster on a "
            "large log.",
            show_default=False,
        ),
    ] = None,
    generalise: Annotated[
        str | None,
        typer.Option(
            "--generalise", metavar=CLAIMS, help="As in compare: what the claim goes beyond.", show_default=False
        ),
    ] = None,
    correction: Annotated[
        str,
        typer.Option(
            "--correction", metavar=CORRECTIONS, help="Over the pairs of groups within a setting, not over settings."
        ),
    ] = "bonferroni",
    alpha: Annotated[float, typer.Option("--alpha", metavar="RATE", help="Error rate of tests and intervals.")] = 0.05,
    resamples: Annotated[int, typer.Option("--resamples", metavar="N", help="Draws of a randomisation test.")] = 9_999,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of these draws.")] = 0,
    map_: Annotated[
        Path | None,
        typer.Option(
            "--map",
            metavar="FILE",
            help="Also draw who leads where, over the first two parameters: a file that ends in .svg, .png, .pdf, .html or .json.",
            show_default=False,
        ),
    ] = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """How far a conclusion depends on a measure's parameters.

    MEASURE as it is given is the base setting. Every combination of the values is scored and compared as compare would:
    which group leads, by what margin, with what p; whether the order of groups is that of the base setting; where the
    conclusion holds, and the nearest setting that overturns it. Settings that do not go together stay in the table with the
    reason. Tables for --table: settings (a row for each), means, regions, ranges, nearest, parameters, made_with, reading. Without
    it tsv and csv have every table under a line "# name", and jsonl a field table.
    """
    from sessionkit.analysis.sweep.sweep import sweep as swept
    from sessionkit.study.atomic_files import require_place

    to = destination(format_, output)
    values = varied(vary)
    if map_ is not None:
        require_place(map_)
    opened = open_source(study)
    with working("sweeping"):
        found = swept(
            opened,
            measure,
            values,
            by,
            test=test,
            generalise=generalise,
            correction=correction,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            memory=memory,
        )
    if map_ is not None:
        from sessionkit.charts import save
        from sessionkit.reports.figures.robustness import map_of

        with working("drawing"):
            save(map_of(found, synthetic=opened.settings.synthetic), map_)
        tell(f"written: {map_}")
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        tables = {name: tables[name] for name in SHOWN}
    to.send_finding(tables, found.reading, table)
