"""Which sessions take part: a condition on columns of the sessions and users, checked against what they hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import polars as pl

from sessionkit.display.numbers import counted
from sessionkit.errors import UsageError, suggestion, visible

Where = str | pl.Expr | None
"""A condition on columns of sessions and users: SQL such as ``"skill = 'novice'"``, or a polars expression; None for all."""
VALUES, COLUMNS, LENGTH = 8, 40, 40
"""Values and columns named in messages, and characters of one."""
TRIED = 50
"""Rows that are looked at alone, to tell whether a condition is about each session by itself."""
LONGEST = 400
"""Words, signs and values of a condition. Polars' time grows with the square of their number: 400 take 0.3 s. It overflows the
stack, and the process dies, from 500 on, as in ``'a' || 'a' || ...``. Values of a list are not counted; 100,000 take 0.3 s."""
SHOWN = 200
"""Characters of a condition that messages show."""
PART = re.compile(
    r"""
    (?P<listed> (?: '[^']*+(?:''[^']*+)*+' | [-+]?\d[\w.]*+ ) \s*+ , )  # a value of a list
    | '[^']*+(?:''[^']*+)*+' | "[^"]*+" | `[^`]*+` | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$  # text, and names of columns
    | (?P<comment> --[^\n]*+ | /\*.*?\*/ )
    | [\w.]++ | [|<>=!]++ | [^\w\s]
    """,
    re.VERBOSE | re.DOTALL,
)
"""A word, sign or value of SQL."""


@dataclass(frozen=True)
class Restriction:
    """The condition that sessions met, and how many did.

    Parameters
    ----------
    condition
        As it was asked for.
    sessions, of
        Sessions that meet it, and sessions before.
    sql
        Whether it is SQL, which the command line takes too.

    >>> print(Restriction("skill = 'novice'", 24, 120))
    skill = 'novice' (24 of 120 sessions)
    """

    condition: str
    sessions: int
    of: int
    sql: bool = True

    def __str__(self) -> str:
        """The condition with the numbers of sessions."""
        more = "..." if len(self.condition) > SHOWN else ""
        return f"{visible(self.condition[:SHOWN])}{more} ({self.counts})"

    @property
    def counts(self) -> str:
        """How many sessions meet it."""
        return f"{self.sessions:,} of {counted(self.of, 'session')}"


def met(frame: pl.DataFrame, where: str | pl.Expr) -> pl.Series:
    """Return for each row of a table whether it meets a condition, false where that is unknown.

    Raises
    ------
    UsageError
        It is no condition, a column does not exist, it depends on other rows, or no row meets it.

    >>> met(pl.DataFrame({"skill": ["novice", "expert", None]}), "skill <> 'expert'").to_list()
    [True, False, False]
    """
    asked = columns_named(where, frame.columns)
    expression = _expression(where)
    try:
        found = frame.select(expression.alias("met"))
    except pl.exceptions.PolarsError as error:
        if any(frame.schema[name].is_temporal() for name in asked):
            reason = "a column of times is compared with a date or time, such as DATE '2024-01-31'"
        elif "string with numeric" in str(error):
            reason = "a number stands without quotes, text in single ones; compare each column with its own kind"
        else:
            reason = _first_line(error)
        raise UsageError(_refusal(where, reason, frame.select(asked))) from None
    column = found.to_series()
    if column.dtype not in (pl.Boolean, pl.Null):
        msg = f"where {_cut(where)} is {column.dtype}, not true or false for each session; write a condition such as queries >= 2"
        raise UsageError(msg)
    if not asked and len(column) == 1:  # true, or false, of all
        column = column.new_from_index(0, len(frame))
    column = column.cast(pl.Boolean).fill_null(value=False)
    if len(column) != len(frame) or not _of_each_row(frame, expression, column):
        msg = f"where {_cut(where)} depends on other sessions; write a condition on the columns of each, such as queries >= 2"
        raise UsageError(msg)
    if not column.any():
        raise UsageError(_refusal(where, "no session is left", frame.select(asked)))
    return column


def _of_each_row(frame: pl.DataFrame, condition: pl.Expr, found: pl.Series) -> bool:
    """Whether rows of a table, spread over it, meet a condition alone as they do among all."""
    step = -(-len(frame) // TRIED) or 1
    rows = frame.gather_every(step).group_by(pl.int_range(pl.len()).alias("row"), maintain_order=True)
    alone = rows.agg(condition.alias("met")).get_column("met").to_list()
    alone = [values if isinstance(values, list) else [values] for values in alone]
    return all(
        len(values) == 1 and bool(values[0]) == among_all
        for values, among_all in zip(alone, found.gather_every(step), strict=True)
    )


def columns_named(where: str | pl.Expr, known: Sequence[str]) -> list[str]:
    """Return the columns that a condition names.

    Parameters
    ----------
    known
        The columns that there are.

    Raises
    ------
    UsageError
        It is no condition, or there is no such column.
    """
    asked = list(dict.fromkeys(_expression(where).meta.root_names()))
    for name in asked:
        if name not in known:
            more = f" and {len(known) - COLUMNS} more" if len(known) > COLUMNS else ""
            quoted = f"; text stands in single quotes: '{name}'" if isinstance(where, str) else ""
            advice = suggestion(name, known) or quoted
            msg = (
                f"where {_cut(where)}: there is no column {name!r}{advice}; columns: {', '.join(known[:COLUMNS])}{more}"
            )
            raise UsageError(msg)
    return asked


def _expression(where: str | pl.Expr) -> pl.Expr:
    """The condition as an expression."""
    if isinstance(where, pl.Expr):
        if where.meta.has_multiple_outputs():
            msg = f"where {_cut(where)} names several columns; combine conditions by &, or by pl.all_horizontal"
            raise UsageError(msg)
        return where
    if not isinstance(where, str):
        raise UsageError(
            f"where takes a condition such as \"topic_id = 'A'\" or a polars expression, not {where!r:.80}"
        )
    _require_short(where)
    try:
        return pl.sql_expr(where)
    except pl.exceptions.PolarsError as error:
        said = _first_line(error).removeprefix("sql parser error: ")
        why = "" if said.startswith("unable to parse") else f" ({said})"  # that repeats the condition
        msg = f"where {_cut(where)} cannot be read{why}; write a condition such as \"topic_id = 'A' and queries >= 2\""
        raise UsageError(msg) from None


def _require_short(where: str) -> None:
    """Refuse a condition that polars would take long to read, or die of."""
    if len(where) <= LONGEST:
        return
    counted_parts = (part for part in PART.finditer(where) if not (part["listed"] or part["comment"]))
    if next(islice(counted_parts, LONGEST, None), None) is not None:
        msg = (
            f"where {_cut(where)} has more than {LONGEST} words, signs and values, not counting the values of lists; write a list, "
            "such as session_id IN ('s1', 's2'), in place of many conditions"
        )
        raise UsageError(msg)


def _cut(where: str | pl.Expr) -> str:
    """The beginning of a condition in quotes."""
    text = str(where)
    return repr(text) if len(text) <= SHOWN else f"{text[:SHOWN]!r}..."


def _refusal(where: str | pl.Expr, reason: str, columns: pl.DataFrame) -> str:
    """What is wrong with a condition, and the values that its columns have."""
    values = "; ".join(_values(column) for column in columns)
    return f"where {_cut(where)}: {reason}{f'; {values}' if values else ''}"


def _values(column: pl.Series) -> str:
    """A column's name with its values."""
    if column.dtype.is_nested() or not column.count():
        return f"{column.name} {'holds' if column.dtype.is_nested() else 'has'} {values_text(column)}"
    measured = column.dtype.is_numeric() or column.dtype.is_temporal()
    return f"{column.name} {'ranges from' if measured else 'has'} {values_text(column)}"


def values_text(column: pl.Series) -> str:
    """Name the commonest values of a column with their counts, or the range of its numbers and times.

    >>> values_text(pl.Series(["a", "b", "b", None])), values_text(pl.Series([3, 1, None])), values_text(pl.Series([None]))
    ("'b' (2), 'a' (1)", '1 to 3', 'no values')
    """
    known = column.drop_nulls()
    if column.dtype.is_nested():
        return "lists"
    if not len(known):
        return "no values"
    if column.dtype.is_numeric() or column.dtype.is_temporal():
        return " to ".join(str(value).replace("+00:00", " UTC") for value in (known.min(), known.max()))
    counts = known.cast(pl.String).value_counts(sort=True, name="__count")
    counts = counts.sort("__count", column.name, descending=[True, False])
    shown = ", ".join(f"'{value[:LENGTH]}' ({count:,})" for value, count in counts.head(VALUES).iter_rows())
    more = f" and {len(counts) - VALUES} more" if len(counts) > VALUES else ""
    return f"{shown}{more}"


def _first_line(error: Exception) -> str:
    """What polars says is wrong, without where in its plan."""
    return next(iter(str(error).splitlines()), type(error).__name__)
