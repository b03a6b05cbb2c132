"""Rows from the lists inside records: one for each element of the list that ``list`` of study.toml names.

A record may be an object of JSON, with lists at any depth, or a row of a table with a list in a cell or with a column per rank.
``list = "sessions.queries.results"`` leads from the record to a list: each name is a field, ``*`` is every field of an object
whose keys are ids. Other formats (BigQuery, MongoDB, Spark) call this unnest, unwind or explode.

A row has the fields of the element and of all records around it. Fields of the record keep their names; others have the name
of their list in front: ``results.url``, ``queries.query``. ``results.#`` is the place of an element: its number from 1, or its
key in an object, and ``#`` that of the record in the file. An element that is no object is in the column called as the list.
Objects become columns with dotted names, ``user.id``, and so do lists of keys and values; other lists are JSON text, and
``items.id`` is the values of one field, where that is asked for. A list whose name comes twice on the way is called by all of it:
``hits.hits._id``.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import polars as pl

from sessionkit.errors import DataError, suggestion, visible
from sessionkit.readers.io.files import LogFile
from sessionkit.readers.io.json import IS_JSON, json_items, loads
from sessionkit.readers.raw import LINE, MANY, RAW, Locate, refuse_reserved, room_in
from sessionkit.study.checks import RECORD, RULE, VALUE

PLACE = "#"
"""The place of an element in its list; in the name of columns, the number of a rank."""
EVERY = "*"
"""Every field of an object."""
IS_LIST = "list_can_be_read"
SHOWN = 12
"""Names of fields that a message lists."""
LONGEST = 200
"""Characters of a broken value that are kept."""
DEEPEST = 100
"""Objects within objects that become columns."""
Fields = dict[str, Any]
"""Objects are dicts, from JSON and from polars; in what is done for each row, asking for a Mapping would take a tenth of the time."""


class NoListError(DataError):
    """The list of a table is in no record of a file."""


@dataclass(frozen=True)
class Record:
    """One record of a file: its number and line, and its fields or, where it has none, its text."""

    number: int
    line: int | None
    fields: Mapping[str, Any] | None
    text: str = ""


@dataclass(frozen=True)
class ListOptions:
    """What study.toml says of the list that a table is read from.

    Parameters
    ----------
    path
        The way to it, name by name; empty where the records themselves are the rows. Several names with :data:`PLACE` are the
        columns of a table that has one for each rank.
    table
        The table that is read, for messages.
    separator
        What stands between the elements of a list in a cell, where that is not JSON.
    keeps_empty
        Whether a list without elements gives a row, which says that a query returned nothing.
    keeps_missing
        Whether a list that is not there does so too, because no other table has its query.
    columns
        The columns that feed ours.
    other_lists
        Ways to the lists that other tables are read from in the same file, which are no columns of this one.
    """

    path: tuple[str, ...]
    table: str
    separator: str | None = None
    keeps_empty: bool = False
    keeps_missing: bool = False
    columns: frozenset[str] = frozenset()
    other_lists: frozenset[tuple[str, ...]] = frozenset()

    @property
    def has_column_per_rank(self) -> bool:
        """Whether the list is columns of a table, one for each rank."""
        return any(PLACE in name for name in self.path)

    @property
    def spelled(self) -> str:
        """The list as study.toml says it."""
        return str(list(self.path)) if self.has_column_per_rank and len(self.path) > 1 else repr(".".join(self.path))


@dataclass(frozen=True)
class Level:
    """Where an object is in a record: the way to it, what its columns begin with, and how many lists are around it."""

    path: tuple[str, ...] = ()
    prefix: str = ""
    depth: int = 0

    def below(self, key: str) -> Level:
        """Return the level of an object in a field."""
        return Level((*self.path, key), f"{self.prefix}{key}.", self.depth)

    def list_called(self, key: str) -> Level:
        """Return the level of the elements of a list; one whose name comes twice on the way is called by the whole of it."""
        path = (*self.path, key)
        return Level(path, f"{'.'.join(path) if key in self.path else key}.", self.depth + 1)


@dataclass
class ListReader:
    """Makes rows of records, and notes which columns they have."""

    options: ListOptions
    names: dict[int, dict[str, None]] = field(default_factory=dict)
    """The columns of each level: 0, the records themselves; 1, the elements of the first list; ...."""
    depths: dict[tuple[str, ...], int] = field(default_factory=dict)
    """The level of the lists that were met on the way."""
    seen: dict[str, None] = field(default_factory=dict)
    """The fields of records in which the next list was looked for in vain."""
    sought: str = ""
    """What was looked for there."""
    is_met: bool = False
    """Whether the list was met at all."""

    def rows(self, record: Record) -> Iterator[Fields]:
        """Return the rows of a record: texts by column; RULE and VALUE where it is broken."""
        if record.fields is None:
            yield {RULE: IS_JSON, VALUE: record.text[:LONGEST]}
            return
        own = {PLACE: str(record.number)}
        if self.options.has_column_per_rank:
            yield from self._ranked(record.fields)
        else:
            yield from self._rows(record.fields, self.options.path, own, Level())

    def _rows(self, element: Mapping[str, Any], steps: Sequence[str], around: Fields, level: Level) -> Iterator[Fields]:
        """Return the rows of an object, `steps` before the list, in a row of what is `around` it."""
        if not steps:
            self.is_met = True
            yield around | self._fields(element, level)
            return
        key, further = _next(element, steps)
        here = around | self._fields(element, level, skipped=key)
        below = element if key == EVERY else element.get(key)
        if isinstance(below, dict) and key != EVERY and further:
            yield from self._rows(below, further, here, level.below(key))
        elif below is not None:
            yield from self._rows_of_list(below, key, further, here, level)
        elif key in element:
            self.is_met = self.is_met or not further
        else:
            self.sought = key
            self.seen.update(dict.fromkeys(element))
        if below is None and not further and self.options.keeps_missing:
            yield here

    def _rows_of_list(
        self,
        value: Any,  # noqa: ANN401 - JSON
        key: str,
        further: Sequence[str],
        here: Fields,
        level: Level,
    ) -> Iterator[Fields]:
        """Return the rows of a list, called `key`, in the row of the object that has it."""
        elements = self._elements(value, is_object=key == EVERY)
        if elements is None or (further and not all(isinstance(one, Mapping) for _, one in elements)):
            yield here | {RULE: IS_LIST, VALUE: as_text(value)[:LONGEST]}
            return
        inner = level.list_called(key)
        name = inner.prefix.removesuffix(".")
        bare = f"{name}.value" if key == EVERY else name
        self.depths.setdefault(inner.path, inner.depth)
        self.is_met = self.is_met or not further
        columns = self.names.setdefault(inner.depth, {})
        for place, each in elements:
            columns[f"{name}.{PLACE}"] = None
            row = here | {f"{name}.{PLACE}": place}
            if isinstance(each, dict):
                yield from self._rows(each, further, row, inner)
            else:
                columns[bare] = None
                yield row | {bare: None if each is None else as_text(each)}
        if not elements and not further and self.options.keeps_empty:
            yield here

    def _elements(self, value: Any, *, is_object: bool) -> list[tuple[str, Any]] | None:  # noqa: ANN401 - JSON
        """Return the elements of a list with their places; None where a text cannot be read as one."""
        if is_object:
            return list(value.items()) if isinstance(value, Mapping) else None
        if isinstance(value, str):
            value = elements_of_text(value, self.options.separator)
        if value is None:
            return None
        if not isinstance(value, list):  # a list of one, as converters from XML write it
            value = [value]
        is_cell = self.options.separator is not None
        return [(str(place), one) for place, one in enumerate(value, 1) if not (is_cell and one == "")]

    def _fields(self, element: Mapping[str, Any], level: Level, *, skipped: str | None = None) -> Fields:
        """Return the columns of an object, without the list on the way and those that other tables are read from."""
        row: Fields = {}
        if skipped != EVERY:
            self._add_fields(row, element, level, skipped)
        self.names.setdefault(level.depth, {}).update(dict.fromkeys(row))
        return row

    def _add_fields(self, row: Fields, element: Mapping[str, Any], level: Level, skipped: str | None) -> None:
        """Add the fields of an object to a row."""
        for key, value in element.items():
            if key == skipped or (*level.path, key) in self.options.other_lists:
                continue
            name = f"{level.prefix}{key}"
            if isinstance(value, dict) and value and len(level.path) < DEEPEST:
                self._add_fields(row, value, level.below(key), None)
                continue
            if name in row:
                raise DataError(f"two fields of a record are both called {visible(name)!r}; rename one of them")
            if isinstance(value, list) and (pairs := _key_values(value)) is not None:
                row |= {f"{name}.{each}": text for each, text in pairs.items()}
            else:
                if isinstance(value, list):
                    row |= {f"{name}.{each}": _values_in(value, each) for each in self._fields_of_elements(name)}
                row[name] = None if value is None else as_text(value)

    def _fields_of_elements(self, name: str) -> list[str]:
        """Return the fields of the elements of a list that are asked for without a row for each."""
        return [one.removeprefix(f"{name}.") for one in self.options.columns if one.startswith(f"{name}.")]

    def _ranked(self, record: Mapping[str, Any]) -> Iterator[Fields]:
        """Return the rows of a record with a column per rank; ranks without any value are left out."""
        patterns = {name: re.compile(re.escape(name).replace(r"\#", r"0*(\d+)")) for name in self.options.path}
        ranks: dict[int, Fields] = {}
        around: Fields = {}
        for column, value in record.items():
            match = next(((name, m) for name, one in patterns.items() if (m := one.fullmatch(column))), None)
            if match is None:
                around[column] = None if value is None else as_text(value)
            else:
                self.is_met = True
                ranks.setdefault(int(match[1][1]), {})[match[0]] = None if value is None else as_text(value)
        self.names.setdefault(0, {}).update(dict.fromkeys(around))
        self.names.setdefault(1, {}).update(dict.fromkeys((PLACE, *patterns)))
        filled = {
            rank: row for rank, row in sorted(ranks.items()) if any((text or "").strip() for text in row.values())
        }
        for rank, row in filled.items():
            yield around | row | {PLACE: str(rank)}
        if not filled and self.options.keeps_empty:
            yield around
        if not ranks:
            self.seen.update(dict.fromkeys(record))

    @property
    def columns(self) -> list[str]:
        """The columns of the rows: those of the last level, of others those that feed ours or are in no other table."""
        options = self.options
        elsewhere = {self.depths.get(path, 0 if not path else -1) for path in options.other_lists}
        last = max(self.names, default=0)
        every = [(depth, name) for depth in sorted(self.names) for name in self.names[depth]]
        kept = [
            name
            for depth, name in every
            if name in options.columns
            or not (name == PLACE or name.endswith(f".{PLACE}") or (depth < last and depth in elsewhere))
        ]
        return list(dict.fromkeys([*([PLACE] if PLACE in options.columns else []), *kept]))


def _next(element: Mapping[str, Any], steps: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the field that the next steps name, whose name may have dots, and the steps that are left."""
    for size in range(len(steps), 1, -1):
        if (name := ".".join(steps[:size])) in element:
            return name, steps[size:]
    return steps[0], steps[1:]


