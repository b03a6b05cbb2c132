"""From a source's columns and cells to ours: names, spellings of values, numbers of queries, and the schema of each table."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import polars as pl

from sessionkit.display.numbers import counted
from sessionkit.errors import DataError, suggestion
from sessionkit.readers.io.delimited import SEPARATORS
from sessionkit.readers.raw import EMPTY, MARK, WORDED, Raw
from sessionkit.study.checks import CELLS, RECORD, RULE, SPELLED, VALUE, as_text, cast
from sessionkit.study.schema import TABLES, Field, Table, table

PRIVATE = (RECORD, RULE, VALUE, CELLS)
KEYS = ("session_id", "query_position")
"""Columns in which the text of an empty list is not looked for: they say whose list it is."""
SEVERAL = "__several_"
"""What the name of a column begins with that is made of several."""
JOINED = "/"
"""What stands between the texts of columns that together are an id, as of the session of a participant and a task."""


def under_our_names(
    raw: Raw,
    columns: Mapping[str, str | int | Sequence[str | int]],
    *,
    nulls: Sequence[str] = ("",),
    trim: bool = False,
    later: Sequence[str] = (),
    numbered: bool = False,
    empty_list: str | None = None,
) -> Raw:
    """Return the source with its columns under our names and the texts that mean "no value" replaced by null.

    Parameters
    ----------
    columns
        Our column = the source's, by name or, from 1, by number; one source column may feed several of ours, and several
        one of ours: their texts, joined by :data:`JOINED`.
    nulls
        Texts that mean no value.
    trim
        Whether blanks around a text do not count.
    later
        Required columns that are made afterwards.
    numbered
        Whether the source has no header, so that texts of digits are numbers too.
    empty_list
        The text that says that a query returned nothing; records are then marked in :data:`~sessionkit.readers.raw.MARK`.

    Raises
    ------
    DataError
        A listed or a required column is not in the source, or two columns would have one name.
    """
    schema = raw.frame.collect_schema()
    found = [name for name in schema.names() if name not in PRIVATE]
    taken = {
        ours: [
            _found(one, found, raw, ours, numbered=numbered)
            for one in ([theirs] if isinstance(theirs, str | int) else theirs)
        ]
        for ours, theirs in columns.items()
    }
    fed = {theirs[0] for theirs in taken.values() if len(theirs) == 1}
    kept = [name for name in found if name not in fed]
    for name in kept:
        if name in taken:
            raise DataError(
                f"{raw.source}: columns makes {name} from {' and '.join(map(repr, taken[name]))}, but the file has a column "
                f"{name!r} as well; "
                f'list it under another name, such as {name}_given = "{name}"'
            )
    for name in (*taken, *kept):
        if name.startswith("__"):
            raise DataError(f"{raw.source}: column {name!r} begins with two underscores, which are reserved; rename it")
    several = {f"{SEVERAL}{ours}": theirs for ours, theirs in taken.items() if len(theirs) > 1}
    frame = raw.frame.with_columns(
        join_texts(name.removeprefix(SEVERAL), theirs, schema, nulls, trim=trim).alias(name)
        for name, theirs in several.items()
    )
    schema = pl.Schema({**schema, **dict.fromkeys(several, pl.String())})
    own = {ours: theirs[0] if len(theirs) == 1 else f"{SEVERAL}{ours}" for ours, theirs in taken.items()}
    wanted = {**own, **{_named(name, found): name for name in kept}}
    _refuse_missing(raw, [*wanted, *later], found)
    frame = frame.select(
        *[name for name in PRIVATE if name in schema],
        *(
            []
            if empty_list is None
            else [_unbroken(_mark(empty_list.strip(), wanted, schema, nulls), schema).alias(MARK)]
        ),
        *[_without(pl.col(theirs), schema[theirs], nulls, trim=trim).alias(ours) for ours, theirs in wanted.items()],
    )
    return replace(raw, frame=frame, empty_list=empty_list)


def alias_notes(source: str, columns: Mapping[str, str | int]) -> tuple[str, ...]:
    """Return what is to be said of columns that were taken for ours under other names."""
    taken = [f"{ours} is {theirs!r}" for ours, theirs in columns.items() if ours != theirs]
    return (f"{source}: {', '.join(taken)}",) if taken else ()


def _mark(text: str, wanted: Mapping[str, str], schema: pl.Schema, nulls: Sequence[str]) -> pl.Expr:
    """Return what a record is: EMPTY where it says that a list was empty, WORDED where it has the text and is a result all the same.

    The text may mean no value elsewhere, so it is looked for before such texts are gone. In place of a rank or a document it
    says that the list was empty; in another column it does where the record lacks one of these, and else is of note, unless it
    means no value. No text stands for no rank.
    """

    def said(theirs: str) -> pl.Expr:
        return as_text(theirs, schema[theirs]).str.strip_chars()

    def lacking(theirs: str) -> pl.Expr:
        nothing = {"", *(null.strip() for null in nulls)}
        return pl.any_horizontal(said(theirs).is_null(), *(said(theirs) == null for null in nothing))

    rank, doc = wanted["rank"], wanted["doc_id"]
    if not text:
        return pl.when(lacking(rank)).then(pl.lit(EMPTY, dtype=pl.Int8))
    keys = {wanted[name] for name in KEYS if name in wanted}
    spoken = [
        name
        for name, dtype in schema.items()
        if (dtype in (pl.String, pl.Boolean, *SPELLED) or dtype.is_numeric()) and not name.startswith(SEVERAL)
    ]
    others = [said(name) == text for name in spoken if name not in (*PRIVATE, *keys, rank, doc)]
    elsewhere = pl.any_horizontal(*others).fill_null(value=False) if others else pl.lit(value=False)
    own = (said(rank) == text).fill_null(value=False) | (said(doc) == text).fill_null(value=False)
    empty = own | (elsewhere & (lacking(rank) | lacking(doc)))
    worded = pl.lit(value=False) if text in nulls else elsewhere
    return pl.when(empty).then(pl.lit(EMPTY, dtype=pl.Int8)).when(worded).then(pl.lit(WORDED, dtype=pl.Int8))


def _unbroken(mark: pl.Expr, schema: pl.Schema) -> pl.Expr:
    """Return a mark for records that could be taken apart; others do not say that a list was empty."""
    return pl.when(pl.col(RULE).is_null()).then(mark) if RULE in schema else mark


def _named(name: str, found: list[str]) -> str:
    """Return a column's name; that of a column without one says its number, as for a file without a header."""
    ours = name if name.strip() else f"column_{found.index(name) + 1}"
    while ours != name and ours in found:
        ours += "_"
    return ours


