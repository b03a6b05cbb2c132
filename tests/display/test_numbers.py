"""Numbers in prose and cells of a page: what no line end parts, minus signs, thousands, and one way to set p-values."""

import re
from pathlib import Path

import polars as pl
import pytest

import sessionkit
from sessionkit.display.latex import latex_table
from sessionkit.display.markdown import markdown_table
from sessionkit.display.notebook import html_of
from sessionkit.display.numbers import p_text, set_numbers
from sessionkit.display.tables import table_of
from sessionkit.display.templates import worded
from sessionkit.display.text_tables import table_text
from sessionkit.reports.html import html_table

SPACE = "\xa0"


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("a difference (p = 0.120; 40 users)", "p = 0.120"),
        ("a difference (p < 0.001; 40 users)", "p < 0.001"),
        ("a mean (n = 1,200)", "n = 1,200"),
        ("a mean of 1,200 sessions", "1,200 sessions"),
        ("95% interval 0.1 to 0.2", "95% interval"),
        ("with 95% CI 0.1 to 0.2", "95% CI"),
        ("after 12 s of dwell", "12 s"),
    ],
)
def test_no_line_ends_between_a_number_and_what_it_is_of(text, pair):
    assert pair.replace(" ", SPACE) in set_numbers(text)
    assert str(worded(text)).count(" ") == set_numbers(text).count(" ")
    assert pair.replace(" ", SPACE).replace("<", "&lt;") in html_of([text], [])


@pytest.mark.parametrize(
    "text",
    ["map = 3", "users 12", "40 usersets", "by S-1 on 2011-03-04", "nDCG@10 sorted", "step = 2"],
)
def test_other_words_stay_as_they_are(text):
    assert set_numbers(text) == text


def test_numbers_below_0_have_a_minus_sign_on_a_page_and_a_hyphen_in_text():
    table = table_of("T", pl.DataFrame({"system_id": ["S-1"], "value": [-0.25]}), note="At least -0.5 (-1 to -0.1).")
    page = html_table(table)
    assert "\u22120.2500" in page
    assert "At least \u22120.5 (\u22121 to \u22120.1)." in page
    assert "S-1" in page
    assert "-0.2500" in markdown_table(table)
    assert "$-$0.2500" in latex_table(table)
    assert "-0.2500" in table_text(table.frame)


def test_counts_have_commas_and_other_whole_numbers_have_none():
    frame = pl.DataFrame({"results": [27966], "year": [2011], "rank": [1000]})
    assert table_of("T", frame).rows == (("27,966", "2011", "1000"),)
    assert table_text(frame).split()[-3:] == ["27,966", "2011", "1000"]


def test_p_values_are_set_by_one_function():
    """No other file writes a p-value itself."""
    root = Path(sessionkit.__file__).parent
    own = re.compile(r"(?m)^(?!\s*p = ).*\bp (?:=|<) (?:\{|%)")
    files = [path for path in root.rglob("*.py") if own.search(path.read_text(encoding="utf-8"))]
    assert [path.name for path in files] == ["numbers.py"]
    assert p_text(0.0001) == "p < 0.001"
