"""Data quality: what was unusual, what was rejected by which rule, how much of what was seen is judged."""

from __future__ import annotations

import polars as pl

from sessionkit.display.tables import table_of
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.sections.section_kind import section

NOTHING = "Nothing unusual was found."
OF_WHOLE = (
    "What was unusual or rejected when the log was read is of the whole study; the report on all sessions says it."
)


@section("quality", "Data quality")
def quality(of: Material) -> list[Part]:
    """Notes, rejects and cells set aside; no value of either is shown."""
    if of.study.facts.sessions == 1 and of.study.restriction is not None:
        return [Words((OF_WHOLE,))]
    told = list(dict.fromkeys(of.redaction.note(note) for note in of.notes))
    words = Words(tuple(told), listed=True) if told else Words((NOTHING,))
    return [words, *_rejected(of)]


def _rejected(of: Material) -> list[Part]:
    """Rejected rows by the rule that each broke, and values set aside by column and rule."""
    counted = of.study.rejected.group_by("table", "column", "rule", "row_kept").agg(many=pl.len().cast(pl.Int64))
    found = counted.sort("table", "column", "rule", nulls_last=True).collect()
    rows = (
        found.filter(~pl.col("row_kept")).group_by("table", "rule").agg(rows=pl.col("many").sum()).sort("table", "rule")
    )
    cells = found.filter("row_kept").select("table", "column", "rule", values="many")
    parts: list[Part] = []
    if len(rows):
        parts.append(table_of("Rejected rows", rows, headers={"table": "Table", "rule": "Rule broken", "rows": "Rows"}))
    else:
        parts.append(Words(("No row was rejected.",)))
    if len(cells):
        headers = {"table": "Table", "column": "Column", "rule": "Rule broken", "values": "Values"}
        parts.append(table_of("Values set aside, their rows kept", cells, headers=headers))
    return parts
