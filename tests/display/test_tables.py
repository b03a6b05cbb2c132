"""Tables of a report."""

import re

import polars as pl
import pytest

from sessionkit.display.tables import table_of
from sessionkit.display.templates import escaped
from sessionkit.reports.page import html_table


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        ("value", 0.12345, "0.1235"),
        ("value", 0.00001, "1.0e-05"),  # not 0.0000
        ("value", 0.0, "0"),  # whole, as all of its column
        ("value", None, "\u2013"),
        ("share", 0.2582, "25.8%"),
        ("judged", 3186, "3,186"),
        ("year", 2011, "2011"),  # no count
        ("mean", 7.2333, "7.2333"),
        ("system_id", "S1", "S1"),
        ("sign_certain", False, "no"),
    ],
)
def test_cells(column, value, shown):
    assert table_of("t", pl.DataFrame({column: [value]})).rows == ((shown,),)


def test_numbers_stand_right_and_text_is_escaped():
    frame = pl.DataFrame({"<b>": ["<i>&"], "n": [3]})
    text = html_table(table_of("<u>", frame, note="<s>"))
    assert re.search('>&lt;b&gt;</th><th[^>]*"number">n<', text)
    assert re.search('>&lt;i&gt;&amp;<.*"number">3<', text)
    assert "<caption>&lt;u&gt;</caption>" in text
    assert '<p class="note">&lt;s&gt;</p>' in text


def test_long_tables_end_with_the_number_of_rows_left_out():
    table = table_of("t", pl.DataFrame({"n": range(100)}), limit=60)
    assert len(table.rows) == 60
    assert table.full_note == "40 more rows are not shown."


def test_empty_frame_is_a_table_without_rows():
    assert table_of("t", pl.DataFrame({"n": []})).rows == ()


def test_quotes_and_directions_are_made_harmless():
    assert escaped("\"'\u2066\x00") == "&#34;&#39;[U+2066]␀"


def test_p_values_are_written_as_in_text_and_never_rounded_to_a_level():
    frame = pl.DataFrame({"p": [1.0, 0.6, 0.04999, 0.00052, 1.8e-5, 0.0]})
    for decimals in (None, 2):
        cells = [row[0] for row in table_of("T", frame, decimals=decimals).rows]
        assert cells == ["1.000", "0.600", "0.04999", "<0.001", "<0.001", "<0.001"]
