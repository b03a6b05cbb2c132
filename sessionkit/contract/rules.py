"""Rules about one row: each field's type and constraints as polars conditions with names that are sentences.

A type rule asks for a value that can be read as its type (``rank_is_an_integer``), ``required`` for a value at all
(``doc_id_is_given``), the others for one in range, of the right form, or from a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from sessionkit.contract.casts import as_text
from sessionkit.contract.schemas import Field, Table

TYPE_NAMES = {
    "string": "is_text",
    "integer": "is_an_integer",
    "number": "is_a_number",
    "boolean": "is_true_or_false",
    "datetime": "is_a_datetime",
}


@dataclass(frozen=True)
class RowRule:
    """A sentence, the condition under which a row breaks it, the text of the value that does, and its column, where one does."""

    name: str
    broken: pl.Expr
    value: pl.Expr
    column: str | None = None


def type_name(field: Field) -> str:
    """Return the sentence about a field's type, such as ``rank_is_an_integer``."""
    return f"{field.name}_{TYPE_NAMES[field.type]}"


def value_rules(table: Table, present: Iterable[str], shifted: Iterable[str] = ()) -> list[RowRule]:
    """Return the rules about values that already have their types: ranges, patterns, lists, order of times.

    `shifted` columns had 1 added because their source counts from 0; the reported value is the source's.
    """
    fields = [field for field in table.fields if field.name in set(present)]
    rules = [
        rule
        for field in fields
        for rule in _limits(
            field, pl.col(field.name) - (field.name in set(shifted)) if field.type == "integer" else pl.col(field.name)
        )
    ]
    for rule in table.rules:
        if rule.kind == "ordered" and set(rule.fields) <= set(present):
            before, after = rule.fields
            rules.append(
                RowRule(rule.name, pl.col(after) < pl.col(before), as_text(after, table.by_name[after].dtype), after)
            )
    return rules


def _limits(field: Field, shown: pl.Expr) -> list[RowRule]:
    """Return the rules that one field's range, pattern and list of values make."""
    name, column = field.name, pl.col(field.name)
    value = as_text(shown, field.dtype)
    rules = []
    if field.minimum is not None:
        rules.append(RowRule(f"{name}_is_at_least_{field.minimum}", column < field.minimum, value, name))
    if field.maximum is not None:
        rules.append(RowRule(f"{name}_is_at_most_{field.maximum}", column > field.maximum, value, name))
    if field.pattern is not None:
        form = f"^(?:{field.pattern})$"
        rules.append(RowRule(f"{name}_has_its_form", ~column.str.contains(form), value, name))
    if field.enum is not None:
        rules.append(RowRule(f"{name}_is_a_known_value", ~column.is_in(field.enum), value, name))
    return rules