def _found(theirs: str | int, found: list[str], raw: Raw, ours: str, *, numbered: bool) -> str:
    """Return the source's column that is meant, which must exist."""
    if isinstance(theirs, int) or (numbered and theirs.isdigit() and theirs not in found):
        number = int(theirs)
        if not 1 <= number <= len(found):
            there = (
                f"there are only {len(found)} columns"
                if len(found) > 1
                else "there is only one; is the separator right?"
            )
            raise DataError(f"{raw.source}: {ours} is column {number}, but {there}")
        return found[number - 1]
    if theirs not in found:
        _refuse_unseparated(raw, found)
        raise DataError(
            f"{raw.source} has no column {theirs!r} to make {ours} from{suggestion(theirs, found)}; found "
            f"{', '.join(found)}"
        )
    return theirs


def required(name: str) -> tuple[str, ...]:
    """Return the columns that a table must have; none of a questionnaire."""
    return table(name).required if name in TABLES else ()


def _refuse_missing(raw: Raw, ours: list[str], found: list[str]) -> None:
    """Raise DataError where a required column is neither mapped nor there under its own name."""
    missing = [name for name in required(raw.table) if name not in ours]
    if missing:
        _refuse_unseparated(raw, found)
        near = suggestion(missing[0], found)
        what = f"columns {', '.join(missing)}" if len(missing) > 1 else f"column {missing[0]}"
        remedy = (
            f'In study.toml, columns = {{ {missing[0]} = "..." }} says which column it is'
            if raw.is_file
            else f"Rename the column that is {missing[0]}"
        )
        raise DataError(f"{raw.source} ({raw.table}) has no {what}{near}; found {', '.join(found) or 'none'}. {remedy}")


