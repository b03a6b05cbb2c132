"""JSON and NDJSON as unchecked records: one object per line, items of large documents, and numbers by topic and document."""

from __future__ import annotations

import json
import math
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from glob import escape
from itertools import chain
from typing import IO, Any

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.io.delimited import is_undecodable, mended, with_undecoded
from sessionkit.readers.io.files import (
    DAMAGED,
    TREE,
    LogFile,
    as_size,
    cut_short,
    longest_text,
    not_utf8,
    refuse_sparse,
    text_of,
    unpacked,
)
from sessionkit.readers.raw import LINE, RAW, Keep, Locate, Raw, as_lines, in_memory, refuse_reserved, room_in
from sessionkit.study.checks import RECORD, RULE, VALUE

HALF = re.compile(r"\\u[dD][89a-fA-F]")
ESCAPED = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.", re.DOTALL
)
"""A character written as two halves, a half alone, any other escape."""
SHORT = 19
"""Characters of a number up to which it is read as a double: all that programs write of one."""
MOST = 300
"""Digits of a whole number that Python reads as one; it refuses over 4,300."""
QUOTED_TEXT = r'"[^"\\]*(?:\\.[^"\\]*)*"'
LONG = r"-?[0-9](?:[0-9.]{19,}(?:[eE][+-]?[0-9]+)?|[0-9.]*[eE][+-]?[0-9]{3,})|-?[0-9]{16,}\.[0-9]+|-[0-9]{19}"
"""A number that is longer than programs write a double or a whole number of 64 bits, or has an exponent of three digits."""
BARE = rf"[:,\[]\s*(?:{LONG})"
"""Such a number without quotes, or something like it within a text."""
TOKEN = re.compile(rf"{QUOTED_TEXT}|({LONG})")
"""A text, or such a number."""


