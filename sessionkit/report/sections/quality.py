"""Data quality: what was unusual, what was rejected by which rule, how much of what was seen is judged."""

from __future__ import annotations

import polars as pl

from sessionkit.report.material import Material
from sessionkit.report.parts import Part, Section, Words
from sessionkit.report.tables import table_of

NOTHING = "Nothing unusual was found."


def quality(of: Material) -> Section:
    """Notes and rejects; no value of a rejected row is shown."""
    told = list(dict.fromkeys(of.redaction.note(note) for note in of.notes))
    words = Words(tuple(told), listed=True) if told else Words((NOTHING,))
    return Section("quality", "Data quality", (words, _rejected(of)))


def _rejected(of: Material) -> Part:
    """Rejected rows by the rule that each broke."""
    rejected = (
        of.study.rejected.group_by("table", "rule").agg(rows=pl.len().cast(pl.Int64)).sort("table", "rule").collect()
    )
    if not len(rejected):
        return Words(("No row was rejected.",))
    return table_of("Rejected rows", rejected, headers={"table": "Table", "rule": "Rule broken", "rows": "Rows"})
