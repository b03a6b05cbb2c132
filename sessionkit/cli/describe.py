"""The command about the study itself: describe."""

from __future__ import annotations

from sessionkit.cli.options import FormatOption, OutputOption, StudyArgument, TableOption, WhereOption, open_source
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import note, working


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
    searchers, crossing, recall_base, recall_base_totals, judges, judge_grades, judged, lists, columns, questions, design, reading.
    Without --table, tsv and csv put each table under a line "# name", and jsonl adds a field table.
    """
    from sessionkit.analysis.describe import describe as described

    to = destination(format_, output)
    opened = open_source(study, where)
    with working("describing"):
        found = described(opened)
    tables, people = found.tables(), to.form is OutputForm.table and table is None
    if people:
        tables = {**found.titled_tables(), **found.contents()}
    to.send_finding(tables, found.reading, table, found)
    for loss in () if people else found.losses:
        note(loss)
