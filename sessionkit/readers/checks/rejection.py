"""The table of rejected rows and of cells set aside, and the error ``strict`` reading makes of its first one.

What a format found out beside the tables stands here too: records that became rows of none, and what was unusual.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from sessionkit.contract import COLUMN, RECORD, RULE, VALUE, table
from sessionkit.display.words import counted
from sessionkit.errors import DataError
from sessionkit.readers.checks.log_schemas import LOG
from sessionkit.readers.checks.notes import Notes
from sessionkit.readers.checks.source_checks import KEPT, CheckedSource
from sessionkit.readers.io.invalid_bytes import DECODED
from sessionkit.readers.raw import NAMED_SOURCES, OWN, SOURCE, Raw, joined_sources
from sessionkit.study import Source


@dataclass(frozen=True)
class Aside:
    """Beside the tables of a log.

    Parameters
    ----------
    sources
        Accounts of records that were merged into others or carry nothing for any table.
    notes, warnings
        What was unusual, one sentence each; `warnings` may change a score.
    cells
        Values set aside of records that went into rows of others, as rows of the table of rejected rows.
    """

    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    cells: tuple[pl.DataFrame, ...] = ()

    def noticed(self) -> Notes:
        """Return the notes with which the checks of the tables begin."""
        return Notes([*self.warnings, *self.notes], list(self.warnings))


NOTHING = Aside()
"""Nothing beside the tables."""


OTHER_ENCODING = " (bytes that are not text; if the file is not in UTF-8, set encoding in study.toml)"
"""What is said of lines that cannot be decoded."""
COMMA = r"^\s*[+-]?(?:\d*|\d{1,3}(?:\.\d{3})+),\d+\s*$"
"""A number with a comma for a point; points may part its thousands (1.234,5)."""
DECIMAL_COMMA = "; some look like decimal commas: write them as points (3.5, not 3,5) in the source and read it again"
"""What is said of numbers with a comma."""
SHOWN = 40
"""Characters of a value that a note shows."""


def rejected_rows(parts: Iterable[CheckedSource]) -> pl.DataFrame:
    """Return every record that broke a rule and every cell set aside, with line and raw text, in the order of sources and records."""
    found = [(part.raw, part.rejects) for part in parts]
    return pl.concat(
        [none_rejected(), *(described(raw, rejects) for raw, rejects in found if len(rejects))],
        how="vertical_relaxed",
    )


def described(raw: Raw, rejects: pl.DataFrame) -> pl.DataFrame:
    """Return what was rejected or set aside of one source, as rows of the table of rejected rows, in their order."""
    found = raw.locate(rejects[RECORD].unique())
    own = set(found.columns) >= {SOURCE, OWN}
    rows = rejects.join(found, on=RECORD, how="left", maintain_order="left").sort(RECORD, maintain_order=True)
    return rows.select(
        source=SOURCE if own else pl.lit(raw.source),
        record=OWN if own else RECORD,
        line="line",
        table=pl.lit(raw.table),
        rule=RULE,
        value=VALUE,
        raw="raw",
        column=COLUMN,
        row_kept=KEPT,
    )


def beside(rejected: pl.LazyFrame, cells: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return values that a format set aside, but for those of records that were rejected, which are reported once."""
    found = pl.concat([none_rejected(), *cells], how="vertical_relaxed")
    if found.is_empty():
        return found
    own = ["source", "table", "record"]
    lost = rejected.filter(~pl.col("row_kept")).select(own).collect()
    return found.join(lost, on=own, how="anti", maintain_order="left").sort(own, maintain_order=True)


def refuse_first(rejected: pl.LazyFrame) -> None:
    """Raise DataError for the first rejected record or cell set aside, if there is one."""
    first = rejected.head(1).collect()
    if first.is_empty():
        return
    record = first.row(0, named=True)
    others = rejected.select(pl.len()).collect().item() - 1
    more = f"; {counted(others, 'more record')} broken" if others else ""
    without = (
        "such values are set aside and their rows kept"
        if record["row_kept"]
        else "such records go to the table rejected"
    )
    raise DataError(f"{_broken_rule(record)}{more}. Without strict {without}")


