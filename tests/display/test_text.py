"""Values of words and tables: nothing in them acts, and nothing is endless.

HTML for a notebook: text stays text, colors are the notebook's, directions of writing keep to their cells.
"""

import re

import polars as pl
import pytest

from sessionkit.display.text import Displayed, cut, html_of, in_html, in_text, lines_of, part_of
from sessionkit.errors import ACTING

HOSTILE = "</td><script>alert(1)</script>\x1b[31m\u202e\r\n\u2028<img src=x onerror=alert(1)>"


class Found(Displayed):
    def words_and_tables(self):
        return [HOSTILE], {HOSTILE: pl.DataFrame({HOSTILE: [HOSTILE, None], "value": [0.25, None]})}


def test_a_terminal_gets_nothing_that_acts():
    shown = repr(Found())
    assert not ACTING.search(shown.replace("\n", ""))
    assert shown.count("\\e[31m\\u202e\\r\\n\\u2028<img") == 4  # words, title, name of a column, value
    assert str(Found()) == shown


@pytest.mark.parametrize("show", [in_text, in_html])
def test_a_few_dozen_rows_are_shown_and_the_others_counted(show):
    frame = pl.DataFrame({"id": [f"row{place}." for place in range(1, 5032)]})
    shown = show(["words"] * 70, {"t": frame})
    assert "row30." in shown
    assert "row31." not in shown
    assert "\u2026 5,001 more rows" in shown
    assert shown.count("words") == 60
    assert "\u2026 10 more lines" in shown


def test_many_columns_and_long_texts_are_cut():
    part = part_of("x" * 1_000_000, pl.DataFrame({f"c{place}": ["y" * 1_000_000] for place in range(33)}), 80)
    assert part.more == "\u2026 3 more columns"
    assert part.frame.width == 30
    assert part.frame.item(0, 0) == "y" * 79 + "\u2026"
    assert len(part.title) == 80
    assert f">{'y' * 499}\u2026</td>" in in_html([], {"t": pl.DataFrame({"c": ["y" * 1_000_000]})})
    assert len(lines_of(["z" * 1_000_000])[0]) == 2000


def test_rows_and_columns_left_out_are_said_together():
    frame = pl.DataFrame({f"c{place}": range(31) for place in range(31)})
    assert part_of("t", frame, 80).more == "\u2026 1 more rows and 1 more columns"


def test_names_that_become_alike_stay_columns_of_their_own():
    frame = pl.DataFrame({"a" * 100: [1], "a" * 101: [2], "a\x00": [3], "a\x01": [4]})
    part = part_of("t", frame, 80)
    assert part.frame.row(0) == (1, 2, 3, 4)
    assert part.frame.columns[1].endswith(" (2)")


def test_all_that_is_short_is_whole():
    assert cut("a" * 80, 80) == "a" * 80
    assert in_text(["One."], {}) == "One."
    assert in_text([], {"t": pl.DataFrame({"n": [1, 22]})}) == "t\n n\n--\n 1\n22"
    assert part_of("t", pl.DataFrame({"n": list(range(30))}), 80).more == ""


def test_values_of_any_type_are_shown():
    frame = pl.DataFrame(
        {"list": [["a\x1b", "b"]], "struct": [{"x": 1}], "flag": [True], "none": [None], "bytes": [b"\x1b"]}
    )
    assert in_text([], {"t": frame}).splitlines()[3].split("  ")[0] == "['a\\x1b', 'b']"
    assert "<td" in in_html([], {"t": frame})


def test_a_kind_that_says_nothing_says_so():
    with pytest.raises(TypeError, match="Displayed does not say"):
        repr(Displayed())


def test_a_notebook_gets_text(elements):
    tags, text = elements(Found()._repr_html_())
    assert tags <= {"div", "style", "p", "h4", "table", "thead", "tbody", "tr", "th", "td"}
    shown = "</td><script>alert(1)</script>\\e[31m\\u202e\\r\\n\\u2028<img src=x onerror=alert(1)>"
    assert text.count(shown) == 4


def test_right_to_left_text_keeps_to_its_cell():
    shown = in_html([], {"t": pl.DataFrame({"query": ["שלום"], "n": [3]})})
    assert re.search('<td dir="auto">שלום</td><td[^>]*>3<', shown)


def test_colors_are_the_notebook_s():
    shown = Found()._repr_html_()
    assert "rgba(128,128,128" in shown
    assert not any(word in shown for word in ("background", "color:", "http", "@import", "url("))


def test_numbers_stand_as_in_a_terminal_and_null_is_nothing():
    shown = html_of(["", "One."], [("t", pl.DataFrame({"v": [0.123456, None, 1e-7]}), "")])
    assert shown.count("<p>") == 1
    assert '<td class="n">0.1235</td>' in shown
    assert '<td class="n"></td>' in shown
    assert '<td class="n">1.0e\u221207</td>' in shown
