"""From a source's column names to ours, by the ``columns`` map of study.toml. No column is dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from sessionkit.contract import CELLS, RECORD, RULE, TABLES, VALUE, table
from sessionkit.contract.casts import SPELLED, as_text
from sessionkit.errors import DataError, suggestion
from sessionkit.readers.io.delimited import SEPARATORS
from sessionkit.readers.raw import EMPTY, MARK, WORDED, Raw

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
