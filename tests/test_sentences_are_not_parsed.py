"""No code reads a value back out of a sentence: what sentences say is there as kinds and values of statements, or as data."""

import ast
import re
from pathlib import Path

import pytest

import sessionkit as sk

PACKAGE = Path(sk.__file__).parent
MATCHING = {
    *("startswith", "endswith", "removeprefix", "removesuffix", "replace", "index", "find", "rindex", "rfind", "count"),
    *(
        "split",
        "rsplit",
        "partition",
        "rpartition",
        "starts_with",
        "ends_with",
        "contains",
        "strip_prefix",
        "strip_suffix",
    ),
}
"""Methods of texts, and of columns of texts, that match them on a text."""
PATTERNS = {"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub"}
"""Functions of the module ``re``."""
SENTENCES = {"reading", "sentence", "design", "design_note", "estimand", "why"}
"""Attributes that hold sentences, of which not even one character is looked for."""
PROSE = re.compile(r"(?<![\\<\w])[A-Za-z]{2,}[:;,.)\]]? [(\[]?[A-Za-z]{2,}")
"""Two words."""
DECLARED = "a plugin's measure declares its reasons as one text too"
FOREIGN = "a library's or the system's message"
CONTENT = "what stands in a file"
ALLOWED = {
    "errors.py: f'(os error {number})' in text": FOREIGN,
    "readers/config.py: error.message.replace(' is a required property', '')": FOREIGN,
    "readers/formats/simiir.py: re.compile('^\\\\s*Search Interface: *(\\\\S+)', re.MULTILINE)": CONTENT,
    "readers/formats/simiir.py: re.compile('^\\\\s*Stopping Decision Maker: *(\\\\S+)', re.MULTILINE)": CONTENT,
    "readers/formats/simiir.py: re.compile('^\\\\s*User Configuration \\\\(([^)\\\\n]*)\\\\)', re.MULTILINE)": CONTENT,
    "readers/io/delimited.py: 'more fields' in str(error)": FOREIGN,
    "readers/io/delimited.py: 'not specified in schema' not in str(error)": FOREIGN,
    "readers/io/delimited.py: re.match('invalid utf-?8', str(error), re.IGNORECASE)": FOREIGN,
    "readers/judgments/ratings.py: 'Extra data' not in error.msg": FOREIGN,
    "reports/single_figures.py: GENERATOR in text": CONTENT,
    "scoring/measures/base.py: self.undefined_where.removeprefix(f'{NO_JUDGMENTS}, or ')": DECLARED,
    "spark/worker.py: 'Traceback (most recent call last)' in text": FOREIGN,
    "spark/worker.py: CRASHED in text": FOREIGN,
    "spark/worker.py: re.compile('Lost task .*? executor [^()]*\\\\): (\\\\S.*)')": FOREIGN,
    "spark/worker.py: re.compile('stage failure: (\\\\S.*)')": FOREIGN,
    "spark/worker.py: re.search(\"ModuleNotFoundError: No module named '([\\\\w.]+)'\", text)": FOREIGN,
    "spark/worker.py: text.find(MARK)": "what another process of Spark printed",
    "spark/worker.py: text.rindex('Traceback (most recent call last)')": FOREIGN,
    "study/files.py: re.compile('sessionkit process (\\\\d+) on (\\\\S+): (.*)')": CONTENT,
    "study/restriction.py: 'string with numeric' in str(error)": FOREIGN,
    "study/restriction.py: _first_line(error).removeprefix('sql parser error: ')": FOREIGN,
    "study/restriction.py: said.startswith('unable to parse')": FOREIGN,
    "study/study.py: self.kind.endswith(EXCLUDED)": "the kind of a source, as studies store it",
}
"""Places that match a text on two words or more, with the reason."""
PATTERNS_OF_WORDS = {
    "readers/propose/table_sections.py": "words of languages in columns of a log",
    "study/restriction.py": "the syntax of SQL",
}
"""Modules in which `re.compile` with ``|`` between words is no sentence."""


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


def is_of_alternatives(node):
    """Return whether an expression compiles a pattern of alternatives."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile" and "|" in ast.unparse(node.args[0])


def is_blank(arguments):
    """Return whether all arguments are texts without a character that can be seen, such as the end of a line."""
    return bool(arguments) and all(isinstance(each, ast.Constant) and not str(each.value).strip() for each in arguments)


def is_sentence(node):
    """Return whether an expression is an attribute that holds a sentence: the text of a statement, or a reading."""
    if not isinstance(node, ast.Attribute):
        return False
    is_text = node.attr == "text" and isinstance(node.value, ast.Name) and node.value.id == "statement"
    return node.attr in SENTENCES or is_text


def matches(tree):
    """Yield the expressions of a module that match a sentence."""
    constants = constants_of(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_module_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            is_match = node.func.attr in (PATTERNS if of_module_re else MATCHING)
            arguments = node.args[:1] if of_module_re or node.func.attr == "replace" else node.args
            of_sentence = is_sentence(node.func.value) and not is_blank(arguments)
            if is_match and (of_sentence or any(holds_prose(each, constants) for each in arguments)):
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
        if not (path.relative_to(PACKAGE).as_posix() in PATTERNS_OF_WORDS and is_of_alternatives(node))
    }


@pytest.mark.slow
def test_nothing_matches_on_a_sentence_of_its_own(places):
    assert places - {*ALLOWED} == set(), "select statements by kind, or keep what was worded as data"
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
        '"p = " in finding.reading',
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
