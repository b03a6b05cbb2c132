"""Text that is fit to draw."""

from xml.etree import ElementTree as ET

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.charts.text import CONTROLS, NO_XML, TURNING, printable, printable_column, printable_spec


@given(st.text())
def test_printable_text_can_stand_in_xml(text):
    ET.fromstring(f"<a>{printable(text).replace('&', '').replace('<', '')}</a>".encode())  # noqa: S314  # made here


def test_lone_surrogates_are_replaced():
    assert printable("a\ud800b") == "a\ufffdb"


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8")), min_size=1))
def test_columns_get_the_same_replacements(names):
    frame = pl.DataFrame({"name": names}, schema={"name": pl.String})
    assert frame.select(printable_column("name")).to_series().to_list() == [printable(name) for name in names]


def test_every_text_of_a_specification_is_reached_and_nothing_else_changes():
    spec = {"title": "a\x00", "data": [{"x": 1, "y": None, "z": ["\x1b"]}]}
    assert printable_spec(spec) == {"title": "a␀", "data": [{"x": 1, "y": None, "z": ["␛"]}]}


def test_every_character_that_is_replaced_is_replaced_wherever_it_stands():
    for character in (*CONTROLS, *TURNING, *NO_XML, "\ud800", "\udfff"):
        assert character not in printable(f"name{character}")
