"""The table of rejected rows, and the error ``strict`` reading makes of its first one."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE, table
from sessionkit.errors import DataError
from sessionkit.readers.checking.notes import Notes
from sessionkit.readers.checking.parts import Part
from sessionkit.readers.files.undecoded import DECODED
from sessionkit.readers.raw import OWN, SOURCE, Raw
from sessionkit.showing.words import counted

OTHER_ENCODING = " (bytes that are no text; if the file is in another encoding than UTF-8, say encoding in study.toml)"
"""What is said of lines that cannot be decoded."""


def rejected_rows(parts: Iterable[Part]) -> pl.DataFrame:
    """Return every record that broke a rule, with its line and raw text, in the order of sources and records."""
    return pl.concat(
        [none_rejected(), *(described(part.raw, part.broken) for part in parts if len(part.broken))],
        how="vertical_relaxed",
    )


def described(raw: Raw, broken: pl.DataFrame) -> pl.DataFrame:
    """Return records of one source that broke a rule, as rows of the table of rejected rows, in their order."""
    found = raw.locate(broken[RECORD].unique())
    own = set(found.columns) >= {SOURCE, OWN}
    rows = broken.select(RECORD, RULE, VALUE).join(found, on=RECORD, how="left").sort(RECORD)
    return rows.select(
        source=SOURCE if own else pl.lit(raw.source),
        record=OWN if own else RECORD,
        line="line",
        table=pl.lit(raw.table),
        rule=RULE,
        value=VALUE,
        raw="raw",
    )


def refuse_first(rejected: pl.LazyFrame) -> None:
    """Raise DataError for the first rejected record, if there is one."""
    first = rejected.head(1).collect()
    if first.is_empty():
        return
    record = first.row(0, named=True)
    others = rejected.select(pl.len()).collect().item() - 1
    place = f"line {record['line']}" if record["line"] is not None else f"record {record['record']}"
    value = f" (value {record['value'][:80]!r})" if record["value"] is not None else ""
    more = f"; {counted(others, 'more record')} broken" if others else ""
    raise DataError(
        f"{record['source']}, {place}: {record['rule']} does not hold{value}{more}. Without strict such "
        "records are kept aside"
    )


def note_rejected(rejected: pl.LazyFrame, notes: Notes) -> None:
    """Note how many records of each source broke which rule."""
    groups = (
        rejected.with_row_index("place")
        .group_by("source", "table", "rule")
        .agg(pl.col("place").min(), number=pl.len())
        .sort("place")
        .collect()
        .group_by("source", "table", maintain_order=True)
        .agg(pl.struct("rule", "number"))
    )
    for source, name, rules in groups.rows():
        total = sum(rule["number"] for rule in rules)
        listed = ", ".join(
            f"{rule['rule']} {rule['number']:,}"
            for rule in sorted(rules, key=lambda rule: (-rule["number"], rule["rule"]))
        )
        hint = OTHER_ENCODING if any(rule["rule"] == DECODED for rule in rules) else ""
        notes.warn(f"{source} ({name}): {counted(total, 'record')} rejected: {listed}{hint}")


def none_rejected() -> pl.DataFrame:
    """Return the table of rejected rows without rows."""
    schema = table("rejected")
    return schema.empty(schema.names)
