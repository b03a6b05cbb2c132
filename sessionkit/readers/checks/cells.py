"""How a sheet spells its values, as study.toml says: blanks, words, decimal marks, dates and units, in our spelling.

Every value is looked at alone. What is not spelled as said stays as it is, and the checks of its column then say what is
wrong with it. Undeclared columns have decimal marks and words, but neither dates nor units.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from sessionkit.contract import Field, table
from sessionkit.contract.casts import as_text
from sessionkit.errors import DataError
from sessionkit.readers.checks.log_schemas import all_columns

SECONDS = {"milliseconds": 0.001, "seconds": 1.0, "minutes": 60.0, "hours": 3600.0}
"""What a unit is in seconds."""
CLOCK = "h:m:s"
"""The unit of durations such as 1:02:03, or 2:03, which are minutes and seconds."""
EXCEL = "excel"
"""The format of times that are counts of days, as Excel stores them."""
UNKNOWN_CODE = re.compile(r"%(?![-_0]?[AaBbCcDdeFfGgHhIjklMmnPpRrSsTtUuVvWwXxYyZz%]|\.?[369]?f).?")
"""A code of times that polars does not know."""
LAST_DAY = 2_958_466
"""Days that Excel can count, to the year 9999."""
DAY_ZERO = r"^1899-12-3[01] "
"""The day that a workbook gives a time or duration without one."""
PARTS = r"^(?:(\d+):)?(\d{1,3}):(\d{1,2}(?:[.,]\d+)?)$"
FORMS = ("trim", "values", "decimal", "thousands", "times", "units", "number_queries")
"""Options of study.toml that this module goes by."""


def in_our_spelling(frame: pl.LazyFrame, name: str, options: Mapping[str, Any]) -> pl.LazyFrame:
    """Return the records of a table, under our column names, with their values spelled as the checks read them.

    Parameters
    ----------
    name
        The table.
    options
        What study.toml says of it, of which :data:`FORMS` count here.

    Raises
    ------
    DataError
        An option is about a column that is not there or that it does not fit, or a format of times is none.
    """
    if not any(option in options for option in FORMS):
        return frame
    types = frame.collect_schema()
    fields = (table(name) if name in ("users", "judgments") else all_columns()).by_name
    values, units = options.get("values", {}), options.get("units", {})
    for option, given in (("values", values), ("units", units)):
        for column in given:
            if column not in types:
                known = ", ".join(column for column in types if not column.startswith("__"))
                raise DataError(f"[{name}] {option} names a column {column!r}, which is not there; columns: {known}")
    for column in units:
        if column not in fields or fields[column].unit != "s":
            raise DataError(
                f"[{name}] units.{column}: units are of durations; those are {', '.join(_durations(fields))}"
            )
    said = {*values, *units}
    frame = frame.with_columns(as_text(column, types[column]).alias(column) for column in said)
    frame = frame.with_columns(
        _spelled(column, fields.get(column), options, values.get(column), units.get(column)).alias(column)
        for column, dtype in types.items()
        if (dtype == pl.String and not column.startswith("__")) or column in said
    )
    return _numbered(frame, name, list(types)) if options.get("number_queries") else frame


def _durations(fields: Mapping[str, Field]) -> list[str]:
    """Return the columns that are numbers of seconds."""
    return [column for column, field in fields.items() if field.unit == "s"]


def _spelled(
    column: str, field: Field | None, options: Mapping[str, Any], words: Mapping[str, Any] | None, unit: str | None
) -> pl.Expr:
    """Return one column of text in our spelling."""
    given = pl.col(column)
    text = given.str.strip_chars()
    if options.get("trim"):
        given = text
    if field is None or field.type in ("integer", "number"):
        given = _number(given, text, str(options.get("decimal", ".")), options.get("thousands"))
    if field is not None and field.type == "datetime" and "times" in options:
        given = _time(given, text, options["times"])
    if unit is not None:
        given = _seconds(given, unit)
    if words is not None:
        given = _words(given, text, words)
    return given


def _number(given: pl.Expr, text: pl.Expr, decimal: str, thousands: str | None) -> pl.Expr:
    """Return numbers with a point and without marks between thousands; other texts as they are."""
    point = re.escape(decimal)
    number = text
    if thousands is not None:
        mark = re.escape(thousands)
        grouped = text.str.contains(rf"^[+-]?\d{{1,3}}(?:{mark}\d{{3}})+(?:{point}\d+)?$")
        number = pl.when(grouped).then(text.str.replace_all(thousands, "", literal=True)).otherwise(text)
    elif decimal == ".":
        return given
    plain = number.str.contains(rf"^[+-]?\d*{point}?\d+(?:[eE][+-]?\d+)?$")
    return pl.when(plain).then(number.str.replace(decimal, ".", literal=True)).otherwise(given)


def _time(given: pl.Expr, text: pl.Expr, formats: str | list[str]) -> pl.Expr:
    """Return times in one of these formats as ISO 8601 spells them; other texts as they are."""
    found = [_in_format(text, one) for one in ([formats] if isinstance(formats, str) else formats)]
    return pl.coalesce(*(time.dt.strftime("%Y-%m-%d %H:%M:%S%.6f") for time in found), given)


def _in_format(text: pl.Expr, form: str) -> pl.Expr:
    """Return texts in one format as times, null where they are not in it."""
    if form == EXCEL:
        days = text.cast(pl.Float64, strict=False)
        since = pl.when(days.is_between(0, LAST_DAY)).then((days * 86_400_000).round().cast(pl.Int64))
        return pl.datetime(1899, 12, 30) + pl.duration(milliseconds=since)
    if "%" not in form or (unknown := UNKNOWN_CODE.search(form)):
        why = f"it has the code {unknown[0]}" if "%" in form and unknown else "it has no code such as %d"
        raise DataError(f"times = {form!r} is no format of times: {why}; day.month.year hour:minute is %d.%m.%Y %H:%M")
    if re.search(r"%-?[HIklsTRrXcS]", form):
        return text.str.to_datetime(form, time_unit="us", strict=False, exact=True)
    return text.str.to_date(form, strict=False, exact=True).cast(pl.Datetime("us"))


def _seconds(given: pl.Expr, unit: str) -> pl.Expr:
    """Return durations as numbers of seconds; other texts as they are."""
    if unit == CLOCK:
        clock = given.str.strip_chars().str.replace(DAY_ZERO, "")
        hours, minutes, seconds = (
            clock.str.extract(PARTS, part).str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
            for part in (1, 2, 3)
        )
        total = hours.fill_null(0) * 3600 + minutes * 60 + seconds
    else:
        total = given.str.strip_chars().cast(pl.Float64, strict=False) * SECONDS[unit]
    return pl.coalesce(total.round(6).cast(pl.String), given)


def _words(given: pl.Expr, text: pl.Expr, words: Mapping[str, Any]) -> pl.Expr:
    """Return what words stand for, whatever their case and the blanks around them; other texts as they are.

    The empty word stands for a cell without a value.
    """
    meant = {word.strip().lower(): _value(value) for word, value in words.items()}
    folded = text.str.to_lowercase()
    found = pl.coalesce(folded.replace_strict(meant, default=None, return_dtype=pl.String), given)
    return found.fill_null(meant[""]) if "" in meant else found


def _value(value: object) -> str:
    """Return a value of study.toml as a sheet would spell it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _numbered(frame: pl.LazyFrame, name: str, columns: list[str]) -> pl.LazyFrame:
    """Number the queries of each session as they come: a new one begins with another text, or where ranks start again."""
    if "query_position" in columns:
        raise DataError(f"[{name}] number_queries is set, but there is a query_position; leave one of them out")
    if "session_id" not in columns or not {"rank", "query_text"} & set(columns):
        raise DataError(f"[{name}] number_queries needs session_id, and rank or query_text to tell queries apart")
    changed = []
    if "query_text" in columns:
        changed.append(pl.col("query_text").ne_missing(pl.col("query_text").shift().over("session_id")))
    if "rank" in columns:
        rank = pl.col("rank").cast(pl.Float64, strict=False)
        changed.append((rank <= rank.shift().over("session_id")).fill_null(value=False))
        changed.append(rank.is_null() | rank.shift().over("session_id").is_null())
    first = pl.col("session_id").cum_count().over("session_id") == 1
    new = pl.any_horizontal(first, *changed)
    return frame.with_columns(query_position=new.cast(pl.Int32).cum_sum().over("session_id").cast(pl.String))
