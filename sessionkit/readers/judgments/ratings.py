"""Ratings found in JSON, as unchecked judgments whose way back is the JSON path at which each stands.

Judgments fit in memory, and so does the JSON they stand in; what is walked here are its nodes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.io.invalid_bytes import BYTES, DECODED, refuse_other_encoding
from sessionkit.readers.io.json_items import loads
from sessionkit.readers.io.log_files import LogFile, content_of, not_utf8
from sessionkit.readers.io.ndjson import IS_JSON
from sessionkit.readers.raw import LINE, RAW, Locate, Raw

KEYS = ("judgment_key", "doc_id")
Name = TypeVar("Name", str, str | None)
LONGEST = 200
"""Characters of a value that are kept of a record that cannot be taken apart."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One rating.

    Parameters
    ----------
    path
        Where it stands, such as ``$.queries[3].ratings``.
    judgment_key, doc_id, grade
        As the JSON has them; None where they are missing.
    node
        What stands there, for people.
    extras
        Further columns.
    rule
        The rule it breaks, where it cannot be taken apart.
    """

    path: str
    judgment_key: Any = None
    doc_id: Any = None
    grade: Any = None
    node: Any = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    rule: str | None = None


def documents(file: LogFile, *, before: re.Pattern[str] | None = None) -> Iterator[tuple[str, Any]]:
    """Return the JSON values of a file with their paths: one, or one per line; after a line that matches `before`, if it begins so.

    A line of several that is no JSON is a :class:`Rating` that breaks ``line_is_json``, one with bytes that are no text one
    that breaks ``line_can_be_decoded``.

    Raises
    ------
    DataError
        It is no JSON, not UTF-8, or ends early.
    """
    text = content_of(file).decode("utf-8-sig", errors="surrogateescape")
    bad = BYTES.search(text)
    if before is not None and (first := before.match(text)):
        text = "\n" * first.group().count("\n") + text[first.end() :]  # errors name lines of the file
    try:
        value = loads(text)
        if bad:
            raise not_utf8(file)
        yield "$", value
    except json.JSONDecodeError as error:
        if "Extra data" not in error.msg:
            if bad:
                raise not_utf8(file) from None
            place = f"line {error.lineno}, column {error.colno}"
            raise DataError(f"{file.name}, {place}: this is not JSON ({error.msg}); is the file whole?") from None
        if bad:
            refuse_other_encoding(file)
        yield from _lines(text)
    except RecursionError:
        raise DataError(f"{file.name} is JSON nested too deeply to be judgments") from None


def rated(file: LogFile, ratings: Sequence[Rating], *, last_of: Sequence[str] = ()) -> list[Raw]:
    """Return ratings as a source of judgments.

    Parameters
    ----------
    last_of
        Of ratings that are alike in these columns the last counts, and the others are merged into it.
    """
    names = list(dict.fromkeys(name for rating in ratings for name in rating.extras))
    columns: dict[str, list[Any]] = {
        RECORD: list(range(1, len(ratings) + 1)),
        RULE: [rating.rule for rating in ratings],
        VALUE: [_spelled(rating.node)[:LONGEST] if rating.rule else None for rating in ratings],
        **{name: [text_of(getattr(rating, name)) for rating in ratings] for name in (*KEYS, "grade")},
        **{name: [text_of(rating.extras.get(name)) for rating in ratings] for name in names},
    }
    frame = pl.DataFrame(columns, schema={name: pl.Int64 if name == RECORD else pl.String for name in columns})
    kept = frame
    if last_of:
        whole = pl.all_horizontal(pl.col(KEYS).is_not_null()) & pl.col(RULE).is_null()
        alike = pl.struct(name for name in last_of if name in columns)
        kept = frame.filter(~whole | alike.is_last_distinct())
    raws = [source(file, kept, "ratings", locate=_way_back(ratings))]
    if len(frame) > len(kept):
        raws.append(rowless(file, "repeated ratings, of which the last counts", merged=len(frame) - len(kept)))
    return raws


def source(file: LogFile, frame: pl.DataFrame | pl.LazyFrame, kind: str, *, locate: Locate) -> Raw:
    """Return rows as a source of judgments."""
    rows = frame.lazy().collect()
    return Raw("judgments", file.name, rows.lazy(), len(rows), locate, file.bytes, file.digest, kind=kind)


def rowless(file: LogFile, kind: str, *, merged: int = 0, idle: int = 0) -> Raw:
    """Return the account of records that become no judgments, or went into others."""
    schema = {RECORD: pl.Int64, **dict.fromkeys((*KEYS, "grade"), pl.String)}
    none = source(file, pl.DataFrame(schema=schema), kind, locate=_way_back(()))
    return replace(none, records=merged + idle, merged=merged, idle=idle)


def idle(file: LogFile, counts: Mapping[str, int]) -> list[Raw]:
    """Return the accounts of records that carry no judgment, by kind."""
    return [rowless(file, kind, idle=many) for kind, many in counts.items() if many]


def children(node: Any, path: str, key: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON
    """Return the entries of a list in an object with their paths; an entry is the list itself where it is none."""
    found = node.get(key)
    if isinstance(found, list):
        yield from ((f"{path}.{key}[{place}]", child) for place, child in enumerate(found))
    elif found is not None:
        yield f"{path}.{key}", found


def text_of(value: Any) -> str | None:  # noqa: ANN401 - JSON
    """Return a JSON value as the text a table would have; blank text is none.

    >>> text_of(" a "), text_of(3), text_of(0.5), text_of(True), text_of("")
    ('a', '3', '0.5', 'true', None)
    """
    if isinstance(value, str):
        return value.strip() or None
    return None if value is None else _spelled(value)


def told_apart(names: Sequence[Name]) -> list[Name]:
    """Return names, those that stand there again with a number.

    >>> told_apart(["Ann", "Bob", "Ann", None, "Ann (2)"])
    ['Ann', 'Bob', 'Ann (2)', None, 'Ann (2) (2)']
    """
    many: Counter[str] = Counter()
    told: list[Name] = []
    for name in names:
        one = name
        while one is not None and one in many:
            many[str(name)] += 1
            one = f"{name} ({many[str(name)]})"
        if one is not None:
            many[one] = 1
        told.append(one)
    return told


def _spelled(value: Any) -> str:  # noqa: ANN401 - JSON
    """Return a value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def _lines(text: str) -> Iterator[tuple[str, Any]]:
    """Return the values of lines, each a JSON value."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if BYTES.search(line):
            spelled = line.encode(errors="surrogateescape").decode(errors="backslashreplace")
            yield f"line {number}", Rating(f"line {number}", node=spelled[:LONGEST], rule=DECODED)
            continue
        try:
            yield f"line {number}: $", loads(line)
        except (json.JSONDecodeError, RecursionError):
            yield f"line {number}", Rating(f"line {number}", node=line[:LONGEST], rule=IS_JSON)


def _way_back(ratings: Sequence[Rating]) -> Locate:
    """Return how to find the path and text of ratings."""

    def locate(records: pl.Series) -> pl.DataFrame:
        numbers = records.to_list()
        found = [ratings[number - 1] for number in numbers]
        lines = [int(one.path.split(":")[0][5:]) if one.path.startswith("line ") else None for one in found]
        raw = [f"{one.path} = {_spelled(one.node)}" for one in found]
        schema = {RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String}
        return pl.DataFrame({RECORD: numbers, LINE: lines, RAW: raw}, schema=schema)

    return locate