def _key_values(elements: Sequence[Any]) -> Fields | None:
    """Return a list of objects that are a key and a value as texts by key; None where it is none, or a key comes twice.

    >>> _key_values([{"key": "page", "value": {"string_value": "a", "int_value": None}}, {"key": "n", "value": 2}])
    {'page': 'a', 'n': '2'}
    """
    if not elements or not all(isinstance(one, Mapping) and {"key", "value"} == set(one) for one in elements):
        return None
    pairs: Fields = {}
    for one in elements:
        value = one["value"]
        if isinstance(value, Mapping):
            given = {name: each for name, each in value.items() if each is not None}
            # Google Analytics: int_value, string_value, ..., and of properties of a user also when they were set
            values = [each for name, each in given.items() if name.endswith("_value")] or [*given.values()]
            value = values[0] if len(values) == 1 else (value if given else None)
        if not isinstance(one["key"], str) or one["key"] in pairs:
            return None
        pairs[one["key"]] = None if value is None else as_text(value)
    return pairs


def _values_in(elements: Sequence[Any], name: str) -> str | None:
    """Return the values of a field of all elements, as JSON where there are several or no elements; None where none has the field.

    >>> [_values_in(elements, "id") for elements in ([{"id": "a"}, {"id": "b"}], [{"id": "a"}], [], [{}])]
    ['["a", "b"]', 'a', '[]', None]
    """
    if not elements:
        return as_text([])
    values = [one.get(name) for one in elements if isinstance(one, Mapping) and one.get(name) is not None]
    return as_text(values if len(values) > 1 else values[0]) if values else None


