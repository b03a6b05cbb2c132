"""The command about what a gain costs: effort."""

from __future__ import annotations

from typing import Annotated

import typer

from sessionkit.cli.options import (
    FormatOption,
    MeasureArgument,
    MemoryOption,
    OutputOption,
    StudyArgument,
    TableOption,
    grouping,
    open_source,
)
from sessionkit.cli.output import destination
from sessionkit.cli.runner import working


def effort(
    study: StudyArgument,
    measure: MeasureArgument,
    *,
    by: Annotated[
        str, typer.Option("--by", metavar="COLUMN", help="Column of sessions or users to group by; all for one group.")
    ] = "system_id",
    document_cost: Annotated[
        float,
        typer.Option(
            "--document-cost", metavar="COST", min=0, help="Cost of looking at a result, in any unit, such as seconds."
        ),
    ] = 1.0,
    query_cost: Annotated[
        float, typer.Option("--query-cost", metavar="COST", min=0, help="Cost of asking a query, in the same unit.")
    ] = 0.0,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Documents and queries to a gain, and how far searchers go.

    Curves read horizontally: after how many results, and queries, does a session (a list, of a measure of queries) have
    what its ideal has at rank r? Where does the ideal stop rising, which is a rule for when to stop? And the measure's
    discounts read as chances to look that far: how many results its searcher looks at. Tables for --table: reach, plateau,
    searcher, chances, reading.
    """
    from sessionkit.analysis.effort.effort import effort as read_effort

    to = destination(format_, output)
    opened = open_source(study)
    with working("reading curves"):
        found = read_effort(
            opened,
            measure,
            grouping(by, opened),
            document_cost=document_cost,
            query_cost=query_cost,
            memory=memory,
        )
    to.send_finding(found.tables(), found.reading, table)
