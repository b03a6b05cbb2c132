"""How a sheet spells its values, as study.toml says: blanks, words, decimal marks, dates and units, in our spelling.

Every value is looked at alone. What is not spelled as said stays as it is, and the checks of its column then say what is
wrong with it; a point in a declared column of numbers whose decimal mark is another is marked as wrong, since it would be read.
Columns that nobody declared have decimal marks and words, but no marks of thousands, dates or units.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
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
ZONED = re.compile(r"%[:#]?z")
"""The code of a zone in a format of times."""
TRIED = datetime(2024, 11, 23, 14, 56, 57, tzinfo=UTC)
"""A time that a format must be able to write and read."""
FIRST_DAY, LAST_DAY = 25_569, 2_958_466
"""Days as Excel counts them, from 1970 to 9999."""
SINCE = 1970
"""Years before it are misread: no log is so old."""
BLANKS = "[ \u00a0\u202f]"
"""What a blank between thousands may be."""
DAY_ZERO = r"^1899-12-3[01] "
"""The day that a workbook gives a time or duration without one."""
PARTS = r"^(?:(\d+):([0-5]?\d)|(\d{1,3})):([0-5]?\d(?:[.,]\d+)?)$"
FORMS = ("trim", "values", "decimal", "thousands", "times", "units")
"""Options of study.toml that this module goes by."""


def in_our_spelling(frame: pl.LazyFrame, name: str, options: Mapping[str, Any], *, typed: bool = False) -> pl.LazyFrame:
    """Return the records of a table, under our column names, with their values spelled as the checks read them.

    Parameters
    ----------
    name
        The table.
    options
        What study.toml says of it, of which :data:`FORMS` count here.
    typed
        Whether numbers of the source are stored as such, and have a point whatever the decimal mark of its texts is.

    Raises
    ------
    DataError
        An option is about a column that is not there or that it does not fit, or cannot be used.
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
            durations = ", ".join(column for column, field in fields.items() if field.unit == "s")
            raise DataError(f"[{name}] units.{column}: units are of durations; those are {durations}")
    marks = Marks.of(name, options, typed=typed)
    said = {*values, *units}
    frame = frame.with_columns(as_text(column, types[column]).alias(column) for column in said)
    return frame.with_columns(
        _spelled(column, fields.get(column), options, marks).alias(column)
        for column, dtype in types.items()
        if (dtype == pl.String and not column.startswith("__")) or column in said
    )


@dataclass(frozen=True)
class Marks:
    """The decimal mark of numbers and, where there is one, the mark between thousands.

    Parameters
    ----------
    typed
        Whether numbers with a point are stored as such.
    """

    decimal: str
    thousands: str | None
    typed: bool

    @classmethod
    def of(cls, name: str, options: Mapping[str, Any], *, typed: bool) -> Marks:
        """Return those that study.toml says; DataError where they cannot be told apart from each other or from digits."""
        decimal, thousands = str(options.get("decimal", ".")), options.get("thousands")
        for option, mark in (("decimal", decimal), ("thousands", thousands)):
            if mark is not None and (mark.isalnum() or mark in "+-"):
                raise DataError(f"[{name}] {option} = {mark!r} is part of numbers, and cannot be a mark in them")
        if thousands == decimal:
            raise DataError(f"[{name}] thousands and decimal are both {decimal!r}; set the other one too")
        if thousands is not None and typed:
            raise DataError(
                f"[{name}] sets thousands, but the numbers of the file are stored without marks; leave it out"
            )
        return cls(decimal, thousands, typed)

    def number(self, given: pl.Expr, text: pl.Expr, *, declared: bool) -> pl.Expr:
        """Return numbers with a point and without marks between thousands; other texts as they are.

        In a column of numbers a point that is no mark is not believed to be one.
        """
        point = re.escape(self.decimal)
        number = text
        if self.thousands is not None and declared:
            mark = BLANKS if self.thousands == " " else re.escape(self.thousands)
            grouped = text.str.contains(rf"^[+-]?[1-9]\d{{0,2}}(?:{mark}\d{{3}})+(?:{point}\d+)?$")
            number = pl.when(grouped).then(text.str.replace_all(mark, "")).otherwise(text)
        elif self.decimal == ".":
            return given
        plain = number.str.contains(rf"^[+-]?\d*{point}?\d+(?:[eE][+-]?\d+)?$")
        made = pl.when(plain).then(number.str.replace(self.decimal, ".", literal=True)).otherwise(given)
        if self.decimal == "." or self.typed or not declared:
            return made
        odd = text.str.contains(r"^[+-]?\d*\.\d+$") & ~text.str.contains(r"\.00?$") & ~plain
        return pl.when(odd).then(pl.format("{} (the decimal mark is {})", text, pl.lit(self.decimal))).otherwise(made)