def as_text(value: Any) -> str:  # noqa: ANN401 - JSON
    """Return a value as a text: a text as it is, all else as JSON.

    >>> as_text("a"), as_text(1.5), as_text(True), as_text(["é"])
    ('a', '1.5', 'true', '["é"]')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):  # json makes an encoder for every value, and most are texts and numbers
        return int.__repr__(value)
    if isinstance(value, float | list | Mapping):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def elements_of_text(text: str, separator: str | None) -> list[Any] | None:
    """Return the elements of a list that is a text: JSON, as Python prints it, or texts between separators.

    None where it begins like JSON and cannot be read.

    >>> elements_of_text('["d1", 2]', None), elements_of_text("['d1']", None), elements_of_text("d1| |d3", "|")
    (['d1', 2], ['d1'], ['d1', '', 'd3'])
    >>> elements_of_text("", None), elements_of_text("d1", None), elements_of_text("[d1", None)
    ([], ['d1'], None)
    """
    bare = text.strip()
    if not bare:
        return []
    if bare.startswith("["):
        try:
            value = loads(bare)
        except (ValueError, RecursionError):
            try:
                value = ast.literal_eval(bare)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                return None
        return value if isinstance(value, list) else None
    return [bare] if separator is None else [part.strip() for part in bare.split(separator)]


def json_records(file: LogFile) -> Iterator[Record]:
    """Return the records of a JSON document, an array, or values one after another; one that is no object has no fields."""
    for item in json_items(file):
        line = None if "\n" in item.text else item.line
        yield Record(item.number, line, item.value if isinstance(item.value, dict) else None, item.text)


def list_hint(file: LogFile) -> str:
    """Return what to do about JSON whose records have lists, as the end of a message; empty where the first has none."""
    first = next(json_records(file), None)
    ways = list(islice(_ways_to_lists(first.fields or {}, ()), SHOWN)) if first is not None else []
    if not ways:
        return ""
    shown = visible(", ".join(dict.fromkeys(ways)))
    return (
        f'; its records have lists inside: {shown}. With list = "..." a table is read from such a list: sessionkit help own-logs, '
        "under Lists inside records"
    )


def _ways_to_lists(element: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Return the ways to the lists in an object, as study.toml spells them."""
    for key, value in element.items():
        way = (*path, key)
        if isinstance(value, list):
            yield ".".join(way)
        below = next((one for one in value if isinstance(one, Mapping)), None) if isinstance(value, list) else value
        if isinstance(below, Mapping) and len(way) < DEEPEST:
            yield from _ways_to_lists(below, way)


