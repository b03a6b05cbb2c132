"""The command about unjudged results: bounds."""

from __future__ import annotations

from typing import Annotated

import typer

from sessionkit.choices import RowUnit
from sessionkit.cli.options import (
    ByOption,
    FormatOption,
    MeasuresArgument,
    MemoryOption,
    OutputOption,
    PerOption,
    StudyArgument,
    TableOption,
    WhereOption,
    open_source,
    words,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import working
from sessionkit.errors import UsageError

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
    from sessionkit.analysis.incomplete.bounds import bounds as bounded

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
    to.send_finding(tables, found.reading, table, found)
