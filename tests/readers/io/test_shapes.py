"""JSON objects in bulk: read together or one by one, the values are the same."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.readers.io.json import Shapes, as_objects
from tests.support.examples import examples

texts = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=6)
numbers = st.one_of(st.integers(-(10**19), 10**19), st.floats(allow_nan=False, allow_infinity=False))
scalars = st.one_of(texts, numbers, st.booleans(), st.none(), st.sampled_from([0.0, -0.0, 1.5, 1e-7, 1e22, 3.0, -0.25]))
values = st.one_of(
    scalars, scalars, scalars, st.lists(scalars, max_size=2), st.dictionaries(texts, scalars, max_size=2)
)
objects = st.fixed_dictionaries(
    {"a": values}, optional={"b": values, "it's": scalars, "\u00fc": scalars, "x.y": scalars}
)
spellings = st.sampled_from([{}, {"separators": (",", ":")}, {"ensure_ascii": False}])


@st.composite
def lines(draw):
    """Lines of a log: objects, mostly of few shapes, in several spellings, and some that are none."""
    rows = [json.dumps(row, **draw(spellings)) for row in draw(st.lists(objects, min_size=1, max_size=8))]
    return rows + draw(st.lists(st.sampled_from(["[1]", "{", "null", '{"a":1,"a":2}', "{}", ' {"a": 1} ']), max_size=2))


def one_by_one(rows, keys):
    """Return the values that each line has by itself."""
    alone = pl.Series("line", rows)
    return {
        key: [Shapes({key: None}, regular=False).values(alone[n : n + 1])[key][0] for n in range(len(rows))]
        for key in keys
    }


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(rows=lines())
def test_values_are_those_of_each_line_by_itself(rows):
    shapes = Shapes()
    series = pl.Series("line", rows)
    shapes.look(series)
    shapes.see(series)
    made = shapes.values(series)
    assert made.to_dict(as_series=False) == one_by_one(rows, shapes.keys)
    found = [json.loads(text) for text in as_objects(series).drop_nulls()]
    assert set(shapes.keys) == {key for row in found for key in row}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ('{"a":"x"}', "x"),
        ('{"a": 12}', "12"),
        ('{"a": 0.5}', "0.5"),
        ('{"a": 1.0}', "1.0"),
        ('{"a": -0.0}', "-0.0"),
        ('{"a": 999999999999999.0}', "999999999999999.0"),
        ('{"a": true}', "true"),
        ('{"a": null}', None),
        ('{"a": "\\u00fc\\n"}', "\u00fc\n"),
    ],
)
def test_plain_lines_have_a_known_shape(line, value):
    shapes = Shapes()
    shapes.see(pl.Series([line] * 3))
    assert shapes.regular
    assert shapes.values(pl.Series([line]))["a"].to_list() == [value]


def test_whole_numbers_with_a_fraction_beside_texts_that_look_like_them():
    lines = pl.Series(
        ['{"a":"x.0","b":1.0}', '{"a":"\\"b\\": 3.0,","b":7}', '{"a":"b","b":null}', '{"a":"","b":-12.0}']
    )
    shapes = Shapes()
    shapes.look(lines)
    assert shapes.regular
    assert shapes.values(lines).rows() == [("x.0", "1.0"), ('"b": 3.0,', "7"), ("b", None), ("", "-12.0")]


@pytest.mark.parametrize(
    "line",
    ['{"a": 1.00}', '{"a\\\\": 1}', '{"a": 1e5}', '{"a": [1]}', '{"a": -0}', '{"a":1}{', '{"a":"\\ud83d\\ude00"}'],
)
def test_other_lines_have_none(line):
    shapes = Shapes()
    shapes.see(pl.Series([line]))
    assert not shapes.regular


def test_keys_stand_in_the_order_of_their_appearance():
    shapes = Shapes()
    shapes.look(pl.Series(['{"z": [1], "b": 2}', '{"a": 1}', '{"b": 1, "c": 1}']))
    shapes.see(pl.Series(['{"d": 1}', '{"late": {"k": 1}}']))
    assert list(shapes.keys) == ["z", "b", "a", "c", "d", "late"]


@pytest.mark.parametrize("key", ["end\\", "\\", "a\\x", "a\\\\b", "a\\'b", 'a\\"b', "it's"])
@pytest.mark.parametrize("value", ["v", "back\\slash", None, True, 3, [1, {"a": "b"}]])
def test_a_key_with_a_backslash_has_its_values(key, value):
    lines = pl.Series([json.dumps({"a": [], key: value}), json.dumps({"a": {}})])
    found = Shapes({"a": None, key: None}, regular=False).values(lines)[key].to_list()
    spelled = value if value is None or isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    assert found == [spelled, None]
