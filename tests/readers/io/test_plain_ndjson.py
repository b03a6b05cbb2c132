"""Plain NDJSON read at once: the same texts as line by line, or nothing."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.readers.io.plain_ndjson import Plain
from sessionkit.readers.io.shapes import Shapes
from tests.support.examples import examples

texts = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=6)
whole = st.one_of(st.integers(-1200, 1200), st.integers(-(10**19), 10**19))
parts = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.0, -0.0, 1.5, 1e-7, 1e22, 3.0]))
odd = st.sampled_from(
    [
        '{"a":1,"a":2}',
        "[1]",
        "{",
        "",
        " ",
        '{"a":1e2}',
        '{"a":"x","late":1}',
        '{"a":{"b":1}}',
        '\ufeff{"a":1}',
        '{"a":1}{}',
    ]
)


def alone(lines, keys):
    """Return what each line says of each key, read by itself."""
    series = pl.Series("line", lines)
    return Shapes(dict.fromkeys(keys), regular=False).values(series)


@st.composite
def logs(draw):
    """Lines of one shape in one spelling, a few of them odd."""
    kinds = draw(st.lists(st.sampled_from([texts, whole, parts, st.booleans()]), min_size=1, max_size=3))
    values = [st.one_of(kind, kind, kind, st.none()) if draw(st.booleans()) else kind for kind in kinds]
    rows = draw(st.lists(st.tuples(*values), min_size=1, max_size=6))
    style = {"separators": draw(st.sampled_from([(",", ":"), (", ", ": ")])), "ensure_ascii": draw(st.booleans())}
    lines = [json.dumps(dict(zip("abc", row, strict=False)), **style) for row in rows]
    return lines + draw(st.one_of(st.just([]), st.just([]), st.lists(odd, max_size=1)))


@settings(max_examples=examples(150), deadline=None)
@given(logs(), st.booleans())
def test_what_is_read_at_once_is_what_every_line_says(lines, closed):
    keys = list(json.loads(lines[0]))
    read = Plain(lines[:1], keys, {}).values(("\n".join(lines) + "\n" * (closed or not lines[-1])).encode())
    if read is not None:
        assert read.rows() == alone(lines, keys).rows()


def test_lines_as_most_programs_write_them_are_plain():
    rows = [{"a": "x y", "b": 1, "c": 0.5, "d": True}, {"a": 'é "q"', "b": -20, "c": 0.0, "d": None}]
    for separators in ((",", ":"), (", ", ": ")):
        lines = [json.dumps(row, separators=separators, ensure_ascii=False) for row in rows]
        read = Plain(lines, "abcd", {"b": pl.Int32(), "c": pl.Float64()}).values("\n".join(lines).encode())
        assert read.rows() == [("x y", 1, 0.5, "true"), ('é "q"', -20, 0.0, None)]
        assert Plain(lines, "abcd", {}).values("\n".join(lines).encode()).rows()[1] == ('é "q"', "-20", "0.0", None)


@pytest.mark.parametrize(
    "line",
    [
        '{"a":1,"b":"x","c":1}',
        '{"a":1}',
        '{"b":"x","a":1}',
        '{"a":1,"a":1,"b":"x"}',
        '{"a":1.0,"b":"x"}',
        '{"a":"1","b":"x"}',
        '{"a":1,"b":5}',
        '{"a":1,"b":1e5,"xx":1}',
        '{"a":1,"b":[1]}',
        '{"a":1,"b":"\\u0078"}',
        '{"a":1,"b":"x"},',
        "[1]",
        "",
        "   ",
    ],
)
def test_other_lines_are_not(line):
    plain = '{"a":1,"b":"x"}'
    assert Plain([plain], "ab", {}).values(plain.encode()) is not None
    assert Plain([plain], "ab", {}).values(f"{plain}\n{line}\n{plain}\n".encode()) is None


def test_numbers_that_not_every_parser_reads_alike_are_left_to_others():
    for number, known in ((0.123456, True), (0.1234567, False), (999_999_999.5, True), (1e9, False), (3.0, True)):
        line = json.dumps({"a": number}, separators=(",", ":"))
        assert (Plain([line], "a", {}).values(line.encode()) is not None) == known, number
