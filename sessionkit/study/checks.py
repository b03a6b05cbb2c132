"""The rules of the schemas: casts to the declared types, rules about one row, about keys, and about rows of several tables."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.study.schema import Field, Table

UTC_MICROSECONDS = pl.Datetime("us", "UTC")
ZONE = r" ?(Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$"
"""The zone at the end of a time; the day of a bare date looks like one, but that is no time anyway."""
COUNT = r"^(\d+)(?:\.(\d+))?$"
"""A count of seconds, milliseconds, microseconds or nanoseconds since 1970."""
NANOSECONDS = {9: 10**9, 10: 10**9, 12: 10**6, 13: 10**6, 15: 10**3, 16: 10**3, 18: 1, 19: 1}
"""What a count with this many digits before the point is a number of."""
SPELLED = (pl.Categorical, pl.Enum, pl.Binary)
"""Types of texts that are kept otherwise, as those of a dictionary-encoded column; what they spell is read as text is."""


def as_text(column: str | pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Return a column (or values) of any type as text: whole floats without a fraction, nested values as JSON."""
    value = pl.col(column) if isinstance(column, str) else column
    if dtype.is_float():
        whole = (value == value.round()) & (value.abs() < 2**53)
        return (
            pl.when(value.is_nan())
            .then(None)
            .when(whole)
            .then(value.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(value.cast(pl.String))
        )
    value = without_bytes(value, dtype)
    if isinstance(dtype, pl.Struct):
        return pl.when(value.is_not_null()).then(value.struct.json_encode())
    if isinstance(dtype, pl.List | pl.Array | pl.Map):
        boxed = pl.struct(value.alias("v")).struct.json_encode()
        return pl.when(value.is_not_null()).then(boxed.str.slice(5, boxed.str.len_chars() - 6))
    if isinstance(dtype, pl.Datetime):
        return value.dt.to_string("iso:strict")
    if isinstance(dtype, pl.Duration):
        return value.dt.to_string("iso")
    return value.cast(pl.String, strict=False)


def without_bytes(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Return a value with the bytes in it, however deep, as text: what they spell in UTF-8, else hexadecimal."""
    if dtype == pl.Binary:
        return value.map_batches(_spelled, return_dtype=pl.String)
    if isinstance(dtype, pl.Array):
        return without_bytes(value.arr.to_list(), pl.List(dtype.inner))
    if isinstance(dtype, pl.List):
        inner = without_bytes(pl.element(), _instance(dtype.inner))
        return value.list.eval(inner)
    if isinstance(dtype, pl.Map) and pl.Binary in (dtype.key, dtype.value):
        pairs = pl.List(pl.Struct({"key": dtype.key, "value": dtype.value}))
        return without_bytes(value.cast(pairs), pairs)
    if isinstance(dtype, pl.Struct):
        fields = [
            without_bytes(value.struct.field(field.name), _instance(field.dtype)).alias(field.name)
            for field in dtype.fields
        ]
        return pl.when(value.is_not_null()).then(pl.struct(fields)) if fields else value
    return value


def _spelled(column: pl.Series) -> pl.Series:
    """Return a column of bytes as text."""
    try:
        return column.cast(pl.String)
    except pl.exceptions.ComputeError:  # some are no UTF-8; polars then casts none
        return pl.Series(column.name, [_text_of(value) for value in column], dtype=pl.String)


def _text_of(value: bytes | None) -> str | None:
    """Return the text that bytes spell, else their hexadecimal digits."""
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return None if value is None else value.hex()


def _instance(dtype: object) -> pl.DataType:
    """Return a nested type as an instance, which polars does not promise it to be."""
    return dtype if isinstance(dtype, pl.DataType) else dtype()  # type: ignore[operator]


def cast(field: Field, dtype: pl.DataType, timezone: str | None = None) -> pl.Expr:
    """Return the column of this field, which has this type in the source, as the declared type."""
    value = pl.col(field.name)
    if field.type == "string":
        return as_text(field.name, dtype)
    if field.type == "boolean":
        return _boolean(field, dtype)
    if dtype in SPELLED:
        value, dtype = as_text(field.name, dtype), pl.String()
    if field.type == "datetime":
        return _datetime(value, dtype, timezone)
    return _number(field, value, dtype)


def _number(field: Field, value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Return an integer (also from a number without fraction) or a finite number."""
    whole = field.type == "integer"
    if dtype == pl.String and whole:
        return value.map_batches(partial(_integers, dtype=field.dtype), return_dtype=field.dtype, is_elementwise=True)
    if dtype == pl.String:
        value = value.str.strip_chars()
    elif not (dtype.is_numeric() or dtype == pl.Null):
        return pl.lit(None, dtype=field.dtype)
    elif whole and (dtype.is_float() or dtype.is_decimal()):
        value = pl.when(value == value.cast(pl.Int64, strict=False)).then(value)
    number = value.cast(field.dtype, strict=False)
    return number if whole else pl.when(number.is_finite()).then(number)


def _integers(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return texts as integers; blanks around them and a fraction of zeros are looked for where some are none as is."""
    numbers = texts.cast(dtype, strict=False)
    if numbers.null_count() == texts.null_count():
        return numbers
    return texts.str.strip_chars().str.replace(r"\.0+$", "").cast(dtype, strict=False)


def without_zone(column: str, dtype: pl.DataType) -> pl.Expr:
    """Return whether a value is a time that carries no zone (counts of seconds since 1970 are UTC by definition)."""
    if isinstance(dtype, pl.Datetime):
        return pl.col(column).is_not_null() if dtype.time_zone is None else pl.lit(False)
    if dtype == pl.String or dtype in SPELLED:
        text = as_text(column, dtype).str.strip_chars()
        bare = pl.when(~text.str.contains(ZONE) & ~text.str.contains(COUNT)).then(text)
        return _naive(_clock(bare)).is_not_null()
    return pl.lit(False)


def _boolean(field: Field, dtype: pl.DataType) -> pl.Expr:
    """Return yes or no from a boolean, from 0 and 1, or from the texts the schema lists."""
    text = as_text(field.name, dtype).str.strip_chars()
    return pl.when(text.is_in(field.true_values)).then(True).when(text.is_in(field.false_values)).then(False)


def _datetime(value: pl.Expr, dtype: pl.DataType, timezone: str | None) -> pl.Expr:
    """Return microseconds UTC from a time, ISO 8601 text or a count of (milli-, micro-, nano-) seconds since 1970."""
    if isinstance(dtype, pl.Datetime):
        cut = value.dt.cast_time_unit("us")
        return _placed(cut, timezone) if dtype.time_zone is None else cut.dt.convert_time_zone("UTC")
    if dtype.is_integer():
        return _epoch(value.cast(pl.String))
    if dtype.is_float() or dtype.is_decimal():
        return _epoch(value.cast(pl.Decimal(38, 6), strict=False).cast(pl.String))
    if dtype != pl.String:
        return pl.lit(None, dtype=UTC_MICROSECONDS)
    text = value.str.strip_chars()
    clock, offset = _clock(text), text.str.extract(ZONE)
    aware = pl.concat_str(clock, _offset(offset)).str.to_datetime(
        "%Y-%m-%d %H:%M:%S%.f%:z", time_unit="us", strict=False
    )
    naive = _naive(pl.when(offset.is_null()).then(clock))
    return pl.coalesce(aware, _placed(naive, timezone), _epoch(text))


def _naive(clock: pl.Expr) -> pl.Expr:
    """Return date and time of day as a time without zone."""
    return clock.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False)


def _clock(text: pl.Expr) -> pl.Expr:
    """Return date and time of day without the zone, in one spelling: ``2024-03-01 10:00:00.5``."""
    bare = text.str.replace(ZONE, "")
    bare = bare.str.replace(r"^(\d{4})(\d{2})(\d{2})[Tt](\d{2})(\d{2})(\d{2})", "$1-$2-$3 $4:$5:$6")
    bare = bare.str.replace(r"^(\d{4}-\d{2}-\d{2})[Tt]", "$1 ")
    return bare.str.replace(r" (\d{2}:\d{2})$", " $1:00").str.replace(r",(\d+)$", ".$1")


def _offset(zone: pl.Expr) -> pl.Expr:
    """Return a zone as ``+01:00``."""
    letters = zone.str.strip_chars().str.replace("^(?:Z|z|UTC|GMT)$", "+00:00")
    return letters.str.replace(r"^([+-]\d{2})(\d{2})?$", "$1:$2").str.replace(":$", ":00")


def _placed(naive: pl.Expr, timezone: str | None) -> pl.Expr:
    """Return a time without zone, taken to be in this one (the earlier where clocks repeat an hour), as UTC."""
    zoned = naive.dt.replace_time_zone(timezone or "UTC", ambiguous="earliest", non_existent="null")
    return zoned.dt.convert_time_zone("UTC")


def _epoch(text: pl.Expr) -> pl.Expr:
    """Return a count since 1970 as a time; how many digits it has before the point tells its unit (NANOSECONDS)."""
    whole, fraction = text.str.extract(COUNT, 1), text.str.extract(COUNT, 2).fill_null("0")
    scale = whole.str.len_chars().replace_strict(NANOSECONDS, default=None, return_dtype=pl.Int64)
    rest = fraction.str.slice(0, 9).str.pad_end(9, "0").cast(pl.Int64, strict=False)
    nanoseconds = whole.cast(pl.Int64, strict=False) * scale + rest * scale // 10**9
    return (nanoseconds // 1000).cast(pl.Datetime("us")).dt.replace_time_zone("UTC")


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

    `known` remembers keys of the accepted rows, `starts` where they begin, see :mod:`sessionkit.study.checks`.
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


REACH = 100
"""How many positions of a session may be missing, however few it has."""


def check_unique(rows: CheckedRows, table: Table) -> CheckedRows:
    """Sort by the key and part off rows whose key an earlier record of the source already has."""
    key = list(table.key)
    if _rises(rows, key):
        return rows
    if not rises(rows.accepted, [*key, RECORD]):
        rows = CheckedRows(rows.accepted.sort([*key, RECORD]), rows.broken)
    repeated = pl.all_horizontal(pl.col(name) == pl.col(name).shift(1) for name in key)
    return rows.rejecting(table.rule("unique").name, repeated, _shown(key))


def check_parents(
    rows: CheckedRows, table: Table, reference: str, accepted: pl.DataFrame, seen: pl.DataFrame
) -> CheckedRows:
    """Part off rows whose parent does not exist (``..._is_known``) or was itself rejected (``..._is_accepted``).

    `accepted` and `seen` hold the keys of the parents that were accepted, and of all that occur in the source.
    """
    known, kept = table.rule("known", reference), table.rule("accepted", reference)
    key = list(known.fields)
    if rows.accepted.is_empty():
        return rows
    own = keys_of(rows, key)
    if own.equals(accepted.select(key)):  # which is so in most logs, and cheaper to see than what is missing
        return rows
    if len(key) == 2 and _all_numbered(own, accepted.select(key)):
        return rows
    orphans = own.join(accepted, on=key, how="anti")
    if orphans.is_empty():
        return rows
    seen = seen.select(key).unique().with_columns(pl.lit(True).alias(FLAG))
    orphans = orphans.join(seen, on=key, how="left").with_columns(pl.col(FLAG).fill_null(value=False))
    flagged = CheckedRows(rows.accepted.join(orphans, on=key, how="left", maintain_order="left"), rows.broken)
    parted = flagged.rejecting(known.name, ~pl.col(FLAG), _shown(key))
    parted = parted.rejecting(kept.name, pl.col(FLAG), _shown(key))
    return CheckedRows(parted.accepted.drop(FLAG), parted.broken.drop(FLAG, strict=False))


def check_reach(rows: CheckedRows, table: Table, positions: pl.DataFrame | None = None) -> CheckedRows:
    """Part off rows so far on in the numbering that the positions missing before them cannot be meant.

    Up to the k-th position of a session :data:`REACH` may be missing, or k where that is more: a time or an id taken for a
    position would make rows without end. `positions` are the (session, position) pairs to count; by default those of the
    rows themselves.
    """
    if rows.accepted.is_empty():
        return rows
    rule = table.rule("near")
    group, position = rule.fields
    counted = keys_of(rows, [group, position]) if positions is None else distinct(positions, [group, position])
    if counted.is_empty() or counted[position].max() <= REACH + 1 or is_dense(counted):  # type: ignore[operator]
        return rows
    ordinal = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(group)
    missing = pl.col(position).cast(pl.Int64) - ordinal
    beyond = (missing > pl.max_horizontal(ordinal, REACH)).cum_max().over(group)
    far = in_order(counted).filter(beyond)
    if far.is_empty():
        return rows
    flagged = rows.accepted.join(
        far.with_columns(pl.lit(True).alias(FLAG)), on=[group, position], how="left", maintain_order="left"
    )
    parted = CheckedRows(flagged, rows.broken).rejecting(rule.name, pl.col(FLAG), pl.col(position).cast(pl.String))
    return CheckedRows(parted.accepted.drop(FLAG), parted.broken.drop(FLAG, strict=False))


def is_dense(keys: pl.DataFrame) -> bool:
    """Return whether position k is the k-th of its group in all of these distinct (group, position) pairs, in any order.

    >>> is_dense(pl.DataFrame({"s": ["b", "a", "a"], "p": [1, 2, 1]})), is_dense(pl.DataFrame({"s": ["a", "a"], "p": [1, 3]}))
    (True, False)
    """
    group, position = keys.columns
    first = (pl.col(group) != pl.col(group).shift(1)).fill_null(value=True)
    due = pl.when(first).then(1).otherwise(pl.col(position).shift(1) + 1)
    dense = (pl.col(position) == due).all()
    # each key is there once: where all are due as they stand, no group stands in two places
    return bool(keys.lazy().select(dense).collect().item() or in_order(keys).select(dense).item())


def _all_numbered(own: pl.DataFrame, accepted: pl.DataFrame) -> bool:
    """Return whether all of these keys are accepted, as is cheap to see where the accepted count from 1 in each group."""
    group, number = own.columns
    runs, mine = (keys[group].rle().struct.unnest() for keys in (accepted, own))
    first, times = (runs["len"].cum_sum() - runs["len"]).to_numpy(), runs["len"].to_numpy()
    if not (accepted[number].to_numpy() == np.arange(1, accepted.height + 1) - np.repeat(first, times)).all():
        return False
    found = mine.join(runs, on="value", how="left", maintain_order="left")
    if found.height != mine.height or found["len_right"].null_count():
        return False
    most = np.repeat(found["len_right"].to_numpy(), mine["len"].to_numpy())
    return bool(own[number].is_between(1, pl.Series(most)).all())


def rises(frame: pl.DataFrame, key: Sequence[str]) -> bool:
    """Return whether the key of every row is above that of the row before; its columns have no nulls."""
    if frame.height < 2:
        return True
    first, *rest = (frame[name] for name in key)
    now, before = first[1:], first[:-1]
    new = now != before
    # texts are compared but once, and by order only where they change; numbers are compared cheaply
    if not (now.filter(new) > before.filter(new)).all():
        return False
    above = pl.Series([False]).new_from_index(0, len(new))
    for column in reversed(rest):
        now, before = column[1:], column[:-1]
        above = (now > before) | ((now == before) & above)
    return bool((new | above).all())


def _rises(rows: CheckedRows, key: Sequence[str]) -> bool:
    """Return what :func:`rises` does of the accepted rows; what :func:`keys_of` is asked for later is found on the way."""
    *group, last = key
    values = rows.accepted[last]
    if not group or values.null_count():
        return rises(rows.accepted, key)
    starts = starts_of(rows, group)
    keys = rows.accepted.select(group)[starts]
    if not rises(keys, group):
        return False
    rows.known[tuple(group)] = keys
    above = np.ones(len(values), dtype=np.bool_)
    above[1:] = (values[1:] > values[:-1]).to_numpy()
    above[starts] = True
    return bool(above.all())


def in_order(keys: pl.DataFrame) -> pl.DataFrame:
    """Return distinct keys sorted by all their columns; keys that already rise are returned as they are."""
    return keys if rises(keys, keys.columns) else keys.sort(keys.columns)


def distinct(rows: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """Return every key of these rows once; rows of one key mostly stand together, which makes it cheap."""
    return _once(rows.select(key)[np.flatnonzero(begins(rows, key))])


def keys_of(rows: CheckedRows, key: Sequence[str]) -> pl.DataFrame:
    """Return every key of the accepted rows once, as :func:`distinct` does; what was found is found but once.

    A key that is the first part of one that was asked for before is found among these, which are fewer.
    """
    known = rows.known
    if (wanted := tuple(key)) not in known:
        longer = next((keys for name, keys in known.items() if name[: len(wanted)] == wanted), None)
        if longer is None:
            known[wanted] = _once(rows.accepted.select(key)[starts_of(rows, key)])
        else:
            known[wanted] = distinct(longer, key)
    return known[wanted]


def starts_of(rows: CheckedRows, key: Sequence[str]) -> NDArray[np.intp]:
    """Return which accepted rows have another key than the row before, the first one among them; found but once."""
    if (wanted := tuple(key)) not in rows.starts:
        rows.starts[wanted] = np.flatnonzero(begins(rows.accepted, key))
    return rows.starts[wanted]


def _once(keys: pl.DataFrame) -> pl.DataFrame:
    """Return every key once."""
    return keys if rises(keys, keys.columns) else keys.unique()


def begins(rows: pl.DataFrame, key: Sequence[str]) -> NDArray[np.bool_]:
    """Return for every row whether its key is another than that of the row before, as the first one's is; null is a value.

    >>> begins(pl.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "y"]}), ["a"]).tolist()
    [True, False, True]
    """
    new = np.ones(rows.height, dtype=np.bool_)
    # what a null is unlike is asked only where there are nulls: it takes half as long again
    unlike = (
        rows[name][1:].ne_missing(rows[name][:-1]) if rows[name].null_count() else rows[name][1:] != rows[name][:-1]
        for name in key
    )
    new[1:] = functools.reduce(operator.or_, unlike).to_numpy()
    return new


def any_twice(hashes: NDArray[np.uint64]) -> bool:
    """Return whether any of these numbers is there twice."""
    ordered = np.sort(hashes)
    return bool((ordered[1:] == ordered[:-1]).any())


def changes(names: Sequence[str]) -> pl.Expr:
    """Return whether any of these columns has another value than in the row before; true in the first row."""
    return pl.any_horizontal(
        pl.int_range(pl.len()) == 0, *(pl.col(name).ne_missing(pl.col(name).shift(1)) for name in names)
    )


def _shown(key: Sequence[str]) -> pl.Expr:
    """Return a key as one text, its parts joined by spaces."""
    return pl.concat_str([pl.col(name).cast(pl.String) for name in key], separator=" ")