def table_records(frame: pl.DataFrame) -> Iterator[Record]:
    """Return the rows of a table as records."""
    for row in frame.iter_rows(named=True):
        number = row.pop(RECORD)
        rule, value = row.pop(RULE, None), row.pop(VALUE, None)
        yield Record(number, None, row if rule is None else None, str(value or ""))


def list_rows(
    file: LogFile, records: Iterable[Record], options: ListOptions, *, at_once: bool
) -> tuple[pl.LazyFrame, int]:
    """Return the rows of all records with RECORD, RULE and VALUE, and how many there are.

    Parameters
    ----------
    at_once
        Whether all of them stay in memory; else they go to files of the workspace some at a time.

    Raises
    ------
    NoListError
        No record has the list; the message names the fields that there are.
    """
    reader = ListReader(options)
    frames: list[pl.LazyFrame] = []
    number = 0
    rows = (row for record in records for row in reader.rows(record))
    while batch := list(islice(rows, MANY)):
        names = dict.fromkeys(name for row in batch for name in row)
        frame = pl.DataFrame(
            {name: pl.Series([row.get(name) for row in batch], dtype=pl.String) for name in (RULE, VALUE, *names)}
        ).with_columns(pl.int_range(number + 1, number + 1 + pl.len(), dtype=pl.Int64).alias(RECORD))
        number += len(batch)
        if at_once:
            frames.append(frame.lazy())
            continue
        path = file.workspace / f"{len(list(file.workspace.iterdir()))}-rows.parquet"
        with room_in(file.workspace):
            frame.write_parquet(path)
        frames.append(pl.scan_parquet(path, glob=False))
    if not reader.is_met:
        raise _no_list(file, options, reader)
    columns = reader.columns if number else sorted(options.columns)
    refuse_reserved(columns, file.name)
    empty = pl.LazyFrame(schema={RECORD: pl.Int64, **dict.fromkeys((RULE, VALUE, *columns), pl.String)})
    together = pl.concat([empty, *frames], how="diagonal")
    return together.select(RECORD, RULE, VALUE, *columns), number