def loads(text: str, **options: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the value of a JSON text; numbers that Python would round or refuse, and halves of characters, as text.

    Parameters
    ----------
    options
        As :func:`json.loads` takes them.

    Raises
    ------
    ValueError, RecursionError
        It is no JSON, or nested too deeply.

    Examples
    --------
    >>> loads(r'["caf\\u00e9 \\ud83d\\ude00", "cut \\ud83d", "\\\\ud83d", 0.5, 1e400]')
    ['café 😀', 'cut \ufffdd83d', '\\\\ud83d', 0.5, '1e400']
    """
    whole = without_halves(text) if HALF.search(text) else text
    return json.loads(whole, parse_int=whole_number, parse_float=number, **options)


def whole_number(text: str) -> int | str:
    """Return a whole number, as text where it is longer than any that is computed with."""
    return int(text) if len(text) <= MOST else text


def number(text: str) -> float | str:
    """Return a number, as text where a double is another number.

    >>> number("0.30000000000000004"), number("0.1000000000000000055"), number("1e-400")
    (0.30000000000000004, '0.1000000000000000055', '1e-400')
    """
    found = float(text)
    if repr(found) == text or (len(text) <= SHORT and abs(found) < 1e15 and "e" not in text and "E" not in text):
        return found
    return found if math.isfinite(found) and Decimal(repr(found)) == Decimal(text) else text


def without_halves(text: str) -> str:
    """Return a JSON text with U+FFFD and its digits in place of each half of a character that stands alone."""
    return ESCAPED.sub(lambda found: f"\\ufffd{found[0][2:].lower()}" if len(found[0]) == 6 else found[0], text)


def unrounded(lines: pl.Series) -> pl.Series:
    r"""Return lines of JSON with texts for numbers that polars would round, and without halves of characters.

    >>> unrounded(pl.Series(['{"a": 1}', r'"cut \ud83d"', '{"a": [0.30000000000000004, 18446744073709551617]}'])).to_list()
    ['{"a": 1}', '"cut \\ufffdd83d"', '{"a": [0.30000000000000004, "18446744073709551617"]}']
    """
    long = lines.str.contains(BARE)
    lines = _with(
        lines, long, pl.Series([TOKEN.sub(_quote_long_number, line) for line in lines.filter(long)], dtype=pl.String)
    )
    halved = lines.str.contains(HALF.pattern)
    return _with(lines, halved, pl.Series([without_halves(line) for line in lines.filter(halved)], dtype=pl.String))


def _quote_long_number(found: re.Match[str]) -> str:
    """Return a text as it is, and a number in quotes where polars would round it."""
    text = found[1]
    if text is None:
        return found[0]
    if text.lstrip("-").isdigit():
        return text if len(text) <= MOST and -(2**63) <= int(text) < 2**64 else f'"{text}"'
    try:
        rounded = isinstance(number(text), str)
    except (ValueError, ArithmeticError):  # it is no number; the line is refused as it stands
        return text
    return f'"{text}"' if rounded else text


def _with(lines: pl.Series, places: pl.Series, others: pl.Series) -> pl.Series:
    """Return lines with others in some places."""
    return lines.clone().scatter(places.arg_true(), others) if len(others) else lines


CHUNK = 1 << 20
NEAR = 64
"""Characters before the end of what was read within which an error may come from its end alone."""
DEEPEST = 1000
"""Characters of indentation at most."""
EXACT_DECODER = json.JSONDecoder(parse_int=whole_number, parse_float=number)
SPACE = re.compile(r"[\s\ufeff,]*")
NUMBER_COLUMN, VALUE_COLUMN = "number", "value"
ARRAY = re.compile(rb'\[\s*(?:\{\s*["}]|\[\s*(?:["\[\]\d-]|null|true|false)|\]\s*\Z)')
"""How arrays begin, unlike a header whose first name is in brackets."""
BY_COLUMN = re.compile(rb'\{\s*"[^"]*"\s*:\s*\{\s*"0"\s*:|\{\s*"columns"\s*:\s*\[|\{\s*"schema"\s*:\s*\{\s*"fields"')
"""How tables begin that pandas writes with orient columns, split or table."""
BY_RECORD = "write a JSON object for each record, such as by pandas: to_json(NEW, orient='records', lines=True)"
LINE_ENDS, NO_JSON = re.compile("[\\r\\n]+"), "["
"""What an item does not need between its parts; what makes sure that one that is no JSON is none as a line either."""


@dataclass(frozen=True)
class Item:
    """One item of a document.

    Parameters
    ----------
    number
        Its place in the document, from 1.
    line
        The line it begins on, from 1.
    value
        What it is.
    text
        As it stands in the document.
    broken
        Whether it is no JSON; it then has no value.
    """

    number: int
    line: int
    value: Any
    text: str
    broken: bool = False


def json_items(file: LogFile) -> Iterator[Item]:
    """Return the items of a document in their order.

    Raises
    ------
    DataError
        The file is damaged or not UTF-8, or an item is too long for the memory there is; the message names the line.
    """
    try:
        with unpacked(file.path) as stream:
            document = _Document(file.name, stream, longest_text(file.memory, TREE))
            yield from _iterate_values(document)
    except UnicodeDecodeError:
        raise not_utf8(file) from None
    except DAMAGED as error:
        raise cut_short(file.name, error) from None


def as_items(file: LogFile) -> Locate:
    """Return the way back to the text of items by their number."""

    def locate(records: pl.Series) -> pl.DataFrame:
        wanted = set(records)
        found = [(item.number, item.line, item.text) for item in json_items(file) if item.number in wanted]
        return pl.DataFrame(found, schema={RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String}, orient="row")

    return locate


def is_spread(file: LogFile) -> bool:
    """Return whether a file begins with an object of JSON that is spread over several lines."""
    first, _, further = file.head.partition(b"\n")
    if not first.startswith(b"{") or not further or first.rstrip().endswith(b"}"):
        return False
    item = next(json_items(file), None)
    return item is not None and not item.broken and "\n" in item.text


def as_ndjson(file: LogFile) -> LogFile:
    """Return objects of JSON, in an array or spread over lines, as a file that has each on a line of its own; any other file as it is.

    Raises
    ------
    DataError
        It is damaged or not UTF-8; or JSON of another shape that has no records: an array of other values, a table by columns.
    """
    if BY_COLUMN.match(file.head):
        raise DataError(f"{file.name} is JSON by columns, as pandas writes it by default; {BY_RECORD}")
    if not (ARRAY.match(file.head) or is_spread(file)):
        return file
    copy = file.workspace / f"{len(list(file.workspace.iterdir()))}-items.ndjson"
    empty = True
    with room_in(file.workspace), copy.open("w", encoding="utf-8", newline="") as target:
        for item in json_items(file):
            if empty and not item.broken and not isinstance(item.value, dict):
                kind = "lists" if isinstance(item.value, list) else "values"
                raise DataError(f"{file.name} is a JSON array of {kind}, without names; {BY_RECORD}")
            target.write(f"{NO_JSON if item.broken else ''}{LINE_ENDS.sub(' ', item.text)}\n")
            empty = False
    if empty:
        raise DataError(f"{file.name} is an empty JSON array; it has no records")
    return replace(file, path=copy, kind="ndjson")


class _Document:
    """A document read piece by piece: what was read and not yet taken, and where that is."""

    def __init__(self, name: str, stream: IO[bytes], most: int) -> None:
        self.name, self.stream, self.most = name, stream, most
        self.decoder = getincrementaldecoder("utf-8")()
        self.text, self.at, self.line, self.number, self.ended = "", 0, 1, 0, False
        self.indent = ""

    def more(self) -> bool:
        """Read on, as much again as there is; return whether there was more.

        Raises
        ------
        DataError
            An item has so many characters, blanks between its parts among them, that it is too long.
        """
        if len(self.text) - self.at > self.most:
            raise DataError(
                f"{self.name}, record {self.number + 1:,} on line {self.line:,}: it is longer than {as_size(self.most)}, the most "
                f"that the memory limit allows (JSON takes up to {TREE} times its length). If a bracket or quote is missing "
                "there, correct it; or allow more with --memory"
            )
        data = b"" if self.ended else self.stream.read(max(CHUNK, len(self.text) - self.at))
        self.ended = not data
        self.text, self.at = self.text[self.at :] + self.decoder.decode(data, final=self.ended), 0
        return bool(data)

    def pass_to(self, end: int) -> str:
        """Take what comes before `end`."""
        taken = self.text[self.at : end]
        lines = taken.count("\n")
        self.line += lines
        before = taken.rpartition("\n")[2]
        self.indent = (before if lines else self.indent + before)[:DEEPEST]
        self.at = end
        return taken

    def next(self) -> str:
        """Pass over blanks and commas; return the next character, empty at the end."""
        while True:
            self.pass_to(SPACE.match(self.text, self.at).end())  # type: ignore[union-attr] # it matches nothing, too
            if self.at < len(self.text) or not self.more():
                return self.text[self.at : self.at + 1]

    def value(self) -> tuple[Any, str, bool]:
        """Take one value; return it, its text, and whether it is broken."""
        blank = not self.indent.strip(" \t[")
        start = self.indent.replace("[", "") if blank else ""
        while True:
            try:
                value, end = EXACT_DECODER.raw_decode(self.text, self.at)
                if end < len(self.text) or not self.more():
                    text = self.pass_to(end)
                    return loads(text) if HALF.search(text) else value, text, False
            except json.JSONDecodeError as error:
                whole = error.pos < len(self.text) - NEAR and not error.msg.startswith("Unterminated")
                if whole or not self.more():
                    return None, self._to_next_line(start), True
            except RecursionError:
                return None, self._to_next_line(""), True

    def _to_next_line(self, indent: str) -> str:
        """Take everything up to the next line that begins with an object at this indentation."""
        beginning = re.compile(rf"\n{indent}(?=\{{)")
        while (found := beginning.search(self.text, self.at + 1)) is None:
            if not self.more():
                return self.pass_to(len(self.text))
        return self.pass_to(found.end())


def _iterate_values(document: _Document) -> Iterator[Item]:
    """Return values that stand one after another, or in arrays."""
    while character := document.next():
        if character == "[":
            document.pass_to(document.at + 1)
            yield from _array(document)
        else:
            yield _item(document)


def _array(document: _Document) -> Iterator[Item]:
    """Return the items of an array whose opening bracket is taken."""
    while (character := document.next()) != "]":
        if not character:
            document.number += 1
            yield Item(document.number, document.line, None, "", broken=True)
            return
        yield _item(document)
    document.pass_to(document.at + 1)


def _item(document: _Document) -> Item:
    """Take the next item."""
    line = document.line
    value, text, broken = document.value()
    document.number += 1
    return Item(document.number, line, value, text.rstrip().rstrip(",]").rstrip() if broken else text, broken)


IS_JSON = "line_is_json"
LINES_PER_BATCH = 100_000
TEXT_COLUMN, OBJECT_COLUMN = "__text", "__object"


def read_ndjson(
    file: LogFile,
    table: str,
    *,
    keep: Keep = in_memory,
    memory: int | None = None,
    at_once: bool = False,
) -> Raw:
    """Return the records of an NDJSON file, their scalars as text.

    Parameters
    ----------
    keep
        Where the records stay.
    memory, at_once
        Bytes that may be used, and whether all records may be in them, wherever they stay.

    Raises
    ------
    DataError
        No line holds an object, too much of the text is not UTF-8, the file ends early.
    """
    locate = as_lines(str(file.path), 1)
    try:
        shapes = _shapes(file)
        refuse_reserved(shapes.keys, file.name)
        if not shapes.keys:
            is_json = file.head.startswith(b"{")
            why = ", nor is the whole; is it cut short?" if is_json else "; if it is delimited text, give its separator"
            raise DataError(f"{file.name}: no line of it is a JSON object{why}")
        refuse_sparse(file, len(shapes.keys), memory, at_once=at_once)
        frame = keep(_records(file, shapes, at_once=at_once))
    except pl.exceptions.ComputeError as error:
        if is_undecodable(error):
            return replace(read_ndjson(mended(file, doubled=True), table, keep=keep), locate=locate)
        raise DataError(f"{file.name} cannot be read as NDJSON ({str(error).splitlines()[0]})") from None
    except OSError as error:
        raise cut_short(file.name, error) from None
    records = frame.select(pl.len()).collect().item()
    return Raw(table, file.name, frame, records, locate, file.bytes, file.digest)


def _lines(file: LogFile) -> pl.LazyFrame:
    """Return the lines, each with its number."""
    lines = pl.scan_lines(str(file.path), name=TEXT_COLUMN, row_index_name=RECORD, row_index_offset=1, glob=False)
    return lines.with_columns(pl.col(RECORD).cast(pl.Int64))


def _among(undecoded: Mapping[int, str]) -> pl.Expr:
    """Return whether a line is one of these, whose keys are not looked for."""
    return pl.col(RECORD).is_in(list(undecoded)) if undecoded else pl.lit(value=False)


def _shapes(file: LogFile) -> Shapes:
    """Return the keys and shapes of all lines but those that cannot be decoded."""
    lines = _lines(file).filter(~_among(file.undecoded)).select(TEXT_COLUMN)
    shapes = Shapes(regular=not file.undecoded)
    shapes.look(lines.head(FIRST_LOOK).collect().to_series())
    rest = lines.filter(~shapes.settles(pl.col(TEXT_COLUMN)))
    for batch in rest.collect_batches(chunk_size=LINES_PER_BATCH, maintain_order=True):
        shapes.see(batch[TEXT_COLUMN])
    return shapes


def _records(file: LogFile, shapes: Shapes, *, at_once: bool) -> pl.LazyFrame:
    """Return the records with a column for each key."""
    names = dict(zip(shapes.keys, _names(list(shapes.keys)), strict=True))
    if at_once and shapes.regular and shapes.plain:  # in half the time, and with the whole file in memory
        none = pl.lit(None, dtype=pl.String)
        values = [pl.col(key).alias(name) for key, name in names.items()]
        scan = pl.scan_ndjson(
            escape(str(file.path)),
            schema=dict.fromkeys(names, pl.String()),
            row_index_name=RECORD,
            row_index_offset=1,
        )
        return scan.select(pl.col(RECORD).cast(pl.Int64), none.alias(RULE), none.alias(VALUE), *values)
    return with_undecoded(
        _decode_values(_lines(file).filter(~pl.col(TEXT_COLUMN).str.contains(BLANK)), shapes, names), file.undecoded
    )


def _decode_values(lines: pl.LazyFrame, shapes: Shapes, names: Mapping[str, str]) -> pl.LazyFrame:
    """Return the same of lines that are not blank, of any shape."""
    columns = [RULE, VALUE, *names.values()]
    dtype = pl.Struct(dict.fromkeys(columns, pl.String))

    def read(texts: pl.Series) -> pl.Series:
        broken = _broken(texts, shapes)
        shown = texts.to_frame(TEXT_COLUMN).select(_bare(pl.col(TEXT_COLUMN)).str.slice(0, 200)).to_series()
        rule = pl.when(broken).then(pl.lit(IS_JSON)).alias(RULE)
        values = shapes.values(texts).rename(names)
        return (
            values.with_columns(rule, pl.when(broken).then(shown).alias(VALUE)).select(columns).to_struct(OBJECT_COLUMN)
        )

    objects = pl.col(TEXT_COLUMN).map_batches(read, return_dtype=dtype, is_elementwise=True).alias(OBJECT_COLUMN)
    return lines.select(RECORD, objects).unnest(OBJECT_COLUMN)


def _broken(texts: pl.Series, shapes: Shapes) -> pl.Series:
    """Return whether lines are no objects, which those of a known shape are."""
    if shapes.regular:
        return pl.repeat(False, len(texts), eager=True)
    other = texts.to_frame(TEXT_COLUMN).with_columns(other=~shapes.fits(pl.col(TEXT_COLUMN)))["other"].arg_true()
    return pl.repeat(False, len(texts), eager=True).scatter(other, as_objects(texts.gather(other)).is_null())


def _bare(text: pl.Expr) -> pl.Expr:
    """Return the text of a line without what surrounds it."""
    return text.str.strip_prefix("\ufeff").str.strip_chars()


def _names(keys: list[str]) -> list[str]:
    """Return the names of the keys' columns; the empty one gets the first free ``column_1``, ``column_2``, ...."""
    free = next(name for place in range(1, len(keys) + 2) if (name := f"column_{place}") not in keys)
    return [key or free for key in keys]


PLAIN_TEXT = r'"(?:[^"\\\x00-\x1F]|\\(?:["\\/bfnrt]|u[0-9abcefABCEF][0-9a-fA-F]{3}))*"'
"""A text; none with an escaped half of a character."""
DECIMAL = r"0\.[0-9]{0,3}[1-9]|[1-9][0-9]{0,8}\.[0-9]{0,5}[1-9]"
WHOLE = r"-?(?:0|[1-9][0-9]{0,14})\.0"
"""A number with a fraction of 0, as many programs write whole ones; polars decodes it without the fraction."""
PLAIN_NUMBER = rf"{WHOLE}|0|-?(?:[1-9][0-9]{{0,17}}|{DECIMAL})"
"""A number in the spelling in which it would be written back."""
PLAIN_VALUE = f"(?:{PLAIN_TEXT}|{PLAIN_NUMBER}|true|false|null)"
FRACTION = ".0"
"""What such a number has."""
BLANK = r"^[\s\x{feff}]*$"
FIRST_LOOK = 100
"""Lines that are all looked at one by one, since in most logs they have all shapes there are."""
KEYS = 100
"""Keys of all known shapes together up to which one more shape is made known."""
NEW_LINES_PER_BATCH = 2_000
"""Lines without a known shape whose keys are looked for at a time: few, as polars gives each of them every key that any has."""
KEYS_DECODER = json.JSONDecoder()


@dataclass
class Shapes:
    """What is known of a file's objects.

    Parameters
    ----------
    keys
        Their keys in the order of appearance.
    patterns
        For each known shape what its lines match.
    regular
        Whether every line seen so far had a known shape.
    plain
        Whether none seen so far is blank, which polars' own reader of files does not count, or may have a number such as
        ``1.0``, which polars decodes without the fraction.
    """

    keys: dict[str, None] = field(default_factory=dict)
    patterns: dict[str, int] = field(default_factory=dict)
    regular: bool = True
    plain: bool = True

    def fits(self, line: pl.Expr) -> pl.Expr:
        """Return whether lines have a known shape."""
        return line.str.contains("|".join(self.patterns)) if self.patterns else pl.lit(False)

    def settles(self, line: pl.Expr) -> pl.Expr:
        """Return whether lines say nothing of the file that is not known."""
        fits = self.fits(line)
        return fits & ~line.str.contains(FRACTION, literal=True) if self.plain else fits

    def look(self, lines: pl.Series) -> None:
        """Make known the shapes and keys of the first lines of a file."""
        lines = self._filled(lines)
        for text in as_objects(lines).drop_nulls():
            self.keys.update(dict.fromkeys(json.loads(text)))
        self._unknown(lines)

    def see(self, lines: pl.Series) -> None:
        """Take note of the keys of more lines."""
        objects = as_objects(self._unknown(self._filled(lines))).drop_nulls()
        for start in range(0, len(objects), NEW_LINES_PER_BATCH):
            batch = objects[start : start + NEW_LINES_PER_BATCH]
            self.keys.update(dict.fromkeys(_keys(batch) if len(self.keys) <= KEYS else _loaded_keys(batch)))

    def _filled(self, lines: pl.Series) -> pl.Series:
        """Return the lines that are not blank, after taking note of what is not plain."""
        blank = lines.str.contains(BLANK)
        self.plain &= not blank.any() and not lines.str.contains(FRACTION, literal=True).any()
        return lines.filter(~blank) if blank.any() else lines

    def _unknown(self, lines: pl.Series) -> pl.Series:
        """Return the lines whose shape is not known, after making known what shapes they have."""
        while len(lines := lines.to_frame("line").filter(~self.fits(pl.col("line"))).to_series()):
            shape = next((shape for line in lines.head(5) if (shape := _shape(line)) is not None), None)
            if shape is None or sum(self.patterns.values()) + len(shape) > KEYS:
                self.regular = False
                break
            self.patterns[_pattern(shape)] = len(shape)
            self.keys.update(dict.fromkeys(shape))
        return lines

    def values(self, lines: pl.Series) -> pl.DataFrame:
        """Return the values of all keys in these lines, a column for each; null where a line is no object."""
        if self.regular:
            return self._together(lines)
        frame = lines.to_frame("line").with_row_index("place").with_columns(fits=self.fits(pl.col("line")))
        parts = [
            pl.concat([part.select("place"), read(part["line"])], how="horizontal")
            for fits, read in ((True, self._together), (False, self._one_by_one))
            if len(part := frame.filter(pl.col("fits") == fits))
        ]
        return pl.concat(parts).sort("place").drop("place") if parts else self._together(lines)

    def _together(self, lines: pl.Series) -> pl.DataFrame:
        """Return the values of lines of known shapes."""
        known = [key for key in self.keys if key]  # lines with an empty key are of no known shape
        dtype = pl.Struct(dict.fromkeys(known, pl.String))
        read = lines.str.json_decode(dtype).struct.unnest() if known else pl.DataFrame(height=len(lines))
        if lines.str.contains(FRACTION, literal=True).any():
            text = pl.Series(lines).alias("__line")
            fractions = {key: rf"{re.escape(json.dumps(key, ensure_ascii=False))}: ?{WHOLE} ?[,}}]" for key in known}
            spelled = [key for key, pattern in fractions.items() if lines.str.contains(pattern).any()]
            read = read.with_columns(text.str.json_path_match(_path(key)).alias(key) for key in spelled)
        return read.select(pl.col(key) if key else pl.lit(None, dtype=pl.String).alias(key) for key in self.keys)

    def _one_by_one(self, lines: pl.Series) -> pl.DataFrame:
        """Return the values of lines of any shape."""
        objects = as_objects(lines)
        if len(self.keys) > KEYS or any("\\" in key for key in self.keys):  # which polars takes in no path
            return self._members(objects)  # each line is taken apart once, and not once for each key
        line = pl.col("line")
        return objects.to_frame("line").select(line.str.json_path_match(_path(key)).alias(key) for key in self.keys)

    def _members(self, objects: pl.Series) -> pl.DataFrame:
        """Return the values of objects in the spelling of :func:`as_objects`, each taken apart once."""
        places: dict[str, list[int]] = {key: [] for key in self.keys}
        found: dict[str, list[str]] = {key: [] for key in self.keys}
        for place, text in enumerate(objects):
            for key, value in members(text) if text is not None else ():
                if value is not None and key in places:
                    places[key].append(place)
                    found[key].append(value)
        none = pl.repeat(None, len(objects), dtype=pl.String, eager=True)
        return pl.DataFrame(
            {key: none.clone().scatter(places[key], pl.Series(found[key], dtype=pl.String)) for key in self.keys}
        )


def _path(key: str) -> str:
    """Return the path of a key."""
    return "$['{}']".format(key.replace("'", "\\'"))


def members(text: str) -> Iterator[tuple[str, str | None]]:
    """Return the keys and values of an object in the spelling of :func:`as_objects`: texts as such, all else as JSON.

    >>> list(members('{"a":"x","b":1.50,"c":null,"d":{"e":[1]}}'))
    [('a', 'x'), ('b', '1.50'), ('c', None), ('d', '{"e":[1]}')]
    """
    at = 1
    while text[at] != "}":
        key, at = KEYS_DECODER.raw_decode(text, at)
        value, end = KEYS_DECODER.raw_decode(text, at + 1)
        yield key, value if value is None or isinstance(value, str) else text[at + 1 : end]
        at = end + (text[end] == ",")


def as_objects(lines: pl.Series) -> pl.Series:
    """Return the lines that are JSON objects, each in one spelling; null for others."""
    bare = unrounded(lines).str.strip_prefix("\ufeff").str.strip_chars().alias("line")
    parsed = pl.col("line").str.json_path_match("$")
    found = bare.to_frame().select(parsed).to_series()
    if found.null_count() > lines.null_count():
        found = _with_finite_numbers(bare, found.is_null()).to_frame().select(parsed).to_series()
    return found.to_frame("line").select(pl.when(pl.col("line").str.starts_with("{")).then("line")).to_series()


def _with_finite_numbers(lines: pl.Series, doubtful: pl.Series) -> pl.Series:
    """Return lines of JSON, those that are doubtful with texts for numbers that are no finite ones: NaN, -Infinity.

    Some programs write them, and polars takes none of the line then. A line that is no JSON all the same stays as it is.

    >>> _with_finite_numbers(pl.Series(['{"a": NaN, "b": 1}', "{"]), pl.Series([True, True])).to_list()
    ['{"a": "NaN", "b": 1}', '{']
    """
    places = doubtful.arg_true()
    mended = pl.Series([_finite(line) for line in lines.gather(places)], dtype=pl.String)
    return lines.clone().scatter(places, mended) if len(places) else lines


def _finite(line: str | None) -> str | None:
    """Return a line of JSON with texts for numbers that are no finite ones."""
    if line is None:
        return None
    try:
        value = loads(line, parse_constant=str)
    except (ValueError, RecursionError):
        return line
    return json.dumps(value, ensure_ascii=False)


def _shape(line: str) -> tuple[str, ...] | None:
    """Return the keys of a line, which is then one of many; None where it stands alone."""
    try:
        loaded = json.loads(line)
    except (ValueError, RecursionError):
        return None
    shape = tuple(loaded) if isinstance(loaded, dict) else ("",)
    if any("\\" in key for key in shape):  # which polars takes in no path
        return None
    return shape if "" not in shape and len(shape) <= KEYS and re.match(_pattern(shape), line) else None


def _pattern(shape: tuple[str, ...]) -> str:
    """Return what lines match that have just these keys in this order."""
    pairs = ", ?".join(f"{re.escape(json.dumps(key, ensure_ascii=False))}: ?{PLAIN_VALUE}" for key in shape)
    return rf"^\{{ ?{pairs} ?\}}[ \r]*$"


def _keys(objects: pl.Series) -> list[str]:
    """Return the keys of these JSON objects."""
    try:
        dtype = objects.str.json_decode(infer_schema_length=None).dtype
    except (
        pl.exceptions.ComputeError,
        pl.exceptions.SchemaError,
    ):  # no one type covers a key
        return list(_loaded_keys(objects))
    return [field.name for field in dtype.fields] if isinstance(dtype, pl.Struct) else []


def _loaded_keys(objects: pl.Series) -> dict[str, None]:
    """Return the same, each object taken apart by itself."""
    return dict.fromkeys(key for text in objects for key in json.loads(text))


BEGIN = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*("|\})')
"""How such a text begins: the name of a topic, and that of a document or nothing."""
PAIR_END = re.compile(r"[0-9nNlL]\s*(,|\})")


def numbers_in(text: str) -> list[int | float]:
    """Return the numbers in the beginning of such a text; none where it is another text.

    >>> numbers_in('{"q1": {"d1": 3, "d2": 0.5}, "q2": {"d'), numbers_in('{"columns": ["a"]}'), numbers_in('{"a": {"0": 1}}')
    ([3, 0.5], [], [])
    """
    text = text.removeprefix("\ufeff")
    if BEGIN.match(text) is None:
        return []
    try:
        documents = _cut_loaded(text)
    except (ValueError, RecursionError):
        return []
    if not documents or not all(isinstance(one, dict) for one in documents.values()):
        return []
    values = list(chain.from_iterable(one.values() for one in documents.values()))
    is_table = next(iter(next(iter(documents.values()))), "") == "0"  # by rows, as pandas writes columns
    if is_table or any(isinstance(value, bool) or not isinstance(value, int | float | None) for value in values):
        return []
    return [value for value in values if value is not None]


def _cut_loaded(text: str) -> Any:  # noqa: ANN401 - JSON
    """Return the value of a JSON text, which may be cut after some pairs."""
    try:
        return json.loads(text)
    except ValueError:
        end = max((found.end(1) - 1 for found in PAIR_END.finditer(text)), default=0)
        return json.loads(f"{text[:end]}}}}}")


def holds_grades(text: str) -> bool:
    """Return whether a text begins like such JSON of whole numbers."""
    numbers = numbers_in(text)
    return bool(numbers) and all(float(number).is_integer() for number in numbers)


def holds_scores(text: str) -> bool:
    """Return whether a text begins like such JSON of numbers that are not all written as whole ones."""
    return any(isinstance(number, float) for number in numbers_in(text))


def read_score_dict(file: LogFile, key: str, value: str) -> tuple[pl.DataFrame, list[str], Locate]:
    """Return the pairs of a topic and a document with their number as text, the topics without documents, and the way back.

    A name that stands several times is kept as often.

    Parameters
    ----------
    key, value
        What the columns of the topic and of the number are called.

    Raises
    ------
    DataError
        It is no JSON, or JSON of another shape.
    """
    try:
        # pairs instead of dictionaries, which would keep the last of several of one name
        topics = loads(text_of(file), object_pairs_hook=tuple)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file.name} is not JSON ({error}); is the file whole?") from None
    if not isinstance(topics, tuple) or not all(isinstance(documents, tuple) for _, documents in topics):
        raise DataError(f'{file.name} is not JSON of numbers by topic and document, such as {{"q1": {{"d1": 0.3}}}}')
    pairs = [(topic, document, number) for topic, documents in topics for document, number in documents]
    names = {RECORD: pl.Int64, key: pl.String, "doc_id": pl.String, value: pl.String}
    rows = [(at, topic, document, _as_text(number)) for at, (topic, document, number) in enumerate(pairs, 1)]

    def locate(records: pl.Series) -> pl.DataFrame:
        texts = [json.dumps({pairs[at - 1][0]: {pairs[at - 1][1]: pairs[at - 1][2]}}) for at in records]
        return pl.DataFrame({RECORD: records, LINE: pl.Series([None] * len(records), dtype=pl.Int64), RAW: texts})

    empty = [topic for topic, documents in topics if not documents]
    return pl.DataFrame(rows, names, orient="row"), empty, locate


def _as_text(number: Any) -> str | None:  # noqa: ANN401 - JSON
    """Return a JSON value as text."""
    return number if number is None or isinstance(number, str) else json.dumps(number)
