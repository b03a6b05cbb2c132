"""The schema files as values: ``table("results")`` is what ``schemas/results.json`` declares.

Table Schema properties are used as the standard means them; ``dtype`` (the polars type), ``unit`` and ``rules`` (rules
over several rows or tables, named by sentences) are properties of our own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, get_args

import polars as pl

from sessionkit.arguments import StudyTable

TABLES: tuple[StudyTable, ...] = get_args(StudyTable)
"""The tables of a study, parents first."""

DTYPES: dict[str, pl.DataType] = {
    "String": pl.String(),
    "Int32": pl.Int32(),
    "Int64": pl.Int64(),
    "Float64": pl.Float64(),
    "Boolean": pl.Boolean(),
    "Datetime(us, UTC)": pl.Datetime("us", "UTC"),
}


@dataclass(frozen=True)
class Field:
    """One column: its name, type and constraints."""

    name: str
    type: str
    dtype: pl.DataType
    description: str
    required: bool = False
    minimum: float | None = None
    maximum: float | None = None
    pattern: str | None = None
    enum: tuple[str, ...] | None = None
    unit: str | None = None
    true_values: tuple[str, ...] = ()
    false_values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One rule over several columns, rows or tables; its name is a sentence that holds when all is fine."""

    name: str
    kind: str
    fields: tuple[str, ...]
    description: str
    reference: str | None = None


@dataclass(frozen=True)
class Table:
    """One table: its fields in order, its key and its rules."""

    name: str
    description: str
    fields: tuple[Field, ...]
    key: tuple[str, ...]
    rules: tuple[Rule, ...]
    by_name: dict[str, Field] = field(repr=False, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The declared columns, in order."""
        return tuple(self.by_name)

    @property
    def required(self) -> tuple[str, ...]:
        """The columns every row must fill."""
        return tuple(field.name for field in self.fields if field.required)

    def rule(self, kind: str, reference: str | None = None) -> Rule:
        """Return the one rule of this kind (and, where given, about this other table)."""
        return next(rule for rule in self.rules if rule.kind == kind and reference in (None, rule.reference))

    def empty(self, names: tuple[str, ...]) -> pl.DataFrame:
        """Return a frame of these columns without rows."""
        return pl.DataFrame(schema={name: self.by_name[name].dtype for name in names})


def document(name: str) -> dict[str, Any]:
    """Return a schema file as it stands: a table's name, ``rejected`` or ``study.schema``.

    >>> document("users")["primaryKey"]
    ['user_id']
    """
    loaded: dict[str, Any] = json.loads((_folder() / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


@cache
def table(name: str) -> Table:
    """Return what the schema file of this table declares.

    >>> table("results").key
    ('session_id', 'query_position', 'rank')
    >>> table("results").required
    ('session_id', 'query_position', 'rank', 'doc_id')
    """
    declared = document(name)
    fields = tuple(_field(entry) for entry in declared["fields"])
    return Table(
        name=name,
        description=declared["description"],
        fields=fields,
        key=tuple(declared.get("primaryKey", ())),
        rules=tuple(Rule(**{**entry, "fields": tuple(entry["fields"])}) for entry in declared["rules"]),
        by_name={field.name: field for field in fields},
    )


def _field(entry: dict[str, Any]) -> Field:
    """Return one field of a Table Schema as a value."""
    limits = entry.get("constraints", {})
    return Field(
        name=entry["name"],
        type=entry["type"],
        dtype=DTYPES[entry["dtype"]],
        description=entry["description"],
        required=limits.get("required", False),
        minimum=limits.get("minimum"),
        maximum=limits.get("maximum"),
        pattern=limits.get("pattern"),
        enum=tuple(limits["enum"]) if "enum" in limits else None,
        unit=entry.get("unit"),
        true_values=tuple(entry.get("trueValues", ())),
        false_values=tuple(entry.get("falseValues", ())),
    )


@cache
def _folder() -> Path:
    """Return the folder of the schema files: in the wheel, else (editable installs) at the root of the repository."""
    package = Path(__file__).resolve().parents[1]
    shipped = package / "schemas"
    return shipped if shipped.is_dir() else package.parent / "schemas"
