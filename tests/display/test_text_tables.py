"""Tables for people."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sessionkit.display.text_tables import table_text
from sessionkit.errors import visible


@given(st.text())
def test_visible_text_does_nothing(text):
    shown = visible(text)
    assert "\n" not in shown
    assert all(ord(character) >= 0x20 and not 0x7F <= ord(character) < 0xA0 for character in shown)


def test_what_it_says_is_said_openly():
    assert visible("a\x1b]0;x\x07\u202e\n\x9b") == "a\\e]0;x\\x07\\u202e\\n\\x9b"
    assert visible("plain [red]text[/red] é 漢") == "plain [red]text[/red] é 漢"


def test_numbers_keep_readable_digits():
    frame = pl.DataFrame(
        {"v": [0.1 + 0.2, 1e-9, 1234.5, None, 0.0], "w": [1.0, 2.0, None, 3.0, -4.0], "n": [1, 20, 3, 4, 5]}
    )
    rows = [line.split() for line in table_text(frame).splitlines()[2:]]
    assert rows == [
        ["0.3000", "1", "1"],
        ["1.0e-09", "2", "20"],
        ["1,234.5000", "3"],
        ["3", "4"],
        ["0.0000", "-4", "5"],
    ]


def test_long_texts_are_cut_to_the_terminal_and_wide_ones_stay_aligned():
    frame = pl.DataFrame({"id": ["x" * 300, "漢" * 10], "value": [0.25, 0.5]})
    cut = table_text(frame, 40).splitlines()
    assert {cell_len(line) for line in cut} == {40}
    assert cut[2].endswith("\u2026  0.2500")
    assert "x" * 300 in table_text(frame)


def test_a_table_too_wide_for_any_terminal_is_still_whole_in_its_numbers():
    frame = pl.DataFrame({f"column{number}": [0.25] for number in range(20)})
    assert table_text(frame, 40) == table_text(frame)


def test_no_rows_and_no_columns():
    assert table_text(pl.DataFrame({"a": []}, schema={"a": pl.String})) == "a\n-\n"
    assert table_text(pl.DataFrame()) == ""
