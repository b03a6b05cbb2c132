"""JSON objects in bulk: the keys that the lines of a log have, and the values of these keys as text.

Nearly all lines of a log have one of a few shapes: the same keys in the same order, texts and plain numbers for values.
A line of a known shape is recognized without taking it apart; it has no other keys, and all such lines are read at once.
Every other line (nested values, numbers of unusual spelling) is read key by key, to the same effect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from sessionkit.readers.io.json_items import loads, unrounded

TEXT = r'"(?:[^"\\\x00-\x1F]|\\(?:["\\/bfnrt]|u[0-9abcefABCEF][0-9a-fA-F]{3}))*"'
"""A text; none with an escaped half of a character."""
DECIMAL = r"0\.[0-9]{0,3}[1-9]|[1-9][0-9]{0,8}\.[0-9]{0,5}[1-9]"
WHOLE = r"-?(?:0|[1-9][0-9]{0,14})\.0"
"""A number with a fraction of 0, as many programs write whole ones; polars decodes it without the fraction."""
NUMBER = rf"{WHOLE}|0|-?(?:[1-9][0-9]{{0,17}}|{DECIMAL})"
"""A number in the spelling in which it would be written back."""
VALUE = f"(?:{TEXT}|{NUMBER}|true|false|null)"
FRACTION = ".0"
"""What such a number has."""
BLANK = r"^[\s\x{feff}]*$"
FIRST_LOOK = 100
"""Lines that are all looked at one by one, since in most logs they have all shapes there are."""
KEYS = 100
"""Keys of all known shapes together up to which one more shape is made known."""
BATCH = 2_000
"""Lines without a known shape whose keys are looked for at a time: few, as polars gives each of them every key that any has."""
DECODER = json.JSONDecoder()


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
        for start in range(0, len(objects), BATCH):
            batch = objects[start : start + BATCH]
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
        key, at = DECODER.raw_decode(text, at)
        value, end = DECODER.raw_decode(text, at + 1)
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
    pairs = ", ?".join(f"{re.escape(json.dumps(key, ensure_ascii=False))}: ?{VALUE}" for key in shape)
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
