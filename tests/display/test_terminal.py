"""Text folded to the width of a terminal.

Tables for people.
"""

import io
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sessionkit.display.terminal import FEW, fold_text, table_text, terminal_width
from sessionkit.errors import visible


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])), st.integers(20, 100))
def test_no_line_is_wider_and_nothing_is_lost(text, width):
    lines = fold_text(text, width, breaks_words=True)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_word_to_copy_is_not_broken():
    path = "/a/long/path/of/a/study/that/is/wider/than/the/terminal"
    assert fold_text(f"written: {path}", 20) == ["written:", path]


@pytest.mark.parametrize(
    "together",
    [
        "p = 0.12",
        "n = 30 users",
        "95% interval",
        "sessionkit score STUDY --per session",
        "sessionkit compare STUDY 'nsDCG@10'",
        "sessionkit help comparing",
    ],
)
def test_no_line_ends_within(together):
    for before in range(40):
        assert any(together in line for line in fold_text(f"{'x ' * before}{together} and more words", 50))


def test_an_item_goes_on_below_its_text():
    assert fold_text("  - one two three", 10) == ["  - one", "    two", "    three"]
    assert fold_text("12. one two", 8) == ["12. one", "    two"]


class Terminal(io.StringIO):
    """A terminal that does not tell its width."""

    def isatty(self):
        return True


def test_the_width_is_that_of_the_environment_then_of_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert terminal_width(Terminal()) == 60
    assert terminal_width(io.StringIO()) is None
    monkeypatch.setenv("COLUMNS", "wide")
    assert terminal_width(Terminal()) == 80


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


def test_long_words_are_broken_and_nothing_is_lost():
    frame = pl.DataFrame({"id": ["x" * 300, "漢" * 10], "value": [0.25, 0.5]})
    lines = table_text(frame, 40).splitlines()
    assert max(map(cell_len, lines)) == 40
    assert "".join(line.split()[0] for line in lines[2:]) == "x" * 300 + "漢" * 10
    assert "x" * 300 in table_text(frame)


def test_values_that_all_rows_share_stand_above_a_table_that_is_too_wide():
    frame = pl.DataFrame(
        {"measure": ["nsDCG@10"] * 2, "system_id": ["S1", "S2"], "unit": [None, None], "value": [0.25, 0.5]}
    )
    assert "In every row" not in table_text(frame, 80)
    assert table_text(frame, 30).splitlines() == [
        "In every row: measure",
        "nsDCG@10. No value in any row:",
        "unit.",
        "",
        "system_id   value",
        "---------  ------",
        "S1         0.2500",
        "S2         0.5000",
    ]


def test_headings_are_folded_only_where_the_table_is_too_wide():
    frame = pl.DataFrame({"system_id": ["S1", "S2"], "left_out_single_query": [28, 21], "users": [3, 4]})
    assert table_text(frame, 40) == table_text(frame)
    assert table_text(frame, 25).splitlines() == [
        "             left_",
        "              out_",
        "           single_",
        "system_id    query  users",
        "---------  -------  -----",
        "S1              28      3",
        "S2              21      4",
    ]


def test_one_row_becomes_a_list_of_its_values():
    frame = pl.DataFrame(
        {"a": ["S1"], "b": [None], "raw_difference": [0.25], "p": [0.042]}, schema_overrides={"b": pl.String}
    )
    assert table_text(frame, 20).splitlines() == [
        "a               S1",
        "raw_difference  0.2500",
        "p               0.042",
    ]


def test_a_wide_table_continues_below_itself_behind_what_names_its_rows():
    frame = pl.DataFrame({"system_id": ["S1", "S2"], **{f"column{number}": [0.25, number] for number in range(8)}})
    blocks = [block.splitlines() for block in table_text(frame, 40).strip().split("\n\n")]
    assert [block[0].split() for block in blocks] == [
        ["system_id", "column0", "column1", "column2"],
        ["system_id", "column3", "column4", "column5"],
        ["system_id", "column6", "column7"],
    ]
    assert all([line.split()[0] for line in block[2:]] == ["S1", "S2"] for block in blocks)
    assert blocks[2][3].split() == ["S2", "6.0000", "7.0000"]
    assert max(len(line) for block in blocks for line in block) <= 40


def test_the_last_columns_of_a_long_table_are_named_and_left_out():
    rows = range(FEW + 1)
    frame = pl.DataFrame({"user": list(map(str, rows)), "score": rows, "n": rows, "third": rows})
    assert table_text(frame, 22) == table_text(frame)
    lines = table_text(frame, 17, "--output FILE").splitlines()
    assert "\n".join(lines[:-3]) == table_text(frame.drop("third"), 17).rstrip()
    assert lines[-3:] == ["\u2026 1 more column:", "third; --output", "FILE"]
    assert max(map(len, lines)) <= 17


def test_prose_becomes_a_list_of_rows_and_no_command_is_broken():
    command = "sessionkit score STUDY 'nsDCG@10' --per session --wide --output scores.csv"
    frame = pl.DataFrame(
        {
            "question": ["How good were the sessions?", "Do systems differ?"],
            "because": ["655 judgments of 4 topics by 3 judges", None],
            "command": [command, "sessionkit compare STUDY"],
        }
    )
    lines = table_text(frame, 40).splitlines()
    assert lines == [
        "How good were the sessions?",
        "  because  655 judgments of 4 topics by",
        "           3 judges",
        f"  command  {command}",
        "",
        "Do systems differ?",
        "  command  sessionkit compare STUDY",
    ]


@given(
    st.lists(st.tuples(st.text(max_size=30), st.text(max_size=60), st.integers(0, 10**9)), min_size=1, max_size=4),
    st.integers(30, 90),
)
def test_no_line_is_wider_than_the_terminal_and_every_value_is_shown(rows, width):
    frame = pl.DataFrame(
        rows, schema={"first_id": pl.String, "text": pl.String, "count_of_things": pl.Int64}, orient="row"
    )
    shown = table_text(frame, width)
    assert all(cell_len(line) <= width for line in shown.splitlines())
    values = {str(value) for column in frame for value in column.unique()}
    characters = Counter("".join("".join(map(visible, values)).split()))
    assert not characters - Counter(shown)


def test_no_rows_and_no_columns():
    assert table_text(pl.DataFrame({"a": []}, schema={"a": pl.String})) == "a\n-\n"
    assert table_text(pl.DataFrame()) == ""
