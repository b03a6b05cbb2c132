"""The command about the study itself: describe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionkit.cli.options import FormatOption, OutputOption, StudyArgument, TableOption, WhereOption, open_source
from sessionkit.cli.output import Destination, OutputForm, destination
from sessionkit.cli.runner import note, working

if TYPE_CHECKING:
    import polars as pl

    from sessionkit.analysis.describe import Description


def describe(
    study: StudyArgument,
    *,
    where: WhereOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Describe the study before anything is scored.

    Sessions by number of queries, searchers, design, recall base by grade, agreement of judges, judged share, kinds of
    result lists, columns with their values, and which questions the study can answer. Tables for --table: lengths, systems,
    searchers, crossing, recall_base, judges, judged, lists, columns, questions, design.
    Without --table, tsv and csv put each table under a line "# name", and jsonl adds a field table.
    """
    from sessionkit.analysis.describe import describe as described

    to = destination(format_, output)
    opened = open_source(study, where)
    with working("describing"):
        found = described(opened)
    if to.form is OutputForm.table and table is None:
        _send_page(found, to)
    else:
        to.send_tables(tables_of(found), {}, table)
    for loss in found.losses:
        note(loss)


def tables_of(found: Description) -> dict[str, pl.DataFrame]:
    """Return the tables of a description by the names that ``--table`` knows."""
    import polars as pl

    tables = {name: value for name, value in vars(found).items() if isinstance(value, pl.DataFrame)}
    return {**tables, "design": pl.DataFrame({"design": [found.design], "note": [found.design_note]})}


def _send_page(found: Description, to: Destination) -> None:
    """Write the tables as people print them, each under its title, and what the design means."""
    import polars as pl

    tables = {title: frame for title, frame in {**found.tables(), **found.contents()}.items() if len(frame)}
    name = f"Design: {found.design}"
    tables.setdefault(name, pl.DataFrame())
    to.send_tables(tables, {name: f"{name}\n{found.design_note}"})