def _refuse_unseparated(raw: Raw, found: list[str]) -> None:
    """Raise DataError where all columns came as one, so that another separator is likely."""
    if raw.is_file and len(found) == 1 and set(found[0]) & set(SEPARATORS):
        raise DataError(
            f"{raw.source} ({raw.table}) has only one column, {found[0][:80]!r}; is the separator right? Set separator "
            'for it in study.toml, such as "," or ";" or "\\t"'
        )


def join_texts(ours: str, names: Sequence[str], schema: pl.Schema, nulls: Sequence[str], *, trim: bool) -> pl.Expr:
    """Return the texts of several columns as one, null where one of them is.

    Of ids, texts that differ give texts that differ; a date and a time of day have a blank between them.
    """
    texts = [_without(as_text(name, schema[name]), pl.String(), nulls, trim=trim) for name in names]
    if ours.endswith("_at"):
        return pl.concat_str(texts, separator=" ")
    for special in ("\\", JOINED):
        texts = [text.str.replace_all(special, f"\\{special}", literal=True) for text in texts]
    return pl.concat_str(texts, separator=JOINED)


def _without(column: pl.Expr, dtype: pl.DataType, nulls: Sequence[str], *, trim: bool = False) -> pl.Expr:
    """Return a text column with these texts replaced by null, any other column as it is."""
    if dtype != pl.String:
        return column
    column = column.str.strip_chars() if trim else column
    if not nulls:
        return column
    given = column != nulls[0] if len(nulls) == 1 else ~column.is_in(nulls)
    return pl.when(given).then(column)


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
        given = _read_time(given, text, options["times"], marks.decimal)
    unit, words = options.get("units", {}).get(column), options.get("values", {}).get(column)
    if unit is not None:
        given = _seconds(given, unit)
    return given if words is None else _words(given, words, column)


def _read_time(given: pl.Expr, text: pl.Expr, formats: str | list[str], decimal: str) -> pl.Expr:
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


SESSION = "session_id"
LABELS = ("query_id", "query_text")
"""Columns that say which query a result is of."""
TIMES = ("issued_at", "elapsed_seconds")
"""Columns that order queries; of several the first is taken."""
NEWEST_FIRST = "newest first"
"""The value of number_queries for files whose last query is the first of its session, where nothing else says it."""
PLACE, FIRST, LABEL, TIME = "__place", "__first", "__label", "__time"
RANK, LAST_RANK, IS_EMPTY, IS_SAME = "__rank", "__last_rank", "__is_empty", "__is_same"


def number_queries(raw: Raw, *, newest_first: bool = False) -> Raw:
    """Return a source of queries or results with the queries of each session numbered.

    Queries are in the order of their times; without times they are as they come or, `newest_first`, the other way round.

    Of queries each record is one. Of results a new query begins with another query_id or text, where ranks start again, and at
    a list without ranks and after it; a rank that cannot be read begins none. Ranks may fall from row to row. Where the rows of
    lists are mixed, those of one id are one query if no rank comes twice, and so are those of one text and time if their ranks
    are 1, 2, 3 and so on. All records are in memory for it.

    Raises
    ------
    DataError
        There is a query_position, or nothing to tell queries apart.
    """
    columns = raw.frame.collect_schema().names()
    if "query_position" in columns:
        raise DataError(
            f"{raw.source} ({raw.table}) has a query_position, so number_queries cannot make one; leave one of them out"
        )
    if raw.table == "results" and not {"rank", *LABELS} & set(columns):
        raise DataError(
            f"{raw.source} ({raw.table}): number_queries needs rank, query_id or query_text to tell queries apart"
        )
    records = raw.frame.collect()
    whole = records.filter(pl.col(RULE).is_null()) if RULE in columns else records
    rows = _in_order_of_times(raw, whole, newest_first=newest_first)
    first = _first_rows(rows, has_ids=LABELS[0] in columns) if raw.table == "results" else rows[PLACE].alias(FIRST)
    rows = rows.with_columns(first)
    position = pl.col(FIRST).rank("dense").over(SESSION).cast(pl.Int32).cast(pl.String)
    numbers = rows.select(RECORD, query_position=position)
    return replace(raw, frame=records.join(numbers, on=RECORD, how="left", maintain_order="left").lazy())


