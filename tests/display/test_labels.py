"""Text that is fit to draw.

Names in natural order.
"""

import html
import re
from xml.etree import ElementTree as ET

import polars as pl
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sessionkit.display.labels import (
    CONTROLS,
    ESCAPE,
    HIDDEN,
    LONGEST,
    NO_XML,
    TURNING,
    in_natural_order,
    label,
    named,
    natural_key,
    natural_sort,
    printable,
    printable_column,
    printable_spec,
    shortened,
)
from sessionkit.display.templates import escaped
from sessionkit.reports.explorer.widget import _shown as data_shown
from tests.support.examples import examples


@given(st.text())
def test_printable_text_can_stand_in_xml(text):
    ET.fromstring(f"<a>{printable(text).replace('&', '').replace('<', '')}</a>".encode())  # noqa: S314  # made here


def test_lone_surrogates_are_replaced():
    assert printable("a\ud800b") == "a[U+D800]b"  # not all by one character, which would make one name of several


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8")), min_size=1))
def test_columns_get_the_same_replacements(names):
    frame = pl.DataFrame({"name": names}, schema={"name": pl.String})
    assert frame.select(printable_column("name")).to_series().to_list() == [named(name) for name in names]


def test_every_text_of_a_specification_is_reached_and_nothing_else_changes():
    spec = {"title": "a\x00", "data": [{"x": 1, "y": None, "z": ["\x1b"]}]}
    assert printable_spec(spec) == {"title": "a␀", "data": [{"x": 1, "y": None, "z": ["␛"]}]}


def test_every_character_that_is_replaced_is_replaced_wherever_it_stands():
    for character in (*CONTROLS, *TURNING, *NO_XML, "\ud800", "\udfff"):
        assert character not in printable(f"name{character}")


HOSTILE = [*CONTROLS, *CONTROLS.values(), *TURNING, *HIDDEN, *NO_XML, "\ufffd", "\u05d0", "\U0001f600", "é", "<", "</b>", "<b", "[", "]",
           "[U+202E]", "[U+", "[U+005B]", "U+2400]", "…", " ", "a", "b", "c" * 119, "d" * 120, "e" * 121, "'", ",", "\\"]  # fmt: skip
"""Pieces of names that could be mistaken for each other once they are replaced, cut or escaped."""
NAMES = st.lists(st.sampled_from(HOSTILE), max_size=5).map("".join)


@st.composite
def pairs(draw):
    """Two different names, often with the same endless beginning."""
    begin, one, other = draw(NAMES), draw(NAMES), draw(NAMES)
    return begin + one, begin + other


@settings(max_examples=examples(400))
@given(pairs())
def test_two_names_never_get_one_label(pair):
    one, other = pair
    assume(one != other)
    assert named(one) != named(other)
    assert label(one) != label(other)
    assert label(one, 10) != label(other, 10)
    assert shortened(named(one)) != shortened(named(other))


@settings(max_examples=examples(300))
@given(NAMES)
def test_a_label_is_printable_short_and_passes_again_unchanged(name):
    shown, whole = label(name), named(name)
    assert printable(shown) == shown == html.unescape(escaped(shown))
    assert len(shown) <= LONGEST + 50
    kept = len(shown.partition("\u2026 (")[0]) if len(whole) > LONGEST else len(whole)
    assert whole.startswith(shown[: min(kept, 100)])
    assert not any(found.start() < kept < found.end() for found in ESCAPE.finditer(whole))


@given(st.lists(NAMES, min_size=1))
def test_columns_get_the_same_names(names):
    frame = pl.DataFrame({"name": names}, schema={"name": pl.String})
    assert frame.select(printable_column("name")).to_series().to_list() == [named(name) for name in names]
    assert data_shown(pl.Series(names, dtype=pl.String)).to_list() == [label(name, 300) for name in names]


def test_a_name_has_one_digest_wherever_it_stands():
    name = "\u202e" + "x" * 200
    digest = re.search("[0-9a-f]{16}", label(name))[0]
    for text in (f"By {name}: 0.5", f"'{name}', '{name}2'", f"({name})."):
        assert digest in escaped(text)
    assert escaped(f"'{'x' * 200}': 0.5").endswith("&#39;: 0.5")
    two = re.findall("[0-9a-f]{16}", escaped(f"'{name}', '{name}2'"))
    assert len(set(two)) == 2


def test_endless_marks_are_cut_in_time():
    assert len(escaped("," * 200_000 + "a")) < 300
    assert len(escaped("(" * 200_000)) < 300


def test_line_breaks_and_tabs_are_written_as_every_font_can():
    assert named("one\ntwo\tthree\r") == r"one\ntwo\tthree\r"
    assert named(r"\nu") == r"[U+005C]nu"
    assert printable("one\ntwo").isascii()


def test_numbers_within_names_go_by_size():
    frame = pl.DataFrame({"topic": ["t10", None, "t2", "T1", "t02", "2", "10a"], "place": range(7)})
    assert natural_sort(frame, "topic")["topic"].to_list() == ["2", "10a", "T1", "t02", "t2", "t10", None]


@given(st.lists(st.integers(0, 10**9)))
def test_numbers_alone_are_in_their_order(numbers):
    assert sorted(map(str, numbers), key=natural_key) == [str(number) for number in sorted(numbers)]


def test_a_number_of_thousands_of_digits_is_no_error():
    assert sorted(["9" * 5000, "10"], key=natural_key)[0] == "10"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), unique=True))
def test_numbers_of_any_kind_go_by_size(numbers):
    numbers = [number + 0.0 for number in numbers]  # -0.0 is 0.0
    assert in_natural_order(map(str, numbers)) == [str(number) for number in sorted(set(numbers))]


def test_one_name_among_numbers_makes_all_of_them_names():
    assert in_natural_order(["10", "9", "1_0", "nan"]) == ["1_0", "9", "10", "nan"]
