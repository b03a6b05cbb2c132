"""The table of rejected rows, and the error ``strict`` reading makes of its first one."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE, table
from sessionkit.errors import DataError
from sessionkit.readers.notes import Notes, counted
from sessionkit.readers.parts import Part


def rejected_rows(parts: Iterable[Part]) -> pl.DataFrame:
    """Return every record that broke a rule, with its line and raw text, in the order of sources and records."""
    schema = table("rejected")
    frames = [schema.empty(schema.names)]
    for part in parts:
        broken = part.broken
        if broken.is_empty():
            continue
        found = part.raw.locate(broken[RECORD])
        rows = broken.select(RECORD, RULE, VALUE).join(found, on=RECORD, how="left").sort(RECORD)
        frames.append(
            rows.select(
                source=pl.lit(part.raw.source),
                record=RECORD,
                line="line",
                table=pl.lit(part.raw.table),
                rule=RULE,
                value=VALUE,
                raw="raw",
            )
        )
    return pl.concat(frames, how="vertical_relaxed")


def refuse_first(rejected: pl.DataFrame) -> None:
    """Raise DataError for the first rejected record, if there is one."""
    if rejected.is_empty():
        return
    first = rejected.row(0, named=True)
    place = f"line {first['line']}" if first["line"] is not None else f"record {first['record']}"
    value = f" (value {first['value'][:80]!r})" if first["value"] is not None else ""
    more = f"; {counted(rejected.height - 1, 'more record')} broken" if rejected.height > 1 else ""
    raise DataError(
        f"{first['source']}, {place}: {first['rule']} does not hold{value}{more}. Without strict such "
        "records are kept aside"
    )


def note_rejected(rejected: pl.DataFrame, notes: Notes) -> None:
    """Note how many records of each source broke which rule."""
    groups = rejected.group_by("source", "table", maintain_order=True).agg(pl.col("rule").value_counts(sort=True))
    for source, name, rules in groups.rows():
        total = sum(rule["count"] for rule in rules)
        listed = ", ".join(
            f"{rule['rule']} {rule['count']:,}"
            for rule in sorted(rules, key=lambda rule: (-rule["count"], rule["rule"]))
        )
        notes.warn(f"{source} ({name}): {counted(total, 'record')} rejected: {listed}")
