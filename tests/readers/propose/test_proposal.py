"""TOML as it is written: hostile names and texts come back as they were, and comments end nothing."""

import tomllib

from hypothesis import example, given
from hypothesis import strategies as st

from sessionkit.errors import visible
from sessionkit.readers.propose.proposal import Line, TomlSection, commented, key, proposal_of, quoted, spelled

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    texts | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


@given(texts, values)
@example("\"'\\]\n\r\t\x00\x7f\x85\u2028", {"": ["#", "]", {"a\nb": '"""'}]})
def test_a_key_and_its_value_come_back(name, value):
    assert tomllib.loads(f"{key(name)} = {spelled(value)}\n") == {name: value}


@given(st.lists(st.tuples(texts, texts, texts, texts), max_size=4, unique_by=lambda line: line[0]))
@example([("a", "b", "x\n[evil]\ny = 1", "\r]\x0b\x0c\u2028max_grade = 9")])
def test_comments_add_nothing_and_end_nothing(lines):
    given = [
        Line(name, value, (f"is {quoted(question)} right?", question), (remark,))
        for name, value, question, remark in lines
    ]
    proposal = proposal_of([TomlSection((), (), ("a head\nb = 2",)), TomlSection(("results", 'c"]\n'), tuple(given))])
    named = {line.key: line.value for line in given}
    named.pop("", None)
    assert tomllib.loads(proposal.text) == {"results": {'c"]\n': named}} == proposal.settings
    assert len(proposal.questions) == 2 * len(given)


def test_a_line_that_waits_for_an_answer_is_a_comment():
    line = Line("max_grade", 2, ("is 2 the top?",), idle=True)
    assert line.lines == ["# ? is 2 the top?", "# max_grade = 2"]
    assert proposal_of([TomlSection((), (line,))]).settings == {}


@given(texts)
@example("\x9b31m\u202e")
def test_nothing_in_a_value_acts_on_a_terminal(text):
    written = f"{key(text)} = {spelled([text])}"
    assert visible(written) == written


def test_a_long_text_is_cut_and_nothing_in_it_acts():
    assert quoted("a" * 200) == "'" + "a" * 79 + "\u2026'"
    assert commented("x\x1b[31m\ny") == "# x\\e[31m\\ny"