def time_of_queries(columns: Sequence[str]) -> str | None:
    """Return the column by which queries are ordered; None where none is."""
    return next((name for name in TIMES if name in columns), None)


def describe_order(raw: Raw) -> list[str]:
    """Return what is to be said of the order that `number_queries` gives a source: where times are missing, and where a clock goes back.

    Rows may stand in any order, or the other way round. Where seconds of a session both rise and fall from row to row, they may have
    started again, and then they do not order its queries.
    """
    columns = raw.frame.collect_schema().names()
    name = time_of_queries(columns)
    if name is None:
        return []
    whole = raw.frame.filter(pl.col(RULE).is_null()) if RULE in columns else raw.frame
    times = whole.select(SESSION, _ordering_time(raw, name).alias(TIME)).drop_nulls(SESSION).collect()
    step = pl.col(TIME).drop_nulls().diff().cast(pl.Float64)
    sessions = times.group_by(SESSION, maintain_order=True).agg(
        n_times=pl.col(TIME).count(), n_missing=pl.col(TIME).null_count(), turns=(step < 0).any() & (step > 0).any()
    )
    sentences = []
    partly_timed = sessions.filter(pl.col("n_times") > 0, pl.col("n_missing") > 0)
    if partly_timed.height:
        sentences.append(
            f"{raw.source} ({raw.table}): {counted(int(partly_timed['n_missing'].sum()), 'record')} without {name} in sessions where "
            f"others have it (first: session {partly_timed[SESSION][0]!r}); number_queries puts each after the record before it"
        )
    turning = sessions.filter("turns")
    if name == "elapsed_seconds" and turning.height:
        sentences.append(
            f"{raw.source} ({raw.table}): elapsed_seconds goes back from one record to the next in {counted(turning.height, 'session')} "
            f"(first: session {turning[SESSION][0]!r}); number_queries orders queries by it. If it starts again within a session, "
            "leave it out of columns, and the order of the file counts"
        )
    return sentences


def _ordering_time(raw: Raw, name: str) -> pl.Expr:
    """Return the times by which queries are ordered, of the declared type."""
    fields = {**table("queries").by_name, **table("results").by_name}
    return cast(fields[name], raw.frame.collect_schema()[name], raw.timezone)


def _in_order_of_times(raw: Raw, records: pl.DataFrame, *, newest_first: bool) -> pl.DataFrame:
    """Return what is looked at of the records, with their place in the order of the queries.

    A record without a time keeps its place after the one before it.
    """
    types = records.schema
    name = time_of_queries(records.columns)
    time = pl.lit(None, pl.Int64) if name is None else _ordering_time(raw, name)
    given = as_text("rank", types["rank"]).str.strip_chars() if "rank" in types else pl.lit(None, pl.String)
    empty = given.is_null() | (given == "") if "rank" in types else pl.lit(value=False)
    if MARK in types:
        empty |= pl.col(MARK).eq_missing(EMPTY)
    labels = [as_text(one, types[one]).str.strip_chars().fill_null("") for one in LABELS if one in types]
    rows = records.select(
        RECORD,
        SESSION,
        time.alias(TIME),
        given.cast(pl.Float64, strict=False).alias(RANK),
        empty.alias(IS_EMPTY),
        pl.concat_str([*labels, pl.lit("")], separator="\0").alias(LABEL),
    )
    rows = rows.with_columns(pl.col(TIME).forward_fill().backward_fill().over(SESSION))
    return rows.sort(TIME, RECORD, descending=[False, newest_first]).with_row_index(PLACE)


