"""No code reads a value back out of a sentence: what sentences say is there as kinds and values of statements, or as data."""

import ast
import re
from pathlib import Path

import pytest

import sessionkit as sk

PACKAGE = Path(sk.__file__).parent
MATCHING = {
    *("startswith", "endswith", "removeprefix", "removesuffix", "replace", "index", "find", "rindex", "rfind", "count"),
    *("split", "rsplit", "partition", "rpartition", "starts_with", "ends_with", "contains", "strip_prefix", "strip_suffix"),
}
"""Methods of texts, and of columns of texts, that match them on a text."""
PATTERNS = {"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub"}
"""Functions of the module ``re``."""
SENTENCES = {"reading", "sentence"}
"""Attributes that hold sentences, of which not even one character is looked for."""
PROSE = re.compile(r"(?<![\\<\w])[A-Za-z]{2,}[:;,.)\]]? [(\[]?[A-Za-z]{2,}")
"""Two words."""
ALLOWED = {}
"""Places that match a text on two words or more, with the reason."""


def constants_of(tree):
    """Return the texts that names of a module stand for."""
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def holds_prose(node, constants):
    """Return whether an expression has a text of two words in it."""
    texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    texts += [constants.get(part.id, "") for part in ast.walk(node) if isinstance(part, ast.Name)]
    return any(map(PROSE.search, texts))


def is_sentence(node):
    """Return whether an expression is an attribute that holds a sentence: the text of a statement, or a reading."""
    if not isinstance(node, ast.Attribute):
        return False
    is_text = node.attr == "text" and isinstance(node.value, ast.Name) and node.value.id in ("statement", "each_statement")
    return node.attr in SENTENCES or is_text


def matches(tree):
    """Yield the expressions of a module that match a sentence."""
    constants = constants_of(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_module_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            is_match = node.func.attr in (PATTERNS if of_module_re else MATCHING)
            arguments = node.args[:1] if of_module_re or node.func.attr == "replace" else node.args
            if is_match and (is_sentence(node.func.value) or any(holds_prose(each, constants) for each in arguments)):
                yield node
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            is_text = isinstance(node.left, ast.Constant | ast.JoinedStr | ast.Name)
            among = isinstance(node.comparators[0], ast.Tuple | ast.List | ast.Set | ast.Dict)
            if is_text and not among and (holds_prose(node.left, constants) or is_sentence(node.comparators[0])):
                yield node


@pytest.fixture(scope="module")
def places():
    """Every place of the package that matches a sentence: its file and the expression."""
    return {
        f"{path.relative_to(PACKAGE).as_posix()}: {ast.unparse(node)}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in matches(ast.parse(path.read_text("utf-8")))
    }


def test_nothing_matches_on_a_sentence_of_its_own(places):
    assert places - {*ALLOWED} == set(), "select statements by kind and read their values, or keep what was worded as data"
    assert {*ALLOWED} - places == set(), "these match nothing any more"


@pytest.mark.parametrize(
    "code",
    [
        'line.startswith("left out ")',
        'note.removeprefix(f"{measure}: not tested")',
        'text.partition("within rank ")',
        '" holds in " in line',
        'line.split(". The claim")',
        'text.replace("; no setting", "")',
        'finding.reading.split(".")',
        '"p" in finding.reading',
        'statement.text.partition(":")',
        're.split("left out|not tested", text)',
        'LEFT_OUT = "left out "\nline.startswith(LEFT_OUT)',
        'pl.col("why").str.starts_with("No verdict")',
    ],
)
def test_a_sentence_that_is_matched_is_noticed(code):
    assert [*matches(ast.parse(code))]


@pytest.mark.parametrize("code", ['kind in ("left out", "more rows")', 'name.startswith("mean_")', 'f"{a} is higher"'])
def test_other_code_is_none(code):
    assert not [*matches(ast.parse(code))]