def _no_list(file: LogFile, options: ListOptions, reader: ListReader) -> NoListError:
    """Return the error about a list that no record has."""
    keys, sought = list(reader.seen), reader.sought
    more = f" and {len(keys) - SHOWN:,} more" if len(keys) > SHOWN else ""
    shown = f"{visible(', '.join(keys[:SHOWN]))}{more}" if keys else "nothing"
    if options.has_column_per_rank:
        first = options.path[0].replace(PLACE, "1")
        return NoListError(
            f"{file.name} has no column such as {first!r} for list = {options.spelled} of [{options.table}]; found {shown}"
        )
    hint = f'. If these are ids, write {EVERY} in their place, as in "{EVERY}.{sought}"' if len(keys) > SHOWN else ""
    return NoListError(
        f"{file.name} has no list {options.spelled} for [{options.table}]: where {sought!r} should be, the fields are "
        f"{shown}{suggestion(sought, keys)}{hint}"
    )


def as_elements(records: Callable[[], Iterable[Record]], options: ListOptions) -> Locate:
    """Return the way back from rows to the line of their record, where it has one, and to what they hold, as JSON."""

    def locate(numbers: pl.Series) -> pl.DataFrame:
        wanted, last = set(numbers), max(numbers, default=0)
        reader = ListReader(options)
        found: list[tuple[int, int | None, str]] = []
        rows = ((record, row) for record in records() for row in reader.rows(record))
        for number, (record, row) in enumerate(islice(rows, last), 1):
            if number in wanted:
                held = {name: value for name, value in row.items() if name not in (RULE, VALUE) and value is not None}
                text = record.text if record.fields is None else json.dumps(held, ensure_ascii=False)
                found.append((number, record.line, text))
        return pl.DataFrame(found, schema={RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String}, orient="row")

    return locate


def list_options(
    name: str, options: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]] | None = None
) -> ListOptions | None:
    """Return what study.toml says of the list of a table; None where its records are no lists.

    Parameters
    ----------
    name
        The table.
    others
        What is said of the other tables of the same file. Where one of them is read from a list, the records of this one are
        taken apart as well, so that their columns have the same names.
    """
    path = path_of(options)
    others = others or {}
    other_paths = frozenset(map(path_of, others.values())) - {path}
    if not path and not any(other_paths):
        return None
    given = options.get("columns", {}).values()
    names = (one for theirs in given for one in ([theirs] if isinstance(theirs, str | int) else theirs))
    return ListOptions(
        path,
        name,
        options.get("list_separator"),
        keeps_empty="empty_list" in options,
        keeps_missing="empty_list" in options and "queries" not in others,
        columns=frozenset(one for one in names if isinstance(one, str)),
        other_lists=other_paths,
    )


def path_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the way to the list of a table, name by name; the patterns of columns where there is one for each rank."""
    given = options.get("list", ())
    if not isinstance(given, str):
        return tuple(given)
    return (given,) if PLACE in given else tuple(given.split("."))