def _first_rows(rows: pl.DataFrame, *, has_ids: bool) -> pl.Series:
    """Return, for each row of results, the place of the first row of its list."""
    rows = rows.with_columns(
        pl.col(RANK).forward_fill().over(SESSION).shift().over(SESSION).alias(LAST_RANK),
        (pl.col(LABEL) == pl.col(LABEL).shift().over(SESSION)).fill_null(value=False).alias(IS_SAME),
    )
    step = pl.when(IS_SAME).then(pl.col(RANK) - pl.col(LAST_RANK))
    # lists may stand with their last result first: 3, 2, 1, 3, 2, 1
    falls = rows.select((step == -1).sum() > (step == 1).sum()).item()
    is_past_end = pl.col(RANK) > pl.col(LAST_RANK) if falls else pl.col(RANK) < pl.col(LAST_RANK)
    starts_again = is_past_end | ((pl.col(RANK) == pl.col(LAST_RANK)) & (pl.col(RANK) <= 1))
    after_empty = pl.col(IS_EMPTY).shift().over(SESSION)
    begins = pl.any_horizontal(
        one.fill_null(value=False) for one in (~pl.col(IS_SAME), starts_again, pl.col(IS_EMPTY), after_empty)
    )
    run = pl.when(begins).then(PLACE).forward_fill().over(SESSION)
    query = [SESSION, LABEL] if has_ids else [SESSION, LABEL, TIME]
    is_unique = (pl.col(RANK).n_unique() == pl.len()) & (pl.col(RANK).count() == pl.len())
    runs_from_top = (pl.col(RANK).min() <= 1) & (pl.col(RANK).max() - pl.col(RANK).min() + 1 == pl.len())
    is_list = is_unique if has_ids else is_unique & runs_from_top
    return rows.select(
        pl.when(is_list.over(query)).then(pl.col(PLACE).min().over(query)).otherwise(run).alias(FIRST)
    ).to_series()


LOG = ("sessions", "queries", "results")
"""The tables of a log, parents first; users and judgments stand beside it."""


def log_schemas(given: Mapping[str, Collection[str]]) -> dict[str, Table]:
    """Return what the tables of a log declare where these are given, with these columns, and the others are derived from them.

    A column of sessions that their table lacks is taken from the queries, and one that both lack from the results.
    """
    sessions, queries, results = (table(name) for name in LOG)
    own = given.get("sessions", ())
    of_queries = widened(queries, sessions, without=own)
    if "queries" not in given:
        return {"sessions": sessions, "queries": of_queries, "results": widened(results, of_queries)}
    of_results = widened(results, sessions, without={*own, *given["queries"], *queries.names})
    return {"sessions": sessions, "queries": of_queries, "results": of_results}


def widened(own: Table, *others: Table, without: Collection[str] = ()) -> Table:
    """Return a table that also knows the optional columns of others, for rows they will be derived from, but for those `without`."""
    fields: dict[str, Field] = {field.name: field for field in own.fields}
    for other in others:
        for field in other.fields:
            if field.name not in without:
                fields.setdefault(field.name, replace(field, required=False))
    ordered = [
        rule for other in others for rule in other.rules if rule.kind == "ordered" and {*rule.fields} <= {*fields}
    ]
    return replace(own, fields=tuple(fields.values()), by_name=fields, rules=(*own.rules, *ordered))


def all_columns() -> Table:
    """Return the columns that any table of a log declares."""
    return widened(*(table(name) for name in reversed(LOG)))