def _spelled(column: str, field: Field | None, options: Mapping[str, Any], marks: Marks) -> pl.Expr:
    """Return one column of text in our spelling."""
    given = pl.col(column)
    text = given.str.strip_chars()
    if options.get("trim"):
        given = text
    if field is None or field.type in ("integer", "number"):
        given = marks.number(given, text, declared=field is not None)
    if field is not None and field.type == "datetime" and "times" in options:
        given = _time(given, text, options["times"], marks.decimal)
    unit, words = options.get("units", {}).get(column), options.get("values", {}).get(column)
    if unit is not None:
        given = _seconds(given, unit)
    return given if words is None else _words(given, words, column)


def _time(given: pl.Expr, text: pl.Expr, formats: str | list[str], decimal: str) -> pl.Expr:
    """Return times in one of these formats as ISO 8601 spells them; other texts as they are."""
    found = [_in_format(text, one, decimal) for one in ([formats] if isinstance(formats, str) else formats)]
    return pl.coalesce(*found, given)


def _in_format(text: pl.Expr, form: str, decimal: str) -> pl.Expr:
    """Return texts in one format as ISO 8601 spells them, null where they are not in it."""
    if form == EXCEL:
        days = text.str.replace(decimal, ".", literal=True).cast(pl.Float64, strict=False)
        since = pl.when(days.is_between(FIRST_DAY, LAST_DAY)).then((days * 86_400_000).round().cast(pl.Int64))
        return _iso(pl.datetime(1899, 12, 30) + pl.duration(milliseconds=since))
    _refuse_format(form)
    time = _parsed(text, form)
    iso = _iso(pl.when(time.dt.year() >= SINCE).then(time))
    return pl.concat_str(iso, pl.lit("+00:00")) if ZONED.search(form) else iso


def _parsed(text: pl.Expr, form: str) -> pl.Expr:
    """Return texts as times, in UTC where the format has a zone."""
    if ZONED.search(form):
        return text.str.to_datetime(form, time_unit="us", time_zone="UTC", strict=False, exact=True)
    if re.search(r"%[-_0]?[HIklsTRrXcS]", form):
        return text.str.to_datetime(form, time_unit="us", strict=False, exact=True)
    return text.str.to_date(form, strict=False, exact=True).cast(pl.Datetime("us"))


def _iso(time: pl.Expr) -> pl.Expr:
    """Return times as ISO 8601 spells them."""
    return time.dt.strftime("%Y-%m-%d %H:%M:%S%.6f")


def _refuse_format(form: str) -> None:
    """Raise DataError where a format of times cannot be used: it is none, or does not name a day of a year."""
    try:
        if "%Z" in form:
            raise DataError(f"times = {form!r}: names of zones cannot be read; leave %Z out and set timezone")
        tried = pl.Series([TRIED]).dt.strftime(form)
        found = pl.select(_parsed(pl.lit(tried), form)).to_series()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        found = pl.Series([None])
    read = found[0]
    if read is None or read.date() != TRIED.date():
        raise DataError(
            f"times = {form!r} cannot be used: it must have the codes of a whole date, such as %d.%m.%Y %H:%M for 23.11.2024 14:56"
        )


def _seconds(given: pl.Expr, unit: str) -> pl.Expr:
    """Return durations as numbers of seconds; other texts as they are."""
    if unit == CLOCK:
        clock = given.str.strip_chars().str.replace(DAY_ZERO, "")
        hours, of_hour, alone, seconds = (
            clock.str.extract(PARTS, part).str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
            for part in (1, 2, 3, 4)
        )
        total = hours.fill_null(0) * 3600 + pl.coalesce(of_hour, alone) * 60 + seconds
    else:
        total = given.str.strip_chars().cast(pl.Float64, strict=False) * SECONDS[unit]
    return pl.coalesce(total.round(6).cast(pl.String), given)


def cell_of(value: object) -> str:
    """Return a value of study.toml as a sheet would spell it.

    >>> cell_of(True), cell_of(0.5), cell_of("S1")
    ('true', '0.5', 'S1')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def _words(given: pl.Expr, words: Mapping[str, Any], column: str) -> pl.Expr:
    """Return what words stand for, whatever their case and the blanks around them; other texts as they are.

    The empty word stands for a cell without a value.
    """
    meant: dict[str, str] = {}
    for word, value in words.items():
        text = cell_of(value)
        if meant.setdefault(word.strip().lower(), text) != text:
            raise DataError(
                f"values.{column} has several values for {word.strip().lower()!r}, whose case does not count"
            )

    def read(texts: pl.Series) -> pl.Series:
        folded = texts.str.strip_chars().str.to_lowercase()
        found = folded.replace_strict(meant, default=None, return_dtype=pl.String)
        found = pl.select(pl.coalesce(found, texts)).to_series()
        return found.fill_null(meant[""]) if "" in meant else found

    return given.map_batches(read, return_dtype=pl.String, is_elementwise=True)
