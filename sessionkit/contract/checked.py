"""The rows of a frame parted in two: those that keep every rule so far, and those that broke one.

A row carries the number it has in its source (:data:`RECORD`). Checks run in the order types, values, unique keys,
parents, positions within reach; a row leaves at the first rule it breaks, so every bad record is reported once.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.contract.casts import as_text, cast
from sessionkit.contract.rules import RowRule, type_name, value_rules
from sessionkit.contract.schemas import Table

RECORD = "__record"
"""Private column: the number of the record in its source, from 1."""
RULE = "__rule"
"""Private column: the rule a row broke; readers fill it for records that are no rows (a line that is not JSON)."""
VALUE = "__value"
"""Private column: the text of the value that broke the rule."""


PLAIN = ("string", "integer")
"""Types of fields of which every value of the polars type is one."""
FLAG = "__flag"
"""Private column: whether a row breaks a rule, as long as that is all one asks."""
NO_RULE = (pl.lit(None, dtype=pl.String).alias(RULE), pl.lit(None, dtype=pl.String).alias(VALUE))


@dataclass(frozen=True)
class Checked:
    """The rows of one source that keep all rules so far, and those that broke one (with RULE and VALUE).

    `known` remembers keys of the accepted rows, `starts` where they begin, see :mod:`sessionkit.contract.keys`.
    """

    accepted: pl.DataFrame
    broken: pl.DataFrame
    known: dict[tuple[str, ...], pl.DataFrame] = field(default_factory=dict, init=False, repr=False, compare=False)
    starts: dict[tuple[str, ...], NDArray[np.intp]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def rejecting(self, rule: str, broken: pl.Expr, value: pl.Expr | None = None) -> Checked:
        """Return the rows parted further: where `broken` is true a row leaves under the name of this rule."""
        return self.rejecting_first([RowRule(rule, broken, pl.lit(None, dtype=pl.String) if value is None else value)])

    def rejecting_first(self, rules: Sequence[RowRule]) -> Checked:
        """Return the rows parted further, each bad row under the first of these rules that it breaks."""
        if not rules or self.accepted.is_empty():
            return self
        any_broken = pl.any_horizontal(rule.broken for rule in rules).fill_null(value=False)
        flags = self.accepted.lazy().select(any_broken.alias(FLAG)).collect().to_series()
        if not flags.any():
            return self
        # conditions may look at other rows, so only where there are several are they looked at again, and then by row
        name = pl.lit(rules[0].name) if len(rules) == 1 else _first(rules, names=True)
        value = rules[0].value if len(rules) == 1 else _first(rules, names=False)
        broken = self.accepted.filter(flags).with_columns(**{RULE: name, VALUE: value})
        return Checked(self.accepted.filter(~flags), pl.concat([self.broken, broken], how="diagonal_relaxed"))

    def with_columns(self, *columns: pl.Expr) -> Checked:
        """Return the same rows with the accepted ones changed."""
        return replace(self, accepted=self.accepted.with_columns(*columns))


def check_types(
    raw: pl.LazyFrame, table: Table, *, timezone: str | None = None, required: Iterable[str] | None = None
) -> Checked:
    """Cast every declared column and part off rows with values that are not of their type or not given.

    Parameters
    ----------
    raw
        Columns under our names and RECORD; RULE and VALUE where the reader already gave up on a record.
    required
        Columns that must have a value; by default those the schema says.
    """
    schema = raw.collect_schema()
    fields = [field for field in table.fields if field.name in schema]
    needed = set(table.required if required is None else required)
    text = {field.name: as_text(field.name, schema[field.name]) for field in fields}
    typed = {field.name: cast(field, schema[field.name], timezone) for field in fields}
    rules = [
        RowRule(type_name(field), pl.col(field.name).is_not_null() & typed[field.name].is_null(), text[field.name])
        for field in fields
        if not (field.type == "string" and schema[field.name] == pl.String)
    ]
    rules += [
        RowRule(f"{field.name}_is_given", typed[field.name].is_null(), pl.lit(None, dtype=pl.String))
        for field in fields
        if field.name in needed
    ]
    given = RULE in schema
    # columns that are of their type already can be taken as they are
    read = [field.name for field in fields if field.type not in PLAIN or schema[field.name] != field.dtype]
    there = {f"{FLAG}{name}": pl.col(name).is_not_null() for name in (*read, *([RULE] if given else []))}
    # what streams comes in pieces, each look at a neighbour's value then costs a copy
    frame = raw.with_columns(**{name: typed[name] for name in read}, **there).collect(engine="in-memory")
    flags = _unread(frame, read, needed & set(text))
    frame = frame.drop(*there, RULE, VALUE, strict=False)
    if flags is None:
        return Checked(frame, frame.clear().with_columns(NO_RULE))
    unfit = pl.col(RULE).is_not_null() if given else pl.lit(False)
    flag = pl.any_horizontal(unfit, *(rule.broken for rule in rules)).fill_null(value=False)
    rule, value = _first(rules, names=True), _first(rules, names=False)
    broken = raw.filter(flag).with_columns(
        **typed,
        **{
            RULE: pl.coalesce(RULE, rule) if given else rule,
            VALUE: pl.when(pl.col(RULE).is_null()).then(value).otherwise(VALUE) if given else value,
        },
    )
    return Checked(frame.filter(~flags), broken.collect())


def check_values(rows: Checked, table: Table, *, shifted: Iterable[str] = ()) -> Checked:
    """Part off rows with values out of range, of the wrong form or not in the list; types are right already."""
    return rows.rejecting_first(value_rules(table, rows.accepted.columns, shifted))


def _unread(frame: pl.DataFrame, read: Iterable[str], needed: Iterable[str]) -> pl.Series | None:
    """Return which rows lack a value that was to be read or is needed, or carry a rule; None where no row does."""
    unread = [frame[name].is_null() for name in needed if frame[name].null_count()]
    unread += [frame[name].is_null() & frame[f"{FLAG}{name}"] for name in read if frame[name].null_count()]
    unread += [frame[name] for name in (f"{FLAG}{RULE}",) if name in frame.columns]
    unread = [rows for rows in unread if rows.any()]
    return functools.reduce(operator.or_, unread) if unread else None


def _first(rules: Sequence[RowRule], *, names: bool) -> pl.Expr:
    """Return the name (or the value) of the first broken rule, null where all hold."""
    none = pl.lit(None, dtype=pl.String)
    cases = [pl.when(rule.broken).then(pl.lit(rule.name) if names else rule.value) for rule in reversed(rules)]
    return functools.reduce(lambda later, case: case.otherwise(later), cases, none)
