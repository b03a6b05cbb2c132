"""Text folded to the width of a terminal."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sessionkit.display.terminal import fold_text, terminal_width


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
        "sessionkit score STUDY MEASURE --per session",
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
