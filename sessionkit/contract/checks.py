"""The rows of a frame parted in two: those that keep every rule so far, and those that broke one; and the cells set aside.

A row carries the number it has in its source (:data:`RECORD`). Checks run in the order types, values, unique keys,
parents, positions within reach; a row leaves at the first rule it breaks, so every bad record is reported once. A value
that breaks a rule in a column that is not required is no reason to leave: it becomes missing, and what it was goes with
its row (:data:`CELLS`), so that a row that leaves later is still reported once, without its cells.
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
COLUMN = "__column"
"""Private column: the column of the value that broke the rule, where one did."""
CELLS = "__cells"
"""Private column: the values of a row that were set aside, a list of :data:`CELL`; there only where there are any. Readers
fill it for values that they read themselves."""
CELL = pl.Struct({RECORD: pl.Int64(), COLUMN: pl.String(), RULE: pl.String(), VALUE: pl.String()})
"""A value that was set aside; RECORD is null where it stood in the record that its row comes from."""


NO_CELLS = pl.lit([], dtype=pl.List(CELL))
PLAIN = ("string", "integer")
"""Types of fields of which every value of the polars type is one."""
FLAG = "__flag"
"""Private column: whether a row breaks a rule, as long as that is all one asks."""
NO_RULE = (pl.lit(None, dtype=pl.String).alias(RULE), pl.lit(None, dtype=pl.String).alias(VALUE))


@dataclass(frozen=True)
class CheckedRows:
    """The rows of one source that keep all rules so far, and those that broke one (with RULE, VALUE and COLUMN).

    `known` remembers keys of the accepted rows, `starts` where they begin, see :mod:`sessionkit.contract.key_rules`.
    """

    accepted: pl.DataFrame
    broken: pl.DataFrame
    known: dict[tuple[str, ...], pl.DataFrame] = field(default_factory=dict, init=False, repr=False, compare=False)
    starts: dict[tuple[str, ...], NDArray[np.intp]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def cells(self) -> pl.DataFrame:
        """The values set aside of the accepted rows: RECORD, COLUMN, RULE, VALUE."""
        if CELLS not in self.accepted.columns:
            return pl.DataFrame(schema=dict(CELL))
        cells = self.accepted.select(pl.col(RECORD).cast(pl.Int64).alias(FLAG), CELLS)
        cells = cells.filter(pl.col(CELLS).list.len() > 0).explode(CELLS).unnest(CELLS)
        return cells.select(pl.coalesce(RECORD, FLAG).alias(RECORD), COLUMN, RULE, VALUE)

    def rejecting(self, rule: str, broken: pl.Expr, value: pl.Expr | None = None) -> CheckedRows:
        """Return the rows parted further: where `broken` is true a row leaves under the name of this rule."""
        return self.rejecting_first([RowRule(rule, broken, pl.lit(None, dtype=pl.String) if value is None else value)])

    def rejecting_first(self, rules: Sequence[RowRule]) -> CheckedRows:
        """Return the rows parted further, each bad row under the first of these rules that it breaks."""
        flags = self._breaking(rules)
        if flags is None:
            return self
        # conditions may look at other rows, so only where there are several are they looked at again, and then by row
        one = len(rules) == 1
        told = {
            RULE: pl.lit(rules[0].name) if one else _first(rules, "name"),
            VALUE: rules[0].value if one else _first(rules, "value"),
            COLUMN: pl.lit(rules[0].column, dtype=pl.String) if one else _first(rules, "column"),
        }
        broken = self.accepted.filter(flags).with_columns(**told).drop(CELLS, strict=False)
        return CheckedRows(self.accepted.filter(~flags), pl.concat([self.broken, broken], how="diagonal_relaxed"))

    def setting_aside(self, rules: Sequence[RowRule]) -> CheckedRows:
        """Return the same rows with values that break one of these rules, which look at their row alone, among `cells`."""
        flags = self._breaking(rules)
        if flags is None:
            return self
        rows = self.accepted
        aside = rows.filter(flags).select(_set_aside(rules, given=CELLS in rows.columns)).to_series()
        place = pl.when(flags).then(flags.cum_sum().cast(pl.Int64) - 1)
        cells = aside.gather(rows.select(place).to_series())
        if CELLS in rows.columns:
            cells = rows.select(pl.coalesce(cells.alias("cells"), CELLS)).to_series()
        missing = [pl.when(~_any_broken(those)).then(name).alias(name) for name, those in _by_column(rules).items()]
        return CheckedRows(rows.with_columns(*missing, cells.alias(CELLS)), self.broken)

    def _breaking(self, rules: Sequence[RowRule]) -> pl.Series | None:
        """Return which accepted rows break any of these rules; None where none does."""
        if not rules or self.accepted.is_empty():
            return None
        flags = self.accepted.lazy().select(_any_broken(rules).alias(FLAG)).collect().to_series()
        return flags if flags.any() else None

    def with_columns(self, *columns: pl.Expr) -> CheckedRows:
        """Return the same rows with the accepted ones changed."""
        return replace(self, accepted=self.accepted.with_columns(*columns))


def check_types(
    raw: pl.LazyFrame, table: Table, *, timezone: str | None = None, required: Iterable[str] | None = None
) -> CheckedRows:
    """Cast every declared column; part off rows without a value of its type where one is needed, set other bad values aside.

    Parameters
    ----------
    raw
        Columns under our names and RECORD; RULE and VALUE where the reader already gave up on a record, CELLS where it set
        values aside.
    required
        Columns that must have a value; by default those the schema says.
    """
    schema = raw.collect_schema()
    fields = [field for field in table.fields if field.name in schema]
    needed = set(table.required if required is None else required)
    text = {field.name: _text(field.name, schema[field.name]) for field in fields}
    typed = {field.name: cast(field, schema[field.name], timezone) for field in fields}
    of_type = [
        RowRule(type_name(field), pl.col(name).is_not_null() & typed[name].is_null(), text[name], name)
        for field in fields
        for name in [field.name]
        if not (field.type == "string" and schema[name] == pl.String)
    ]
    of_rows = [rule for rule in of_type if rule.column in needed]
    of_cells = [rule for rule in of_type if rule.column not in needed]
    of_rows += [
        RowRule(f"{field.name}_is_given", typed[field.name].is_null(), pl.lit(None, dtype=pl.String), field.name)
        for field in fields
        if field.name in needed
    ]
    given = RULE in schema
    # columns that are of their type already can be taken as they are
    read = [field.name for field in fields if field.type not in PLAIN or schema[field.name] != field.dtype]
    there = {f"{FLAG}{name}": pl.col(name).is_not_null() for name in (*read, *([RULE] if given else []))}
    # what streams comes in pieces, each look at a neighbor's value then costs a copy
    frame = raw.with_columns(**{name: typed[name] for name in read}, **there).collect(engine="in-memory")
    flags = _unread(frame, read, needed & set(text))
    frame = frame.drop(*there, RULE, VALUE, strict=False)
    if flags is None:
        return CheckedRows(frame, frame.clear().drop(CELLS, strict=False).with_columns(NO_RULE))
    unfit = pl.col(RULE).is_not_null() if given else pl.lit(False)
    flag = unfit | _any_broken([*of_rows, *of_cells])
    name, value, column = (_first(of_rows, part) for part in ("name", "value", "column"))
    parted = raw.filter(flag).with_columns(
        **typed,
        **{
            RULE: pl.coalesce(RULE, name) if given else name,
            VALUE: pl.when(pl.col(RULE).is_null()).then(value).otherwise(VALUE) if given else value,
            COLUMN: pl.when(pl.col(RULE).is_null()).then(column) if given else column,
            CELLS: _set_aside(of_cells, given=CELLS in schema),
        },
    )
    unsound = parted.collect(engine="in-memory")
    lost = unsound[RULE].is_not_null()
    broken, kept = unsound.filter(lost).drop(CELLS), unsound.filter(~lost).drop(RULE, VALUE, COLUMN)
    accepted = frame.filter(~flags)
    if len(kept):
        places = pl.concat([(~flags).arg_true(), flags.arg_true().filter(~lost)])
        accepted = pl.concat([accepted, kept], how="diagonal_relaxed")[places.arg_sort()]
    return CheckedRows(accepted, broken)


def check_values(
    rows: CheckedRows, table: Table, *, shifted: Iterable[str] = (), required: Iterable[str] | None = None
) -> CheckedRows:
    """Part off rows with values out of range, of the wrong form or not in the list where one is needed, set others aside.

    Types are right already. `required` are the columns that must have a value; by default those the schema says.
    """
    needed = set(table.required if required is None else required)
    rules = value_rules(table, rows.accepted.columns, shifted)
    checked = rows.rejecting_first([rule for rule in rules if rule.column in needed])
    return checked.setting_aside([rule for rule in rules if rule.column not in needed])


def cell(column: str, rule: str | pl.Expr, value: pl.Expr, record: pl.Expr | None = None) -> pl.Expr:
    """Return a value of this column that broke a rule, as one of CELLS; `record` where it is not that of its row."""
    broken = pl.lit(rule) if isinstance(rule, str) else rule
    own = pl.lit(None) if record is None else record
    told = {RECORD: own.cast(pl.Int64), COLUMN: pl.lit(column), RULE: broken, VALUE: value.cast(pl.String)}
    return pl.struct(part.alias(name) for name, part in told.items())


def _unread(frame: pl.DataFrame, read: Iterable[str], needed: Iterable[str]) -> pl.Series | None:
    """Return which rows lack a value that was to be read or is needed, or carry a rule; None where no row does."""
    unread = [frame[name].is_null() for name in needed if frame[name].null_count()]
    unread += [frame[name].is_null() & frame[f"{FLAG}{name}"] for name in read if frame[name].null_count()]
    unread += [frame[name] for name in (f"{FLAG}{RULE}",) if name in frame.columns]
    unread = [rows for rows in unread if rows.any()]
    return functools.reduce(operator.or_, unread) if unread else None


def _text(column: str, dtype: pl.DataType) -> pl.Expr:
    """Return the text of values that break a rule; what is no number is said so."""
    text = as_text(column, dtype)
    return pl.coalesce(text, pl.lit("NaN")) if dtype.is_float() else text


def _first(rules: Sequence[RowRule], part: str) -> pl.Expr:
    """Return the name (or the value, the column) of the first broken rule, null where all hold."""
    none = pl.lit(None, dtype=pl.String)
    cases = [pl.when(rule.broken).then(_told(rule, part)) for rule in reversed(rules)]
    return functools.reduce(lambda later, case: case.otherwise(later), cases, none)


def _told(rule: RowRule, part: str) -> pl.Expr:
    """Return one part of what is told of a broken rule."""
    return rule.value if part == "value" else pl.lit(getattr(rule, part), dtype=pl.String)


def _set_aside(rules: Sequence[RowRule], *, given: bool) -> pl.Expr:
    """Return the values of a row that break these rules as CELLS, one of a column, after those that are `given` already."""
    told = [
        pl.when(_any_broken(those)).then(cell(name, _first(those, "name"), _first(those, "value")))
        for name, those in _by_column(rules).items()
    ]
    return pl.concat_list(pl.coalesce(CELLS, NO_CELLS) if given else NO_CELLS, *told).list.drop_nulls().alias(CELLS)


def _by_column(rules: Sequence[RowRule]) -> dict[str, list[RowRule]]:
    """Return rules about one column each, by it."""
    found: dict[str, list[RowRule]] = {}
    for rule in rules:
        found.setdefault(str(rule.column), []).append(rule)
    return found


def _any_broken(rules: Iterable[RowRule]) -> pl.Expr:
    """Return whether a row breaks any of these rules."""
    return pl.any_horizontal(rule.broken for rule in rules).fill_null(value=False)
