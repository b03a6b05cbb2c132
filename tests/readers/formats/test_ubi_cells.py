"""Nested fields of User Behavior Insights in cells: whatever a table made of them, they say what the record says."""

import json

import polars as pl
import pytest

from sessionkit.readers.formats.ubi_records import NO_OBJECT, PARTS, PLACES, parts_of
from sessionkit.study.checks import as_text

CLICK = {
    "object": {"object_id": "A1", "name": "it's \n"},
    "position": {"ordinal": 3},
    "session_id": "s",
    "dwell_time": 2.5,
}
SAYS = {"object_id": "A1", "ordinal": "3", "session_of_attributes": "s", "dwell_time": "2.5", NO_OBJECT: False}


def read(cells, column="event_attributes", experiment=None):
    """What the cells say that is not nothing."""
    frame = pl.DataFrame({"cells": cells})
    found = frame.select(parts_of(as_text("cells", frame.schema["cells"]), column, experiment))
    rows = found.to_series().struct.unnest().to_dicts()
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


@pytest.mark.parametrize(
    "cell",
    [
        json.dumps(CLICK),
        "  " + json.dumps(CLICK, indent=2),
        str(CLICK),  # as pandas writes a dict into CSV
        json.dumps({**CLICK, "object": json.dumps(CLICK["object"])}),  # JSON text once more
        json.dumps({**CLICK, "position": {"ordinal": {"index": 3}}}),
    ],
)
def test_what_a_cell_of_text_says(cell):
    assert read([cell]) == [SAYS]
    assert read([cell] * 50 + ["{broken"])[0] == SAYS


def test_structs_and_maps_say_the_same():
    assert read([CLICK]) == [SAYS]
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in CLICK.items()}
    assert read(pl.Series([texts, None], dtype=pl.Map(pl.String, pl.String))) == [SAYS, {NO_OBJECT: False}]


@pytest.mark.parametrize("cell", [None, "", " ", "null", "None", "nan", "{}"])
def test_a_cell_of_nothing_says_nothing(cell):
    assert read([cell, json.dumps(CLICK)]) == [{NO_OBJECT: False}, SAYS]


@pytest.mark.parametrize(
    "cell",
    ['{"object": {"object_id": "A1"', "A1", "[1]", "{'object': array([1])}", "{'object': __import__('os')}", "{1}"],
)
def test_a_cell_that_is_no_object_is_told(cell):
    assert read([cell]) == [{NO_OBJECT: True}]


@pytest.mark.parametrize(
    ("column", "cell", "says"),
    [
        ("event_attributes.position", {"ordinal": 3}, {"ordinal": "3"}),
        ("position", {"index": 3}, {"ordinal": "3"}),
        ("event_attributes.position.ordinal", {"index": 3}, {"ordinal": "3"}),
        ("object", {"object_id": 7}, {"object_id": "7"}),
        ("query_attributes", {"arm": "b"}, {"__experiment": "b"}),
        (
            "queryResponse",
            {"queryResponseHitIds": ["A"], "queryResponseId": "r"},
            {"hits": ["A"], "query_response_id": "r"},
        ),
        ("user_query", {"text": "lamp"}, {"user_query": "lamp"}),
    ],
)
def test_cells_of_what_is_inside(column, cell, says):
    assert read([json.dumps(cell)], column, "arm") == [{**says, NO_OBJECT: False}]
    assert set(says) < set(PARTS)


def test_every_place_is_one_of_a_record():
    assert all(name.endswith(path[-1]) for name, path in PLACES.items())
