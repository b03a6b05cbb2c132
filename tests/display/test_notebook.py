"""HTML for a notebook: text stays text, colors are the notebook's, directions of writing keep to their cells."""

import polars as pl

from sessionkit.display.text import Displayed, html_of, in_html

HOSTILE = "</td><script>alert(1)</script>\x1b[31m\u202e\r\n\u2028<img src=x onerror=alert(1)>"


class Found(Displayed):
    def words_and_tables(self):
        return [HOSTILE], {HOSTILE: pl.DataFrame({HOSTILE: [HOSTILE, None], "value": [0.25, None]})}


def test_a_notebook_gets_text(elements):
    tags, text = elements(Found()._repr_html_())
    assert tags <= {"div", "style", "p", "h4", "table", "thead", "tbody", "tr", "th", "td"}
    assert text.count("</td><script>alert(1)</script>\\e[31m\\u202e\\r\\n\\u2028<img src=x onerror=alert(1)>") == 4


def test_right_to_left_text_keeps_to_its_cell():
    shown = in_html([], {"t": pl.DataFrame({"query": ["שלום"], "n": [3]})})
    assert '<td dir="auto">שלום</td><td class="n">3</td>' in shown


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