def refuse_all_rejected(rejected: pl.LazyFrame, sources: Sequence[Source]) -> None:
    """Raise DataError for a log of which every record was rejected, with the reason of the first."""
    of_log = [one for one in sources if one.table in LOG]
    number = sum(one.rejected for one in of_log)
    if not number or any(one.rows + one.empty_lists for one in of_log):
        return
    first = rejected.filter(~pl.col("row_kept"), pl.col("table").is_in(LOG)).head(1).collect().row(0, named=True)
    share = "The only record of the log was" if number == 1 else f"All {number:,} records of the log were"
    raise DataError(
        f"{_broken_rule(first)}. {share} rejected, so there is nothing to study: check the format, the separator and the columns"
    )


def _broken_rule(record: Mapping[str, Any]) -> str:
    """Return where a rejected record or cell stands and which rule it breaks, with the value."""
    place = f"line {record['line']}" if record["line"] is not None else f"record {record['record']}"
    value = f" (value {record['value'][:80]!r})" if record["value"] is not None else ""
    return f"{record['source']}, {place}: {record['rule']} does not hold{value}"


def note_rejected(rejected: pl.LazyFrame, notes: Notes) -> None:
    """Note how many records of each source broke which rule, and how many values were set aside."""
    groups = (
        rejected.with_row_index("place")
        .group_by("source", "table", "row_kept", "rule")
        .agg(
            pl.col("place").min(),
            pl.col("value", "record").first(),
            number=pl.len(),
            commas=pl.col("value").str.contains(COMMA).any() & pl.col("rule").first().str.ends_with("_is_a_number"),
        )
        .sort("place")
        .collect()
    )
    groups = (
        _with_joined_sources(groups)
        .group_by("source", "table", "row_kept", "rule", maintain_order=True)
        .agg(pl.col("value", "record").first(), pl.col("number").sum(), pl.col("commas").any())
        .group_by("source", "table", "row_kept", maintain_order=True)
        .agg(pl.struct("rule", "number", "value", "record", "commas"))
    )
    for source, name, row_kept, rules in groups.rows():
        total = sum(rule["number"] for rule in rules)
        ordered = sorted(rules, key=lambda rule: (-rule["number"], rule["rule"]))
        if row_kept:
            listed = ", ".join(f"{rule['rule']} {rule['number']:,}{_first(rule)}" for rule in ordered)
            said = f"{counted(total, 'value')} set aside, {'its row' if total == 1 else 'their rows'} kept"
            hint = DECIMAL_COMMA if any(rule["commas"] for rule in rules) else ""
        else:
            listed = ", ".join(f"{rule['rule']} {rule['number']:,}" for rule in ordered)
            said = f"{counted(total, 'record')} rejected"
            hint = OTHER_ENCODING if any(rule["rule"] == DECODED for rule in rules) else ""
        notes.warn(f"{source} ({name}): {said}: {listed}{hint}", place=None)


def _with_joined_sources(groups: pl.DataFrame) -> pl.DataFrame:
    """Return counts of rejects, those of many files or sheets of one table under one name: a note each would drown all others."""
    kind = ["table", "row_kept"]
    sources = groups.group_by(kind, maintain_order=True).agg(pl.col("source").unique(maintain_order=True))
    joined = [joined_sources(names) if len(names) > NAMED_SOURCES else None for names in sources["source"]]
    names = sources.select(*kind, joined=pl.Series(joined, dtype=pl.String))
    together = groups.join(names, on=kind, how="left", maintain_order="left")
    return together.with_columns(pl.coalesce("joined", "source").alias("source")).drop("joined")


def _first(rule: Mapping[str, Any]) -> str:
    """Return the first value that broke a rule, and where it stands."""
    if rule["value"] is None:
        return f" (first: record {rule['record']})"
    text = rule["value"] if len(rule["value"]) <= SHOWN else f"{rule['value'][:SHOWN]}..."
    return f" (first: {text!r} in record {rule['record']})"


def none_rejected() -> pl.DataFrame:
    """Return the table of rejected rows without rows."""
    schema = table("rejected")
    return schema.empty(schema.names)
